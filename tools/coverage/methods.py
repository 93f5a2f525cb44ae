"""Methods of intervals beside each other, as ``interval=`` offers them."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import heldout
from heldout.core.random import stream
from tools.coverage.cells import SEED, Tally, counted, table
from tools.coverage.processes import TUNING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tools.coverage.processes import Process

SAMPLES, LARGE = 300, 1_000_000
AREAS = ("delong", "delong_plain", "newcombe", "percentile", "bca")
RESAMPLED = ("bayesian", "percentile", "basic", "bca")
#: measures with the methods that are tried on them
TRIED = {
    "auc": AREAS,
    "f_score": RESAMPLED,
    "mcc": RESAMPLED,
    "balanced_accuracy": RESAMPLED,
    "average_precision": RESAMPLED,
}
#: the first four processes of the tuning set: normal scores, few and many positives and rows
PROCESSES = TUNING[:4]


def method_section(share: float) -> str:
    """One table for each group of methods that can be asked for."""
    samples = max(10, int(share * SAMPLES))
    tallies = {process: _tally(process, samples) for process in PROCESSES}
    text = (
        "## Methods beside each other\n\nProcesses of the tuning set. 400 draws for each bootstrap "
        f"and {counted(samples, SAMPLES)}. Where most draws agree, "
        "percentile, basic and BCa give way to random weights: they would be a point.\n"
    )
    for methods in (AREAS, RESAMPLED):
        rows = [
            [process.name, measure, *(tally.text(f"{measure} {m}") for m in methods)]
            for process, tally in tallies.items()
            for measure, own in TRIED.items()
            if own == methods
        ]
        text += "\n" + table(["process", "measure", *methods], rows)
    return text


def _tally(process: Process, samples: int) -> Tally:
    rng = stream(SEED, "coverage", "methods", process.name)
    population = heldout.score(**process.draw(rng, LARGE), intervals=False)
    tally = Tally()
    for _ in range(samples):
        rows = process.draw(rng, process.rows)
        for method in dict.fromkeys((*AREAS, *RESAMPLED)):
            card = heldout.score(**rows, interval=method, replicates=400)
            of_method = partial(_is_tried, method)
            for measure in filter(of_method, TRIED):
                result = card[measure]
                low, high = result.low, result.high
                limits = None if low is None or high is None else (low, high)
                tally.add(f"{measure} {method}", limits, population[measure].value)
    return tally


def _is_tried(method: str, measure: str) -> bool:
    methods: Sequence[str] = TRIED[measure]
    return method in methods
