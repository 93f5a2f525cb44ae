"""Measure how often intervals cover the truth, and write docs/coverage.md.

``python -m tools.coverage`` takes a few minutes on one core; ``--share 0.1`` takes a tenth of
the simulations and prints the page instead of writing it.
"""

from __future__ import annotations

import argparse
import time
from math import comb, exp, inf, lgamma, log
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.core.random import stream
from karat.core.ratio import mean_of, ratio, square_root
from karat.intervals.auc_bootstrap import auc_jackknife, replicate_auc
from karat.intervals.bootstrap import limits
from karat.intervals.cell_intervals import ConfusionBootstrap
from karat.intervals.cluster_bootstrap import GroupSums
from karat.intervals.delong import delong_interval
from karat.intervals.means import mean_interval
from karat.intervals.newcombe import newcombe_interval
from karat.intervals.proportions import METHODS, proportion_interval
from karat.intervals.quantiles import normal_quantile
from karat.intervals.row_bootstrap import mean_jackknife, replicate_means
from karat.intervals.score_intervals import ScoreBootstrap
from karat.tally.confusion import Confusion
from karat.tally.moments import Moments
from karat.tally.scores import ScoreCounts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from karat.intervals.interval import Interval

__all__ = ["main", "page", "share_section"]

TARGET = Path(__file__).resolve().parent.parent / "docs" / "coverage.md"
SIZES = (20, 100, 1000)
RATES = (0.5, 0.9, 0.99)
SEED = 1
INTRODUCTION = """\
# Coverage of the intervals

How often an interval of nominal level 95 % holds the true value, and how wide it is on average.
Written by `python -m tools.coverage` (seed 1, a few minutes); shares are computed exactly, the
rest is simulated, with a standard error of about one point in the sections on bootstraps.

A cell reads *coverage in per cent* / *mean width*. Coverage below 90 is in bold. Where some of
the samples had no interval, the share that had one follows in brackets.

What follows from it, and is what karat does where nothing else is asked for:

| measure | interval |
|---|---|
| shares (accuracy, recall, precision, ...) | Wilson |
| area under the ROC curve | DeLong on the logit scale; exact where the classes are apart |
| other measures of the confusion table | Bayesian bootstrap of the cells with a pseudo-row |
| other areas and averages over a ranking | Bayesian bootstrap of the scores with a pseudo-row |
| maxima over a ranking (Kolmogorov-Smirnov) | BCa, which covers too rarely all the same |
| means of losses | Student's t |
| anything, where rows come in groups | the same bootstrap, of groups |
"""


class Tally:
    """Hits, widths and how often there was an interval, by name of the method."""

    def __init__(self) -> None:
        self.cells: dict[str, list[float]] = {}

    def add(self, name: str, interval: Interval, truth: float) -> None:
        hits, width, count, asked = self.cells.get(name, [0.0, 0.0, 0.0, 0.0])
        if not interval.is_absent:
            hits, width, count = hits + interval.contains(truth), width + interval.width, count + 1
        self.cells[name] = [hits, width, count, asked + 1]

    def text(self, name: str) -> str:
        hits, width, count, asked = self.cells.get(name, [0.0, 0.0, 0.0, 1.0])
        return shown(hits / count, width / count, count / asked) if count else "none"


