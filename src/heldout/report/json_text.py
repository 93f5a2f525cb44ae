"""Results as strict JSON: undefined is null with a note, infinite is a word."""

from __future__ import annotations

import json
from math import isinf, isnan
from typing import TYPE_CHECKING, Any

from heldout import __version__
from heldout.assess.results import COLUMNS
from heldout.core.shown import visible
from heldout.measures.profit import profit_cells

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from heldout.assess.results import Result
    from heldout.assess.scorecard import Scorecard
    from heldout.tally.confusion import Confusion

__all__ = ["confusion_object", "json_text", "plain", "scorecard_record"]

ORIENTATION = "rows = truth, columns = predicted"
#: with more classes than this the matrix is given as its cells that are not zero
MOST_CLASSES = 2000


def scorecard_record(
    card: Scorecard,
    results: Iterable[Result],
    tables: Mapping[str, Sequence[Mapping[str, Any]]] | None = None,
) -> dict[str, Any]:
    """The results of a scorecard with the confusion counts.

    ``tables`` are those of decisions and slices, a list of records each.
    """
    rows = [dict(zip(COLUMNS, map(plain, result.cells()), strict=True)) for result in results]
    confusions = {model: card.confusion(model) for model in card.models}
    objects = {
        model: confusion_object(confusion, card.classes) | _values(card, confusion)
        for model, confusion in confusions.items()
        if confusion is not None
    }
    whole = next(iter(objects.values()), {}) if len(card.models) == 1 else {"models": objects}
    extra = {
        name: [{key: plain(value) for key, value in record.items()} for record in records]
        for name, records in (tables or {}).items()
    }
    return {"results": rows, "confusion": whole, **extra}


def _values(card: Scorecard, confusion: Confusion) -> dict[str, Any]:
    """What each cell earns and costs in all, where their values were given."""
    given = {"profit": card.profit, "cost": card.cost}
    return {
        name: profit_cells(confusion, values).tolist()
        for name, values in given.items()
        if values is not None
    }


def json_text(content: Mapping[str, Any]) -> str:
    """An object as JSON text, the version of heldout first, one line for each of the results."""
    fields = [f"{_dumps('heldout')}: {_dumps(__version__)}"]
    for name, value in content.items():
        if isinstance(value, list) and value:
            lines = ",\n".join(f"    {_dumps(item)}" for item in value)
            fields.append(f"{_dumps(name)}: [\n{lines}\n  ]")
        else:
            fields.append(f"{_dumps(name)}: {_dumps(value)}")
    return "{\n  " + ",\n  ".join(fields) + "\n}\n"


def confusion_object(confusion: Confusion, classes: Sequence[Any]) -> dict[str, Any]:
    """The counts with their labels and orientation; of very many classes only the cells."""
    found: dict[str, Any] = {"orientation": ORIENTATION, "labels": [plain(c) for c in classes]}
    if confusion.classes <= MOST_CLASSES:
        return {**found, "matrix": confusion.matrix().tolist()}
    columns = (confusion.truth, confusion.predicted, confusion.counts)
    cells = zip(*(column.tolist() for column in columns), strict=True)
    labels = found["labels"]
    return {**found, "cells": [[labels[t], labels[p], count] for t, p, count in cells]}


def plain(value: Any) -> Any:
    """A value JSON can say: undefined as None, infinite as the word.

    Examples
    --------
    >>> plain(float("nan")), plain(float("-inf")), plain("spam")
    (None, '-Infinity', 'spam')
    """
    if hasattr(value, "item"):
        value = value.item()
    if isinstance(value, float):
        if isnan(value):
            return None
        if isinf(value):
            return "Infinity" if value > 0 else "-Infinity"
    return value


def _dumps(value: Any) -> str:
    """JSON in which invisible characters are escaped, which its readers undo."""
    text = json.dumps(value, allow_nan=False, ensure_ascii=False)
    if visible(text) == text:
        return text
    return "".join(c if visible(c) == c else json.dumps(c)[1:-1] for c in text)
