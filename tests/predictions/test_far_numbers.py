"""Weights and values too far from 1 for sums and squares are refused; extreme ones are not."""

from __future__ import annotations

from math import isnan
from pathlib import Path

import numpy as np
import pytest

import heldout
from heldout.cli.main import main
from heldout.core.errors import InputError


@pytest.mark.parametrize("weight", ["1e155", "1e-200", "1e308", "1e-310"])
def test_a_weight_beyond_squares_names_file_column_and_row(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], weight: str
) -> None:
    path = tmp_path / "rows.csv"
    lines = ["1,0.5,1", f"0,0.7,{weight}", "1,0.4,2"]
    path.write_text("\n".join(["y,p,w", *lines]), encoding="utf-8")
    options = ["--truth", "y", "--score", "p", "--weight", "w"]
    assert main(["score", str(path), *options]) == 2
    said = capsys.readouterr().err
    assert "column 'w'" in said
    assert f"line 3 of {path}" in said
    assert "divide them all by the same number" in said


@pytest.mark.parametrize("low", [1e59, 1e-59, 1.1e-60])
def test_weights_that_are_far_from_one_are_judged(low: float) -> None:
    rng = np.random.default_rng(3)
    truth = rng.integers(0, 2, 40)
    score = 0.3 * truth + 0.6 * rng.random(40)
    weight = low * (1 + rng.random(40))
    if low == 1.1e-60:  # some as small as they may be, some as large
        weight[::2] = 9e59
    card = heldout.score(truth, y_score=score, sample_weight=weight)
    results = card.results(everything=True)
    assert 0 <= card["h_measure"].value <= 1
    assert len(results) > 80
    number = heldout.score(score, score + rng.normal(size=40), sample_weight=weight)
    assert number["rmse"].low is not None


def test_values_beyond_differences_are_refused() -> None:
    with pytest.raises(InputError, match="y_true: too large to be subtracted in 1 row"):
        heldout.score([1e308, 2.0, 3.5], [-1e308, 1.0, 3.0], task="regression")


def test_squares_beyond_numbers_are_the_reason_and_not_equal_values() -> None:
    truth = np.array([1e200, -1e200, 3e197, 2.0])
    card = heldout.score(truth, -truth, task="regression")
    for name in ("r2", "correlation", "relative_squared_error"):
        made = card[name]
        assert isnan(made.value)
        assert made.note.startswith("undefined: squares of such large values")
    same = heldout.score(np.full(3, 2.0), [1.0, 2.0, 3.0], task="regression")
    assert "all true values are the same" in same["r2"].note
