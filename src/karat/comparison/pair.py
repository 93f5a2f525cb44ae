"""The difference of two models by one measure, by the test that the design admits."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.assess.values import lacking, overall
from karat.comparison.admissible import SPLIT_TESTS, admit
from karat.comparison.corrected_t import (
    corrected_interval,
    corrected_t,
    correlated_t,
    plain_t,
)
from karat.comparison.count_differences import count_difference, paired_shares
from karat.comparison.difference import Difference
from karat.comparison.five_by_two import alpaydin_f, dietterich_t
from karat.comparison.joint_cells import JointCells
from karat.comparison.judged import groups_of
from karat.comparison.loss_differences import loss_difference
from karat.comparison.row_differences import row_difference
from karat.comparison.unpaired import unpaired_difference
from karat.core.errors import InputError
from karat.evaluation.row_losses import has_row_losses
from karat.tally.confusion import Binary, Confusion

if TYPE_CHECKING:
    from karat.comparison.design import ComparisonDesign
    from karat.comparison.evidence import Evidence
    from karat.comparison.judged import Judged
    from karat.comparison.options import CompareOptions
    from karat.engines.memory import Tallies
    from karat.intervals.interval import Interval
    from karat.measures.spec import Request

__all__ = ["chosen_test", "pair_difference"]

Found = tuple["Interval", "Evidence"]
MCNEMAR = {
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
        turned = {"greater": "less", "less": "greater"}
        side = replace(options, alternative=turned.get(options.alternative, options.alternative))
        back = (places[1], places[0])
        return pair_difference(request, judged, design, back, side).mirrored
    two = judged.predictions[places[0]], judged.predictions[places[1]]
    tallies = judged.tallies[places[0]], judged.tallies[places[1]]
    for made in tallies:
        reason = lacking(request, made)
        if reason:
            raise InputError(f"{request.name} {reason}")
    test = options.test or chosen_test(request, tallies, design)
    note = admit(test, design, force=options.force) if options.test else ""
    if test in SPLIT_TESTS:
        return _of_splits(request, judged, places, design, test, options, note=note)
    if test == "delong":
        found, n = _areas(request, judged, places, options), len(two[0])
    elif test == "independent":
        found, n = unpaired_difference(request, two, options), sum(len(p) for p in two)
    else:
        found, n = _of_rows(request, judged, places, test, options), len(two[0])
    first, second = (overall(request, made).value for made in tallies)
    groups = groups_of(two[0]) if test != "independent" else None
    return Difference(
        request.name,
        two[0].model,
        two[1].model,
        first,
        second,
        *found,
        n if groups is None else len(np.unique(groups)),
        "rows" if groups is None else "groups",
        request.measure.direction,
        is_share=request.measure.bounds == (0, 1),
        note=note,
    )


def chosen_test(
    request: Request, tallies: tuple[Tallies, Tallies], design: ComparisonDesign
) -> str:
    """The test that design and measure call for."""
    if design.kind == "different test sets":
        return "independent"
    if design.kind == "5x2-fold":
        return "5x2-f"
    if design.has_splits:
        return "corrected-t"
    p = tallies[0].predictions
    if request.measure.name == "auc" and p.task == "binary" and design.kind == "one test set":
        return "delong"
    plain = p.weight is None and p.design.group is None
    if plain and _is_of_counts(request) and paired_shares(request, _cells(tallies)) is not None:
        return "mcnemar"
    if all(has_row_losses(request, made) for made in tallies):
        return "loss-t"
    return "permutation"


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
    low, high = request.measure.bounds
    shared: dict[str, Any] = {"level": options.level, "alternative": options.alternative}
    if test == "loss-t":
        if not all(has_row_losses(request, made) for made in tallies):
            raise InputError(f"{request.name} is no mean of row losses: take permutation")
        losses = [judged.losses(request, place) for place in places]
        bounds = (low - high, high - low)
        return loss_difference(*losses, weight=weight, groups=groups, bounds=bounds, **shared)
    shared |= {"seed": options.seed}
    if test in MCNEMAR or (_is_of_counts(request) and weight is None and groups is None):
        if weight is not None or groups is not None:
            raise InputError(
                f"{test} is for rows that count alike and do not depend on each other: with "
                "weights or groups take loss-t or permutation"
            )
        cells = _cells(tallies)
        if test in MCNEMAR and paired_shares(request, cells) is None:
            raise InputError(
                f"{request.name} is no share of the same rows for both models: take permutation"
            )
        return count_difference(
            request,
            tallies,
            cells,
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


def _areas(
    request: Request,
    judged: Judged,
    places: tuple[int, int],
    options: CompareOptions,
) -> Found:
    if request.measure.name != "auc" or judged.predictions[0].task != "binary":
        raise InputError(f"delong is for auc of two classes, not for {request.name}")
    found = judged.areas
    return found.interval(*places, level=options.level), found.test(
        *places, alternative=options.alternative
    )


def _of_splits(
    request: Request,
    judged: Judged,
    places: tuple[int, int],
    design: ComparisonDesign,
    test: str,
    options: CompareOptions,
    *,
    note: str,
) -> Difference:
    two = judged.predictions[places[0]], judged.predictions[places[1]]
    first, second = (judged.splits(request, place) for place in places)
    endless = int((np.isinf(first.values) | np.isinf(second.values)).sum())
    if endless:
        raise InputError(
            f"{request.name} is infinite in {endless} of {len(first.values)} splits (a true class "
            "had probability 0 there), so no mean exists; take another measure (brier_score)"
        )
    gaps = first.values - second.values
    lost = int(np.isnan(gaps).sum())
    if lost:
        raise InputError(
            f"{request.name} is undefined in {lost} of {len(gaps)} splits: the mean over the "
            "rest would be of other data; take another measure or larger folds"
        )
    share = design.test_share
    interval = corrected_interval(gaps, share, level=options.level)
    if test == "corrected-t":
        evidence = corrected_t(gaps, share, alternative=options.alternative)
    elif test == "plain-t":
        evidence = plain_t(gaps, alternative=options.alternative)
        interval = corrected_interval(gaps, 0.0, level=options.level)
        interval = replace(interval, method=evidence.method)
    else:
        table = replace(first, values=gaps).table()
        if test == "5x2-f":
            if options.alternative != "two-sided":
                raise InputError("Alpaydin's F has no direction: take 5x2-t or corrected-t")
            evidence = alpaydin_f(table)
        else:
            evidence = dietterich_t(table, alternative=options.alternative)
        note = "; ".join(filter(None, (note, "the interval is that of the corrected t test")))
    posterior = None
    if test != "plain-t":
        posterior = correlated_t(gaps, share, options.rope or 0.0)
    return Difference(
        request.name,
        two[0].model,
        two[1].model,
        float(first.values.mean()),
        float(second.values.mean()),
        interval,
        evidence,
        len(gaps),
        "splits",
        request.measure.direction,
        posterior,
        is_share=request.measure.bounds == (0, 1),
        note=note,
    )


def _is_of_counts(request: Request) -> bool:
    return bool(request.measure.needs) and set(request.measure.needs) <= {Binary, Confusion}


def _cells(tallies: tuple[Tallies, Tallies]) -> JointCells:
    one, two = (made.predictions for made in tallies)
    assert one.predicted is not None
    assert two.predicted is not None
    return JointCells.of(
        one.truth, one.predicted, two.predicted, classes=len(one.classes), positive=one.positive
    )
