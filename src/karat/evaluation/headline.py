"""Which of a measure's values stands for it: the one that the tables show first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from karat.core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from karat.assess.results import Result
    from karat.evaluation.evaluation import Evaluation

__all__ = ["Chosen", "KINDS", "OF_SAMPLES", "chosen_results", "headline"]

#: the estimate that a bootstrap is run for, by the first word of its procedure
ESTIMATES = {"bootstrap": "out-of-bag", ".632": ".632", ".632+": ".632+"}
OF_SAMPLES = "mean of samples"
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

    Of a bootstrap it is the estimate asked for (out-of-bag, ``.632``, ``.632+``); measures
    that are no mean over rows have none, and stand with the mean over the samples.
    """
    found: dict[tuple[str, str], Chosen] = {}
    means: dict[tuple[str, str], Result] = {}
    for r in results:
        if r.class_ or r.slice:
            continue
        key = (r.model, r.measure)
        estimate = ESTIMATES.get(r.procedure.split(" ")[0], "")
        if r.fold and r.fold == estimate:
            found[key] = Chosen(r, r.fold)
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
    return found


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
    results = evaluation.results((text,), per_class=False)
    asked = card.requests((text,))[0].name
    if which is None:
        chosen = chosen_results(results).get((card.models[0], asked))
        return card[text] if chosen is None else chosen.result
    for r in results:
        plain = r.measure == asked and not (r.class_ or r.slice or r.repeat)
        if plain and r.fold == KINDS[which]:
            return r
    raise InputError(f"{text} has no value of the kind {which!r} along {evaluation.procedure}")
