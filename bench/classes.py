"""A thousand classes, 5 million rows: the confusion family, labels as integers and as text."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from bench.timing import best_of, heading, line


def labels(n: int, classes: int) -> tuple[Any, Any]:
    """Truth and predictions that are right three times in four."""
    rng = np.random.default_rng(11)
    truth = rng.integers(0, classes, n)
    predicted = np.where(rng.random(n) < 0.75, truth, rng.integers(0, classes, n))
    return truth, predicted


def ours(truth: Any, predicted: Any) -> Any:
    """heldout's confusion family with a value for each class."""
    import heldout

    card = heldout.score(truth, predicted, intervals=False)
    return card.results(everything=True, per_class=True)


def theirs(truth: Any, predicted: Any) -> Any:
    """scikit-learn's report and matrix."""
    from sklearn.metrics import classification_report, confusion_matrix

    return confusion_matrix(truth, predicted), classification_report(
        truth, predicted, zero_division=0
    )


def run(n: int = 5_000_000, classes: int = 1_000) -> None:
    """Print the section."""
    truth, predicted = labels(n, classes)
    names = np.array([f"class {i:04d}" for i in range(classes)])
    for kind, t, p in (
        ("integers", truth, predicted),
        ("text (NumPy)", names[truth], names[predicted]),
        ("text (Python objects)", names.astype(object)[truth], names.astype(object)[predicted]),
    ):
        heading(f"{classes:,} classes, {n:,} rows, labels as {kind}")
        mine = best_of(partial(ours, t, p), 2)
        line("heldout, all confusion measures, each class", mine)
        line(
            "scikit-learn confusion_matrix + classification_report",
            best_of(partial(theirs, t, p), 1),
            mine,
        )
