"""Tests of each slice of a column against all other rows, by measure and design."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, partial
from math import sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.assess.forms import of_share_right, why_no_interval
from heldout.assess.influences import influence_of, influence_tests
from heldout.assess.score_formulas import bin_test, fixed_bin_test, has_fixed_bins, without
from heldout.assess.values import losses_of, of_each, overall, table_of
from heldout.core.memo import once
from heldout.core.notes import Kind, Note
from heldout.core.random import stream
from heldout.core.significance import Test, no_test
from heldout.decisions.joined import ends_of, joined, joined_at
from heldout.engines.memory import Tallies
from heldout.engines.protocol import slice_by
from heldout.measures.spec import parse_request
from heldout.tally.confusion import Binary
from heldout.tally.moments import Moments
from heldout.tally.scores import ScoreCounts, TopLabel
from heldout.uncertainty.means import mean_lack
from heldout.uncertainty.quantiles import normal_cumulative
from heldout.uncertainty.sample import RowSampler, row_order

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from heldout.core.notes import Lack
    from heldout.engines.parts import Partition
    from heldout.measures.spec import Request

#: with a smaller expected count in a cell the exact test takes the place of the score test
EXPECTED = 10
#: fewer rows, or fewer of a class where it matters, are too few to judge
FEWEST_ROWS, FEWEST_OF_CLASS = 10, 5
#: scores kept apart in bins, of which there are mostly ten
BIN_SCORES = 5_000
#: random draws of one size, and sizes that are drawn where slices have more different ones
DRAWS, SIZES = 100, 6
#: sizes that differ by less than this factor are one size
NEAR = 1.1
#: scores that are kept apart in them, and rows that may be drawn in all
DRAW_LEVELS, MOST_DRAWN = 250, 20_000_000
#: with a larger share of undefined draws there is no spread
UNDEFINED_ALLOWED = 0.05


@dataclass(frozen=True, eq=False)
class SliceTests:
    """Tests of each slice of a column against all other rows.

    Parameters
    ----------
    whole
        The tallies of all rows.
    column
        The name of the column.
    """

    whole: Tallies
    column: str
    seed: int = 1

    @cached_property
    def slices(self) -> Partition:
        """The rows by slice."""
        return self.whole.parts(slice_by(self.column))

    def why_small(self, request: Request) -> list[Note | None]:
        """Why each slice, or the rest of it, is too small to judge; None where it is not.

        Ten rows are needed; where a measure depends on both classes, five of each; where it
        is a share of some rows (precision), five of those.
        """
        sizes = self._sizes(request)
        others = sizes.sum(axis=0) - sizes
        return [_why_small(*pair) for pair in zip(sizes.tolist(), others.tolist(), strict=True)]

    def tests(self, request: Request, values: NDArray[Any], rests: NDArray[Any]) -> list[Test]:
        """A test for each slice; none, with the reason, where none is valid.

        ``values`` and ``rests`` are those of each slice and of all rows but those of it.
        """
        small = self.why_small(request)
        places = [s for s, note in enumerate(small) if note is None]
        made = [no_test(note or "") for note in small]
        if places:
            chosen = np.array(places)
            each = self._tests(request, chosen, values[chosen], rests[chosen])
            for place, test in zip(places, each, strict=True):
                made[place] = test
        return made

    def _tests(
        self, request: Request, places: NDArray[Any], values: NDArray[Any], rests: NDArray[Any]
    ) -> list[Test]:
        measure, p = request.measure, self.whole.predictions
        if reason := self._why_not(request):
            return [no_test(reason)] * len(places)
        with np.errstate(invalid="ignore"):  # of two infinite values
            differences = values - rests
        is_single = not request.average and request.label is None
        is_plain = p.weight is None and p.design.group is None
        if is_plain and measure.share is not None and is_single:
            return self._shares(request, places, differences)
        follows = request.average and measure.needs == (Binary,)
        if is_plain and follows and of_share_right(request, len(p.classes)) is not None:
            return self._shares(parse_request("accuracy"), places, differences)
        is_of_scores = set(measure.needs) <= {ScoreCounts, TopLabel} and is_single
        if is_plain and is_of_scores and measure.is_of_gaps:
            return self._bins(request, places)
        influence = influence_of(request, self.whole)
        if influence is not None:
            tests = influence_tests(
                influence, self.whole, self.column, self._spread(differences, places)
            )
            return [tests[place] for place in places.tolist()]
        if set(measure.needs) == {Moments} and is_single:
            lacks = (mean_lack(self.whole.moments(*loss)) for loss in losses_of(request))
            return [no_test(next(filter(None, lacks), "it does not vary smoothly"))] * len(places)
        if is_plain and is_of_scores:
            return self._scores(request, places, differences)
        return self._rows(request, places, values, differences)

    def _spread(self, some: NDArray[Any], places: NDArray[Any]) -> NDArray[Any]:
        """Numbers of some slices at their places among all."""
        every = np.full(len(self.slices), np.nan)
        every[places] = some
        return every

    def _why_not(self, request: Request) -> str | Lack | None:
        if request.measure.is_sum:
            return "sums over different numbers of rows do not compare"
        return why_no_interval(request, self.whole)

    def _sizes(self, request: Request) -> NDArray[np.int64]:
        """Rows of each slice, and rows of each kind that the measure depends on."""
        p, measure = self.whole.predictions, request.measure
        rows = self.slices.rows[:, None]
        if p.task == "regression" or measure.needs[0] is Moments:
            return rows
        if measure.share is not None and not request.average and request.label is None:
            return rows if p.weight is not None else np.hstack([rows, self._trials(request)[1]])
        counts = self.slices.class_rows
        if p.task == "binary":
            return np.hstack([rows, counts])
        if request.label is not None:
            of_class = counts[:, p.place_of(request.label)][:, None]
            return np.hstack([rows, of_class, rows - of_class])
        return rows

    def _trials(self, request: Request) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Successes and trials of each slice, as columns."""
        share = request.measure.share
        assert share is not None
        counts = self.slices.confusion
        if counts is not None:
            pair = share.of(table_of(request, counts))
            both = np.stack(np.broadcast_arrays(*pair), axis=1)
        else:
            each = (share.of(table_of(request, rows.confusion)) for rows in self.slices)
            both = np.array(list(each))
        return both[:, :1].astype(np.int64), both[:, 1:].astype(np.int64)

    def _shares(
        self, request: Request, places: NDArray[Any], differences: NDArray[Any]
    ) -> list[Test]:
        successes, trials = (part[:, 0] for part in self._trials(request))
        total, of = int(successes.sum()), int(trials.sum())
        each = zip(successes[places].tolist(), trials[places].tolist(), strict=True)
        tests = [share_test(some, n, total - some, of - n) for some, n in each]
        pairs = zip(tests, differences.tolist(), strict=True)
        return [replace(test, estimate=difference) for test, difference in pairs]

    def _rankings(
        self, request: Request, places: NDArray[Any]
    ) -> tuple[ScoreCounts, list[ScoreCounts]]:
        """The ranking of all rows, and of each slice."""
        (tally,) = request.measure.needs
        return self.whole.of_kind(tally), [self.slices.at(s).of_kind(tally) for s in places]

    def _scores(
        self, request: Request, places: NDArray[Any], differences: NDArray[Any]
    ) -> list[Test]:
        """By draws of as many rows, which any measure of scores allows, smooth or not."""
        whole, slices = self._rankings(request, places)
        key = f"draws of {type(whole).__name__}"
        draws = once(self.slices, key, lambda _: RandomDraws(whole, self.seed))
        spreads = draws.spreads(partial(of_each, request), self.slices.rows[places].tolist())
        some = of_each(request, list(map(draws.on_grid, slices)))
        each = zip(some, spreads, differences.tolist(), strict=True)
        return [draw_test(value, *spread, difference) for value, spread, difference in each]

    def _bins(self, request: Request, places: NDArray[Any]) -> list[Test]:
        """By the bins of either side: noise raises both, and the one with fewer rows more."""
        whole, each = self._rankings(request, places)
        if has_fixed_bins(request):
            return [fixed_bin_test(request, some, whole, self.seed) for some in each]
        if len(whole.score) > BIN_SCORES:
            whole = joined(whole, ends_of(whole, BIN_SCORES))
            each = [joined_at(some, whole.score) for some in each]
        return [bin_test(request, some, without(whole, some), self.seed) for some in each]

    def _rows(
        self,
        request: Request,
        places: NDArray[Any],
        values: NDArray[Any],
        differences: NDArray[Any],
    ) -> list[Test]:
        """By draws of as many rows, or of as many groups, of measures that need the rows."""
        draws = UnitDraws(self.whole, self.seed)
        sizes = draws.units_of(self.slices)[places].tolist()
        wanted = few_sizes(sizes)
        if DRAWS * sum(wanted) * draws.rows_of_a_unit > MOST_DRAWN:
            return [no_test("no test of this measure for so many rows")] * len(places)
        spreads = spread_of_sizes(lambda size: draws.values(request, size), sizes)
        each = zip(values.tolist(), spreads, differences.tolist(), strict=True)
        return [
            draw_test(value, *spread, difference, units=draws.name)
            for value, spread, difference in each
        ]


