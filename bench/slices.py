"""A hundred slices beside one."""

from __future__ import annotations

import numpy as np

from bench.binary import rows
from bench.timing import best_of_each, heading, line


def run(n: int = 5_000_000, slices: int = 100) -> None:
    """Print the section."""
    from heldout.assess.slices import slice_tables
    from heldout.engines.memory import Tallies
    from heldout.measures.registry import measures
    from heldout.measures.spec import Request
    from heldout.predictions.arrays import from_arrays

    truth, score = rows(n)
    part = np.random.default_rng(3).integers(0, slices, n)
    requests = [Request(m) for m in measures("binary") if "binary" in m.headline]

    def judged(count: int, *, tests: bool) -> None:
        made = from_arrays(truth, y_score=score, slices={"part": part % count})
        slice_tables(Tallies(made), requests, tests=tests)

    heading(f"the headline measures of {slices} slices, {n:,} rows")
    taken = best_of_each(
        {
            "one slice": lambda: judged(1, tests=False),
            f"{slices} slices, values": lambda: judged(slices, tests=False),
            f"{slices} slices, each tested against the rest": lambda: judged(slices, tests=True),
        },
        4,
    )
    for name, seconds in taken.items():
        line(name, seconds, taken["one slice"], unit="x one slice")
