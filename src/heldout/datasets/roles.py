"""Which column of a data set is the target, which have other roles, which are features."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from heldout.core.errors import InputError
from heldout.core.nearest import did_you_mean
from heldout.datasets.features import NUMBERING, is_all_distinct, looks_like_id
from heldout.predictions.part import listed
from heldout.predictions.roles import usual

if TYPE_CHECKING:
    from collections.abc import Sequence

    from heldout.predictions.part import Part

__all__ = ["Roles", "assigned", "refuse_unknown"]

#: one column may be both
SHARED = {frozenset(("group", "id")), frozenset(("group", "fold")), frozenset(("time", "id"))}


@dataclass(frozen=True, slots=True)
class Roles:
    """The columns of a data set by what they are for."""

    target: str
    features: tuple[str, ...]
    group: str | None
    time: str | None
    fold: str | None
    weight: str | None
    id: str | None
    notes: tuple[str, ...]
    #: columns that are no features by a guess, and why
    unused: dict[str, str]


def assigned(
    part: Part,
    *,
    target: str | None,
    ignore: Sequence[str],
    given: dict[str, str | None],
) -> Roles:
    """The roles as given; the last free column is the target where none is named."""
    columns = part.table.columns
    named = [(role, name) for role, name in given.items() if name is not None]
    named += [("ignore", name) for name in ignore]
    named += [("target", target)] if target is not None else []
    refuse_unknown(part, named)
    _refuse_clashes(part, named)
    taken = {name for _, name in named}
    notes: list[str] = []
    if target is None:
        free = [name for name in columns if name not in taken]
        if not free:
            raise InputError(f"{part.table.source}: no column is left to be the target")
        target = free[-1]
        notes.append(f"target: column {target!r} (the last one; else say {part.flag('target')})")
        taken.add(target)
    rest = [name for name in columns if name not in taken]
    identifier = given.get("id")
    features: list[str] = []
    unused: dict[str, str] = {}
    for name in rest:
        if not looks_like_id(name) or not is_all_distinct(part.column(name)):
            features.append(name)
            continue
        is_guess = identifier is None and usual(name) in NUMBERING
        identifier = name if is_guess else identifier
        why = "it names the rows" if is_guess else "it looks like an id, and no value repeats"
        unused[name] = why
        notes.append(f"column {name!r} is no feature: {why}")
    if not features:
        raise InputError(
            f"{part.table.source}: no column is left to predict {part.called(target)} from"
        )
    return Roles(
        target=target,
        features=tuple(features),
        group=given.get("group"),
        time=given.get("time"),
        fold=given.get("fold"),
        weight=given.get("weight"),
        id=identifier,
        notes=tuple(notes),
        unused=unused,
    )


def refuse_unknown(part: Part, named: Sequence[tuple[str, str]]) -> None:
    """An error for the first role whose column is not there."""
    columns = part.table.columns
    for role, name in named:
        if name not in columns:
            raise InputError(
                f"{part.table.source}: no column {name!r} ({part.flag(role)})"
                f"{did_you_mean(name, columns)}\ncolumns: {listed(columns, most=20)}"
            )


def _refuse_clashes(part: Part, named: list[tuple[str, str]]) -> None:
    owner: dict[str, str] = {}
    for role, name in named:
        other = owner.setdefault(name, role)
        if other != role and frozenset((role, other)) not in SHARED:
            raise InputError(
                f"{part.table.source}: column {name!r} is given as both {part.flag(other)} and "
                f"{part.flag(role)}; it can play only one of the two"
            )
