"""The settings of a selection as a grid: a column a parameter, values, ranks, and who fell out."""

from __future__ import annotations

from math import isnan
from typing import TYPE_CHECKING, Any

from heldout.core.shown import p_in_words
from heldout.report.document import Column, Grid
from heldout.report.numbers import number_text
from heldout.report.selection_names import SettingNames

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from heldout.selection.selection import Selection
    from heldout.selection.settings import Setting

__all__ = ["settings_grid"]

#: settings that are shown where nobody asks for all
SHOWN = 30
#: settings without a value of which the reason is told
TOLD = 10
#: room for parameters on a screen of 80 columns; what is wider is told in one text
ROOM = 38


def settings_grid(selection: Selection, digits: int, *, everything: bool) -> Grid:
    """The settings, the best of them where there are many."""
    table = selection.table.columns()
    names = SettingNames(selection.search.settings)
    count = len(table["setting"])
    places = list(range(count))
    title = f"Settings of {names.shared}"
    if count > SHOWN and not everything:
        # those without a rank come last
        places = sorted(places, key=lambda at: table["rank"][at] or count + 1)[:SHOWN]
        title = f"The {SHOWN} best of {count:,} settings of {names.shared}"
    has_training = "training_optimistic" in table
    heads = _heads(names)
    columns = [
        *heads,
        Column("value", "decimal"),
        Column("standard error", "decimal"),
        *([Column("training (optimistic)", "decimal")] if has_training else []),
        Column("rank", "right"),
        Column(""),
    ]
    rows = []
    for place in places:
        cells = _lead(names, selection.search.settings[place], len(heads))
        cells += [_number(table[name][place], digits) for name in ("value", "standard_error")]
        if has_training:
            cells.append(number_text(table["training_optimistic"][place], digits=digits))
        mark = _mark(table, place, is_best=place == selection.search.best)
        rows.append((*cells, str(table["rank"][place] or ""), mark))
    strong = frozenset(
        (line, column)
        for line, place in enumerate(places)
        if table["chosen"][place]
        for column in range(len(heads))
    )
    notes = (*_remarks(selection, [row[-1] for row in rows]), *_fallen(selection, names, table))
    return Grid(title, tuple(columns), tuple(rows), strong=strong, notes=notes)


def _heads(names: SettingNames) -> list[Column]:
    """A column a parameter where they fit, else one for all."""
    several = [Column("model", excess="cut")] if len(names.bases) > 1 else []
    made = [
        Column(names.heads[name], "decimal" if _is_number(names, name) else "left", excess="wrap")
        for name in names.parameters
    ]
    if not names.has_columns or _width(names) > ROOM:
        return [Column("setting", excess="wrap")]
    return [*several, *made]


def _lead(names: SettingNames, setting: Setting, columns: int) -> list[str]:
    """What stands before the values of a setting."""
    own = [*([setting.base] if len(names.bases) > 1 else []), *names.cells(setting)]
    return own if names.has_columns and len(own) == columns else [names.label(setting)]


def _width(names: SettingNames) -> int:
    cells = [names.cells(one) for one in names.settings]
    widths = [
        max(len(names.heads[name]), *(len(line[column]) for line in cells)) + 2
        for column, name in enumerate(names.parameters)
    ]
    if len(names.bases) > 1:
        widths.append(max(map(len, names.bases)) + 2)
    return sum(widths)


def _is_number(names: SettingNames, name: str) -> bool:
    values = [one.parameters.get(name) for one in names.settings]
    return all(isinstance(one, int | float) and not isinstance(one, bool) for one in values)


def _number(value: float, digits: int) -> str:
    return "" if isnan(value) else number_text(value, digits=digits)


def _mark(table: Mapping[str, Any], place: int, *, is_best: bool) -> str:
    if table["chosen"][place]:
        return "chosen"
    if is_best:
        return "best"
    if table["status"][place]:
        return str(table["status"][place])
    return "~ best" if table["same_as_best"][place] else ""


def _remarks(selection: Selection, marks: Sequence[str]) -> tuple[str, ...]:
    _, _, reason = selection.same
    level = 1 - selection.intervals.level
    if reason:
        return (f"which settings can be told from the best is not known: {reason}",)
    words = ["standard error: over splits as if they were separate, a yardstick and no interval"]
    if any(mark == "~ best" for mark in marks):
        what = f"cannot be told from the best at {level:.2g}"
        tests = "corrected resampled t test"
        if selection.search.cuts_groups:
            tests += " with the error of groups that splits cut"
        words.append(f"~ best: {what} ({tests}, Holm)")
    return tuple(words)


def _fallen(selection: Selection, names: SettingNames, table: Mapping[str, Any]) -> Iterator[str]:
    """Why settings have no value and no rank; those of one reason together."""
    by_reason: dict[str, list[str]] = {}
    for place, status in enumerate(table["status"]):
        if not status:
            continue
        label = names.label(selection.search.settings[place])
        dropped = selection.search.dropped.get(place)
        if dropped is not None:
            reason = f"{status} by the race after {dropped.after} splits"
            behind = next(one for one in names.settings if one.name == dropped.behind)
            label += (
                f" (behind {names.label(behind)} by {dropped.difference:.4g}, "
                f"p {p_in_words(dropped.p_value)})"
            )
            by_reason.setdefault(reason, []).append(label)
        else:
            by_reason.setdefault(table["note"][place], []).append(label)
    for reason, labels in by_reason.items():
        more = len(labels) - TOLD
        told = "; ".join(labels[:TOLD]) + (f"; and {more:,} more" if more > 0 else "")
        yield f"no rank, {reason}: {told}"
