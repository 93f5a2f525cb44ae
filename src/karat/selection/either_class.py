"""Which of two classes is positive: asked for only where the measure that decides depends on it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from karat.measures.spec import parse_request
from karat.tally.confusion import Confusion
from karat.tally.moments import Moments

if TYPE_CHECKING:
    from karat.datasets.dataset import Dataset

__all__ = ["needs_positive", "with_either"]

#: the same for either class, though made of the ranking of one
EITHER = {"auc", "gini"}


def needs_positive(measure: Any) -> bool:
    """Whether a measure (None: the default one) has another value for the other of two classes.

    Examples
    --------
    >>> needs_positive(None), needs_positive("auc"), needs_positive("log_loss")
    (False, False, False)
    >>> needs_positive("recall"), needs_positive("recall_macro"), needs_positive("recall[class=a]")
    (True, False, False)
    """
    if measure is None:
        return False
    request = parse_request(str(measure))
    if request.label is not None or request.average:
        return False
    chosen = request.measure
    is_of_all = set(chosen.needs) <= {Confusion, Moments}
    has_cells = any(one.is_required for one in chosen.parameters)
    return has_cells or not (is_of_all or chosen.name in EITHER)


def with_either(dataset: Dataset, measure: Any, *, beside: str = "") -> Dataset:
    """The data set with some positive class, where two classes leave it open, and a note.

    ``beside`` is where a user may look at other measures, which depend on the class.
    """
    if dataset.task != "binary" or dataset.positive is not None:
        return dataset
    name = "accuracy" if measure is None else str(measure)
    note = f"no class is called positive, and none need be: {name} is the same for either"
    if beside:
        # scikit-learn's order of the classes
        note += f" (other measures of {beside} are of {dataset.classes[1]!r}, the second)"
    return replace(dataset, positive=1, notes=(*dataset.notes, note))
