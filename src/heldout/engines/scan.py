"""Rows that need not fit into memory: what a source holds, and a scan of it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.core.dialect import argument
from heldout.core.errors import InputError
from heldout.core.wording import plural
from heldout.engines.counted import CountsByPart, with_rows_of
from heldout.engines.protocol import NotScanned
from heldout.engines.score_kernel import Scan, ScoreKernel
from heldout.engines.sources import MOST_NUMBERS, Columns, Numbering, refuse_facts
from heldout.predictions.build import build
from heldout.predictions.sheet import TELLING, prepare
from heldout.predictions.tally_file import refuse_threshold
from heldout.tables.checks import FEW_ROWS
from heldout.tables.frames import raw_column
from heldout.tables.table import RawTable
from heldout.tally.decoded import DecodedColumn

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from heldout.core.dialect import Dialect
    from heldout.engines.sources import Facts, Source
    from heldout.predictions.options import Roles
    from heldout.predictions.table import Predictions
    from heldout.tables.column import Column

#: rows that roles are guessed by
HEAD = 1000
#: distinct classes that are looked for
MOST_CLASSES = 3
#: roles that score counts do not keep
NOT_KEPT = (
    *("predicted", "score_prefix", "scores", "train_count_prefix", "weight", "group"),
    *("fold", "repeat", "model", "naive", "train_mean", "normalise"),
)


def scan(
    source: Source,
    roles: Roles,
    *,
    dialect: Dialect,
    model: str = "",
    memory: int,
    bins: int | None = None,
) -> Predictions:
    """The predictions in a source, known by their score counts.

    ``NotScanned`` is raised where these do not tell all that is asked for.
    """
    template, rows = open_scan(source, roles, dialect=dialect, model=model, bins=bins)
    kernel = ScoreKernel(rows, memory)
    return with_rows_of(CountsByPart(kernel.counts(), kernel.parts), template)


def open_scan(
    source: Source,
    roles: Roles,
    *,
    dialect: Dialect,
    model: str = "",
    bins: int | None = None,
) -> tuple[Predictions, Scan]:
    """All that is known of the predictions in a source but their rows, and how these are read.

    Roles, classes and what is noted of them come from the code that reads tables: from the first
    rows, and from a table of as few rows as have every class, every slice and the range of scores.
    """
    source.check()
    head = source.head(HEAD)
    stated = replace(roles, id=roles.id or "", count=None)
    sheet = prepare(head, stated, dialect=dialect, model=model)
    known = sheet.roles
    _refuse_roles(known, head)
    truth, score = sheet.truth, known.score
    if source.is_parsed:
        source = source.spooled(list(filter(None, [truth, score, *known.by, roles.count])))
        head = source.head(HEAD)
    assert score is not None
    for name in filter(None, (score, roles.count)):
        if not head.columns[name].is_number:
            raise NotScanned(f"column {name!r} holds no numbers")
    facts = source.facts(
        (truth, score, *known.by, *filter(None, [roles.count])), score, roles.count
    )
    refuse_facts(source.name, facts, roles.count)
    classes = _distinct(source, truth, MOST_CLASSES)
    if len(classes) >= MOST_CLASSES:
        raise NotScanned("more than two classes")
    levels = {name: _distinct(source, name, MOST_NUMBERS) for name in known.by}
    few = _summary(source.name, facts, (truth, classes), score, levels)
    (template,) = build([few], known, models=[model], dialect=dialect)
    if template.task != "binary" or template.positive is None:
        raise NotScanned("it is not a problem of two classes")
    if bins is not None and not np.isfinite([facts.low, facts.high]).all():
        raise InputError(f"{argument('bins', bins)}: a score is infinite, and in no bin")
    refuse_threshold(template.threshold, bins)
    codes = template.truth[::2][: len(classes)]
    positive = tuple(
        value for value, code in zip(classes, codes, strict=True) if code == template.positive
    )
    keys = {name: Numbering.of(values) for name, values in levels.items()}
    slices = {
        column.name: keys[column.name].codes(values, column.codes[: len(values)])
        for column, values in zip(template.slices, levels.values(), strict=True)
    }
    columns = Columns(truth, positive, score, facts, roles.count, keys)
    rows = Scan(source, columns, facts.rows, facts.low, facts.high, slices, bins)
    if roles.count:
        stand = f"{plural(facts.lines, 'row')} stand for {facts.rows:,} (column {roles.count!r})"
        sheet.notes.append(stand)
    notes = tuple(dict.fromkeys((*sheet.notes, *template.notes)))
    hidden = tuple(_without_codes(column, facts.rows) for column in template.slices)
    template = replace(template, notes=notes, slices=hidden, bins=bins, source=source.name)
    return template, rows


def _refuse_roles(roles: Roles, head: RawTable) -> None:
    for role in NOT_KEPT:
        if getattr(roles, role):
            raise NotScanned(f"score counts keep no {role.replace('_', ' ')}")
    if roles.id:
        raise NotScanned("score counts keep no identifiers")
    if roles.score is None:
        raise NotScanned(f"the column of scores has to be named ({argument('score')})")
    telling = [name for name in TELLING if name in head.columns and name != roles.truth]
    if telling:
        raise NotScanned(f"column {telling[0]!r} may mark training rows")


def _distinct(source: Source, name: str, most: int) -> list[Any]:
    """The values of a column, at most so many, in an order that all sources share."""
    values = source.distinct(name, most)
    if not all(isinstance(value, str | int | float) for value in values):
        raise NotScanned(f"column {name!r} holds neither texts nor numbers")
    return sorted(values)


def _summary(
    source: str,
    facts: Facts,
    truth: tuple[str, list[Any]],
    score: str,
    levels: dict[str, list[Any]],
) -> RawTable:
    """A table with every class at the lowest and the highest score, and with every slice.

    A slice has ``FEW_ROWS`` rows, if there are as many: fewer would tell that it is an amount.
    """
    sizes = [len(values) * min(FEW_ROWS, facts.rows // len(values)) for values in levels.values()]
    count = max(2 * len(truth[1]), *sizes, 2)
    place = np.arange(count)
    ends = [facts.low, facts.high]
    each = [(*truth, place // 2), (score, ends, place), *((*own, place) for own in levels.items())]
    columns = {
        name: raw_column(name, [values[i] for i in (at % len(values)).tolist()])
        for name, values, at in each
    }
    return _Summary(columns, source, count)


class _Summary(RawTable):
    """A table whose rows stand for others, so that none is named."""

    def place(self, position: int) -> str:
        """How a message names a row."""
        return f"a row of {self.source}"


def _without_codes(column: Column, rows: int) -> Column:
    """A column of slices whose rows are known to the files alone."""

    def decode(_: Any) -> NDArray[Any]:
        raise InputError(
            f"column {column.name!r}: this needs the slice of every row, and files are scanned; "
            f"{argument('engine', 'memory')} reads them into memory"
        )

    codes: Any = DecodedColumn(rows, np.int64, decode)
    return replace(column, codes=codes)
