"""Which of a measure's values stands for it: the one that the tables show first."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import isnan
from typing import TYPE_CHECKING, Any

from heldout.assess.rows import Rows
from heldout.assess.values import is_split, refuse_what_is_lacking
from heldout.core.errors import InputError
from heldout.measures.spec import parse_request

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from heldout.assess.results import Result
    from heldout.assess.scorecard import Scorecard
    from heldout.engines.memory import Tallies
    from heldout.measures.spec import Request

__all__ = [
    "Chosen",
    "KINDS",
    "NESTED",
    "NO_ESTIMATE",
    "OF_SAMPLES",
    "chosen_results",
    "headline",
    "is_absent",
    "standing",
    "value_of",
]

#: the estimate that a bootstrap is run for, by the first word of its procedure
ESTIMATES = {"bootstrap": "out-of-bag", ".632": ".632", ".632+": ".632+"}
OF_SAMPLES = "mean of samples"
NESTED = "nested"
#: how the note begins of a measure that has no estimate of the kind that was asked for
NO_ESTIMATE = "no estimate of this kind: "
#: what else can be asked for by name, and what the ``fold`` of such results says
KINDS = {
    "pooled": "",
    OF_SAMPLES: "",
    "mean": "mean",
    "mean of folds": "mean",
    **{name: name for name in ("training", "out-of-bag", ".632", ".632+", "nested")},
}


@dataclass(frozen=True, slots=True)
class Chosen:
    """The result that stands for a measure of a model, and what it is of."""

    result: Result
    #: ``pooled``, ``mean of folds``, ``mean of samples``, or the name of a bootstrap estimate
    of: str


def chosen_results(results: Iterable[Result]) -> dict[tuple[str, str], Chosen]:
    """For each model and measure the value that stands for it over all rows and classes."""
    found = standing(results)
    return {(model, measure): c for (model, measure, of), c in found.items() if not of}


def standing(results: Iterable[Result]) -> dict[tuple[str, str, str], Chosen]:
    """For each model, measure and class the value that stands for it over all rows.

    That is the value of the pooled folds; of a measure that is declared ``by_fold`` the mean of
    the folds, unless some fold has no value. Of a bootstrap it is the estimate asked for
    (out-of-bag, ``.632``, ``.632+``), and of nested cross-validation the nested one; measures
    that are no mean over rows have none of these, stand with their usual value, and say so.
    """
    found: dict[tuple[str, str, str], Chosen] = {}
    means: dict[tuple[str, str, str], Result] = {}
    estimates: dict[tuple[str, str, str], Result] = {}
    for r in results:
        if r.slice:
            continue
        key = (r.model, r.measure, r.class_)
        estimate = ESTIMATES.get(r.procedure.split(" ")[0], "")
        if r.fold and r.fold in (estimate, NESTED):
            estimates[key] = r
        elif not r.fold and not r.repeat:
            found.setdefault(key, Chosen(r, OF_SAMPLES if estimate else "pooled"))
        elif r.fold == "mean" and parse_request(r.measure).measure.by_fold:
            means[key] = r
    for key, r in means.items():
        if r.is_defined and r.n == found[key].result.n:
            found[key] = Chosen(r, "mean of folds")
    for key, r in estimates.items():
        if not is_absent(r):
            found[key] = Chosen(r, r.fold)
        elif key in found:
            found[key] = Chosen(_noted(found[key].result, r.note), found[key].of)
    return found


def value_of(request: Request, tallies: Tallies) -> float:
    """The value that stands for a measure over all rows."""
    results = Rows(None, per_class=False).whole(tallies, [request])
    return next(iter(standing(results).values())).result.value


def is_absent(result: Result) -> bool:
    """Whether a row only says that a measure has no estimate of some kind, and why."""
    return isnan(result.value) and result.note.startswith(NO_ESTIMATE)


def _noted(result: Result, note: str) -> Result:
    return replace(result, note="; ".join(filter(None, (result.note, note))))


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
    results = results_of(request)
    if which is None:
        return next(iter(standing(results).values())).result
    for r in results:
        if r.fold == KINDS[which] and not r.repeat:
            return r
    procedure = card.predictions[0].design.procedure or "these rows: say each row's fold (folds=)"
    raise InputError(f"{text} has no value of the kind {which!r} along {procedure}")
