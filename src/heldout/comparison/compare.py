"""``heldout.compare``: models' predictions in, a comparison out."""

from __future__ import annotations

from dataclasses import replace
from math import nan
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.assess.forms import is_share_of_rows
from heldout.assess.results import Result
from heldout.assess.values import is_split, lacking, requests_for
from heldout.comparison.comparison import Comparison
from heldout.comparison.options import CompareOptions, refuse_wide
from heldout.comparison.pair_difference import pair_difference
from heldout.comparison.pairs import Models, Pair
from heldout.comparison.share_tests import cochran_q
from heldout.comparison.sources import named, predictions_from
from heldout.comparison.standing import pairs_of, place_of
from heldout.comparison.words import reasons_for
from heldout.core.dialect import speaking, worded
from heldout.core.errors import InputError
from heldout.core.notes import as_notes
from heldout.core.options import from_keywords
from heldout.core.significance import holm
from heldout.engines.memory import Tallies
from heldout.engines.protocol import slice_by
from heldout.measures.usual import USUAL
from heldout.predictions.aligned import align

if TYPE_CHECKING:
    from collections.abc import Sequence

    from heldout.comparison.design import ComparisonDesign
    from heldout.comparison.difference import Difference
    from heldout.core.significance import Test
    from heldout.measures.spec import Request
    from heldout.predictions.table import Predictions

#: slices of one column beyond which nobody reads on
MOST = 100


def compare(
    *sources: Any,
    measures: Sequence[str] | str | None = None,
    unpaired: bool = False,
    shared: bool = False,
    profit: Any = None,
    cost: Any = None,
    level: float = 0.95,
    alpha: float = 0.05,
    simultaneous: bool = False,
    alternative: str = "two-sided",
    test: str = "",
    force: bool = False,
    interval: str = "tango",
    replicates: int | None = None,
    permutations: int | None = None,
    random_state: int = 1,
    rope: float | None = None,
    margin: float | None = None,
    correction: str = "holm",
    primary: str = "",
    control: str = "",
    **roles: Any,
) -> Comparison:
    """Test whether models differ, by tests that are valid for the design.

    Parameters
    ----------
    sources
        Evaluations, scorecards, what ``heldout.read_predictions`` gave, or files and tables of
        predictions: two models or more. A mapping gives names: ``{"a": first, "b": second}``.
    measures
        Names or specs; None: accuracy, AUC and log loss (or squared and absolute error),
        before them the profit or cost of a row where ``profit`` or ``cost`` is given.
    unpaired
        The models were evaluated on different rows.
    shared
        Compare only the rows that all models judged, by their ids.
    test, force
        A test by name, where not the default; ``force`` runs one that the design does not
        admit, and the result says that it is not valid.
    replicates, permutations
        Draws of the paired bootstrap and of the permutation test; None: 2,000 and 10,000 of
        counts, 1,000 each of rows.
    level
        Of the intervals.
    alpha
        The level of the tests: a (corrected) p-value up to it is significant. Equivalence and
        non-inferiority within a margin are one-sided tests at alpha, by the limits at
        1 - 2 alpha.
    simultaneous
        Whether the intervals hold for all pairs, measures and slices at once (Bonferroni).
    rope, margin
        A difference that does not matter: for the Bayesian reading, and for equivalence.
    correction
        ``holm`` corrects p-values for the number of pairs, measures and slices; ``none`` does
        not.
    primary
        The measure that decides: it comes first, and the p-values of its differences (of all
        rows) are corrected on their own. All others are secondary, and corrected apart from
        them. Empty: all measures count alike.
    control
        The model with which each other one is compared, and no other pair: first is the
        control, and p-values are corrected for so many pairs only. Empty: every pair.
    roles
        Of the columns of files and tables, as ``heldout.read_predictions`` takes them:
        ``truth="y"``, ``score="p"``, ``id="row"``, ``by="region"`` (slices) ...

    Examples
    --------
    >>> import heldout
    >>> truth = [1, 0, 1, 1, 0, 0, 1, 0]
    >>> good = heldout.from_arrays(truth, [1, 0, 1, 1, 0, 0, 1, 1], model="good")
    >>> poor = heldout.from_arrays(truth, [0, 1, 1, 0, 0, 1, 1, 1], model="poor")
    >>> compare(good, poor, measures="accuracy")["accuracy"].p_value
    0.0625
    """
    options = from_keywords(CompareOptions, locals())
    names = [measures] if isinstance(measures, str) else measures
    how = {"unpaired": unpaired, "shared": shared, "profit": profit, "cost": cost}
    with speaking("keywords"):
        return compare_predictions(predictions_from(sources, roles), names, options, **how)


