"""Models against chance: the no-information rate, predictions permuted, models refitted."""

from __future__ import annotations

from dataclasses import replace
from math import nan
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.assess.parts import fold_parts
from heldout.assess.results import Of, Result
from heldout.assess.values import lacking, overall
from heldout.comparison.limits_and_test import permutation_p_value
from heldout.comparison.split_influence import split_rows
from heldout.core.dialect import argument
from heldout.core.errors import InputError
from heldout.core.notes import as_notes
from heldout.core.random import stream
from heldout.core.significance import Alternative, Test
from heldout.engines.memory import Tallies
from heldout.evaluation.predictions import predictions_of
from heldout.uncertainty.sample import row_order

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from numpy.random import Generator
    from numpy.typing import NDArray

    from heldout.datasets.dataset import Dataset
    from heldout.learners.model import Model
    from heldout.measures.spec import Request
    from heldout.predictions.table import Predictions
    from heldout.procedures.splits import Splits

NO_INFORMATION, PERMUTED, REFITTED = "no-information rate", "permuted", "refitted"
#: the question that the p-value of each test answers, by the test's name
QUESTIONS = {
    NO_INFORMATION: (
        "no-information rate: is the model right more often than if it always named the class that "
        "is most frequent in these rows?"
    ),
    PERMUTED: (
        "permuted: have these predictions anything to do with the truth of these rows? The models "
        "are not fitted again (heldout evaluate --permutations does that)"
    ),
    REFITTED: (
        "refitted: could the model have learnt as much from data in which features and target have "
        "nothing to do with each other? Labels are permuted and the model is fitted anew each time"
    ),
}
#: what a value is of where models were fitted
OF_WORDS = {Of.POOLED: "pooled", Of.MEAN_OF_FOLDS: "mean of folds"}
#: which values count as better than chance, by the direction of a measure
SIDES: dict[str, Alternative] = {"up": "greater", "down": "less"}
#: a row permuted costs more than a cell: fewer unless more are asked for
ROW_DRAWS = 1000


def against_chance(
    predictions: Sequence[Predictions],
    requests: Sequence[Request],
    *,
    permutations: int = ROW_DRAWS,
    seed: int = 1,
) -> tuple[Result, ...]:
    """Each model against the no-information rate, then by each measure with rows permuted."""
    results = [against_no_information(p) for p in predictions if p.task != "regression"]
    for request in requests:
        results += [
            permuted_predictions(request, p, permutations=permutations, seed=seed)
            for p in predictions
        ]
    return tuple(results)


def against_no_information(p: Predictions) -> Result:
    """Whether accuracy is above the share of the most frequent class, by exact binomials.

    Examples
    --------
    >>> import heldout
    >>> right = heldout.from_arrays([0, 0, 1, 1, 0, 1, 0, 1], [0, 0, 1, 1, 0, 1, 0, 1], pos_label=1)
    >>> against_no_information(right).test.p_value
    0.00390625
    """
    from scipy.stats import binomtest

    if p.predicted is None:
        raise InputError(
            f"{p.model}: accuracy needs predicted labels (or a {argument('threshold')})"
        )
    rows = len(p)
    counts = Tallies(p).unweighted.confusion
    right, rate = int(counts.correct), float(counts.actual.max() / rows)
    method = "exact binomial test against the no-information rate"
    test = Test(method, float(right), nan, "greater", name=NO_INFORMATION, null=rate)
    result = Result("accuracy", right / rows, rows, model=p.model, test=test)
    for reason, holds in (
        ("weights", p.weight is not None),
        ("groups of rows that depend on each other", p.design.group is not None),
        ("rows that were predicted in several repeats", p.design.repeat is not None),
    ):
        if holds:
            note = f"no exact test: the binomial distribution does not know of {reason}"
            return replace(result, test=test.noted(note))
    p_value = float(binomtest(right, rows, rate, alternative="greater").pvalue)
    return replace(result, test=replace(test, p_value=p_value))


def permuted_predictions(
    request: Request, p: Predictions, *, permutations: int = ROW_DRAWS, seed: int = 1
) -> Result:
    """How often a model does as well when its predictions are dealt out to other rows.

    Rows are exchanged within each fold (and repeat), for other folds have other models. The
    data themselves count as one draw, so p is never 0.
    """
    reason = lacking(request, Tallies(p))
    if reason:
        raise InputError(f"{request.name} {reason}")
    if p.design.group is not None:
        raise InputError(
            f"rows that depend on each other ({argument('group')}) cannot be exchanged one by one: "
            f"leave out {argument('chance', True)}, or take heldout evaluate --permutations"
        )
    p = p.take(row_order(p).places)
    observed = overall(request, Tallies(p)).value
    is_split = p.design.fold is not None or p.design.repeat is not None
    parts = split_rows(Tallies(p)) if is_split else [np.arange(len(p))]
    rng = stream(seed, "permuted predictions", request.name)
    values = np.empty(permutations)
    for draw in range(permutations):
        order = np.arange(len(p))
        for part in parts:
            order[part] = part[rng.permutation(len(part))]
        values[draw] = overall(request, Tallies(replace(p, truth=p.truth[order]))).value
    method = f"predictions permuted {permutations:,} times, not refitted (seed {seed})"
    result = Result(request.name, observed, len(p), model=p.model)
    return _tested(result, request, PERMUTED, method, values)


