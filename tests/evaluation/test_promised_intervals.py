"""The table of procedures in the documentation promises intervals that the product gives."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import heldout
from heldout.procedures.parse import parse_procedure
from heldout.procedures.split_file import write_splits

PAGE = Path(__file__).parents[2] / "docs" / "procedures.md"
ROWS = 24


def promises() -> list[tuple[str, bool]]:
    """Each text of the table, and whether an interval is promised after it."""
    found = []
    lines = PAGE.read_text(encoding="utf-8").split("## Modifiers")[0].splitlines()
    for line in lines:
        cells = [cell.strip() for cell in line.strip().strip("|").split(" | ")]
        if len(cells) == 5 and cells[0].startswith("`"):
            texts = re.findall(r"`([^`]+)`", cells[0])
            found += [(text, not cells[4].startswith("none")) for text in texts]
    return found


def data() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(5)
    y = np.arange(ROWS) % 2
    return rng.normal(y, 1.0)[:, None], y, np.arange(ROWS) // 4


def intervals(procedure: Any, **more: Any) -> set[str]:
    """The measures that have an interval, of whatever value."""
    X, y, groups = data()
    given: dict[str, Any] = {"groups": groups} if procedure == "groups" else {}
    made = heldout.evaluate(
        "nb", X, y, procedure=procedure, pos_label=1, **given, **more
    )  # fmt: skip
    return {r.measure for r in made.results(("accuracy", "brier", "auc")) if r.low is not None}


def test_every_line_of_the_table_is_read() -> None:
    assert len(promises()) == 15
    assert {text for text, promised in promises() if not promised} == {
        "leave-2-out",
        "bootstrap 200",
        ".632 200",
        ".632+ 200",
        "time 5",
    }


@pytest.mark.parametrize(
    ("text", "promised"), [pair for pair in promises() if not pair[0].startswith("file")]
)
def test_procedures_have_the_intervals_that_the_page_promises(text: str, promised: bool) -> None:
    short = text.replace(" 200", " 6").replace("50x10", "3x4").replace("100x", "6x")
    folds = {"folds": np.arange(ROWS) // 2 % 3} if text.startswith("column") else {}
    short = "column folds" if folds else short
    assert bool(intervals(short, **folds)) == promised


@pytest.mark.parametrize(
    ("text", "promised"),
    [pair for pair in promises() if not pair[0].startswith(("file", "column", "groups"))],
)
def test_splits_of_a_file_have_the_intervals_of_the_procedure_that_made_them(
    text: str, promised: bool, tmp_path: Path
) -> None:
    X, y, _ = data()
    short = text.replace(" 200", " 6").replace("50x10", "3x4").replace("100x", "6x")
    splits = parse_procedure(short).splits(len(X), truth=y)
    told, silent = tmp_path / "told.csv", tmp_path / "silent.csv"
    write_splits(splits, told)
    lines = [line.rpartition(",")[0] for line in told.read_text().splitlines()]
    silent.write_text("\n".join(lines) + "\n")
    assert bool(intervals(f"file {told}")) == promised
    assert bool(intervals(f"file {silent}")) == promised


@pytest.mark.parametrize("text", ["leave-2-out", "bootstrap 4", ".632+ 4", "time 3"])
def test_the_reason_is_given_with_every_value_that_has_no_interval(text: str) -> None:
    X, y, _ = data()
    made = heldout.evaluate("nb", X, y, procedure=text, pos_label=1)
    for name in ("accuracy", "brier"):
        assert "no interval" in made[name].note
        assert "known to be valid" in made[name].note
