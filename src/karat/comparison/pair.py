"""The difference of two models by one measure, by the test that the design admits."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.assess.values import lacking, overall
from karat.comparison.admissible import GROUP_TEST, SPLIT_TESTS, Unfit, admit
from karat.comparison.count_differences import count_difference, paired_shares
from karat.comparison.difference import Difference, as_identical
from karat.comparison.evidence import TURNED
from karat.comparison.gap_pair import gap_difference, gap_lack, is_of_gaps
from karat.comparison.group_pair import group_difference
from karat.comparison.judged import groups_of, is_of_counts
from karat.comparison.loss_differences import loss_difference
from karat.comparison.noise import ShareNoise, mean_noise
from karat.comparison.one_sided import one_sided
from karat.comparison.row_differences import row_difference, row_test
from karat.comparison.row_posterior import row_posterior
from karat.comparison.split_pair import split_difference
from karat.comparison.unpaired import unpaired_difference
from karat.comparison.unpaired_gaps import unpaired_gap_difference
from karat.core.errors import InputError
from karat.evaluation.row_losses import has_row_losses
from karat.intervals.interval import absent
from karat.intervals.quantiles import two_sided_normal
from karat.measures.ranges import range_of

if TYPE_CHECKING:
    from karat.comparison.design import ComparisonDesign
    from karat.comparison.evidence import Evidence
    from karat.comparison.judged import Judged
    from karat.comparison.mcnemar import Kind
    from karat.comparison.noise import Noise
    from karat.comparison.options import CompareOptions
    from karat.intervals.interval import Interval
    from karat.measures.spec import Request

__all__ = ["chosen_test", "pair_difference"]

#: what exchanging takes for granted of calibration errors
STRICTER = (
    "exchanging asks whether the models' probabilities are alike, which is more than equal errors"
)
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
    if is_of_gaps(request) and not gap_lack(request, judged, places):
        return "gaps"
    return "permutation"


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
) -> Noise | None:
    """What the design could show; None where the interval is the only witness and is not there."""
    interval, evidence = found
    if test in MCNEMAR:
        shares = paired_shares(request, judged.cells(places))
        assert shares is not None
        return ShareNoise(sum(shares), shares[1] + shares[2], MCNEMAR[test])
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
    tallies = judged.tallies[places[0]], judged.tallies[places[1]]
    groups, weight = groups_of(two[0]), two[0].weight
    low, high = range_of(request, len(two[0].classes))
    shared: dict[str, Any] = {"level": options.level, "alternative": options.alternative}
    if test == "loss-t":
        if not all(has_row_losses(request, made) for made in tallies):
            raise Unfit(f"{request.name} is no mean of row losses")
        losses = [judged.losses(request, place) for place in places]
        bounds = (low - high, high - low)
        return loss_difference(*losses, weight=weight, groups=groups, bounds=bounds, **shared)
    shared |= {"seed": options.seed}
    if test == "gaps" or is_of_gaps(request):
        return _of_gaps(request, judged, places, test, options)
    if test in MCNEMAR or (is_of_counts(request) and weight is None and groups is None):
        if weight is not None or groups is not None:
            raise Unfit(
                f"{test} is for rows that count alike and do not depend on each other, and these "
                "have weights or groups"
            )
        if test in MCNEMAR and not (
            is_of_counts(request) and paired_shares(request, judged.cells(places)) is not None
        ):
            raise Unfit(f"{request.name} is no share of the same rows for both models")
        return count_difference(
            request,
            tallies,
            judged.cells(places),
            kind=MCNEMAR.get(test, "exact"),
            interval=options.interval,
            exchange=test == "permutation",
            replicates=options.count_draws[0],
            permutations=options.count_draws[1],
            **shared,
        )
    return row_difference(
        request,
        two,
        groups=groups,
        replicates=options.row_draws[0],
        permutations=options.row_draws[1],
        **shared,
    )


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
    two = judged.predictions[places[0]], judged.predictions[places[1]]
    interval = absent(lack, level=options.level)
    if not lack:
        interval = gap_difference(request, judged, places, level=options.level, **shared)[0]
    exchanges = options.row_draws[1]
    evidence = row_test(request, two, groups=groups_of(two[0]), permutations=exchanges, **shared)
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
        two = judged.predictions[places[0]], judged.predictions[places[1]]
        drawn = row_test(
            request,
            two,
            groups=groups_of(two[0]),
            alternative=options.alternative,
            permutations=options.row_draws[1],
            seed=options.seed,
        )
        evidence = replace(drawn, note="; ".join(filter(None, (drawn.note, evidence.note))))
    return made, evidence
