"""Which column plays which role: as the reader says, and else by the usual names."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from heldout.core.errors import InputError
from heldout.core.nearest import did_you_mean
from heldout.core.wording import listed
from heldout.tables.labels import NUMBER

if TYPE_CHECKING:
    from collections.abc import Mapping

    from heldout.tables.column import Label
    from heldout.tables.table import Part

__all__ = ["Roles", "USUAL", "assign", "candidates", "usual"]


@dataclass(frozen=True, slots=True)
class Roles:
    """What the reader says of the columns; None is left to be guessed, or is absent.

    ``scores`` maps a class to its probability column, ``prior`` a class to its share
    (or says so as ``"spam=0.4,ham=0.6"``, as shares in the order of the classes, or as the
    share of the positive class of two), ``labels`` declares the classes in order,
    ``train_mean`` is a column or a number, ``normalise`` asks to divide probabilities by
    their sum. All others but ``positive``, ``threshold`` and ``task`` are names of columns.
    """

    truth: str | None = None
    predicted: str | None = None
    score: str | None = None
    score_prefix: str | None = None
    scores: Mapping[Label, str] | None = None
    train_count_prefix: str | None = None
    prior: Any = None
    positive: Label | None = None
    labels: tuple[Label, ...] | None = None
    weight: str | None = None
    group: str | None = None
    fold: str | None = None
    repeat: str | None = None
    model: str | None = None
    id: str | None = None
    by: tuple[str, ...] = ()
    threshold: float | None = None
    task: str | None = None
    naive: str | None = None
    train_mean: str | float | None = None
    normalise: bool = False

    @property
    def has_scores(self) -> bool:
        """Whether the reader named scores."""
        return not (self.score is None and self.score_prefix is None and self.scores is None)


#: the roles that are one column, in the order in which they are guessed
SINGLE = (
    "truth",
    "predicted",
    "score",
    "weight",
    "group",
    "fold",
    "repeat",
    "model",
    "id",
    "naive",
)

#: the roles that no column need play: an empty text, or "none", says that none does
NONE = ("weight", "group", "fold", "repeat", "model", "id")
NO_COLUMN = ("", "none")

#: usual names, without case and with every sign but letters and digits as "_"; groups are
#: never guessed, because a wrong guess would change every interval
USUAL = {
    "truth": (
        "y_true,truth,true,true_label,true_class,true_value,target,label,actual,actual_class,"
        "class,observed,obs,y,y_test,outcome,ground_truth,gold,gold_label,reference"
    ),
    "predicted": (
        "y_pred,predict,predicted,prediction,predictions,pred,response,yhat,y_hat,predicted_label,"
        "predicted_class,predicted_value,prediction_label,pred_label,pred_class,y_predicted,"
        "estimate,forecast"
    ),
    "score": (
        "y_score,score,scores,proba,probability,p,prob,y_proba,y_prob,p_hat,phat,"
        "predicted_probability,decision_function"
    ),
    # a column called weight may be a person's: only names that can mean nothing else are taken
    "weight": "sample_weight,case_weight",
    "fold": "fold,resample",
    "repeat": "repeat",
    "model": "model,classifier",
    "id": "id,row_id,row",
}

#: pairs of roles one column may play: leaving groups out makes a fold of each group
SHARED = {frozenset(("group", other)) for other in ("fold", "repeat", "id")}


def usual(name: str) -> str:
    """A column's name as the lists of usual names write it.

    Examples
    --------
    >>> usual("Y.True"), usual(".pred_class")
    ('y_true', 'pred_class')
    """
    return "".join(c if c.isalnum() else "_" for c in name.casefold()).strip("_")


def candidates(part: Part, role: str, taken: set[str]) -> list[str]:
    """The free columns whose name is usual for a role."""
    names = USUAL[role].split(",")
    return [name for name in part.table.columns if name not in taken and usual(name) in names]


def assign(part: Part, roles: Roles) -> tuple[Roles, list[str]]:
    """The roles with columns checked and usual names filled in, and a note for each guess.

    The scores stay open: which columns are probabilities depends on the classes. A role given
    as an empty text, or as "none" where no column has that name, is played by no column, and
    none is guessed for it.
    """
    columns = part.table.columns
    none = [r for r in NONE if (name := getattr(roles, r)) in NO_COLUMN and name not in columns]
    absent: dict[str, Any] = dict.fromkeys(none)
    roles = replace(roles, **absent)
    roles, notes = _as_written(part, roles, none)
    given = _given(part, roles)
    _refuse_clashes(part, given)
    # what is looked at by slice may be a fold as well
    taken = {name for _, name in given}
    sliced = taken - {name for role, name in given if role != "by"}
    for role in ("truth", "predicted", "weight", "fold", "repeat", "model", "id"):
        if getattr(roles, role) is not None or role in none:
            continue
        free = taken - sliced if role in ("fold", "repeat") else taken
        found = candidates(part, role, free)
        if len(found) > 1 and role == "id":
            # rows can be judged without names, so a doubtful one is left alone
            notes.append(
                f"id: {part.called(*found)} could each be it, so none is used "
                f"({part.flag('id')} says which)"
            )
            continue
        if len(found) > 1:
            raise InputError(
                f"{part.table.source}: {part.called(*found)} could each be the {role}; "
                f"say which, for example {part.flag(role, found[0])}"
            )
        if not found:
            notes += _sliced(part, role, free & sliced)
            continue
        if role == "predicted" and roles.threshold is not None:
            notes.append(f"predicted: column {found[0]!r} is not used, the threshold makes labels")
            continue
        guess: dict[str, Any] = {role: found[0]}
        roles = replace(roles, **guess)
        taken.add(found[0])
        notes.append(f"{role}: column {found[0]!r} (guessed by its name)")
    if roles.truth is None:
        sliced_truth = [line for line in notes if line.startswith("truth: ")]
        why = sliced_truth[0] if sliced_truth else "no column has a usual name for the truth"
        raise InputError(
            f"{part.table.source}: {why}; say which it is with {part.flag('truth')} "
            f"(columns: {listed(part.table.columns, most=20)})"
        )
    return roles, notes


def _as_written(part: Part, roles: Roles, none: list[str]) -> tuple[Roles, list[str]]:
    """The roles that the tool which wrote the table gives, where the reader is silent."""
    written = part.table.written
    taken = {name for role in SINGLE if (name := getattr(roles, role)) is not None}
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
    note = f"columns as {written.tool} writes them: {', '.join(shown)}"
    return replace(roles, **known), [note]


def _sliced(part: Part, role: str, sliced: set[str]) -> list[str]:
    """A note of a column that would be guessed for a role, were it not looked at by slice."""
    return [
        f"{role}: column {name!r} is given as {part.flag('by')}, so it is not guessed "
        f"(for both, say {part.flag(role, name)})"
        for name in candidates(part, role, set(part.table.columns) - sliced)
    ]


def _given(part: Part, roles: Roles) -> list[tuple[str, str]]:
    """The columns the reader named, each with its role; all of them exist."""
    given = [(role, getattr(roles, role)) for role in SINGLE if getattr(roles, role) is not None]
    given += [("by", name) for name in roles.by]
    given += [("scores", name) for name in (roles.scores or {}).values()]
    mean = roles.train_mean
    if isinstance(mean, str) and (mean in part.table.columns or not NUMBER.fullmatch(mean)):
        given.append(("train_mean", mean))
    if len(set((roles.scores or {}).values())) < len(roles.scores or {}):
        raise InputError(
            f"{part.flag('scores')} names one column for two classes: "
            f"{listed((roles.scores or {}).values())}"
        )
    for prefix in ("score_prefix", "train_count_prefix"):
        start = getattr(roles, prefix)
        if start is None:
            continue
        found = [(prefix, name) for name in part.table.columns if name.startswith(start)]
        if not found:
            raise InputError(
                f"{part.table.source}: no column starts with {start!r} ({part.flag(prefix)}); "
                f"columns: {listed(part.table.columns, most=20)}"
            )
        given += found
    for role, name in given:
        if name not in part.table.columns:
            raise InputError(
                f"{part.table.source}: no column {name!r} ({part.flag(role)})"
                f"{did_you_mean(name, part.table.columns)}\n"
                f"columns: {listed(part.table.columns, most=20)}"
            )
    return given


def _refuse_clashes(part: Part, given: list[tuple[str, str]]) -> None:
    """A column may be looked at by slice in any role, but otherwise plays just one."""
    owner: dict[str, str] = {}
    for role, name in given:
        # a prefix says which columns could fit, so a column that has a role of its own wins
        if role in ("by", "score_prefix", "train_count_prefix"):
            continue
        other = owner.setdefault(name, role)
        if other != role and frozenset((role, other)) not in SHARED:
            raise InputError(
                f"{part.table.source}: column {name!r} is given as both {part.flag(other)} and "
                f"{part.flag(role)}; it can play only one of the two"
            )
