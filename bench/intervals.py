"""Intervals: the full scorecard, replicates of counts, replicates of the AUC."""

from __future__ import annotations

from typing import Any

import numpy as np

from bench.binary import everything, rows, scikit_learn
from bench.timing import best_of, heading, line

__all__ = ["run"]

#: replicates of scikit-learn's loop that are timed, the rest is their multiple
FEW = 3


def confusion_replicates(truth: Any, label: Any, replicates: int) -> Any:
    """All confusion measures of bootstrap replicates of the counts."""
    from karat.core.random import generator
    from karat.intervals.confusion_bootstrap import draw_confusions
    from karat.measures.catalogue import measures
    from karat.tally.confusion import Binary, Confusion

    counts = Confusion.of(truth, label, classes=2, positive=1)
    drawn = draw_confusions(counts, replicates=replicates, rng=generator(1))
    found = []
    for measure in measures("binary"):
        given = {p.name: p.default for p in measure.parameters}
        if None in given.values() or measure.interval == "none":
            continue
        if measure.needs == (Binary,):
            found.append(measure(drawn.binary, **given))
        elif measure.needs == (Confusion,):
            found.append(measure(drawn, **given))
    return found


def auc_replicates(truth: Any, score: Any, replicates: int) -> Any:
    """Bootstrap replicates of the AUC."""
    from karat.core.random import generator
    from karat.intervals.auc_bootstrap import replicate_auc
    from karat.tally.scores import ScoreCounts

    counts = ScoreCounts.of(truth == 1, score)
    return replicate_auc(counts, replicates=replicates, rng=generator(1))


def run(n: int = 5_000_000) -> None:
    """Print the section."""
    from sklearn.metrics import accuracy_score, f1_score, matthews_corrcoef, roc_auc_score

    truth, score = rows(n)
    label = (score >= 0.5).astype(np.int64)
    heading(f"every measure with its interval, {n:,} rows")
    ours = best_of(lambda: everything(truth, score, intervals=True), 2)
    line("karat, all measures, all default intervals", ours)
    total = sum(best_of(work, 1) for work in scikit_learn(truth, score).values())
    line("scikit-learn, its eight functions, no interval", total, ours)

    heading(f"10,000 replicates of all confusion measures, {n:,} rows")
    confusion_replicates(truth, label, 20)
    ours = best_of(lambda: confusion_replicates(truth, label, 10_000), 2)
    line("karat, draws of cells", ours)
    rng = np.random.default_rng(1)

    def resampled() -> None:
        for _ in range(FEW):
            drawn = rng.integers(0, n, n)
            t, p = truth[drawn], label[drawn]
            accuracy_score(t, p), f1_score(t, p), matthews_corrcoef(t, p)

    loop = best_of(resampled, 1) / FEW * 10_000
    line("scikit-learn, 3 measures (extrapolated from 3 replicates)", loop, ours)

    small = 100_000
    heading(f"one bootstrap replicate of the AUC, {small:,} rows")
    t, s = truth[:small], score[:small]
    ours = best_of(lambda: auc_replicates(t, s, 200), 2) / 200
    line("karat", ours)

    def theirs() -> None:
        for _ in range(FEW):
            drawn = rng.integers(0, small, small)
            roc_auc_score(t[drawn], s[drawn])

    line("scikit-learn roc_auc_score on resampled rows", best_of(theirs, 2) / FEW, ours)
    from scipy.stats import bootstrap

    made = best_of(
        lambda: bootstrap(
            (t, s), roc_auc_score, paired=True, vectorized=False,
            n_resamples=FEW, method="percentile", rng=rng,
        ), 1,
    )  # fmt: skip
    line("scipy.stats.bootstrap of roc_auc_score", made / FEW, ours)
    try:
        from confidenceinterval import roc_auc_score as interval_of
    except ImportError:
        print("  (the confidenceinterval package is not installed: not compared)")
        return
    line(
        "confidenceinterval roc_auc_score (DeLong, not a bootstrap)",
        best_of(lambda: interval_of(t, s), 1),
        ours,
    )
