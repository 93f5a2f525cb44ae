"""A selection as a document: the choice, what to expect of it, and the settings beside it."""

from __future__ import annotations

import re
from math import isnan
from typing import TYPE_CHECKING, Any

from karat.report.document import Column, Grid, Text
from karat.report.names import arrow, bare_title
from karat.report.numbers import DIGITS, number_text
from karat.report.terminal import WIDTH, terminal_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from karat.report.document import Block, Document
    from karat.selection.estimate import Estimate
    from karat.selection.selection import Selection

__all__ = ["OPTIMISTIC", "estimates_of", "selection_document", "selection_html", "selection_text"]

#: settings that are shown where nobody asks for all
SHOWN = 30
PAGE = 120
#: numbers with more digits than help a reader
LONG = re.compile(r"\d+\.\d{4,}(?:e[-+]?\d+)?")
OPTIMISTIC = "optimistic: the choice was made by it"


def selection_document(
    selection: Selection, *, digits: int = DIGITS, everything: bool = False
) -> Document:
    """The choice, the estimates, the settings, and what the outer folds chose."""
    blocks: list[Block] = [_run(selection), _chosen(selection, digits)]
    blocks.append(_estimates(selection, digits))
    blocks.append(_settings(selection, digits, everything=everything))
    blocks += _nested(selection, digits)
    blocks += _dropped(selection)
    return tuple(blocks)


def _run(selection: Selection) -> Text:
    data, splits, search = selection.dataset, selection.splits, selection.search
    bases = list(dict.fromkeys(one.base for one in search.settings))
    what = bases[0] if len(bases) == 1 else f"{len(bases)} models"
    count = f"{len(splits):,} split{'s' if len(splits) != 1 else ''}"
    return Text(
        f"{data.source or data.name}: {len(data):,} rows, {len(data.features):,} features, target "
        f"{data.target}; {len(search.settings):,} settings of {what}; "
        f"{splits.procedure} ({count}), seed {splits.seed}"
    )


def _chosen(selection: Selection, digits: int) -> Text:
    name = _shorter(selection)(selection.best.name)
    return Text(f"Chosen: {name} ({selection.best.reason})", "strong")


def _shorter(selection: Selection) -> Callable[[str], str]:
    """Names of settings with long numbers cut to four digits, where they still differ."""
    names = [one.name for one in selection.search.settings]
    cut = {name: LONG.sub(lambda found: f"{float(found[0]):.4g}", name) for name in names}
    if len(set(cut.values())) < len(set(names)):
        return str
    return lambda name: cut.get(name, name)


def _estimates(selection: Selection, digits: int) -> Grid:
    """What the search promised, and what is to be expected."""
    name = selection.criterion.name
    level = f"{selection.intervals.level * 100:g}%"
    of = "mean of splits" if selection.criterion.aggregate == "folds" else "folds pooled"
    rows = [
        (
            "in the search",
            number_text(selection.best.value, digits=digits),
            "",
            f"{OPTIMISTIC}; {of}",
        )
    ]
    for label, estimate in estimates_of(selection):
        rows.append((label, *_value(estimate, digits), _words(estimate)))
    columns = (
        Column("estimate"),
        Column(f"{bare_title(name)} {arrow(name)}".strip(), "decimal"),
        Column(f"{level} interval"),
        Column("how", excess="wrap"),
    )
    return Grid("What to expect", columns, tuple(rows))


def estimates_of(selection: Selection) -> Iterator[tuple[str, Estimate]]:
    """What is to be expected of the choice, by name; then how much the search promised."""
    if selection.tested is not None:
        yield "test part", selection.estimate
        return
    if selection.nested is not None:
        yield "nested", selection.nested.estimate
    yield "bias-corrected", selection.bias_corrected
    if selection.optimism is not None:
        yield "optimism", selection.optimism