def _why_small(own: list[int], others: list[int]) -> Note | None:
    if not others[0]:
        return Note("the only slice")
    if few := _too_few(own):
        return Note(few, Kind.TOO_SMALL)
    return Note(f"the rest is too small: {few}") if (few := _too_few(others)) else None


def _too_few(sizes: Sequence[int]) -> str:
    """Rows, or rows of a kind, that are too few to judge; empty where they are enough."""
    count, words = sizes[0], ""
    if count >= FEWEST_ROWS:
        count, words = min(sizes), " of a kind it depends on"
        if count >= FEWEST_OF_CLASS:
            return ""
    return f"{count:,} row{'s' * (count != 1)}{words}"


def share_test(successes: int, n: int, other_successes: int, other_n: int) -> Test:
    """Whether two shares differ: Fisher's exact test where counts are small, else score.

    Examples
    --------
    >>> test = share_test(3, 10, 90, 100)
    >>> test.method, test.p_value
    ("Fisher's exact test", 0.000056)
    """
    if not n or not other_n:
        return no_test("no rows on one side")
    difference = successes / n - other_successes / other_n
    total, hits = n + other_n, successes + other_successes
    if not hits or hits == total:
        return Test("Fisher's exact test", 0.0, 1.0, estimate=difference)
    pooled = hits / total
    error = sqrt(pooled * (1 - pooled) * (1 / n + 1 / other_n))
    statistic = difference / error
    if min(hits, total - hits) * min(n, other_n) / total < EXPECTED:
        p_value = _fisher(successes, n, hits, total)
        return Test("Fisher's exact test", statistic, p_value, estimate=difference)
    p_value = 2 * normal_cumulative(-abs(statistic))
    return Test("score test", statistic, p_value, error=error, estimate=difference)


