"""The difference of two models by one measure, by the test that the design admits."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from math import inf, isfinite, isnan
from typing import TYPE_CHECKING

import numpy as np

from heldout.assess.values import lacking
from heldout.comparison.admissible import FIVE_BY_TWO, GROUP_TEST, SPLIT_TESTS, Unfit, admit
from heldout.comparison.difference import as_identical
from heldout.comparison.evidence import TURNED, student_test
from heldout.comparison.gap_pair import gap_difference, gap_lack
from heldout.comparison.group_shifts import is_rough
from heldout.comparison.long_rankings import is_of_rankings
from heldout.comparison.noise import ShareNoise, SplitNoise, mean_noise
from heldout.comparison.posterior import (
    Posterior,
    drawn_posterior,
    share_posterior,
    student_posterior,
)
from heldout.comparison.row_differences import (
    cell_difference,
    drawn_difference,
    loss_difference,
    shift_difference,
    swapped_predictions,
)
from heldout.comparison.shares import mcnemar, newcombe_difference, tango_difference
from heldout.comparison.split_tests import (
    METHOD,
    alpaydin_f,
    corrected_interval,
    corrected_t,
    correlated_t,
    dietterich_t,
    plain_t,
)
from heldout.comparison.unpaired import unpaired_difference
from heldout.core.dialect import argument
from heldout.core.errors import InputError
from heldout.core.notes import as_notes
from heldout.core.random import stream
from heldout.core.wording import plural
from heldout.measures.kinds import SAME
from heldout.uncertainty.interval import absent
from heldout.uncertainty.quantiles import two_sided_normal

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from heldout.comparison.design import ComparisonDesign
    from heldout.comparison.difference import Difference
    from heldout.comparison.evidence import Evidence, Found
    from heldout.comparison.judged import Pair
    from heldout.comparison.noise import SeenNoise
    from heldout.comparison.shares import Kind

__all__ = ["pair_difference"]

#: what exchanging takes for granted of calibration errors
STRICTER = (
    "exchanging asks whether the models' probabilities are alike, which is more than equal errors"
)
#: less than this is float noise
LEAST = 1e-12
#: more cells (of some hundred classes) take longer than blocks of rows
MANY_CELLS = 1000
NO_VARIANCE = "the difference has no variance on these rows, which is no certainty"
OF_CORRECTED = "interval and power are those of the corrected t test"
MCNEMAR: dict[str, Kind] = {
    "mcnemar": "exact",
    "mcnemar-midp": "mid-p",
    "mcnemar-normal": "normal",
    "mcnemar-corrected": "corrected",
}


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
    chosen = _chosen_test(pair, design)
    test, note, is_forced = options.test or chosen, "", False
    if options.test:
        note, is_forced = admit(test, design, force=options.force, better=chosen)
    if test == GROUP_TEST:
        found = _group_difference(pair, design, note)
    elif test in SPLIT_TESTS:
        found = _split_difference(pair, design, test, note)
    else:
        try:
            found = _row_difference(pair, test, note)
        except Unfit as unfit:
            raise InputError(f"{unfit}: take {chosen}, or leave {argument('test')} out") from None
    found = replace(found, test=test, is_forced=is_forced)
    return as_identical(found) if pair.are_identical else found


def _chosen_test(pair: Pair, design: ComparisonDesign) -> str:
    """The test that design and measure call for."""
    if design.kind == "different test sets":
        return "independent"
    if design.has_splits and design.cuts_groups:
        return GROUP_TEST
    if design.has_splits:
        return "5x2-f" if design.kind == "5x2-fold" else "corrected-t"
    if _is_area(pair) and design.kind == "one test set":
        return "delong"
    if pair.shares is not None:
        return "mcnemar"
    if pair.has_losses:
        return "loss-t"
    if pair.is_of_gaps:
        return "permutation" if gap_lack(pair) else "gaps"
    # scores of models that each left out another row are in no common order
    left_out = design.kind == "leave-one-out" and is_of_rankings(pair.request)
    return "permutation" if left_out else _with_error(pair)


def _with_error(pair: Pair) -> str:
    """The test that takes the error of a difference from the rows, whatever the measure."""
    return "delta" if _is_of_few_cells(pair) or not is_rough(pair.request) else "bootstrap"


def _is_area(pair: Pair) -> bool:
    return pair.request.measure.area is SAME and pair.predictions[0].task == "binary"


def _is_of_few_cells(pair: Pair) -> bool:
    """Whether counts of truth and both labels tell all, and each can be changed on its own."""
    return pair.is_of_counts and len(pair.cells.counts) <= MANY_CELLS


def _row_difference(pair: Pair, test: str, note: str) -> Difference:
    """The difference on rows that were judged once, paired or not."""
    if pair.is_of_gaps and test not in OF_GAPS:
        raise Unfit(f"{pair.request.name} is no mean of row losses")
    interval, evidence = ROW_TESTS[test](pair)
    count, unit = pair.count, pair.unit
    if test == "independent":
        count, unit = sum(len(p) for p in pair.predictions), "rows"
    if test in MCNEMAR:
        assert pair.shares is not None
        _, first, second, _ = pair.shares
        rows = sum(pair.shares)
        noise: SeenNoise | None = ShareNoise(rows, (first + second) / rows, MCNEMAR[test])
    elif isfinite(evidence.error):
        noise = mean_noise(count, evidence.error, _freedom(evidence))
    else:
        # the interval is the only witness
        noise = mean_noise(count, interval.width / (2 * two_sided_normal(interval.level)))
    posterior, lack = None, ""
    if pair.options.rope is not None:
        posterior = _posterior(pair, evidence, pair.options.rope)
        lack = "" if posterior else "no posterior is known, so no rope is used"
    return pair.difference(
        (pair.first.pooled, pair.second.pooled),
        (interval, evidence),
        count,
        unit,
        posterior=posterior,
        notes=as_notes(note, lack),
        noise=noise,
    )


def _freedom(evidence: Evidence) -> float:
    return evidence.degrees[0] if evidence.degrees else inf


def _posterior(pair: Pair, evidence: Evidence, rope: float) -> Posterior | None:
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
    if not isfinite(evidence.error):
        return None
    method = f"posterior with the error of {evidence.method}"
    freedom = _freedom(evidence)
    return student_posterior(method, pair.pooled, evidence.error, rope, freedom=freedom)


def _shares(pair: Pair, kind: Kind, test: str) -> Found:
    """Shares of the same rows: McNemar's test, and the interval of Newcombe or Tango."""
    if not pair.has_alike_rows or pair.predictions[0].task == "regression":
        raise Unfit(
            f"{test} is for rows that count alike and do not depend on each other, and these "
            "have weights or groups"
        )
    if pair.shares is None:
        raise Unfit(f"{pair.request.name} is no share of the same rows for both models")
    interval = tango_difference if pair.options.interval == "tango" else newcombe_difference
    _, first, second, _ = pair.shares
    evidence = mcnemar(first, second, kind=kind, alternative=pair.options.alternative)
    return interval(*pair.shares, level=pair.level), evidence


