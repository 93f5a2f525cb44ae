"""A kind of model that ended a process is let into none of ours, in this run or in later ones."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from sklearn.ensemble import BaggingClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from heldout.runner.batches import Batches
from heldout.runner.deadly import Deadly, kinds_of
from heldout.runner.run import run
from heldout.runner.store import Store
from tests.conftest import ROOT
from tests.runner.making import Held, Odd, a_model, some_data, some_splits

DATA, FOLDS = some_data(), 3
#: as the runs of a nested search: along all rows first, then along others
SPLITS = [some_splits(folds=FOLDS, repeats=repeats) for repeats in (1, 2, 3)]
CALL = """
import json, sys
from pathlib import Path
from heldout.runner.run import run
from heldout.runner.store import Store
from tests.runner.test_deadly import DATA, SPLITS, settings
store, told = Store(Path(sys.argv[1])), []
for which in json.loads(sys.argv[2]):
    made = run(DATA, settings(), SPLITS[which], store=store, exact=False)
    told.append({name: [len(one.splits), len(one.failures)] for name, one in made.items()})
print(json.dumps(told))
"""


def settings() -> list[Any]:
    """Two of a kind that end every process, and another model."""
    one, two = Held(act="leave"), Held(act="leave", pause=0.001)
    return [a_model(GaussianNB(), "nb"), a_model(one, "one"), a_model(two, "two")]


def in_a_process(folder: Path, *which: int) -> tuple[int, Any]:
    """Exit code and answer of a process that runs the settings along some splits in turn."""
    done = subprocess.run(
        [sys.executable, "-c", CALL, str(folder), json.dumps(which)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join((str(ROOT / "src"), str(ROOT)))},
        stdout=subprocess.PIPE,
        cwd=ROOT,
        check=False,
    )
    return done.returncode, json.loads(done.stdout or "null")


def test_settings_that_end_every_process_end_one_of_ours(tmp_path: Path) -> None:
    assert in_a_process(tmp_path, 0, 1) == (7, None)
    count = [FOLDS * repeats for repeats in (1, 2, 3)]
    all_fail = [{"nb": [n, 0], "one": [0, n], "two": [0, n]} for n in count]
    assert in_a_process(tmp_path, 0, 1) == (0, all_fail[:2])
    # nothing is left of the first run, and yet the next one is warned by it
    assert in_a_process(tmp_path, 0, 2) == (0, [all_fail[0], all_fail[2]])


def test_kind_of_a_model_is_what_others_are_not_made_of() -> None:
    odd = {"tests.runner.making.Odd"}
    assert kinds_of(Odd()) == odd
    assert kinds_of(make_pipeline(StandardScaler(), Odd())) == odd
    assert kinds_of(BaggingClassifier(Odd())) == odd
    assert kinds_of(make_pipeline(StandardScaler(), GaussianNB())) == kinds_of(GaussianNB())
    assert kinds_of(DecisionTreeClassifier()) != kinds_of(GaussianNB())
    assert kinds_of(object()) == {"builtins.object"}


def test_what_one_store_knows_is_nothing_to_another(tmp_path: Path) -> None:
    models = [a_model(Odd()), a_model(GaussianNB()), a_model(Odd(pause=1.0), "other")]
    deadly = Deadly(tmp_path / "one", models)
    assert 0 not in deadly
    deadly.add(0)
    assert [index in deadly for index in range(3)] == [True, False, True]
    assert deadly.themselves == {0}
    later = Deadly(tmp_path / "one", models[1:])
    assert [index in later for index in range(2)] == [False, True]
    assert not later.themselves
    assert 0 not in Deadly(tmp_path / "two", models)


def test_like_of_a_deadly_model_is_fitted_here_where_no_process_is_copied(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("heldout.runner.forked.sys.platform", "darwin")
    Deadly(tmp_path, settings()).add(1)
    model = a_model(Held(act="nothing"), "held")
    made = run(DATA, [model], SPLITS[0], store=Store(tmp_path), exact=False)
    assert (len(made["held"].splits), made["held"].failures) == (FOLDS, ())


def test_what_is_left_of_a_model_is_given_out_apart() -> None:
    batches = Batches({0: [0, 1, 2], 1: [4, 5]}, 2, lambda _, chosen: tuple(chosen))
    first = next(batches)
    apart = batches.without({0, 7})
    assert [(one.model, one.positions) for one in apart] == [(0, (1,)), (0, (2,))]
    assert [(one.model, one.positions) for one in batches] == [(1, (4,)), (1, (5,))]
    assert (first.model, first.positions) == (0, (0,))
    assert sorted(batches.under_way) == [(0, 0), (1, 4), (1, 5)]
