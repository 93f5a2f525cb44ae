"""No answer of another tool is forgotten: each is checked, or stands in a table of exceptions."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.reference import (
    test_calibration,
    test_comparison,
    test_confusion_tables,
    test_edge_cases,
    test_folds,
    test_information,
    test_rankings,
    test_sklearn_units,
    test_weka,
    test_yardstick,
)
from tests.reference.cases import Answer, Case, Family, Otherwise, agrees, compared, leaves

FAMILIES: list[Family] = [
    module.FAMILY
    for module in (
        test_calibration,
        test_comparison,
        test_confusion_tables,
        test_edge_cases,
        test_folds,
        test_information,
        test_rankings,
        test_sklearn_units,
        test_weka,
        test_yardstick,
    )
]
#: cases that do not concern measures of predictions
OTHERS = {
    "boot632_iris_lda": "procedures that train models",
    "newcombe1998_single": "intervals",
    "uci_arff": "data to train on",
}
OWNERS = [(family, name) for family in FAMILIES for name in family.given]


def test_every_case_has_its_place(reference: Path) -> None:
    ours = [name for _, name in OWNERS]
    folders = sorted(path.name for path in reference.iterdir() if path.is_dir())
    assert sorted([*ours, *OTHERS]) == folders


def test_every_answer_is_checked_or_excepted(reference: Path) -> None:
    checked = excepted = asked = 0
    for family, name in OWNERS:
        account = family.account(reference, name)
        checked, excepted = checked + account.checked, excepted + account.excepted
        # counted from the file itself, not from what the loader made of it
        values = json.loads((reference / name / "expected.json").read_text())["values"]
        asked += sum(len(list(leaves("", value["value"]))) for value in values)
    assert checked + excepted == asked
    assert checked > 1000
    assert excepted < asked / 6


def test_every_exception_has_a_reason() -> None:
    for family, name in OWNERS:
        for answer, exception in family.exceptions.get(name, {}).items():
            why = exception.why if isinstance(exception, Otherwise) else exception
            assert len(why.split()) > 2, (name, answer)


CASE = Case(Path("made up"), {"a": Answer(1.0, 0.1, {}), "b": Answer(None, 0.1, {})})


@pytest.mark.parametrize(
    ("given", "exceptions", "fault"),
    [
        ({"a": 1.05}, {}, "b: forgotten"),
        ({"a": 1.2, "b": None}, {}, "a: 1.0 is right, heldout says 1.2"),
        ({"a": 1.0, "b": 0.0}, {}, "b: None is right, heldout says 0.0"),
        ({"a": 1.0, "b": None, "c": 0}, {}, "c: answered, but not asked"),
        ({"a": 1.0, "b": None}, {"b": "not ours"}, "b: answered, but not asked, or twice, or also"),
        ({"a": 1.0, "b": None}, {"c": "not ours"}, "c: left out, but not asked"),
        ({"a": 1.0, "b": None}, {"a": Otherwise(1.0, "why")}, "a: agrees, and needs no exception"),
        ({"a": 3.0, "b": None}, {"a": Otherwise(2.0, "why")}, "a: heldout says 3.0, not 2.0"),
        ({"b": None}, {"a": Otherwise(2.0, "why")}, "a: excepted, but not answered"),
    ],
)
def test_comparison_notices(
    given: dict[str, Any], exceptions: dict[str, str | Otherwise], fault: str
) -> None:
    nones = [(name, float("nan") if value is None else value) for name, value in given.items()]
    faults = compared(CASE, nones, exceptions).faults
    assert any(found.startswith(fault) for found in faults), faults


def test_comparison_counts_what_is_checked_and_what_is_excepted() -> None:
    account = compared(CASE, [("a", 3.0)], {"a": Otherwise(3.0, "why"), "b": "not ours"})
    assert (account.checked, account.excepted, account.faults) == (0, 2, [])
    account = compared(CASE, [("a", 0.95), ("b", float("nan"))], {})
    assert (account.checked, account.excepted, account.faults) == (2, 0, [])


@pytest.mark.parametrize(
    ("ours", "theirs", "same"),
    [
        (1.0, 1.0, True),
        (1.0, 1.2, False),
        (float("inf"), "Infinity", True),
        (1e300, "Infinity", False),
        (float("nan"), None, True),
        (0.0, None, False),
        (float("nan"), 0.0, False),
        ([1.0, float("nan")], [1, None], True),
        ([1.0], [1, 2], False),
        ([[1, 2], [3, 4]], [[1, 2], [3, 5]], False),
        (True, True, True),
        (False, True, False),
        ("said", "said", True),
        (1.0, "said", False),
    ],
)
def test_agreement_is_of_values_of_one_kind(ours: Any, theirs: Any, same: bool) -> None:
    assert agrees(ours, theirs, 0.1) is same
