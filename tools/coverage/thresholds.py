"""How honest the corrected value of a chosen threshold is, and what its intervals cover."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.core.random import stream
from heldout.curves.cuts import Cuts, evaluated, threshold_of
from heldout.decisions.rules import Rule, parse_rule, rule_for_cells
from heldout.decisions.thresholds import best_thresholds
from heldout.tally.scores import ScoreCounts
from tools.coverage.cells import SEED, counted, shown, table

if TYPE_CHECKING:
    from numpy.random import Generator


def levels(rng: Generator, truth: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    return rng.binomial(9, np.where(truth, 0.55, 0.4)).astype(float)


#: scores of rows of either class
SCORES: dict[str, Any] = {
    "normal, equal spread": lambda rng, truth: rng.normal(size=len(truth)) + truth,
    "normal, unequal spread": lambda rng, truth: (
        rng.normal(size=len(truth)) * np.where(truth, 2, 1) + truth
    ),
    "skewed (beta)": lambda rng, truth: np.where(
        truth, rng.beta(2, 2, len(truth)), rng.beta(1, 4, len(truth))
    ),
    "ten levels": levels,
    "of no use": lambda rng, truth: rng.random(len(truth)),
}
RULES = {
    "Youden": parse_rule("youden"),
    "F": parse_rule("f_score"),
    "cost 1 : 3": rule_for_cells(((0, 1), (3, 0)), kind="cost"),
}
POSITIVE = 0.3
DRAWS = 200
SAMPLES = 250
#: samples of which only the optimism is taken
TRUE_SAMPLES = 1500
LARGE = 1_000_000


@dataclass(frozen=True, slots=True, eq=False)
class Population:
    """So many rows that the value of any threshold is known."""

    positives: np.ndarray[Any, Any]
    negatives: np.ndarray[Any, Any]

    def value(self, rule: Rule, threshold: float) -> float:
        """What a threshold earns on new rows."""
        tpr, fpr = (
            1 - np.searchsorted(side, threshold, side="left") / len(side)
            for side in (self.positives, self.negatives)
        )
        called = np.array([POSITIVE * tpr]), np.array([(1 - POSITIVE) * fpr])
        return float(rule.goal.value(Cuts.of_called(*called, POSITIVE, 1 - POSITIVE))[0])

    def best(self, rule: Rule) -> float:
        """The threshold that is best in truth."""
        grid = np.unique(np.quantile(np.concatenate([self.positives, self.negatives]), STEPS))
        merit = [rule.goal.merit(np.array([self.value(rule, t)]))[0] for t in grid]
        return float(grid[int(np.argmax(merit))])

    def optimism(
        self, rule: Rule, best: float, draw: Any, rng: Generator, n: int, samples: int
    ) -> float:
        """How much better the threshold that a sample chooses looks there than on new rows.

        Less the luck of the sample at the true best threshold, whose mean is 0: so the mean
        of the rest is surer.
        """
        found = []
        for _ in range(samples):
            truth = rng.random(n) < POSITIVE
            counts = ScoreCounts.of(truth, draw(rng, truth))
            if not counts.has_both:
                continue
            values = evaluated(counts, rule.goal.value)
            cut = int(np.nanargmax(rule.goal.merit(values)))
            # the cut above which scores reach the true best threshold
            fixed = int(np.searchsorted(-counts.score, -best, side="right"))
            looks = float(values[cut]) - self.value(rule, threshold_of(counts, cut))
            found.append(looks - (float(values[fixed]) - self.value(rule, best)))
        return float(np.mean(found))


STEPS = np.linspace(0, 1, 401)


def cover(name: str, n: int, samples: int) -> list[list[str]]:
    """A row of the table for each rule."""
    draw = SCORES[name]
    rng = stream(SEED, "coverage", "thresholds", f"{name} {n}")
    sides = [np.sort(draw(rng, np.full(LARGE, side))) for side in (True, False)]
    known = Population(sides[0], sides[1])
    best = {rule: known.best(RULES[rule]) for rule in RULES}
    found: dict[str, list[tuple[float, ...]]] = {rule: [] for rule in RULES}
    for turn in range(samples):
        truth = rng.random(n) < POSITIVE
        score = draw(rng, truth)
        counts = ScoreCounts.of(truth, score)
        made = best_thresholds(counts, list(RULES.values()), replicates=DRAWS, seed=turn)
        for (title, rule), chosen in zip(RULES.items(), made, strict=True):
            earned, own = chosen.earned[0], chosen.interval
            value = known.value(rule, chosen.threshold)
            limits = earned.interval
            if limits is None or own is None or np.isnan(limits.low):
                continue
            found[title].append(
                (
                    earned.optimism,
                    float(limits.low <= value <= limits.high),
                    limits.high - limits.low,
                    float(own.low <= best[title] <= own.high),
                )
            )
    more = optimism_samples(samples)
    rows = []
    for title, values in found.items():
        true = known.optimism(RULES[title], best[title], draw, rng, n, more)
        estimated, held, width, near = np.mean(values, axis=0)
        sign = RULES[title].goal.request.measure.goodness(1)
        threshold = "" if name == "of no use" else f"{100 * near:.1f}"
        numbers = [f"{sign * true:.3f}", f"{sign * estimated:.3f}", shown(held, width), threshold]
        rows.append([name, str(n), title, *numbers])
    return rows


def optimism_samples(samples: int) -> int:
    """Of how many samples the optimism is taken, which costs less than an interval."""
    return max(20, int(TRUE_SAMPLES * samples / SAMPLES))


def threshold_section(share: float) -> str:
    """Chosen thresholds: optimism, and intervals."""
    samples = max(5, int(share * SAMPLES))
    rows = [row for name in SCORES for n in (60, 300) for row in cover(name, n, samples)]
    titles = ["scores", "n", "best for", "looks better by", "estimated", "earns", "threshold"]
    return (
        "## Chosen thresholds\n\nThe threshold that is best on a sample, 30% of whose rows are "
        "positive. *Looks better by*: what it has on the sample less what it has on new rows, in "
        "the mean (cost: less). *Estimated*: the optimism that heldout takes off, from thresholds "
        "chosen on halves of the rows. *Earns*: the interval of what the threshold earns on new "
        "rows. *Threshold*: how often the interval of the threshold holds the one that is best in "
        f"truth. {DRAWS} draws, {counted(samples, SAMPLES)}; the optimism "
        f"is of {optimism_samples(samples):,} samples. Of few distinct scores it falls faster as "
        "rows grow, and the estimate keeps on the safe side.\n\n" + table(titles, rows)
    )
