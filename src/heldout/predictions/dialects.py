"""Tables as other tools and heldout itself write them: which columns tell, and what they are."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from math import nan
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.core.wording import Guess
from heldout.tables.checks import only_value
from heldout.tables.column import RawColumn
from heldout.tables.frames import raw_column
from heldout.tables.labels import number_or_none
from heldout.tables.table import Written

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from heldout.core.arrays import Floats
    from heldout.predictions.options import Roles
    from heldout.tables.table import Part, RawTable


@dataclass(frozen=True, slots=True)
class Tool:
    """How a tool writes its predictions."""

    name: str
    #: the columns that tell it, all of them
    columns: tuple[str, ...]
    #: which column plays which role, where the table has it
    roles: Mapping[str, str]
    #: what is taken off the labels of truth and prediction
    label: str = ""
    #: a column whose values name fold and repeat, as groups of a pattern
    split: tuple[str, str] = ("", "")
    #: what such a value is where it names a bootstrap sample and no fold
    samples: str = ""
    #: whether columns that are left and repeat their values are settings of the model, but these
    has_settings: bool = False
    no_settings: tuple[str, ...] = ()
    #: a column of numbers that start again with each fold
    restarts: str = ""
    #: the first of the columns of probabilities, in the order of the numbers before the labels
    distribution: str = ""
    #: the probability of the predicted class, which of two classes says all
    certainty: str = ""
    #: the truth has the name that the data give it: the only column left without a dot before it
    truth_is_left: bool = False


TIDY = {"predicted": ".pred_class", "id": ".row", "model": ".config"}
NUMBERS = {**TIDY, "predicted": ".pred"}
TOOLS = (
    *(
        Tool(
            "tidymodels",
            (roles["predicted"], *design.values()),
            roles | design,
            samples=r"Bootstrap\d+",
            truth_is_left=True,
        )
        for roles in (TIDY, NUMBERS)
        for design in ({"repeat": "id", "fold": "id2"}, {"fold": "id"}, {})
    ),
    Tool(
        "mlr3",
        ("row_ids", "truth", "response"),
        {
            "truth": "truth",
            "predicted": "response",
            "id": "row_ids",
            "fold": "iteration",
            "model": "learner_id",
        },
    ),
    Tool(
        "caret",
        ("pred", "obs", "rowIndex"),
        {"truth": "obs", "predicted": "pred", "id": "rowIndex", "fold": "Resample"},
        split=("Resample", r"(?P<fold>.+)\.(?P<repeat>Rep\d+)"),
        has_settings=True,
        no_settings=("Resample", "weights"),
    ),
    Tool(
        "Weka",
        ("inst#", "actual", "predicted", "error"),
        {"truth": "actual", "predicted": "predicted", "id": "inst#"},
        label=r"^(\d+):'?|'$",
        restarts="inst#",
        distribution="distribution",
        certainty="prediction",
    ),
    Tool("H2O", ("predict",), {"predicted": "predict"}),
)
#: the probability of a class by a model, as Orange calls its column
OF_CLASS = re.compile(r"(.+) \((.+)\)")
#: the second and third line of a table of Orange: types (others are lists of values) and flags
TYPES = {"continuous", "discrete", "string", "time"}
FLAGS = {"", "class", "meta", "weight", "ignore"}
#: the same in one line, as a letter or two before the name: cD#iris is the class, of names
PREFIXED = re.compile(r"(?=\w)([cmiw]?)[CDST]?#(.+)")


def as_written(table: RawTable) -> Iterator[tuple[str, RawTable]]:
    """The table, or one for each model where a tool writes them side by side, with its tool.

    Columns are as the tool means them: labels without their numbers, folds apart from repeats.
    """
    table, truth = _without_flags(table)
    columns = table.columns
    models: dict[str, dict[str, str]] = {}
    for name in columns:
        of = OF_CLASS.fullmatch(name)
        if of and of[1] in columns and columns[name].is_number:
            models.setdefault(of[1], {})[of[2]] = name
    levels_of = {name: _levels(column) for name, column in columns.items()} if models else {}
    models = {
        model: scores
        for model, scores in models.items()
        if (both := levels_of[model] & {*scores}) and both in (levels_of[model], {*scores})
    }
    for model, scores in models.items():
        levels = levels_of[model]
        alike = [n for n, known in levels_of.items() if n not in models and levels <= known]
        roles: dict[str, Any] = {"truth": truth or (alike[0] if len(alike) == 1 else None)}
        roles |= {"predicted": model, "scores": scores if levels <= {*scores} else None}
        others = {n for m in models if m != model for n in (m, *models[m].values())}
        own = {name: column for name, column in columns.items() if name not in others}
        known = {role: column for role, column in roles.items() if column is not None}
        yield model, replace(table, columns=own, written=Written("Orange", known))
    tool = next((t for t in TOOLS if all(name in columns for name in t.columns)), None)
    if not models:
        yield "", table if tool is None else _of_tool(table, tool)


def _of_tool(table: RawTable, tool: Tool) -> RawTable:
    columns = dict(table.columns)
    roles: dict[str, Any] = {r: name for r, name in tool.roles.items() if name in columns}
    if tool.label:
        _unnumber(columns, roles, tool)
    column, pattern = tool.split
    parts = (
        [re.fullmatch(pattern, t or "") for t in _texts(columns[column])]
        if column in columns
        else []
    )
    if parts and all(parts):
        for role in ("fold", "repeat"):
            roles[role] = f"{role} of {column}"
            columns[roles[role]] = raw_column(roles[role], [part[role] for part in parts if part])
    if tool.has_settings:
        _name_settings(columns, roles, tool)
    if tool.restarts in columns and columns[tool.restarts].kind == "integer":
        fold = np.cumsum(np.diff(columns[tool.restarts].values, prepend=0) <= 0)
        if fold[-1]:
            roles = {role: name for role, name in roles.items() if name != tool.restarts}
            roles["fold"] = f"fold of {tool.restarts}"
            columns[roles["fold"]] = RawColumn(roles["fold"], "integer", fold + 1)
    left = [name for name in columns if name not in roles.values() and not name.startswith(".")]
    if tool.truth_is_left and len(left) == 1:
        roles["truth"] = left[0]
    if tool.samples and "fold" in roles:
        _name_samples(columns, roles, tool)
    return replace(table, columns=columns, written=Written(tool.name, roles))


def _name_samples(columns: dict[str, RawColumn], roles: dict[str, Any], tool: Tool) -> None:
    """Bootstrap samples are repeats of a procedure, each with the rows that it left out."""
    names = _texts(columns[roles["fold"]])
    if all(re.fullmatch(tool.samples, name or "") for name in names):
        roles["repeat"], procedure = roles.pop("fold"), f"bootstrap {len({*names})}"
        columns["procedure"] = raw_column("procedure", [procedure] * len(names))


def _name_settings(columns: dict[str, RawColumn], roles: dict[str, Any], tool: Tool) -> None:
    """Each combination of settings is a model, called as heldout calls its own.

    Probabilities of classes, and what differs from row to row, are no settings.
    """
    others = {*roles.values(), *tool.no_settings, *_levels(columns[roles["truth"]])}
    texts = {name: _texts(column) for name, column in columns.items() if name not in others}
    texts = {name: values for name, values in texts.items() if 1 < len({*values}) < len(values)}
    models = [
        ", ".join(f"{name}={value}" for name, value in zip(texts, row, strict=True))
        for row in zip(*texts.values(), strict=True)
    ]
    if models:
        roles["model"] = "model of settings"
        columns[roles["model"]] = raw_column(roles["model"], models)


def _unnumber(columns: dict[str, RawColumn], roles: dict[str, Any], tool: Tool) -> None:
    """Take the numbers off labels, and find the probabilities that stand in their order."""
    numbers: dict[str, str] = {}
    for name in (roles[role] for role in ("truth", "predicted") if role in roles):
        texts = _texts(columns[name])
        matches = (re.match(tool.label, text) for text in texts if text is not None)
        numbers |= {m[1]: re.sub(tool.label, "", m.string) for m in matches if m}
        if numbers:
            plain = [None if text is None else re.sub(tool.label, "", text) for text in texts]
            columns[name] = raw_column(name, plain)
    if tool.distribution in columns and {*numbers} == {str(i + 1) for i in range(len(numbers))}:
        start = list(columns).index(tool.distribution)
        names = list(columns)[start : start + len(numbers)]
        for name in names:
            columns[name] = RawColumn(name, "float", _floats(_texts(columns[name])))
        roles["scores"] = {numbers[str(i)]: name for i, name in enumerate(names, start=1)}
    if tool.certainty in columns and len(numbers) == 2 and "scores" not in roles:
        certainty = _floats(_texts(columns[tool.certainty]))
        chosen = np.array(_texts(columns[roles["predicted"]]))
        roles["scores"] = {label: f"{tool.certainty} of {label}" for label in numbers.values()}
        for label, name in roles["scores"].items():
            values = np.where(chosen == label, certainty, 1 - certainty)
            columns[name] = RawColumn(name, "float", values)


def _levels(column: RawColumn) -> set[str]:
    """The labels that a column holds; none where its values are no labels."""
    if column.kind == "integer":
        return {str(value) for value in np.unique(column.values).tolist()}
    return {str(level) for level in column.levels}


def _texts(column: RawColumn, most: int | None = None) -> list[str | None]:
    """The values as texts, None where one is missing; ``most``: of so many rows."""
    values = column.take(np.arange(len(column))[:most]).objects()
    return [None if value is None else str(value) for value in values.tolist()]


def _floats(texts: list[str | None]) -> Floats:
    """The numbers that texts spell, with a star before the largest; NaN where one spells none."""
    numbers = (number_or_none((text or "").lstrip("*")) for text in texts)
    return np.array([nan if number is None else number for number in numbers])


def _without_flags(table: RawTable) -> tuple[RawTable, str]:
    """The table without the types and flags that Orange writes, and the class column."""
    prefixed = {name: PREFIXED.fullmatch(name) for name in table.columns}
    plain = {name: match[2] for name, match in prefixed.items() if match}
    if len({*plain.values()}) == len(prefixed):
        named = {plain[n]: replace(c, name=plain[n]) for n, c in table.columns.items()}
        truth = [match[2] for match in prefixed.values() if match and match[1] == "c"]
        return replace(table, columns=named), truth[0] if len(truth) == 1 else ""
    columns = table.columns.values()
    if table.rows < 3 or any(not column.is_text for column in columns):
        return table, ""
    heads = {column.name: _texts(column, 2) for column in columns}
    flags = {name: (head[1] or "").split(" ")[0] for name, head in heads.items()}
    has_types = any(head[0] in TYPES for head in heads.values())
    if not has_types or not {""} < {*flags.values()} | {""} <= FLAGS:
        return table, ""
    typed = {}
    for column in columns:
        kind, _, *values = _texts(column)
        rows = _floats(values) if kind == "continuous" else values
        typed[column.name] = raw_column(column.name, rows)
    truth = [name for name, flag in flags.items() if flag == "class"]
    rest = replace(table, columns=typed, rows=table.rows - 2, first_row=table.first_row + 2)
    return rest, truth[0] if len(truth) == 1 else ""


POSITIVE = "positive_class"
#: before each class, in the order that the classes have
COUNT = "train_n_"
#: before each class, where a model has no probabilities
DECISION = "score_"
#: a table with all of these was written by heldout, whose column of groups is one
OWN = ("procedure", "seed", "fit_seconds", "predict_seconds")


def has_decisions(part: Part, names: Sequence[str]) -> bool:
    """Whether heldout itself wrote columns of scores, and as decision values."""
    is_own = part.dialect != "arrays" and all(name in part.table.columns for name in OWN)
    return is_own and all(name.startswith(DECISION) for name in names)


def stated_positive(part: Part, taken: set[str]) -> object:
    """What the column ``positive_class``, which heldout writes, says of all rows; None: nothing."""
    if POSITIVE not in part.table.columns or POSITIVE in taken or part.dialect == "arrays":
        return None
    return only_value(part, POSITIVE)


def with_own_roles(part: Part, roles: Roles, notes: list[str]) -> Roles:
    """The roles with groups, training means and classes, where heldout itself wrote the table.

    In any other table neither is guessed: a wrong guess of groups would change every interval.
    """
    columns = part.table.columns
    if not all(name in columns for name in OWN):
        return roles
    order = tuple(name.removeprefix(COUNT) for name in columns if name.startswith(COUNT))
    if len(order) > 1 and roles.labels is None and roles.task != "regression":
        roles = replace(roles, labels=order)
    if "train_mean" in columns and roles.task is None:
        # whole numbers alone could be classes
        roles = replace(roles, task="regression")
    for role in ("group", "train_mean"):
        if getattr(roles, role) is None and role in columns:
            named: Any = {role: role}
            roles = replace(roles, **named)
            notes.append(Guess(role.replace("_", " "), role))
    return roles
