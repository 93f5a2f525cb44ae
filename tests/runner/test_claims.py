"""Several processes at one run share its splits; those of one that is killed are taken over."""

from __future__ import annotations

import re
import signal
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from heldout.runner import claims
from heldout.runner.claims import Locks
from heldout.runner.history import past_run
from heldout.runner.run import run
from heldout.runner.store import Store
from heldout.runner.task import Work
from tests.runner.making import Odd, a_model, assert_same, odd_where, some_data, some_splits
from tests.runner.test_crash import SPLITS, finished, fits, started, wait_for_fits

DATA = some_data()


def plain() -> Any:
    return run(DATA, [a_model(Odd(act="nothing"), "odd", "odd")], SPLITS, exact=False)["odd"]


def test_two_processes_share_the_work(tmp_path: Path) -> None:
    processes = [started(tmp_path, pause=0.03) for _ in range(2)]
    assert [process.wait(120) for process in processes] == [0, 0]
    assert len(fits(tmp_path)) == len(set(fits(tmp_path))) == 60
    assert past_run(Store(tmp_path), 1).models[0].computed == 60
    resumed = finished(tmp_path)
    assert (resumed.reused, resumed.fitted) == (60, 0)
    assert_same(resumed["odd"], plain())


def test_splits_of_a_killed_process_are_done_by_the_other(tmp_path: Path) -> None:
    killed, other = started(tmp_path, pause=0.1), started(tmp_path, pause=0.1)
    wait_for_fits(tmp_path, 12)
    killed.send_signal(signal.SIGKILL)
    killed.wait(10)
    before = len(fits(tmp_path))
    assert other.wait(120) == 0
    assert past_run(Store(tmp_path), 1).done == 60
    # no more than what the killed one had under way, or had not committed, was done twice
    assert 60 <= len(fits(tmp_path)) <= 60 + before
    assert finished(tmp_path).fitted == 0
    assert_same(finished(tmp_path)["odd"], plain())


def test_process_that_does_nothing_is_not_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model, store = a_model(Odd(act="nothing"), "odd", "odd"), Store(tmp_path)
    monkeypatch.setattr(claims, "PATIENCE", 0.3)
    with (
        closing(store.begin(Work(DATA, (model,), SPLITS, 0))) as record,
        closing(record.claims()) as idle,
    ):
        assert idle.ours(0, [3, 4, 7]) == (3, 4, 7)
        made = run(DATA, [model], SPLITS, store=store, exact=False)
    (said,) = made.notes
    # how long it waited depends on how busy the machine is
    assert re.sub(r"\d+ s:", "some time:", said) == (
        "3 splits are held by another process that has done none for some time: they were done "
        "here too"
    )
    assert made.fitted == 60
    assert_same(made["odd"], plain())


def test_threads_of_one_process_share_the_work(tmp_path: Path) -> None:
    log = tmp_path / "fits"
    model = a_model(Odd(act="nothing", log=str(log), pause=0.01), "odd", "odd")

    def evaluated(_: int) -> Any:
        return run(DATA, [model], SPLITS, store=Store(tmp_path / "store"), exact=False)

    with ThreadPoolExecutor(3) as pool:
        made = list(pool.map(evaluated, range(3)))
    assert len(log.read_text().splitlines()) == 60
    assert sum(one.fitted for one in made) == 60
    assert all(one.fitted + one.reused == 60 for one in made)
    assert any("done by another process at the same time (run 1)" in one.recalled for one in made)
    for one in made:
        assert_same(one["odd"], plain())


def test_two_that_try_failed_splits_again_do_not_wait_for_each_other(tmp_path: Path) -> None:
    store, splits = Store(tmp_path), some_splits()
    bad = odd_where(DATA, 7, "raise")
    run(DATA, [bad], splits, store=store)

    def again(_: int) -> Any:
        return run(DATA, [bad], splits, store=store, retry_failed=True)["odd"].failures

    with ThreadPoolExecutor(2) as pool:
        one, two = pool.map(again, range(2))
    assert one == two
    assert len(one) == 2


def test_training_rows_are_shared_too(tmp_path: Path) -> None:
    model = a_model(Odd(act="nothing", pause=0.01), "odd", "odd")

    def evaluated(train: bool) -> Any:
        return run(DATA, [model], SPLITS, store=Store(tmp_path), exact=False, train_error=train)

    with ThreadPoolExecutor(3) as pool:
        made = list(pool.map(evaluated, [True, False, True]))
    assert_same(made[0].train["odd"], made[2].train["odd"])
    for one in made:
        assert_same(one["odd"], plain())


def test_number_is_held_by_one_until_it_lets_go(tmp_path: Path) -> None:
    one, two = Locks(tmp_path), Locks(tmp_path)
    assert one.take(5)
    assert one.take(5)
    assert not two.take(5)
    assert two.take(6)
    one.close()
    assert two.take(5)
    two.close()
    assert not claims._FILES


def test_without_locks_the_work_is_done_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(claims, "_open_file", lambda folder: None)
    model = a_model(Odd(act="nothing"), "odd", "odd")
    made = run(DATA, [model], SPLITS, store=Store(tmp_path), exact=False)
    assert made.fitted == 60
    assert [file.name for file in tmp_path.iterdir()] == ["runs.sqlite"]
