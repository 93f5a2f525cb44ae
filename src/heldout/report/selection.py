"""A selection for people and for programs: the choice, what to expect of it, the settings."""

from __future__ import annotations

from dataclasses import replace
from math import isclose, isfinite, isnan
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.assess.results import Of, Result
from heldout.core.notes import as_notes
from heldout.core.wording import plural
from heldout.report import formats
from heldout.report.names import arrow, bare_title
from heldout.report.numbers import DIGITS, number_text
from heldout.report.remarks import notes_block, run_line
from heldout.report.selection_settings import SettingNames, settings_table
from heldout.report.table import Column, Estimate, Number, Rows, Table, Text, column
from heldout.selection.criterion import ROUNDING
from heldout.selection.optimism import Optimism

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from heldout.report.table import Block, Cell, Document
    from heldout.selection.selection import Selection

OPTIMISTIC = "optimistic: the same value was used to choose"
#: a simpler setting than the best may look better or worse than it is
INVOLVED = "not an estimate for new rows: the same values were used to choose"

#: what values of settings are, by the aggregate of the criterion
AGGREGATES = {
    "folds": "mean of splits",
    "pooled": "folds pooled",
    "out-of-bag": "mean over rows of each row's out-of-bag mean",
}
#: what a value is the average of
AVERAGES = {Of.MEAN_OF_FOLDS: "means of splits", Of.POOLED: "all rows pooled"}
SHORT = {Of.MEAN_OF_FOLDS: "mean of splits", Of.POOLED: "pooled"}


def selection_document(selection: Selection, *, everything: bool = False) -> Document:
    """The choice, the estimates, the settings, and what the outer folds chose."""
    name = SettingNames(selection.search.settings).whole(selection.setting)
    return (
        _run(selection),
        Text(f"Chosen: {name} ({selection.best.reason})", "answer"),
        *_expectation(selection),
        _estimates(selection),
        settings_table(selection, everything=everything),
        *_nested_tables(selection),
    )


def _expectation(selection: Selection) -> Iterator[Text]:
    """What to expect of the choice on new rows, in a line; nothing where no estimate is known."""
    estimate = selection.estimate
    if not isfinite(estimate.value):
        return
    value, *limits = (
        number_text(number, digits=DIGITS)
        for number in (estimate.value, estimate.low, estimate.high)
        if number is not None
    )
    level = f"{selection.intervals.level * 100:g}%"
    interval = f" ({level} CI {' to '.join(limits)})" if len(limits) == 2 else ""
    yield Text(f"{_measure_of(selection)} to expect on new rows: {value}{interval}", "answer")


def _measure_of(selection: Selection) -> str:
    """The title of the measure that decided, with its class."""
    label = selection.criterion.request.label
    return bare_title(selection.criterion.name) + ("" if label is None else f" of {label}")


def _run(selection: Selection) -> Text:
    data, splits, search = selection.dataset, selection.splits, selection.search
    bases = list(dict.fromkeys(setting.base for setting in search.settings))
    what = bases[0] if len(bases) == 1 else f"{len(bases)} models"
    settings = f"{len(search.settings):,} settings of {what}"
    return run_line(data, splits, plural(data.feature_count, "feature"), settings)


def _estimates(selection: Selection) -> Table:
    """What the search promised, and what is to be expected."""
    name = selection.criterion.name
    level = f"{selection.intervals.level * 100:g}%"
    of = AGGREGATES.get(selection.search.of, "")
    of = of or f"the {selection.search.of} estimate, of training and out-of-bag rows"
    if len(selection.splits) == 1:
        of = "a single split"
    value = Estimate(selection.best.value, measure=name)
    rows: list[tuple[Cell, ...]] = [
        ("in the search", value, None, f"{_promise_of(selection)}; {of}")
    ]
    for label, estimate in _estimates_of(selection, digits=DIGITS):
        words = (_meaning_of(selection, estimate), estimate.method, estimate.note)
        rows.append((label, *_cells(estimate, name), "; ".join(filter(None, words))))
    columns = (
        Column("estimate"),
        Column(f"{_measure_of(selection)} {arrow(name)}".strip(), "decimal"),
        Column(f"{level} interval"),
        Column("how", excess="wrap"),
    )
    return Table("What to expect", columns, tuple(rows))


