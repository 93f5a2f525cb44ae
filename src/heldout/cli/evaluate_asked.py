"""What is asked of an evaluation, tried on made-up answers before anything is fitted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from heldout.assess.scorecard import Scorecard
    from heldout.cli.requirements import Requirement
    from heldout.datasets.dataset import Dataset

__all__ = ["refuse_unfit"]

#: more values than this are not made up; what is asked then shows once models are fitted
MOST = 5_000_000


def refuse_unfit(
    given: Mapping[str, Any], dataset: Dataset, requirements: Sequence[Requirement]
) -> None:
    """An error for measures and requirements that would be one after all fits, too.

    A class that there is not, a parameter out of its range or lacking, a measure of another
    kind of problem: none of it depends on what models predict.
    """
    from heldout.cli.requirements import unmet

    if given["per_class"] and dataset.task == "regression":
        raise InputError("--per-class is for classification, and the task is regression")
    asked = given["measures"] or requirements
    if not asked or len(dataset) * max(len(dataset.classes), 1) > MOST:
        return
    card = _made_up(dataset)
    if given["measures"]:
        card.results(given["measures"], refuse=False, per_class=given["per_class"])
    unmet(card, requirements)


def _made_up(dataset: Dataset) -> Scorecard:
    """The scorecard of a model that is right, and fairly sure of it."""
    from heldout.assess.scorecard import score_predictions
    from heldout.predictions.table import Predictions

    truth = dataset.truth
    made: dict[str, Any] = {"predicted": truth, "weight": dataset.weight}
    if dataset.task == "regression":
        made["train_mean"] = np.full(len(truth), truth.mean())
    else:
        count = len(dataset.classes)
        scores = np.full((len(truth), count), 0.2 / max(count - 1, 1))
        scores[np.arange(len(truth)), truth] = 0.8
        made["scores"] = scores
        if dataset.task == "binary":
            made["scores"] = scores[:, 1 if dataset.positive is None else dataset.positive]
    is_open = dataset.task == "binary" and dataset.positive is None
    positive = 1 if is_open else dataset.positive
    known: dict[str, Any] = {"classes": dataset.classes, "positive": positive, "is_open": is_open}
    return score_predictions([Predictions(dataset.task, truth, **made, **known)], intervals=None)
