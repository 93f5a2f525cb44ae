"""What all rows but those of a slice come to, so that a slice's difference is the one it has."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from functools import cached_property
from itertools import accumulate
from math import floor, isnan, log10, nan, sqrt
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from heldout.assess.forms import count_statistic
from heldout.assess.slice_influences import slice_placements, slice_scores
from heldout.assess.values import losses_of, of_each, overall
from heldout.core.memo import once
from heldout.core.ratio import ratio
from heldout.core.threads import in_threads
from heldout.decisions.joined import ends_of, joined, joined_at
from heldout.engines.memory import Tallies
from heldout.engines.protocol import slice_by
from heldout.measures.parts import areas_of_parts
from heldout.tally.errors import Errors
from heldout.tally.moments import Moments
from heldout.tally.roc import area
from heldout.tally.scores import ScoreCounts, TopLabel
from heldout.uncertainty.rankings import mean_scores

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from heldout.engines.parts import Partition
    from heldout.measures.spec import Request

T = TypeVar("T", Moments, Errors)

#: rows times slices up to which the rest of each slice is judged row by row
EXACT_WORK = 5_000_000
#: scores kept apart in the rest of a slice beyond that (at least, at most), and in all rests
LEAST_LEVELS, MOST_LEVELS, ALL_LEVELS = 1_000, 50_000, 300_000
#: a share of all rows below this is what rounding leaves of a weight that is none
ROUNDING = 1e-14


@dataclass(frozen=True, slots=True, eq=False)
class Rests:
    """The values of all rows but those of each slice.

    ``decimals`` are those that are known where scores were joined, and ``note`` says so.
    """

    values: NDArray[np.float64]
    decimals: NDArray[np.int64] | None = None
    note: str = ""

    def differences(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """The values of the slices less these."""
        with np.errstate(invalid="ignore"):  # of two infinite values
            gaps = values - self.values
        if self.decimals is None:
            return gaps
        pairs = zip(gaps.tolist(), self.decimals.tolist(), strict=True)
        return np.array([round(gap, to) + 0.0 if np.isfinite(gap) else gap for gap, to in pairs])


@dataclass(frozen=True, eq=False)
class SliceRests:
    """The value of the rest of each slice of a column.

    Counts and moments of the rest are what the other slices add up to, and an area under the
    ROC curve follows from where the rows of the slice are placed among all. Other rests are
    judged row by row, or, where these would be too many, on the scores of all rows joined to
    far more levels than tests keep apart, moved by what the joining changes in the value of
    all rows; the difference is then rounded to the decimals that this tells.

    Parameters
    ----------
    whole, column
        The tallies of all rows, and the name of the column.
    exact_work
        Rows times slices up to which rests are judged row by row.
    """

    whole: Tallies
    column: str
    exact_work: int = EXACT_WORK

    @cached_property
    def slices(self) -> Partition:
        """The rows by slice."""
        return self.whole.parts(slice_by(self.column))

    @property
    def is_exact(self) -> bool:
        """Whether rests are judged row by row."""
        return self.whole.rows * len(self.slices) <= self.exact_work

    def of(
        self,
        requests: Sequence[Request],
        values: Sequence[NDArray[np.float64]],
        everything: Sequence[float],
    ) -> list[Rests]:
        """The rests, for each measure.

        Parameters
        ----------
        values, everything
            For each measure the values of the slices, and that of all rows.
        """
        known: list[Rests | None] = []
        for request, own in zip(requests, values, strict=True):
            added = own[::-1] if len(self.slices) == 2 else self._added(request)
            known.append(None if added is None else Rests(added))
        for i, request in enumerate(requests):
            if known[i] is None and self._is_of_scores(request):
                known[i] = self._of_scores(request, everything[i])
        todo = [i for i, rests in enumerate(known) if rests is None]
        others = self._by_rows([requests[i] for i in todo])
        for i, rests in zip(todo, others, strict=True):
            known[i] = rests
        return [rests for rests in known if rests is not None]

    def _is_of_scores(self, request: Request) -> bool:
        is_single = request.label is None and not request.average
        is_plain = not request.counts_rows and self.whole.predictions.weight is None
        is_of_scores = request.measure.needs in ((ScoreCounts,), (TopLabel,))
        return is_of_scores and is_single and (is_plain or not self.is_exact)

    def _added(self, request: Request) -> NDArray[np.float64] | None:
        """The values of what all other slices add up to; None where nothing adds."""
        measure, p = request.measure, self.whole.predictions
        if request.counts_rows and p.weight is not None:
            return None
        if measure.is_of_counts:
            return self._of_counts(request)
        if request.label is not None or request.average:
            return None
        is_given = p.prior is not None or p.train_mean is not None
        if set(measure.needs) == {Moments} and (is_given or not measure.uses_prior):
            each = [self.slices.moments(loss) for loss in losses_of(request)]
            stacks = [_stacked(_others([m.at(s) for s in range(len(self.slices))])) for m in each]
            with np.errstate(all="ignore"):
                values = np.asarray(measure(*stacks, **request.values), float)
            return np.broadcast_to(values, (len(self.slices),))
        if measure.needs == (Errors,):
            others = _others([rows.errors for rows in self.slices])
            return np.array([float(measure(rest, **request.values)) for rest in others])
        if measure.area is not None:
            return np.asarray(measure.area(self._areas))
        return None

    def _of_counts(self, request: Request) -> NDArray[np.float64] | None:
        some, counts = self.slices.confusion, self.whole.confusion
        if some is None or len(some.cells) != len(counts.cells):
            return None
        table = counts.counts - some.counts
        if table.dtype.kind == "f":  # what rounding leaves of counts that are none
            table = np.where(np.abs(table) <= 1e-12 * counts.counts, 0.0, table)
        values = np.asarray(count_statistic(request, self.whole)(replace(counts, counts=table)))
        return np.broadcast_to(values.astype(float), (len(self.slices),))

    @cached_property
    def _areas(self) -> NDArray[np.float64]:
        """The area of each rest: pairs of all rows less those with a row of the slice."""
        whole, placed = self.whole.scores, slice_placements(self.whole, self.column)
        negatives, positives = placed.rows.astype(float)
        pairs = 2 * positives * negatives
        if self.slices.is_small:
            own = areas_of_parts(self.slices.scores)
        else:
            own = np.array([area(counts) for counts in slice_scores(self.slices)])
        within = np.where(pairs > 0, own, 0.0) * pairs
        others = placed.sums[1].sum() - placed.sums.sum(axis=0) + within
        positives, negatives = whole.total_positives - positives, whole.total_negatives - negatives
        return np.minimum(ratio(others, 2 * positives * negatives), 1.0)

    def _by_rows(self, requests: Sequence[Request]) -> list[Rests]:
        """The rests row by row; unknown where these would be too many."""
        if not requests or not self.is_exact:
            return [Rests(np.full(len(self.slices), nan)) for _ in requests]
        p = self.slices.ordered

        def of(number: int) -> list[float]:
            own = self.slices.stretch(number)
            others = np.concatenate([np.arange(own.start), np.arange(own.stop, len(p))])
            rest = Tallies(p.take(others))
            return [overall(request, rest).value for request in requests]

        return [Rests(values) for values in np.array(in_threads(of, range(len(self.slices)))).T]

    def _of_scores(self, request: Request, of_all: float) -> Rests:
        """The rests by their scores."""
        (tally,) = request.measure.needs
        grid = self._grid(tally, request)
        if grid.is_joined and request.values.get("bins") == 0:  # bins of single scores
            return Rests(np.full(len(self.slices), nan))
        values = np.array(of_each(request, self.scores(tally, request)))
        if not grid.is_joined:
            return Rests(values)
        values += of_all - float(request.measure(grid.whole, **request.values))
        decimals = np.array([grid.decimals(value) for value in values.tolist()])
        return Rests(values, decimals, grid.note)

    def scores(self, tally: type, request: Request) -> list[ScoreCounts]:
        """The score counts of the rest of each slice, with the bins of a measure kept apart."""
        grid = self._grid(tally, request)
        return once(
            grid, "rests", lambda own: [own.without(rows.of_kind(tally)) for rows in self.slices]
        )

    def _grid(self, tally: type, request: Request) -> _Grid:
        """The scores of all rows, joined where rows are many."""
        levels = max(min(MOST_LEVELS, ALL_LEVELS // len(self.slices)), LEAST_LEVELS)
        bins = int(request.values.get("bins") or 1)
        edges = np.arange(1, bins + 1) / bins

        def grid(_: Partition) -> _Grid:
            whole = self.whole.of_kind(tally)
            return _Grid.of(whole, len(whole.score) if self.is_exact else levels, edges)

        key = () if self.is_exact else (bins, levels)
        return once(self.slices, ("rests", tally, *key), grid)


def _others(parts: Sequence[T]) -> list[T]:
    """The sum of all parts but one, for each: from either end, so that none is taken off."""
    nothing = type(parts[0])()
    before = list(accumulate(parts[:-1], initial=nothing))
    after = list(accumulate(parts[:0:-1], initial=nothing))
    return [a + b for a, b in zip(before, reversed(after), strict=True)]


def _stacked(parts: Sequence[Moments]) -> Moments:
    names = [f.name for f in fields(Moments)]
    return Moments(**{name: np.array([getattr(part, name) for part in parts]) for name in names})


@dataclass(frozen=True, eq=False)
class _Grid:
    """The scores of all rows joined to levels.

    Parameters
    ----------
    ends
        The lowest score of each level.
    whole
        All rows, at the mean score of each level.
    is_joined
        Whether any two scores share a level.
    """

    ends: NDArray[Any]
    whole: ScoreCounts
    is_joined: bool

    @classmethod
    def of(cls, counts: ScoreCounts, levels: int, edges: NDArray[Any]) -> _Grid:
        """The levels; scores at or above each edge, and those above it, are kept apart."""
        cuts = [np.searchsorted(-counts.score, -edges, side) - 1 for side in ("left", "right")]
        ends = np.unique(np.concatenate([ends_of(counts, levels), *cuts]))
        ends = ends[ends >= 0]
        joint = joined(counts, ends)
        if joint is counts:
            return cls(counts.score, counts, False)
        first = np.concatenate([[0], ends[:-1] + 1])
        with np.errstate(invalid="ignore", divide="ignore"):
            mean = mean_scores(counts, first)
        # rounding leads no mean out of its level, so levels stay in order
        mean = np.clip(mean, joint.score, counts.score[first])
        mean = np.where(np.isfinite(mean), mean, joint.score)
        return cls(
            joint.score, type(joint)(mean, joint.positives, joint.negatives, joint.rows), True
        )

    def without(self, some: ScoreCounts) -> ScoreCounts:
        """All rows but some, on the same levels."""
        whole, here = self.whole, joined_at(some, self.ends)
        sides = [whole.positives - here.positives, whole.negatives - here.negatives]
        slack = 0 if sides[0].dtype.kind == "i" else ROUNDING * float(whole.total)
        positives, negatives = (np.where(side > slack, side, 0) for side in sides)
        kept = (positives > 0) | (negatives > 0)
        return type(whole)(
            whole.score[kept], positives[kept], negatives[kept], whole.rows - some.rows
        )

    def decimals(self, value: float) -> int:
        """How many decimals of a value joined scores tell.

        A level holds rows / levels of the rows, whose order moves a value by the root of that
        at random, over all rows, and by less for what is smooth: half of it is allowed for.
        """
        error = 0.5 * max(abs(value), 1.0) / sqrt(self.whole.rows * len(self.ends))
        return 0 if isnan(value) else floor(-log10(error))

    @property
    def note(self) -> str:
        """How the rest was judged."""
        return f"the rest's scores joined to {len(self.ends):,} levels"
