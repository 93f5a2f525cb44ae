"""Measures of several models: which any of them can have, and the rows of models that failed."""

from __future__ import annotations

from math import nan
from typing import TYPE_CHECKING

from heldout.assess.not_given import is_had
from heldout.assess.results import Of, Result
from heldout.core.notes import Kind, Note

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from heldout.assess.scorecard import Scorecard
    from heldout.learners.outcome import Outcome

__all__ = ["of_failed_models", "possible"]


def possible(card: Scorecard, measures: Sequence[str]) -> tuple[str, ...]:
    """Those of some measures that at least one model can have."""
    requests = zip(measures, card.requests(measures), strict=True)
    return tuple(name for name, request in requests if is_had(request, card.tallies))


def of_failed_models(
    results: Sequence[Result], outcomes: Mapping[str, Outcome], procedure: str
) -> Iterator[Result]:
    """For models that failed everywhere, a row without a value for each measure of the others."""
    whole = [r for r in results if r.of is Of.POOLED and not (r.repeat or r.slice)]
    overall = {r.measure for r in whole if not r.class_}
    shown = dict.fromkeys(
        (r.measure, r.class_) for r in whole if not (r.class_ and r.measure in overall)
    )
    for name, outcome in outcomes.items():
        if outcome.failures and not len(outcome.rows):
            note = Note(outcome.failures[0][1], Kind.FAILED)
            for measure, class_ in shown:
                yield Result(measure, nan, 0, (note,), name, procedure, class_=class_)
