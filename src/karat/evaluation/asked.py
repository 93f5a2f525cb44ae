"""Measures that were asked for by name, of models of which only some can have them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from karat.assess.values import lacking

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from karat.assess.scorecard import Scorecard

__all__ = ["cards_with", "possible"]


def possible(card: Scorecard, measures: Sequence[str]) -> tuple[str, ...]:
    """Those of some measures that at least one model can have."""
    return tuple(
        name
        for name, request in zip(measures, card.requests(measures), strict=True)
        if not all(lacking(request, tallies) for tallies in card.tallies)
    )


def cards_with(
    card: Scorecard, measures: Sequence[str] | None
) -> Iterator[tuple[Scorecard, Sequence[str] | None]]:
    """Each model's scorecard with the measures it can have; all at once where that is the same.

    A measure that no model can have stays asked for, so that it is refused with the reason.
    """
    if measures is None or len(card.models) == 1:
        yield card, measures
        return
    requests = dict(zip(measures, card.requests(measures), strict=True))
    lacks = {
        model: {name for name, request in requests.items() if lacking(request, tallies)}
        for model, tallies in zip(card.models, card.tallies, strict=True)
    }
    impossible = set.intersection(*lacks.values())
    if impossible or not any(lacks.values()):
        yield card, measures
        return
    for model in card.models:
        if kept := [name for name in measures if name not in lacks[model]]:
            yield card.only(model), kept
