"""Tests of two models by rows, the same or different: shares, areas, losses, draws, exchanges."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from math import inf, nan, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.assess.forms import count_statistic
from heldout.assess.values import overall, table_of
from heldout.comparison.long_rankings import LongRankings, is_long_ranking, is_of_rankings
from heldout.comparison.share_noise import ShareNoise
from heldout.comparison.shares import (
    independent_difference,
    independent_test,
    mcnemar,
    newcombe_difference,
    tango_difference,
)
from heldout.comparison.split_influence import is_rough
from heldout.comparison.testing import drawn_test, no_test, permutation_p_value, student_test
from heldout.core.dialect import argument
from heldout.core.notes import Lack
from heldout.core.random import stream
from heldout.core.significance import Test
from heldout.core.threads import in_threads
from heldout.core.wording import plural
from heldout.engines.memory import Tallies
from heldout.measures.kinds import SAME, NoInterval
from heldout.uncertainty.cells import Cells
from heldout.uncertainty.influence import Influence
from heldout.uncertainty.interval import Interval, absent
from heldout.uncertainty.sample import RowSampler, in_blocks, row_order

if TYPE_CHECKING:
    from numpy.random import Generator
    from numpy.typing import NDArray

    from heldout.comparison.pair import Pair, Side
    from heldout.comparison.shares import Kind
    from heldout.comparison.testing import Finding
    from heldout.core.significance import Alternative
    from heldout.measures.spec import Request
    from heldout.predictions.table import Predictions

DELONG = "DeLong (paired)"
EXTREME = "both rankings are without a fault, or nothing but faults: no variance is known"
NO_AREA_VARIANCE = "DeLong's variance of the difference is 0, which is no certainty"
DELTA = "delta method, paired"
#: what exchanging takes for granted of calibration errors
STRICTER = (
    "exchanging asks whether the models' probabilities are alike, which is more than equal errors"
)
#: less than this is float noise
LEAST = 1e-12
#: more cells (of some hundred classes) take longer than blocks of rows
MANY_CELLS = 1000
NO_VARIANCE = "the difference has no variance on these rows, which is no certainty"


def share_difference(pair: Pair, kind: Kind) -> Finding:
    """Shares of the same rows: McNemar's test, and the interval of Newcombe or Tango."""
    assert pair.shares is not None
    interval = tango_difference if pair.options.interval == "tango" else newcombe_difference
    _, first, second, _ = pair.shares
    test = mcnemar(first, second, kind=kind, alternative=pair.side)
    return interval(*pair.shares, level=pair.level), test


def share_noise(pair: Pair, kind: Kind) -> ShareNoise:
    """What McNemar's test shows of so many rows, of which so many are discordant."""
    assert pair.shares is not None
    rows = sum(pair.shares)
    return ShareNoise(rows, sum(pair.shares[1:3]) / rows, kind)


def lack_of_shares(pair: Pair, test: str) -> str:
    """Why the measure is no share of the same rows, each of which stands alone."""
    if pair.is_of_gaps:
        return f"{pair.request.name} is no mean of row losses"
    if not pair.has_alike_rows or pair.predictions[0].task == "regression":
        return (
            f"{test} is for rows that count alike and do not depend on each other, and these "
            "have weights or groups"
        )
    is_share = pair.shares is not None
    return "" if is_share else f"{pair.request.name} is no share of the same rows for both models"


def area_difference(pair: Pair) -> Finding:
    """Areas under the ROC curve of the same rows, which vary together.

    By the normal distribution, as DeLong, DeLong and Clarke-Pearson (1988, Biometrics 44:837);
    of groups, whose placements are added up as in Obuchowski (1997, Biometrics 53:567), by
    Student's with Satterthwaite's freedom.
    """
    method, freedom, note = DELONG, inf, ""
    if pair.groups is not None:
        method = f"{DELONG}, {plural(pair.count, 'group')} (Obuchowski)"
    if reason := pair.first.lack_of_area or _lack_of_groups(pair):
        return no_test(method, reason, level=pair.level, alternative=pair.side)
    one, two = in_threads(lambda side: side.area, pair.sides)
    gap = one - two
    if pair.groups is None:
        error = gap.spread().error
    else:
        gap = gap.by(np.unique(pair.groups, return_inverse=True)[1])
        spread = gap.spread(has_tails=True)
        error, freedom, note = spread.error, spread.freedom, gap.sizes.remark
    if error <= LEAST < abs(gap.value):
        return _without_variance(pair, method, NO_AREA_VARIANCE)
    how = pair.how | {"bounds": (-1, 1)}
    interval, test = student_test(method, gap.value, error, freedom, note=note, **how)
    if error > LEAST:
        return interval, test
    # float noise of identical rankings is no evidence
    is_extreme = min(one.value, 1 - one.value) <= LEAST
    alike = Test(method, 0.0, 1.0, test.alternative, error=nan if is_extreme else 0.0)
    if is_extreme:
        return absent(EXTREME, level=pair.level, method=method), alike.noted(EXTREME)
    return interval, alike.noted("both models rank the rows alike")


