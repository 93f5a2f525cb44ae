"""The difference of two models by one measure, by the test that the design admits."""

from __future__ import annotations

from dataclasses import replace
from math import inf, isfinite
from typing import TYPE_CHECKING

from heldout.assess.values import lacking
from heldout.comparison.difference import Difference, as_identical
from heldout.comparison.limits_and_test import one_sided
from heldout.comparison.methods import Admission, Sample, admit, chosen_method, refuse_measure
from heldout.comparison.posterior import (
    Posterior,
    correlated_t,
    drawn_posterior,
    share_posterior,
    student_posterior,
)
from heldout.comparison.power.noise import SplitNoise, mean_noise
from heldout.core.errors import InputError
from heldout.core.notes import as_notes
from heldout.core.random import stream
from heldout.core.significance import TURNED
from heldout.uncertainty.quantiles import two_sided_normal

if TYPE_CHECKING:
    from heldout.comparison.difference import Unit
    from heldout.comparison.limits_and_test import Finding
    from heldout.comparison.methods import Method
    from heldout.comparison.pairs import Pair
    from heldout.comparison.power.noise import Noise
    from heldout.core.significance import Test

OF_CORRECTED = "power is that of the corrected t test"
NO_POSTERIOR = "no posterior is known, so no rope is used"
NONE_OF_PLAIN = "no posterior: the plain t test has none"


def pair_difference(pair: Pair) -> Difference:
    """First minus second model's value, with interval and test.

    Draws are made with the models in an order of their own, so that exchanging them mirrors
    every result, whatever they are called.
    """
    options = pair.options
    for side in pair.sides:
        if reason := lacking(pair.request, side.tallies):
            raise InputError(f"{pair.request.name} {reason}")
    if pair.is_turned:
        turned = replace(options, alternative=TURNED[options.alternative])
        back = replace(pair, places=pair.places[::-1], options=turned)
        return pair_difference(back).mirrored
    if options.test:
        admission = admit(options.test, pair.design, force=options.force, pair=pair)
        refuse_measure(admission.method, pair)
    else:
        admission = Admission(chosen_method(pair))
    difference = _tested(pair, admission)
    if pair.are_identical:
        return as_identical(difference)
    if options.margin is None:
        return difference
    # two one-sided tests at alpha, whatever the level and the side of the interval that is shown
    inner = replace(
        options, margin=None, rope=None, level=1 - 2 * options.alpha, alternative="two-sided"
    )
    limits = pair_difference(replace(pair, options=inner)).interval
    return replace(difference, margin_interval=limits)


def _tested(pair: Pair, admission: Admission) -> Difference:
    """The difference by a test, with what is known of the true one and what could be shown."""
    method, options, measure = admission.method, pair.options, pair.request.measure
    interval, test = finding = method.function(pair)
    first, second = pair.sides
    is_of_splits = method.sample.is_of_splits
    values = (first.value, second.value) if is_of_splits else (first.pooled, second.pooled)
    count, unit = _units(pair, method.sample)
    posterior, remark = _posterior(pair, method, test)
    return Difference(
        measure=pair.request.name,
        value=values[0] - values[1],
        n=count,
        notes=as_notes(admission.note, remark),
        first=first.predictions.model,
        second=second.predictions.model,
        test=replace(test, name=method.name),
        unit=unit,
        estimand=method.estimand(pair.design),
        direction=measure.direction,
        first_value=values[0],
        second_value=values[1],
        posterior=posterior,
        is_share=measure.bounds == (0, 1),
        noise=_noise(pair, method, finding, count),
        is_forced=admission.is_forced,
        alpha=options.alpha,
    ).bounded(one_sided(interval, options.alternative, options.level, pair.bounds))


def _units(pair: Pair, sample: Sample) -> tuple[int, Unit]:
    """How many of what is independent."""
    if not pair.models.is_paired:
        return sum(map(len, pair.predictions)), "rows"
    if sample is Sample.CUT_GROUPS:
        return pair.design.groups, "groups"
    return (len(pair.split_gaps), "splits") if sample.is_of_splits else (pair.count, pair.unit)


def _noise(pair: Pair, method: Method, finding: Finding, count: int) -> Noise | None:
    """What the test could have shown; None where nothing is known of that."""
    interval, test = finding
    if method.noise is not None:
        return method.noise(pair)
    if method.sample in (Sample.SPLITS, Sample.FIVE_BY_TWO):
        spread = float(pair.split_gaps.std(ddof=1))
        noise = SplitNoise(count, pair.design.folds, spread, _test_share(pair, method))
        return noise if spread > 0 else None
    if isfinite(test.error) or method.sample is Sample.CUT_GROUPS:
        return mean_noise(count, test.error, _freedom(test))
    # the interval is the only witness
    return mean_noise(count, interval.width / (2 * two_sided_normal(interval.level)))


def _freedom(test: Test) -> float:
    return test.degrees[0] if test.degrees else inf


def _test_share(pair: Pair, method: Method) -> float:
    """Test rows per training row; the test that holds for no design takes splits to be separate."""
    return pair.design.test_share if method.designs else 0.0


def _posterior(pair: Pair, method: Method, test: Test) -> tuple[Posterior | None, str]:
    """What is known of the true difference, and what to know of that.

    That of splits is always made, that of rows where a size is given that does not matter. Shares
    of the same rows have a Dirichlet distribution; where the test has a standard error it is the
    t or normal distribution about the difference.
    """
    rope, named = pair.options.rope, f"posterior with the error of {test.method}"
    if method.sample.is_of_splits and not method.designs:
        return None, "" if rope is None else NONE_OF_PLAIN
    if method.sample.is_of_splits and not test.is_given:
        return None, "" if rope is None else NO_POSTERIOR
    if method.sample is Sample.CUT_GROUPS:
        named = f"posterior with the error of the {test.method}"
        gap, error = pair.first.value - pair.second.value, max(0.0, test.error)
        return student_posterior(named, gap, error, rope or 0.0, freedom=_freedom(test)), ""
    if method.sample.is_of_splits:
        remark = OF_CORRECTED if method.sample is Sample.FIVE_BY_TWO else ""
        return correlated_t(pair.centred_gaps, pair.design.test_share, rope or 0.0), remark
    if rope is None:
        return None, ""
    if isfinite(pair.pooled) and pair.models.is_paired and pair.is_of_counts:
        return _count_posterior(pair, rope), ""
    if not isfinite(pair.pooled) or not isfinite(test.error):
        return None, NO_POSTERIOR
    return student_posterior(named, pair.pooled, test.error, rope, freedom=_freedom(test)), ""


def _count_posterior(pair: Pair, rope: float) -> Posterior:
    """That of counts of the same rows: a Dirichlet distribution of their cells."""
    rng = stream(pair.options.seed, "posterior", pair.request.name)
    if pair.shares is not None:
        both, first, second, neither = pair.shares
        return share_posterior(first, second, both + neither, rope, rng)
    draws = pair.options.count_draws[0]
    gaps = pair.cells.differences(pair.statistics, pair.cells.weighed(draws, rng))
    method = f"Bayesian bootstrap with a pseudo-row ({draws:,} draws of the joint cells)"
    return drawn_posterior(method, gaps, rope)