def _promise_of(selection: Selection) -> str:
    """What is to be known of the value of the chosen setting in the search."""
    return OPTIMISTIC if selection.choice.index == selection.search.best else INVOLVED


def _estimates_of(
    selection: Selection, *, digits: int | None = None
) -> Iterator[tuple[str, Result]]:
    """What is to be expected of the choice, by name; then how much the search promised.

    Values that the optimism is the difference of stand before it where they are averaged in
    another way than those above, and differ in so many digits [all].
    """
    if selection.tested is not None:
        yield "test part", selection.estimate
        return
    if selection.nested is not None:
        yield "nested", selection.nested.estimate
    yield "bias-corrected", selection.bias_corrected
    optimism = selection.optimism
    if optimism is None:
        return
    assert selection.nested is not None
    shown = selection.best.value, selection.nested.estimate.value
    for name, own, above in zip(("in the search", "nested"), optimism.between, shown, strict=True):
        if _differ(own, above, digits):
            what = "optimistic; " if name != "nested" else ""
            notes = as_notes(f"{what}{AVERAGES[optimism.average]}, for the optimism below")
            value = Result(optimism.measure, own, optimism.n, notes, of=optimism.average)
            yield f"{name}, {SHORT[optimism.average]}", value
    yield "optimism", optimism


def _differ(value: float, other: float, digits: int | None) -> bool:
    """Whether a reader sees two values differ."""
    if digits is None or not (isfinite(value) and isfinite(other)):
        return not isclose(value, other, rel_tol=ROUNDING) and not (isnan(value) and isnan(other))
    return number_text(value, digits=digits) != number_text(other, digits=digits)


def _cells(estimate: Result, measure: str) -> tuple[Cell, Cell]:
    if not estimate.is_defined:
        return "none", None
    value = Estimate(estimate.value, measure=measure)
    if isinstance(estimate, Optimism):
        value = Estimate(estimate.value)
    if estimate.low is None or estimate.high is None:
        return value, None
    return value, replace(
        value, low=estimate.low, high=estimate.high, shows="bracketed", is_apart=False
    )


def _meaning_of(selection: Selection, estimate: Result) -> str:
    """What the sign of an estimate says; empty where it is a value of the measure itself."""
    if not isinstance(estimate, Optimism):
        return ""
    how = {
        "up": "search minus nested",
        "down": "nested minus search",
        "target": "nested distance from the target minus that of the search",
    }[selection.criterion.direction]
    if _differ(estimate.between[0], selection.best.value, None):
        how += f", {AVERAGES[estimate.average]}"
    return f"{how}; above 0: the choice looked better than it is"


def _nested_tables(selection: Selection) -> Iterator[Block]:
    nested = selection.nested
    if nested is None:
        return
    total = len(nested.folds)
    names = SettingNames(selection.search.settings)
    label = {setting.name: names.label(setting) for setting in selection.search.settings}
    yield Table.of(
        f"How often each setting was chosen (outer {nested.splits.procedure}, "
        f"inner {nested.inner})",
        [
            (Column("setting", excess="wrap"), lambda chosen: label[chosen[0]]),
            (Column("outer folds", "right"), lambda chosen: f"{chosen[1]} of {total}"),
        ],
        nested.chosen.items(),
    )
    several = len({fold.repeat for fold in nested.folds}) > 1
    outer = dict(zip(nested.folds, nested.values.tolist(), strict=True))
    yield Table.of(
        "Outer folds",
        [
            (Column("outer fold"), lambda f: f"{f.repeat}, {f.fold}" if several else str(f.fold)),
            (Column("chosen", excess="wrap"), lambda fold: label[fold.setting.name]),
            column("inner_value", "inner (optimistic)", role="value"),
            (Column("outer", "decimal"), lambda fold: Number(outer[fold])),
        ],
        nested.folds,
    )


