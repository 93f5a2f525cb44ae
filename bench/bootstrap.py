"""Bootstrap replicates: of all confusion measures, and of the AUC."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from bench.binary import rows
from bench.timing import best_of, best_of_each, heading, line

#: replicates of the slow ones that are timed; the rest is their multiple
FEW = 3
#: replicates that heldout is timed with
MANY = 10_000


def confusion_replicates(truth: Any, label: Any, replicates: int) -> Any:
    """All confusion measures of bootstrap replicates of the counts."""
    from heldout.core.random import generator
    from heldout.measures.registry import measures
    from heldout.tally.confusion import Binary, Confusion
    from heldout.uncertainty.cells import Cells

    counts = Confusion.of(truth, label, classes=2, positive=1)
    drawn = Cells.of_counts(counts).draw(replicates, generator(1))
    found = []
    for measure in measures("binary"):
        given = {p.name: p.default for p in measure.parameters}
        if None in given.values() or not measure.has_interval:
            continue
        if measure.needs == (Binary,):
            found.append(measure(drawn.binary, **given))
        elif measure.needs == (Confusion,):
            found.append(measure(drawn, **given))
    return found


def confusion_section(truth: Any, label: Any) -> None:
    """heldout's draws of cells beside a loop of resampled rows over scikit-learn."""
    from sklearn.metrics import accuracy_score, f1_score, matthews_corrcoef

    n = len(truth)
    heading(f"{MANY:,} replicates of all confusion measures, {n:,} rows")
    count = len(confusion_replicates(truth, label, 20))
    ours = best_of(lambda: confusion_replicates(truth, label, MANY), 4)
    line(f"heldout, {count} measures, draws of cells", ours)
    rng = np.random.default_rng(1)

    def resampled() -> None:
        for _ in range(FEW):
            drawn = rng.integers(0, n, n)
            t, p = truth[drawn], label[drawn]
            accuracy_score(t, p), f1_score(t, p), matthews_corrcoef(t, p)

    loop = best_of(resampled, 1) / FEW * MANY
    line(f"scikit-learn, 3 measures (extrapolated from {FEW} replicates)", loop, ours)


def auc_replicates(truth: Any, score: Any, replicates: int) -> Any:
    """The AUC with its percentile interval, the scoring of the rows included."""
    import heldout

    card = heldout.score(
        truth, y_score=score, pos_label=1, interval="percentile", replicates=replicates
    )
    return card["auc"]


def auc_section(t: Any, s: Any) -> None:
    """A replicate of the AUC in heldout and its peers, and DeLong's interval."""
    from scipy.stats import bootstrap
    from sklearn.metrics import roc_auc_score

    heading(f"one bootstrap replicate of the AUC, {len(t):,} rows")
    rng = np.random.default_rng(1)

    def resampled() -> None:
        for _ in range(FEW):
            drawn = rng.integers(0, len(t), len(t))
            roc_auc_score(t[drawn], s[drawn])

    def with_scipy() -> None:
        bootstrap(
            (t, s), roc_auc_score, paired=True, vectorized=False, n_resamples=FEW,
            method="percentile", rng=rng,
        )  # fmt: skip

    works = {
        "scikit-learn roc_auc_score on resampled rows": resampled,
        "scipy.stats.bootstrap of roc_auc_score": with_scipy,
    }
    interval_of = _confidenceinterval()
    if interval_of is not None:
        works["confidenceinterval roc_auc_score, bootstrap"] = partial(
            interval_of, t, s, method="bootstrap_percentile", n_resamples=FEW
        )
    ours = best_of(lambda: auc_replicates(t, s, 1_000), 4) / 1_000
    line("heldout.score with a percentile interval (mean of 1,000)", ours)
    for name, seconds in best_of_each(works, 3).items():
        line(f"{name} (mean of {FEW})", seconds / FEW, ours)
    heading(f"the AUC with DeLong's interval, {len(t):,} rows")
    ours = best_of(lambda: delong(t, s), 5)
    line("heldout", ours)
    if interval_of is not None:
        line("confidenceinterval roc_auc_score", best_of(lambda: interval_of(t, s), 2), ours)


def delong(truth: Any, score: Any) -> Any:
    """heldout's AUC with its default interval."""
    import heldout

    return heldout.score(truth, y_score=score)["auc"]


def _confidenceinterval() -> Any:
    try:
        from confidenceinterval import roc_auc_score
    except ImportError:
        print("  (the confidenceinterval package is not installed: not compared)")
        return None
    return roc_auc_score


def run(n: int = 5_000_000, small: int = 100_000) -> None:
    """Print the section."""
    truth, score = rows(n)
    confusion_section(truth, (score >= 0.5).astype(np.int64))
    auc_section(truth[:small], score[:small])
