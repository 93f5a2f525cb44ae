"""A fit that ends its process: the next run says which it was, and fits it in another process.

Models that can be sent to no other process are fitted in a copy of this one. After a fit that ended
a process, nothing is fitted in ours, in this run or in later ones.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.naive_bayes import GaussianNB

from heldout.core.dialect import worded
from heldout.core.errors import InputError
from heldout.runner import state
from heldout.runner.backends import NOWHERE
from heldout.runner.child import in_children
from heldout.runner.claims import FILE, Claims
from heldout.runner.run import run
from heldout.runner.store import Store
from heldout.runner.task import Batches, Work
from tests.conftest import ROOT
from tests.runner.making import (
    Held,
    Odd,
    a_model,
    assert_same,
    odd_where,
    some_data,
    some_splits,
    two_models,
)

DATA, SPLITS = some_data(), some_splits(repeats=1)
CALL = """
import json, sys
from pathlib import Path
from heldout.runner.run import run
from heldout.runner.store import Store
from tests.runner.test_ended_fits import DATA, SPLITS, models
kind, how = json.loads(sys.argv[2])
made = run(DATA, models(kind), SPLITS, store=Store(Path(sys.argv[1])), exact=False, **how)
print(json.dumps([made.notes, made["odd"].failures, made.fitted, made.reused]))
"""


def models(kind: str = "Odd") -> list[Any]:
    """Two good ones, and one that ends its process in the split that tests row 7, or in all."""
    if kind == "Always":
        return [*two_models(), a_model(Odd(act="leave"), "odd")]
    return [*two_models(), odd_where(DATA, 7, "leave", kind={"Odd": Odd, "Held": Held}[kind])]


def in_a_process(folder: Path, kind: str = "Odd", **how: Any) -> tuple[int, Any]:
    """Exit code and answer of a process that runs the models."""
    paths = os.pathsep.join((str(ROOT / "src"), str(ROOT)))
    done = subprocess.run(
        [sys.executable, "-c", CALL, str(folder), json.dumps([kind, how])],
        env={**os.environ, "PYTHONPATH": paths},
        stdout=subprocess.PIPE,
        cwd=ROOT,
        check=False,
    )
    return done.returncode, json.loads(done.stdout or "null")


def marks(folder: Path) -> bytes:
    return (folder / FILE).read_bytes().strip(b"\0")


@pytest.mark.parametrize("how", [{}, {"backend": "threading", "jobs": 2}], ids=str)
def test_fit_that_ended_its_process_fails_alone_when_the_run_is_taken_up(
    tmp_path: Path, how: dict[str, Any]
) -> None:
    split = int(SPLITS.assignment[0, 7])
    assert in_a_process(tmp_path, **how) == (7, None)
    assert marks(tmp_path)
    code, (notes, failures, fitted, reused) = in_a_process(tmp_path, **how)
    assert code == 0
    assert failures == [[split, "the worker process died (exit code 7)"]]
    assert fitted + reused == 15
    said = f"odd: an earlier process ended while it fitted split {split + 1}, which was now fitted "
    assert said + "in a process of its own" in notes
    assert not marks(tmp_path)


def test_fit_that_ended_a_worker_is_tried_again_in_another_one(tmp_path: Path) -> None:
    made = run(DATA, models(), SPLITS, store=Store(tmp_path), exact=False, timeout=60.0)
    (failure,) = made["odd"].failures
    assert failure[1] == "the worker process died (exit code 7)"
    again = in_a_process(tmp_path, retry_failed=True)
    assert again == (0, [[], [[*failure]], 1, 14])


def claims_of(folder: Path, seed: int = 0) -> Claims:
    """The claims of a run of two models in ten splits."""
    work = Work(DATA, two_models(), some_splits(), seed)
    return Claims(folder / "runs.sqlite", f"run {seed}", work)


def begin_and_go(folder: Path, model: int, position: int) -> None:
    """Marks as a process leaves them that ends without a word."""
    gone = claims_of(folder)
    gone.under_way(model, position).__enter__()
    gone._locks.close()


def test_only_what_nobody_fits_any_more_is_left(tmp_path: Path) -> None:
    todo = {0: [2, 3], 1: [4]}
    with closing(claims_of(tmp_path)) as living:
        assert living.ours(0, [3]) == (3,)
        with living.under_way(0, 3):
            begin_and_go(tmp_path, 1, 4)
            with closing(claims_of(tmp_path)) as other:
                assert other.left_behind(todo) == {(1, 4)}
                # nobody else takes it for left while this one sees to it
                with closing(claims_of(tmp_path)) as third:
                    assert third.left_behind(todo) == set()
                other.settle(1, 4)
                assert marks(tmp_path)
    assert not marks(tmp_path)


def test_what_was_done_since_is_forgotten_and_other_runs_are_left_alone(tmp_path: Path) -> None:
    begin_and_go(tmp_path, 0, 3)
    with closing(claims_of(tmp_path, seed=1)) as another:
        assert another.left_behind({0: [3]}) == set()
    assert marks(tmp_path)
    with closing(claims_of(tmp_path)) as same:
        assert same.left_behind({0: [5]}) == set()
    assert not marks(tmp_path)


def test_run_that_is_broken_off_leaves_what_was_left(tmp_path: Path) -> None:
    begin_and_go(tmp_path, 0, 3)
    with closing(claims_of(tmp_path)) as broken:
        assert broken.left_behind({0: [3]}) == {(0, 3)}
        broken.under_way(0, 8).__enter__()
    with closing(claims_of(tmp_path)) as again:
        assert again.left_behind({0: [3, 8]}) == {(0, 3)}


def test_model_that_ends_every_process_is_let_into_none_of_ours_again(tmp_path: Path) -> None:
    assert in_a_process(tmp_path, "Always") == (7, None)
    code, (_, failures, fitted, reused) = in_a_process(tmp_path, "Always")
    assert code == 0
    died = "the worker process died (exit code 7)"
    assert failures == [[split, died] for split in range(len(SPLITS))]
    assert fitted + reused == 3 * len(SPLITS)
    assert not marks(tmp_path)


def left_behind(store: Store, model: Any, position: int) -> None:
    """Marks as a process leaves them that ended while it fitted a split of a model."""
    with closing(store.begin(Work(DATA, (model,), SPLITS, 0))) as record:
        gone = record.claims()
        gone.under_way(0, position).__enter__()
        gone._locks.close()


def test_fold_that_was_only_interrupted_is_the_same_as_ever(tmp_path: Path) -> None:
    model, store = a_model(Held(act="nothing"), "held"), Store(tmp_path)
    left_behind(store, model, 2)
    made = run(DATA, [model], SPLITS, store=store, exact=False)
    assert (made.fitted, made["held"].failures) == (5, ())
    assert made.notes == (
        "held: an earlier process ended while it fitted split 3, which was now fitted in a "
        "process of its own",
    )
    assert_same(made["held"], run(DATA, [a_model(Odd(act="nothing"))], SPLITS, exact=False)["Odd"])


def test_crash_is_tried_again_in_a_copy_that_alone_ends(tmp_path: Path) -> None:
    assert in_a_process(tmp_path, "Held")[0] == 7
    code, (_, failures, fitted, reused) = in_a_process(tmp_path, "Held")
    assert failures == [[int(SPLITS.assignment[0, 7]), "the worker process died (exit code 7)"]]
    assert (code, fitted + reused) == (0, 15)
    assert not marks(tmp_path)
    assert in_a_process(tmp_path, "Held", retry_failed=True) == (0, [[], failures, 1, 14])


def test_model_beside_one_that_cannot_be_sent_goes_to_a_child(tmp_path: Path) -> None:
    ones = [*models(), a_model(Held(act="nothing"), "held")]
    store = Store(tmp_path)
    left_behind(store, ones[2], int(SPLITS.assignment[0, 7]))
    made = run(DATA, ones, SPLITS, store=store, exact=False)
    assert [text for _, text in made["odd"].failures] == ["the worker process died (exit code 7)"]
    assert len(made["held"].splits) == 5
    assert not marks(tmp_path)


def test_where_no_process_is_copied_the_fold_is_failed_untried(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("heldout.runner.child.sys.platform", "darwin")
    model, store = a_model(Held(act="nothing"), "held"), Store(tmp_path)
    left_behind(store, model, 2)
    made = run(DATA, [model], SPLITS, store=store, exact=False)
    reason = worded(NOWHERE)
    assert (made["held"].failures, made.notes) == (((2, reason),), ())
    again = run(DATA, [model], SPLITS, store=store, exact=False, retry_failed=True)
    assert (again.fitted, again["held"].failures) == (1, ())


def test_time_limit_needs_a_model_that_can_be_sent(tmp_path: Path) -> None:
    model, store = a_model(Held(act="nothing"), "held"), Store(tmp_path)
    left_behind(store, model, 2)
    with pytest.raises(InputError, match="held: it cannot be sent to another process"):
        run(DATA, [model], SPLITS, store=store, exact=False, timeout=9.0)


def test_copy_computes_after_threads_were_used_here() -> None:
    """A copy that waited for OpenMP's threads of its origin would never end."""
    many = some_data(rows=6000)
    splits = some_splits(rows=6000, repeats=1)
    boosting = a_model(HistGradientBoostingClassifier(max_iter=5), "boosting")
    here = run(many, [boosting], splits, exact=False)["boosting"]
    work = Work(many, (boosting,), splits, 0)
    (done,) = in_children(work, Batches({0: [1]}), jobs=1, timeout=None)
    (outcome,) = done.outcomes
    assert outcome.scores is not None
    assert here.scores is not None
    assert np.array_equal(outcome.scores, here.scores[here.split_of == 1])


