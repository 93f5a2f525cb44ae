"""A fit that ends its process: the next run says which it was, and fits it in another process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from heldout.runner.claims import FILE, Claims
from heldout.runner.run import run
from heldout.runner.store import Store
from heldout.runner.task import Work
from tests.conftest import ROOT
from tests.runner.making import Held, Odd, a_model, odd_where, some_data, some_splits, two_models

DATA, SPLITS = some_data(), some_splits(repeats=1)
CALL = """
import json, sys
from pathlib import Path
from heldout.runner.run import run
from heldout.runner.store import Store
from tests.runner.test_under_way import DATA, SPLITS, models
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
                assert other.left_behind(todo) == {1: [4]}
                # nobody else takes it for left while this one sees to it
                with closing(claims_of(tmp_path)) as third:
                    assert third.left_behind(todo) == {}
                other.settle(1, 4)
                assert marks(tmp_path)
    assert not marks(tmp_path)


def test_what_was_done_since_is_forgotten_and_other_runs_are_left_alone(tmp_path: Path) -> None:
    begin_and_go(tmp_path, 0, 3)
    with closing(claims_of(tmp_path, seed=1)) as another:
        assert another.left_behind({0: [3]}) == {}
    assert marks(tmp_path)
    with closing(claims_of(tmp_path)) as same:
        assert same.left_behind({0: [5]}) == {}
    assert not marks(tmp_path)


def test_run_that_is_broken_off_leaves_what_was_left(tmp_path: Path) -> None:
    begin_and_go(tmp_path, 0, 3)
    with closing(claims_of(tmp_path)) as broken:
        assert broken.left_behind({0: [3]}) == {0: [3]}
        broken.under_way(0, 8).__enter__()
    with closing(claims_of(tmp_path)) as again:
        assert again.left_behind({0: [3, 8]}) == {0: [3]}


def test_model_that_ends_every_process_is_let_into_none_of_ours_again(tmp_path: Path) -> None:
    assert in_a_process(tmp_path, "Always") == (7, None)
    code, (_, failures, fitted, reused) = in_a_process(tmp_path, "Always")
    assert code == 0
    died = "the worker process died (exit code 7)"
    assert failures == [[split, died] for split in range(len(SPLITS))]
    assert fitted + reused == 3 * len(SPLITS)
    assert not marks(tmp_path)
