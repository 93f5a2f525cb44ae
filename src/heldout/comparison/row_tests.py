"""Tests of two models by rows, the same or different: shares, areas, losses, draws, exchanges."""

from __future__ import annotations

from dataclasses import replace
from math import inf, nan
from operator import attrgetter
from typing import TYPE_CHECKING

import numpy as np

from heldout.comparison.limits_and_test import (
    drawn_test,
    no_test,
    student_test,
)
from heldout.comparison.power.share_noise import ShareNoise
from heldout.comparison.row_draws import drawn_difference, drawn_values, swapped_predictions
from heldout.comparison.share_tests import (
    independent_difference,
    independent_test,
    mcnemar,
    newcombe_difference,
    tango_difference,
)
from heldout.comparison.split_influence import is_rough
from heldout.core.dialect import argument
from heldout.core.notes import Lack
from heldout.core.significance import Test
from heldout.core.wording import plural
from heldout.measures.kinds import SAME, NoInterval
from heldout.uncertainty.interval import Interval, absent

if TYPE_CHECKING:
    from collections.abc import Callable

    from heldout.comparison.limits_and_test import Finding
    from heldout.comparison.pairs import Pair
    from heldout.comparison.share_tests import Kind
    from heldout.core.significance import Alternative
    from heldout.uncertainty.influence import Influence, Spread

DELONG, DELONG_APART = "DeLong (paired)", "DeLong (independent rows)"
ALIKE = "both models rank the rows alike"
EXTREME = "both rankings are perfect or perfectly reversed, so their variance is unknown"
NO_AREA_VARIANCE = "DeLong's variance of the difference is 0, which understates the uncertainty"
DELTA, DELTA_APART = "delta method, paired", "delta method, different rows"
#: what exchanging takes for granted of calibration errors
STRICTER = (
    "the exchange test asks whether the models' probabilities are the same, "
    "a stronger claim than equal errors"
)
#: less than this is float noise
LEAST = 1e-12
#: more cells (of some hundred classes) take longer than blocks of rows
MANY_CELLS = 1000
NO_VARIANCE = "the difference has no variance on these rows, which understates the uncertainty"


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
        return f"{pair.request.name} is not a mean of row losses"
    if not pair.has_alike_rows or pair.predictions[0].task == "regression":
        return (
            f"{test} is for rows that count alike and do not depend on each other, and these "
            "have weights or groups"
        )
    is_share = pair.shares is not None
    return (
        ""
        if is_share
        else f"{pair.request.name} is not a proportion of the same rows for both models"
    )


def influence_difference(
    pair: Pair,
    method: str,
    gap: Influence,
    no_variance: Callable[[Spread], Finding],
    *,
    has_tails: bool = True,
    freedom: Callable[[Spread], float] = attrgetter("freedom"),
    least: float = LEAST,
) -> Finding:
    """Interval and test by how far each unit moves the difference: rows, groups, two samples.

    ``no_variance`` gives both where the error is no more than float noise (``least``). What groups,
    weights, strata and few units do to the error is for ``Influence.spread``; ``freedom`` is for
    methods that were published with other degrees of freedom.
    """
    spread = gap.spread(has_tails=has_tails)
    if spread.error <= least * max(1.0, abs(gap.value)):
        return no_variance(spread)
    note = "" if pair.groups is None else gap.sizes.remark
    return student_test(method, gap.value, spread.error, freedom(spread), note=note, **pair.how)


