"""A selection for programs: the table of settings as CSV, all of it as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from heldout.core.errors import InputError
from heldout.report.formats import ENDINGS, FORMATS
from heldout.report.json_text import plain
from heldout.report.selection import estimates_of, meaning_of, promise_of
from heldout.report.table import Rows

if TYPE_CHECKING:
    from pathlib import Path

    from heldout.selection.selection import Selection

__all__ = ["saved_text", "selection_record", "selection_rows"]


def selection_rows(selection: Selection) -> Rows:
    """The table of settings."""
    columns = selection.table.columns()
    return Rows(tuple(columns), tuple(zip(*columns.values(), strict=True)))


def saved_text(selection: Selection, path: Path) -> str:
    """The selection in the format that a file's ending names."""
    form = FORMATS.get(ENDINGS.get(path.suffix, ""))
    if form is None or not form.is_data:
        raise InputError(
            f"cannot write {path}: a selection is saved as .json, .csv or (its model) .skops"
        )
    if form.of == "rows":
        return form.text(selection_rows(selection))
    return form.text({"call": {"command": "select"}, **selection_record(selection)})


def selection_record(selection: Selection) -> dict[str, Any]:
    """All of it: the choice, estimates, settings, splits' values, outer and inner folds."""
    search, splits = selection.search, selection.splits
    content: dict[str, Any] = {
        "run": {
            "data": selection.dataset.source or selection.dataset.name,
            "rows": len(selection.dataset),
            "procedure": splits.procedure,
            "seed": splits.seed,
            "splits": len(splits),
            "measure": selection.criterion.text,
            "direction": selection.criterion.direction,
            "aggregate": selection.search.of,
            "fitted": search.fitted,
            "reused": search.reused,
        },
        "best": {
            "setting": selection.best.name,
            "parameters": {k: _simple(v) for k, v in selection.best.parameters.items()},
            "value": plain(selection.best.value),
            "standard_error": plain(selection.best.standard_error),
            "rule": selection.choice.rule,
            "note": promise_of(selection),
        },
        "estimates": [
            {
                "estimate": label,
                "value": plain(one.value),
                "low": plain(one.low),
                "high": plain(one.high),
                "level": selection.intervals.level,
                "meaning": meaning_of(selection, one),
                "method": one.method,
                "note": one.note,
            }
            for label, one in estimates_of(selection)
        ],
        "settings": [{k: _simple(v) for k, v in row.items()} for row in selection.table],
        "values": [
            {"setting": one.name, "values": [plain(v) for v in values.tolist()]}
            for one, values in zip(search.settings, search.table, strict=True)
        ],
        "notes": list(selection.notes),
    }
    if selection.nested is not None:
        nested = selection.nested
        content["nested"] = {
            "outer": nested.splits.procedure,
            "inner": nested.inner,
            "mean_of_folds": plain(nested.mean),
            "pooled": plain(nested.pooled),
            "chosen": nested.chosen,
        }
        content["outer"] = _outer(selection)
    return content


def _outer(selection: Selection) -> list[dict[str, Any]]:
    nested = selection.nested
    assert nested is not None
    return [
        {
            "repeat": one.repeat,
            "fold": _simple(one.fold),
            "setting": one.setting.name,
            "inner_value": plain(one.inner_value),
            "outer_value": plain(float(value)),
            "inner": {
                setting.name: plain(float(found))
                for setting, found in zip(one.search.settings, one.search.values, strict=True)
            },
        }
        for one, value in zip(nested.folds, nested.values, strict=True)
    ]


def _simple(value: Any) -> Any:
    made = plain(value)
    if made is None or isinstance(made, str | int | float | bool):
        return made
    return " ".join(repr(value).split())
