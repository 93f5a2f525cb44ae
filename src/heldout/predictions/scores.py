"""Which columns are scores of which class: as the reader says, or by usual names."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from heldout.core.errors import InputError
from heldout.core.wording import Guess, listed, plural
from heldout.predictions.probabilities import ROUNDING
from heldout.predictions.roles import ROLES
from heldout.tables.checks import first_no_number, merging_rows, numbers
from heldout.tables.labels import in_family
from heldout.tables.roles import candidates

if TYPE_CHECKING:
    from heldout.core.arrays import Floats
    from heldout.predictions.classes import Classes
    from heldout.predictions.options import Roles
    from heldout.predictions.sheet import Sheet
    from heldout.tables.column import Label
    from heldout.tables.table import Part

MERGED = "whole numbers too large to be distinguished as floats"
FIX = "subtract the same number from all scores, or give their ranks"
#: what usually stands before a class in the name of its probability column
PREFIXES = tuple(
    word + sign
    for word in ("p", "prob", "proba", "probability", "score", "y_score", "y_proba", ".pred")
    for sign in "_.- "
)
NUMBERED = re.compile(r"[pP]\d+")


@dataclass(frozen=True, slots=True)
class ScoreColumns:
    """The score of the positive class, or a probability column for each class, or neither."""

    single: str | None = None
    by_class: dict[Label, str] = field(default_factory=dict)
    note: str = ""

    def __bool__(self) -> bool:
        return self.single is not None or bool(self.by_class)


def find_scores(part: Part, roles: Roles, classes: Classes, taken: set[str]) -> ScoreColumns:
    """The score columns as the reader says, else by usual names; labels as classes."""
    ways = [way for way in ("score", "score_prefix", "scores") if getattr(roles, way) is not None]
    if len(ways) > 1:
        both = " and ".join(part.flag(way) for way in ways)
        raise InputError(f"{both} both name scores; give one of them")
    if roles.score is not None:
        return ScoreColumns(roles.score)
    if roles.scores is not None:
        return ScoreColumns(None, _columns_by_class(part, dict(roles.scores), classes, roles))
    if roles.score_prefix is not None:
        written = by_prefix(part, roles.score_prefix, taken)
        return ScoreColumns(None, _columns_by_class(part, written, classes, roles))
    return _guess(part, roles, classes, taken)


def by_prefix(part: Part, prefix: str, taken: set[str]) -> dict[Label, str]:
    """The free columns that start with a prefix, by what follows it."""
    return {
        name[len(prefix) :]: name
        for name in part.table.columns
        if name.startswith(prefix) and name != prefix and name not in taken
    }


def _columns_by_class(
    part: Part, written: dict[Label, str], classes: Classes, roles: Roles
) -> dict[Label, str]:
    """Columns by class; a label that no row has is a class too, unless classes are declared."""
    known: dict[Label, str] = {}
    for label, name in written.items():
        read = classes.read(label)
        if read is None or (read not in classes.labels and roles.labels is not None):
            raise InputError(
                f"{part.table.source}: column {name!r} is a probability of class {label!r}, which "
                f"is none of the labels ({listed(classes.labels)}); name the probability columns "
                f"in another way or the class in {part.flag('labels')}"
            )
        if read in known:
            raise InputError(
                f"{part.table.source}: {part.called(known[read], name)} are both probabilities of "
                f"class {read!r}; keep one"
            )
        known[read] = name
    for label in classes.labels:
        if label not in known:
            raise InputError(
                f"{part.table.source}: no probability column for class {label!r} (found "
                f"{part.called(*known.values())}); {_fix(part, label, classes, roles)}"
            )
    return known


def _fix(part: Part, label: Label, classes: Classes, roles: Roles) -> str:
    """What to do where a class has no probability column."""
    if len(classes) == 2:
        return f"a score of the positive class alone goes to {part.flag('score')}"
    if roles.scores is not None:
        return f"name its column in {part.flag('scores')}"
    name = f"{roles.score_prefix or ''}{label}"
    return f"add a column {name!r}"


def _guess(part: Part, roles: Roles, classes: Classes, taken: set[str]) -> ScoreColumns:
    """Probability columns that fit the classes, or one column with a usual name for scores."""
    free = [
        name
        for name, column in part.table.columns.items()
        if name not in taken and column.is_number
    ]
    sets = _probability_sets(part, free, classes, roles)
    single = [name for name in candidates(part, ROLES["score"], taken) if name in free]
    if len(classes) > 2:
        # one score ranks two classes, not several
        single = []
    if len(sets) + len(single) > 1:
        score_columns = [name for columns in sets for name in columns.values()] + single
        raise InputError(
            f"{part.table.source}: {part.called(*score_columns)} could each be the scores; say "
            f"which, with {part.flag('score')} or {part.flag('score_prefix')}"
        )
    if single:
        return ScoreColumns(single[0], {}, Guess("score", single[0]))
    if not sets:
        return ScoreColumns(note=_incomplete(part, free, classes))
    # what is called a score may be any number
    is_score = all("score" in name.casefold() for name in sets[0].values())
    what = "scores" if is_score else "probabilities"
    return ScoreColumns(None, sets[0], Guess(what, *sorted(sets[0].values())))


def _by_start(free: list[str]) -> dict[str, dict[Label, str]]:
    """The columns that start as those of probabilities usually do, by that start."""
    families: dict[str, dict[Label, str]] = {}
    for name in free:
        if NUMBERED.fullmatch(name):  # p0, p1 of a class that is a number
            families.setdefault(name[0], {})[name[1:]] = name
        for prefix in PREFIXES:
            if name.casefold().startswith(prefix) and len(name) > len(prefix):
                start = name[: len(prefix)]
                families.setdefault(start, {})[name[len(prefix) :]] = name
    return families


def _incomplete(part: Part, free: list[str], classes: Classes) -> str:
    """A note on columns that are probabilities of several classes, but not of all."""
    if len(classes) < 3:
        return ""
    for start, written in _by_start(free).items():
        having = [name for label, name in written.items() if classes.find(label) is not None]
        positions = {classes.find(label) for label in written}
        lacking = [label for i, label in enumerate(classes.labels) if i not in positions]
        if len(having) > 1 and lacking:
            whose = f"class {lacking[0]!r} has" if len(lacking) == 1 else ""
            whose = whose or f"classes {listed(lacking)} have"
            return (
                f"probabilities: {part.called(*having)} are not used, because {whose} no such "
                f"column; add {f'{start}{lacking[0]}'!r}"
            )
    return ""


def _probability_sets(
    part: Part, free: list[str], classes: Classes, roles: Roles
) -> list[dict[Label, str]]:
    """Every set of columns, by a usual prefix or named like the classes, that has each class."""
    families = _by_start(free)
    if len(classes) > 1:
        families[""] = {name: name for name in free if classes.find(name) is not None}
    sets = []
    for start, written in families.items():
        fitting = {
            label: name for label, name in written.items() if classes.find(label) is not None
        }
        others = {
            label: name
            for label, name in written.items()
            if label not in fitting and in_family(label, classes.family) is not None
        }
        if len({classes.find(label) for label in fitting}) < len(classes):
            continue
        if len(start) < 2 and not _sum_to_one(part, fitting):
            # without a prefix to say so, columns named like classes may be anything
            continue
        if others and roles.labels is None:
            # a class that no row has makes the sums complete; a stranger with the prefix does not
            if not _sum_to_one(part, fitting | others):
                raise InputError(
                    f"{part.table.source}: {part.called(*fitting.values())} fit the classes and "
                    f"{part.called(*others.values())} not; say which are probabilities, with "
                    f"{part.flag('labels')} or {part.flag('score_prefix', start)}"
                )
            fitting = {label: written[label] for label in (*fitting, *others)}
        if len(fitting) > 1:
            sets.append(_columns_by_class(part, fitting, classes, roles))
    return sets


def _sum_to_one(part: Part, columns: dict[Label, str]) -> bool:
    """Whether the columns look like the probabilities of all classes."""
    total = np.zeros(len(part))
    with np.errstate(invalid="ignore"):  # infinite decision values of both signs
        for name in columns.values():
            total += numbers(part, name, "score")
    return bool(np.abs(total - 1).max() <= ROUNDING)


def score_of(part: Part, label: Label, taken: set[str]) -> ScoreColumns:
    """A single column named after the positive class: ``p_1``, ``prob_spam``."""
    ends = {prefix + str(label).casefold() for prefix in PREFIXES}
    names = [
        name
        for name, column in part.table.columns.items()
        if name not in taken and name.casefold() in ends and column.is_number
    ]
    if len(names) > 1:
        raise InputError(
            f"{part.table.source}: {part.called(*names)} could each be the score; say which, for "
            f"example {part.flag('score', names[0])}"
        )
    if not names:
        return ScoreColumns()
    return ScoreColumns(names[0], {}, Guess("score", names[0]))


def slip_in_scores(part: Part, classes: Classes, taken: set[str]) -> str:
    """The first slip in a column that is called like scores and holds numbers but for it.

    Such a column reads as texts, and so it is not taken for scores.
    """
    texts = [
        name for name, column in part.table.columns.items() if name not in taken and column.is_text
    ]
    named = [name for name in candidates(part, ROLES["score"], taken) if name in texts]
    for written in _by_start(texts).values():
        named += [name for label, name in written.items() if classes.find(label) is not None]
    slips = (first_no_number(part, name) for name in named)
    return next(filter(None, slips), "")


def _refuse_merged(part: Part, name: str) -> None:
    """An error where a column of scores holds different whole numbers that make one float."""
    bad = merging_rows(part.column(name))
    if bad is not None:
        part.refuse(name, bad, MERGED, FIX)


def score_values(part: Part, columns: ScoreColumns, classes: Classes) -> Floats:
    """The scores as floats: of the positive class, or one column for each class in order."""
    if columns.single is not None:
        values = numbers(part, columns.single, "score")
        _refuse_merged(part, columns.single)
        return values
    names = [columns.by_class[label] for label in classes.labels]
    values = np.empty((len(part), len(names)))
    for i, name in enumerate(names):
        values[:, i] = numbers(part, name, "score")
        _refuse_merged(part, name)
    return values


def wide_scores(sheet: Sheet, scores: Floats, classes: Classes) -> tuple[tuple[str, ...], Floats]:
    """The scores of the kept rows, a column for each class in order, and what these are called."""
    width = scores.shape[1]
    if sheet.part.rows is not None:
        scores = scores[sheet.part.rows]
    if width == 1:
        return ("y_score",), scores[:, 0]
    order = [classes.find(name) for name in sheet.matrix_names or ()]
    if sorted(position for position in order if position is not None) == list(range(width)):
        # a data frame whose columns are named after the classes
        scores = scores[:, np.argsort(np.array(order, np.int64))]
    else:
        refuse_unclear_order(sheet, classes, "the columns of y_score")
    return tuple(f"y_score[:, {i}]" for i in range(width)), scores


def refuse_width(scores: Floats, classes: Classes) -> None:
    """There is a column for each class, or one for the positive of two."""
    width = scores.shape[1]
    if width != len(classes) and not (width == 1 and len(classes) == 2):
        raise InputError(
            f"y_score has {plural(width, 'column')}, and there {are_classes(classes)}; "
            "give labels= in the order of the columns"
        )


def are_classes(classes: Classes) -> str:
    """How many classes there are, and which, after "there"."""
    count = "is 1 class" if len(classes) == 1 else f"are {len(classes):,} classes"
    return f"{count} ({listed(classes.labels, most=5)})"


def refuse_unclear_order(sheet: Sheet, classes: Classes, argument: str) -> None:
    """A category may declare another order than the sorted one that fitted models use."""
    in_order = list(classes.labels) == sorted(classes.labels)
    category = sheet.part.table.columns[sheet.truth].kind == "category"
    if category and not in_order and sheet.roles.labels is None:
        raise InputError(
            f"the classes of {sheet.truth} have an order of their own "
            f"({listed(classes.labels, most=5)}), so that of {argument} is not clear; "
            "give labels= in its order"
        )
