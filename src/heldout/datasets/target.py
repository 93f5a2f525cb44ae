"""The target of a data set: which task it makes, its classes, and the positive one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from heldout.core.errors import InputError
from heldout.core.nearest import did_you_mean
from heldout.core.wording import listed
from heldout.predictions.classes import positive_of, unify
from heldout.predictions.labels import LabelColumn
from heldout.tables.checks import finite, numbers
from heldout.tables.labels import plain_label, plain_labels
from heldout.tables.roles import refuse_of_other_task

if TYPE_CHECKING:
    from heldout.core.arrays import Array
    from heldout.predictions.table import Task
    from heldout.tables.column import Label, RawColumn
    from heldout.tables.table import Part

Kind = Literal["classification", "regression"]
#: whole numbers with more distinct values than this are quantities, not classes
MOST_CLASSES = 20


@dataclass(frozen=True, slots=True, eq=False)
class Target:
    """The target, complete in every row: codes into classes, or floats."""

    task: Task
    truth: Array
    classes: tuple[Label, ...] = ()
    positive: int | None = None
    notes: tuple[str, ...] = ()


def target_of(
    part: Part,
    name: str,
    *,
    task: str | None = None,
    positive: Any = None,
    labels: Any = None,
    numeric: bool = False,
    needs_positive: bool | None = True,
) -> Target:
    """The target in a column without missing values.

    Parameters
    ----------
    task
        ``classification`` or ``regression``; guessed from the values where None.
    numeric
        Whether the source itself declares the column a quantity (ARFF does).
    needs_positive
        Whether it matters which of two classes is positive; for splits it does not. None: it
        is taken where the labels tell it (0 and 1), and else left open.
    """
    positive = None if positive is None else plain_label(positive)
    labels = None if labels is None else plain_labels(labels)
    notes: list[str] = []
    if held := part.column(name).held:
        what = "durations" if held == "durations" else "lists or mappings"
        fix = f", or name another column: {part.flag('target')}"
        other = "" if part.dialect == "arrays" else fix
        raise InputError(
            f"{part.table.source}: {part.called(name)}, the target, holds {what}; give numbers or "
            f"labels{other}"
        )
    kind = _task(part, name, task, notes, numeric=numeric and labels is None and positive is None)
    if kind == "regression":
        refuse_of_other_task(part, "regression", {"positive": positive, "labels": labels})
        values = numbers(part, name, "target of a regression")
        finite(part, name, values, "target")
        return Target("regression", values, notes=tuple(notes))
    _refuse_fractions(part, name)
    column = LabelColumn.of(part, name)
    if labels is None and len(column.occurring) == 2 < len(column.declared):
        labels, note = _two_of_more(column)
        notes.append(note)
    classes, more = unify([column], labels)
    notes += more
    if len(column.occurring) < 2:
        raise InputError(
            f"{column.called}: all {len(part):,} rows have the label {column.occurring[0]!r}; "
            "a target needs two classes or more"
        )
    position = None
    if needs_positive is not False or positive is not None:
        position, note = positive_of(
            classes, positive, column, None, is_needed=bool(needs_positive)
        )
        notes += [note] if note else []
    return Target(
        "binary" if len(classes) == 2 else "multiclass",
        classes.code(column),
        classes.labels,
        position,
        tuple(notes),
    )


def _two_of_more(column: LabelColumn) -> tuple[list[Label], str]:
    """The two classes that rows have, of more that the source declares, and a note.

    Without rows a class can be neither learnt nor judged, and the problem is one of two.
    """
    kept = [label for label in column.declared if label in column.occurring]
    unused = [label for label in column.declared if label not in column.occurring]
    in_flags = column.part.dialect == "flags"
    every = ",".join(map(str, column.declared)) if in_flags else list(column.declared)
    note = (
        f"classes without rows: {listed(unused)} (levels of {column.called}), so there are two "
        f"classes (to keep all: {column.part.flag('labels', every)})"
    )
    return kept, note


def _task(part: Part, name: str, asked: str | None, notes: list[str], *, numeric: bool) -> Kind:
    """The task that is asked for, or that the values look like, with a note."""
    if asked is not None:
        known: tuple[Kind, ...] = ("classification", "regression")
        task = next((kind for kind in known if kind == asked), None)
        if task is None:
            raise InputError(
                f"{part.flag('task', asked)}: the task is classification or regression"
                f"{did_you_mean(asked, known)}"
            )
        return task
    column = part.column(name)
    called = part.called(name)
    if not column.is_number:
        return "classification"
    if numeric:
        notes.append(f"task: regression (the file declares {called} numeric)")
        return "regression"
    if column.kind == "float" and bool((column.values != np.floor(column.values)).any()):
        notes.append(f"task: regression (guessed: {called} has numbers with fractions)")
        return "regression"
    distinct = len(np.unique(column.values))
    is_class = distinct <= 2 or (distinct <= MOST_CLASSES and 2 * distinct <= len(column))
    kinds: tuple[Kind, Kind] = ("classification", "regression")
    kind, other = kinds if is_class else kinds[::-1]
    notes.append(
        f"task: {kind} (guessed: {called} has {distinct:,} distinct "
        f"{'whole ' * is_class}numbers; otherwise use {part.flag('task', other)})"
    )
    return kind


def _refuse_fractions(part: Part, name: str) -> None:
    column: RawColumn = part.column(name)
    if column.kind != "float":
        return
    bad = column.values != np.floor(column.values)
    examples = listed(column.values[bad][:3].tolist())
    part.refuse(
        name,
        bad,
        f"numbers with fractions ({examples}), which are not classes,",
        f"say {part.flag('task', 'regression')}",
    )
