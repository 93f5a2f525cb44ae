"""The settings of a selection: names that tell them apart, and the grid of values and ranks."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property, partial
from math import isnan
from typing import TYPE_CHECKING, Any

from heldout.core.shown import p_in_words
from heldout.core.specs import brackets_of
from heldout.core.wording import values_by_key
from heldout.learners.parameters import shown, spelled
from heldout.report.table import Column, Number, Strong, Table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from heldout.report.table import Cell
    from heldout.selection.selection import Selection
    from heldout.selection.settings import Setting

#: numbers with more digits than help a reader
LONG = re.compile(r"\d+\.\d{4,}(?:e[-+]?\d+)?")


def values_of_parameters(settings: Iterable[Setting]) -> dict[str, list[str]]:
    """The different values of each parameter, spelled, since 1 and true are equal in Python."""
    pairs = (pair for setting in settings for pair in setting.parameters.items())
    return values_by_key((name, repr(value)) for name, value in pairs)


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
        return tuple(
            name
            for name, values in values_of_parameters(self.settings).items()
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
        return self.bases[0] if brackets_of(self.bases[0]) else shown(self.bases[0], same)

    @cached_property
    def has_columns(self) -> bool:
        """Whether every setting has every parameter, so that each may be a column."""
        return bool(self.parameters) and all(
            name in setting.parameters for setting in self.settings for name in self.parameters
        )

    def text(self, name: str, setting: Setting) -> str:
        """The value of a parameter that differs."""
        return self._texts[name, _key(setting, name)]

    def label(self, setting: Setting) -> str:
        """What differs, in one text."""
        own = [
            f"{self.heads[name]}={self.text(name, setting)}"
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
        return dict(zip(names, _cut_numbers(names), strict=True))

    @cached_property
    def _texts(self) -> dict[tuple[str, str], str]:
        by_value: dict[tuple[str, str], str] = {}
        for name in self.parameters:
            values = {
                _key(setting, name): setting.parameters.get(name) for setting in self.settings
            }
            texts = [" ".join(spelled(v).split()) if key else "" for key, v in values.items()]
            by_value |= {
                (name, key): text for key, text in zip(values, _cut_numbers(texts), strict=True)
            }
        return by_value


def _key(setting: Setting, name: str) -> str:
    """What tells values apart: 1 and true are equal in Python. Empty where there is none."""
    return repr(setting.parameters[name]) if name in setting.parameters else ""


def _cut_numbers(texts: Sequence[str]) -> list[str]:
    """Texts with long numbers cut to four digits, where that leaves them different."""
    cut = [LONG.sub(lambda number: f"{float(number[0]):.4g}", text) for text in texts]
    return cut if len(set(cut)) == len(set(texts)) else list(texts)


#: the mark of settings that cannot be told from the best
EQUAL = "~ best"
#: settings that are shown where nobody asks for all
SHOWN = 30
#: settings without a value of which the reason is given
REASONED = 10
#: room for parameters on a screen of 80 columns; what is wider is said in one text
ROOM = 38


def settings_table(selection: Selection, *, everything: bool) -> Table:
    """The settings, the best of them where there are many."""
    table = selection.table.columns()
    names = SettingNames(selection.search.settings)
    count = len(table["setting"])
    shown = list(range(count))
    title = f"Settings of {names.shared}"
    if count > SHOWN and not everything:
        # those without a rank come last
        shown = sorted(shown, key=lambda at: table["rank"][at] or count + 1)[:SHOWN]
        title = f"The {SHOWN} best of {count:,} settings of {names.shared}"
    best = selection.search.best
    marks = {index: _mark(table, index, is_best=index == best) for index in shown}
    numbers = {"value": "value", "standard error": "standard_error"}

    def number(head: str, field: str) -> Any:
        values = table[field]
        return Column(head, "decimal"), lambda i: None if isnan(values[i]) else Number(values[i])

    training = table.get("training_optimistic", ())
    optimistic = Column("training (optimistic)", "decimal"), lambda i: Number(training[i])
    columns = [
        *_lead_columns(names, table["chosen"]),
        *(number(head, field) for head, field in numbers.items()),
        optimistic if len(training) else None,
        (Column("rank", "right"), lambda i: str(table["rank"][i] or "")),
        (Column(""), marks.__getitem__),
    ]
    notes = (
        *_remarks(selection, has_equals=EQUAL in marks.values()),
        *_why_unranked(selection, names, table),
    )
    return Table.of(title, columns, shown, notes=notes)


def _lead_columns(names: SettingNames, chosen: Sequence[bool]) -> Iterator[Any]:
    """What stands before the values of a setting: a column per parameter, or one where all fit."""

    def lead(column: Column, text_of: Callable[[Setting], str]) -> Any:
        def cell(index: int) -> Cell | Strong:
            text = text_of(names.settings[index])
            return Strong(text) if chosen[index] else text

        return column, cell

    if not names.has_columns or _width(names) > ROOM:
        yield lead(Column("setting", excess="wrap"), names.label)
        return
    if len(names.bases) > 1:
        yield lead(Column("model", excess="cut"), lambda setting: setting.base)
    for name in names.parameters:
        values = [setting.parameters.get(name) for setting in names.settings]
        is_number = all(isinstance(v, int | float) and not isinstance(v, bool) for v in values)
        head = Column(names.heads[name], "decimal" if is_number else "left", excess="wrap")
        yield lead(head, partial(names.text, name))


def _width(names: SettingNames) -> int:
    """The room that a column for each parameter takes."""
    widths = [
        max(len(names.heads[name]), *(len(names.text(name, s)) for s in names.settings)) + 2
        for name in names.parameters
    ]
    return sum(widths) + (max(map(len, names.bases)) + 2 if len(names.bases) > 1 else 0)


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
        return (f"it is unknown which settings differ from the best: {reason}",)
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
    reasons: list[tuple[str, str]] = []
    for index, status in enumerate(table["status"]):
        label = names.label(selection.search.settings[index])
        dropped = selection.search.dropped.get(index)
        if status and dropped is not None:
            behind = next(setting for setting in names.settings if setting.name == dropped.behind)
            label += (
                f" (behind {names.label(behind)} by {dropped.difference:.4g}, "
                f"p {p_in_words(dropped.p_value)})"
            )
            reasons.append((f"{status} by the race after {dropped.after} splits", label))
        elif status:
            reasons.append((table["note"][index], label))
    for reason, labels in values_by_key(reasons).items():
        more = len(labels) - REASONED
        rest = f"; and {more:,} more" if more > 0 else ""
        yield f"no rank, {reason}: {'; '.join(labels[:REASONED])}{rest}"
