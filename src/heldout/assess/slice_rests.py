"""What all rows but those of a slice come to, so that a slice's difference is the one it has."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from math import floor, isfinite, isnan, log10, nan, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.assess.values import of_each, overall
from heldout.core.notes import as_notes
from heldout.core.threads import in_threads
from heldout.decisions.joined import ends_of, joined, joined_at
from heldout.engines.memory import Tallies
from heldout.measures.calibration import least_and_most
from heldout.tally.scores import ScoreCounts, TopLabel

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from heldout.assess.slice_rows import SliceRows
    from heldout.assess.slice_tests import Test
    from heldout.measures.spec import Request

__all__ = ["SliceRests"]

#: rows times slices up to which the rest of each slice is judged row by row
EXACT_WORK = 5_000_000
#: scores kept apart in the rest of a slice beyond that (at least, at most), and in all rests
LEAST_LEVELS, MOST_LEVELS, ALL_LEVELS = 1_000, 50_000, 300_000
#: a share of all rows below this is what rounding leaves of a weight that is none
ROUNDING = 1e-14


@dataclass(frozen=True, eq=False)
class SliceRests:
    """The value of the rest of each slice, for measures whose test joins neighbouring scores.

    All other tests come with the difference itself. Rests are judged row by row, or, where
    these would be too many, on the scores of all rows joined to far more levels than tests
    keep apart, moved by what the joining changes in the value of all rows, and the difference
    is rounded to the decimals that this tells.

    Parameters
    ----------
    rows, each, whole
        The rows by slice, the tallies of each slice, and those of all rows.
    exact_work
        Rows times slices up to which rests are judged row by row.
    """

    rows: SliceRows
    each: Sequence[Tallies]
    whole: Tallies
    exact_work: int = EXACT_WORK
    _grids: dict[bool, _Grid] = field(default_factory=dict)

    def differences(
        self,
        requests: Sequence[Request],
        values: Sequence[Sequence[float]],
        tests: Sequence[Sequence[Test]],
        everything: Sequence[float],
    ) -> list[list[Test]]:
        """The tests with each slice's value less that of its rest.

        Parameters
        ----------
        values, tests
            For each measure, one a slice.
        everything
            The value of all rows, for each measure.
        """
        asked = [
            [place for place, made in enumerate(tests) if self._is_asked(requests[place], made[s])]
            for s in range(len(self.rows))
        ]
        if len(self.rows) == 2:  # each is the rest of the other
            others = [
                {place: _Rest(values[place][1 - s]) for place in places}
                for s, places in enumerate(asked)
            ]
        elif self.is_exact:
            others = in_threads(lambda s: self._by_rows(s, requests, asked[s]), range(len(asked)))
        else:
            wanted = sorted({place for places in asked for place in places})
            self._join([requests[place] for place in wanted])
            moves = self._moves(requests, wanted, everything)
            others = self._joined(requests, asked, moves)
        return [
            [
                _against(test, value, others[s].get(place))
                for s, (test, value) in enumerate(zip(made, values[place], strict=True))
            ]
            for place, made in enumerate(tests)
        ]

    @property
    def is_exact(self) -> bool:
        """Whether rests are judged row by row."""
        return len(self.whole.predictions) * len(self.rows) <= self.exact_work

    def _is_asked(self, request: Request, test: Test) -> bool:
        if isnan(test.difference):
            return False
        if len(self.rows) == 2:
            return True
        return set(request.measure.needs) <= {ScoreCounts, TopLabel} and not test.is_exact

    def _by_rows(
        self, index: int, requests: Sequence[Request], places: Sequence[int]
    ) -> dict[int, _Rest]:
        if not places:
            return {}
        own = self.rows.stretch(index)
        p = self.rows.predictions
        others = np.concatenate([np.arange(own.start), np.arange(own.stop, len(p))])
        rest = Tallies(p.take(others))
        return {place: _Rest(overall(requests[place], rest).value) for place in places}

    def _joined(
        self, requests: Sequence[Request], asked: Sequence[Sequence[int]], moves: dict[int, float]
    ) -> list[dict[int, _Rest]]:
        """The rests on joined scores: all of a measure at once, which fits share."""
        found: list[dict[int, _Rest]] = [{} for _ in asked]
        made: dict[tuple[int, bool], ScoreCounts] = {}
        for place, move in moves.items():
            request = requests[place]
            is_top = _is_top(request)
            grid = self._grids[is_top]
            here = [s for s, places in enumerate(asked) if place in places]
            for s in here:
                if (s, is_top) not in made:
                    made[s, is_top] = grid.without(_scores(self.each[s], is_top))
            values = of_each(request, [made[s, is_top] for s in here])
            for s, value in zip(here, values, strict=True):
                rest = value + move
                known = (grid.decimals(rest), grid.note) if grid.is_joined else ()
                found[s][place] = _Rest(rest, *known)
        return found

    def _moves(
        self, requests: Sequence[Request], places: Sequence[int], everything: Sequence[float]
    ) -> dict[int, float]:
        """What the joining takes from the value of all rows; NaN where it changes its kind."""
        found = {}
        for place in places:
            request = requests[place]
            grid = self._grids[_is_top(request)]
            if not grid.is_joined:
                found[place] = 0.0
            elif request.values.get("bins") == 0:  # bins of single scores, of which few are left
                found[place] = nan
            else:
                on_grid = float(request.measure(grid.whole, **request.values))
                found[place] = everything[place] - on_grid
        return found

    def _join(self, requests: Sequence[Request]) -> None:
        """Join the scores of all rows, with the bins that are asked for kept apart."""
        if not requests:  # all tests came with the difference itself
            return
        levels = max(min(MOST_LEVELS, ALL_LEVELS // len(self.rows)), LEAST_LEVELS)
        bins = {int(r.values.get("bins") or 1) for r in requests}
        edges = np.unique(np.concatenate([np.arange(1, count + 1) / count for count in bins]))
        for is_top in {_is_top(request) for request in requests}:
            self._grids[is_top] = _Grid.of(_scores(self.whole, is_top), levels, edges)


@dataclass(frozen=True, slots=True)
class _Rest:
    """The value of a rest; where scores were joined, the decimals that are known, and a note."""

    value: float
    decimals: int | None = None
    note: str = ""


@dataclass(frozen=True, slots=True, eq=False)
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
        made = joined(counts, ends)
        if made is counts:
            return cls(counts.score, counts, False)
        first = np.concatenate([[0], ends[:-1] + 1])
        score = counts.score
        with np.errstate(invalid="ignore", divide="ignore"):
            if least_and_most(counts) != (1.0, 1.0):
                score = (counts.positives + counts.negatives) * score
            sums = np.add.reduceat(score, first)
            mean = sums / (made.positives + made.negatives)
        # rounding leads no mean out of its level, so levels stay in order
        mean = np.clip(mean, made.score, counts.score[first])
        mean = np.where(np.isfinite(mean), mean, made.score)
        return cls(made.score, type(made)(mean, made.positives, made.negatives, made.rows), True)

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


def _is_top(request: Request) -> bool:
    return request.measure.needs == (TopLabel,)


def _scores(tallies: Tallies, is_top: bool) -> ScoreCounts:
    return tallies.top_label if is_top else tallies.scores


def _against(test: Test, value: float, rest: _Rest | None) -> Test:
    if rest is None:
        return test
    difference = value - rest.value
    if rest.decimals is not None and isfinite(difference):
        difference = round(difference, rest.decimals) + 0.0
    return replace(test, difference=difference, notes=(*test.notes, *as_notes(rest.note)))
