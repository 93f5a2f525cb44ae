"""Bootstrap bias-corrected cross-validation: the cost of choosing, from predictions at hand."""

from __future__ import annotations

from dataclasses import dataclass
from math import isnan, nan
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.assess.forms import row_losses
from heldout.assess.results import Of, Result
from heldout.assess.values import overall
from heldout.core.notes import Kind, as_notes
from heldout.core.random import stream
from heldout.engines.memory import Tallies
from heldout.selection.choice import checked_order, no_test_along, rule_error, standard_errors
from heldout.selection.criterion import as_good_as, first_best
from heldout.uncertainty.interval import Interval, absent
from heldout.uncertainty.limits import sorted_quantile
from heldout.uncertainty.sample import RowSampler

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.random import Generator
    from numpy.typing import NDArray

    from heldout.datasets.dataset import Dataset
    from heldout.selection.criterion import Criterion
    from heldout.selection.scoring import Scored
    from heldout.selection.search import Search


#: fewer rows (groups) than these are not drawn from
LEAST_UNITS = 10


class Units(RowSampler):
    """Draws rows of the data, or whole groups, with all predictions of theirs.

    Parameters
    ----------
    rows
        The row of the data of each prediction; None: each row has one.
    """

    def __init__(self, dataset: Dataset, rows: NDArray[np.int64] | None = None) -> None:
        rows = np.arange(len(dataset)) if rows is None else rows
        group = dataset.group
        super().__init__(len(rows), groups=rows if group is None else group.codes[rows])
        self.word = "row" if group is None else "group"

    @property
    def of(self) -> NDArray[np.int64]:
        """The unit of each prediction."""
        assert self.group_codes is not None
        return self.group_codes

    @property
    def lack(self) -> str:
        """Why nothing can be drawn; empty where it can."""
        few = self.units < LEAST_UNITS
        return f"{self.units} {self.word}s are too few to draw from" if few else ""

    def counts(self, generator: Generator, draws: int) -> NDArray[np.float64]:
        """How often each unit is drawn, a line a draw."""
        drawn = generator.integers(self.units, size=(draws, self.units), dtype=np.int32)
        flat = drawn + np.arange(draws, dtype=np.int64)[:, np.newaxis] * self.units
        counts = np.bincount(flat.ravel(), minlength=draws * self.units)
        return counts.reshape(draws, self.units).astype(np.float64)


def percentiles(values: NDArray[np.float64], level: float) -> tuple[float, float]:
    """The limits that hold the middle share of some values; infinite next to infinite ones.

    Examples
    --------
    >>> percentiles(np.array([1.0, 2.0, 3.0, np.inf]), 0.5)
    (1.75, inf)
    """
    half, ordered = (1 - level) / 2, np.sort(values)
    return sorted_quantile(ordered, half), sorted_quantile(ordered, 1 - half)


@dataclass(frozen=True, slots=True, eq=False)
class OneError:
    """What the rule needs to know of the splits and the settings."""

    criterion: Criterion
    #: of each split: its units, their summed losses by setting, and their weights
    splits: tuple[tuple[NDArray[Any], NDArray[Any], NDArray[Any]], ...]
    #: 0 for the simplest setting; settings of one kind are compared with each other
    simplicity: NDArray[np.int64]
    kind: NDArray[np.int64]
    #: how much larger the rule's error is than that over splits, where these cut groups
    stretch: float = 1.0

    def choose(self, counts: NDArray[np.float64]) -> NDArray[np.intp]:
        """The place of the setting that the rule chooses in each draw, a line of counts."""
        goodness, error = self._values(counts)
        draws, best = np.arange(len(counts)), first_best(goodness)
        limit = goodness[draws, best] - self.stretch * error[draws, best]
        allowed = as_good_as(goodness, limit[:, np.newaxis])
        allowed &= self.kind == self.kind[best][:, np.newaxis]
        rank = np.where(allowed, self.simplicity, len(self.simplicity))
        simplest = rank == rank.min(axis=1)[:, np.newaxis]
        return np.asarray(np.argmax(np.where(simplest, goodness, -np.inf), axis=1))

    def _values(self, counts: NDArray[np.float64]) -> tuple[NDArray[Any], NDArray[Any]]:
        """The goodness of each setting in each draw, and its standard error over splits."""
        shape = len(counts), len(self.simplicity)
        total, squares, sums = np.zeros(shape), np.zeros(shape), np.zeros(shape)
        number, weights = np.zeros((len(counts), 1)), np.zeros((len(counts), 1))
        transform: Any = self.criterion.of_means
        for units, losses, weight in self.splits:
            often = counts[:, units]
            own, heavy = often @ losses, (often @ weight)[:, np.newaxis]
            # a split of which nothing was drawn has no value
            value = np.where(heavy > 0, transform(own / np.where(heavy > 0, heavy, 1.0)), 0.0)
            total, squares, number = total + value, squares + value**2, number + (heavy > 0)
            sums, weights = sums + own, weights + heavy
        mean = total / number
        spread = np.maximum(squares - number * mean**2, 0) / np.maximum(number - 1, 1) / number
        pooled = self.criterion.aggregate == "pooled"
        return self.criterion.goodness(transform(sums / weights) if pooled else mean), spread**0.5


