"""Tests on one test set: models of equal quality, alike or unlike, and two that differ."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

import heldout
from heldout.comparison.compare import compare

if TYPE_CHECKING:
    from collections.abc import Iterator

TESTS = (
    ("accuracy", "mcnemar", "exact McNemar"),
    ("accuracy", "mcnemar-midp", "mid-p McNemar"),
    ("accuracy", "mcnemar-normal", "McNemar, normal approximation"),
    ("accuracy", "mcnemar-corrected", "McNemar, continuity corrected"),
    ("accuracy", "permutation", "paired permutation, accuracy"),
    ("f_score", "delta", "delta method, F-score"),
    ("f_score", "permutation", "paired permutation, F-score"),
    ("auc", "delong", "DeLong, AUC"),
    ("brier_score", "loss-t", "paired t of rows, Brier score"),
    ("accuracy", "independent", "z test as if the rows were different (refused)"),
)


def row_section(simulations: int) -> Iterator[str]:
    """A row a test: false alarms at 50 and 200 rows, power at 200."""
    yield "## One test set\n"
    yield (
        "Two models whose scores share half of their noise. No difference: both have the same "
        "signal. A difference: the second has three quarters of it (about 6 points of accuracy).\n"
    )
    yield "| test | false alarms, 50 rows | false alarms, 200 rows | power, 200 rows |"
    yield "|---|---:|---:|---:|"
    shares = [_shares(simulations, rows, weaker) for rows, weaker in SETTINGS]
    for place, (_, _, title) in enumerate(TESTS):
        yield f"| {title} | " + " | ".join(f"{100 * made[place]:.1f}" for made in shares) + " |"
    yield ""


SETTINGS = ((50, 1.0), (200, 1.0), (200, 0.75))


def _shares(simulations: int, rows: int, weaker: float) -> Any:
    rng = np.random.default_rng(rows + int(100 * weaker))
    found = np.zeros(len(TESTS))
    for _ in range(simulations):
        two = _models(rng, rows, weaker)
        for place, (measure, test, _) in enumerate(TESTS):
            made = compare(
                *two,
                measures=measure,
                test=test,
                unpaired=test == "independent",
                replicates=100,
                permutations=400,
            )
            found[place] += made[measure].p_value <= 0.05
    return found / simulations


def _models(rng: Any, rows: int, weaker: float) -> tuple[Any, Any]:
    truth = np.r_[0, 1, (rng.random(rows - 2) < 0.4).astype(int)]
    shared = rng.normal(size=rows)
    made = []
    for name, signal in (("a", 1.6), ("b", 1.6 * weaker)):
        noise = np.sqrt(0.5) * shared + np.sqrt(0.5) * rng.normal(size=rows)
        score = 1 / (1 + np.exp(-(signal * (truth - 0.5) + noise)))
        made.append(heldout.from_arrays(truth, y_score=score, pos_label=1, model=name))
    return made[0], made[1]


def unlike_section(simulations: int) -> Iterator[str]:
    """A row a scene: how often models of one value, but unlike otherwise, are told apart."""
    yield "## Unlike models of one value\n"
    yield (
        "Models whose true value of the measure is the same, but which reach it in other ways: one "
        "names far fewer rows positive (all of them positive for the other model, too, or "
        "whichever), or ranks some positives first and the rest at random. Exchanging predictions "
        "asks whether the models are alike, which they are not. *Covers*: how often the 95 % "
        f"interval of the delta method holds 0. {simulations:,} simulations a line.\n"
    )
    yield "| measure | models | rows | delta method (default) | paired permutation | covers |"
    yield "|---|---|---:|---:|---:|---:|"
    for measure, title, drawn, rows in SCENES:
        rng = np.random.default_rng(rows)
        found = np.zeros(3)
        for _ in range(simulations):
            two = drawn(rng, rows)
            made = compare(*two, measures=measure, test="delta")[measure]
            asked: dict[str, Any] = {
                "measures": measure,
                "test": "permutation",
                "permutations": 200,
            }
            exchanged = compare(*two, **asked)[measure]
            holds = made.interval.is_absent or made.interval.contains(0.0)
            found += [made.p_value <= 0.05, exchanged.p_value <= 0.05, holds]
        shares = " | ".join(f"{100 * count / simulations:.1f}" for count in found)
        yield f"| {measure} | {title} | {rows} | {shares} |"
    yield ""


def _called(of_one: float, of_two: float, precision: float, is_nested: bool) -> Any:
    """Two models that name such shares of the rows positive, equally many of them rightly."""

    def drawn(rng: Any, rows: int) -> tuple[Any, Any]:
        while True:
            place = rng.random(rows)
            one = place < of_one
            two = place < of_two if is_nested else rng.random(rows) < of_two
            truth = rng.random(rows) < np.where(one | two, precision, 0.15)
            if one.any() and two.any() and 0 < truth.sum() < rows:
                break
        given: dict[str, Any] = {"pos_label": 1}
        first, second = (
            heldout.from_arrays(truth.astype(int), own.astype(int), model=name, **given)
            for own, name in ((one, "a"), (two, "b"))
        )
        return first, second

    return drawn


def _ranked(rng: Any, rows: int) -> tuple[Any, Any]:
    """A model that knows some positives well, and one that knows all of them a little."""
    truth = np.r_[0, 0, 1, 1, (rng.random(rows - 4) < 0.3).astype(int)]
    known = (truth == 1) & (rng.random(rows) < KNOWN)
    scores = np.where(known, 3.0, 0.0), 1.2 * truth
    first, second = (
        heldout.from_arrays(truth, y_score=own + rng.normal(size=rows), pos_label=1, model=name)
        for own, name in zip(scores, "ab", strict=True)
    )
    return first, second


#: the share of positives that make the average precisions of both models 0.601
KNOWN = 0.414
NESTED, ANY = _called(0.05, 0.35, 0.7, True), _called(0.1, 0.4, 0.5, False)
SCENES = (
    *(("precision", "5% and 35% called positive, nested", NESTED, n) for n in (60, 200, 800)),
    *(("precision", "10% and 40%, whichever", ANY, n) for n in (60, 200, 800)),
    *(("average_precision", "some positives known, all a little", _ranked, n) for n in (60, 200)),
)
