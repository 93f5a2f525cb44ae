"""What is compared: predictions from evaluations, scorecards, files and tables, each named."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from os import PathLike
from typing import TYPE_CHECKING, Any

from karat.assess.scorecard import Scorecard
from karat.core.errors import InputError
from karat.predictions.read import read_predictions
from karat.predictions.table import Predictions

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

__all__ = ["named", "predictions_from"]


def predictions_from(sources: Iterable[Any], roles: Mapping[str, Any]) -> tuple[Predictions, ...]:
    """The predictions behind sources of any kind; ``roles`` are those of files and tables."""
    made: list[Predictions] = []
    tables: list[Any] = []
    for source in sources:
        if isinstance(source, Predictions):
            made.append(source)
        elif isinstance(source, Scorecard):
            made += source.predictions
        elif isinstance(source, list | tuple) and all(isinstance(p, Predictions) for p in source):
            made += source
        elif hasattr(source, "scorecard"):
            made += source.scorecard.predictions
        elif isinstance(source, str | PathLike | Mapping) or hasattr(source, "columns"):
            tables.append(source)
        else:
            raise InputError(
                f"{type(source).__name__} cannot be compared: give evaluations, scorecards, "
                "files or tables of predictions, or what karat.read_predictions gives"
            )
    if tables:
        made += read_predictions(*tables, **roles)
    elif roles:
        raise InputError(f"{min(roles)}= is for files and tables, and none is given")
    return tuple(made)


def named(predictions: Sequence[Predictions]) -> tuple[Predictions, ...]:
    """The same predictions, each with a name of its own."""
    names = [p.model or f"model {i}" for i, p in enumerate(predictions, 1)]
    twice = {name for name in names if names.count(name) > 1}
    if twice:
        raise InputError(f"two models are called {min(twice)!r}: give each its own name")
    return tuple(replace(p, model=name) for p, name in zip(predictions, names, strict=True))