def one_error_in_draws(
    search: Search, places: Sequence[int], units: NDArray[np.int64]
) -> OneError | None:
    """The rule for draws of these units; None where a loss is infinite or there is one split."""
    scores = [search.scores[index] for index in places]
    settings = [search.settings[index] for index in places]
    request = search.criterion.request
    losses = np.column_stack([row_losses(request, score.known) for score in scores])
    split_of = np.asarray(scores[0].outcome.split_of)
    if not np.isfinite(losses).all() or len(np.unique(split_of)) < 2:
        return None
    weights = _weights(search, scores[0])
    splits = []
    for split in np.unique(split_of):
        rows = np.flatnonzero(split_of == split)
        own, at = np.unique(units[rows], return_inverse=True)
        sums = np.zeros((len(own), len(places)))
        np.add.at(sums, at, losses[rows] * weights[rows, np.newaxis])
        splits.append((own, sums, np.bincount(at, weights[rows])))
    order = checked_order(search.settings, search.setup.asked.simpler)
    keys = [order.key(setting) for setting in settings]
    known = sorted(set(keys))
    simplicity = np.array([known.index(key) for key in keys])
    kinds = [order.kind(setting) for setting in settings]
    kind = np.array([kinds.index(own) for own in kinds])
    return OneError(search.criterion, tuple(splits), simplicity, kind, _stretch(search))


def _stretch(search: Search) -> float:
    """The error of the rule over that of the splits, as if they were separate."""
    plain = float(standard_errors(search.table)[search.best])
    return rule_error(search)[0] / plain if plain > 0 else 1.0


METHOD = "bootstrap bias-corrected cross-validation (Tsamardinos et al. 2018)"
DRAWS = 1000
#: values of a measure that is no mean of rows are computed one by one: so many in all
VALUES = 10_000
LEAST = 40
#: counts of rows drawn that are held at once
BLOCK = 4_000_000
#: rows drawn in all, and products of rows drawn and settings, which bound the time
MOST_DRAWN = 400_000_000
MOST_PRODUCTS = 20_000_000_000


