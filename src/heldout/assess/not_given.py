"""Measures that some models have and others cannot: a row that says why, instead of none."""

from __future__ import annotations

from dataclasses import replace
from math import nan
from typing import TYPE_CHECKING

from heldout.assess.requests import averages_for
from heldout.assess.results import Result
from heldout.assess.values import is_split, lacking
from heldout.core.notes import OPENINGS, Kind, Note

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from heldout.engines.memory import Tallies
    from heldout.measures.spec import Request

__all__ = ["NOT_GIVEN", "beside", "is_had", "rows_not_given"]

#: how the note of such a row begins
NOT_GIVEN = OPENINGS[Kind.NOT_GIVEN]


def is_had(request: Request, models: Sequence[Tallies]) -> bool:
    """Whether at least one of some models can have a measure."""
    return not all(lacking(request, tallies) for tallies in models)


def rows_not_given(request: Request, tallies: Tallies) -> Iterator[Result]:
    """A row for the measure of a model that lacks what it needs, or for each of its averages."""
    reason = lacking(request, tallies)
    if not reason:
        return
    p = tallies.predictions
    names = [request.name]
    if is_split(request, p.task):
        names = [averaged.name for averaged in averages_for(request)] or names
    note = Note(reason, Kind.NOT_GIVEN)
    row = Result("", nan, tallies.rows, (note,), p.model, p.design.procedure)
    for name in names:
        yield replace(row, measure=name, class_=request.label or "")


def beside(
    made: Sequence[Result], requests: Sequence[Request], tallies: Tallies
) -> tuple[Result, ...]:
    """The results of a model, and in their places the rows of the measures that it lacks."""
    whole = list(made)
    for number, request in enumerate(requests):
        rows = list(rows_not_given(request, tallies))
        if rows:
            later = {one.name for r in requests[number + 1 :] for one in (r, *averages_for(r))}
            place = next((i for i, r in enumerate(whole) if r.measure in later), len(whole))
            whole[place:place] = rows
    return tuple(whole)
