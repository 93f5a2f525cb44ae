"""Tests of each slice of a column against all other rows, by measure and design."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from math import isnan, nan, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.assess.forms import of_share_right, why_no_interval
from heldout.assess.influences import influence_of
from heldout.assess.label_draws import LabelDraws
from heldout.assess.ranking_cases import THIN, gap_statistic, gaps_of
from heldout.assess.slice_influences import influence_tests
from heldout.assess.values import losses_of, overall, table_of
from heldout.core.notes import Kind, Note
from heldout.core.significance import Test, no_test
from heldout.engines.protocol import slice_by
from heldout.measures.calibration import thin_bins
from heldout.measures.spec import parse_request
from heldout.tally.confusion import Binary
from heldout.tally.moments import Moments
from heldout.uncertainty.gap_differences import DRAWS, gap_difference_p_value
from heldout.uncertainty.gap_intervals import too_many_bins
from heldout.uncertainty.means import mean_lack
from heldout.uncertainty.quantiles import normal_cumulative

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from heldout.assess.slice_rests import SliceRests
    from heldout.core.notes import Lack
    from heldout.engines.memory import Tallies
    from heldout.engines.parts import Partition
    from heldout.measures.spec import Request
    from heldout.tally.scores import ScoreCounts

#: with a smaller expected count in a cell the exact test takes the place of the score test
EXPECTED = 10
#: fewer rows, or fewer of a class where it matters, are too few to judge
FEWEST_ROWS, FEWEST_OF_CLASS = 10, 5


@dataclass(frozen=True, eq=False)
class SliceTests:
    """Tests of each slice of a column against all other rows.

    Parameters
    ----------
    rests
        What all rows but those of each slice are.
    """

    rests: SliceRests
    seed: int = 1

    @property
    def whole(self) -> Tallies:
        """The tallies of all rows."""
        return self.rests.whole

    @property
    def column(self) -> str:
        """The name of the column."""
        return self.rests.column

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
        tests = [no_test(note or "") for note in small]
        if places:
            chosen = np.array(places)
            each = self._tests(request, chosen, values[chosen], rests[chosen])
            for number, test in zip(places, each, strict=True):
                tests[number] = test
        return tests

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
        if is_plain and is_single and measure.is_of_gaps:
            (tally,) = measure.needs
            rests_of = self.rests.scores(tally, request)
            return [
                bin_test(request, self.slices.at(k).of_kind(tally), rests_of[k], self.seed)
                for k in places.tolist()
            ]
        influence = influence_of(request, self.whole)
        if influence is not None:
            every = np.full(len(self.slices), np.nan)
            every[places] = differences
            tests = influence_tests(influence, self.whole, self.column, every.tolist())
            return [tests[number] for number in places.tolist()]
        if set(measure.needs) == {Moments} and is_single:
            lacks = (mean_lack(self.whole.moments(*loss)) for loss in losses_of(request))
            return [no_test(next(filter(None, lacks), "it does not vary smoothly"))] * len(places)
        each = zip(places.tolist(), values.tolist(), differences.tolist(), strict=True)
        whole = overall(request, self.whole).value
        return [self.draws.test(request, number, value - whole, gap) for number, value, gap in each]

    @cached_property
    def draws(self) -> LabelDraws:
        """Labels of slices dealt out at random."""
        return LabelDraws(self.whole, self.column, self.seed)

    def _why_not(self, request: Request) -> str | Lack | None:
        if request.measure.is_sum:
            return "sums over different numbers of rows are not comparable"
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


def bin_test(request: Request, some: ScoreCounts, rest: ScoreCounts, seed: int) -> Test:
    """Whether some rows and all others differ in a measure of calibration bins."""
    values = request.values
    value, other = (float(request.measure(counts, **values)) for counts in (some, rest))
    if any(thin_bins(counts, bins=values["bins"]) for counts in (some, rest)):
        return no_test(THIN, estimate=value - other)
    own, others = gaps_of(some, values), gaps_of(rest, values)
    if reason := too_many_bins(len(own.rows), len(others.rows)):
        return no_test(reason, estimate=value - other)
    p_value = gap_difference_p_value(own, others, gap_statistic(request), seed=seed)
    if isnan(p_value):
        return no_test("the value does not vary", estimate=value - other)
    method = f"inverted tests of gaps, {DRAWS} draws of bins, seed {seed}"
    return Test(method, nan, p_value, estimate=value - other)


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
