"""A table on its way to predictions: its roles, the rows that count, what was guessed."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from heldout.core.dialect import worded
from heldout.core.errors import InputError
from heldout.core.wording import plural
from heldout.predictions.dialects import with_own_roles
from heldout.predictions.roles import COLUMNS, assign
from heldout.predictions.scores import ScoreColumns
from heldout.predictions.table import Design
from heldout.tables.checks import (
    code_column,
    complete,
    finite,
    numbers,
    only_value,
    plain_values,
    weights,
)
from heldout.tables.table import Part

if TYPE_CHECKING:
    from heldout.core.arrays import Booleans, Floats, Integers
    from heldout.core.dialect import Dialect
    from heldout.predictions.options import Roles
    from heldout.tables.column import RawColumn
    from heldout.tables.table import RawTable

#: columns that tell, and what they say of training rows; ``heldout runs export`` writes both
TELLING = {"part": ("train", "training"), "procedure": ("training",)}
OPTIMISTIC = "every value is optimistic, and says nothing of new rows"
#: rows that counts may stand for
MOST_COUNTED = 100_000_000
#: rows looked at together for numbers with fractions
BLOCK = 1 << 15


@dataclass(slots=True, eq=False)
class Sheet:
    """What is known of one table so far."""

    part: Part
    roles: Roles
    model: str = ""
    notes: list[str] = field(default_factory=list)
    #: which of the notes says how the task was guessed
    task_note: int | None = None
    weight: Floats | None = None
    scores: ScoreColumns = field(default_factory=ScoreColumns)
    #: scores and training counts that come as arrays, not as columns
    matrix: Floats | None = None
    matrix_names: tuple[str, ...] | None = None
    counts: Floats | None = None
    #: rows that the split of each row tests, rows of weight 0 included
    tested: Integers | None = None

    @property
    def truth(self) -> str:
        """The name of the truth column."""
        assert self.roles.truth is not None
        return self.roles.truth

    @property
    def taken(self) -> set[str]:
        """The columns that have a role of their own."""
        roles = [getattr(self.roles, role.name) for role in COLUMNS]
        return {name for name in (*roles, self.roles.train_mean) if isinstance(name, str)}

    def common_fields(self) -> dict[str, Any]:
        """The fields of the predictions that are the same for every task."""
        part, roles = self.part, self.roles
        design: dict[str, Any] = {
            role: code_column(part, name, role)
            for role in ("fold", "repeat", "group")
            if (name := getattr(roles, role)) is not None
        }
        return {
            "weight": self.weight,
            "design": Design(_procedure_of(part, self.taken), **design, tested=self.tested),
            "model": self.model,
            "identifier": None if roles.id is None else plain_values(part, roles.id, "id"),
            "slices": tuple(code_column(part, name, "by") for name in roles.by),
            "target": "" if part.dialect == "arrays" else self.truth,
            "source": part.table.source,
        }


def prepare(table: RawTable, roles: Roles, *, dialect: Dialect = "flags", model: str = "") -> Sheet:
    """The table with its roles; rows of weight 0 leave no trace but a note."""
    if not table.rows:
        empty = "y_true is empty" if dialect == "arrays" else f"{table.source} has no rows"
        raise InputError(f"{empty}; give at least one prediction")
    part = Part(table, dialect)
    notes: list[str] = []
    if roles.count is not None and roles.id is not None:
        raise InputError(worded("equal rows have no identifiers: give {count} or {id}, not both"))
    if dialect != "arrays":
        # none is guessed either, for rows that counts stand for
        roles, notes = assign(part, roles if roles.count is None else replace(roles, id=""))
        roles = with_own_roles(part, roles, notes)
    sheet = Sheet(part, roles, model, notes)
    part = sheet.part = _without_training_rows(part, sheet.taken, notes, roles.model)
    if roles.count is not None:
        part = sheet.part = _repeated_rows(part, roles.count, notes)
    if roles.weight is not None:
        sheet.weight = weights(part, roles.weight)
        if np.count_nonzero(sheet.weight) < len(part):
            kept = np.flatnonzero(sheet.weight)
            tested = _test_sizes(part, roles)
            sheet.tested = None if tested is None else tested[kept]
            sheet.part, sheet.weight = part.take(kept), sheet.weight[kept]
            notes.append(f"{plural(len(part) - len(kept), 'row')} of weight 0 left out")
    complete(sheet.part, sheet.truth, "truth")
    if roles.predicted is not None:
        complete(sheet.part, roles.predicted, "prediction")
    return sheet


def _without_training_rows(
    part: Part, taken: set[str], notes: list[str], model: str | None = None
) -> Part:
    """The rows without those that were trained on; where there are no others, a note says so.

    A column with a role of its own (``taken``) means what that role says. ``model`` is the
    column of models, of which those without other rows are named.
    """
    for name, words in TELLING.items():
        if name not in part.table.columns or name in taken or part.dialect == "arrays":
            continue
        is_trained = _says(part, name, words)
        if is_trained is None or not is_trained.any():
            continue
        count = int(np.count_nonzero(is_trained))
        if count == len(part):
            notes.append(f"{part.called(name)}: all rows are training rows; {OPTIMISTIC}")
            continue
        kept = part.take(np.flatnonzero(~is_trained))
        rows = plural(count, "training row")
        notes.append(f"{rows} left out ({part.called(name)}): values with them are optimistic")
        if model is not None and (gone := _levels(part, model) - _levels(kept, model)):
            notes.append(f"only training rows, so left out: {', '.join(sorted(gone))}")
        part = kept
    return part


def _repeated_rows(part: Part, name: str, notes: list[str]) -> Part:
    """Each row as often as its count says; a row that stands for none is left out."""
    counts = numbers(part, name, "count")
    finite(part, name, counts, "count")
    is_odd = (counts < 0) | (counts != np.floor(counts))
    part.refuse(name, is_odd, "not a count", "a count is a whole number of rows, 0 or more")
    total = int(counts.sum())
    if not 0 < total <= MOST_COUNTED:
        raise InputError(
            f"{part.called(name)}: the counts add up to {total:,} rows; "
            f"1 to {MOST_COUNTED:,} can be held in memory"
        )
    notes.append(f"{plural(len(part), 'row')} stand for {total:,} ({part.called(name)})")
    return part.take(np.repeat(np.arange(len(part)), counts.astype(np.int64)))


def _levels(part: Part, name: str) -> set[str]:
    models = code_column(part, name, "model")
    return {str(models.levels[code]) for code in np.unique(models.codes).tolist()}


def _says(part: Part, name: str, words: tuple[str, ...]) -> Booleans | None:
    """Where a column of texts says one of some words; None where it holds no texts."""
    column = part.column(name)
    if not column.is_text:
        return None
    codes, levels = column.code()
    return np.array([*(str(level).strip().lower() in words for level in levels), False])[codes]


def _procedure_of(part: Part, taken: set[str]) -> str:
    """What the column ``procedure`` says of all rows; empty where there is none, or several.

    ``heldout evaluate --predictions`` writes it. It decides which intervals are valid.
    """
    if part.table.written.procedure:
        return part.table.written.procedure
    name = "procedure"
    is_there = name in part.table.columns and name not in taken
    return str(only_value(part, name) or "") if is_there and part.column(name).is_text else ""


def _test_sizes(part: Part, roles: Roles) -> Integers | None:
    """How many rows the split of each row tests; None where there is one, or a fold is missing."""
    if roles.fold is None and roles.repeat is None:
        return None
    codes = np.zeros(len(part), np.int64)
    for role in ("model", "repeat", "fold"):
        if (name := getattr(roles, role)) is not None:
            try:
                column = code_column(part, name, role)
            except InputError:  # of a row of weight 0, else it is said later
                return None
            _, codes = np.unique(codes * len(column.levels) + column.codes, return_inverse=True)
    return np.bincount(codes)[codes]


def task_of(sheet: Sheet) -> Literal["classification", "regression"]:
    """What the kinds of truth and prediction say of the task; a note says what was seen."""
    truth = sheet.part.column(sheet.truth)
    predicted = sheet.roles.predicted
    task: Literal["classification", "regression"] = "regression"
    name, what = sheet.truth, "numbers with fractions"
    if not _has_fractions(truth):
        if (
            predicted is not None
            and truth.is_number
            and _has_fractions(sheet.part.column(predicted))
            and _has_three_values(truth)
        ):
            name = predicted
        else:
            task = "classification"
            is_text = truth.kind == "text" or any(isinstance(level, str) for level in truth.levels)
            seen = {"category": "labels", "boolean": "truth values"}
            what = seen.get(truth.kind, "whole numbers, each taken as a class")
            what = "text" if is_text else what
    sheet.task_note = len(sheet.notes)
    sheet.notes.append(f"task: {task} (guessed: {sheet.part.called(name)} has {what})")
    return task


def _has_fractions(column: RawColumn) -> bool:
    if column.kind != "float":
        return False
    # a block at a time: the first fraction usually comes early, and nothing large is made
    blocks = (column.values[start : start + BLOCK] for start in range(0, len(column), BLOCK))
    return any(bool((block != np.floor(block)).any()) for block in blocks)


def _has_three_values(column: RawColumn) -> bool:
    values = column.values
    return bool(((values != values.min()) & (values != values.max())).any())
