"""Pages in a real browser: nothing fails or is fetched, the threshold moves what it should."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import heldout
from heldout.cli.main import main

if TYPE_CHECKING:
    from collections.abc import Iterator

HOSTILE = (
    "<img src=x onerror=alert(1)>",
    "</script><script>alert(2)</script>",
    "🙂 smile",
    "שלום עולם",
    "x" * 300,
)


def write_binary(path: Path, rows: int = 300, label: str = "yes", seed: int = 1) -> None:
    rng = np.random.default_rng(seed)
    truth = rng.random(rows) < 0.3
    log_odds = rng.normal(size=rows) + 1.5 * truth - 1
    score = 1 / (1 + np.exp(-log_odds))
    names = np.where(truth, label, "no")
    lines = [f'"{t}",{s:.6f}' for t, s in zip(names, score, strict=True)]
    path.write_text("\n".join(["truth,score", *lines]) + "\n", encoding="utf-8")


@contextmanager
def opened(browser: Any, path: Path, **settings: Any) -> Iterator[Any]:
    """The page, with a check that it neither failed nor asked for anything."""
    context = browser.new_context(**settings)
    page = context.new_page()
    problems: list[str] = []
    page.on("console", lambda m: problems.append(m.text) if m.type in ("error", "warning") else 0)
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("dialog", lambda dialog: problems.append(f"dialog {dialog.message}"))
    page.on(
        "request",
        lambda r: None if r.url.startswith(("file:", "data:")) else problems.append(r.url),
    )
    page.goto(path.as_uri())
    yield page
    context.close()
    assert not problems


def report_of(tmp_path: Path, *command: str) -> Path:
    target = tmp_path / "page.html"
    assert main([*command, "--quiet", "--report", str(target)]) == 0
    return target


def shown(page: Any, name: str) -> str:
    return str(page.locator(f'[data-shows="{name}"]').text_content())


def test_threshold_moves_counts_to_what_python_gives(tmp_path: Path, browser: Any) -> None:
    data = tmp_path / "a.csv"
    write_binary(data)
    target = report_of(tmp_path, "score", str(data), "--positive", "yes")
    with opened(browser, target) as page:
        slider = page.locator('input[name="cut"]')
        for cut in (0, 40, 150, int(slider.get_attribute("max"))):
            slider.evaluate(
                "(s, v) => {s.value = v; s.dispatchEvent(new Event('input'))}", str(cut)
            )
            text = shown(page, "threshold")
            above = 2.0 if text == "above every score" else None
            threshold = page.evaluate(
                "cut => JSON.parse(document.getElementById('threshold-data').textContent)[0]"
                ".threshold[cut]",
                cut,
            )
            card = heldout.score(
                str(data),
                truth="truth",
                score="score",
                positive="yes",
                threshold=above or threshold,
                intervals=False,
            )
            counts = {name: float(shown(page, name).replace(",", "")) for name in ("tp", "fp")}
            assert counts["tp"] == card["true_positives"].value
            assert counts["fp"] == card["false_positives"].value
            assert shown(page, "recall") == f"{100 * card['recall'].value:.1f}%"


def test_cheapest_threshold_follows_costs_and_prevalence(tmp_path: Path, browser: Any) -> None:
    data = tmp_path / "a.csv"
    write_binary(data)
    target = report_of(tmp_path, "score", str(data), "--positive", "yes")
    with opened(browser, target) as page:
        page.fill('input[name="miss"]', "5")
        page.fill('input[name="alarm"]', "1")
        page.click("#threshold-tool button")
        truth, score = np.genfromtxt(data, str, delimiter=",", skip_header=1).T
        is_yes, scores = truth == '"yes"', score.astype(float)
        costs = [
            5 * np.mean(is_yes & (scores < cut)) + np.mean(~is_yes & (scores >= cut))
            for cut in [*scores, 2.0]
        ]
        assert float(shown(page, "cost")) == pytest.approx(min(costs), rel=1e-3)
        page.fill('input[name="prevalence"]', "1")
        assert float(shown(page, "precision").rstrip("%")) < 30


def test_keyboard_alone_moves_threshold_and_sorts(tmp_path: Path, browser: Any) -> None:
    data = tmp_path / "a.csv"
    write_binary(data)
    target = report_of(tmp_path, "score", str(data), "--positive", "yes")
    with opened(browser, target) as page:
        before = shown(page, "threshold")
        page.focus('input[name="cut"]')
        page.keyboard.press("ArrowRight")
        assert shown(page, "threshold") != before
        head = page.locator("table.sortable thead th button").nth(2)
        head.focus()
        page.keyboard.press("Enter")
        assert page.locator("th[aria-sort]").count() == 1


@pytest.mark.parametrize("label", HOSTILE, ids=["image", "script", "emoji", "hebrew", "long"])
def test_hostile_labels_are_shown_as_text(tmp_path: Path, browser: Any, label: str) -> None:
    data = tmp_path / "a.csv"
    write_binary(data, rows=60, label=label)
    target = report_of(tmp_path, "score", str(data), "--positive", label)
    with opened(browser, target) as page:
        assert label in page.inner_text("body")


def test_without_scripts_everything_but_interaction_is_there(tmp_path: Path, browser: Any) -> None:
    data = tmp_path / "a.csv"
    write_binary(data)
    target = report_of(tmp_path, "score", str(data), "--positive", "yes")
    with opened(browser, target, java_script_enabled=False) as page:
        assert page.locator("figure.panel svg").count() >= 5
        assert "Area under the ROC curve" in page.inner_text("main")
        assert not page.locator("#threshold-tool").is_visible()


@pytest.mark.parametrize(
    "command",
    [
        ("score", "example:iris_predictions"),
        ("score", "example:diabetes_predictions"),
        ("score", "--matrix", "50,10;5,35", "--orientation", "truth-rows", "--positive", "first"),
        ("compare", "example:models", "--positive", "spam"),
        ("evaluate", "iris", "--models", "knn,lda", "--procedure", "2x3-fold", "--no-store"),
        (
            "select",
            "iris",
            "--model",
            "knn",
            "--grid",
            "n_neighbors=1,5",
            "--procedure",
            "3-fold",
            "--no-store",
        ),
    ],
    ids=lambda command: " ".join(command[:2]),
)
def test_every_command_has_a_page_that_an_audit_of_access_passes(
    tmp_path: Path, browser: Any, command: tuple[str, ...]
) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright")
    target = report_of(tmp_path, *command)
    assert target.stat().st_size < 400_000
    for scheme in ("light", "dark"):
        with opened(browser, target, color_scheme=scheme) as page:
            assert page.locator("h1").count() == 1
            # the script that looks is not one that the page allows: it comes by the debugger
            found = axe.Axe().run(page).response["violations"]
            grave = [(v["id"], v["nodes"][0]["html"]) for v in found if v["impact"] in GRAVE]
            assert not grave


GRAVE = ("serious", "critical")


def test_narrow_page_does_not_scroll_sideways(tmp_path: Path, browser: Any) -> None:
    target = report_of(tmp_path, "compare", "example:models", "--positive", "spam")
    with opened(browser, target, viewport={"width": 380, "height": 800}) as page:
        assert page.evaluate("document.documentElement.scrollWidth") <= 380
