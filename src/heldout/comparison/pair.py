"""The difference of two models by one measure, by the test that the design admits."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.assess.class_statistics import count_statistic
from heldout.assess.values import lacking, overall
from heldout.comparison.admissible import GROUP_TEST, SPLIT_TESTS, Unfit, admit
from heldout.comparison.difference import Difference, as_identical
from heldout.comparison.evidence import TURNED, one_sided
from heldout.comparison.gap_pair import gap_difference, gap_lack, is_of_gaps
from heldout.comparison.group_shifts import is_rough
from heldout.comparison.joint_cells import cell_difference, exchanged_cells, paired_shares
from heldout.comparison.judged import groups_of, is_of_counts
from heldout.comparison.long_rankings import is_of_rankings
from heldout.comparison.noise import ShareNoise, mean_noise
from heldout.comparison.posterior import (
    Posterior,
    drawn_posterior,
    share_posterior,
    student_posterior,
)
from heldout.comparison.row_differences import (
    delta_difference,
    drawn_difference,
    loss_difference,
    row_test,
)
from heldout.comparison.shares import mcnemar, newcombe_difference, tango_difference
from heldout.comparison.split_pair import group_difference, split_difference
from heldout.comparison.unpaired import unpaired_difference, unpaired_gap_difference
from heldout.core.errors import InputError
from heldout.core.random import stream
from heldout.evaluation.row_losses import has_row_losses
from heldout.intervals.interval import absent
from heldout.intervals.quantiles import two_sided_normal
from heldout.measures.ranges import range_of

if TYPE_CHECKING:
    from numpy.random import Generator

    from heldout.comparison.design import ComparisonDesign
    from heldout.comparison.evidence import Evidence
    from heldout.comparison.judged import Judged
    from heldout.comparison.noise import SeenNoise
    from heldout.comparison.options import CompareOptions
    from heldout.comparison.shares import Kind
    from heldout.intervals.interval import Interval
    from heldout.measures.spec import Request

__all__ = ["chosen_test", "pair_difference", "row_posterior"]

#: what exchanging takes for granted of calibration errors
STRICTER = (
    "exchanging asks whether the models' probabilities are alike, which is more than equal errors"
)
#: less than this is float noise
LEAST = 1e-12
#: more cells (of some hundred classes) take longer than blocks of rows
MANY_CELLS = 1000
NO_VARIANCE = "the difference has no variance on these rows, which is no certainty"
Found = tuple["Interval", "Evidence"]
MCNEMAR: dict[str, Kind] = {
    "mcnemar": "exact",
    "mcnemar-midp": "mid-p",
    "mcnemar-normal": "normal",
    "mcnemar-corrected": "corrected",
}


def pair_difference(
    request: Request,
    judged: Judged,
    design: ComparisonDesign,
    places: tuple[int, int],
    options: CompareOptions,
) -> Difference:
    """First minus second model's value, with interval and test.

    ``places`` are the positions of the two models among those aligned. Draws are made with
    the models in the order of their names, so that exchanging them mirrors every result.
    """
    first_model, second_model = (judged.predictions[place].model for place in places)
    if first_model > second_model:
        side = replace(options, alternative=TURNED[options.side])
        back = (places[1], places[0])
        return pair_difference(request, judged, design, back, side).mirrored
    for place in places:
        reason = lacking(request, judged.tallies[place])
        if reason:
            raise InputError(f"{request.name} {reason}")
    chosen = chosen_test(request, judged, places, design)
    test = options.test or chosen
    note = admit(test, design, force=options.force, better=chosen) if options.test else ""
    if test == GROUP_TEST:
        made = group_difference(request, judged, places, design, options, note=note)
    elif test in SPLIT_TESTS:
        made = split_difference(request, judged, places, design, test, options, note=note)
    else:
        try:
            made = _row_difference(request, judged, places, test, options, note=note)
        except Unfit as unfit:
            raise InputError(f"{unfit}: take {chosen}, or leave --test out") from None
    return as_identical(made) if judged.are_identical(places) else made


def chosen_test(
    request: Request, judged: Judged, places: tuple[int, int], design: ComparisonDesign
) -> str:
    """The test that design and measure call for."""
    if design.kind == "different test sets":
        return "independent"
    if design.has_splits and design.cuts_groups:
        return GROUP_TEST
    if design.has_splits:
        return "5x2-f" if design.kind == "5x2-fold" else "corrected-t"
    p = judged.predictions[places[0]]
    if request.measure.name == "auc" and p.task == "binary" and design.kind == "one test set":
        return "delong"
    plain = p.weight is None and p.design.group is None
    if plain and is_of_counts(request) and paired_shares(request, judged.cells(places)) is not None:
        return "mcnemar"
    if all(has_row_losses(request, judged.tallies[place]) for place in places):
        return "loss-t"
    if is_of_gaps(request):
        return "permutation" if gap_lack(request, judged, places) else "gaps"
    # scores of models that each left out another row are in no common order
    left_out = design.kind == "leave-one-out" and is_of_rankings(request)
    return "permutation" if left_out else _with_error(request, judged, places)


def _with_error(request: Request, judged: Judged, places: tuple[int, int]) -> str:
    """The test that takes the error of a difference from the rows, whatever the measure."""
    by_cells = _is_of_few_cells(request, judged, places)
    return "delta" if by_cells or not is_rough(request) else "bootstrap"


def _is_of_few_cells(request: Request, judged: Judged, places: tuple[int, int]) -> bool:
    """Whether counts of truth and both labels tell all, and each can be changed on its own."""
    by_counts = is_of_counts(request) and judged.are_counts(places)
    return by_counts and len(judged.cells(places).counts) <= MANY_CELLS


def _row_difference(
    request: Request,
    judged: Judged,
    places: tuple[int, int],
    test: str,
    options: CompareOptions,
    *,
    note: str,
) -> Difference:
    """The difference on rows that were judged once, paired or not."""
    two = judged.predictions[places[0]], judged.predictions[places[1]]
    first, second = (overall(request, judged.tallies[place]).value for place in places)
    # either limit of this interval holds alone at the level of a one-sided test
    inner = replace(options, level=options.limits_level)
    if test == "delong":
        interval, evidence = _areas(request, judged, places, inner)
    elif test == "independent" and is_of_gaps(request):
        interval, evidence = unpaired_gap_difference(request, judged, places, inner)
    elif test == "independent":
        interval, evidence = unpaired_difference(request, two, inner)
    else:
        interval, evidence = _of_rows(request, judged, places, test, inner)
    groups = groups_of(two[0]) if test != "independent" else None
    rows = len(two[0]) if test != "independent" else sum(len(p) for p in two)
    count = rows if groups is None else len(np.unique(groups))
    low, high = range_of(request, len(two[0].classes))
    posterior = None
    if options.rope is not None:
        posterior = row_posterior(request, judged, places, first - second, evidence, options)
        lack = "" if posterior else "no posterior is known, so no rope is used"
        note = "; ".join(filter(None, (note, lack)))
    return Difference(
        request.name,
        two[0].model,
        two[1].model,
        first,
        second,
        one_sided(interval, options.side, options.level, (low - high, high - low)),
        evidence,
        count,
        "rows" if groups is None else "groups",
        request.measure.direction,
        posterior,
        is_share=request.measure.bounds == (0, 1),
        note=note,
        noise=_noise(request, judged, places, test, count, (interval, evidence)),
    )


def _noise(
    request: Request,
    judged: Judged,
    places: tuple[int, int],
    test: str,
    count: int,
    found: Found,
) -> SeenNoise | None:
    """What the design could show; None where the interval is the only witness and is not there."""
    interval, evidence = found
    if test in MCNEMAR:
        shares = paired_shares(request, judged.cells(places))
        assert shares is not None
        return ShareNoise(sum(shares), (shares[1] + shares[2]) / sum(shares), MCNEMAR[test])
    if np.isfinite(evidence.error):
        freedom = evidence.degrees[0] if evidence.degrees else np.inf
        return mean_noise(count, evidence.error, freedom)
    return mean_noise(count, interval.width / (2 * two_sided_normal(interval.level)))


def _of_rows(
    request: Request,
    judged: Judged,
    places: tuple[int, int],
    test: str,
    options: CompareOptions,
) -> Found:
    two = judged.predictions[places[0]], judged.predictions[places[1]]
    groups, weight = groups_of(two[0]), two[0].weight
    low, high = range_of(request, len(two[0].classes))
    shared: dict[str, Any] = {"level": options.level, "alternative": options.alternative}
    shared["bounds"] = (low - high, high - low)
    if test == "loss-t":
        if not all(has_row_losses(request, judged.tallies[place]) for place in places):
            raise Unfit(f"{request.name} is no mean of row losses")
        losses = [judged.losses(request, place) for place in places]
        return loss_difference(*losses, weight=weight, groups=groups, **shared)
    if test == "gaps" or is_of_gaps(request):
        return _of_gaps(request, judged, places, test, options)
    if test in MCNEMAR:
        return _shares(request, judged, places, test, options)
    if test == "permutation":
        usual = _with_error(request, judged, places)
        interval, evidence = _of_rows(request, judged, places, usual, options)
        exchanged = _exchanged(request, judged, places, options)
        return interval, replace(exchanged, error=evidence.error)
    if test == "bootstrap":
        draws = {"replicates": options.row_draws[0], "seed": options.seed}
        return drawn_difference(request, two, groups=groups, **draws, **shared)
    if _is_of_few_cells(request, judged, places):
        tallies = judged.tallies[places[0]], judged.tallies[places[1]]
        made = cell_difference(request, tallies, judged.cells(places), **shared)
    elif is_rough(request):
        raise Unfit(f"rows do not move {request.name} smoothly, as delta takes for granted")
    else:
        first, second = (overall(request, judged.tallies[place]).value for place in places)
        one, other = (judged.shifts(request, place, is_whole=True) for place in places)
        has_groups = groups is not None
        made = delta_difference(first - second, (one, other), has_groups=has_groups, **shared)
    if made[1].error > LEAST:
        return made
    # a variance of 0 is what few rows show of it, no certainty
    interval = absent(NO_VARIANCE, level=options.level, method=made[0].method)
    evidence = _exchanged(request, judged, places, options)
    note = "; ".join(filter(None, (evidence.note, NO_VARIANCE)))
    return interval, replace(evidence, note=note)


def _shares(
    request: Request, judged: Judged, places: tuple[int, int], test: str, options: CompareOptions
) -> Found:
    """Shares of the same rows: McNemar's test, and the interval of Newcombe or Tango."""
    if not judged.are_counts(places):
        raise Unfit(
            f"{test} is for rows that count alike and do not depend on each other, and these "
            "have weights or groups"
        )
    shares = paired_shares(request, judged.cells(places)) if is_of_counts(request) else None
    if shares is None:
        raise Unfit(f"{request.name} is no share of the same rows for both models")
    maker = tango_difference if options.interval == "tango" else newcombe_difference
    _, only_first, only_second, _ = shares
    evidence = mcnemar(only_first, only_second, kind=MCNEMAR[test], alternative=options.alternative)
    return maker(*shares, level=options.level), evidence


