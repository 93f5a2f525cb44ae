"""Splits predicted from one fit: the same as refitted, kept in blocks, and taken up again."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

from heldout.procedures.splits import PartitionSplits
from heldout.runner.run import run
from heldout.runner.store import Store
from tests.runner.making import a_model, assert_same, some_data

ROWS = 90
DATA = some_data(ROWS)
LOO = PartitionSplits("loo", ROWS, 0, (), np.arange(ROWS, dtype=np.int32)[None], ROWS)


def lda() -> Any:
    return a_model(LinearDiscriminantAnalysis(), "lda")


def test_exact_path_equals_refitting_and_says_what_it_is() -> None:
    quick = run(DATA, [lda()], LOO)["lda"]
    slow = run(DATA, [lda()], LOO, exact=False)["lda"]
    assert slow.path == "refit"
    assert quick.path != "refit"
    assert quick.predicted.tolist() == slow.predicted.tolist()
    np.testing.assert_allclose(quick.scores, slow.scores, atol=1e-8)
    assert quick.train_counts is not None
    assert slow.train_counts is not None
    assert quick.train_counts.tolist() == slow.train_counts.tolist()


def test_block_is_answered_from_the_store(tmp_path: Path) -> None:
    one = run(DATA, [lda()], LOO, store=Store(tmp_path))
    two = run(DATA, [lda()], LOO, store=Store(tmp_path))
    assert (one.fitted, two.fitted, two.reused) == (ROWS, 0, ROWS)
    assert_same(one["lda"], two["lda"])


def test_run_killed_between_two_blocks_goes_on_bit_for_bit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("heldout.learners.exact.path.ROWS", 20)
    whole = run(DATA, [lda()], LOO, store=Store(tmp_path))
    with closing(sqlite3.connect(tmp_path / "runs.sqlite")) as connection:
        blocks = connection.execute("SELECT first, count FROM piece ORDER BY first").fetchall()
        assert blocks == [(0, 20), (20, 20), (40, 20), (60, 20), (80, 10)]
        connection.execute("DELETE FROM piece WHERE first > 20")
        connection.commit()
    again = run(DATA, [lda()], LOO, store=Store(tmp_path))
    assert (again.reused, again.fitted) == (40, 50)
    assert_same(whole["lda"], again["lda"])


def test_splits_that_a_path_leaves_out_are_refitted(monkeypatch: pytest.MonkeyPatch) -> None:
    from heldout.learners.exact.path import ExactPath

    genuine = ExactPath.run
    parts = [slice(0, 30), slice(50, ROWS)]
    monkeypatch.setattr(
        ExactPath, "run", lambda self, _: (o for part in parts for o in genuine(self, part))
    )
    mixed = run(DATA, [lda()], LOO)["lda"]
    assert mixed.splits.tolist() == list(range(ROWS))
    assert mixed.path.endswith(", refit")


def test_path_that_gives_up_is_noted_and_refitted(monkeypatch: pytest.MonkeyPatch) -> None:
    from heldout.learners.exact.path import ExactPath

    def give_up(self: Any, _: Any) -> Any:
        raise np.linalg.LinAlgError("singular")

    monkeypatch.setattr(ExactPath, "run", give_up)
    made = run(DATA, [lda()], LOO)
    assert made["lda"].path == "refit"
    assert len(made["lda"].splits) == ROWS
    assert "lda: refitted; the exact path" in made.notes[0]
    assert made.notes[0].endswith("gave up: LinAlgError: singular")
