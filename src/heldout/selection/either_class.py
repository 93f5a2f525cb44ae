"""Which of two classes is positive: asked for only where the measure that decides depends on it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from heldout.measures.spec import parse_request

if TYPE_CHECKING:
    from heldout.datasets.dataset import Dataset

__all__ = ["needs_positive", "with_either"]


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
    return parse_request(str(measure)).depends_on_positive


def with_either(dataset: Dataset, measure: Any, *, beside: str = "") -> Dataset:
    """The data set with a note, where two classes leave open which of them is positive.

    ``beside`` is where a user may look at other measures, which depend on the class.
    """
    if dataset.task != "binary" or dataset.positive is not None:
        return dataset
    name = "accuracy" if measure is None else str(measure)
    note = f"no class is called positive, and none need be: {name} is the same for either"
    if beside:
        note += f" (those of {beside} that depend on it are not given without pos_label=)"
    return replace(dataset, notes=(*dataset.notes, note))