def _exchanged(
    request: Request, judged: Judged, places: tuple[int, int], options: CompareOptions
) -> Evidence:
    """Whether the models' predictions can be exchanged, which is more than equal values."""
    shared: dict[str, Any] = {"alternative": options.alternative, "seed": options.seed}
    if judged.are_counts(places) and is_of_counts(request):
        tallies = judged.tallies[places[0]], judged.tallies[places[1]]
        exchanges = options.count_draws[1]
        cells = judged.cells(places)
        return exchanged_cells(request, tallies, cells, permutations=exchanges, **shared)
    two = judged.predictions[places[0]], judged.predictions[places[1]]
    exchanges = options.row_draws[1]
    return row_test(request, two, groups=groups_of(two[0]), permutations=exchanges, **shared)


def _of_gaps(
    request: Request,
    judged: Judged,
    places: tuple[int, int],
    test: str,
    options: CompareOptions,
) -> Found:
    """The difference of two calibration errors, which no bootstrap of rows covers."""
    if not is_of_gaps(request):
        raise Unfit(f"gaps is for calibration errors (ece), not for {request.name}")
    if test not in {"gaps", "permutation"}:
        raise Unfit(f"{request.name} is no mean of row losses")
    shared: dict[str, Any] = {"alternative": options.alternative, "seed": options.seed}
    lack = gap_lack(request, judged, places)
    if test == "gaps":
        if lack:
            raise Unfit(f"gaps cannot judge {request.name}: {lack}")
        return gap_difference(request, judged, places, level=options.level, **shared)
    interval = absent(lack, level=options.level)
    if not lack:
        interval = gap_difference(request, judged, places, level=options.level, **shared)[0]
    evidence = _exchanged(request, judged, places, options)
    return interval, replace(evidence, note="; ".join(filter(None, (evidence.note, STRICTER))))


