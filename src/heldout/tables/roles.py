"""Roles of columns, each declared once: how it is given, checked, guessed and shared."""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from heldout.core.errors import InputError
from heldout.core.nearest import did_you_mean
from heldout.core.options import option
from heldout.core.wording import listed

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence, Set

    from heldout.tables.table import Part


@dataclass(frozen=True, slots=True)
class Role:
    """What a column is for, or what the reader says of columns."""

    name: str
    #: whether one column plays it
    is_column: bool = False
    #: usual names of its column, as :func:`usual` writes them
    guesses: tuple[str, ...] = ()
    #: whether an empty text, or "none", says that no column plays it
    is_optional: bool = False
    #: the roles that its column may play as well
    shares: tuple[str, ...] = ()


def column(
    spec: str,
    help: str,
    *,
    guesses: str = "",
    is_optional: bool = False,
    shares: tuple[str, ...] = (),
    **known: Any,
) -> Any:
    """An option that names the one column of a role; a role that is none is a plain option."""
    names = tuple(guesses.split(",")) if guesses else ()
    declared = option(spec, help, **known)
    role = Role("", True, names, is_optional, shares)
    return field(default=declared.default, metadata={**declared.metadata, "role": role})


def roles_of(declaration: type) -> dict[str, Role]:
    """The roles that the fields of a class declare, by name and in order."""
    return {
        declared.name: replace(declared.metadata.get("role", Role("")), name=declared.name)
        for declared in fields(declaration)
    }


@lru_cache(maxsize=2**16)  # each role asks it of each column
def usual(name: str) -> str:
    """A column's name as the lists of usual names write it.

    Without case, and with every sign but letters and digits as "_".

    Examples
    --------
    >>> usual("Y.True"), usual(".pred_class")
    ('y_true', 'pred_class')
    """
    return "".join(c if c.isalnum() else "_" for c in name.casefold()).strip("_")


def candidates(part: Part, role: Role, taken: Set[str]) -> list[str]:
    """The free columns whose name is usual for a role."""
    columns = part.table.columns
    return [name for name in columns if name not in taken and usual(name) in role.guesses]


def refuse_unknown(part: Part, named: Sequence[tuple[str, str]]) -> None:
    """An error for the first role whose column is not there."""
    columns = part.table.columns
    for role, name in named:
        if name not in columns:
            raise InputError(
                f"{part.table.source}: no column {name!r} ({part.flag(role)})"
                f"{did_you_mean(name, columns)}\ncolumns: {listed(columns, most=20)}"
            )


def refuse_of_other_task(part: Part, task: str, values: Mapping[str, Any]) -> None:
    """An error for the first role that is given and belongs to the other task."""
    other = "classification" if task == "regression" else "regression"
    for role, value in values.items():
        if value is not None and value is not False:
            raise InputError(
                f"{part.flag(role)} is for {other}, and the task is {task}; leave it out or say "
                f"{part.flag('task', other)}"
            )


def refuse_clashes(part: Part, named: Sequence[tuple[str, str]], roles: Mapping[str, Role]) -> None:
    """An error for the first column with two roles that do not share one."""
    shared = {frozenset((role.name, other)) for role in roles.values() for other in role.shares}
    owner: dict[str, str] = {}
    for role, name in named:
        other = owner.setdefault(name, role)
        if other != role and frozenset((role, other)) not in shared:
            raise InputError(
                f"{part.table.source}: column {name!r} is given as both {part.flag(other)} and "
                f"{part.flag(role)}; it can play only one of the two"
            )