FOLDS = 3
#: as the runs of a nested search: along all rows first, then along others
NESTED = [some_splits(folds=FOLDS, repeats=repeats) for repeats in (1, 2, 3)]
CALL_OF_SETTINGS = """
import json, sys
from pathlib import Path
from heldout.runner.run import run
from heldout.runner.store import Store
from tests.runner.test_ended_fits import DATA, NESTED, settings
store, told = Store(Path(sys.argv[1])), []
for which in json.loads(sys.argv[2]):
    made = run(DATA, settings(), NESTED[which], store=store, exact=False)
    told.append({name: [len(one.splits), len(one.failures)] for name, one in made.items()})
print(json.dumps(told))
"""


def settings() -> list[Any]:
    """Two of a kind that end every process, and another model."""
    one, two = Held(act="leave"), Held(act="leave", pause=0.001)
    return [a_model(GaussianNB(), "nb"), a_model(one, "one"), a_model(two, "two")]


def settings_in_a_process(folder: Path, *which: int) -> tuple[int, Any]:
    """Exit code and answer of a process that runs the settings along some splits in turn."""
    done = subprocess.run(
        [sys.executable, "-c", CALL_OF_SETTINGS, str(folder), json.dumps(which)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join((str(ROOT / "src"), str(ROOT)))},
        stdout=subprocess.PIPE,
        cwd=ROOT,
        check=False,
    )
    return done.returncode, json.loads(done.stdout or "null")


def test_settings_that_end_every_process_end_one_of_ours(tmp_path: Path) -> None:
    assert settings_in_a_process(tmp_path, 0, 1) == (7, None)
    count = [FOLDS * repeats for repeats in (1, 2, 3)]
    all_fail = [{"nb": [n, 0], "one": [0, n], "two": [0, n]} for n in count]
    assert settings_in_a_process(tmp_path, 0, 1) == (0, all_fail[:2])
    # nothing is left of the first run, and yet the next one is warned by it
    assert settings_in_a_process(tmp_path, 0, 2) == (0, [all_fail[0], all_fail[2]])


def test_model_that_cannot_be_sent_is_fitted_here_where_no_process_is_copied(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("heldout.runner.child.sys.platform", "darwin")
    monkeypatch.setattr(state, "_DEADLY", {tmp_path.resolve()})
    model = a_model(Held(act="nothing"), "held")
    made = run(DATA, [model], NESTED[0], store=Store(tmp_path), exact=False)
    assert (len(made["held"].splits), made["held"].failures) == (FOLDS, ())
