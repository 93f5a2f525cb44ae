"""Every result says whether it stands for its measure."""

from __future__ import annotations

import json

import numpy as np
import pytest

import heldout
from heldout.cli.main import main

CHANCE = np.random.default_rng(3)
TRUTH = CHANCE.integers(0, 2, 90)
SCORE = np.clip(0.3 * TRUTH + 0.7 * CHANCE.random(90), 0, 1)
FOLD = np.arange(90) % 5


@pytest.mark.parametrize(("measure", "fold"), [("auc", "mean"), ("accuracy", "")])
def test_after_folds_the_marked_value_is_the_one_that_the_card_gives(
    measure: str, fold: str
) -> None:
    card = heldout.score(
        TRUTH, y_score=SCORE, pos_label=1, folds=FOLD, slices={"s": FOLD < 2}, intervals=False
    )
    results = card.results([measure], per_fold=True)
    (whole,) = (r for r in results if r.headline and not r.slice)
    assert (whole.fold, whole.repeat) == (fold, "")
    assert card[measure].value == whole.value
    assert card[measure].headline
    assert sorted(r.slice for r in results if r.headline and r.slice) == ["s=False", "s=True"]
    assert card.table.to_pandas()["headline"].dtype == bool


def test_json_marks_the_value_that_requirements_judge(capsys: pytest.CaptureFixture[str]) -> None:
    call = ["evaluate", "wdbc", "--models", "lda", "--procedure", "5-fold", "--no-store"]
    call += ["--measure", "auc", "--format", "json", "--no-intervals", "--quiet", "--no-audit"]
    assert main(call) == 0
    rows = json.loads(capsys.readouterr().out)["results"]
    (marked,) = (row for row in rows if row["headline"])
    (pooled,) = (row for row in rows if row["fold"] == "")
    assert marked["fold"] == "mean"
    assert marked["value"] != pooled["value"]
    between = (marked["value"] + pooled["value"]) / 2
    sign = ">" if marked["value"] > between else "<"
    assert main([*call, "--require", f"auc {sign} {between!r}"]) == 0
