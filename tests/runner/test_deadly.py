"""After a fit that ended a process nothing is fitted in ours, in this run or in later ones."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from sklearn.naive_bayes import GaussianNB

from heldout.runner import state
from heldout.runner.run import run
from heldout.runner.store import Store
from tests.conftest import ROOT
from tests.runner.making import Held, a_model, some_data, some_splits

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


def test_model_that_cannot_be_sent_is_fitted_here_where_no_process_is_copied(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("heldout.runner.child.sys.platform", "darwin")
    monkeypatch.setattr(state, "_DEADLY", {tmp_path.resolve()})
    model = a_model(Held(act="nothing"), "held")
    made = run(DATA, [model], SPLITS[0], store=Store(tmp_path), exact=False)
    assert (len(made["held"].splits), made["held"].failures) == (FOLDS, ())