def _areas(
    request: Request,
    judged: Judged,
    places: tuple[int, int],
    options: CompareOptions,
) -> Found:
    if request.measure.name != "auc" or judged.predictions[0].task != "binary":
        raise Unfit(f"delong is for auc of two classes, not for {request.name}")
    found = judged.areas
    made = found.interval(*places, level=options.level)
    evidence = found.test(*places, alternative=options.alternative)
    if found.is_certain(*places):
        # a variance of 0 is what few rows show of it, no certainty
        drawn = _exchanged(request, judged, places, options)
        evidence = replace(drawn, note="; ".join(filter(None, (drawn.note, evidence.note))))
    return made, evidence


#: less than this is float noise
LEAST = 1e-12


def row_posterior(
    request: Request,
    judged: Judged,
    places: tuple[int, int],
    value: float,
    evidence: Evidence,
    options: CompareOptions,
) -> Posterior | None:
    """What is known of the true difference; None where no posterior is.

    Shares of the same rows have a Dirichlet distribution; where the test has a standard error
    it is the t or normal distribution about the difference.
    """
    assert options.rope is not None
    if not np.isfinite(value):
        return None
    rope = options.rope
    two = judged.predictions[places[0]], judged.predictions[places[1]]
    rng = stream(options.seed, "posterior", request.name)
    paired = judged.aligned.is_paired
    if paired and is_of_counts(request) and two[0].weight is None and groups_of(two[0]) is None:
        return _of_cells(request, judged, places, rope, options.count_draws[0], rng)
    if np.isfinite(evidence.error):
        freedom = evidence.degrees[0] if evidence.degrees else np.inf
        method = f"posterior with the error of {evidence.method}"
        return student_posterior(method, value, evidence.error, rope, freedom=freedom)
    return None


def _of_cells(
    request: Request,
    judged: Judged,
    places: tuple[int, int],
    rope: float,
    draws: int,
    rng: Generator,
) -> Posterior:
    cells = judged.cells(places)
    shares = paired_shares(request, cells)
    if shares is not None:
        both, first, second, neither = shares
        return share_posterior(first, second, both + neither, rope, rng)
    one, two = (count_statistic(request, judged.tallies[place]) for place in places)
    gaps = cells.differences((one, two), cells.weighed(draws, rng))
    method = f"Bayesian bootstrap with a pseudo-row ({draws:,} draws of the joint cells)"
    return drawn_posterior(method, gaps, rope)