def shown(covered: float, width: float, given: float = 1.0) -> str:
    """One cell of a table."""
    rate = f"{100 * covered:.1f}"
    rate = f"**{rate}**" if covered < 0.9 else rate
    few = f" ({100 * given:.0f} %)" if given < 0.995 else ""
    return f"{rate} / {width:.3f}{few}"


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table."""
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows]) + "\n"


def share_section() -> str:
    """Shares: every number of successes, with its probability."""
    head = ["n", "rate", *(title for title, _ in METHODS.values())]
    rows = []
    for n in SIZES:
        made = {m: [proportion_interval(k, n, method=m) for k in range(n + 1)] for m in METHODS}
        for rate in RATES:
            weight = np.array([binomial(k, n, rate) for k in range(n + 1)])
            cells = []
            for intervals in made.values():
                covers = np.array([interval.contains(rate) for interval in intervals])
                widths = np.array([interval.width for interval in intervals])
                cells.append(shown(float(weight @ covers), float(weight @ widths)))
            rows.append([str(n), f"{rate:g}", *cells])
    return "## Shares\n\nExact: the sum over all numbers of successes.\n\n" + table(head, rows)


def binomial(k: int, n: int, rate: float) -> float:
    """The probability of k successes."""
    if n < 100:
        return comb(n, k) * rate**k * (1 - rate) ** (n - k)
    ways = lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1)
    return exp(ways + k * log(rate) + (n - k) * log(1 - rate))


def area_section(share: float) -> str:
    """The area under the ROC curve: scores of two normal distributions."""
    names = ("DeLong, logit", "DeLong, plain", "Newcombe", "bootstrap percentile", "bootstrap BCa")
    rows = []
    for positive in (0.5, 0.1):
        for n in SIZES:
            for area in (0.5, 0.7, 0.9, 0.99):
                rng = stream(SEED, "coverage", "area", f"{n} {area} {positive}")
                tally = Tally()
                for turn in range(max(20, int(share * (2000 if n < 1000 else 600)))):
                    truth = np.arange(n) < n * positive
                    score = rng.normal(size=n) + truth * 2**0.5 * normal_quantile(area)
                    cover_area(tally, ScoreCounts.of(truth, score), area, turn)
                cells = [tally.text(name) for name in names]
                rows.append([f"{100 * positive:g} %", str(n), f"{area:g}", *cells])
    return (
        "## Area under the ROC curve\n\nScores are normal in both classes, with equal variance. "
        "The bootstraps (400 stratified draws) are of every twentieth sample. At 20 rows of which "
        "10 % are positive there are two positive rows.\n\n"
        + table(["positive", "n", "area", *names], rows)
    )


def cover_area(tally: Tally, scores: ScoreCounts, area: float, turn: int) -> None:
    tally.add("DeLong, logit", delong_interval(scores), area)
    tally.add("DeLong, plain", delong_interval(scores, scale="plain"), area)
    positives, negatives = scores.total_positives, scores.total_negatives
    pairs = np.einsum("i,i->", scores.negatives, scores.tp)
    found = float(pairs) / positives / negatives
    tally.add("Newcombe", newcombe_interval(found, positives, negatives), area)
    if turn % 20 == 0:
        rng = stream(turn, "coverage", "area")
        drawn = replicate_auc(scores, replicates=400, rng=rng, stratified=True)
        left = auc_jackknife(scores)
        for kind, name in (("percentile", "percentile"), ("bca", "BCa")):
            made = limits(drawn, found, kind=kind, jackknife=left, bounds=(0, 1))
            tally.add(f"bootstrap {name}", made, area)


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
KINDS = ("bayesian", "percentile", "basic", "bca")


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
        "rate. 1000 draws a table. Where all draws agree, percentile, basic and BCa give way to "
        "the Bayesian bootstrap: without that they would be a point.\n\n"
        + table(["positive", "n", "rate", "measure", *KINDS], rows)
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
    counts: np.ndarray[Any, Any], whole: Confusion, seed: int
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


def loss_section(share: float) -> str:
    """Means of losses: calibrated probabilities from a symmetric beta distribution."""
    names = ("Student's t", "bootstrap percentile", "bootstrap BCa")
    rows = []
    for shape, word in ((2.0, "vague"), (0.5, "fair"), (0.1, "sharp")):
        truths = {
            "log loss": harmonic(2 * shape) - harmonic(shape),
            "Brier": shape / (4 * shape + 2),
        }
        for n in SIZES:
            rng = stream(SEED, "coverage", "loss", f"{shape} {n}")
            tally = Tally()
            for turn in range(max(20, int(share * 3000))):
                chance = np.clip(rng.beta(shape, shape, n), 1e-300, 1 - 1e-16)
                hit = rng.random(n) < chance
                losses = {
                    "log loss": -np.where(hit, np.log(chance), np.log1p(-chance)),
                    "Brier": (chance - hit) ** 2,
                }
                for name, values in losses.items():
                    cover_mean(tally, name, values, truths[name], turn)
            for name in truths:
                cells = [tally.text(f"{name} {method}") for method in names]
                rows.append([word, str(n), name, *cells])
    return (
        "## Means of losses\n\nProbabilities are calibrated and drawn from Beta(a, a): vague "
        "a = 2, fair a = 1/2, sharp a = 1/10. The bootstraps (400 draws of rows) are of every "
        "twentieth sample.\n\n" + table(["model", "n", "loss", *names], rows)
    )


def cover_mean(
    tally: Tally, name: str, values: np.ndarray[Any, Any], truth: float, turn: int
) -> None:
    tally.add(f"{name} Student's t", mean_interval(Moments.of(values), bounds=(0, inf)), truth)
    if turn % 20 == 0:
        drawn = replicate_means(values, replicates=400, rng=stream(turn, "coverage", "loss"))
        for kind, word in (("percentile", "percentile"), ("bca", "BCa")):
            made = limits(drawn, float(values.mean()), kind=kind, jackknife=mean_jackknife(values))
            tally.add(f"{name} bootstrap {word}", made, truth)


def harmonic(value: float) -> float:
    """The harmonic number of any real value, up to a constant: digamma(value + 1)."""
    step, total = value + 1, 0.0
    while step < 20:
        total -= 1 / step
        step += 1
    return total + log(step) - 1 / (2 * step) - 1 / (12 * step**2) + 1 / (120 * step**4)


def average_precision(s: ScoreCounts) -> float:
    found = s.positives / s.total_positives if s.total_positives else np.nan
    return float(np.sum(found * s.tp / (s.tp + s.fp)))


def kolmogorov_smirnov(s: ScoreCounts) -> float:
    if not s.has_both:
        return np.nan
    return float(np.max(s.tp / s.total_positives - s.fp / s.total_negatives))


def ranking_section(share: float) -> str:
    """Measures of a ranking other than the area."""
    rows = []
    measures = {"average precision": average_precision, "Kolmogorov-Smirnov": kolmogorov_smirnov}
    for positive, area in ((0.5, 0.7), (0.5, 0.9), (0.1, 0.9)):
        step = 2**0.5 * normal_quantile(area)
        rng = stream(SEED, "coverage", "ranking", f"{positive} {area}")

        def drawn(
            n: int, rng: Any = rng, positive: float = positive, step: float = step
        ) -> ScoreCounts:
            truth = rng.random(n) < positive
            return ScoreCounts.of(truth, rng.normal(size=n) + step * truth)

        large = drawn(2_000_000)
        truths = [measure(large) for measure in measures.values()]
        for n in (100, 1000):
            tally = Tally()
            for turn in range(max(10, int(share * (150 if n < 1000 else 60)))):
                bootstrap = ScoreBootstrap(drawn(n), replicates=200, seed=turn)
                for kind in KINDS if n < 1000 else KINDS[:3]:
                    both = bootstrap.intervals(
                        lambda s: [measure(s) for measure in measures.values()],
                        kind=kind,
                        bounds=(0, 1),
                    )
                    for name, interval, truth in zip(measures, both, truths, strict=True):
                        tally.add(f"{name} {kind}", interval, truth)
            for name in measures:
                cells = [tally.text(f"{name} {kind}") for kind in KINDS]
                rows.append([f"{100 * positive:g} %", f"{area:g}", str(n), name, *cells])
    return (
        "## Other measures of a ranking\n\nScores as above; 200 draws a sample, and 150 samples "
        "(60 of 1000 rows, without BCa), so that the standard error is two or three points. "
        "Resampling shifts a maximum such as the Kolmogorov-Smirnov distance upwards, and no "
        "method makes good for all of it.\n\n"
        + table(["positive", "area", "n", "measure", *KINDS], rows)
    )


def group_section(share: float) -> str:
    """Rows in groups: the rate of a group varies from group to group."""
    rows = []
    names = ("Wilson, as if rows were independent", "bayesian", "percentile", "bca")
    for groups in (10, 40, 200):
        rng = stream(SEED, "coverage", "groups", str(groups))
        tally = Tally()
        for turn in range(max(20, int(share * 400))):
            right = rng.binomial(10, rng.beta(4, 1, groups))
            codes = np.repeat(np.arange(groups), 10)
            hit = np.arange(10 * groups) % 10 < right[codes]
            truth = np.zeros(10 * groups, np.int64)
            whole = Confusion.of(truth, (~hit).astype(np.int64), classes=2, positive=0)
            sums = GroupSums.of_cells(codes, truth, (~hit).astype(np.int64), whole)
            bootstrap = ConfusionBootstrap.of_groups(whole, sums, replicates=1000, seed=turn)
            tally.add(names[0], proportion_interval(int(right.sum()), 10 * groups), 0.8)
            for kind in names[1:]:
                made = bootstrap.interval(
                    lambda c: ratio(c.correct, c.total), kind=kind, bounds=(0, 1)
                )
                tally.add(kind, made, 0.8)
        rows.append([str(groups), *(tally.text(name) for name in names)])
    return (
        "## Rows in groups\n\nThe accuracy, 0.8 on average, of groups of 10 rows; that of a group "
        "is Beta(4, 1).\n\n" + table(["groups", *names], rows)
    )


def page(share: float = 1.0) -> str:
    """The whole page; ``share`` of the simulations."""
    parts = [INTRODUCTION]
    for section in (
        lambda _: share_section(),
        area_section,
        confusion_section,
        ranking_section,
        loss_section,
        group_section,
    ):
        start = time.perf_counter()
        parts.append(section(share))
        title = parts[-1].splitlines()[0]
        print(f"{title.removeprefix('## ')}: {time.perf_counter() - start:.0f} s", flush=True)
    return "\n".join(parts)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--share", type=float, default=1.0, help="share of the simulations")
    given = parser.parse_args(arguments)
    text = page(given.share)
    if given.share < 1:
        print(text)
    else:
        TARGET.parent.mkdir(exist_ok=True)
        TARGET.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