def area_difference(pair: Pair) -> Finding:
    """Areas under the ROC curve, by how far the placement of each row moves them.

    Of the same rows by the normal distribution, as DeLong, DeLong and Clarke-Pearson (1988,
    Biometrics 44:837); of groups, whose placements are added up as in Obuchowski (1997, Biometrics
    53:567), and of different rows by Student's with Satterthwaite's freedom: of plain rows as in
    pROC, where each sample has one less than its rows.
    """
    method = DELONG if pair.models.is_paired else DELONG_APART
    if pair.groups is not None:
        method = f"{method}, {plural(pair.count, 'group')} (Obuchowski)"
    if lack := next(filter(None, (side.lack_of_area for side in pair.sides)), ""):
        return no_test(method, lack, **pair.sided)
    gap = pair.gap(lambda side: side.area)

    def no_variance(_: Spread) -> Finding:
        if not pair.models.is_paired or abs(gap.value) > LEAST:
            return _without_variance(pair, method, NO_AREA_VARIANCE)
        value = pair.first.pooled
        is_extreme = min(value, 1 - value) <= LEAST
        alike = Test(method, 0.0, 1.0, pair.side, error=nan if is_extreme else 0.0)
        if is_extreme:
            return absent(EXTREME, level=pair.level, method=method), alike.noted(EXTREME)
        return Interval(0.0, 0.0, pair.level, method), alike.noted(ALIKE)

    def freedom(spread: Spread) -> float:
        if pair.models.is_paired and pair.groups is None:
            return inf
        if pair.models.is_paired or not pair.has_alike_rows:
            return spread.freedom
        samples = [side.area.spread() for side in pair.sides]
        return spread.error**4 / sum(own.error**4 / (own.units - 1) for own in samples)

    return influence_difference(
        pair, method, gap, no_variance, freedom=freedom, has_tails=pair.groups is not None
    )


def _without_variance(pair: Pair, method: str, reason: str) -> Finding:
    """No interval where the variance is 0, which is what few rows show of it, no certainty."""
    if not pair.models.is_paired:
        return no_test(method, reason, **pair.sided)
    none = absent(reason, level=pair.level, method=method)
    return none, swapped_predictions(pair).noted(reason)


def lack_of_areas(pair: Pair) -> str:
    """Why the measure is no area under one ROC curve."""
    is_area = pair.request.measure.area is SAME and pair.predictions[0].task == "binary"
    return "" if is_area else f"delong is for auc of two classes, not for {pair.request.name}"


def mean_loss_difference(pair: Pair) -> Finding:
    """Means of row losses: Student's paired t test, or Welch's of different rows."""
    name = "paired t test" if pair.models.is_paired else "Welch's t test"
    method = f"{name} of {pair.unit}"
    reason = ""
    if endless := _endless(pair):
        reason = f"{plural(endless, 'row')} with an infinite loss: there is no mean to compare"
    elif min(side.tallies.groups for side in pair.sides) < 2:
        reason = f"there are fewer than two {pair.unit}"
    if reason:
        return no_test(method, reason, **pair.sided)
    gap = pair.loss_gap

    def no_variance(spread: Spread) -> Finding:
        if not pair.models.is_paired:
            return no_test(method, NO_VARIANCE, **pair.sided)
        units = int((gap.mass > 0).sum())
        return _without_spread(gap.value, pair.unit, units, spread.freedom, **pair.sided)

    return influence_difference(pair, method, gap, no_variance, has_tails=False, least=1e-15)


def _endless(pair: Pair) -> int:
    """How many rows have no finite difference of their losses, or loss of different rows."""
    with np.errstate(invalid="ignore"):
        first, second = (side.losses for side in pair.sides)
        if pair.models.is_paired:
            return int((~np.isfinite(first - second)).sum())
    return sum(int((~np.isfinite(losses)).sum()) for losses in (first, second))


def lack_of_losses(pair: Pair) -> str:
    """Why the measure is not a mean of row losses."""
    return "" if pair.has_losses else f"{pair.request.name} is not a mean of row losses"


