"""Which column of a table of predictions plays which role: as the reader says, or as usual."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from heldout.core.errors import InputError
from heldout.core.wording import Guess, listed
from heldout.predictions.options import Roles
from heldout.tables.arguments import (
    label_of,
    labels_of,
    mapping_of,
    names_of,
    number_of,
    switch_of,
    text_of,
)
from heldout.tables.labels import NUMBER
from heldout.tables.roles import candidates, refuse_clashes, refuse_unknown, roles_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from heldout.tables.column import Label
    from heldout.tables.table import Part

#: says of a role that no column plays it, where none is called so
NO_COLUMN = ("", "none")


def _score_columns(argument: str, scores: Any) -> dict[Label, str] | None:
    what = "a mapping of classes to columns: {'spam': 'p_spam', 'ham': 'p_ham'}"
    columns = mapping_of(argument, scores, what)
    if columns is None:
        return None
    if not columns:
        raise InputError(f"scores= is empty; give {what}")
    by_label: dict[Label, str] = {}
    for label, name in columns.items():
        plain = label_of(argument, label)
        text = text_of(argument, name, what)
        if plain is None or text is None:
            raise InputError(f"scores=: {label!r} has no column; give {what}")
        by_label[plain] = text
    return by_label


def _train_mean(argument: str, value: Any) -> str | float | None:
    if isinstance(value, str):
        return value
    return number_of(argument, value, "the name of a column or a finite number")


START = "the start of the columns' names"
#: what is taken from Python for a role that is no single column
CHECKS: dict[str, Callable[[str, Any], Any]] = {
    "score_prefix": partial(text_of, what=START),
    "scores": _score_columns,
    "train_count_prefix": partial(text_of, what=START),
    "prior": lambda _, value: value,
    "positive": label_of,
    "labels": labels_of,
    "by": names_of,
    "threshold": number_of,
    "task": partial(text_of, what="'classification' or 'regression'"),
    "train_mean": _train_mean,
    "normalise": switch_of,
}


def checked(role: str, argument: str, value: Any) -> Any:
    """What Python gives for a role, or the error; messages call it by its ``argument``."""
    check = CHECKS.get(role, partial(text_of, what="the name of a column"))
    return check(argument, value)


ROLES = roles_of(Roles)
#: the roles that are one column, in the order in which they are guessed
COLUMNS = tuple(role for role in ROLES.values() if role.is_column)
#: the roles that any column may play beside another: slices; and prefixes, which say which
#: columns could fit, so that one with a role of its own wins
BESIDE = ("by", "score_prefix", "train_count_prefix")


def assign(part: Part, roles: Roles) -> tuple[Roles, list[str]]:
    """The roles with columns checked and usual names filled in, and a note for each guess.

    The scores stay open: which columns are probabilities depends on the classes. A role given
    as an empty text, or as "none" where no column has that name, is played by no column, and
    none is guessed for it.
    """
    columns = part.table.columns
    none = [
        role.name
        for role in COLUMNS
        if role.is_optional
        and (name := getattr(roles, role.name)) in NO_COLUMN
        and name not in columns
    ]
    absent: dict[str, Any] = dict.fromkeys(none)
    roles = replace(roles, **absent)
    roles, notes = _as_written(part, roles, none)
    named = _columns_named(part, roles)
    refuse_unknown(part, named)
    refuse_clashes(part, [pair for pair in named if pair[0] not in BESIDE], ROLES)
    # what is looked at by slice may be a fold as well
    taken = {name for _, name in named}
    sliced = taken - {name for role, name in named if role != "by"}
    why_no_truth = "no column has a usual name for the truth"
    for role in COLUMNS:
        # which columns are scores depends on the classes, and is asked later
        if role.name == "score" or getattr(roles, role.name) is not None or role.name in none:
            continue
        used = taken - sliced if role.name in ("fold", "repeat") else taken
        names = candidates(part, role, used)
        if len(names) > 1 and role.name == "id":
            # rows can be judged without names, so a doubtful one is left alone
            notes.append(
                f"id: {part.called(*names)} could each be it, so none is used "
                f"({part.flag('id')} says which)"
            )
        elif len(names) > 1:
            raise InputError(
                f"{part.table.source}: {part.called(*names)} could each be the {role.name}; "
                f"say which, for example {part.flag(role.name, names[0])}"
            )
        elif not names:
            reasons = [
                f"{role.name}: column {name!r} is given as {part.flag('by')}, so it is not "
                f"guessed (for both, say {part.flag(role.name, name)})"
                for name in candidates(part, role, columns.keys() - (used & sliced))
            ]
            notes += reasons
            if role.name == "truth":
                why_no_truth = (*reasons, why_no_truth)[0]
        elif role.name == "predicted" and roles.threshold is not None:
            notes.append(f"predicted: column {names[0]!r} is not used, the threshold makes labels")
        else:
            guess: dict[str, Any] = {role.name: names[0]}
            roles = replace(roles, **guess)
            taken.add(names[0])
            notes.append(Guess(role.name, names[0]))
    if roles.truth is None:
        raise InputError(
            f"{part.table.source}: {why_no_truth}; say which it is with {part.flag('truth')} "
            f"(columns: {listed(part.table.columns, most=20)})"
        )
    return roles, notes


def _as_written(part: Part, roles: Roles, none: list[str]) -> tuple[Roles, list[str]]:
    """The roles that the tool which wrote the table gives, where the reader is silent."""
    written = part.table.written
    taken = {name for role in COLUMNS if (name := getattr(roles, role.name)) is not None}
    known = {
        role: name
        for role, name in written.roles.items()
        if getattr(roles, role) is None and role not in none and str(name) not in taken
    }
    if roles.has_scores:
        known.pop("scores", None)
    if roles.threshold is not None:
        known.pop("predicted", None)
    if not known:
        return roles, []
    shown = [f"{role} {name!r}" for role, name in known.items() if role != "scores"]
    shown += ["a probability for each class"] if "scores" in known else []
    shown += [f"procedure {written.procedure!r}"] if written.procedure else []
    note = f"columns as {written.tool} writes them: {', '.join(shown)}"
    return replace(roles, **known), [note]


def _columns_named(part: Part, roles: Roles) -> list[tuple[str, str]]:
    """The columns the reader named, each with its role."""
    columns, scores = part.table.columns, list((roles.scores or {}).values())
    single = [(role.name, getattr(roles, role.name)) for role in COLUMNS]
    named = [(role, name) for role, name in single if name is not None]
    named += [("by", name) for name in roles.by]
    named += [("scores", name) for name in scores]
    mean = roles.train_mean
    if isinstance(mean, str) and (mean in columns or not NUMBER.fullmatch(mean)):
        named.append(("train_mean", mean))
    if len(set(scores)) < len(scores):
        raise InputError(
            f"{part.flag('scores')} names one column for two classes: {listed(scores)}"
        )
    for prefix in ("score_prefix", "train_count_prefix"):
        start = getattr(roles, prefix)
        if start is None:
            continue
        starting = [(prefix, name) for name in columns if name.startswith(start)]
        if not starting:
            raise InputError(
                f"{part.table.source}: no column starts with {start!r} ({part.flag(prefix)}); "
                f"columns: {listed(columns, most=20)}"
            )
        named += starting
    return named
