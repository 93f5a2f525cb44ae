"""Predictions in a file that lack splits: the values say of how many, and have no interval."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import heldout
from tests.runner.making import Odd, some_data

DATA = some_data()
X, Y = DATA.matrix, (DATA.truth == 0).astype(int)
FAILING = Odd(float(X[7, 0]), "raise")


def rows(card: Any) -> dict[str, Any]:
    return {r.fold: r for r in card.results(["accuracy"]) if not r.repeat}


@pytest.mark.parametrize(
    ("procedure", "said"),
    [
        ("5-fold", "of 4 of 5 splits, the others"),
        ("2x5-fold", "of 8 of 10 splits, the others"),
        ("12x holdout 70:30", " of 12 splits, the others"),
    ],
)
def test_file_of_a_model_that_failed_is_judged_as_the_evaluation_was(
    tmp_path: Path, procedure: str, said: str
) -> None:
    made = heldout.evaluate({"odd": FAILING}, X, Y, procedure=procedure, pos_label=1)
    path = tmp_path / "made.csv"
    made.predictions.write(path)
    card = heldout.score(heldout.read_predictions(path))
    for fold, result in rows(made).items():
        there = rows(card)[fold]
        assert there.value == pytest.approx(result.value)
        assert there.low is None
        assert said in there.note
        assert there.note.replace("are missing", "failed") == result.note
        assert result.note.count("splits, the others") == 1
    assert card["accuracy"].low is None


def test_files_of_all_splits_have_their_intervals(tmp_path: Path) -> None:
    for procedure in ("5-fold", "2x5-fold", "12x holdout 70:30", "loo", "5-fold unstratified"):
        made = heldout.evaluate("prior", X, Y, procedure=procedure, pos_label=1)
        path = tmp_path / "made.csv"
        made.predictions.write(path)
        result = heldout.score(heldout.read_predictions(path))["accuracy"]
        assert result.low is not None, procedure
        assert "the others" not in result.note


def test_bootstrap_that_lacks_samples_says_so() -> None:
    made = heldout.evaluate({"odd": FAILING}, X, Y, procedure="bootstrap 12", pos_label=1)
    assert any("of 12 splits, the others failed" in r.note for r in made.results(["accuracy"]))
    assert np.isfinite(made.results(["accuracy"])[0].value)


def test_table_of_means_says_why_one_model_has_no_interval(tmp_path: Path) -> None:
    made = heldout.evaluate(["prior", "nb"], X, Y, procedure="2x5-fold", pos_label=1)
    made.predictions.write(tmp_path / "made.csv")
    head, *lines = (tmp_path / "made.csv").read_text().splitlines()
    kept = [line for line in lines if not line.startswith("nb,2x5-fold,2,5,")]
    assert len(kept) < len(lines)
    (tmp_path / "some.csv").write_text("\n".join([head, *kept]))
    pages = ["made.csv", "some.csv"]
    whole, some = (str(heldout.score(heldout.read_predictions(tmp_path / name))) for name in pages)
    assert "not a random sample" not in whole
    told = " ".join(some.split())
    assert "(nb): no interval: the available splits are not a random sample of all splits" in told
    assert "did not fail" not in some
