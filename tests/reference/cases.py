"""Answers of other tools, case by case, compared with heldout's so that none can be forgotten."""

from __future__ import annotations

import csv
import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from math import inf, isfinite, isnan, nan
from pathlib import Path
from typing import Any

import numpy as np

import heldout

#: the cases whose answers are Weka's
WEKA = (
    "weka_breastcancer_j48",
    "weka_breastcancer_naivebayes",
    "weka_contactlenses_j48",
    "weka_glass_naivebayes",
    "weka_iris_j48",
    "weka_iris_naivebayes",
    "weka_iris_zeror",
    "weka_weather_naivebayes_loo",
)
#: what heldout says of a value by its name
Given = Iterable[tuple[str, Any]]


@dataclass(frozen=True)
class Answer:
    """One value that a tool or a paper gave; None is undefined."""

    value: Any
    tolerance: float
    inputs: Mapping[str, Any]


@dataclass(frozen=True)
class Otherwise:
    """What heldout says on purpose where another tool says something else, and why."""

    value: Any
    why: str


@dataclass(frozen=True)
class Case:
    """A folder of data with answers, by name; those of a table of values one by one."""

    folder: Path
    answers: Mapping[str, Answer]

    @classmethod
    def read(cls, folder: Path) -> Case:
        values = json.loads((folder / "expected.json").read_text(encoding="utf-8"))["values"]
        names = Counter(value["name"] for value in values)
        seen: Counter[str] = Counter()
        answers: dict[str, Answer] = {}
        for value in values:
            name = value["name"]
            seen[name] += 1
            if names[name] > 1:
                name = f"{name}#{seen[name]}"
            # a tolerance of 0 stands for counts, and nothing else is exact in the last digit
            tolerance, inputs = value.get("tolerance") or 0.0, value.get("inputs") or {}
            for key, leaf in leaves(name, value["value"]):
                assert key not in answers, f"{folder.name} has {key} twice"
                answers[key] = Answer(leaf, tolerance, inputs)
        return cls(folder, answers)

    def inputs(self, name: str) -> Mapping[str, Any]:
        """The inputs of a value, or of the first whose name starts so."""
        return next(a.inputs for key, a in self.answers.items() if key.startswith(name))

    def path(self, file: str) -> str:
        """The path of one of its files, as a user would give it."""
        return str((self.folder / file).resolve())

    def columns(self, file: str) -> dict[str, list[str]]:
        """The columns of one of its tables, as text."""
        with Path(self.path(file)).open(encoding="utf-8", newline="") as lines:
            rows = list(csv.DictReader(lines))
        return {name: [row[name] for row in rows] for name in rows[0]}


def leaves(name: str, value: Any) -> Iterable[tuple[str, Any]]:
    """The values of a nested table, each with its path; a list is one value."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from leaves(f"{name}.{key}", inner)
    else:
        yield name, value


@dataclass
class Account:
    """How many answers of a case heldout gives, how many it leaves, and what does not agree."""

    checked: int = 0
    excepted: int = 0
    faults: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Family:
    """Cases of one kind: what heldout answers, and the answers it differs from or leaves."""

    given: Mapping[str, Callable[[Case], Given]]
    #: a text says why heldout is not asked; an Otherwise, what it answers instead
    exceptions: Mapping[str, Mapping[str, str | Otherwise]] = field(default_factory=dict)
    made: dict[str, Account] = field(default_factory=dict)

    def account(self, reference: Path, name: str) -> Account:
        """The comparison of one case, made once; a fault for each answer not accounted for."""
        if name not in self.made:
            case = Case.read(reference / name)
            exceptions = self.exceptions.get(name, {})
            self.made[name] = compared(case, self.given[name](case), exceptions)
        return self.made[name]


def compared(case: Case, given: Given, exceptions: Mapping[str, str | Otherwise]) -> Account:
    """Heldout's answers beside those of a case: each of them once, or with a reason."""
    account = Account()
    said: set[str] = set()
    for name, ours in given:
        exception = exceptions.get(name)
        if name not in case.answers or name in said or isinstance(exception, str):
            account.faults.append(f"{name}: answered, but not asked, or twice, or also left out")
            continue
        said.add(name)
        answer = case.answers[name]
        same = agrees(ours, answer.value, answer.tolerance)
        if isinstance(exception, Otherwise):
            account.excepted += 1
            if same:
                account.faults.append(f"{name}: agrees, and needs no exception")
            if not agrees(ours, exception.value, 1e-9):
                account.faults.append(f"{name}: heldout says {ours}, not {exception.value}")
        else:
            account.checked += 1
            if not same:
                account.faults.append(f"{name}: {answer.value} is right, heldout says {ours}")
    left = {name for name, exception in exceptions.items() if isinstance(exception, str)}
    account.excepted += len(left & set(case.answers))
    account.faults += [
        f"{name}: excepted, but not answered" for name in sorted(set(exceptions) - said - left)
    ]
    asked = set(case.answers)
    account.faults += [f"{name}: left out, but not asked" for name in sorted(left - asked)]
    account.faults += [f"{name}: forgotten" for name in sorted(asked - said - left)]
    return account


def agrees(ours: Any, theirs: Any, tolerance: float) -> bool:
    """Whether two values are the same: numbers within a tolerance, lists item by item."""
    if isinstance(theirs, (list, tuple)):
        ours = list(ours)
        return len(ours) == len(theirs) and all(
            agrees(a, b, tolerance) for a, b in zip(ours, theirs, strict=True)
        )
    if isinstance(theirs, (str, bool)) and theirs != "Infinity":
        return bool(ours == theirs)
    number = {None: nan, "Infinity": inf}.get(theirs, theirs)
    if isinstance(ours, (str, bool)):
        return False
    ours = float(ours)
    if isnan(number) or isnan(ours):
        return isnan(number) and isnan(ours)
    if not (isfinite(number) and isfinite(ours)):
        return bool(ours == number)
    # beside the stated tolerance, what is lost in printing fifteen digits
    return bool(abs(ours - number) <= tolerance + 1e-14 * abs(number))


def judge(*given: Any, **how: Any) -> heldout.Scorecard:
    """The scorecard, without the intervals that cases of measures do not ask for."""
    return heldout.score(*given, intervals=False, **how)


def numbers(texts: Iterable[str]) -> Any:
    """Texts as an array of floats."""
    return np.array([float(text) for text in texts])
