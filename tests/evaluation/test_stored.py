"""Runs of the store as they are compared: with weights and groups, or with a word on why not."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import heldout
from heldout.evaluation.stored import predictions_of_runs
from heldout.runner.store import Store

MEASURES = ["accuracy", "brier_score"]


def data(rows: int = 90) -> tuple[Any, Any, Any, Any]:
    rng = np.random.default_rng(1)
    group = np.arange(rows) % 15
    X = rng.normal(size=(rows, 3)) + rng.normal(size=15)[group, None]
    y = (X[:, 0] + rng.normal(size=rows) > 0).astype(int)
    return X, y, [f"g{g}" for g in group], rng.uniform(0.5, 5, rows)


def evaluated(folder: Path, **more: Any) -> Any:
    X, y, group, weight = data()
    given: dict[str, Any] = {"groups": group, "sample_weight": weight} | more
    return heldout.evaluate(
        ["nb", "lda"], X, y, procedure="3-fold", pos_label=1, store=folder, **given
    )


def changed_facts(folder: Path, change: Any) -> None:
    """The store with other facts of its only run."""
    with closing(sqlite3.connect(Store(folder).path)) as connection, connection:
        (facts,) = connection.execute("SELECT facts FROM run").fetchone()
        connection.execute("UPDATE run SET facts = ?", (json.dumps(change(json.loads(facts))),))


def test_weights_and_groups_of_a_run_are_those_of_the_evaluation(tmp_path: Path) -> None:
    evaluation = evaluated(tmp_path)
    notes: list[str] = []
    stored = predictions_of_runs(Store(tmp_path), ["1"], notes)
    assert notes == []
    here = heldout.compare(evaluation, measures=MEASURES)
    there = heldout.compare(*stored, measures=MEASURES)
    assert there.design == here.design
    assert there.design.groups == 15
    for one, two in zip(here.differences, there.differences, strict=True):
        assert two.value == pytest.approx(one.value)
        assert two.p_value == pytest.approx(one.p_value)
    weight = data()[3]
    for p in stored:
        assert p.weight is not None
        assert sorted(p.weight) == pytest.approx(sorted(weight))
    plain = heldout.compare(evaluated(tmp_path / "plain", sample_weight=None), measures=MEASURES)
    assert plain["accuracy"].value != pytest.approx(there["accuracy"].value)


def test_rows_without_weights_and_groups_have_none(tmp_path: Path) -> None:
    evaluated(tmp_path, groups=None, sample_weight=None)
    notes: list[str] = []
    for p in predictions_of_runs(Store(tmp_path), ["1"], notes):
        assert p.weight is None
        assert p.design.group is None
    assert notes == []


def test_store_that_kept_no_weights_says_so(tmp_path: Path) -> None:
    evaluated(tmp_path)
    changed_facts(tmp_path, lambda f: {k: v for k, v in f.items() if k not in ("weight", "group")})
    notes: list[str] = []
    predictions_of_runs(Store(tmp_path), ["1"], notes)
    assert len(notes) == 1
    assert "run 1 was stored without weights and groups" in notes[0]