def _without_variance(pair: Pair, method: str, reason: str) -> Finding:
    """No interval where the variance is 0, which is what few rows show of it, no certainty."""
    none = absent(reason, level=pair.level, method=method)
    return none, swapped_predictions(pair).noted(reason)


def _lack_of_groups(pair: Pair) -> str:
    """Why groups do not show how an area varies; empty where they do, or there are none."""
    if pair.groups is None:
        return ""
    if pair.count < 2:
        return "all rows are in one group"
    is_positive = pair.first.is_positive
    for which, rows in (("positive", is_positive), ("negative", ~is_positive)):
        if len(np.unique(pair.groups[rows])) < 2:
            return f"all {which} rows are in one group"
    return ""


def lack_of_areas(pair: Pair) -> str:
    """Why the measure is no area under one ROC curve."""
    is_area = pair.request.measure.area is SAME and pair.predictions[0].task == "binary"
    return "" if is_area else f"delong is for auc of two classes, not for {pair.request.name}"


def mean_loss_difference(pair: Pair) -> Finding:
    """Means of row losses."""
    weight, losses = pair.first.predictions.weight, (side.losses for side in pair.sides)
    return loss_difference(*losses, weight=weight, groups=pair.groups, **pair.how)


def lack_of_losses(pair: Pair) -> str:
    """Why the measure is no mean of row losses."""
    return "" if pair.has_losses else f"{pair.request.name} is no mean of row losses"


def delta_difference(pair: Pair) -> Finding:
    """Any smooth measure, by how far each cell, row or group moves the difference."""
    is_of_cells = _is_of_few_cells(pair)
    interval, test = cell_difference(pair) if is_of_cells else shift_difference(pair)
    if test.error > LEAST:
        return interval, test
    return _without_variance(pair, interval.method, NO_VARIANCE)


def no_gap_difference(pair: Pair) -> Finding:
    """Neither interval nor test of two calibration errors, and what to compare instead."""
    return no_test("no test", lack_of_gaps(pair), level=pair.level, alternative=pair.side)


def lack_of_gaps(pair: Pair) -> Lack:
    """Why calibration errors of bins have no interval of their difference.

    A bootstrap adds the noise that raises both errors once more, and of tests that are inverted
    for each error none is published for a difference.
    """
    instead = "compare brier_score, log_loss or miscalibration"
    if pair.models.is_paired and not pair.options.test:
        exchange = argument("test", "permutation")
        instead += f", or ask whether the predictions can be exchanged ({exchange})"
    return Lack(
        "noise raises calibration errors of bins, more for one model than for another, so that no "
        f"interval of their difference is known to cover: {instead}"
    )


def lack_of_limits(pair: Pair) -> str:
    """Why limits of the difference are not known to be valid; empty where they may be."""
    name = pair.request.name
    if pair.is_of_gaps:
        return f"{name} is no mean of row losses"
    is_unknown = isinstance(pair.request.measure.kind, NoInterval)
    return f"no interval of {name} is known to cover" if is_unknown else ""


def lack_of_delta(pair: Pair) -> str:
    """Why no error can be had from what each row adds."""
    name = pair.request.name
    if lack := lack_of_limits(pair):
        return lack
    if _is_of_few_cells(pair) or not is_rough(pair.request):
        return ""
    return f"rows do not move {name} smoothly, as delta takes for granted"


def _is_of_few_cells(pair: Pair) -> bool:
    """Whether counts of truth and both labels tell all, and each can be changed on its own."""
    return pair.is_of_counts and len(pair.cells.counts) <= MANY_CELLS


