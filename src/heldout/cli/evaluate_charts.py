"""What the charts of ``heldout evaluate`` need, as far as it is known before anything is fitted."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from heldout.core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

    from heldout.datasets.dataset import Dataset
    from heldout.learners.model import Model
    from heldout.procedures.splits import Splits

__all__ = ["INSTEAD", "fix_by_name", "gives_decisions", "probability_fix", "refuse_charts"]

#: models that have probabilities without more ado
INSTEAD = "logistic, lda, forest"


def gives_decisions(model: Model) -> bool:
    """Whether a model is one of heldout's own that has no probabilities."""
    last = model.estimator.steps[-1][1] if hasattr(model.estimator, "steps") else model.estimator
    is_scored = callable(getattr(last, "decision_function", None))
    is_plain = getattr(last, "decision_function_shape", "ovr") == "ovr"
    has_none = not callable(getattr(last, "predict_proba", None))
    return model.takes == "matrix" and is_scored and is_plain and has_none


def probability_fix(model: Model) -> str:
    """How a model would get probabilities: a parameter of its own, or nothing that is known.

    A parameter that scikit-learn is about to take away (the default is then a text that says
    so, in 1.9 and 1.10) warns in every fold, and is no advice.
    """
    last = model.estimator.steps[-1][1] if hasattr(model.estimator, "steps") else model.estimator
    if not gives_decisions(model) or getattr(last, "probability", None) is not False:
        return ""
    name = model.name
    more = "probability=true"
    asked = f"{name[:-1]}, {more}]" if name.endswith("]") else f"{name}[{more}]"
    return f"{asked} has some"


def fix_by_name(models: Sequence[Model]) -> Callable[[str], str]:
    """A function of a model's name that says how it would get probabilities."""
    known = {model.name: model for model in models}
    return lambda name: probability_fix(known[name])


def refuse_charts(
    charts: Iterable[tuple[str, Path]], models: Sequence[Model], dataset: Dataset, splits: Splits
) -> None:
    """An error for a chart that no model can be drawn in, before anything is fitted."""
    from heldout.report.plots.asked import OF_REGRESSION, named_chart

    for text, _ in charts:
        name, options = named_chart(text)
        asked = options.get("model")
        if asked is not None and asked not in (model.name for model in models):
            raise InputError(f"--plot {text}: no model is called {asked!r}")
        if name == "all":
            continue
        if dataset.task == "regression" and name not in OF_REGRESSION:
            names = ", ".join([*OF_REGRESSION, "all"])
            raise InputError(f"a regression has no chart {name!r}; there are {names}")
        if dataset.task != "regression" and name in OF_REGRESSION:
            raise InputError(f"a {name} chart is for regression, and this problem has classes")
        if name == "roc_average" and splits.places().max(initial=1) < 2:
            raise InputError(f"a {name} chart needs folds, and {splits.procedure} has one split")
        if name == "roc_average" and not _has_mixed(splits, dataset):
            raise InputError(
                f"a {name} chart needs a fold with rows of two classes, and {splits.procedure} "
                "makes none: take fewer folds, or a roc chart, which pools them"
            )
        drawn = [model for model in models if asked in (None, model.name)]
        if name == "calibration" and all(map(gives_decisions, drawn)):
            said = ", ".join(model.name for model in drawn)
            fix = next(filter(None, map(probability_fix, drawn)), "")
            fix = f"{fix}, or take" if fix else "take"
            gives = f"give{'s' * (len(drawn) == 1)}"
            raise InputError(
                f"a calibration chart needs probabilities, and {said} {gives} decision values; "
                f"{fix} a model with probabilities ({INSTEAD})"
            )


def _has_mixed(splits: Splits, dataset: Dataset) -> bool:
    """Whether a test part has rows of two classes; most often the first one has."""
    from heldout.procedures.splits import PartitionSplits

    truth = dataset.truth
    if not isinstance(splits, PartitionSplits):
        return any((truth[split.test] != truth[split.test[0]]).any() for split in splits)
    for folds in splits.assignment:  # a split of its own costs a pass over the rows
        of_fold = np.zeros(splits.folds, truth.dtype)
        of_fold[folds] = truth
        if (of_fold[folds] != truth).any():
            return True
    return False
