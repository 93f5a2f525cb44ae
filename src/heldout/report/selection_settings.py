"""The settings of a selection: names that tell them apart, and the grid of values and ranks."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from math import isnan
from typing import TYPE_CHECKING, Any

from heldout.core.shown import p_in_words
from heldout.learners.parameters import shown, spelled
from heldout.report.table import Column, Number, Table

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from heldout.report.table import Cell
    from heldout.selection.selection import Selection
    from heldout.selection.settings import Setting

#: numbers with more digits than help a reader
LONG = re.compile(r"\d+\.\d{4,}(?:e[-+]?\d+)?")
ABSENT = ""


@dataclass(frozen=True)
class SettingNames:
    """The parameters in which settings differ, under names as short as they may be."""

    settings: tuple[Setting, ...]

    @cached_property
    def bases(self) -> tuple[str, ...]:
        """The models."""
        return tuple(dict.fromkeys(setting.base for setting in self.settings))

    @cached_property
    def parameters(self) -> tuple[str, ...]:
        """The parameters that differ between settings, in the order of the grid."""
        values_of: dict[str, dict[str, None]] = {}
        for setting in self.settings:
            for name, value in setting.parameters.items():
                values_of.setdefault(name, {})[repr(value)] = None
        return tuple(
            name
            for name, values in values_of.items()
            if len(values) > 1 or any(name not in setting.parameters for setting in self.settings)
        )

    @cached_property
    def heads(self) -> dict[str, str]:
        """Parameters without the steps of their pipeline, where that leaves them different."""
        short = [name.rsplit("__", 1)[-1] for name in self.parameters]
        return {
            name: last if short.count(last) == 1 else name
            for name, last in zip(self.parameters, short, strict=True)
        }

    @cached_property
    def shared(self) -> str:
        """The model that all settings are of, with the parameters that they share."""
        if len(self.bases) > 1:
            return f"{len(self.bases)} models"
        first = self.settings[0]
        same = {k: v for k, v in first.parameters.items() if k not in self.parameters}
        return shown(self.bases[0], same) if "[" not in self.bases[0] else self.bases[0]

    @cached_property
    def has_columns(self) -> bool:
        """Whether every setting has every parameter, so that each may be a column."""
        return bool(self.parameters) and all(
            name in setting.parameters for setting in self.settings for name in self.parameters
        )

    def cells(self, setting: Setting) -> list[str]:
        """The values of the parameters that differ."""
        return [self._texts[name, _key(setting, name)] for name in self.parameters]

    def label(self, setting: Setting) -> str:
        """What differs, in one text."""
        own = [
            f"{self.heads[name]}={self._texts[name, _key(setting, name)]}"
            for name in self.parameters
            if name in setting.parameters
        ]
        lead = setting.base if len(self.bases) > 1 else ""
        return ": ".join(filter(None, (lead, ", ".join(own)))) or setting.name

    def whole(self, setting: Setting) -> str:
        """The full name, with long numbers cut where settings still differ."""
        return self._wholes.get(setting.name, setting.name)

    @cached_property
    def _wholes(self) -> dict[str, str]:
        names = [setting.name for setting in self.settings]
        return dict(zip(names, _cut(names), strict=True))

    @cached_property
    def _texts(self) -> dict[tuple[str, str], str]:
        by_value: dict[tuple[str, str], str] = {}
        for name in self.parameters:
            values = {
                _key(setting, name): setting.parameters.get(name) for setting in self.settings
            }
            texts = [_text(value) if key else ABSENT for key, value in values.items()]
            by_value |= {(name, key): text for key, text in zip(values, _cut(texts), strict=True)}
        return by_value


def _key(setting: Setting, name: str) -> str:
    """What tells values apart: 1 and true are equal in Python. Empty where there is none."""
    return repr(setting.parameters[name]) if name in setting.parameters else ""


def _text(value: Any) -> str:
    return " ".join(spelled(value).split())


def _cut(texts: Sequence[str]) -> list[str]:
    """Texts with long numbers cut to four digits, where that leaves them different."""
    cut = [LONG.sub(lambda number: f"{float(number[0]):.4g}", text) for text in texts]
    return cut if len(set(cut)) == len(set(texts)) else list(texts)


#: the mark of settings that cannot be told from the best
EQUAL = "~ best"
#: settings that are shown where nobody asks for all
SHOWN = 30
#: settings without a value of which the reason is told
TOLD = 10
#: room for parameters on a screen of 80 columns; what is wider is told in one text
ROOM = 38


def settings_table(selection: Selection, *, everything: bool) -> Table:
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
    for index in places:
        cells: list[Cell] = [*_lead(names, selection.search.settings[index], len(heads))]
        cells += [_number(table[name][index]) for name in ("value", "standard_error")]
        if has_training:
            cells.append(Number(table["training_optimistic"][index]))
        mark = _mark(table, index, is_best=index == selection.search.best)
        rows.append((*cells, str(table["rank"][index] or ""), mark))
    strong = frozenset(
        (line, column)
        for line, index in enumerate(places)
        if table["chosen"][index]
        for column in range(len(heads))
    )
    notes = (
        *_remarks(selection, has_equals=any(row[-1] == EQUAL for row in rows)),
        *_why_unranked(selection, names, table),
    )
    return Table(title, tuple(columns), tuple(rows), strong=strong, notes=notes)


def _heads(names: SettingNames) -> list[Column]:
    """A column a parameter where they fit, else one for all."""
    several = [Column("model", excess="cut")] if len(names.bases) > 1 else []
    parameters = [
        Column(names.heads[name], "decimal" if _is_number(names, name) else "left", excess="wrap")
        for name in names.parameters
    ]
    if not names.has_columns or _width(names) > ROOM:
        return [Column("setting", excess="wrap")]
    return [*several, *parameters]


def _lead(names: SettingNames, setting: Setting, columns: int) -> list[str]:
    """What stands before the values of a setting."""
    own = [*([setting.base] if len(names.bases) > 1 else []), *names.cells(setting)]
    return own if names.has_columns and len(own) == columns else [names.label(setting)]


def _width(names: SettingNames) -> int:
    cells = [names.cells(setting) for setting in names.settings]
    widths = [
        max(len(names.heads[name]), *(len(line[column]) for line in cells)) + 2
        for column, name in enumerate(names.parameters)
    ]
    if len(names.bases) > 1:
        widths.append(max(map(len, names.bases)) + 2)
    return sum(widths)


def _is_number(names: SettingNames, name: str) -> bool:
    values = [setting.parameters.get(name) for setting in names.settings]
    return all(isinstance(v, int | float) and not isinstance(v, bool) for v in values)


def _number(value: float) -> Cell:
    return None if isnan(value) else Number(value)


def _mark(table: Mapping[str, Any], index: int, *, is_best: bool) -> str:
    if table["chosen"][index]:
        return "chosen"
    if is_best:
        return "best"
    if table["status"][index]:
        return str(table["status"][index])
    return EQUAL if table["same_as_best"][index] else ""


def _remarks(selection: Selection, *, has_equals: bool) -> tuple[str, ...]:
    _, _, reason = selection.same
    level = 1 - selection.intervals.level
    if reason:
        return (f"which settings differ from the best is not known: {reason}",)
    words = [
        "standard error across splits, treated as independent; a rough guide, not a confidence "
        "interval"
    ]
    if has_equals:
        what = f"no clear difference from the best at {level:.2g}"
        tests = "corrected resampled t test"
        if selection.search.cuts_groups:
            tests += " with the error of groups that splits cut"
        words.append(f"{EQUAL}: {what} ({tests}, Holm)")
    return tuple(words)


def _why_unranked(
    selection: Selection, names: SettingNames, table: Mapping[str, Any]
) -> Iterator[str]:
    """Why settings have no value and no rank; those of one reason together."""
    by_reason: dict[str, list[str]] = {}
    for index, status in enumerate(table["status"]):
        if not status:
            continue
        label = names.label(selection.search.settings[index])
        dropped = selection.search.dropped.get(index)
        if dropped is not None:
            reason = f"{status} by the race after {dropped.after} splits"
            behind = next(setting for setting in names.settings if setting.name == dropped.behind)
            label += (
                f" (behind {names.label(behind)} by {dropped.difference:.4g}, "
                f"p {p_in_words(dropped.p_value)})"
            )
            by_reason.setdefault(reason, []).append(label)
        else:
            by_reason.setdefault(table["note"][index], []).append(label)
    for reason, labels in by_reason.items():
        more = len(labels) - TOLD
        told = "; ".join(labels[:TOLD]) + (f"; and {more:,} more" if more > 0 else "")
        yield f"no rank, {reason}: {told}"
