"""Runs by Ray's and Spark's backends of joblib, where these are installed."""

from __future__ import annotations

import os
import signal
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from heldout.core.errors import InputError
from heldout.runner.history import past_run
from heldout.runner.run import run
from heldout.runner.store import Store
from tests.conftest import ROOT
from tests.runner.making import assert_same, odd_where, some_data, some_splits, two_models
from tests.runner.test_crash import finished, fits, started, wait_for_fits

DATA, SPLITS = some_data(), some_splits()

pytestmark = pytest.mark.filterwarnings("default")


@pytest.fixture(scope="module", params=["ray", "spark"])
def backend(request: pytest.FixtureRequest) -> Iterator[str]:
    """A cluster of two workers of this machine, that heldout finds started."""
    with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        paths = [str(ROOT), str(ROOT / "src"), os.environ.get("PYTHONPATH", "")]
        patch.setenv("PYTHONPATH", os.pathsep.join(paths))
        patch.setenv("PYSPARK_PYTHON", sys.executable)
        stop = {"ray": _ray, "spark": _spark}[request.param]()
        yield request.param
        stop()


def _ray() -> Any:
    ray = pytest.importorskip("ray", reason="no Ray: ray is not installed")
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, logging_level="error")
    return ray.shutdown


def _spark() -> Any:
    for package in ("pyspark", "joblibspark"):
        pytest.importorskip(package, reason=f"no Spark: {package} is not installed")
    from pyspark.sql import SparkSession

    session = SparkSession.builder.master("local[2]").getOrCreate()
    return session.stop


def test_two_workers_give_the_same_as_one_process(backend: Any, tmp_path: Path) -> None:
    plain = run(DATA, two_models(), SPLITS, exact=False, seed=3)
    store = Store(tmp_path)
    how: Any = {"store": store, "exact": False, "seed": 3}
    made = run(DATA, two_models(), SPLITS, backend=backend, **how)
    for name in plain:
        assert_same(plain[name], made[name])
    assert run(DATA, two_models(), SPLITS, **how).fitted == 0


@pytest.mark.parametrize(
    ("act", "timeout", "said"),
    [
        ("raise", None, "ValueError: this fold is not liked"),
        ("hang", 3.0, "timeout: not done after 3 s"),
        ("die", None, "the worker process died (killed, perhaps for lack of memory)"),
    ],
)
def test_fold_that_fails_is_failed_and_the_others_go_on(
    backend: Any, act: str, timeout: float | None, said: str
) -> None:
    models = [odd_where(DATA, 7, act), *two_models()]
    made = run(DATA, models, SPLITS, exact=False, backend=backend, timeout=timeout)
    assert [text for _, text in made["odd"].failures] == [said] * 2
    assert len(made["odd"].splits) == 8
    assert len(made["nb"].splits) == len(made["tree"].splits) == 10


def test_what_workers_cannot_load_is_said(backend: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def lost(*given: Any) -> Any:
        raise ModuleNotFoundError("No module named 'heldout'")

    monkeypatch.setattr("heldout.runner.child.in_own_child", lost)
    with pytest.raises(InputError, match=f"backend {backend}: its workers could not run a batch"):
        run(DATA, two_models(), SPLITS, exact=False, backend=backend)


def test_killed_run_goes_on_where_it_was(backend: Any, tmp_path: Path) -> None:
    process = started(tmp_path, jobs=2, pause=0.3, backend=backend)
    # a cluster of its own takes its time to start
    wait_for_fits(tmp_path, 25, seconds=300)
    process.send_signal(signal.SIGKILL)
    process.wait(10)
    known = past_run(Store(tmp_path), 1).done
    assert 0 < known < 60
    resumed = finished(tmp_path)
    assert (resumed.reused, resumed.fitted) == (known, 60 - known)
    # at most a round is lost, and what its workers did before they noticed
    assert len(fits(tmp_path)) <= 60 + 3 * 2 + 4