def permuted_difference(pair: Pair) -> Finding:
    """Predictions exchanged, with the interval of the test that has an error."""
    test = swapped_predictions(pair)
    if pair.is_of_gaps:
        return absent(lack_of_gaps(pair), level=pair.level), test.noted(STRICTER)
    if lack := lack_of_limits(pair):
        return absent(lack, level=pair.level), test
    interval, other = (drawn_difference if lack_of_delta(pair) else delta_difference)(pair)
    return interval, replace(test, error=other.error)


def loss_difference(
    first: NDArray[Any],
    second: NDArray[Any],
    *,
    weight: NDArray[Any] | None = None,
    groups: NDArray[Any] | None = None,
    level: float = 0.95,
    alternative: Alternative = "two-sided",
    bounds: tuple[float, float] = (-inf, inf),
) -> Finding:
    """Whether two models' mean losses of the same rows differ: a paired t test.

    Parameters
    ----------
    first, second
        The loss of each row under either model.
    weight, groups
        Weight of each row; codes of rows that depend on each other, whose differences are
        added up first, so that groups and not rows are counted. What unequal weights and groups
        do to error and degrees of freedom: ``Influence.spread``.
    bounds
        Range of the difference.

    Examples
    --------
    >>> interval, found = loss_difference(np.array([0.0, 1, 1, 1]), np.array([0.0, 0, 1, 0]))
    >>> found.statistic
    1.7321
    """
    with np.errstate(invalid="ignore"):
        gaps = np.asarray(first, float) - np.asarray(second, float)
    unit = "rows" if groups is None else "groups"
    method = f"paired t test of {unit}"
    how: dict[str, Any] = {"level": level, "alternative": alternative}
    endless = int((~np.isfinite(gaps)).sum())
    if endless:
        reason = f"{plural(endless, 'row')} with an infinite loss: there is no mean to compare"
        return no_test(method, reason, **how)
    mean = Influence.of_mean(gaps, weight)
    if groups is not None:
        mean = mean.by(np.unique(groups, return_inverse=True)[1])
    if len(mean.shift) < 2:
        return no_test(method, f"there are fewer than two {unit}", **how)
    spread = mean.spread()
    if spread.error <= 1e-15 * max(1.0, abs(mean.value)):
        units = int((mean.mass > 0).sum())
        return _without_spread(mean.value, unit, units, spread.freedom, **how)
    note = "" if groups is None else mean.sizes.remark
    return student_test(
        method, mean.value, spread.error, spread.freedom, bounds=bounds, note=note, **how
    )


def _without_spread(
    mean: float, unit: str, units: int, freedom: float, *, level: float, alternative: Alternative
) -> Finding:
    """Where all differences are alike: no error is known, but the models can be exchanged.

    Of the 2^n ways to exchange them just one or two give a mean so far off.
    """
    method = f"paired t test of {unit}"
    note = f"every {unit[:-1]} has the same difference"
    if mean == 0:
        evidence = Test(method, 0.0, 1.0, alternative, (freedom,), error=0.0)
        return Interval(0.0, 0.0, level, method).noted(note), evidence.noted(note)
    note = f"{note}, which says nothing of how differences vary"
    against = (mean > 0 and alternative == "less") or (mean < 0 and alternative == "greater")
    p_value = 1.0 if against else 2.0 ** ((alternative == "two-sided") - units)
    named = f"exact paired permutation test (exchanges of {unit})"
    evidence = Test(named, mean, p_value, alternative).noted(note)
    return absent(note, level=level, method=method), evidence


def cell_difference(pair: Pair) -> Finding:
    """Interval and test of first minus second by the delta method, for any measure of counts.

    How fast the difference changes with the count of each joint cell is how far a row in it moves
    the difference. Both are taken with one pseudo-row spread over the cells (as Agresti and Min
    2005, Biometrics 61:515, add to matched pairs), for a plain delta method finds no variance
    in a flawless precision. The degrees of freedom are Satterthwaite's, by the fourth moment:
    few where few rows make up the variance.
    """
    cells, statistics = pair.cells, pair.statistics
    influence = Influence.of_counts(
        lambda tables: cells.differences(statistics, iter([tables])), cells.shape
    )
    return _student(DELTA, influence, influence.value, "", pair)


