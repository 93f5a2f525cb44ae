"""What a model told of each row's classes, as predictions hold it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.evaluation.improper import why_improper
from heldout.learners.outcome import why_mixed
from heldout.predictions.probabilities import of_two_classes, within_unit

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from heldout.learners.outcome import Outcome
    from heldout.predictions.table import Label

__all__ = ["told_scores"]


def told_scores(
    model: str,
    outcome: Outcome,
    *,
    task: str,
    classes: Sequence[Label],
    positive: int | None,
    row: Callable[[int], str],
) -> dict[str, Any]:
    """The fields of predictions that hold scores, and why they are none or no probabilities.

    ``row`` says how a message names a row of the data.
    """
    if task == "regression":
        none = {"scores": None, "against": None, "score_problem": "", "why_no_scores": ""}
        return {**none, "notes": ()}
    scores, against, problem, why, note = outcome.scores, None, "", "", ""
    if scores is None:
        why = why_mixed(model, outcome) or (
            f"{model} gives only classes (it has neither predict_proba nor decision_function)"
        )
    elif outcome.score_kind != "probability":
        problem = f"the scores of {model} are decision values"
    else:
        if scores.size:
            scores, note = within_unit(scores, float(scores.min()), float(scores.max()))
        problem = why_improper(model, replace(outcome, scores=scores), classes, row)
    if scores is not None and task == "binary":
        flat = scores.reshape(len(scores), -1)
        place = 1 if positive is None else positive
        if flat.shape[1] == 1:
            # one decision value speaks for the second class: the first ranks the other way round
            scores = flat[:, 0] if place == 1 else -flat[:, 0]
        elif problem:
            scores = np.ascontiguousarray(flat[:, place])
        else:
            scores, against = of_two_classes(flat, place)
    return {
        "scores": scores,
        "against": against,
        "score_problem": problem,
        "why_no_scores": why,
        "notes": (f"{model}: {note}",) if note else (),
    }
