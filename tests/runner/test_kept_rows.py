"""What a store keeps of the rows and offers on reading, to whoever may only read as well."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from heldout.core.errors import InputError
from heldout.runner.export import table_of_run
from heldout.runner.history import past_run, past_runs, remove_run
from heldout.runner.run import run
from heldout.runner.store import Store
from heldout.tables.column import Column
from tests.runner.making import Odd, a_model, assert_same, some_data, some_splits

DATA, SPLITS = some_data(), some_splits()
MODEL = a_model(Odd(act="nothing"), "odd", "odd")


def test_weights_and_groups_are_kept_once_a_run(tmp_path: Path) -> None:
    weight = np.arange(60) / 7
    group = Column("who", np.arange(60) // 4, tuple(f"g{i}" for i in range(15)))
    data = replace(DATA, weight=weight, group=group)
    models = [MODEL, a_model(Odd(act="nothing"), "other", "other")]
    run(data, models, SPLITS, store=Store(tmp_path), exact=False)
    (found,) = past_runs(Store(tmp_path))
    assert found.facts["weight"] == weight.tolist()
    assert found.facts["group"] == [f"g{i // 4}" for i in range(60)]
    table = table_of_run(Store(tmp_path), 1, [])
    rows = table["id"].astype(int) - 1
    assert np.array_equal(table["sample_weight"], weight[rows])
    assert table["group"].tolist() == [f"g{row // 4}" for row in rows]
    # other weights are other data
    run(replace(data, weight=weight + 1), models, SPLITS, store=Store(tmp_path), exact=False)
    assert len(past_runs(Store(tmp_path))) == 2


def test_log_of_a_killed_process_is_read_where_nothing_can_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, copy = Store(tmp_path / "one"), Store(tmp_path / "two")
    run(DATA, [MODEL], SPLITS, store=store, exact=False)
    with closing(sqlite3.connect(store.path, isolation_level=None)) as connection:
        connection.execute("PRAGMA wal_autocheckpoint = 0")
        connection.execute("UPDATE run SET data = 'in the log'")
        shutil.copytree(store.folder, copy.folder)
    monkeypatch.setattr("heldout.runner.database.os.access", lambda *given: False)
    assert past_run(copy, 1).data == "in the log"
    assert past_run(store, 1).data == "in the log"


def test_run_that_is_removed_while_it_goes_on_says_so(tmp_path: Path) -> None:
    class Removing:
        def start(self, total: int, done: int = 0) -> None: ...

        def advance(self, model: str, split: int, seconds: float, count: int = 1) -> None:
            if split == 5:
                # the folds so far are in the store before it is removed
                held[0].settle()
                remove_run(Store(tmp_path), 1)

        def finish(self) -> None: ...

    held: list[Any] = []
    store = Store(tmp_path)
    begun = Store.begin

    def begin(self: Store, work: Any) -> Any:
        held.append(begun(self, work))
        return held[0]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Store, "begin", begin)
        # as on a drive that knows no locks, where nobody sees that it is under way
        patch.setattr("heldout.runner.history._refuse_under_way", lambda *_: None)
        with pytest.raises(InputError, match="another process has removed this run"):
            run(DATA, [MODEL], SPLITS, store=store, exact=False, progress=Removing())
    made = run(DATA, [MODEL], SPLITS, store=store, exact=False)
    assert made.fitted == 10
    assert_same(made["odd"], run(DATA, [MODEL], SPLITS, exact=False)["odd"])