def compare_predictions(
    predictions: Sequence[Predictions],
    measures: Sequence[str] | None,
    options: CompareOptions,
    *,
    unpaired: bool = False,
    shared: bool = False,
    profit: Any = None,
    cost: Any = None,
) -> Comparison:
    """The comparison of predictions of two or more models."""
    aligned = align(named(predictions), unpaired=unpaired, shared=shared, force=options.force)
    models = Models([Tallies(p) for p in aligned.predictions], aligned.is_paired)
    cells = {"profit": profit, "cost": cost}
    asked, notes = _requests(models, measures, options.primary, cells)
    for request in asked:
        classes = len(aligned.predictions[0].classes)
        refuse_wide(request, classes, margin=options.margin, rope=options.rope)
    names = tuple(p.model for p in aligned.predictions)
    pairs = pairs_of(len(names), place_of(names, options.control))
    primary = asked[0].name if options.primary else ""
    slices = sum(len(column.levels) for column in aligned.predictions[0].slices)
    secondary = len(asked) * (1 + slices) - bool(primary)
    of_each = _options_of_each(options, secondary * len(pairs))
    requests, whole, failed = [], [], []
    for request in asked:
        is_first = request.name == primary
        how = _options_of_each(options, len(pairs)) if is_first else of_each
        try:
            whole += _differences([request], models, pairs, how)
            requests.append(request)
        except InputError as error:
            if measures is not None or options.test or is_first:
                raise
            failed.append(f"left out: {error}")
    if not requests:
        raise InputError("; ".join(failed))
    if aligned.is_forced:
        forced = as_notes(aligned.note)
        whole = [replace(d, notes=(*forced, *d.notes), is_forced=True) for d in whole]
    in_slices, uncompared = _slice_differences(requests, models, pairs, of_each)
    differences = _as_families([*whole, *in_slices], options, primary)
    of = _what_values_are_of(requests, models.design)
    notes = [aligned.note, models.design.remark, *notes, *failed]
    notes += [f"{r.slice}, {r.n:,} rows: {r.note}" for r in uncompared]
    return Comparison(
        models=names,
        measures=tuple(request.name for request in requests),
        values={
            request.name: {
                name: models.side(request, number).value for number, name in enumerate(names)
            }
            for request in requests
        },
        differences=tuple(d for d in differences if not d.slice),
        design=models.design,
        options=options,
        omnibus=_tests_of_all_models(requests, models) if len(names) > 2 else {},
        reasoning=reasons_for(models.design, differences, options, of=of, primary=primary),
        notes=tuple(filter(None, notes)),
        predictions=aligned.predictions,
        requests=tuple(requests),
        slices=tuple(d for d in differences if d.slice),
        uncompared=tuple(uncompared),
        of=of,
    )


def _requests(
    models: Models, measures: Sequence[str] | None, primary: str, cells: dict[str, Any]
) -> tuple[tuple[Request, ...], list[str]]:
    """The measures to compare by, and a note on each that is left out since nobody asked for it.

    The primary measure comes first; where none are named, what a row earns if that is known.
    """
    task = models.predictions[0].task
    earned = tuple(f"{name}_per_row" for name, cell in cells.items() if cell is not None)
    names = (*earned, *USUAL[task].compared) if measures is None else measures
    requests = requests_for(task, names, everything=False, **cells)
    asked = {request.name for request in requests if measures is not None}
    if primary:
        (first,) = requests_for(task, [primary], everything=False, **cells)
        same = [r for r in requests if replace(r, asked="").name == replace(first, asked="").name]
        first = same[0] if same else first
        requests = (first, *(r for r in requests if all(r is not other for other in same)))
        asked.add(first.name)
    lacks = {r.name: {t.predictions.model: lacking(r, t) for t in models.tallies} for r in requests}
    reasons = {
        name: next(filter(None, by.values()), "") for name, by in lacks.items() if name not in asked
    }
    notes = [f"left out: {name} {reason}" for name, reason in reasons.items() if reason]
    requests = tuple(r for r in requests if not reasons.get(r.name))
    if not requests:
        raise InputError(worded("no measure can be compared for these predictions: give {measure}"))
    for request in requests:
        if is_split(request, task):
            label = models.predictions[0].classes[0]
            raise InputError(
                f"{request.name} has a value for each class: ask for {request.name}_macro, "
                f"{request.name}_weighted or {request.name}[class={label}]"
            )
    for request in requests:
        _refuse_unlike_models(request.name, lacks[request.name])
    return requests, notes


