"""A model to evaluate: an unfitted estimator, its name, and what it is given."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from heldout.core.specs import name_of

if TYPE_CHECKING:
    from heldout.predictions.table import Task


@dataclass(frozen=True, slots=True, eq=False)
class Model:
    """An unfitted estimator with a name; it is cloned for every fit and never fitted itself."""

    #: unique within an evaluation, such as ``knn[n_neighbors=3]``
    name: str
    estimator: Any
    task: Task
    #: the data set's float matrix and class codes, or X and labels as the caller gave them
    takes: Literal["matrix", "given"]
    #: identifies estimator, parameters, preparation and the versions of their packages
    fingerprint: str
    #: what was done to prepare the data, in words, for --show-pipeline
    preparation: tuple[str, ...] = ()
    #: the text that it was asked for by; empty for an estimator
    text: str = ""

    @property
    def is_named(self) -> bool:
        """Whether it is one of heldout's named models, with preparation around its estimator."""
        return bool(self.text) and ":" not in name_of(self.text)
