"""Tables as other tools and heldout itself write them: which columns tell, and what they are."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, replace
from math import nan
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.core.wording import Guess
from heldout.predictions.roles import ROLES
from heldout.tables.checks import only_value
from heldout.tables.column import RawColumn
from heldout.tables.frames import raw_column
from heldout.tables.labels import number_or_none
from heldout.tables.roles import usual
from heldout.tables.table import Written

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

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
    #: columns that together name the model
    models: tuple[str, ...] = ()
    #: whether columns that are left and repeat their values are settings of the model, but these
    has_settings: bool = False
    no_settings: tuple[str, ...] = ()
    #: a column of numbers that start again with each fold
    restarts: str = ""
    #: the first of the columns of probabilities, in the order of the numbers before the labels
    distribution: str = ""
    #: the probability of the predicted class, which of two classes says all
    certainty: str = ""


TIDY = {"predicted": ".pred_class", "id": ".row", "model": ".config"}
NUMBERS = {**TIDY, "predicted": ".pred"}
TOOLS = (
    *(
        Tool(
            "tidymodels",
            (roles["predicted"], *design.values()),
            roles | design,
            models=("wflow_id", ".config"),
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
#: what resamples are called that are no folds, but for their number: the procedure that made them
SAMPLES = {"Bootstrap": "bootstrap {}", "Slice": "time {}", "Resample": "{}x holdout"}
#: the probability of a class by a model, as Orange calls its column
OF_CLASS = re.compile(r"(.+) \((.+)\)")
#: the second and third line of a table of Orange: types (others are lists of values) and flags
TYPES = {"continuous", "discrete", "string", "time"}
FLAGS = {"", "class", "meta", "weight", "ignore"}
#: the same in one line, as a letter or two before the name: cD#iris is the class, of names
PREFIXED = re.compile(r"(?=\w)([cmiw]?)[CDST]?#(.+)")
LETTERS = {"c": "class", "m": "meta"}
#: usual names of columns that Orange adds to predictions
SPLITS = {name for role in ("fold", "repeat", "id") for name in ROLES[role].guesses}


def as_written(table: RawTable) -> Iterator[tuple[str, RawTable]]:
    """The table, or one for each model where a tool writes them side by side, with its tool.

    Columns are as the tool means them: labels without their numbers, folds apart from repeats.
    """
    table, flags = _without_flags(table)
    columns = table.columns
    models = _models_of_orange(columns, flags)
    for model, scores in models.items():
        roles: dict[str, Any] = {"predicted": model}
        if scores and _levels(columns[model]) <= {*scores}:
            roles["scores"] = scores
        others = {n for m in models for n in (m, *models[m].values())}
        given = [name for name, flag in flags.items() if flag == "class"]
        known = {name: column for name, column in columns.items() if name not in others}
        if truth := given[0] if len(given) == 1 else _truth(known, columns[model]):
            roles["truth"] = truth
        own = known | {name: columns[name] for name in (model, *scores.values())}
        yield model, replace(table, columns=own, written=Written("Orange", roles))
    if not models:
        tool = next((t for t in TOOLS if all(name in columns for name in t.columns)), None)
        yield "", table if tool is None else _of_tool(table, tool)


def _models_of_orange(
    columns: Mapping[str, RawColumn], flags: Mapping[str, str]
) -> dict[str, dict[str, str]]:
    """The columns of predictions, each with the columns of its probabilities by class."""
    models: dict[str, dict[str, str]] = {}
    for name in columns:
        of = OF_CLASS.fullmatch(name)
        if of and of[1] in columns and columns[name].is_number:
            models.setdefault(of[1], {})[of[2]] = name
    for model, scores in [*models.items()]:
        levels = _levels(columns[model])
        if (both := levels & {*scores}) not in (levels, {*scores}) or not both:
            del models[model]
    truths = [columns[name] for name, flag in flags.items() if flag == "class"]
    scores_of = {name for scores in models.values() for name in scores.values()}
    for name, flag in flags.items() if len(truths) == 1 else ():
        is_free = flag == "meta" and name not in scores_of and usual(name) not in SPLITS
        if is_free and _are_alike(columns[name], truths[0]):
            models.setdefault(name, {})
    return models


def _truth(
    columns: Mapping[str, RawColumn], predicted: RawColumn, model: RawColumn | None = None
) -> str | None:
    """The only column that may be what was predicted: of its labels, or of numbers as it is.

    What is the same in all rows of a model is a setting. A column with a usual name goes before.
    """
    models = [None] * len(predicted) if model is None else _texts(model)
    alike = [
        name
        for name, column in columns.items()
        if _are_alike(predicted, column)
        and len({*zip(models, _texts(column), strict=True)}) > len({*models})
    ]
    is_usual = any(usual(name) in ROLES["truth"].guesses for name in columns)
    return alike[0] if len(alike) == 1 and not is_usual else None


def _are_alike(predicted: RawColumn, truth: RawColumn) -> bool:
    """Whether predictions may be of a truth: numbers with fractions, or some of its labels."""
    if predicted.kind == "float":
        return truth.is_number
    labels, known = _levels(predicted), _levels(truth)
    return bool(labels & known) and (labels <= known or known <= labels)


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
    _name_models(columns, roles, tool)
    if tool.restarts in columns and columns[tool.restarts].kind == "integer":
        fold = np.cumsum(np.diff(columns[tool.restarts].values, prepend=0) <= 0)
        if fold[-1]:
            roles = {role: name for role, name in roles.items() if name != tool.restarts}
            roles["fold"] = f"fold of {tool.restarts}"
            columns[roles["fold"]] = RawColumn(roles["fold"], "integer", fold + 1)
    if "truth" not in roles:
        left = {n: c for n, c in columns.items() if n not in roles.values() and n[:1] != "."}
        truth = _truth(left, columns[roles["predicted"]], columns.get(roles.get("model", "")))
        roles |= {"truth": truth} if truth else {}
    procedure = _procedure(columns, roles) if "fold" in roles and "repeat" not in roles else ""
    return replace(table, columns=columns, written=Written(tool.name, roles, procedure))


def _procedure(columns: dict[str, RawColumn], roles: dict[str, Any]) -> str:
    """The procedure whose resamples are called so; they become repeats where they share rows.

    Resamples that are all of one size are holdouts, others are what bootstrap samples left out.
    """
    names = _texts(columns[roles["fold"]])
    kinds = {re.sub(r"\d+$", "", name or "") for name in names}
    kind = kinds.pop() if len(kinds) == 1 else ""
    by = [_texts(columns[roles[role]]) for role in ("model", "id") if role in roles]
    if kind == "Resample":
        if "id" not in roles or len({*zip(*by, strict=True)}) == len(names):
            return ""  # no row comes again
        sizes = Counter(zip(names, *by[:-1], strict=True)).values()
        kind = "Bootstrap" if max(sizes) > min(sizes) + 1 else kind
    if kind in ("Bootstrap", "Resample"):
        roles["repeat"] = roles.pop("fold")
    return SAMPLES.get(kind, "").format(len({*names}))


def _name_models(columns: dict[str, RawColumn], roles: dict[str, Any], tool: Tool) -> None:
    """Each combination of settings is a model, called as heldout calls its own.

    Probabilities of classes, and what differs from row to row, are no settings.
    """
    names: Iterable[str] = tool.models
    if tool.has_settings:
        known = {*roles.values(), *tool.no_settings, *_levels(columns[roles["truth"]])}
        names = [name for name in columns if name not in known]
    texts = {name: _texts(columns[name]) for name in names if name in columns}
    texts = {name: values for name, values in texts.items() if 1 < len({*values}) < len(values)}
    if not texts:
        return
    form = "{0}={1}" if tool.has_settings else "{1}"
    models = [
        ", ".join(form.format(*pair) for pair in zip(texts, row, strict=True))
        for row in zip(*texts.values(), strict=True)
    ]
    is_plain = len(texts) == 1 and not tool.has_settings
    roles["model"] = next(iter(texts)) if is_plain else "model of settings"
    columns[roles["model"]] = raw_column(roles["model"], models)


def _unnumber(columns: dict[str, RawColumn], roles: dict[str, Any], tool: Tool) -> None:
    """Take the numbers off labels, and find the probabilities that stand in their order."""
    numbers: dict[str, str] = {}
    for name in (roles[role] for role in ("truth", "predicted") if role in roles):
        texts = [text or "?" for text in _texts(columns[name])]
        plain = [re.sub(tool.label, "", text) for text in texts]
        pairs = zip((re.match(tool.label, text) for text in texts), plain, strict=True)
        numbers |= {match[1]: label for match, label in pairs if match and label != "?"}
        if numbers:
            columns[name] = raw_column(name, [None if text == "?" else text for text in plain])
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
    return set() if column.kind in ("float", "text") else {str(x) for x in column.code()[1]}


def _texts(column: RawColumn, most: int | None = None) -> list[str | None]:
    """The values as texts, None where one is missing; ``most``: of so many rows."""
    values = column.take(np.arange(len(column))[:most]).objects()
    return [None if value is None else str(value) for value in values.tolist()]


def _floats(texts: list[str | None]) -> Floats:
    """The numbers that texts spell, with a star before the largest; NaN where one spells none."""
    numbers = (number_or_none((text or "").lstrip("*")) for text in texts)
    return np.array([nan if number is None else number for number in numbers])


def _without_flags(table: RawTable) -> tuple[RawTable, dict[str, str]]:
    """The table without the types and flags that Orange writes, and the flag of each column."""
    prefixed = {name: PREFIXED.fullmatch(name) for name in table.columns}
    plain = {name: match[2] for name, match in prefixed.items() if match}
    if len({*plain.values()}) == len(prefixed):
        named = {plain[n]: replace(c, name=plain[n]) for n, c in table.columns.items()}
        flags = {m[2]: LETTERS.get(m[1], "") for m in prefixed.values() if m}
        return replace(table, columns=named), flags
    columns = table.columns.values()
    if table.rows < 3 or any(not column.is_text for column in columns):
        return table, {}
    heads = {column.name: _texts(column, 2) for column in columns}
    flags = {name: (head[1] or "").split(" ")[0] for name, head in heads.items()}
    if not {""} < {*flags.values()} | {""} <= FLAGS:
        return table, {}
    texts = {column.name: _texts(column) for column in columns}
    has_types = any(head[0] in TYPES for head in heads.values())
    if not has_types and not all(
        {*own} <= {*str(kind).split(" ")} for kind, _, *own in texts.values()
    ):
        return table, {}
    typed = {}
    for column in columns:
        kind, _, *values = texts[column.name]
        rows = _floats(values) if kind == "continuous" else values
        typed[column.name] = raw_column(column.name, rows)
    return replace(table, columns=typed, rows=table.rows - 2, first_row=table.first_row + 2), flags


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