def expected_line(selection: Selection) -> Text:
    """What to expect of the choice on new rows, in a sentence."""
    estimate, name = selection.estimate, bare_title(selection.criterion.name)
    promise = f"the search itself had {number_text(selection.best.value, digits=DIGITS)}"
    if not estimate.is_defined:
        return Text(f"There is no estimate of {name} on new rows; {promise}.", "answer")
    value = number_text(estimate.value, digits=DIGITS)
    if estimate.low is not None and estimate.high is not None:
        limits = (number_text(limit, digits=3) for limit in (estimate.low, estimate.high))
        value += f" ({selection.intervals.level * 100:g}% CI {' to '.join(limits)})"
    words = f"{promise}, which is {_promise_of(selection)}"
    return Text(f"{name} to expect on new rows: {value}; {words}.", "answer")


def selection_page(selection: Selection) -> Document:
    """The document, and the notes that the command line says beside it."""
    return (*selection_document(selection), *notes_block(selection.notes))


def selection_rows(selection: Selection) -> Rows:
    """The table of settings."""
    return Rows.of(selection.table)


def saved_text(selection: Selection, path: Path) -> str:
    """The selection in the format that a file's ending names."""
    return formats.saved_text(
        path,
        "a selection is saved as .json, .csv or (its model) .skops",
        {
            "rows": lambda: selection_rows(selection),
            "record": lambda: {"call": {"command": "select"}, **selection_record(selection)},
        },
    )


def selection_record(selection: Selection) -> dict[str, Any]:
    """All of it: the choice, estimates, settings, splits' values, outer and inner folds."""
    search, splits, best = selection.search, selection.splits, selection.best
    record: dict[str, Any] = {
        "run": {
            "data": selection.dataset.source or selection.dataset.name,
            "rows": len(selection.dataset),
            "procedure": splits.procedure,
            "seed": splits.seed,
            "splits": len(splits),
            "measure": selection.criterion.text,
            "direction": selection.criterion.direction,
            "aggregate": search.of,
            "fitted": search.fitted,
            "reused": search.reused,
        },
        "best": {
            "setting": best.name,
            "parameters": _simple_values(best.parameters),
            "value": best.value,
            "standard_error": best.standard_error,
            "rule": selection.choice.rule,
            "note": _promise_of(selection),
        },
        "estimates": [
            {
                "estimate": label,
                "value": estimate.value,
                "low": estimate.low,
                "high": estimate.high,
                "level": selection.intervals.level,
                "meaning": _meaning_of(selection, estimate),
                "method": estimate.method,
                "note": estimate.note,
            }
            for label, estimate in _estimates_of(selection)
        ],
        "settings": [_simple_values(row) for row in selection.table],
        "values": [
            {"setting": setting.name, "values": values.tolist()}
            for setting, values in zip(search.settings, search.table, strict=True)
        ],
        "notes": list(selection.notes),
    }
    if (nested := selection.nested) is not None:
        record["nested"] = {
            "outer": nested.splits.procedure,
            "inner": nested.inner,
            "mean_of_folds": nested.mean,
            "pooled": nested.pooled,
            "chosen": nested.chosen,
        }
        record["outer"] = [
            {
                **_simple_values({"repeat": fold.repeat, "fold": fold.fold}),
                "setting": fold.setting.name,
                "inner_value": fold.inner_value,
                "outer_value": value,
                "inner": dict(
                    zip(
                        (setting.name for setting in fold.search.settings),
                        fold.search.values.tolist(),
                        strict=True,
                    )
                ),
            }
            for fold, value in zip(nested.folds, nested.values.tolist(), strict=True)
        ]
    return record


def _simple_values(values: Mapping[str, Any]) -> dict[str, Any]:
    """Values of parameters and columns; what is no number or text is spelled."""
    return {
        name: value
        if value is None or isinstance(value, str | int | float | np.generic)
        else " ".join(repr(value).split())
        for name, value in values.items()
    }
