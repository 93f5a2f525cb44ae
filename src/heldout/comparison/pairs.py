"""The models of a comparison, each by a measure, and in pairs: what tests share, made once."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.assess.forms import count_statistic, has_row_losses, row_losses
from heldout.assess.headline import result_of
from heldout.assess.values import overall, table_of
from heldout.comparison.design import design_of
from heldout.comparison.joint_cells import JointCells, paired_shares
from heldout.comparison.split_influence import (
    influence_over_splits,
    split_values,
    with_whole_repeats,
)
from heldout.core.errors import InputError
from heldout.core.memo import kept, once
from heldout.core.threads import in_threads
from heldout.measures.spec import range_of
from heldout.tally.confusion import Binary, Confusion
from heldout.uncertainty.areas import lack_of_rows
from heldout.uncertainty.cells import pseudo_row, with_empty_cells
from heldout.uncertainty.influence import Influence
from heldout.uncertainty.sample import row_order
from heldout.uncertainty.worth import effective_sample_size

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from heldout.comparison.design import ComparisonDesign
    from heldout.comparison.difference import Unit
    from heldout.comparison.options import CompareOptions
    from heldout.core.significance import Alternative
    from heldout.engines.memory import Tallies
    from heldout.measures.spec import Request
    from heldout.predictions.table import Predictions


class Models:
    """Aligned models, each tallied, ranked and parted into its splits only once."""

    def __init__(self, tallies: Sequence[Tallies], is_paired: bool) -> None:
        self.tallies, self.is_paired = tuple(tallies), is_paired
        self.predictions = tuple(own.predictions for own in tallies)

    @cached_property
    def design(self) -> ComparisonDesign:
        """How the predictions came about; an error where the models were not judged alike."""
        return design_of(self.tallies, is_paired=self.is_paired)

    def parts(self, by: str) -> Iterator[tuple[str, Models]]:
        """The models on the rows of each part alone, with its name."""
        parts = [own.parts(by) for own in self.tallies]
        for number, (name,) in enumerate(parts[0].keys):
            yield name, Models([own.at(number) for own in parts], self.is_paired)

    def side(self, request: Request, number: int) -> Side:
        """The model at a place by a measure."""
        key = ("side", request.name, number)
        return once(self, key, lambda models: Side(request, models.tallies[number]))

    @kept
    def cells(self, first: int, second: int) -> JointCells:
        """The rows of the models at two places counted by truth and both labels."""
        p, other = self.predictions[first], self.predictions[second]
        assert p.predicted is not None
        assert other.predicted is not None
        codes = p.truth, p.predicted, other.predicted
        return JointCells.of(*codes, classes=len(p.classes), positive=p.positive)


@dataclass(frozen=True, eq=False)
class Side:
    """One model by one measure."""

    request: Request
    tallies: Tallies

    @property
    def predictions(self) -> Predictions:
        """What the model predicted."""
        return self.tallies.predictions

    @cached_property
    def value(self) -> float:
        """The value that stands for the measure, as ``heldout score`` has it."""
        return result_of(self.request, self.tallies).value

    @cached_property
    def pooled(self) -> float:
        """The value of all rows at once."""
        return overall(self.request, self.tallies).value

    @cached_property
    def splits(self) -> NDArray[np.float64]:
        """The values in each split."""
        return split_values(self.request, self.tallies)

    @cached_property
    def influence(self) -> Influence:
        """What each group of rows adds to the mean over splits."""
        whole = with_whole_repeats(self.request, self.tallies)
        return influence_over_splits(self.request, whole)

    @cached_property
    def pooled_influence(self) -> Influence:
        """What each row, or group, adds to the value of all rows at once."""
        return influence_over_splits(self.request, self.tallies, is_whole=True)

    @cached_property
    def area(self) -> Influence:
        """What each row, or group, adds to the area under the ROC curve; of rows by class."""
        p = self.predictions
        assert p.scores is not None
        return self.by_group(Influence.of_area(self.is_positive, p.scores, p.weight))

    @cached_property
    def lack_of_area(self) -> str:
        """Why rows or groups are too few to tell how the area varies; empty where they are not."""
        weight, is_positive = self.tallies.row_weights, self.is_positive
        own = (weight[is_positive], weight[~is_positive])
        if lack := lack_of_rows(*(effective_sample_size(w.sum(), float(w @ w)) for w in own)):
            return lack
        if self.groups is None:
            return ""
        rows = {"": is_positive | True, "positive ": is_positive, "negative ": ~is_positive}
        few = (which for which, kept in rows.items() if len(np.unique(self.groups[kept])) < 2)
        return next((f"all {which}rows are in one group" for which in few), "")

    @cached_property
    def cell_influence(self) -> Influence:
        """What each row adds to a measure of counts, with one pseudo-row spread over the cells."""
        full = with_empty_cells(self.tallies.confusion)
        statistic = count_statistic(self.request, self.tallies)
        return Influence.of_counts(
            lambda tables: statistic(replace(full, counts=tables)), full.counts + pseudo_row(full)
        )

    def by_group(self, influence: Influence) -> Influence:
        """What each group adds, where rows come in groups."""
        if self.groups is None:
            return influence
        return influence.by(np.unique(self.groups, return_inverse=True)[1])

    @property
    def is_positive(self) -> NDArray[np.bool_]:
        """Whether each row is of the positive class."""
        p = self.predictions
        return np.asarray(p.truth == p.positive)

    @property
    def groups(self) -> NDArray[Any] | None:
        """Codes of the groups of rows, None where rows stand alone."""
        return self.predictions.design.groups

    @property
    def has_losses(self) -> bool:
        """Whether the measure is a mean of row losses."""
        return has_row_losses(self.request, self.tallies)

    @cached_property
    def losses(self) -> NDArray[Any]:
        """The loss of each row."""
        return row_losses(self.request, self.tallies)


@dataclass(frozen=True, eq=False)
class Pair:
    """Two models by one measure, and how their difference is asked for.

    ``places`` are the positions of the two models among those aligned.
    """

    request: Request
    models: Models
    places: tuple[int, int]
    options: CompareOptions

    @cached_property
    def sides(self) -> tuple[Side, Side]:
        """The model from which the other one is taken, and that one."""
        first, second = (self.models.side(self.request, number) for number in self.places)
        return first, second

    @property
    def first(self) -> Side:
        """The model from which the other one is taken."""
        return self.sides[0]

    @property
    def second(self) -> Side:
        """The model that is taken from the other."""
        return self.sides[1]

    @property
    def predictions(self) -> tuple[Predictions, Predictions]:
        """What both models predicted."""
        return self.first.predictions, self.second.predictions

    @property
    def is_turned(self) -> bool:
        """Whether draws take the second model first: the one of the larger value.

        Of equal values what the models predict decides, and their names only where that is alike.
        """
        first, second = (float(f"{side.pooled:.10g}") for side in self.sides)
        if first < second or first > second:  # not where one is undefined
            return first < second
        first_content, second_content = (_content(p) for p in self.predictions)
        return first_content > second_content

    @property
    def pooled(self) -> float:
        """The difference of the values of all rows at once."""
        return self.first.pooled - self.second.pooled

    @property
    def design(self) -> ComparisonDesign:
        """How the predictions came about."""
        return self.models.design

    @cached_property
    def split_gaps(self) -> NDArray[np.float64]:
        """First minus second model's value in each split; an error where one has none."""
        name, splits = self.request.name, len(self.first.splits)
        endless = [
            (side.predictions.model, int(np.isinf(side.splits).sum())) for side in self.sides
        ]
        if where := [f"in {n} of {splits} splits of {model}" for model, n in endless if n]:
            raise InputError(
                f"{name} is infinite {' and '.join(where)} (a true class had probability 0 "
                "there), so no mean exists; use another measure (brier_score)"
            )
        gaps = self.first.splits - self.second.splits
        if lost := int(np.isnan(gaps).sum()):
            raise InputError(
                f"{name} is undefined in {lost} of {splits} splits: the mean over the "
                "rest would be of other data; use another measure or larger folds"
            )
        return gaps

    @property
    def centred_gaps(self) -> NDArray[np.float64]:
        """The same about the difference of the values that stand for the measure.

        In these, folds that differ in size weigh as much as their rows.
        """
        gaps = self.split_gaps
        return np.asarray(gaps + (self.first.value - self.second.value - gaps.mean()))

    def gap(self, influence: Callable[[Side], Influence]) -> Influence:
        """First minus second model's influence: of the same units, or of two samples of them."""
        first, second = in_threads(influence, self.sides)
        return first - second if self.models.is_paired else first.unpaired(second)

    @property
    def loss_gap(self) -> Influence:
        """The difference of two mean losses, of paired rows as a mean of their differences."""
        if not self.models.is_paired:
            return self.gap(
                lambda side: side.by_group(Influence.of_mean(side.losses, side.tallies.row_weights))
            )
        losses = self.first.losses - self.second.losses
        return self.first.by_group(Influence.of_mean(losses, self.first.tallies.row_weights))

    @property
    def cell_gap(self) -> Influence:
        """The difference of a measure of counts, by cells of both labels where rows are paired."""
        if not self.models.is_paired:
            return self.gap(lambda side: side.cell_influence)
        cells = self.cells
        return Influence.of_counts(
            lambda tables: cells.differences(self.statistics, iter([tables])), cells.shape
        )

    @property
    def bounds(self) -> tuple[float, float]:
        """The range of the difference."""
        low, high = range_of(self.request, len(self.first.predictions.classes))
        return low - high, high - low

    @property
    def level(self) -> float:
        """That of a two-sided interval, either limit of which holds alone if one is asked for."""
        return self.options.limits_level

    @property
    def side(self) -> Alternative:
        """Which differences count as evidence."""
        return self.options.alternative

    @property
    def sided(self) -> dict[str, Any]:
        """Level and alternative, as every test takes them."""
        return {"level": self.level, "alternative": self.side}

    @property
    def how(self) -> dict[str, Any]:
        """The same with the bounds of the difference."""
        return self.sided | {"bounds": self.bounds}

    @property
    def groups(self) -> NDArray[Any] | None:
        """Codes of the groups of rows, None where rows stand alone."""
        return self.first.groups

    @property
    def unit(self) -> Unit:
        """What is independent."""
        return "rows" if self.groups is None else "groups"

    @property
    def count(self) -> int:
        """How many rows, or groups, the models share."""
        return self.first.tallies.groups

    @property
    def has_alike_rows(self) -> bool:
        """Whether each row stands alone and weighs one, in either model."""
        return all(p.weight is None and p.design.group is None for p in self.predictions)

    @property
    def is_of_counts(self) -> bool:
        """Whether counts of rows by labels tell all."""
        needs = self.request.measure.needs
        return bool(needs) and set(needs) <= {Binary, Confusion} and self.has_alike_rows

    @property
    def is_of_gaps(self) -> bool:
        """Whether the measure is of the gaps of calibration bins."""
        return self.request.measure.is_of_gaps

    @property
    def has_losses(self) -> bool:
        """Whether the measure is a mean of row losses."""
        return self.first.has_losses and self.second.has_losses

    @property
    def cells(self) -> JointCells:
        """The rows counted by truth and both labels."""
        return self.models.cells(*self.places)

    @property
    def statistics(self) -> tuple[Callable[[Confusion], Any], Callable[[Confusion], Any]]:
        """The measure as a function of either model's counts."""
        first, second = (count_statistic(self.request, side.tallies) for side in self.sides)
        return first, second

    @cached_property
    def shares(self) -> tuple[int, int, int, int] | None:
        """Rows on which both, only the first, only the second, neither succeed; None: no share."""
        return paired_shares(self.request, self.cells) if self.is_of_counts else None

    @property
    def separate_shares(self) -> tuple[float, float, float, float] | None:
        """Successes and rows of a share, of either model's own rows; None: no share of both."""
        request = self.request
        share = request.measure.share
        if share is None or not self.has_alike_rows or request.average or request.label is not None:
            return None
        (hits, rows), (other_hits, others) = (
            map(float, share.of(table_of(request, side.tallies.confusion))) for side in self.sides
        )
        return (hits, rows, other_hits, others) if rows and others else None

    @property
    def are_identical(self) -> bool:
        """Whether the models predict the same (labels and scores) in every row that both saw."""
        p, other = self.predictions
        if not self.models.is_paired or len(p) != len(other):
            return False
        return all(
            mine is theirs or (mine is not None and np.array_equal(mine, np.asarray(theirs)))
            for mine, theirs in ((p.predicted, other.predicted), (p.scores, other.scores))
        )


def _content(p: Predictions) -> tuple[int, list[bytes], str]:
    """What a model predicts, in an order of rows that only this decides, and its name."""
    order = row_order(p)
    return len(order.keys), [key[order.places].tobytes() for key in order.keys], p.model
