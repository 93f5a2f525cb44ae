"""Which of a measure's values stands for it: the one that the tables show first."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import isnan
from typing import TYPE_CHECKING, Any

from karat.assess.values import refuse_what_is_lacking
from karat.core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from karat.assess.results import Result
    from karat.evaluation.evaluation import Evaluation

__all__ = [
    "Chosen",
    "KINDS",
    "NESTED",
    "NO_ESTIMATE",
    "OF_SAMPLES",
    "chosen_results",
    "headline",
    "is_absent",
]

#: the estimate that a bootstrap is run for, by the first word of its procedure
ESTIMATES = {"bootstrap": "out-of-bag", ".632": ".632", ".632+": ".632+"}
OF_SAMPLES = "mean of samples"
NESTED = "nested"
#: how the note begins of a measure that has no estimate of the kind that was asked for
NO_ESTIMATE = "no estimate of this kind: "
#: said of a pooled value whose interval would be that of the mean of the folds
OF_MEAN = "only the mean of the folds can have one"
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
    """For each model and measure the value that has an interval: pooled, else mean of folds.

    Of a bootstrap it is the estimate asked for (out-of-bag, ``.632``, ``.632+``), and of nested
    cross-validation the nested one; measures that are no mean over rows have none of these,
    stand with their usual value, and say so.
    """
    found: dict[tuple[str, str], Chosen] = {}
    means: dict[tuple[str, str], Result] = {}
    estimates: dict[tuple[str, str], Result] = {}
    for r in results:
        if r.class_ or r.slice:
            continue
        key = (r.model, r.measure)
        estimate = ESTIMATES.get(r.procedure.split(" ")[0], "")
        if r.fold and r.fold in (estimate, NESTED):
            estimates[key] = r
        elif not r.fold and not r.repeat:
            found.setdefault(key, Chosen(r, OF_SAMPLES if estimate else "pooled"))
        elif r.fold == "mean":
            means[key] = r
    # what stands side by side is of one kind
    of_means = {
        name
        for (model, name), r in means.items()
        if r.low is not None and found[model, name].result.low is None
    }
    for key, r in means.items():
        if key[1] in of_means:
            found[key] = Chosen(r, "mean of folds")
        elif found[key].result.low is None and OF_MEAN in found[key].result.note:
            # neither has an interval: the reason of the one without which there is none
            found[key] = Chosen(_noted(found[key].result, _reason(r)), found[key].of)
    for key, r in estimates.items():
        if not is_absent(r):
            found[key] = Chosen(r, r.fold)
        elif key in found:
            found[key] = Chosen(_noted(found[key].result, r.note), found[key].of)
    return found


def is_absent(result: Result) -> bool:
    """Whether a row only says that a measure has no estimate of some kind, and why."""
    return isnan(result.value) and result.note.startswith(NO_ESTIMATE)


def _reason(mean: Result) -> str:
    """Why the mean of the folds has no interval."""
    _, says, why = mean.note.partition("no interval: ")
    return f"the mean of the folds has none either: {why}" if says else ""


def _noted(result: Result, note: str) -> Result:
    return replace(result, note="; ".join(filter(None, (result.note, note))))


def headline(evaluation: Evaluation, name: str | tuple[str, Any]) -> Result:
    """The value of a measure of the only model; with a class, or what it is to be of."""
    text, which = name if isinstance(name, tuple) else (name, None)
    card = evaluation.scorecard
    classes = {str(label) for label in evaluation.dataset.classes}
    if which is not None and (str(which) in classes or which not in KINDS):
        if str(which) not in classes:
            raise InputError(
                f"{which!r} is neither a class nor one of {', '.join(map(repr, KINDS))}"
            )
        return evaluation.of_how_many(card[text, which])
    if len(card.models) > 1:
        return card[text]  # which refuses, and says how to choose a model
    request = card.requests((text,))[0]
    refuse_what_is_lacking(request, card.tallies)
    results = evaluation.results((text,), per_class=False)
    asked = request.name
    if which is None:
        chosen = chosen_results(results).get((card.models[0], asked))
        return card[text] if chosen is None else chosen.result
    for r in results:
        plain = r.measure == asked and not (r.class_ or r.slice or r.repeat)
        if plain and r.fold == KINDS[which]:
            return r
    raise InputError(f"{text} has no value of the kind {which!r} along {evaluation.procedure}")
