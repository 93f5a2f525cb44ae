"""The difference of two models by one measure, by the test that the design admits."""

from __future__ import annotations

from dataclasses import replace
from math import inf, isfinite
from typing import TYPE_CHECKING

import numpy as np

from heldout.assess.values import lacking
from heldout.comparison.difference import as_identical
from heldout.comparison.methods import Sample, admit, default_method, refuse_measure
from heldout.comparison.noise import SplitNoise, mean_noise
from heldout.comparison.posterior import (
    Posterior,
    drawn_posterior,
    share_posterior,
    student_posterior,
)
from heldout.comparison.split_influence import with_groups
from heldout.comparison.split_tests import METHOD, SplitGaps, correlated_t, split_freedom
from heldout.comparison.testing import student_test
from heldout.core.errors import InputError
from heldout.core.notes import as_notes
from heldout.core.random import stream
from heldout.core.significance import TURNED
from heldout.core.wording import plural
from heldout.uncertainty.quantiles import two_sided_normal

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from heldout.comparison.design import ComparisonDesign
    from heldout.comparison.difference import Difference
    from heldout.comparison.judged import Pair
    from heldout.comparison.methods import Method
    from heldout.comparison.noise import SeenNoise
    from heldout.core.significance import Test

__all__ = ["pair_difference"]

OF_CORRECTED = "power is that of the corrected t test"


def pair_difference(pair: Pair, design: ComparisonDesign) -> Difference:
    """First minus second model's value, with interval and test.

    Draws are made with the models in the order of their names, so that exchanging them mirrors
    every result.
    """
    options = pair.options
    first_model, second_model = (p.model for p in pair.predictions)
    if first_model > second_model:
        side = replace(options, alternative=TURNED[options.side])
        back = replace(pair, places=pair.places[::-1], options=side)
        return pair_difference(back, design).mirrored
    for model in (pair.first, pair.second):
        reason = lacking(pair.request, model.tallies)
        if reason:
            raise InputError(f"{pair.request.name} {reason}")
    if options.test:
        method, note, is_forced = admit(options.test, design, force=options.force, pair=pair)
        refuse_measure(method, pair, design)
    else:
        method, note, is_forced = default_method(pair, design), "", False
    if method.sample is Sample.CUT_GROUPS:
        difference = _group_difference(pair, design, method, note)
    elif method.sample in (Sample.SPLITS, Sample.FIVE_BY_TWO):
        difference = _split_difference(pair, design, method, note)
    else:
        difference = _row_difference(pair, method, note)
    difference = replace(difference, test_name=method.name, is_forced=is_forced)
    if pair.are_identical:
        return as_identical(difference)
    if options.margin is None:
        return difference
    # two one-sided tests at alpha, whatever the level and the side of the interval that is shown
    inner = replace(
        options, margin=None, rope=None, level=1 - 2 * options.alpha, alternative="two-sided"
    )
    limits = pair_difference(replace(pair, options=inner), design).interval
    return replace(difference, margin_interval=limits)


def _row_difference(pair: Pair, method: Method, note: str) -> Difference:
    """The difference on rows that were judged once, paired or not."""
    interval, test = method.function(pair)
    count, unit = pair.count, pair.unit
    if method.sample is Sample.OTHER_ROWS:
        count, unit = sum(len(p) for p in pair.predictions), "rows"
    noise: SeenNoise | None
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
        (interval, test),
        count,
        unit,
        posterior=posterior,
        notes=as_notes(note, lack),
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


def _split_difference(
    pair: Pair, design: ComparisonDesign, method: Method, note: str
) -> Difference:
    """First minus second model's mean over the splits, with interval, test and posterior."""
    options = pair.options
    gaps = _split_gaps(pair)
    # the test that holds for no design takes splits to be independent
    share = design.test_share if method.designs else 0.0
    values = pair.first.value, pair.second.value
    # folds that differ in size weigh as much as their rows in what stands for a measure
    centred = gaps + (values[0] - values[1] - gaps.mean())
    by_split = replace(pair.first.splits, values=gaps)
    freedom = split_freedom(len(gaps), design.folds)
    splits = SplitGaps(centred, by_split, share, freedom, pair.level, options.side)
    spread = float(gaps.std(ddof=1))
    remarks = [note]
    if method.sample is Sample.FIVE_BY_TWO:
        remarks.append(OF_CORRECTED)
    posterior = None
    if method.designs:
        posterior = correlated_t(centred, share, options.rope or 0.0)
    elif options.rope is not None:
        remarks.append("no posterior: there is none to the plain t test")
    return pair.difference(
        values,
        method.function(splits),
        len(gaps),
        "splits",
        posterior=posterior,
        notes=as_notes(*remarks),
        noise=SplitNoise(len(gaps), design.folds, spread, share) if spread > 0 else None,
    )


def _split_gaps(pair: Pair) -> NDArray[np.float64]:
    """First minus second model's value in each split; an error where one has none."""
    name, models = pair.request.name, (pair.first, pair.second)
    first, second = (model.splits.values for model in models)
    splits = len(first)
    endless = [(model, int(np.isinf(model.splits.values).sum())) for model in models]
    if any(count for _, count in endless):
        where = " and ".join(
            f"in {count} of {splits} splits of {model.predictions.model}"
            for model, count in endless
            if count
        )
        raise InputError(
            f"{name} is infinite {where} (a true class had probability 0 there), so no "
            "mean exists; take another measure (brier_score)"
        )
    gaps = first - second
    lost = int(np.isnan(gaps).sum())
    if lost:
        raise InputError(
            f"{name} is undefined in {lost} of {splits} splits: the mean over the "
            "rest would be of other data; take another measure or larger folds"
        )
    return gaps


def _group_difference(
    pair: Pair, design: ComparisonDesign, method: Method, note: str
) -> Difference:
    """First minus second model's mean over splits, tested with the error of groups as well.

    The corrected t test takes its error from how splits differ, and a group with rows in all of
    them moves all of them alike. So the variance by groups, each with all of its rows wherever
    they were tested, is added to the corrected one.
    """
    if design.groups < 2:
        raise InputError("all rows are in one group, which says nothing of how groups differ")
    by_splits = _split_difference(pair, design, method, note)
    influence = pair.first.influence - pair.second.influence
    of_splits = by_splits.test.error if by_splits.test.error > 0 else 0.0
    error, freedom = with_groups(of_splits, split_freedom(by_splits.n, design.folds), influence)
    of_groups = plural(design.groups, "group")
    if error == of_splits:
        alike = f"all of the {of_groups}, which the splits cut, differ alike"
        return replace(by_splits, notes=(*by_splits.notes, *as_notes(alike)))
    named = f"{METHOD}, with the error of {of_groups} that the splits cut"
    value, rope = by_splits.value, pair.options.rope or 0.0
    return pair.difference(
        (by_splits.first_value, by_splits.second_value),
        student_test(named, value, error, freedom, **pair.how),
        design.groups,
        "groups",
        posterior=student_posterior(
            f"posterior with the error of the {named}", value, error, rope, freedom=freedom
        ),
        notes=by_splits.notes,
        noise=mean_noise(design.groups, error, freedom),
    )