def shift_difference(pair: Pair) -> Finding:
    """Interval and test by how far each row, or group, moves either model's value.

    The delta method by the infinitesimal jackknife; groups of unequal size and few degrees of
    freedom as ``Influence.spread`` has them.
    """
    influence = pair.first.pooled_influence - pair.second.pooled_influence
    note = "" if pair.groups is None else influence.sizes.remark
    return _student(f"{DELTA}, of {pair.unit}", influence, pair.pooled, note, pair)


def _student(method: str, influence: Influence, value: float, note: str, pair: Pair) -> Finding:
    spread = influence.spread(has_tails=True)
    return student_test(method, value, spread.error, spread.freedom, note=note, **pair.how)


def drawn_difference(pair: Pair) -> Finding:
    """Interval and test by the standard error of a paired bootstrap.

    Both models see the same resampled rows, so what they share cancels. Efron and Tibshirani
    (1993), chapter 6; pROC's bootstrap test of two curves divides by the same error.
    """
    request, predictions = pair.request, pair.predictions
    replicates, seed = pair.options.row_draws[0], pair.options.seed
    sampler, joined = _sampler(*predictions), _joined(pair)

    def resampled(rng: Generator) -> float:
        times = sampler.multiplicities(rng)
        if joined is not None:
            return joined.difference(times)
        first, second = (_value(request, drawn_rows(request, p, times)) for p in predictions)
        return first - second

    rng = stream(seed, "paired rows", request.name)
    drawn = in_blocks(resampled, replicates=replicates, rng=rng, size=len(predictions[0]))
    method = f"paired bootstrap ({replicates:,} draws of {pair.unit}, seed {seed})"
    return drawn_test(method, drawn, pair.pooled, pair.count - 1, **pair.how)


def drawn_rows(request: Request, p: Predictions, times: NDArray[Any]) -> Predictions:
    """The rows of a bootstrap sample, each as often as it was drawn; others are left out.

    Written out where a measure counts rows, to which a row of weight 2 is not two rows.
    """
    if request.counts_rows:
        return p.take(np.repeat(np.arange(len(p)), times))
    drawn = np.flatnonzero(times)
    kept = p.take(drawn)
    repeated = times[drawn].astype(float)
    return replace(kept, weight=repeated if kept.weight is None else kept.weight * repeated)


def swapped_predictions(pair: Pair) -> Test:
    """Whether the models' predictions can be exchanged, which is more than equal values.

    Labels of rows that count alike are exchanged in their joint cells, others row by row, or
    in all rows of a group. For a measure of rankings a row's rank is, since scores of two
    models have no common scale; in long rankings the row's place, which is a run of ranks.
    """
    options, request = pair.options, pair.request
    name = "paired permutation test ({:,} exchanges of {}, seed {})"
    if pair.is_of_counts:
        cells, permutations = pair.cells, options.count_draws[1]
        rng = stream(options.seed, "exchanged cells", request.name)
        observed = float(cells.differences(pair.statistics, iter([cells.counts[None]]))[0])
        swapped = cells.differences(pair.statistics, cells.exchanged(permutations, rng))
        method = name.format(permutations, "labels", options.seed)
        return permutation_p_value(swapped, observed, method, options.alternative)
    permutations = options.row_draws[1]
    one, two = pair.predictions
    sampler, joined = _sampler(one, two), _joined(pair)
    what: str = pair.unit
    if joined is not None:
        what = f"{joined.levels:,} places in {what}"
    elif is_of_rankings(request):
        one, two, what = _with_ranks(one), _with_ranks(two), f"ranks in {what}"

    def exchanged(rng: Generator) -> float:
        swap = sampler.of_rows(rng.random(sampler.units) < 0.5)
        if joined is not None:
            return joined.exchanged(swap)
        first, second = (_value(request, p) for p in _swapped((one, two), swap))
        return first - second

    rng = stream(options.seed, "exchanged", request.name)
    swapped = in_blocks(exchanged, replicates=permutations, rng=rng, size=len(one))
    method = name.format(permutations, what, options.seed)
    # what is exchanged is compared with its like
    observed = pair.pooled if joined is None else joined.difference()
    evidence = permutation_p_value(swapped, observed, method, options.alternative)
    return evidence if joined is None else replace(evidence, statistic=pair.pooled)


def _sampler(*predictions: Predictions) -> RowSampler:
    """What draws rows, or groups, in an order that does not depend on the file's."""
    group = predictions[0].design.group
    groups = None if group is None else group.codes
    return RowSampler(len(predictions[0]), groups=groups, order=partial(row_order, *predictions))


