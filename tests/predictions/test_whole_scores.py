"""Whole numbers that floats would merge are refused as scores; others keep their order."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import heldout
from heldout.cli.main import main
from heldout.core.errors import InputError

TRUTH = [0, 1, 0, 1]
FAR = 1_700_000_000_000_000_000
BEYOND = 10**25


@pytest.mark.parametrize("far", [FAR, -FAR, BEYOND, 10**400])
def test_file_with_merged_scores_names_column_row_and_fix(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], far: int
) -> None:
    path = tmp_path / "rows.csv"
    scores = (7, far + 1, far, far + 1)
    lines = [f"{y},{s}" for y, s in zip(TRUTH, scores, strict=True)]
    path.write_text("\n".join(["y,s", *lines]), encoding="utf-8")
    assert main(["score", str(path), "--truth", "y", "--score", "s", "--measure", "auc"]) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert "column 's': whole numbers too large to be told apart as floats in 3 rows" in said
    assert f"first: line 3 of {path}" in said
    assert "subtract the same number from all scores, or give their ranks" in said


@pytest.mark.parametrize(
    "scores",
    [
        [FAR, FAR + 1, FAR, FAR + 1],
        np.array([FAR, FAR + 1, FAR, FAR + 1]),
        np.array([2**64 - 2, 2**64 - 1, 5, 6], np.uint64),
        np.array([[FAR, 1], [FAR + 1, 2], [3, 4], [5, 6]]),
    ],
)
def test_arrays_with_merged_scores_are_refused(scores: Any) -> None:
    with pytest.raises(InputError, match=r"y_score: whole numbers .*first: position 0\); subtract"):
        heldout.score(TRUTH, y_score=scores)


@pytest.mark.parametrize("step", [1, 256])
def test_large_scores_that_stay_apart_rank(step: int) -> None:
    base = 2**53 if step == 1 else FAR  # at 1.7e18 the step between floats is 256
    scores = np.array([base - 3 * step, base, base - 2 * step, base - step])
    assert heldout.score(TRUTH, y_score=scores)["auc"].value == 1.0
