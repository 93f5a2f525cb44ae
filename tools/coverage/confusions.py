"""Coverage of measures of the confusion table."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.core.random import stream
from heldout.core.ratio import mean_of, ratio, square_root
from heldout.tally.confusion import Confusion
from heldout.uncertainty.cell_intervals import ConfusionBootstrap
from tools.coverage.cells import KINDS, RATES, SEED, SIZES, Tally, table

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from heldout.uncertainty.interval import Interval

__all__ = ["class_text", "confusion_section"]


def f_score(c: Confusion) -> Any:
    return ratio(2 * c.binary.tp, 2 * c.binary.tp + c.binary.fp + c.binary.fn)


def kappa(c: Confusion) -> Any:
    total = np.asarray(c.total, float)
    chance = ratio((c.actual * 1.0 * c.chosen).sum(axis=-1), total * total)
    return ratio(ratio(c.correct, total) - chance, 1 - chance)


def matthews(c: Confusion) -> Any:
    tp, fp, fn, tn = (
        np.asarray(field, float) for field in (c.binary.tp, c.binary.fp, c.binary.fn, c.binary.tn)
    )
    return ratio(tp * tn - fp * fn, square_root((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)))


def balanced_accuracy(c: Confusion) -> Any:
    b = c.binary
    return mean_of(ratio(b.tp, b.positives), ratio(b.tn, b.negatives))


COUNTED: dict[str, tuple[Callable[[Confusion], Any], tuple[float, float]]] = {
    "F1": (f_score, (0, 1)),
    "kappa": (kappa, (-1, 1)),
    "Matthews": (matthews, (-1, 1)),
    "balanced accuracy": (balanced_accuracy, (0, 1)),
}


#: classes, rows, recall of each class (of others alike), and the shares of classes
CLASSES = (
    (3, 60, (0.95, 0.8), "even"),
    (5, 150, (0.9, 0.98), "even"),
    (10, 200, (0.97, 0.97), "even"),
    (10, 1000, (0.99, 0.95), "falling"),
    (20, 400, (0.95, 0.98), "even"),
    (20, 849, (0.03, 0.9), "even"),
)
CLASS_SAMPLES = 300


def _of_class(measure: Callable[[Confusion], Any], place: int, c: Confusion) -> Any:
    return measure(c.against_rest(place))


def class_text(share: float) -> str:
    """Measures of one class among several: by its own table, and by draws of all cells."""
    rows = []
    for classes, n, (first, second), sizes in CLASSES:
        often = np.ones(classes) if sizes == "even" else 1 / np.arange(1, classes + 1)
        recall = np.where(np.arange(classes) % 2 == 0, first, second)
        cells = (1 - recall[:, None]) * np.ones(classes) / (classes - 1)
        cells[np.arange(classes), np.arange(classes)] = recall
        cells *= (often / often.sum())[:, None]
        whole = Confusion.from_matrix(np.rint(cells * 1e9).astype(np.int64))
        rng = stream(SEED, "coverage", "classes", f"{classes} {n} {first}")
        tally = Tally()
        for turn in range(max(10, int(share * CLASS_SAMPLES))):
            found = Confusion.from_matrix(rng.multinomial(n, cells.ravel()).reshape(cells.shape))
            together = ConfusionBootstrap.of(found, replicates=1000, seed=turn)
            for place in (0, 1):
                alone = ConfusionBootstrap.of(found.against_rest(place), replicates=1000, seed=turn)
                for name in ("F1", "Matthews"):
                    measure, bounds = COUNTED[name]
                    true = float(measure(whole.against_rest(place)))
                    if np.isnan(measure(found.against_rest(place))):
                        continue
                    tally.add(f"{name} {place} own", alone.interval(measure, bounds=bounds), true)
                    of_class = partial(_of_class, measure, place)
                    made = together.interval(of_class, bounds=bounds)
                    tally.add(f"{name} {place} all", made, true)
        for place, own in ((0, first), (1, second)):
            texts = [f"{m} {place} {way}" for m in ("F1", "Matthews") for way in ("own", "all")]
            head = [str(classes), sizes, str(n), f"{own:g}"]
            rows.append([*head, *(tally.text(text) for text in texts)])
    titles = [f"{m}, {way}" for m in ("F1", "Matthews") for way in ("own table", "all cells")]
    return (
        "\nOne class among several, with its recall; rows of a class that are wrong go to all "
        "others alike. Its *own table* is that of the class and the rest, with a pseudo-row of its "
        "own: what heldout gives, and the same as of two classes. With draws of *all cells* a "
        "class has one part in so many classes of the pseudo-row, which does not cover. "
        f"{CLASS_SAMPLES} samples: a standard error of 1.3 points.\n\n"
        + table(["classes", "sizes", "n", "recall", *titles], rows)
    )


def confusion_section(share: float) -> str:
    """Measures of the confusion table: recall and specificity are the rate."""
    rows = []
    for positive in (0.5, 0.1):
        for n in SIZES:
            for rate in RATES:
                tally = cover_tables(positive, n, rate, max(20, int(share * 400)))
                for name in COUNTED:
                    cells = [tally.text(f"{name} {kind}") for kind in KINDS]
                    rows.append([f"{100 * positive:g} %", str(n), f"{rate:g}", name, *cells])
    return (
        "## Measures of the confusion table\n\nTwo classes; recall and specificity are both the "
        "rate. 1000 draws a table. Where most draws agree, percentile, basic and BCa give way to "
        "the Bayesian bootstrap: without that they would be a point.\n\n"
        + table(["positive", "n", "rate", "measure", *KINDS], rows)
        + class_text(share)
    )


def cover_tables(positive: float, n: int, rate: float, turns: int) -> Tally:
    side = np.array([[rate, 1 - rate], [1 - rate, rate]])
    share = side * np.array([[positive], [1 - positive]])
    whole = Confusion.from_matrix(np.rint(share * 1e6).astype(np.int64), positive=0)
    rng = stream(SEED, "coverage", "confusion", f"{positive} {n} {rate}")
    known: dict[tuple[int, ...], list[tuple[str, Interval, float]]] = {}
    tally = Tally()
    for _ in range(turns):
        counts = rng.multinomial(n, share.ravel())
        key = tuple(counts.tolist())
        if key not in known:
            known[key] = table_intervals(counts, whole, seed=len(known))
        for name, interval, truth in known[key]:
            tally.add(name, interval, truth)
    return tally


def table_intervals(
    counts: NDArray[Any], whole: Confusion, seed: int
) -> list[tuple[str, Interval, float]]:
    # all four cells, also where some are empty
    found = Confusion(2, np.arange(4), counts, 0, int(counts.sum()))
    bootstrap = ConfusionBootstrap.of(found, replicates=1000, seed=seed)
    return [
        (
            f"{name} {kind}",
            bootstrap.interval(measure, kind=kind, bounds=bounds),
            float(measure(whole)),
        )
        for kind in KINDS
        for name, (measure, bounds) in COUNTED.items()
    ]
