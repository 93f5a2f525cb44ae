"""The page of ten models with a million rows each: beside the table of them, and in a browser."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from shutil import which
from tempfile import TemporaryDirectory

import numpy as np

from bench.binary import rows
from bench.timing import best_of_each, heading, line
from heldout.report.page.files import BROWSERS

#: milliseconds until the slider has its first value, and of one step of it
MEASURED = """() => {
  const slider = document.querySelector('input[name="cut"]');
  const ready = performance.getEntriesByType("navigation")[0].domInteractive;
  const start = performance.now();
  for (let i = 0; i < 50; i += 1) {
    slider.value = 10 * i;
    slider.dispatchEvent(new Event("input"));
    document.body.getBoundingClientRect();
  }
  return {ready, step: (performance.now() - start) / 50};
}"""


def run(n: int = 1_000_000, models: int = 10) -> None:
    """Print the section."""
    from heldout.cli.main import main

    truth, score = rows(n)
    rng = np.random.default_rng(5)
    heading(f"heldout score --report of {models} models, {n:,} rows each")
    with TemporaryDirectory(prefix="heldout-bench-") as folder:
        files = [Path(folder) / f"model {i}.csv" for i in range(models)]
        for file in files:
            own = np.clip(score + rng.normal(scale=0.05, size=n), 0, 1)
            lines = (f"{int(t)},{s:.9f}" for t, s in zip(truth, own, strict=True))
            file.write_text("\n".join(["truth,score", *lines]) + "\n")
        page = Path(folder) / "page.html"
        command = ["score", *map(str, files), "--positive", "1", "--quiet"]
        command += ["--output", f"{folder}/table.txt"]
        taken = best_of_each(
            {
                "the table": lambda: main(command),
                "the table and the page": lambda: main([*command, "--report", str(page)]),
            },
            2,
        )
        for name, seconds in taken.items():
            line(name, seconds, taken["the table"], unit="x the table")
        more = taken["the table and the page"] - taken["the table"]
        print(f"  the page alone: {more:.2f} s, {page.stat().st_size / 1000:,.0f} KB")
        _open(page)


def _open(page: Path) -> None:
    """How long a browser takes, where there is one."""
    browser = next(filter(None, map(which, BROWSERS)), None)
    if browser is None or find_spec("playwright") is None:
        print("  in a browser: not measured, for want of chromium or playwright")
        return
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        chromium = driver.chromium.launch(executable_path=browser, args=["--no-sandbox"])
        tab = chromium.new_page()
        tab.goto(page.as_uri())
        took = tab.evaluate(MEASURED)
        chromium.close()
    print(f"  in a browser: ready after {took['ready']:.0f} ms, {took['step']:.1f} ms a step")
