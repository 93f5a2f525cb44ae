"""The difference of two models by one measure, by the test that the design admits."""

from __future__ import annotations

from dataclasses import replace
from math import inf, isfinite
from typing import TYPE_CHECKING

from heldout.assess.values import lacking
from heldout.comparison.difference import as_identical
from heldout.comparison.methods import Admission, Sample, admit, default_method, refuse_measure
from heldout.comparison.noise import SplitNoise, mean_noise
from heldout.comparison.posterior import (
    Posterior,
    drawn_posterior,
    share_posterior,
    student_posterior,
)
from heldout.comparison.split_tests import correlated_t
from heldout.core.errors import InputError
from heldout.core.notes import as_notes
from heldout.core.random import stream
from heldout.core.significance import TURNED
from heldout.uncertainty.quantiles import two_sided_normal

if TYPE_CHECKING:
    from heldout.comparison.difference import Difference
    from heldout.comparison.judged import Pair
    from heldout.comparison.methods import Method
    from heldout.comparison.noise import Noise
    from heldout.comparison.testing import Found
    from heldout.core.significance import Test

OF_CORRECTED = "power is that of the corrected t test"


def pair_difference(pair: Pair) -> Difference:
    """First minus second model's value, with interval and test.

    Draws are made with the models in the order of their names, so that exchanging them mirrors
    every result.
    """
    options = pair.options
    first_model, second_model = (p.model for p in pair.predictions)
    if first_model > second_model:
        side = replace(options, alternative=TURNED[options.alternative])
        back = replace(pair, places=pair.places[::-1], options=side)
        return pair_difference(back).mirrored
    for model in (pair.first, pair.second):
        reason = lacking(pair.request, model.tallies)
        if reason:
            raise InputError(f"{pair.request.name} {reason}")
    if options.test:
        admission = admit(options.test, pair.design, force=options.force, pair=pair)
        refuse_measure(admission.method, pair)
    else:
        admission = Admission(default_method(pair))
    method = admission.method
    of_sample = _of_splits if method.sample.is_of_splits else _of_rows
    difference = of_sample(pair, method, method.function(pair))
    difference = replace(
        difference,
        notes=(*as_notes(admission.note), *difference.notes),
        test=replace(difference.test, name=method.name),
        is_forced=admission.is_forced,
    )
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


def _of_rows(pair: Pair, method: Method, found: Found) -> Difference:
    """The difference on rows that were judged once, paired or not."""
    interval, test = found
    count, unit = pair.count, pair.unit
    if method.sample is Sample.OTHER_ROWS:
        count, unit = sum(len(p) for p in pair.predictions), "rows"
    noise: Noise | None
    if method.noise is not None:
        noise = method.noise(pair)
    elif isfinite(test.error):
        noise = mean_noise(count, test.error, _freedom(test))
    else:
        # the interval is the only witness
        noise = mean_noise(count, interval.width / (2 * two_sided_normal(interval.level)))
    posterior, lack = None, ""
    if pair.options.rope is not None:
        posterior = _posterior(pair, test, pair.options.rope)
        lack = "" if posterior else "no posterior is known, so no rope is used"
    return pair.difference(
        (pair.first.pooled, pair.second.pooled),
        found,
        count,
        unit,
        posterior=posterior,
        notes=as_notes(lack),
        noise=noise,
    )


def _freedom(test: Test) -> float:
    return test.degrees[0] if test.degrees else inf


def _posterior(pair: Pair, test: Test, rope: float) -> Posterior | None:
    """What is known of the true difference; None where no posterior is.

    Shares of the same rows have a Dirichlet distribution; where the test has a standard error
    it is the t or normal distribution about the difference.
    """
    if not isfinite(pair.pooled):
        return None
    if pair.judged.aligned.is_paired and pair.is_of_counts:
        rng = stream(pair.options.seed, "posterior", pair.request.name)
        if pair.shares is not None:
            both, first, second, neither = pair.shares
            return share_posterior(first, second, both + neither, rope, rng)
        draws = pair.options.count_draws[0]
        gaps = pair.cells.differences(pair.statistics, pair.cells.weighed(draws, rng))
        method = f"Bayesian bootstrap with a pseudo-row ({draws:,} draws of the joint cells)"
        return drawn_posterior(method, gaps, rope)
    if not isfinite(test.error):
        return None
    method = f"posterior with the error of {test.method}"
    freedom = _freedom(test)
    return student_posterior(method, pair.pooled, test.error, rope, freedom=freedom)


def _of_splits(pair: Pair, method: Method, found: Found) -> Difference:
    """First minus second model's mean over the splits, with their posterior and noise."""
    test, design, rope = found[1], pair.design, pair.options.rope
    values = pair.first.value, pair.second.value
    if method.sample is Sample.CUT_GROUPS:
        error, freedom = max(test.error, 0.0), _freedom(test)
        named = f"posterior with the error of the {test.method}"
        gap = values[0] - values[1]
        return pair.difference(
            values,
            found,
            design.groups,
            "groups",
            posterior=student_posterior(named, gap, error, rope or 0.0, freedom=freedom),
            noise=mean_noise(design.groups, error, freedom),
        )
    gaps, remark, posterior = pair.split_gaps, "", None
    # the test that holds for no design takes splits to be independent
    share = design.test_share if method.designs else 0.0
    if method.designs:
        posterior = correlated_t(pair.centred_gaps, share, rope or 0.0)
        remark = OF_CORRECTED if method.sample is Sample.FIVE_BY_TWO else ""
    elif rope is not None:
        remark = "no posterior: there is none to the plain t test"
    spread = float(gaps.std(ddof=1))
    return pair.difference(
        values,
        found,
        len(gaps),
        "splits",
        posterior=posterior,
        notes=as_notes(remark),
        noise=SplitNoise(len(gaps), design.folds, spread, share) if spread > 0 else None,
    )
