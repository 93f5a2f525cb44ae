"""How cost grows: with the rows n log n at most, with folds, slices and data sets in a line."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np

import heldout
from bench.binary import everything, rows
from bench.timing import best_of, heading
from heldout.comparison.over_sets.signed_ranks import pseudomedian

#: rows in each fold or slice
EACH = 10


def run(largest: int = 10_000_000, parts: int = 4_000) -> None:
    """Print time a row, and time a row divided by log n, from ten thousand rows up; then parts."""
    heading("growth: every measure of two classes")
    print(f"  {'rows':>12}{'ms':>12}{'ns a row':>12}{'ns / (row log2 n)':>20}")
    n = 10_000
    while n <= largest:
        truth, score = rows(n)
        seconds = best_of(partial(everything, truth, score))
        each = seconds / n * 1e9
        print(
            f"  {n:>12,}{seconds * 1000:>12.1f}{each:>12.1f}{each / math.log2(n):>20.2f}",
            flush=True,
        )
        n *= 10
    heading("growth: the usual measures by folds and slices, the middle over data sets")
    print(f"  {'of':>12}{'number':>12}{'ms':>12}{'us each':>12}")
    for number in (parts // 16, parts // 4, parts):
        for kind, work in (("folds", _folds), ("slices", _slices), ("data sets", _sets)):
            seconds = best_of(partial(work, number))
            print(
                f"  {kind:>12}{number:>12,}{seconds * 1000:>12.1f}{seconds / number * 1e6:>12.1f}",
                flush=True,
            )


def _folds(number: int) -> Any:
    truth, score = rows(EACH * number)
    folds = np.arange(EACH * number) % number
    return heldout.score(truth, y_score=score, pos_label=1, folds=folds).results()


def _slices(number: int) -> Any:
    truth, score = rows(EACH * number)
    slices = {"s": np.arange(EACH * number) % number}
    return heldout.score(truth, y_score=score, pos_label=1, slices=slices).results()


def _sets(number: int) -> float:
    return pseudomedian(np.random.default_rng(1).normal(size=number))
