"""What a run gives: the outcome of each model, and what is to be known of how it came about."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from heldout.core.shown import Brief

if TYPE_CHECKING:
    from heldout.learners.outcome import Outcome

__all__ = ["Outcomes"]


@dataclass(frozen=True, eq=False, repr=False)
class Outcomes(Brief, Mapping[str, "Outcome"]):
    """The outcome of each model over all splits, by the model's name."""

    test: dict[str, Outcome]
    #: predictions of the training rows themselves, where they were asked for: optimistic
    train: dict[str, Outcome] = field(default_factory=dict)
    #: what happened on the way
    notes: tuple[str, ...] = ()
    #: the run's number in the store
    number: int | None = None
    #: splits that were fitted (or predicted exactly) by this call, and those from the store
    fitted: int = 0
    reused: int = 0
    #: what came from the store, and of when; empty where nothing did
    recalled: str = ""
    #: whether the store is new and was written, with all of this run, at a single time
    is_alone: bool = False

    def __getitem__(self, name: str) -> Outcome:
        return self.test[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.test)

    def __len__(self) -> int:
        return len(self.test)
