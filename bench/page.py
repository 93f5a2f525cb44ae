"""The page of ten models with a million rows each, beside the table of the same results."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from bench.binary import rows
from bench.timing import best_of_each, heading, line


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
