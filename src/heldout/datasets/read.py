"""Data sets from files, named sets and data frames: the way in of the command line."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.core.errors import InputError
from heldout.core.options import values_of
from heldout.core.wording import listed, plural
from heldout.datasets.dataset import Dataset, columns_left_out, design_of, rows_of
from heldout.datasets.features import features_of, is_all_distinct, looks_like_id
from heldout.datasets.origin import origin_of
from heldout.datasets.quantities import mend
from heldout.datasets.target import target_of
from heldout.predictions.options import DataOptions
from heldout.tables.checks import code_column, plain_values
from heldout.tables.roles import refuse_clashes, refuse_unknown, roles_of, usual

if TYPE_CHECKING:
    from collections.abc import Sequence

    from heldout.core.arrays import Array, Integers
    from heldout.core.dialect import Dialect
    from heldout.datasets.origin import Origin
    from heldout.tables.table import Part


@dataclass(frozen=True, slots=True)
class Roles:
    """What the reader says of a data set, with the target and the ids found; and its features."""

    stated: DataOptions
    target: str
    features: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    #: columns that are no features by a guess, and why
    unused: dict[str, str] = field(default_factory=dict)


ROLES = roles_of(DataOptions)


def _assign(part: Part, stated: DataOptions, target: str | None) -> Roles:
    """The roles as given; the last free column is the target where none is named."""
    columns = part.table.columns
    given = ((role, getattr(stated, role)) for role in ("group", "time", "fold", "weight", "id"))
    named = [(role, name) for role, name in given if name is not None]
    named += [("ignore", name) for name in stated.ignore]
    named += [("target", target)] if target is not None else []
    refuse_unknown(part, named)
    refuse_clashes(part, named, ROLES)
    taken = {name for _, name in named}
    notes: list[str] = []
    if target is None:
        free = [name for name in columns if name not in taken]
        if not free:
            raise InputError(f"{part.table.source}: no column is left to be the target")
        target = free[-1]
        notes.append(
            f"target: column {target!r} (the last one; otherwise use {part.flag('target')})"
        )
        taken.add(target)
    rest = [name for name in columns if name not in taken]
    identifier = stated.id
    features: list[str] = []
    unused: dict[str, str] = {}
    for name in rest:
        if not looks_like_id(name) or not is_all_distinct(part.column(name)):
            features.append(name)
            continue
        is_guess = identifier is None and usual(name) in ROLES["id"].guesses
        identifier = name if is_guess else identifier
        why = "it identifies the rows" if is_guess else "it looks like an id (no value repeats)"
        unused[name] = why
        notes.append(f"column {name!r} is not used as a feature: {why}")
    if not features:
        raise InputError(
            f"{part.table.source}: no column is left to predict {part.called(target)} from"
        )
    stated = replace(stated, id=identifier)
    return Roles(stated, target, tuple(features), tuple(notes), unused)


def read_dataset(
    source: Any,
    *,
    needs_positive: bool | None = True,
    dialect: Dialect | None = None,
    **stated: Any,
) -> Dataset:
    """A data set with its columns typed and their roles known; the notes say what was guessed.

    Parameters
    ----------
    source
        A path (CSV, TSV, Parquet, Arrow, JSON Lines, ARFF), ``"-"`` for standard input, the
        name of a set (iris, wine, wdbc, digits, diabetes), or a data frame.
    needs_positive
        Whether one of two classes must be known as the positive one; for splits none need be.
        None: it is taken where the labels tell it, and else left open.
    dialect
        How the reader states roles, for messages; None: as flags, keywords for a data frame.
    stated
        What is said of its columns and classes: fields of ``DataOptions``.

    Examples
    --------
    >>> data = read_dataset("wdbc")
    >>> len(data), len(data.features), data.classes, data.classes[data.positive]
    (569, 30, ('malignant', 'benign'), 'malignant')
    """
    asked = DataOptions(**stated)
    origin = origin_of(source)
    if dialect is not None:
        origin = replace(origin, part=replace(origin.part, dialect=dialect))
    asked = replace(
        asked,
        ignore=_names(_name_list(asked.ignore), origin.part),
        by=_names(_name_list(asked.by), origin.part),
    )
    refuse_unknown(origin.part, [("by", name) for name in asked.by])
    target = origin.target if asked.target is None else str(asked.target)
    roles = _assign(origin.part, asked, target)
    looked_at = () if origin.is_declared else (*roles.features, roles.target)
    part, marks = mend(origin.part, looked_at, target=roles.target)
    part, kept, dropped = _complete(part, roles)
    positive, task, taken = asked.positive, asked.task, list[str]()
    if roles.target == origin.target:
        task = origin.task if task is None else task
        is_open = positive is None and asked.labels is None and task == "classification"
        if is_open and origin.positive:
            positive = origin.positive
            taken = [f"positive: {positive!r}"]
    answer = target_of(
        part,
        roles.target,
        task=task,
        positive=positive,
        labels=asked.labels,
        numeric=roles.target in origin.numeric,
        needs_positive=needs_positive,
    )
    _refuse_infinite(part, roles)
    usable = features_of(part, roles.features, nominal=origin.nominal)
    design = _design(part, roles.stated, origin, kept)
    name = roles.stated.id
    is_weighted = design["weight"] is not None
    return Dataset(
        name=origin.name,
        task=answer.task,
        truth=answer.truth,
        features=tuple(usable.features),
        target=roles.target,
        classes=answer.classes,
        positive=answer.positive,
        **design,
        identifier=None if name is None else _identifier(part, name),
        given=_features_of_frame(origin.frame, roles.features, kept),
        columns=tuple(part.column(name) for name in roles.features),
        source=part.table.source,
        notes=(
            *roles.notes,
            *marks,
            *dropped,
            *taken,
            *answer.notes,
            *usable.notes,
            *(["weight: counts in measures, not in fitting"] if is_weighted else []),
        ),
        slices=tuple(code_column(part, name, "by") for name in dict.fromkeys(asked.by)),
        left_out=columns_left_out(part, roles.unused | usable.unused, asked.ignore),
    )


def _name_list(names: Any) -> list[str]:
    """Names of columns as text: pandas numbers columns that were given none."""
    if names is None:
        return []
    is_single = isinstance(names, str) or not isinstance(names, Iterable)
    return [str(names)] if is_single else [str(name) for name in names]


def _names(texts: Sequence[str], part: Part) -> list[str]:
    """Names of columns, of which several may stand in one text, apart by commas."""
    known = part.table.columns
    apart = [[text] if text in known else text.split(",") for text in texts]
    return [name.strip() for names in apart for name in names if name.strip()]


def _complete(part: Part, roles: Roles) -> tuple[Part, Integers | None, list[str]]:
    """The rows that have a target (and a time), which these are, and notes if some have none."""
    gone = np.zeros(len(part), bool)
    notes: list[str] = []
    for role, name in (("target", roles.target), ("time", roles.stated.time)):
        missing = None if name is None else part.column(name).absent
        if name is None or missing is None:
            continue
        if missing.all():
            raise InputError(f"{part.table.source}: {part.called(name)}, the {role}, has no values")
        if not getattr(roles.stated, f"drop_missing_{role}"):
            flag = part.flag(f"drop_missing_{role}", None if part.dialect == "flags" else True)
            fix = f"fill it in, or leave these rows out with {flag}"
            part.refuse(name, missing, f"the {role} has no value", fix)
        gone |= missing
        count = plural(int(np.count_nonzero(missing)), "row")
        notes.append(f"{count} without a {role} left out (of {len(part):,})")
    if not gone.any():
        return part, None, []
    kept = np.flatnonzero(~gone)
    return part.take(kept), kept, notes


def _refuse_infinite(part: Part, roles: Roles) -> None:
    for name in roles.features:
        column = part.column(name)
        if column.kind == "float" and np.isinf(column.values).any():
            part.refuse(name, np.isinf(column.values), "infinite", "write finite numbers")


def _design(
    part: Part, stated: DataOptions, origin: Origin, kept: Integers | None
) -> dict[str, Any]:
    """What columns say of the rows; weights may be those of the file itself."""
    design = design_of(part, values_of(stated))
    if stated.weight is not None or origin.weight is None:
        return design
    bad = (origin.weight < 0) | ~np.isfinite(origin.weight)
    if bad.any():
        first = int(np.argmax(bad))
        raise InputError(
            f"the weight of {origin.part.place(first)} is {origin.weight[first]:g}; a weight is a "
            "finite number from 0"
        )
    return {**design, "weight": origin.weight if kept is None else origin.weight[kept]}


def _identifier(part: Part, name: str) -> Array:
    values = plain_values(part, name, "id")
    distinct, first, counts = np.unique(
        values.astype(str) if values.dtype == object else values,
        return_index=True,
        return_counts=True,
    )
    if len(distinct) < len(values):
        row = int(first[counts > 1].min())
        many = listed([values[row : row + 1].tolist()[0]])
        raise InputError(
            f"{part.called(name)}: the id {many} names more than one row (first: "
            f"{part.place(row)}); ids must differ, or say {part.flag('group', name)} if rows "
            "of one value depend on each other"
        )
    return values


def _features_of_frame(frame: Any, names: Sequence[str], kept: Integers | None) -> Any:
    """The features of a data frame, for the caller's own estimators."""
    if frame is None:
        return None
    columns = [name for name in frame.columns if str(name) in names]
    return frame[columns] if kept is None else rows_of(frame[columns], kept)