def _refuse_unlike_models(measure: str, lacks: dict[str, str]) -> None:
    """An error where only some models allow a measure; what all models lack is about no model."""
    without = [model for model, reason in lacks.items() if reason]
    if without and len(without) < len(lacks):
        listed = " and ".join(filter(None, (", ".join(without[:-1]), without[-1])))
        raise InputError(
            f"{measure} {lacks[without[0]]}\n"
            f"{listed} cannot be evaluated by it: leave the measure out, or "
            f"{'that model' if len(without) == 1 else 'those models'}"
        )


def _differences(
    requests: Sequence[Request],
    models: Models,
    pairs: Sequence[tuple[int, int]],
    options: CompareOptions,
) -> list[Difference]:
    """Every pair by every measure."""
    return [
        pair_difference(Pair(request, models, places, options))
        for request in requests
        for places in pairs
    ]


def _slice_differences(
    requests: Sequence[Request],
    models: Models,
    pairs: Sequence[tuple[int, int]],
    options: CompareOptions,
) -> tuple[list[Difference], list[Result]]:
    """The pairs in every slice, so that an overall verdict hides none; slices that have none."""
    differences: list[Difference] = []
    uncompared: list[Result] = []
    columns = models.predictions[0].slices
    if columns and not models.is_paired:
        raise InputError(
            worded("slices are compared on the same rows: leave out {by} or {unpaired=True}")
        )
    for column in columns:
        if len(column.levels) > MOST:
            raise InputError(
                f"column {column.name!r} has {len(column.levels):,} values: "
                f"at most {MOST} slices can be compared"
            )
        for level, part in models.parts(slice_by(column.name)):
            name = f"{column.name}={level}"
            try:
                in_slice = _differences(requests, part, pairs, options)
            except InputError as error:
                why = as_notes(str(error))
                uncompared.append(Result("", nan, part.tallies[0].rows, why, slice=name))
            else:
                differences += [replace(d, slice=name) for d in in_slice]
    return differences, uncompared


def _what_values_are_of(requests: Sequence[Request], design: ComparisonDesign) -> str:
    """What the values are of, and of which measures where they are of two kinds."""
    kinds: dict[str, list[str]] = {}
    for request in requests:
        kind = design.mean_of if design.folds == 1 or request.measure.by_fold else design.pool_of
        kinds.setdefault(kind, []).append(request.name)
    if len(kinds) == 1:
        return next(iter(kinds))
    return "; ".join(f"{', '.join(names)}: {kind}" for kind, names in kinds.items())


def _options_of_each(options: CompareOptions, differences: int) -> CompareOptions:
    """The options of a single difference: with the level that makes all intervals hold at once."""
    if not options.simultaneous:
        return options
    return replace(options, level=1 - (1 - options.level) / max(differences, 1))


def _as_families(
    differences: Sequence[Difference], options: CompareOptions, primary: str
) -> tuple[Difference, ...]:
    """The differences as some of many: intervals that hold at once, p-values that are corrected.

    Those of all rows by the primary measure are a family of their own, all others another.
    """
    if options.simultaneous:
        differences = [
            replace(
                d,
                level=options.level,
                method=f"{d.method}, simultaneous (Bonferroni)",
                is_simultaneous=True,
            )
            for d in differences
        ]
    if options.correction == "none":
        return tuple(differences)
    is_first = np.array([d.measure == primary and not d.slice for d in differences])
    together = list(differences)
    for family in (np.flatnonzero(is_first).tolist(), np.flatnonzero(~is_first).tolist()):
        if len(family) < 2:
            continue
        corrected = holm([differences[number].test.p_value for number in family])
        count = int((~np.isnan(corrected)).sum())
        for number, p in zip(family, corrected, strict=True):
            d = differences[number]
            test = replace(d.test, corrected=float(p))
            together[number] = replace(d, test=test, comparisons=count)
    return tuple(together)


def _tests_of_all_models(requests: Sequence[Request], models: Models) -> dict[str, Test]:
    """Tests of all models at once: Cochran's Q of who is right on the same rows."""
    design, first = models.design, models.predictions[0]
    if design.kind not in {"one test set", "leave-one-out"} or design.groups:
        return {}
    if first.weight is not None or not any(map(is_share_of_rows, requests)):
        return {}
    test = cochran_q(np.column_stack([own.is_right for own in models.tallies]))
    return {request.name: test for request in requests if is_share_of_rows(request)}