def _areas(pair: Pair) -> Found:
    if not _is_area(pair):
        raise Unfit(f"delong is for auc of two classes, not for {pair.request.name}")
    areas, options = pair.judged.areas, pair.options
    interval, evidence = areas.test(*pair.places, level=pair.level, alternative=options.alternative)
    if isnan(evidence.p_value) and not areas.reason:
        # a variance of 0 is what few rows show of it, no certainty
        evidence = swapped_predictions(pair).noted(*evidence.notes)
    return interval, evidence


def _losses(pair: Pair) -> Found:
    if not pair.has_losses:
        raise Unfit(f"{pair.request.name} is no mean of row losses")
    losses = pair.first.losses, pair.second.losses
    return loss_difference(*losses, weight=pair.weight, groups=pair.groups, **pair.how)


def _gaps(pair: Pair) -> Found:
    """The difference of two calibration errors, which no bootstrap of rows covers."""
    if not pair.is_of_gaps:
        raise Unfit(f"gaps is for calibration errors (ece), not for {pair.request.name}")
    if lack := gap_lack(pair):
        raise Unfit(f"gaps cannot judge {pair.request.name}: {lack}")
    return gap_difference(pair, pair.options.alternative)


def _delta(pair: Pair) -> Found:
    """By how far each cell, row or group moves the difference."""
    if _is_of_few_cells(pair):
        interval, evidence = cell_difference(pair)
    elif is_rough(pair.request):
        raise Unfit(f"rows do not move {pair.request.name} smoothly, as delta takes for granted")
    else:
        interval, evidence = shift_difference(pair)
    if evidence.error > LEAST:
        return interval, evidence
    # a variance of 0 is what few rows show of it, no certainty
    none = absent(NO_VARIANCE, level=pair.level, method=interval.method)
    return none, swapped_predictions(pair).noted(NO_VARIANCE)