def _joined(pair: Pair) -> LongRankings | None:
    is_long = all(is_long_ranking(pair.request, p) for p in pair.predictions)
    return LongRankings(pair.request, pair.predictions) if is_long else None


def _value(request: Request, p: Predictions) -> float:
    return overall(request, Tallies(p)).value


def _with_ranks(p: Predictions) -> Predictions:
    """The predictions with the share of rows up to each score instead of the score; ties share."""
    from scipy.stats import rankdata

    return p if p.scores is None else replace(p, scores=rankdata(p.scores, axis=0) / len(p))


def _swapped(
    predictions: tuple[Predictions, Predictions], swap: NDArray[np.bool_]
) -> tuple[Predictions, Predictions]:
    """The models' predictions exchanged in some rows."""
    one, two = predictions

    def mixed(first: Any, second: Any) -> Any:
        if first is None or second is None:
            return first
        chosen = swap if first.ndim == 1 else swap[:, None]
        return np.where(chosen, second, first)

    def with_some_of(mine: Predictions, other: Predictions) -> Predictions:
        return replace(
            mine,
            predicted=mixed(mine.predicted, other.predicted),
            scores=mixed(mine.scores, other.scores),
            against=mixed(_against(mine, other), _against(other, mine)),
        )

    return with_some_of(one, two), with_some_of(two, one)


def _against(mine: Predictions, other: Predictions) -> NDArray[Any] | None:
    """The probability of the negative class, where either model's has to be kept."""
    if mine.scores is None or other.scores is None or mine.against is other.against is None:
        return None
    return 1.0 - mine.scores if mine.against is None else mine.against


def unpaired_difference(pair: Pair) -> Finding:
    """The interval of first minus second, and a test, where no row was judged by both.

    Shares by Newcombe's interval and a z test, the area under the ROC curve by DeLong's
    variances, anything else by drawing rows of each model apart.
    """
    request = pair.request
    share = request.measure.share
    if pair.is_of_gaps:
        return no_gap_difference(pair)
    is_plain = pair.has_alike_rows and not request.average and request.label is None
    if share is not None and is_plain:
        counts = [
            float(count)
            for side in pair.sides
            for count in share.of(table_of(request, side.tallies.confusion))
        ]
        if counts[1] and counts[3]:
            test = independent_test(*counts, alternative=pair.side)
            return independent_difference(*counts, level=pair.level), test
    is_binary = pair.predictions[0].task == "binary"
    if request.measure.area is SAME and pair.has_alike_rows and is_binary:
        return _areas(pair)
    one, other = (_draws(side, pair, place) for place, side in enumerate(pair.sides))
    method = f"bootstrap, {len(one):,} draws of the rows of each model, seed {pair.options.seed}"
    return drawn_test(method, one - other, pair.pooled, **pair.how)


def _areas(pair: Pair) -> Finding:
    """DeLong's variances of each model's own rows, with the degrees of freedom of pROC.

    These are Satterthwaite's of two samples of rows, each with one less than its rows.
    """
    method = "DeLong (independent rows)"
    spreads = [side.area.spread() for side in pair.sides]
    both = sum(spread.error**2 for spread in spreads)
    if not both > 0:
        side = pair.side
        return no_test(method, "the areas have no variance", level=pair.level, alternative=side)
    freedom = both**2 / sum(spread.error**4 / (spread.units - 1) for spread in spreads)
    return student_test(method, pair.pooled, sqrt(both), freedom, **pair.how | {"bounds": (-1, 1)})


def _draws(side: Side, pair: Pair, place: int) -> NDArray[Any]:
    """The values of a model whose rows, or groups, are drawn again and again."""
    request, options, p = side.request, pair.options, side.predictions
    rng = stream(options.seed, "unpaired", str(place), request.name)
    if pair.is_of_counts:
        counts = Cells.of_counts(side.tallies.confusion).draw(options.count_draws[0], rng)
        with np.errstate(all="ignore"):
            return np.asarray(count_statistic(request, side.tallies)(counts), float)
    sampler = _sampler(p)

    def value(own: Generator) -> float:
        return _value(request, drawn_rows(request, p, sampler.multiplicities(own)))

    return in_blocks(value, replicates=options.row_draws[0], rng=rng, size=len(p))
