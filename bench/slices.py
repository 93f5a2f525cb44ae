"""A hundred slices beside one."""

from __future__ import annotations

import numpy as np

from bench.binary import rows
from bench.timing import best_of, heading, line

__all__ = ["run"]


def run(n: int = 5_000_000, slices: int = 100) -> None:
    """Print the section."""
    from karat.assess.slices import slice_tables
    from karat.engines.memory import Tallies
    from karat.measures.catalogue import measures
    from karat.measures.spec import Request
    from karat.predictions.read import from_arrays

    truth, score = rows(n)
    part = np.random.default_rng(3).integers(0, slices, n)
    requests = [Request(m) for m in measures("binary") if "binary" in m.headline]

    def judged(count: int, *, tests: bool) -> None:
        made = from_arrays(truth, y_score=score, slices={"part": part % count})
        slice_tables(Tallies(made), requests, tests=tests)

    heading(f"the headline measures of {slices} slices, {n:,} rows")
    one = best_of(lambda: judged(1, tests=False), 2)
    line("one slice", one)
    line(f"{slices} slices, values", best_of(lambda: judged(slices, tests=False), 2), one)
    line(
        f"{slices} slices, each tested against the rest",
        best_of(lambda: judged(slices, tests=True), 1),
        one,
    )
    print("  (here: x one slice)")
