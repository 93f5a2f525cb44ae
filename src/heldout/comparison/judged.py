"""The models of a comparison with what every pair of them shares: tallies, areas, split values."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.assess.forms import row_losses
from heldout.assess.headline import value_of
from heldout.comparison.fold_differences import split_values, with_whole_repeats
from heldout.comparison.group_shifts import group_shifts
from heldout.comparison.joint_cells import JointCells
from heldout.comparison.paired_areas import paired_areas
from heldout.engines.memory import Tallies
from heldout.tally.confusion import Binary, Confusion

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from heldout.comparison.aligned import Aligned
    from heldout.comparison.fold_differences import SplitValues
    from heldout.comparison.group_shifts import GroupShifts
    from heldout.comparison.paired_areas import PairedAreas
    from heldout.measures.spec import Request
    from heldout.predictions.table import Predictions

__all__ = ["Judged", "groups_of", "is_of_counts"]


class Judged:
    """Aligned models, each tallied, ranked and parted into its splits only once."""

    def __init__(self, aligned: Aligned) -> None:
        self.aligned = aligned
        self.tallies = tuple(Tallies(p) for p in aligned.predictions)
        self._splits: dict[tuple[str, int], SplitValues] = {}
        self._values: dict[tuple[str, int], float] = {}
        self._shifts: dict[tuple[str, int], GroupShifts] = {}
        self._losses: dict[tuple[str, int], NDArray[Any]] = {}
        self._cells: dict[tuple[int, int], JointCells] = {}

    @property
    def predictions(self) -> tuple[Predictions, ...]:
        """What each model predicted."""
        return self.aligned.predictions

    @cached_property
    def areas(self) -> PairedAreas:
        """The areas under the ROC curve of all models, and how they vary together."""
        first = self.predictions[0]
        scores: list[Any] = [p.scores for p in self.predictions]
        return paired_areas(
            first.truth == first.positive, scores, weight=first.weight, groups=groups_of(first)
        )

    def value(self, request: Request, place: int) -> float:
        """The value that stands for a measure of the model at a place."""
        key = (request.name, place)
        if key not in self._values:
            self._values[key] = value_of(request, self.tallies[place])
        return self._values[key]

    def splits(self, request: Request, place: int) -> SplitValues:
        """The values of a measure in each split of the model at a place."""
        key = (request.name, place)
        if key not in self._splits:
            self._splits[key] = split_values(request, self.tallies[place])
        return self._splits[key]

    def shifts(self, request: Request, place: int, *, is_whole: bool = False) -> GroupShifts:
        """What each group of rows adds to the mean over splits of the model at a place.

        ``is_whole``: to the value of all rows at once.
        """
        key = (request.name, place)
        if key not in self._shifts:
            whole = with_whole_repeats(request, self.tallies[place])
            self._shifts[key] = group_shifts(request, whole, is_whole=is_whole)
        return self._shifts[key]

    def losses(self, request: Request, place: int) -> NDArray[Any]:
        """The loss of each row under the model at a place."""
        key = (request.name, place)
        if key not in self._losses:
            self._losses[key] = row_losses(request, self.tallies[place])
        return self._losses[key]

    def are_identical(self, places: tuple[int, int]) -> bool:
        """Whether two models predict the same (labels and scores) in every row that both saw."""
        one, two = (self.predictions[place] for place in places)
        if not self.aligned.is_paired or len(one) != len(two):
            return False
        for first, second in ((one.predicted, two.predicted), (one.scores, two.scores)):
            if first is None or second is None:
                if first is not second:
                    return False
            elif not np.array_equal(first, second):
                return False
        return True

    def are_counts(self, places: tuple[int, int]) -> bool:
        """Whether the rows of two models are told by counts: each stands alone and weighs one."""
        p = self.predictions[places[0]]
        return p.weight is None and groups_of(p) is None and p.task != "regression"

    def cells(self, places: tuple[int, int]) -> JointCells:
        """The rows of two models counted by truth and both labels."""
        if places not in self._cells:
            one, two = (self.predictions[place] for place in places)
            assert one.predicted is not None
            assert two.predicted is not None
            self._cells[places] = JointCells.of(
                one.truth,
                one.predicted,
                two.predicted,
                classes=len(one.classes),
                positive=one.positive,
            )
        return self._cells[places]


def is_of_counts(request: Request) -> bool:
    """Whether a measure needs counts of labels only."""
    return bool(request.measure.needs) and set(request.measure.needs) <= {Binary, Confusion}


def groups_of(p: Predictions) -> NDArray[Any] | None:
    """Codes of the groups of rows, None where rows stand alone."""
    return None if p.design.group is None else p.design.group.codes
