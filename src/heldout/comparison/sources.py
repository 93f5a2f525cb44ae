"""Comparison: predictions from evaluations, scorecards, files and tables, each named."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from heldout.assess.scorecard import Scorecard
from heldout.core.errors import InputError
from heldout.core.wording import repeated
from heldout.predictions.read import is_table, read_named
from heldout.predictions.table import Predictions

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence


def predictions_from(sources: Iterable[Any], roles: Mapping[str, Any]) -> tuple[Predictions, ...]:
    """The predictions behind sources of any kind; ``roles`` are those of files and tables.

    A mapping of names to sources gives each model its name; one of names to columns is a table.
    """
    predictions: list[Predictions] = []
    tables: list[tuple[str, Any]] = []
    for name, source in _each(sources):
        if is_table(source):
            tables.append((name, source))
            continue
        if isinstance(source, Predictions):
            own: Sequence[Predictions] = (source,)
        elif isinstance(source, Scorecard):
            own = source.predictions
        elif isinstance(source, list | tuple) and all(isinstance(p, Predictions) for p in source):
            own = source
        elif hasattr(source, "scorecard"):
            own = source.scorecard.predictions
        else:
            raise InputError(
                f"{type(source).__name__} cannot be compared: give evaluations, scorecards, "
                "files or tables of predictions, or what heldout.read_predictions gives"
            )
        predictions += _called([name] * len(own), own)
    if tables:
        predictions += _read(tables, roles)
    elif roles:
        raise InputError(f"{min(roles)}= is for files and tables, and none is given")
    return tuple(predictions)


def _each(sources: Iterable[Any]) -> Iterator[tuple[str, Any]]:
    """Each source with its name, which is empty where it has none."""
    for source in sources:
        if isinstance(source, Mapping) and source and all(map(_is_source, source.values())):
            yield from ((str(name), own) for name, own in source.items())
        else:
            yield "", source


def _is_source(value: Any) -> bool:
    """Whether the value of a mapping is a source of its own, and not a column."""
    known = isinstance(value, Predictions | Scorecard) or hasattr(value, "scorecard")
    return known or is_table(value)


def _read(tables: Sequence[tuple[str, Any]], roles: Mapping[str, Any]) -> list[Predictions]:
    """Files and tables, read together so that all have the same classes."""
    from heldout.engines.origins import is_unread
    from heldout.engines.reading import HOW, read_rows

    how = {name: roles[name] for name in HOW if name in roles}
    columns = {name: value for name, value in roles.items() if name not in how}
    sources = [table for _, table in tables]
    is_read = bool(how) or any(map(is_unread, sources))
    read = partial(read_rows, is_paired=True, **how) if is_read else None
    predictions = read_named(sources, columns, read=read)
    names = [name for name, _ in tables]
    if not any(names):
        return list(predictions)
    if len(predictions) != len(tables):
        raise InputError(
            f"{len(tables)} tables hold {len(predictions)} models: name tables of one model each, "
            "or give them without names"
        )
    return _called(names, predictions)


def _called(names: Sequence[str], predictions: Sequence[Predictions]) -> list[Predictions]:
    """Predictions under the names given; several under one name keep their own behind it."""
    named = []
    for name, p in zip(names, predictions, strict=True):
        several = name and names.count(name) > 1
        title = f"{name} {p.model}" if several else name
        named.append(replace(p, model=title) if title else p)
    return named


def named(predictions: Sequence[Predictions]) -> tuple[Predictions, ...]:
    """The same predictions, each with a name of its own."""
    names = [p.model or f"model {i}" for i, p in enumerate(predictions, 1)]
    if twice := repeated(names):
        raise InputError(f"two models are called {min(twice)!r}: give each its own name")
    return tuple(replace(p, model=name) for p, name in zip(predictions, names, strict=True))
