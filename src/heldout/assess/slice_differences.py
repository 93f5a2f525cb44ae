"""Which test tells whether a slice differs from the rest, by measure and design."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.assess.forms import of_share_right, why_no_interval
from heldout.assess.score_formulas import bin_test, fixed_bin_test, has_fixed_bins, without
from heldout.assess.slice_rows import PARTS, jackknifed, sums_for
from heldout.assess.slice_tests import (
    Jackknifed,
    Test,
    area_test,
    draw_test,
    jackknife_test,
    mean_test,
    no_test,
    share_test,
)
from heldout.assess.values import losses_of, of_each, overall, table_of
from heldout.core.memo import once
from heldout.core.notes import Kind, Note
from heldout.core.random import stream
from heldout.decisions.joined import LEVELS, ends_of, joined, joined_at
from heldout.engines.memory import Tallies
from heldout.measures.spec import parse_request
from heldout.tally.confusion import Binary
from heldout.tally.moments import Moments
from heldout.tally.scores import ScoreCounts, TopLabel

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from heldout.assess.slice_rows import SliceRows
    from heldout.core.notes import Lack
    from heldout.measures.spec import Request

__all__ = ["RandomDraws", "SliceDifferences"]

#: random draws of one size, and sizes that are drawn where slices have more different ones
DRAWS, SIZES = 100, 6
#: sizes that differ by less than this factor are one size
NEAR = 1.1
#: scores that are kept apart in them
DRAW_LEVELS = 250
#: with a larger share of undefined draws there is no spread
UNDEFINED_ALLOWED = 0.05


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
        self._slices: dict[int, ScoreCounts] = {}

    def on_grid(self, place: int, some: ScoreCounts) -> ScoreCounts:
        """The rows of a slice on the same scores as the draws; made once."""
        if place not in self._slices:
            here = joined_at(some, self.grid.score)
            self._slices[place] = self._counts(here.positives, here.negatives)
        return self._slices[place]

    def spreads(
        self, values: Callable[[Sequence[ScoreCounts]], Sequence[float]], sizes: Sequence[int]
    ) -> list[tuple[float, float]]:
        """Mean and standard deviation of a value over draws of each size.

        ``values`` gives the value of each of many draws.
        Of many different sizes a few are drawn (one a doubling; of sizes within a tenth of
        each other the middle one), and lines in the logarithm of the size lead from one to the
        next, for the mean and for the spread times the root of the size.
        """
        wanted = sorted(set(sizes))
        least, most = wanted[0], wanted[-1]
        few = min(SIZES, 2 + int(np.log2(most / least))) if most > NEAR * least else 1
        if len(wanted) > few:
            steps = np.geomspace(least, most, few) if few > 1 else [(least * most) ** 0.5]
            wanted = sorted({round(float(step)) for step in steps})
        found = [self._spread(values, size) for size in wanted]
        logs, at = np.log(wanted), np.log(np.asarray(sizes, float))
        means = np.interp(at, logs, [mean for mean, _ in found])
        roots = [spread * size**0.5 for (_, spread), size in zip(found, wanted, strict=True)]
        widths = np.interp(at, logs, roots) / np.sqrt(np.asarray(sizes, float))
        return list(zip(means.tolist(), widths.tolist(), strict=True))

    def _spread(
        self, values: Callable[[Sequence[ScoreCounts]], Sequence[float]], size: int
    ) -> tuple[float, float]:
        found = np.array(values(self._draw(size)), float)
        known = found[np.isfinite(found)]
        if len(known) < (1 - UNDEFINED_ALLOWED) * len(found):
            return float("nan"), float("nan")
        return float(known.mean()), float(known.std(ddof=1))

    def _draw(self, size: int) -> list[ScoreCounts]:
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


#: fewer rows, or fewer of a class where it matters, are too few to judge
FEWEST_ROWS, FEWEST_OF_CLASS = 10, 5
#: rows times slices up to which a measure that needs the rows themselves is tested
ROW_WORK = 150_000
#: scores kept apart in bins, of which there are mostly ten
BIN_SCORES = 5_000


@dataclass(frozen=True, eq=False)
class SliceDifferences:
    """Tests of each slice of a column against all other rows.

    Where a test joins neighbouring scores, its difference is not that of the rows: for those
    measures ``SliceRests`` has it.

    Parameters
    ----------
    rows, each, whole
        The rows by slice, the tallies of each slice, and those of all rows.
    """

    rows: SliceRows
    each: Sequence[Tallies]
    whole: Tallies
    seed: int = 1

    def tests(self, request: Request) -> list[Test]:
        """A test for each slice; none, with the reason, where none is valid."""
        small = [self.too_small(request, s) for s in range(len(self.rows))]
        judged = [s for s, note in enumerate(small) if note is None]
        found = dict(zip(judged, self._tests(request, judged), strict=True)) if judged else {}
        return [found[s] if note is None else no_test(note) for s, note in enumerate(small)]

    def too_small(self, request: Request, index: int) -> Note | None:
        """Why a slice, or the rest of it, is too small to judge; None where it is not.

        Ten rows are needed; where a measure depends on both classes, five of each; where it
        is a share of some rows (precision), five of those.
        """
        own, whole = (self._sizes(request, rows) for rows in (self.each[index], self.whole))
        others = [total - size for total, size in zip(whole, own, strict=True)]
        if not others[0]:
            return Note("the only slice")
        if few := _too_few(own):
            return Note(few, Kind.TOO_SMALL)
        return Note(f"the rest is too small: {few}") if (few := _too_few(others)) else None

    def _tests(self, request: Request, judged: list[int]) -> list[Test]:
        measure, p = request.measure, self.whole.predictions
        if reason := self._why_not(request):
            return [no_test(reason)] * len(judged)
        single = not request.average and request.label is None
        plain = p.weight is None and p.design.group is None
        if measure.share is not None and single and plain:
            return [self._share(request, s) for s in judged]
        if request.average and measure.needs == (Binary,) and plain:
            function = of_share_right(request, len(p.classes))
            if function is not None:
                return [self._share_right(function, s) for s in judged]
        if measure.area is not None and single and plain:
            return [self._area(request, s) for s in judged]
        if set(measure.needs) <= {ScoreCounts, TopLabel} and single and plain:
            return (self._bins if measure.is_of_gaps else self._scores)(request, judged)
        own_prior = measure.uses_prior and p.prior is None and p.train_mean is None
        if measure.needs == (Moments,) and not own_prior and p.design.group is None:
            rest = self._other_moments(request)
            return [self._mean(request, s, rest[s]) for s in judged]
        return self._by_parts(request, judged, own_prior=own_prior)

    def _why_not(self, request: Request) -> str | Lack | None:
        if request.measure.is_sum:
            return "sums over different numbers of rows do not compare"
        return why_no_interval(request, self.whole)

    def _share(self, request: Request, index: int) -> Test:
        some, n = self._trials(request, self.each[index])
        total, of = self._trials(request, self.whole)
        return share_test(some, n, total - some, of - n)

    def _share_right(self, function: Callable[[float], float], index: int) -> Test:
        """Of an average that follows from the accuracy (micro recall): the accuracy's test."""
        accuracy = parse_request("accuracy")
        some, n = self._trials(accuracy, self.each[index])
        total, of = self._trials(accuracy, self.whole)
        difference = function(some / n) - function((total - some) / (of - n))
        return replace(share_test(some, n, total - some, of - n), difference=difference)

    def _trials(self, request: Request, tallies: Tallies) -> tuple[int, int]:
        share = request.measure.share
        assert share is not None
        successes, trials = share.of(table_of(request, tallies.confusion))
        return int(successes), int(trials)

    def _mean(self, request: Request, index: int, rest: Moments) -> Test:
        (loss,) = losses_of(request)
        own = self.each[index].moments(*loss)
        value, other = (request.measure(m, **request.values) for m in (own, rest))
        return replace(mean_test(own, rest), difference=float(value) - float(other))

    def _area(self, request: Request, index: int) -> Test:
        whole = self._grid
        some = joined_at(self.each[index].scores, whole.score)
        rest = ScoreCounts(
            whole.score,
            whole.positives - some.positives,
            whole.negatives - some.negatives,
            whole.rows - some.rows,
        )
        return area_test(some, rest, whole)

    @cached_property
    def _grid(self) -> ScoreCounts:
        """The scores of all rows, neighbours joined where they are many."""
        return joined(self.whole.scores, ends_of(self.whole.scores, LEVELS))

    def _scores(self, request: Request, judged: list[int]) -> list[Test]:
        """By draws of as many rows, which any measure of scores allows, smooth or not."""
        is_top = request.measure.needs == (TopLabel,)
        whole = self.whole.top_label if is_top else self.whole.scores
        draws = once(self.rows, f"draws {is_top}", lambda _: RandomDraws(whole, self.seed))

        spreads = draws.spreads(partial(of_each, request), [self.each[s].rows for s in judged])
        some = [
            draws.on_grid(s, self.each[s].top_label if is_top else self.each[s].scores)
            for s in judged
        ]
        return [
            draw_test(value, 0.0, mean=mean, spread=spread, draws=DRAWS)
            for value, (mean, spread) in zip(of_each(request, some), spreads, strict=True)
        ]

    def _bins(self, request: Request, judged: list[int]) -> list[Test]:
        """By the bins of either side: noise raises both, and the one with fewer rows more."""
        is_top = request.measure.needs == (TopLabel,)
        whole = self.whole.top_label if is_top else self.whole.scores
        if has_fixed_bins(request):
            each = [self.each[s].top_label if is_top else self.each[s].scores for s in judged]
            return [fixed_bin_test(request, some, whole, self.seed) for some in each]
        is_long = len(whole.score) > BIN_SCORES
        grid = joined(whole, ends_of(whole, BIN_SCORES)) if is_long else whole

        def test(place: int) -> Test:
            own = self.each[place]
            some = own.top_label if is_top else own.scores
            some = joined_at(some, grid.score) if is_long else some
            return bin_test(request, some, without(grid, some), self.seed)

        return [test(place) for place in judged]

    def _other_moments(self, request: Request) -> list[Moments]:
        """The moments of all slices but one, for each: sums from either end, none taken off."""
        (loss,) = losses_of(request)
        own = [tallies.moments(*loss) for tallies in self.each]
        before, after = [Moments()], [Moments()]
        for moments in own[:-1]:
            before.append(before[-1] + moments)
        for moments in own[:0:-1]:
            after.append(after[-1] + moments)
        return [a + b for a, b in zip(before, reversed(after), strict=True)]

    def _by_parts(self, request: Request, judged: list[int], *, own_prior: bool) -> list[Test]:
        sums = "it is not made of sums" if own_prior else sums_for(request, self.rows, self.whole)
        if not isinstance(sums, str):
            some, rest, whole = jackknifed(sums, self.rows.sizes)
            return [jackknife_test(some[s], rest[s], whole, parts=self._parts) for s in judged]
        if len(self.whole.predictions) * len(self.rows) > ROW_WORK:
            return [no_test(f"no test of this measure for so many rows: {sums}")] * len(judged)
        everything = np.arange(len(self.rows.predictions))
        whole = self._by_rows(request, everything)
        made = []
        for s in judged:
            own = self.rows.stretch(s)
            made.append(
                jackknife_test(
                    self._by_rows(request, everything[own]),
                    self._by_rows(request, np.delete(everything, own)),
                    whole,
                    parts=self._parts,
                )
            )
        return made

    @property
    def _parts(self) -> str:
        grouped = self.whole.predictions.design.group is not None
        return "random parts of the groups" if grouped else "random parts"

    def _by_rows(self, request: Request, rows: NDArray[Any]) -> Jackknifed:
        """The value of some rows and without each part of them, computed anew each time."""
        p = self.rows.predictions
        part = self.rows.parts[rows]

        def value(kept: NDArray[Any]) -> float:
            return overall(request, Tallies(p.take(kept))).value

        sizes = np.bincount(part, minlength=PARTS)
        without = np.array([value(rows[part != g]) if sizes[g] else np.nan for g in range(PARTS)])
        return Jackknifed.of(value(rows), without, sizes)

    def _sizes(self, request: Request, tallies: Tallies) -> tuple[int, ...]:
        """Rows, and rows of each kind that the measure depends on."""
        p, measure = tallies.predictions, request.measure
        rows = (len(p),)
        if p.task == "regression" or measure.needs[0] is Moments:
            return rows
        if measure.share is not None and not request.average and request.label is None:
            return rows if p.weight is not None else (*rows, self._trials(request, tallies)[1])
        counts = once(tallies, "rows of classes", _rows_of_classes)
        if p.task == "binary":
            return (*rows, *counts)
        if request.label is not None:
            of_class = counts[p.place_of(request.label)]
            return (*rows, of_class, rows[0] - of_class)
        return rows


def _rows_of_classes(tallies: Tallies) -> list[int]:
    p = tallies.predictions
    counts: list[int] = np.bincount(p.truth, minlength=len(p.classes)).tolist()
    return counts


def _too_few(sizes: Sequence[int]) -> str:
    """Rows, or rows of a kind, that are too few to judge; empty where they are enough."""
    count, words = sizes[0], ""
    if count >= FEWEST_ROWS:
        count, words = min(sizes), " of a kind it depends on"
        if count >= FEWEST_OF_CLASS:
            return ""
    return f"{count:,} row{'s' * (count != 1)}{words}"