def bias_corrected(search: Search) -> Result:
    """The value to expect of the chosen setting, and its interval, without a further fit.

    In each draw of rows (of whole groups, where rows are grouped) the setting that is best on
    the rows drawn is judged on the rows not drawn. The estimate is the mean over draws, its
    interval their percentiles, which is on the safe side: only about 37 % of the rows judge.

    Settings that failed somewhere, or that a race dropped, take no part. In each draw the
    ``rule`` chooses, where the measure follows from a mean of finite losses; else the best is
    taken, and the note says so.
    """
    asked, rule = search.setup.asked, search.choice.rule
    takes_part = [score.tallies is not None and score.is_whole for score in search.scores]
    places = np.flatnonzero(takes_part).tolist()
    whole = [search.scores[at] for at in places]
    if not whole:
        return _estimate(search, nan, "no setting has predictions of all splits")
    units = Units(search.dataset, whole[0].outcome.rows)
    if units.lack:
        return _estimate(search, nan, units.lack)
    generator = stream(asked.seed, "bias corrected")
    count, chooser = DRAWS if asked.draws is None else asked.draws, None
    if search.criterion.of_means is not None:
        if asked.draws is None:
            products = MOST_PRODUCTS // (units.units * len(whole))
            count = max(LEAST, min(count, MOST_DRAWN // units.units, products))
        if rule != "best":
            chooser = one_error_in_draws(search, places, units.of)
        values = _of_means(search, whole, units, count, generator, chooser)
    else:
        if asked.draws is None:
            count = max(LEAST, min(count, VALUES // len(whole)))
        values = _of_values(search, whole, units, count, generator)
    pooled = ", folds pooled" if search.criterion.of_means is None else ""
    notes = [f"{count:,} draws of {units.word}s{pooled}"]
    left_out = [score for score, takes in zip(search.scores, takes_part, strict=True) if not takes]
    notes += _left_out(values, left_out)
    if rule != "best" and chooser is None:
        notes.append(f"of the rule best, not {rule}")
    values = values[~np.isnan(values)]
    if len(values) < LEAST // 2:
        reason = f"the measure is undefined in nearly all draws ({'; '.join(notes)})"
        return _estimate(search, nan, reason)
    estimate = _estimate(search, float(np.mean(values)), *notes)
    if reason := no_test_along(search.splits.procedure):
        return estimate.bounded(absent(reason, level=asked.level))
    low, high = percentiles(values, asked.level)
    is_bounded = bool(np.isfinite([low, high]).any())
    return estimate.bounded(Interval(low, high, asked.level, METHOD) if is_bounded else None)


def _estimate(search: Search, value: float, *notes: str) -> Result:
    method = "" if isnan(value) else METHOD
    return Result(
        search.criterion.name,
        value,
        len(search.dataset),
        as_notes(*notes),
        procedure=search.splits.procedure,
        of=Of.BIAS_CORRECTED,
        method=method,
    )


def _left_out(values: NDArray[np.float64], settings: Sequence[Scored]) -> Iterator[str]:
    """Settings and draws that take no part, and draws without a finite value."""
    if settings:
        word = "setting" if len(settings) == 1 else "settings"
        lacks = all(setting.lack is Kind.NOT_GIVEN for setting in settings)
        what = "a value" if lacks else "predictions of all splits"
        yield f"left out: {len(settings):,} {word} without {what}"
    if lost := int(np.count_nonzero(np.isnan(values))):
        yield f"undefined in {lost:,} draws"
    if endless := int(np.count_nonzero(np.isinf(values))):
        yield f"infinite in {endless:,} draws, in which the loss of a row is infinite"


def _of_means(
    search: Search,
    whole: list[Scored],
    units: Units,
    draws: int,
    generator: Generator,
    chooser: OneError | None,
) -> NDArray[np.float64]:
    """Values of the chosen on rows not drawn, where the measure follows from a mean of losses."""
    request, goodness = search.criterion.request, search.criterion.goodness
    transform: Any = search.criterion.of_means
    weights = _weights(search, whole[0])
    sums = np.empty((units.units, len(whole)))
    endless: NDArray[np.float64] | None = None
    for column, score in enumerate(whole):
        losses = row_losses(request, score.known) * weights
        is_endless = np.isinf(losses)
        if is_endless.any():
            # an infinite loss times no draw is no loss
            endless = np.zeros_like(sums) if endless is None else endless
            sign = np.sign(losses[is_endless][0])
            endless[:, column] = sign * np.bincount(units.of, is_endless, units.units)
            losses = np.where(is_endless, 0.0, losses)
        sums[:, column] = np.bincount(units.of, losses, units.units)
    total = np.asarray(np.bincount(units.of, weights, units.units), np.float64)
    values = np.empty(draws)
    size = max(1, BLOCK // max(units.units, len(whole)))
    for start in range(0, draws, size):
        stop = min(start + size, draws)
        counts = units.counts(generator, stop - start)
        if chooser is None:
            best = first_best(goodness(transform(_means(counts, sums, endless, total))))
        else:
            best = chooser.choose(counts)
        outside = (counts == 0).astype(np.float64)
        means = _means(outside, sums, endless, total)
        values[start:stop] = transform(means[np.arange(stop - start), best])
    return values


def _means(
    counts: NDArray[np.float64],
    sums: NDArray[np.float64],
    endless: NDArray[np.float64] | None,
    total: NDArray[np.float64],
) -> NDArray[np.float64]:
    with np.errstate(divide="ignore", invalid="ignore"):
        means = (counts @ sums) / (counts @ total)[:, np.newaxis]
    if endless is not None:
        often = counts @ endless
        means = np.where(often != 0, np.copysign(np.inf, often), means)
    return np.asarray(means)


def _of_values(
    search: Search, whole: list[Scored], units: Units, draws: int, generator: Generator
) -> NDArray[np.float64]:
    """The same for any measure: its value on the rows drawn, setting by setting."""
    drawn_values = np.full(draws, nan)
    for number in range(draws):
        often = units.multiplicities(generator)
        outside = np.flatnonzero(often == 0)
        if not len(outside):
            continue
        inside = np.repeat(np.arange(len(often)), often)
        best = search.criterion.best([_value(score, inside) for score in whole])
        if best >= 0:
            drawn_values[number] = _value(whole[best], outside)
    return drawn_values


def _value(score: Scored, rows: NDArray[np.int64]) -> float:
    """The value on some of the predictions, each as often as it is named."""
    return overall(score.request, Tallies(score.known.predictions.take(rows))).value


def _weights(search: Search, score: Scored) -> NDArray[np.float64]:
    """What each prediction weighs: of a bootstrap's estimate, rows out of the bag count once."""
    if search.of in ("folds", "pooled"):
        return score.known.row_weights
    rows = score.outcome.rows
    return score.known.row_weights / np.bincount(rows)[rows]
