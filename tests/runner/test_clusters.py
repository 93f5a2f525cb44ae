"""Runs on clusters: a real one of two Dask workers, and what is said where a package lacks."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import pytest

from heldout.core.errors import InputError, MissingExtra
from heldout.runner.run import run
from heldout.runner.store import Store
from tests.runner.making import assert_same, odd_where, some_data, some_splits, two_models

DATA, SPLITS = some_data(), some_splits()

pytestmark = pytest.mark.filterwarnings("default")


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    distributed = pytest.importorskip("distributed", reason="no Dask: distributed is not installed")
    options: Any = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None}
    with distributed.LocalCluster(**options) as cluster:
        yield cluster.scheduler_address


def test_two_dask_workers_give_the_same_as_one_process(address: str, tmp_path: Any) -> None:
    plain = run(DATA, two_models(), SPLITS, exact=False, seed=3)
    store = Store(tmp_path)
    made = run(
        DATA,
        two_models(),
        SPLITS,
        store=store,
        exact=False,
        seed=3,
        backend="dask",
        scheduler=address,
    )
    for name in plain:
        assert_same(plain[name], made[name])
    assert run(DATA, two_models(), SPLITS, store=store, exact=False, seed=3).fitted == 0


def test_dask_worker_stops_a_fit_that_hangs(address: str) -> None:
    models = [odd_where(DATA, 7, "hang"), *two_models()]
    made = run(DATA, models, SPLITS, exact=False, backend="dask", scheduler=address, timeout=2.0)
    assert [text for _, text in made["odd"].failures] == ["timeout: not done after 2 s"] * 2
    assert len(made["odd"].splits) == 8
    assert len(made["nb"].splits) == 10


def test_model_that_kills_its_process_leaves_the_dask_worker_alone(address: str) -> None:
    models = [odd_where(DATA, 7, "die"), *two_models()]
    made = run(DATA, models, SPLITS, exact=False, backend="dask", scheduler=address)
    said = "the worker process died (killed, perhaps for lack of memory)"
    assert [text for _, text in made["odd"].failures] == [said] * 2
    assert len(made["odd"].splits) == 8
    assert len(made["nb"].splits) == len(made["tree"].splits) == 10


def test_dask_scheduler_that_does_not_answer_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("distributed", reason="no Dask: distributed is not installed")
    monkeypatch.setattr("heldout.runner.clusters.PATIENCE", 0.5)
    with pytest.raises(InputError, match=r"no Dask scheduler answers at tcp://127\.0\.0\.1:9"):
        run(DATA, two_models(), SPLITS, exact=False, backend="dask", scheduler="tcp://127.0.0.1:9")
    with pytest.raises(InputError, match="no scheduler is named"):
        run(DATA, two_models(), SPLITS, exact=False, backend="dask")


@pytest.mark.parametrize(
    ("backend", "module"), [("dask", "distributed"), ("ray", "ray"), ("spark", "joblibspark")]
)
def test_missing_package_is_named_with_its_extra(
    backend: Any, module: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(MissingExtra, match=rf'pip install "heldout\[{backend}\]"'):
        run(DATA, two_models(), SPLITS, exact=False, backend=backend)