def _fisher(successes: int, n: int, hits: int, total: int) -> float:
    """The probability of all tables with these margins that are no likelier than this one.

    As ``scipy.stats.fisher_exact``, whose import takes longer than all slices of a table.
    """
    from heldout.core.special import gammaln

    some = np.arange(max(0, n + hits - total), min(n, hits) + 1)
    rest = total - n
    other = hits - some
    log = -(gammaln(some + 1) + gammaln(n - some + 1) + gammaln(other + 1))
    log -= gammaln(rest - other + 1)
    weight = np.exp(log - log.max())
    here = weight[successes - some[0]]
    return min(float(weight[weight <= here * (1 + 1e-7)].sum() / weight.sum()), 1.0)


def draw_test(
    value: float, mean: float, spread: float, difference: float, *, units: str = "rows"
) -> Test:
    """Whether a value is unlike that of as many rows drawn at random from all.

    ``mean`` and ``spread`` (standard deviation) are those of the values of random draws, which
    is what exchanging the labels of slices gives. Student's t of one more draw stands for the
    tails, which few draws do not reach. It allows for a measure whose value depends on the
    number of rows.

    Examples
    --------
    >>> draw_test(0.5, 0.4, 0.05, 0.1).p_value
    0.0493
    """
    from heldout.core.special import stdtr

    if np.isnan(value) or np.isnan(spread):
        return no_test(f"undefined in some random draws of as many {units}", estimate=difference)
    if not spread:
        return no_test("the value does not vary", estimate=difference)
    statistic = (value - mean) / (spread * sqrt(1 + 1 / DRAWS))
    p_value = float(2 * stdtr(DRAWS - 1, -abs(statistic)))
    method = f"t against {DRAWS} random draws of as many {units}"
    return Test(method, statistic, p_value, degrees=(DRAWS - 1.0,), estimate=difference)


def few_sizes(sizes: Sequence[int]) -> list[int]:
    """The sizes that are drawn: all, or of many a few (one a doubling, of near ones the middle)."""
    wanted = sorted(set(sizes))
    least, most = wanted[0], wanted[-1]
    few = min(SIZES, 2 + int(np.log2(most / least))) if most > NEAR * least else 1
    if len(wanted) <= few:
        return wanted
    steps = np.geomspace(least, most, few) if few > 1 else [(least * most) ** 0.5]
    return sorted({round(float(step)) for step in steps})


