"""Pages to look at in a browser, and what no page may do there."""

from __future__ import annotations

import re
from contextlib import contextmanager
from html import unescape
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.request import urlopen

import numpy as np

from heldout.cli.main import main

if TYPE_CHECKING:
    from collections.abc import Iterator

#: what an audit of access calls grave
GRAVE = ("serious", "critical")
HOSTILE = (
    "<img src=x onerror=alert(1)>",
    "</script><script>alert(2)</script>",
    "🙂 smile",
    "שלום עולם",
    "x" * 300,
)


def write_binary(
    path: Path, rows: int = 300, label: str = "yes", seed: int = 1, share: float = 0.3
) -> None:
    rng = np.random.default_rng(seed)
    truth = rng.random(rows) < share
    log_odds = rng.normal(size=rows) + 1.5 * truth - 1
    score = 1 / (1 + np.exp(-log_odds))
    names = np.where(truth, label, "no")
    lines = [f'"{t}",{s:.6f}' for t, s in zip(names, score, strict=True)]
    path.write_text("\n".join(["truth,score", *lines]) + "\n", encoding="utf-8")


@contextmanager
def watched(browser: Any, address: str, own: tuple[str, ...], **settings: Any) -> Iterator[Any]:
    """A page, with a check that it neither failed nor asked for anything but its ``own``."""
    context = browser.new_context(**settings)
    page = context.new_page()
    problems: list[str] = []
    page.on("console", lambda m: problems.append(m.text) if m.type in ("error", "warning") else 0)
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("dialog", lambda dialog: problems.append(f"dialog {dialog.message}"))
    page.on("request", lambda r: None if r.url.startswith(own) else problems.append(r.url))
    page.goto(address)
    yield page
    context.close()
    # a refusal is an answer of the server, which the console repeats
    assert not [problem for problem in problems if "status of 4" not in problem]


def opened(browser: Any, path: Path, **settings: Any) -> Any:
    """A page that lies on disk."""
    return watched(browser, path.as_uri(), ("file:", "data:"), **settings)


def report_of(tmp_path: Path, *command: str) -> Path:
    target = tmp_path / "page.html"
    assert main([*command, "--quiet", "--report", str(target)]) == 0
    return target


def shown(page: Any, name: str) -> str:
    return str(page.locator(f'[data-shows="{name}"]').first.text_content())


def header_of(tmp_path: Path, *command: str) -> str:
    """What stands before the sections of a page, as text."""
    target = tmp_path / "page.html"
    assert main([*command, "--quiet", "--report", str(target)]) == 0
    (header,) = re.findall(r"<header>.*?</header>", target.read_text(encoding="utf-8"), re.DOTALL)
    return unescape(re.sub(r"<[^>]*>", " ", header))


def downloaded(name: str, page: str) -> str:
    """The file of a name that a page holds, as a browser saves it."""
    (link,) = re.findall(rf'download="{re.escape(name)}" href="([^"]*)"', page)
    with urlopen(unescape(link)) as file:
        return str(file.read().decode())
