"""Tests after splits that cut groups of rows, or keep them whole: two learners of equal quality."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

import heldout
from heldout.comparison.compare import compare

if TYPE_CHECKING:
    from collections.abc import Iterator

GROUPS, SIZE, FEATURES = 40, 6, 3
ROWS = GROUPS * SIZE
OF_ROW = np.repeat(np.arange(GROUPS), SIZE)
#: repeats and folds; of no folds there are holdouts of 30%
DESIGNS = {"10 folds": (1, 10), "5 x 10 folds": (5, 10), "20 holdouts of 30%": (20, 0)}
MEASURES = ("accuracy", "auc")
NEAREST = 5


def cut_section(simulations: int) -> Iterator[str]:
    """A row a design: false alarms of the corrected t, and of the test that heeds groups."""
    yield "## Splits that cut groups\n"
    yield (
        f"Learners on {FEATURES} features each, {GROUPS} groups of {SIZE} rows, whose truth and "
        "four fifths of the features' noise are those of the group: nearest centroids, and five "
        "nearest neighbours, which know groups by heart. Both of a pair see other features of "
        "equal signal. Splits of rows have rows of a group on both sides; splits of groups keep "
        "them whole.\n"
    )
    lead = "| learners | splits | measure | corrected t, splits of rows (refused)"
    yield f"{lead} | `group-t`, splits of rows | corrected t, splits of groups |"
    yield "|---|---|---|---:|---:|---:|"
    for learner, (name, (repeats, folds)) in product(LEARNERS, DESIGNS.items()):
        rng = np.random.default_rng(17)
        found = np.zeros((len(MEASURES), 3))
        for _ in range(simulations):
            truth, parts = _data(rng)
            learners = [LEARNERS[learner](part, truth) for part in parts]
            cut = _models(rng, truth, learners, (repeats, folds), is_whole=False)
            whole = _models(rng, truth, learners, (repeats, folds), is_whole=True)
            forced = {"test": "corrected-t", "force": True}
            for at, (two, how) in enumerate(((cut, forced), (cut, {}), (whole, {}))):
                for place, measure in enumerate(MEASURES):
                    found[place, at] += _is_alarm(two, measure, how)
        for measure, counts in zip(MEASURES, found, strict=True):
            shares = " | ".join(f"{100 * count / simulations:.1f}" for count in counts)
            yield f"| {learner} | {name} | {measure} | {shares} |"
    yield ""


def _is_alarm(two: Any, measure: str, how: Any) -> bool:
    return bool(compare(*two, measures=measure, **how)[measure].p_value <= 0.05)


def _data(rng: Any) -> tuple[Any, list[Any]]:
    truth = rng.permutation(np.arange(GROUPS) % 2)[OF_ROW]
    parts = []
    for _ in range(2):
        own = rng.normal(size=(GROUPS, FEATURES))[OF_ROW]
        noise = np.sqrt(0.8) * own + np.sqrt(0.2) * rng.normal(size=(ROWS, FEATURES))
        parts.append(0.5 * (2 * truth[:, None] - 1) + noise)
    return truth, parts


def _models(
    rng: Any, truth: Any, learners: Any, shape: tuple[int, int], *, is_whole: bool
) -> list[Any]:
    """The predictions of both learners in the same splits."""
    repeats, folds = shape
    splits = [s for _ in range(repeats) for s in _splits(rng, truth, folds, is_whole)]
    rows = np.concatenate([np.flatnonzero(test) for test in splits])
    sizes = [int(test.sum()) for test in splits]
    place = np.repeat(np.arange(len(splits)), sizes)
    given: dict[str, Any] = {
        "pos_label": 1,
        "groups": OF_ROW[rows],
        "repeats": place // max(folds, 1),
    }
    if folds:
        given["folds"] = place % folds
    made = []
    for name, learner in zip("ab", learners, strict=True):
        score = np.concatenate([learner(test) for test in splits])
        p = heldout.from_arrays(truth[rows], y_score=score, model=name, **given)
        share = 1 / (folds - 1) if folds else 3 / 7
        made.append(replace(p, design=replace(p.design, test_share=share)))
    return made


def _splits(rng: Any, truth: Any, folds: int, is_whole: bool) -> list[Any]:
    """The tested rows of each split; classes are dealt out evenly."""
    units = np.arange(GROUPS) if is_whole else np.arange(ROWS)
    of_row = OF_ROW if is_whole else units
    label = truth[::SIZE] if is_whole else truth
    place = np.empty(len(units), int)
    for value in (0, 1):
        own = np.flatnonzero(label == value)
        place[rng.permutation(own)] = np.arange(len(own))
    if folds:
        return [(place % folds == fold)[of_row] for fold in range(folds)]
    return [(place < 0.3 * len(units) / 2)[of_row]]


def _centroids(features: Any, truth: Any) -> Any:
    """Probabilities of tested rows by nearest centroids of the others."""

    def scores(test: Any) -> Any:
        one, zero = (features[~test & (truth == value)].mean(axis=0) for value in (1, 0))
        return 1 / (1 + np.exp(-(features[test] - (one + zero) / 2) @ (one - zero)))

    return scores


def _neighbours(features: Any, truth: Any) -> Any:
    """The share of positives among the five nearest of the other rows."""
    away = ((features[:, None] - features) ** 2).sum(axis=2)

    def scores(test: Any) -> Any:
        near = np.argpartition(away[np.ix_(test, ~test)], NEAREST, axis=1)[:, :NEAREST]
        return truth[~test][near].mean(axis=1)

    return scores


LEARNERS = {"centroids": _centroids, "neighbours": _neighbours}
