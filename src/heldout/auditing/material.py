"""What an audit has to look at; checks take what they need and pass over the rest."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from heldout.engines.memory import Tallies

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from heldout.assess.scorecard import Scorecard
    from heldout.datasets.dataset import Dataset
    from heldout.evaluation.evaluation import Evaluation
    from heldout.predictions.table import Predictions
    from heldout.procedures.splits import Split, Splits

#: row numbers of splits that one check goes through
SPLIT_ROWS = 20_000_000


@dataclass(frozen=True, eq=False)
class Material:
    """Data, splits and predictions under audit; whatever is not at hand is None or empty.

    Either ``train`` and ``test`` are two data sets, or ``data`` is one with its ``splits``.
    """

    train: Dataset | None = None
    test: Dataset | None = None
    data: Dataset | None = None
    splits: Splits | None = None
    predictions: tuple[Predictions, ...] = ()
    #: the tallies of these predictions, where they were made already
    tallied: tuple[Tallies, ...] = ()
    #: the rules by which a threshold was chosen on these very rows
    chosen_threshold: str = ""
    #: the measure by which the models were ranked on these very rows
    ranked_by: str = ""
    #: the measures that are shown beside the audit; None: not known
    measures: tuple[str, ...] | None = None
    #: how many models were looked at on these very test rows; None: not known
    looks: int | None = None
    #: how many more were judged on these data, on other test rows
    looks_elsewhere: int = 0
    #: values that a costly check may go through; None: any number
    most_values: int | None = None
    #: whether the models were made by heldout's own runner
    is_run: bool = False

    @property
    def sides(self) -> tuple[Dataset, Dataset] | None:
        """The training and the test set, where both are there."""
        return None if self.train is None or self.test is None else (self.train, self.test)

    @property
    def parts(self) -> tuple[Dataset, Splits] | None:
        """The data and their splits, where both are there."""
        return None if self.data is None or self.splits is None else (self.data, self.splits)

    @property
    def trained(self) -> Dataset | None:
        """The rows that train, alone or before they are split."""
        return self.data if self.train is None else self.train

    @property
    def judging(self) -> Dataset | None:
        """The rows that judge, alone or before they are split."""
        return self.data if self.test is None else self.test

    @cached_property
    def tallies(self) -> tuple[Tallies, ...]:
        """The tallies of the predictions."""
        return self.tallied or tuple(Tallies(p) for p in self.predictions)

    @property
    def shown_splits(self) -> int:
        """How many of the splits a check goes through: all, unless they are very many rows."""
        if self.data is None or self.splits is None:
            return 0
        allowed = SPLIT_ROWS if self.most_values is None else self.most_values
        return min(len(self.splits), max(1, allowed // max(len(self.data), 1)))

    def each_split(self) -> Iterator[Split]:
        """The splits that a check goes through."""
        if self.splits is not None:
            for index in range(self.shown_splits):
                yield self.splits[index]

    def worst_split(self, fault: Callable[[Split], float]) -> WorstSplit | None:
        """The first split with the largest fault, and how many have one; None where none has."""
        worst, most, faulty = None, 0.0, 0
        for split in self.each_split():
            size = fault(split)
            faulty += size > 0
            if size > most:
                worst, most = split, size
        return None if worst is None else WorstSplit(worst, most, faulty)


@dataclass(frozen=True, slots=True, eq=False)
class WorstSplit:
    """The split with the largest fault, how large it is, and how many splits have one."""

    split: Split
    size: float
    faulty: int

    @property
    def name(self) -> str:
        """Which split it is."""
        return f"repeat {self.split.repeat}, fold {self.split.fold}"


def material_of_scorecard(card: Scorecard, **known: Any) -> Material:
    """What a scorecard has to look at; its tallies are used again."""
    if any(tallies.is_counted for tallies in card.tallies):
        return Material(**known)
    return Material(predictions=card.predictions, tallied=card.tallies, **known)


def material_of_evaluation(evaluation: Evaluation, **known: Any) -> Material:
    """What an evaluation has to look at: data, splits, and predictions with their tallies."""
    card = evaluation.scorecard if evaluation.predictions else None
    return Material(
        data=evaluation.dataset,
        splits=evaluation.splits,
        predictions=() if card is None else card.predictions,
        tallied=() if card is None else card.tallies,
        is_run=True,
        **known,
    )
