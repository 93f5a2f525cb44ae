"""Coverage of the calibration slope and of calibration in the large: plain, weighted, grouped."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

import heldout
from heldout.assess.options import IntervalOptions
from heldout.assess.score_formulas import score_formula
from heldout.core.random import stream
from heldout.measures.kinds import Fit
from heldout.measures.spec import parse_request
from heldout.tally.scores import ScoreCounts
from heldout.uncertainty.interval import Interval, absent
from heldout.uncertainty.quantiles import two_sided_normal
from tools.coverage.cells import SEED, Tally, table

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["calibration_line_section"]

MEASURES = ("calibration_in_the_large", "calibration_slope")
COLUMNS = [f"{m}: {error}" for m in ("in the large", "slope") for error in ("sandwich", "ML")]
SIZES, SAMPLES = (40, 100, 300, 1000), 600
#: groups, samples of them, and one in how many is drawn from as well
GROUPS, GROUPED, DRAWN = (10, 30), 240, 4
WEIGHTED = 400


def logistic(value: Any) -> Any:
    return 1 / (1 + np.exp(-value))


def times(factor: float, shift: float, rng: Any, n: int) -> tuple[Any, Any]:
    """Scores with the logit of the truth times a factor."""
    z = 1.5 * rng.standard_normal(n)
    return logistic(factor * z + shift), logistic(z)


def levels(rng: Any, n: int) -> tuple[Any, Any]:
    score = rng.choice([0.05, 0.2, 0.4, 0.7, 0.9], n)
    return score, logistic(0.7 * np.log(score / (1 - score)) - 0.3)


def bent(rng: Any, n: int) -> tuple[Any, Any]:
    """The truth is no logistic line: it stays between 0.1 and 0.8."""
    score = np.clip(rng.beta(0.7, 1.5, n), 1e-4, 1 - 1e-4)
    return score, 0.1 + 0.7 * score**2


def rare(rng: Any, n: int) -> tuple[Any, Any]:
    """About 2.5 % are positive, the scores have long tails."""
    z = 0.8 * rng.standard_t(4, n) - 4
    return np.clip(logistic(1.5 * z + 2), 1e-9, 1 - 1e-9), logistic(z)


#: score, and the probability of a positive, of each row
PROCESSES: dict[str, Callable[..., tuple[Any, Any]]] = {
    "right": partial(times, 1.0, 0.0),
    "logits halved": partial(times, 0.5, 0.0),
    "logits doubled": partial(times, 2.0, 0.0),
    "logits times 4, and 0.3": partial(times, 4.0, 0.3),
    "five levels": levels,
    "bent": bent,
    "rare, long tails": rare,
}


def calibration_line_section(share: float) -> str:
    """Estimates by maximum likelihood of models that are right and that are not."""
    rows = []
    for name, draw in PROCESSES.items():
        rng = stream(SEED, "coverage", "calibration lines", name)
        truths = _truths(draw, rng)
        for n in SIZES:
            tally = Tally()
            for _ in range(max(20, int(share * SAMPLES))):
                score, chance = draw(rng, n)
                counts = ScoreCounts.of(rng.random(n) < chance, score)
                for measure, true in truths.items():
                    _cover(tally, counts, measure, true)
            cells = [
                tally.text(f"{m} {error}") for m in MEASURES for error in ("sandwich", "likelihood")
            ]
            rows.append([name, str(n), *cells])
    return (
        "## Calibration lines\n\nCalibration in the large and the calibration slope are fitted "
        "by maximum likelihood. The error that it gives (ML) holds only where the fitted line is "
        "the truth, and for calibration in the large that is a slope of 1; the sandwich error "
        "(White 1982; degrees of freedom after Bell and McCaffrey 2002) holds anyway, and is what "
        "heldout gives; that of the slope is no smaller than ML's, as few positives show too "
        f"little of it. {SAMPLES:,} samples: a standard error of 0.9 points. In brackets: samples "
        "whose classes are not apart.\n\n"
        + table(["scores", "n", *COLUMNS], rows)
        + _grouped_text(share)
        + _weighted_text(share)
    )


def _truths(draw: Any, rng: Any) -> dict[str, float]:
    """Both estimates of very many rows, with the chances as weights."""
    score, chance = draw(rng, 400_000)
    both = np.repeat([True, False], len(score)), np.concatenate([score, score])
    counts = ScoreCounts.of(*both, np.concatenate([chance, 1 - chance]))
    return {m: float(parse_request(m).measure(counts)) for m in MEASURES}


def _cover(tally: Tally, counts: ScoreCounts, name: str, true: float) -> None:
    request = parse_request(name)
    value = float(request.measure(counts))
    made = plain = absent("no line", level=0.95)
    if not np.isnan(value):
        made = score_formula(request, counts, IntervalOptions()) or made
        assert isinstance(request.measure.kind, Fit)
        one, other, _ = request.measure.kind.influence(counts)(counts.score)
        variance = float((counts.positives + counts.negatives) @ (-one * other))
        reach = two_sided_normal(0.95) * variance**0.5
        plain = Interval(value - reach, value + reach, 0.95, "maximum likelihood")
    tally.add(f"{name} sandwich", made, true)
    tally.add(f"{name} likelihood", plain, true)


def grouped(rng: Any, groups: int, spread: float, *, of_one_class: bool) -> tuple[Any, ...]:
    """Truth, score and group: groups share a shift of their logits, or have one truth each."""
    sizes = 1 + rng.poisson(rng.gamma(1.5, 5, groups) if spread else np.full(groups, 8.0))
    group = np.repeat(np.arange(groups), sizes)
    z = 1.2 * rng.standard_normal(len(group)) - 0.3
    if of_one_class:
        truth = (rng.random(groups) < 0.4)[group]
        z = 0.8 * (2 * truth - 1) + rng.standard_normal(len(group))
        z += 0.8 * rng.standard_normal(groups)[group]
        return truth.astype(int), logistic(z), group
    shared = rng.standard_normal(groups)[group]
    return (rng.random(len(group)) < logistic(z + shared)).astype(int), logistic(1.5 * z), group


def _grouped_text(share: float) -> str:
    rows = []
    for of_one_class in (False, True):
        for spread in (0.0, 1.0):
            name = "one truth each" if of_one_class else "shift of logits"
            rng = stream(SEED, "coverage", "calibration lines", "groups", name, str(spread))
            draw = partial(grouped, rng, spread=spread, of_one_class=of_one_class)
            truth, score, _ = draw(groups=60_000)
            counts = ScoreCounts.of(truth == 1, score)
            truths = {m: float(parse_request(m).measure(counts)) for m in MEASURES}
            for groups in GROUPS:
                tally = Tally()
                for turn in range(max(10, int(share * GROUPED))):
                    truth, score, group = draw(groups=groups)
                    for kind in ("", "percentile")[: 1 + (turn % DRAWN == 0)]:
                        given = {"interval": kind, "groups": group, "replicates": 150}
                        _cover_card(tally, kind, (truth, score), truths, {**given}, turn)
                sizes = "unequal" if spread else "alike"
                cells = [tally.text(f"{m} {kind}") for m in MEASURES for kind in ("", "percentile")]
                rows.append([name, sizes, str(groups), *cells])
    titles = [f"{m}: {w}" for m in ("in the large", "slope") for w in ("sandwich", "draws")]
    return (
        "\nRows in groups, which share a shift of their logits or have one truth each; about 9 "
        "rows a group. The sandwich error of groups (Liang and Zeger 1986) is what heldout gives; "
        f"*draws* are percentiles of 150 draws of whole groups, stretched, of every fourth sample. "
        f"{GROUPED} samples: a standard error of 1.4 points, of draws three.\n\n"
        + table(["groups share", "sizes", "n", *titles], rows)
    )


def _weighted_text(share: float) -> str:
    rows = []
    for name in ("right", "logits doubled", "bent"):
        rng = stream(SEED, "coverage", "calibration lines", "weights", name)
        draw = PROCESSES[name]
        truths = _truths(draw, rng)  # weights do not depend on the rows
        for spread in (0.5, 1.0):
            tally = Tally()
            for turn in range(max(10, int(share * WEIGHTED))):
                score, chance = draw(rng, 300)
                rows_of = (rng.random(300) < chance).astype(int), score
                given = {"sample_weight": rng.lognormal(0, spread, 300)}
                _cover_card(tally, "", rows_of, truths, given, turn)
            rows.append([name, f"{spread:g}", *(tally.text(f"{m} ") for m in MEASURES)])
    return (
        "\n300 rows with weights whose logarithm spreads so much, unrelated to them. "
        f"{WEIGHTED} samples: a standard error of 1.1 points.\n\n"
        + table(["scores", "spread", "in the large", "slope"], rows)
    )


def _cover_card(
    tally: Tally, kind: str, rows: tuple[Any, Any], truths: dict[str, float], given: Any, turn: int
) -> None:
    truth, score = rows
    card = heldout.score(
        truth, y_score=score, pos_label=1, labels=[0, 1], random_state=turn, **given
    )
    for measure, true in truths.items():
        result = card[measure]
        made = absent(result.note, level=0.95)
        if result.low is not None and result.high is not None and not np.isnan(result.low):
            made = Interval(result.low, result.high, 0.95, result.method)
        tally.add(f"{measure} {kind}", made, true)
