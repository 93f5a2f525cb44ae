"""The audit of two tables of a million rows, with copies of all kinds, and beside heldout score."""

from __future__ import annotations

import resource
import time
from typing import Any

import numpy as np

from bench.timing import best_of_each, heading, line


def tables(rows: int, columns: int, copies: int) -> tuple[Any, Any]:
    """Two tables; rows of the second are rows of the first: as they are, with noise, changed."""
    from heldout.datasets.dataset import Dataset, Feature

    rng = np.random.default_rng(1)
    sides = []
    first = [rng.normal(size=rows) for _ in range(columns)]
    second = [rng.normal(size=rows) for _ in range(columns)]
    for number, (ours, theirs) in enumerate(zip(first, second, strict=True)):
        theirs[: 4 * copies] = ours[: 4 * copies]
        theirs[copies : 2 * copies] += rng.uniform(-0.005, 0.005, copies)
        changed = 2 * copies + np.arange(copies)
        theirs[changed[changed % columns == number]] += 1
        theirs[3 * copies : 4 * copies] = theirs[3 * copies : 4 * copies].round(1)
    for made in (first, second):
        truth = rng.integers(0, 2, rows)
        features = tuple(Feature(f"x{i}", values) for i, values in enumerate(made))
        sides.append(Dataset("made", "binary", truth, features, classes=("no", "yes")))
    return sides[0], sides[1]


def run(rows: int = 1_000_000, columns: int = 50, copies: int = 1000) -> None:
    """Print the section."""
    from heldout.auditing.check import all_checks
    from heldout.auditing.material import Material

    heading(f"the audit of two tables of {rows:,} rows x {columns} columns")
    train, test = tables(rows, columns, copies)
    material = Material(train=train, test=test)
    checks = {check.code: check for check in all_checks()}
    names = {
        "K01": "exact copies",
        "K02": "near copies (noise, a changed value, rounded)",
        "K05": "telling columns",
        "K06": "preparation",
    }
    for code, name in names.items():
        start = time.perf_counter()
        found = checks[code].findings(material)
        taken = time.perf_counter() - start
        rows_of = ", ".join(finding.seen.split(" of ")[0] for finding in found) or "none"
        line(f"{name}: {rows_of}", taken)
    start = time.perf_counter()
    for code in checks.keys() - names.keys():
        checks[code].findings(material)
    line("all other checks", time.perf_counter() - start)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(f"  peak memory, data included: {peak:.2f} GiB", flush=True)
    _beside_score(rows)


def _beside_score(rows: int) -> None:
    """What the audit adds to the headline measures of two classes."""
    from heldout.auditing.audit import audited
    from heldout.auditing.material import material_of_scorecard
    from heldout.predictions.arrays import from_arrays

    rng = np.random.default_rng(2)
    truth = rng.integers(0, 2, rows)
    score = rng.random(rows) * 0.8 + 0.2 * truth

    def judged(*, is_audited: bool) -> None:
        import heldout

        card = heldout.score(from_arrays(truth, y_score=score, pos_label=1))
        card.results()
        if is_audited:
            audited(material_of_scorecard(card, most_values=2_000_000))

    heading(f"the audit inside of heldout score, {rows:,} rows")
    taken = best_of_each(
        {
            "headline measures": lambda: judged(is_audited=False),
            "headline measures and audit": lambda: judged(is_audited=True),
        },
        5,
    )
    for name, seconds in taken.items():
        line(name, seconds, taken["headline measures"], unit="x without")
