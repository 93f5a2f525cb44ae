"""Results as strict JSON: undefined is null with a note, infinite is a word."""

from __future__ import annotations

import json
from math import isinf, isnan
from typing import TYPE_CHECKING, Any

from heldout import __version__
from heldout.assess.matrices import matrices_of
from heldout.assess.results import COLUMNS
from heldout.core.shown import visible
from heldout.measures.profit import profit_cells
from heldout.report.confusion_tables import PLAIN

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from heldout.assess.matrices import Matrix
    from heldout.assess.results import Result
    from heldout.assess.scorecard import Scorecard
    from heldout.report.confusion_tables import View

#: with more classes than this the matrix is given as its cells that are not zero
MOST_CLASSES = 2000


def scorecard_record(
    card: Scorecard,
    results: Iterable[Result],
    tables: Mapping[str, Sequence[Mapping[str, Any]]] | None = None,
    *,
    matrices: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """The results of a scorecard with the confusion counts.

    ``tables`` are those of decisions and slices, a list of records each; ``matrices`` the view
    of the counts and of which parts they are given too.
    """
    rows = [dict(zip(COLUMNS, map(plain, result.cells()), strict=True)) for result in results]
    objects = _confusions(card, **(matrices or {}))
    whole = next(iter(objects.values()), {}) if len(card.models) == 1 else {"models": objects}
    extra = {
        name: [{key: plain(value) for key, value in record.items()} for record in records]
        for name, records in (tables or {}).items()
    }
    return {"results": rows, "confusion": whole, **extra}


def _confusions(
    card: Scorecard, *, view: View = PLAIN, folds: bool = False, is_asked: bool = False
) -> dict[str, dict[str, Any]]:
    """The counts of each model, with those of its slices and folds where they are asked for."""
    objects: dict[str, dict[str, Any]] = {}
    values = {"profit": card.profit, "cost": card.cost}
    for matrix in matrices_of(card.tallies, folds=folds, slices=is_asked):
        counts = _counts(matrix, card.classes, view)
        if matrix.part:
            kind = "slices" if matrix.slice else "folds" if matrix.fold else "repeats"
            names = {name: getattr(matrix, name) for name in ("slice", "repeat", "fold")}
            part = {name: value for name, value in names.items() if value} | counts
            objects[matrix.model].setdefault(kind, []).append(part)
            continue
        rows, columns = view.axes
        objects[matrix.model] = {
            "orientation": f"rows = {rows}, columns = {columns}",
            "labels": [plain(label) for label in card.classes],
            **counts,
            **{
                name: view.turned(profit_cells(matrix.counts, cells)).tolist()
                for name, cells in values.items()
                if cells is not None
            },
        }
    return objects


def _counts(matrix: Matrix, classes: Sequence[Any], view: View) -> dict[str, Any]:
    """The counts, and their shares where they are asked for; of very many classes the cells."""
    counts = matrix.counts
    if counts.classes <= MOST_CLASSES:
        found = {"matrix": view.turned(counts.matrix()).tolist()}
        if view.cells != "counts":
            shares = view.turned(matrix.shares(view.cells)).tolist()
            found[f"shares_of_{view.cells}"] = [[plain(share) for share in row] for row in shares]
        return found
    columns = (counts.truth, counts.predicted, counts.counts)
    labels = [plain(label) for label in classes]
    cells = zip(*(column.tolist() for column in columns), strict=True)
    return {"cells": [[labels[t], labels[p], count] for t, p, count in cells]}


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
