"""Which of a measure's values stands for it: the one that the tables show first."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import isnan, nan
from typing import TYPE_CHECKING, Any

from heldout.assess.results import Of
from heldout.assess.rows import Rows
from heldout.assess.values import is_split, refuse_what_is_lacking
from heldout.core.errors import InputError
from heldout.measures.spec import parse_request
from heldout.predictions.plan import plan_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from heldout.assess.results import Result
    from heldout.assess.scorecard import Scorecard
    from heldout.engines.memory import Tallies
    from heldout.measures.registry import Measure
    from heldout.measures.spec import Request
    from heldout.uncertainty.options import IntervalOptions

OF_SAMPLES = "mean of samples"
NESTED = "nested"
#: what else can be asked for by name, and what such results are of
KINDS = {
    "pooled": Of.POOLED,
    OF_SAMPLES: Of.POOLED,
    "mean": Of.MEAN_OF_FOLDS,
    "mean of folds": Of.MEAN_OF_FOLDS,
    **{of.value: of for of in (Of.TRAINING, Of.OUT_OF_BAG, Of.PLAIN_632, Of.PLUS_632, Of.NESTED)},
}


@dataclass(frozen=True, slots=True)
class Chosen:
    """The result that stands for a measure of a model, and what it is of."""

    result: Result
    #: ``pooled``, ``mean of folds``, ``mean of samples``, or the name of a bootstrap estimate
    of: str


def chosen_results(results: Iterable[Result]) -> dict[tuple[str, str], Chosen]:
    """For each model and measure the value that stands for it over all rows and classes."""
    chosen = standing(results)
    return {(model, measure): c for (model, measure, of), c in chosen.items() if not of}


def standing(results: Iterable[Result]) -> dict[tuple[str, str, str], Chosen]:
    """For each model, measure and class the value that stands for it over all rows.

    That is the value of the pooled folds; of a measure that is declared ``by_fold`` the mean of
    the folds, unless some fold has no value. Of a bootstrap it is the estimate asked for
    (out-of-bag, ``.632``, ``.632+``), and of nested cross-validation the nested one; measures
    that are no mean over rows have none of these, stand with their usual value, and say so.
    """
    chosen: dict[tuple[str, str, str], Chosen] = {}
    means: dict[tuple[str, str, str], Result] = {}
    estimates: dict[tuple[str, str, str], Result] = {}
    for r in results:
        if r.slice:
            continue
        key = (r.model, r.measure, r.class_)
        estimate = plan_of(r.procedure).estimate
        if r.of is Of.NESTED or (estimate and r.of.value == estimate):
            estimates[key] = r
        elif estimate and r.of is Of.OUT_OF_BAG:
            # a table of predictions has no training error, which the others take as well
            estimates.setdefault(key, r)
        elif r.of is Of.POOLED and not r.repeat:
            chosen.setdefault(key, Chosen(r, OF_SAMPLES if estimate else "pooled"))
        elif r.of is Of.MEAN_OF_FOLDS and parse_request(r.measure).measure.by_fold:
            means[key] = r
    for key, r in means.items():
        if r.is_defined and r.n == chosen[key].result.n:
            chosen[key] = Chosen(r, "mean of folds")
    for key, r in estimates.items():
        if not r.is_no_estimate:
            chosen[key] = Chosen(r, r.fold)
        elif key in chosen:
            chosen[key] = replace(chosen[key], result=chosen[key].result.noted(*r.notes))
    return chosen


def marked(results: Iterable[Result]) -> tuple[Result, ...]:
    """The results, with a mark on those that stand for a measure: of all rows, and of slices."""
    results = tuple(results)
    chosen = {(*key, c.result.of) for key, c in standing(results).items()}

    def stands(r: Result) -> bool:
        key = (r.model, r.measure, r.class_, r.of)
        return not r.repeat and (r.of is Of.POOLED if r.slice else key in chosen)

    return tuple(
        r if r.headline == (mark := stands(r)) else replace(r, headline=mark) for r in results
    )


def result_of(
    request: Request, tallies: Tallies, intervals: IntervalOptions | None = None
) -> Result:
    """The result that stands for a measure over all rows, with an interval if one is asked for."""
    results = Rows(intervals, per_class=False).whole(tallies, [request])
    return next(iter(standing(results).values())).result


def headline(
    card: Scorecard,
    name: str | tuple[str, Any],
    results_of: Callable[[Request], Sequence[Result]],
) -> Result:
    """The value of a measure of the only model; with a class, or what it is to be of.

    ``results_of`` gives all values of a measure over all rows: pooled, the mean of folds ...
    """
    text, which = name if isinstance(name, tuple) else (name, None)
    if len(card.tallies) > 1:
        raise InputError(
            f"there are {len(card.tallies)} models: card.only({card.models[0]!r})[{text!r}]"
        )
    (request,) = card.requests((text,))
    classes = [str(label) for label in card.classes]
    if which is not None and (str(which) in classes or which not in KINDS):
        if str(which) not in classes:
            raise InputError(
                f"{which!r} is neither a class nor one of {', '.join(map(repr, KINDS))}"
            )
        request, which = replace(request, label=str(which)), None
    refuse_what_is_lacking(request, card.tallies)
    if is_split(request, card.tallies[0].predictions.task):
        raise InputError(
            f"{request.name} has a value for each class: ask for {request.name}_macro, "
            f"{request.name}_weighted, or card[{request.name!r}, {classes[0]!r}]"
        )
    results = marked(results_of(request))
    if which is None:
        return next(iter(standing(results).values())).result
    for r in results:
        if r.of is KINDS[which] and not r.repeat:
            return r
    procedure = card.predictions[0].design.procedure or "these rows: say each row's fold (folds=)"
    raise InputError(f"{text} has no value of the kind {which!r} along {procedure}")


def worst_first(
    classes: Iterable[str],
    values: Mapping[str, float],
    support: Mapping[str, float],
    measure: Measure,
) -> list[str]:
    """Classes by their values, the worst first, those without one last; of equals most rows first.

    Examples
    --------
    >>> from heldout.measures.registry import find
    >>> worst_first("abc", {"a": 0.9, "b": 0.5}, dict.fromkeys("abc", 10), find("recall"))
    ['b', 'a', 'c']
    """
    sign = -1 if measure.direction == "down" else 1

    def badness(label: str) -> tuple[bool, float, float]:
        value = sign * values.get(label, nan)
        return isnan(value), 0.0 if isnan(value) else value, -support[label]

    return sorted(classes, key=badness)