def spread_of_sizes(
    values: Callable[[int], Sequence[float]], sizes: Sequence[int]
) -> list[tuple[float, float]]:
    """Mean and standard deviation of a value over draws of each size.

    ``values`` gives the values of draws of a size. Between the sizes that are drawn, lines in
    the logarithm of the size lead from one to the next, for the mean and for the spread times
    the root of the size.
    """
    wanted = few_sizes(sizes)
    means, roots = [], []
    for size in wanted:
        drawn = np.array(values(size), float)
        known = drawn[np.isfinite(drawn)]
        is_known = len(known) >= (1 - UNDEFINED_ALLOWED) * len(drawn)
        means.append(float(known.mean()) if is_known else np.nan)
        roots.append(float(known.std(ddof=1)) * size**0.5 if is_known else np.nan)
    logs, at = np.log(wanted), np.log(np.asarray(sizes, float))
    widths = np.interp(at, logs, roots) / np.sqrt(np.asarray(sizes, float))
    return list(zip(np.interp(at, logs, means).tolist(), widths.tolist(), strict=True))


class RandomDraws:
    """Rows drawn at random from all, by their scores.

    Parameters
    ----------
    whole
        The scores of all rows; neighbours are joined where they are many.

    Examples
    --------
    >>> from heldout.tally.scores import ScoreCounts
    >>> draws = RandomDraws(ScoreCounts.of(np.arange(1000) % 4 == 0, np.arange(1000.0) % 9))
    >>> ((mean, spread),) = draws.spreads(
    ...     lambda drawn: [s.total_positives / s.total for s in drawn], [100]
    ... )
    >>> round(mean, 1), round(spread, 2)
    (0.2, 0.04)
    """

    def __init__(self, whole: ScoreCounts, seed: int = 1) -> None:
        self.grid = joined(whole, ends_of(whole, DRAW_LEVELS))
        self.seed = seed
        self._drawn: dict[int, list[ScoreCounts]] = {}

    def on_grid(self, some: ScoreCounts) -> ScoreCounts:
        """The rows of a slice on the same scores as the draws."""
        here = joined_at(some, self.grid.score)
        return self._counts(here.positives, here.negatives)

    def spreads(
        self, values: Callable[[Sequence[ScoreCounts]], Sequence[float]], sizes: Sequence[int]
    ) -> list[tuple[float, float]]:
        """Mean and standard deviation of a value over draws of each size.

        ``values`` gives the value of each of many draws.
        """
        return spread_of_sizes(lambda size: values(self.draw(size)), sizes)

    def draw(self, size: int) -> list[ScoreCounts]:
        """Draws of about so many rows, the same each time."""
        if size not in self._drawn:
            rng = stream(self.seed, "slices", "draws", str(size))
            sides = (self.grid.positives, self.grid.negatives)
            share = size / self.grid.rows
            self._drawn[size] = [
                self._counts(*(rng.binomial(side, share) for side in sides)) for _ in range(DRAWS)
            ]
        return self._drawn[size]

    def _counts(self, positives: NDArray[Any], negatives: NDArray[Any]) -> ScoreCounts:
        kept = (positives > 0) | (negatives > 0)
        total = int(positives.sum() + negatives.sum())
        return type(self.grid)(self.grid.score[kept], positives[kept], negatives[kept], total)


class UnitDraws:
    """Whole groups, or rows that stand alone, drawn at random from all."""

    def __init__(self, whole: Tallies, seed: int) -> None:
        self.whole, self.seed = whole, seed
        p = whole.predictions
        group = p.design.group
        self.codes = np.arange(len(p)) if group is None else group.codes
        self.units = len(p) if group is None else len(group.levels)
        self.name = "rows" if group is None else "groups"
        # in the order of what rows hold, so that their order in a file moves nothing
        self._sampler = RowSampler(len(p), order=partial(row_order, p))

    @property
    def rows_of_a_unit(self) -> float:
        """How many rows a unit has on average."""
        return self.whole.rows / self.units

    def units_of(self, slices: Partition) -> NDArray[np.int64]:
        """How many units each slice has, or has a part of."""
        if self.name == "rows":
            return slices.rows
        both = np.unique(slices.part * self.units + self.codes[slices.order])
        return np.bincount(both // self.units, minlength=len(slices))

    def values(self, request: Request, size: int) -> list[float]:
        """The values of draws of about so many units."""
        rng = stream(self.seed, "slices", "units", str(size))
        p, made = self.whole.predictions, []
        for _ in range(DRAWS):
            kept = rng.random(self.units) < size / self.units
            kept = self._sampler.of_rows(kept) if self.name == "rows" else kept[self.codes]
            made.append(overall(request, Tallies(p.take(kept))).value)
        return made