def _permutation(pair: Pair) -> Found:
    """Predictions exchanged, with the interval of the test that has an error."""
    if not pair.is_of_gaps:
        interval, evidence = ROW_TESTS[_with_error(pair)](pair)
        return interval, replace(swapped_predictions(pair), error=evidence.error)
    lack = gap_lack(pair)
    interval = absent(lack, level=pair.level)
    if not lack:
        interval = gap_difference(pair, pair.options.alternative)[0]
    return interval, swapped_predictions(pair).noted(STRICTER)


#: tests of rows that were judged once
ROW_TESTS: dict[str, Callable[[Pair], Found]] = {
    **{test: partial(_shares, kind=kind, test=test) for test, kind in MCNEMAR.items()},
    "delong": _areas,
    "loss-t": _losses,
    "gaps": _gaps,
    "delta": _delta,
    "bootstrap": drawn_difference,
    "permutation": _permutation,
    "independent": unpaired_difference,
}
#: those of them that calibration errors may be asked for, if only to say why not
OF_GAPS = {"gaps", "permutation", "independent", "delong"}


def _split_difference(pair: Pair, design: ComparisonDesign, test: str, note: str) -> Difference:
    """First minus second model's mean over the splits, with interval, test and posterior."""
    options = pair.options
    gaps = _split_gaps(pair)
    # the plain t test takes splits to be independent
    share = 0.0 if test == "plain-t" else design.test_share
    values = pair.first.value, pair.second.value
    # folds that differ in size weigh as much as their rows in what stands for a measure
    centred = gaps + (values[0] - values[1] - gaps.mean())
    spread = float(gaps.std(ddof=1))
    remarks = [note]
    if test in FIVE_BY_TWO:
        remarks.append(OF_CORRECTED)
    posterior = None
    if test != "plain-t":
        posterior = correlated_t(centred, share, options.rope or 0.0)
    elif options.rope is not None:
        remarks.append("no posterior: there is none to the plain t test")
    return pair.difference(
        values,
        _split_test(pair, gaps, centred, test, share),
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


def _split_test(
    pair: Pair,
    gaps: NDArray[np.float64],
    centred: NDArray[np.float64],
    test: str,
    share: float,
) -> Found:
    """The two-sided interval and the test; ``centred``: the gaps around their weighted mean."""
    interval = corrected_interval(centred, share, level=pair.level)
    alternative = pair.options.alternative
    if test == "corrected-t":
        return interval, corrected_t(centred, share, alternative=alternative)
    if test == "plain-t":
        evidence = plain_t(centred, alternative=alternative)
        return replace(interval, method=evidence.method), evidence
    table = replace(pair.first.splits, values=gaps).table()
    if test == "5x2-t":
        return interval, dietterich_t(table, alternative=alternative)
    if alternative != "two-sided":
        raise InputError("Alpaydin's F has no direction: take 5x2-t or corrected-t")
    return interval, alpaydin_f(table)


def _group_difference(pair: Pair, design: ComparisonDesign, note: str) -> Difference:
    """First minus second model's mean over splits, tested with the error of groups as well.

    The corrected t test takes its error from how splits differ, and a group with rows in all of
    them moves all of them alike. So the variance by groups, each with all of its rows wherever
    they were tested, is added to the corrected one.
    """
    if design.groups < 2:
        raise InputError("all rows are in one group, which says nothing of how groups differ")
    by_splits = _split_difference(pair, design, "corrected-t", note)
    shifts = pair.first.shifts.less(pair.second.shifts)
    of_splits = by_splits.evidence.error if by_splits.evidence.error > 0 else 0.0
    error, freedom = shifts.added_to(of_splits, by_splits.n - 1)
    of_groups = plural(shifts.groups, "group")
    if error == of_splits:
        alike = f"all of the {of_groups}, which the splits cut, differ alike"
        return replace(by_splits, notes=(*by_splits.notes, *as_notes(alike)))
    method = f"{METHOD}, with the error of {of_groups} that the splits cut"
    value, rope = by_splits.value, pair.options.rope or 0.0
    named = f"posterior with the error of the {method}"
    return pair.difference(
        (by_splits.first_value, by_splits.second_value),
        student_test(method, value, error, freedom, **pair.how),
        shifts.groups,
        "groups",
        posterior=student_posterior(named, value, error, rope, freedom=freedom),
        notes=by_splits.notes,
        noise=mean_noise(shifts.groups, error, freedom),
    )