def _tested(
    result: Result, request: Request, name: str, method: str, drawn: NDArray[Any]
) -> Result:
    """The result with how often draws of chance are as good; undefined ones are counted."""
    known = drawn[~np.isnan(drawn)]
    centre = float(known.mean()) if len(known) else nan
    side = SIDES.get(request.measure.direction, "two-sided")
    # without a direction, far from what chance gives on average counts
    shift = centre if side == "two-sided" else 0.0
    test = permutation_p_value(drawn - shift, result.value - shift, method, side)
    lost = len(drawn) - len(known)
    if name == REFITTED:
        test = replace(
            test, notes=as_notes(f"{result.model} failed in {lost} draws" if lost else "")
        )
    return replace(result, test=replace(test, name=name, null=centre))


def refitted_permutations(
    dataset: Dataset,
    models: Sequence[Model],
    make_splits: Callable[[Dataset], Splits],
    requests: Sequence[Request],
    *,
    means: Collection[str] = (),
    permutations: int = 1000,
    seed: int = 1,
    jobs: int = 1,
    backend: Any = "loky",
    exact: bool = True,
    progress: Callable[[int], None] | None = None,
) -> tuple[Result, ...]:
    """How often models do as well on data whose labels were dealt out at random.

    Parameters
    ----------
    make_splits
        The procedure: it is applied to each permuted data set, so that folds are stratified
        by the labels that they then have.
    means
        The names of measures that are taken as the mean of the folds; others are of all
        folds pooled.
    exact
        Whether exact shortcuts may be taken, as ``heldout evaluate`` takes them.
    progress
        Is told how many permutations are done.

    Notes
    -----
    The first test of Ojala and Garriga (2010), J. Mach. Learn. Res. 11:1833. The data
    themselves count as one draw, so that p is at least 1 / (permutations + 1).
    """
    if permutations < 1:
        raise InputError(f"permutations are at least 1, not {permutations!r}")
    how: dict[str, Any] = {"jobs": jobs, "backend": backend, "exact": exact, "seed": seed}
    asked = [(request, request.name in means) for request in requests]
    observed = _values(dataset, models, make_splits(dataset), asked, how)
    drawn = np.empty((permutations, len(models), len(requests)))
    rng = stream(seed, "refitted permutations")
    for number in range(permutations):
        mixed = permuted_dataset(dataset, rng)
        drawn[number] = _values(mixed, models, make_splits(mixed), asked, how)
        if progress is not None:
            progress(number + 1)
    method = f"labels permuted {permutations:,} times, models refitted (seed {seed})"
    return tuple(
        _tested(
            Result(
                request.name,
                float(observed[i, j]),
                len(dataset),
                model=model.name,
                of=Of.MEAN_OF_FOLDS if is_mean else Of.POOLED,
            ),
            request,
            REFITTED,
            method,
            drawn[:, i, j],
        )
        for j, (request, is_mean) in enumerate(asked)
        for i, model in enumerate(models)
    )


def permuted_dataset(dataset: Dataset, rng: Generator) -> Dataset:
    """The data with their labels dealt out to other rows.

    Rows in groups keep together: where a group has one label, groups exchange labels.
    """
    truth = dataset.truth
    if dataset.group is None:
        return replace(dataset, truth=truth[rng.permutation(len(truth))])
    codes = np.unique(dataset.group.codes, return_inverse=True)[1]
    first = np.unique(codes, return_index=True)[1]
    of_group = truth[first]
    if not np.array_equal(of_group[codes], truth):
        raise InputError(
            "rows of a group have different labels, so labels cannot be exchanged without "
            "breaking what the rows of a group share: permutations are for rows without groups, "
            "or for groups of one label"
        )
    return replace(dataset, truth=of_group[rng.permutation(len(of_group))][codes])


def _values(
    dataset: Dataset,
    models: Sequence[Model],
    splits: Splits,
    asked: Sequence[tuple[Request, bool]],
    how: dict[str, Any],
) -> NDArray[np.float64]:
    """The value of each measure, all folds pooled or their mean; NaN where a model failed."""
    from heldout.runner.run import run

    outcomes = run(dataset, models, splits, store=None, **how)
    values = np.full((len(models), len(asked)), nan)
    for i, model in enumerate(models):
        outcome = outcomes[model.name]
        if not len(outcome.rows) or outcome.failures:
            continue
        tallies = Tallies(predictions_of(model.name, outcome, dataset, splits))
        values[i] = [_value(request, tallies, is_mean=is_mean) for request, is_mean in asked]
    return values


def _value(request: Request, tallies: Tallies, *, is_mean: bool) -> float:
    """The value of all rows, or the mean of the folds in which there is one."""
    if lacking(request, tallies):
        return nan
    if not is_mean:
        return float(overall(request, tallies).value)
    values = np.array([overall(request, part.tallies).value for part in fold_parts(tallies)])
    known = values[~np.isnan(values)]
    return float(known.mean()) if len(known) else nan
