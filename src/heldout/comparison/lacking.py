"""Measures that models cannot be compared by, and why."""

from __future__ import annotations

from typing import TYPE_CHECKING

from heldout.assess.values import is_split, lacking
from heldout.core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from heldout.comparison.aligned import Aligned
    from heldout.comparison.judged import Judged
    from heldout.measures.spec import Request

__all__ = ["lack_of", "refuse_lacking", "refuse_split"]


def lack_of(request: Request, judged: Judged) -> str:
    """Why the predictions of some model do not allow a measure; empty where all do."""
    return next(filter(None, (lacking(request, made) for made in judged.tallies)), "")


def refuse_split(requests: Sequence[Request], task: str, aligned: Aligned) -> None:
    """A measure that has a value for each class is refused: a comparison is by one value."""
    if not requests:
        raise InputError("the predictions allow no measure to compare by: give --measure")
    for request in requests:
        if is_split(request, task):
            label = aligned.predictions[0].classes[0]
            raise InputError(
                f"{request.name} has a value for each class: ask for {request.name}_macro, "
                f"{request.name}_weighted or {request.name}[class={label}]"
            )


def refuse_lacking(requests: Sequence[Request], judged: Judged) -> None:
    """A measure that some models do not allow is refused with their names."""
    for request in requests:
        lacks = {t.predictions.model: lacking(request, t) for t in judged.tallies}
        without = [model for model, reason in lacks.items() if reason]
        # what all models lack is about no model
        if without and len(without) < len(lacks):
            raise InputError(
                f"{request.name} {lacks[without[0]]}\n"
                f"{_listed(without)} cannot be judged by it: leave the measure out, or "
                f"{'that model' if len(without) == 1 else 'those models'}"
            )


def _listed(names: Sequence[str]) -> str:
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))