def delta_difference(pair: Pair) -> Finding:
    """Any smooth measure, by how far each cell, row or group moves the difference.

    How fast the value changes with the count of a cell is how far a row of it moves it; both are
    taken with one pseudo-row spread over the cells (as Agresti and Min 2005, Biometrics 61:515,
    add to matched pairs), for a plain delta method finds no variance in a flawless precision. Other
    measures have the infinitesimal jackknife of rows or groups. The degrees of freedom heed the
    fourth moment: few where few rows make up the variance.
    """
    method = DELTA if pair.models.is_paired else DELTA_APART
    if _is_of_few_cells(pair):
        gap = pair.cell_gap
    else:
        method = f"{method}, of {pair.unit}"
        gap = replace(pair.gap(lambda side: side.pooled_influence), value=pair.pooled)
    return influence_difference(
        pair, method, gap, lambda _: _without_variance(pair, method, NO_VARIANCE)
    )


def no_gap_difference(pair: Pair) -> Finding:
    """Neither interval nor test of two calibration errors, and what to compare instead."""
    return no_test("no test", lack_of_gaps(pair), **pair.sided)


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
        "noise inflates binned calibration errors, by different amounts for different models, "
        f"so no interval of their difference is known to be valid: {instead}"
    )


def lack_of_limits(pair: Pair) -> str:
    """Why limits of the difference are not known to be valid; empty where they may be."""
    name = pair.request.name
    if pair.is_of_gaps:
        return f"{name} is not a mean of row losses"
    is_unknown = isinstance(pair.request.measure.kind, NoInterval)
    return f"no interval of {name} is known to be valid" if is_unknown else ""


def lack_of_delta(pair: Pair) -> str:
    """Why no error can be had from what each row adds."""
    name = pair.request.name
    if lack := lack_of_limits(pair):
        return lack
    if _is_of_few_cells(pair) or not is_rough(pair.request):
        return ""
    return f"rows do not move {name} smoothly, as delta takes for granted"


def _is_of_few_cells(pair: Pair) -> bool:
    """Whether counts of truth and labels tell all, and each can be changed on its own."""
    if not pair.is_of_counts:
        return False
    if pair.models.is_paired:
        return len(pair.cells.counts) <= MANY_CELLS
    return len(pair.predictions[0].classes) ** 2 <= MANY_CELLS


def permuted_difference(pair: Pair) -> Finding:
    """Predictions exchanged, with the interval of the test that has an error."""
    test = swapped_predictions(pair)
    if pair.is_of_gaps:
        return absent(lack_of_gaps(pair), level=pair.level), test.noted(STRICTER)
    if lack := lack_of_limits(pair):
        return absent(lack, level=pair.level), test
    interval, other = (drawn_difference if lack_of_delta(pair) else delta_difference)(pair)
    return interval, replace(test, error=other.error)


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
    note = f"{note}, so the variance of the differences is unknown"
    against = (mean > 0 and alternative == "less") or (mean < 0 and alternative == "greater")
    p_value = 1.0 if against else 2.0 ** ((alternative == "two-sided") - units)
    named = f"exact paired permutation test (exchanges of {unit})"
    evidence = Test(named, mean, p_value, alternative).noted(note)
    return absent(note, level=level, method=method), evidence


def unpaired_difference(pair: Pair) -> Finding:
    """The interval of first minus second, and a test, where no row was judged by both.

    Shares by Newcombe's interval and a z test; whatever rows move smoothly by the influence of
    either model's own rows or groups, as of the same rows; anything else by drawing these.
    """
    if pair.is_of_gaps:
        return no_gap_difference(pair)
    if (counts := pair.separate_shares) is not None:
        test = independent_test(*counts, alternative=pair.side)
        return independent_difference(*counts, level=pair.level), test
    for lack, difference in (
        (lack_of_areas, area_difference),
        (lack_of_losses, mean_loss_difference),
        (lack_of_delta, delta_difference),
    ):
        if not lack(pair):
            return difference(pair)
    first, second = (drawn_values(side, pair, number) for number, side in enumerate(pair.sides))
    method = f"bootstrap, {len(first):,} draws of the rows of each model, seed {pair.options.seed}"
    return drawn_test(method, first - second, pair.pooled, **pair.how)
