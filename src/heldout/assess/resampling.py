"""Measures of rankings and rows, resampled: which limits, what is drawn, what is made unasked."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.assess.score_formulas import squared_weights
from heldout.assess.values import overall
from heldout.core.codes import dense_codes
from heldout.core.dialect import argument
from heldout.core.memo import once
from heldout.core.random import stream
from heldout.measures.kinds import Maximum, Point
from heldout.tally.scores import TopLabel
from heldout.uncertainty.delong import lack_of_rows
from heldout.uncertainty.influence import GroupSizes
from heldout.uncertainty.interval import absent
from heldout.uncertainty.limits import (
    INSTEAD,
    Least,
    all_agree,
    bayesian_limits,
    finished_maximum,
    for_few_groups,
    limits,
    maximum_limits,
    most_agree,
)
from heldout.uncertainty.proportions import best_distance_interval
from heldout.uncertainty.score_intervals import ScoreBootstrap
from heldout.uncertainty.score_rows import COARSE_LEVELS, ScoreRows, fine_levels

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from heldout.assess.options import IntervalOptions
    from heldout.engines.memory import Tallies
    from heldout.measures.spec import Request
    from heldout.predictions.table import Predictions
    from heldout.tally.scores import ScoreCounts
    from heldout.uncertainty.interval import Interval
    from heldout.uncertainty.limits import Jackknife

__all__ = [
    "DrawnRankings",
    "ROW_WORK",
    "key_of",
    "least_of",
    "limits_kind",
    "resampled_limits",
    "resampled_together",
    "unasked",
    "values_of",
]

#: rows times replicates above which rows are not resampled unasked
ROW_WORK = 100_000_000
NOT_BAYESIAN = "rows are drawn: there is no Bayesian bootstrap of this measure"


def unasked(why: str) -> str:
    """The reason why an interval is made only if its measure is asked for by name.

    Examples
    --------
    >>> unasked("many classes")
    'many classes: made if asked for by name (measures=)'
    """
    return f"{why}: made if asked for by name ({argument('measure')})"


def limits_kind(request: Request, options: IntervalOptions) -> str:
    """The kind of bootstrap limits: as asked for, else as the measure needs."""
    # a method for shares or areas leaves the others as they are
    if options.uses_t and isinstance(request.measure.kind, Maximum):
        return "maximum"
    return options.bootstrap


def resampled_limits(
    request: Request,
    tallies: Tallies,
    options: IntervalOptions,
    replicates: NDArray[Any],
    left_out: Callable[[], Jackknife],
    *,
    least: Least | None = None,
    weighed: Callable[[], NDArray[Any]] | None = None,
) -> Interval:
    """The interval of a measure from its values on resampled rows (or whole groups).

    ``left_out`` makes its values without parts of the rows, which BCa needs; ``least`` is
    what a maximum is no narrower than; ``weighed`` makes its values with rows weighted at
    random, which take the place of draws where most of these agree.
    """
    p = tallies.predictions
    kind = limits_kind(request, options)
    what = "rows" if p.design.group is None else "groups"
    if options.stratified and p.design.group is None and p.task != "regression":
        what = "rows within true classes"
    value = float(overall(request, tallies).value)
    words = f"{options.of_rows} draws of {what}, seed {options.seed}"
    level, bounds = options.level, request.measure.bounds
    agree = all_agree if kind == "maximum" else most_agree
    is_weighed = weighed is not None and agree(replicates, bounds)
    if weighed is not None and is_weighed:
        replicates = weighed()
        made = bayesian_limits(replicates, value, level=level, bounds=bounds, draws=words)
        made = made if made.is_absent else made.noted(INSTEAD)
    elif kind == "maximum":
        made = maximum_limits(replicates, value, level=level, draws=words)
        if p.design.group is None:
            fewest = _fewest_of_class(request, p)
            made = finished_maximum(made, replicates, value, fewest, least=least)
    else:
        made = limits(
            replicates,
            value,
            level=level,
            kind="percentile" if kind == "bayesian" else kind,
            jackknife=left_out() if kind == "bca" else None,
            bounds=bounds,
            draws=words,
        )
    if p.design.group is not None:
        mass = np.bincount(dense_codes(p.design.group.codes)[1], p.weight)
        made = for_few_groups(made, value, GroupSizes.of(mass))
        made = made.within(bounds)
    return made.noted(NOT_BAYESIAN) if options.method == "bayesian" and not is_weighed else made


def _fewest_of_class(request: Request, p: Predictions) -> int:
    """Rows of a class or its rest, if fewer; of all classes, where none is asked for."""
    counts = np.bincount(p.truth, minlength=len(p.classes))
    own = counts[counts > 0]
    if request.label is not None:
        own = counts[p.place_of(request.label)]
    return int(np.minimum(own, len(p) - own).min())


#: rankings of more scores are counted exactly: most are the rows themselves
SHORT = 5_000
RANKING = "ranking by scores"
#: distinct scores up to which the draws of a maximum are raised more than its sample
FEW_SCORES = 20


def resampled_together(
    counts: ScoreCounts, wanted: Sequence[Request], kind: str, options: IntervalOptions
) -> dict[Any, Interval]:
    """The intervals of several measures of a ranking, by their keys.

    Where nothing else is asked for, few draws have to do for measures that are normal. A
    single row of a class says nothing of how such rows are ranked.
    """
    if not isinstance(counts, TopLabel):
        reason = lack_of_rows(float(counts.total_positives), float(counts.total_negatives))
        if reason:
            none = absent(reason, level=options.level)
            return {key_of(r): none for r in wanted if r.measure.family == RANKING} | (
                _resampled(
                    counts, [r for r in wanted if r.measure.family != RANKING], kind, options
                )
            )
    return _resampled(counts, wanted, kind, options)


def _resampled(
    counts: ScoreCounts, wanted: Sequence[Request], kind: str, options: IntervalOptions
) -> dict[Any, Interval]:
    found: dict[Any, Interval] = {}
    for is_point in (False, True):
        some = [r for r in wanted if isinstance(r.measure.kind, Point) == is_point]
        if some:
            # joined scores must be finer than such points vary
            levels = fine_levels(counts) if is_point else COARSE_LEVELS
            found.update(_resampled_at(levels, counts, some, kind, options))
    return found


def _resampled_at(
    levels: int, counts: ScoreCounts, wanted: Sequence[Request], kind: str, options: IntervalOptions
) -> dict[Any, Interval]:
    bootstrap = ScoreBootstrap(counts, options.of_rows, options.seed, options.stratified, levels)
    level = options.level
    found: dict[Any, Interval] = {}
    if options.uses_t and options.replicates is None:
        made = bootstrap.normal_intervals(
            lambda s: values_of(wanted, s),
            level=level,
            kind=kind,
            bounds=[request.measure.bounds for request in wanted],
        )
        keyed = zip(map(key_of, wanted), made, strict=True)
        found = {key: one for key, one in keyed if one is not None}
    rest = [request for request in wanted if key_of(request) not in found]
    if rest:
        least = [least_of(request, counts, level=level) for request in rest]
        drawn = bootstrap.replicated(lambda s: values_of(rest, s))
        intervals = drawn.intervals(kind, level=level, least=least)
        found.update(zip(map(key_of, rest), intervals, strict=True))
    return found


def least_of(
    request: Request, counts: ScoreCounts, *, level: float, squares: ScoreCounts | None = None
) -> Least | None:
    """What the limits of a maximum are no narrower than; None where nothing is known.

    ``squares``: of weighted rows, the same scores with the squares of their weights.
    """
    if request.measure.kind != Maximum("distances") or not counts.has_both:
        return None
    made = best_distance_interval(counts, level=level, squares=squares, **request.values)
    levels = len(counts.score)
    return Least(made, is_tied=levels <= FEW_SCORES and 2 * levels <= counts.rows)


def values_of(requests: Sequence[Request], tally: ScoreCounts) -> list[float]:
    """Measures of one replicate; what is undefined there is NaN and counted by the caller."""
    if len(tally.score) <= SHORT:
        # as weights: exact integers would cost more and say no more about a replicate
        tally = type(tally)(
            tally.score, tally.positives.astype(float), tally.negatives.astype(float), tally.rows
        )
    with np.errstate(all="ignore"):
        return [once(tally, (_value, *key_of(r)), partial(_value, r)) for r in requests]


def _value(request: Request, tally: ScoreCounts) -> float:
    return float(request.measure(tally, **request.values))


def key_of(request: Request) -> Any:
    """What tells measures of one ranking apart."""
    return request.measure.name, request.parameters


@dataclass(frozen=True, eq=False)
class DrawnRankings:
    """Intervals of several measures of one ranking, from the same replicates."""

    tallies: Tallies
    options: IntervalOptions
    wanted: Sequence[Request]
    groups: Any = None
    is_stratified: bool = False

    def of(self, request: Request) -> Interval:
        """The interval of one of the measures wanted."""
        tallies, options = self.tallies, self.options

        def left_out() -> Jackknife:
            rng = stream(options.seed, "scores", "left out")
            return self._rows.jackknife(lambda c: values_of([request], c)[0], rng=rng)

        column = [key_of(r) for r in self.wanted].index(key_of(request))
        squares = squared_weights(tallies.predictions)
        return resampled_limits(
            request,
            tallies,
            options,
            self._drawn[:, column],
            left_out,
            least=least_of(request, tallies.scores, level=options.level, squares=squares),
            weighed=lambda: self._weighed[:, column],
        )

    @cached_property
    def _rows(self) -> ScoreRows:
        p = self.tallies.predictions
        return ScoreRows(
            p.truth == p.positive,
            np.asarray(p.scores),
            p.weight,
            groups=self.groups,
            stratified=self.is_stratified,
        )

    @cached_property
    def _drawn(self) -> NDArray[Any]:
        """Replicates of all measures at once, with rows or groups drawn."""
        return self._replicates("drawn")

    @cached_property
    def _weighed(self) -> NDArray[Any]:
        """The same with rows or groups weighted at random: where most draws agree."""
        return self._replicates("weighed")

    def _replicates(self, word: str) -> NDArray[Any]:
        return self._rows.replicate(
            lambda counts: values_of(self.wanted, counts),
            replicates=self.options.of_rows,
            rng=stream(self.options.seed, "scores", word),
            is_weighed=word == "weighed",
        )