def _value(estimate: Estimate, digits: int) -> tuple[str, str]:
    if estimate.is_absent:
        return "none", ""
    low, high = (number_text(limit, digits=digits) for limit in (estimate.low, estimate.high))
    value = number_text(estimate.value, digits=digits)
    return value, f"[{low}, {high}]" if estimate.has_interval else ""


def _words(estimate: Estimate) -> str:
    lead = "search minus nested" if estimate.kind == "optimism" else ""
    return "; ".join(filter(None, (lead, estimate.method, estimate.note)))


def _settings(selection: Selection, digits: int, *, everything: bool) -> Grid:
    table = selection.table.columns()
    shorter = _shorter(selection)
    count = len(table["setting"])
    places = list(range(count))
    title = "Settings"
    if count > SHOWN and not everything:
        places = sorted(places, key=lambda at: table["rank"][at])[:SHOWN]
        title = f"The {SHOWN} best of {count:,} settings"
    has_training = "training_optimistic" in table
    columns = [
        Column("setting", excess="cut"),
        Column("value", "decimal"),
        Column("standard error", "decimal"),
        *([Column("training (optimistic)", "decimal")] if has_training else []),
        Column("rank", "right"),
        Column(""),
    ]
    rows = []
    for place in places:
        error = table["standard_error"][place]
        cells = [
            shorter(table["setting"][place]),
            number_text(table["value"][place], digits=digits),
            "" if isnan(error) else number_text(error, digits=digits),
        ]
        if has_training:
            cells.append(number_text(table["training_optimistic"][place], digits=digits))
        rows.append((*cells, str(table["rank"][place]), _mark(table, place)))
    strong = frozenset((line, 0) for line, place in enumerate(places) if table["chosen"][place])
    return Grid(title, tuple(columns), tuple(rows), strong=strong, notes=_remarks(selection))


def _mark(table: Mapping[str, Any], place: int) -> str:
    if table["chosen"][place]:
        return "chosen"
    return "~ best" if table["same_as_best"][place] else ""


def _remarks(selection: Selection) -> tuple[str, ...]:
    _, _, reason = selection.same
    level = 1 - selection.intervals.level
    if reason:
        return (f"which settings can be told from the best is not known: {reason}",)
    return (
        "standard error: over splits as if they were separate, a yardstick and no interval",
        f"~ best: cannot be told from the best at {level:.2g} (corrected resampled t test, Holm)",
    )


def _nested(selection: Selection, digits: int) -> Iterator[Block]:
    nested = selection.nested
    if nested is None:
        return
    total = len(nested.folds)
    shorter = _shorter(selection)
    rows = tuple((shorter(name), f"{count} of {total}") for name, count in nested.chosen.items())
    yield Grid(
        f"Chosen how often (outer {nested.splits.procedure}, inner {nested.inner})",
        (Column("setting", excess="cut"), Column("outer folds", "right")),
        rows,
    )
    columns = (
        Column("outer fold"),
        Column("chosen", excess="cut"),
        Column("inner (optimistic)", "decimal"),
        Column("outer", "decimal"),
    )
    several = len({one.repeat for one in nested.folds}) > 1
    lines = tuple(
        (
            f"{one.repeat}, {one.fold}" if several else str(one.fold),
            shorter(one.setting.name),
            number_text(one.inner_value, digits=digits),
            number_text(float(value), digits=digits),
        )
        for one, value in zip(nested.folds, nested.values, strict=True)
    )
    yield Grid("Outer folds", columns, lines)


def _dropped(selection: Selection) -> Iterator[Text]:
    dropped = selection.search.dropped
    if dropped:
        yield Text(f"Race: {len(dropped)} settings were dropped; the notes say when and why")


def selection_text(selection: Selection, *, width: int = WIDTH) -> str:
    """The document as the repr shows it."""
    return terminal_text(selection_document(selection), width=width).rstrip("\n")


def selection_html(selection: Selection) -> str:
    """The document for a notebook."""
    from karat.report.html_table import html_text

    return html_text(selection_document(selection))
