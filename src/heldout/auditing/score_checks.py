"""K11 to K13: scores that are labels, no probabilities, or turned round."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from heldout.auditing.check import Seen, Unseen, check, scores
from heldout.tally.roc import area
from heldout.uncertainty.areas import delong_interval

if TYPE_CHECKING:
    from collections.abc import Iterator

    from heldout.auditing.material import Material
    from heldout.predictions.table import Predictions

#: with fewer rows two values may be all there are
FEW_ROWS = 10


@check(
    "K11",
    "labels used as scores",
    "warning",
    why="A ranking of two values has one point between its ends: its AUC is that of the labels.",
    fix=(
        "Give predict_proba or decision_function, not predict; a tree that was grown until its "
        "leaves are pure has no better scores, and can be pruned."
    ),
    needs=scores,
)
def hard_scores(material: Material) -> Iterator[Seen]:
    """Scores with no more than two distinct values, both whole numbers as codes of labels are."""
    for p in material.predictions:
        # a tree or a baseline that heldout ran, now or before, has no other scores to give: tables
        # that it writes name the procedure
        if p.scores is None or len(p) < FEW_ROWS or material.is_run or p.design.procedure:
            continue
        values = np.unique(p.scores[:1000])
        if len(values) > 2 or not np.isin(p.scores, values).all():
            continue
        # probabilities of two leaves, or of one, are few and no labels
        if not (values == np.floor(values)).all():
            continue
        if len(values) == 1:
            yield Seen(
                f"all {len(p):,} rows have the score {values[0]:g}", p.model, severity="note"
            )
        else:
            yield Seen(
                f"the scores of {len(p):,} rows are all {values[0]:g} or {values[1]:g}",
                p.model,
            )


@check(
    "K12",
    "scores are not probabilities",
    "note",
    why="Log loss, Brier score and calibration mean nothing for decision values or margins.",
    fix="Give probabilities, or calibrate the model; rankings take any score.",
    needs=scores,
)
def no_probabilities(material: Material) -> Iterator[Seen]:
    """What keeps the scores from being read as probabilities."""
    for p in material.predictions:
        if p.score_problem:
            yield Seen(p.score_problem, p.model)


def _needs_ranking(material: Material) -> str:
    lacking = scores(material)
    if not lacking and material.predictions[0].task != "binary":
        return "is of two classes"
    return lacking


@check(
    "K13",
    "AUC below 0.5",
    "warning",
    why="Negatives score higher than positives: the classes or the score may be reversed.",
    fix="Check which class is positive ({positive}). heldout reports this and never flips a score.",
    needs=_needs_ranking,
)
def below_chance(material: Material) -> Iterator[Seen | Unseen]:
    """Areas under the ROC curve below one half; a note where chance explains it."""
    for p, tallies in zip(material.predictions, material.tallies, strict=True):
        if p.task != "binary" or p.scores is None or p.positive is None:
            continue
        if np.count_nonzero(tallies.class_weights) < 2 or _is_baseline(p):
            continue
        # a ranking that nothing else asks for is not sorted inside of another command
        is_made = "scores" in tallies.__dict__
        if not is_made and material.most_values is not None and len(p) > material.most_values / 20:
            yield Unseen(
                f"skipped for size ({len(p):,} rows, and no AUC was asked for)", is_for_size=True
            )
            continue
        auc = float(area(tallies.scores))
        if auc >= 0.5:
            continue
        limits, text = delong_interval(tallies.scores), f"AUC is {auc:.3f}"
        if limits.is_absent:
            yield Seen(text, p.model)
            continue
        text += f", 95% CI {limits.low:.3f} to {limits.high:.3f}"
        if limits.high < 0.5:
            yield Seen(text, p.model)
        else:
            yield Seen(f"{text}, which chance can explain", p.model, severity="note")


def _is_baseline(p: Predictions) -> bool:
    """Whether each fold has one score: class shares of training parts fall as those here rise."""
    fold = p.design.fold
    if fold is None or p.scores is None:
        return False
    repeats = 1 if p.design.repeat is None else len(p.design.repeat.levels)
    few = repeats * len(fold.levels)
    if 2 * few >= len(p) or len(np.unique(p.scores[: 4 * few])) > few:
        return False
    return len(np.unique(p.scores)) <= few
