"""Measures of several models: which any of them can have, and the rows of models that failed."""

from __future__ import annotations

from math import nan
from typing import TYPE_CHECKING

from heldout.assess.not_given import NOT_GIVEN, is_had
from heldout.assess.results import Result

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from heldout.assess.scorecard import Scorecard
    from heldout.learners.outcome import Outcome

__all__ = ["FAILED", "of_failed_models", "possible"]

#: how the note begins of a row of a model that gave nothing
FAILED = f"{NOT_GIVEN}failed in every split: "


def possible(card: Scorecard, measures: Sequence[str]) -> tuple[str, ...]:
    """Those of some measures that at least one model can have."""
    requests = zip(measures, card.requests(measures), strict=True)
    return tuple(name for name, request in requests if is_had(request, card.tallies))


def of_failed_models(
    results: Sequence[Result], outcomes: Mapping[str, Outcome], procedure: str
) -> Iterator[Result]:
    """For models that failed everywhere, a row without a value for each measure of the others."""
    whole = [r for r in results if not (r.fold or r.repeat or r.slice)]
    overall = {r.measure for r in whole if not r.class_}
    shown = dict.fromkeys(
        (r.measure, r.class_) for r in whole if not (r.class_ and r.measure in overall)
    )
    for name, outcome in outcomes.items():
        if outcome.failures and not len(outcome.rows):
            note = f"{FAILED}{outcome.failures[0][1]}"
            for measure, class_ in shown:
                yield Result(measure, nan, 0, note, name, procedure, class_=class_)
