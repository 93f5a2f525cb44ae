"""Probabilities of named models that give decision values only, by a logistic curve."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from heldout.learners.fingerprint import fingerprint_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from heldout.learners.model import Model

NOTE = (
    "{name} gives no probabilities: they come from decision values by a logistic curve, "
    "fitted inside of each training part (CalibratedClassifierCV, ensemble=False)"
)


def with_probabilities(models: Sequence[Model]) -> tuple[tuple[Model, ...], list[str]]:
    """The models, named ones without probabilities with a curve, and a note on each of those.

    Other people's estimators stay as they are: what they lack shows once they are fitted.
    """
    lacking = [model for model in models if _lacks_curve(model)]
    changed = tuple(calibrated(model) if model in lacking else model for model in models)
    return changed, [NOTE.format(name=model.name) for model in lacking]


def _lacks_curve(model: Model) -> bool:
    """Whether a named classifier gives one decision value a class (or one of two classes)."""
    estimator, last = model.estimator, innermost(model.estimator)[1]
    is_plain = getattr(last, "decision_function_shape", "ovr") == "ovr"
    has_decisions = hasattr(last, "decision_function") and is_plain
    return model.is_named and has_decisions and not hasattr(estimator, "predict_proba")


def calibrated(model: Model) -> Model:
    """The named model with probabilities of its decision values by Platt's logistic curve."""
    from sklearn.calibration import CalibratedClassifierCV

    estimator = CalibratedClassifierCV(model.estimator, ensemble=False)
    words = (*model.preparation, "probabilities by a logistic curve of decision values")
    own = fingerprint_of(estimator)
    return replace(model, estimator=estimator, preparation=words, fingerprint=own)


def innermost(estimator: Any) -> tuple[str, Any]:
    """The estimator that preparation and calibration are around, and the way to its parameters."""
    prefix = ""
    while True:
        if type(estimator).__name__ == "Pipeline" and getattr(estimator, "steps", None):
            name, last = estimator.steps[-1]
            prefix, estimator = f"{prefix}{name}__", last
        elif type(estimator).__name__ == "CalibratedClassifierCV":
            prefix, estimator = f"{prefix}estimator__", estimator.estimator
        else:
            return prefix, estimator
