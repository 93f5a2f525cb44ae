"""Runs: the same whoever does the work; a fold that fails is an outcome and stops nothing."""

from __future__ import annotations

import time
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.model_selection import cross_val_predict
from sklearn.naive_bayes import GaussianNB

from heldout.core.errors import InputError
from heldout.runner.run import run
from tests.runner.making import (
    Odd,
    a_model,
    assert_same,
    odd_where,
    some_data,
    some_splits,
    two_models,
)

DATA, SPLITS = some_data(), some_splits()


@pytest.mark.parametrize(
    "how",
    [
        {"jobs": 2},
        {"jobs": 2, "backend": "threading"},
        {"jobs": 2, "timeout": 60.0},
        {"jobs": -1, "backend": "sequential"},
    ],
    ids=str,
)
def test_result_does_not_depend_on_who_does_the_work(how: dict[str, Any]) -> None:
    plain = run(DATA, two_models(), SPLITS, exact=False, seed=5)
    other = run(DATA, two_models(), SPLITS, exact=False, seed=5, **how)
    for name in ("nb", "tree"):
        assert_same(plain[name], other[name])


def test_predictions_are_those_of_scikit_learn() -> None:
    made = run(DATA, [a_model(GaussianNB(), "nb")], SPLITS, exact=False)["nb"]
    pairs = [(split.train, split.test) for split in SPLITS[:5]]
    theirs = cross_val_predict(GaussianNB(), DATA.matrix, DATA.truth, cv=pairs)
    first = made.split_of < 5
    assert theirs[made.rows[first]].tolist() == made.predicted[first].tolist()
    assert sorted(made.rows[first].tolist()) == list(range(60))


def test_seed_decides_what_chance_there_is() -> None:
    tree = two_models()[1:]
    one, same, other = (run(DATA, tree, SPLITS, seed=seed)["tree"] for seed in (1, 1, 2))
    assert_same(one, same)
    assert one.predicted.tolist() != other.predicted.tolist()


def test_training_rows_are_judged_on_request() -> None:
    made = run(DATA, two_models(), SPLITS, train_error=True)
    assert made.fitted == 20
    train = made.train["tree"]
    assert train.part == "train"
    assert np.bincount(train.split_of).tolist() == [48] * 10
    assert (train.predicted == DATA.truth[train.rows]).mean() == 1
    assert (made["tree"].predicted == DATA.truth[made["tree"].rows]).mean() < 1


@pytest.mark.parametrize("how", [{}, {"jobs": 2}], ids=str)
def test_fold_that_raises_is_failed_and_the_rest_goes_on(how: dict[str, Any]) -> None:
    models = [odd_where(DATA, 7, "raise"), *two_models()]
    made = run(DATA, models, SPLITS, exact=False, **how)
    tested = [i for i, split in enumerate(SPLITS) if 7 in split.test]
    assert made["odd"].failures == tuple((i, "ValueError: this fold is not liked") for i in tested)
    assert made["odd"].splits.tolist() == [i for i in range(10) if i not in tested]
    assert len(made["nb"].splits) == len(made["tree"].splits) == 10


def test_nan_output_is_a_failure_that_says_so() -> None:
    made = run(DATA, [a_model(Odd(act="nan"), "odd")], SPLITS)["odd"]
    assert len(made.failures) == 10
    assert "NaN" in made.failures[0][1]


def test_fit_that_hangs_is_stopped() -> None:
    begin = time.monotonic()
    made = run(DATA, [odd_where(DATA, 7, "hang")], SPLITS, timeout=1.0, jobs=2)["odd"]
    assert [text for _, text in made.failures] == ["timeout: not done after 1 s"] * 2
    assert len(made.splits) == 8
    assert time.monotonic() - begin < 30


@pytest.mark.parametrize("timeout", [None, 60.0])
def test_fit_that_kills_its_process_costs_only_itself(timeout: float | None) -> None:
    models = [*two_models(), odd_where(DATA, 7, "die")]
    made = run(DATA, models, SPLITS, timeout=timeout, jobs=2, exact=False)
    said = "the worker process died (killed, perhaps for lack of memory)"
    assert [text for _, text in made["odd"].failures] == [said] * 2
    assert len(made["odd"].splits) == 8
    assert len(made["nb"].splits) == len(made["tree"].splits) == 10


def test_what_a_model_prints_does_not_disturb_its_answers(tmp_path: Path) -> None:
    class Loud(GaussianNB):  # type: ignore[misc]  # of no known type
        def fit(self, X: Any, y: Any) -> Any:
            print("fitting", flush=True)  # noqa: T201  what a noisy model does
            return super().fit(X, y)

    made = run(DATA, [a_model(Loud(), "loud")], SPLITS, timeout=60.0)["loud"]
    assert made.failures == ()
    assert len(made.splits) == 10


class Heard:
    """Progress that remembers."""

    def __init__(self) -> None:
        self.said: list[Any] = []

    def start(self, total: int, done: int = 0) -> None:
        self.said.append(("start", total, done))

    def advance(self, model: str, split: int, seconds: float, count: int = 1) -> None:
        self.said.append((model, split, count))

    def finish(self) -> None:
        self.said.append("finish")


def test_progress_hears_of_every_split() -> None:
    heard = Heard()
    run(DATA, two_models(), SPLITS, exact=False, progress=heard)
    assert heard.said[0] == ("start", 20, 0)
    assert heard.said[1:-1] == [(name, i, 1) for name in ("nb", "tree") for i in range(10)]
    assert heard.said[-1] == "finish"


def test_interrupt_ends_progress_and_passes_through() -> None:
    class Interrupting(Heard):
        def advance(self, model: str, split: int, seconds: float, count: int = 1) -> None:
            raise KeyboardInterrupt

    heard = Interrupting()
    with pytest.raises(KeyboardInterrupt):
        run(DATA, two_models(), SPLITS, jobs=2, backend="threading", exact=False, progress=heard)
    assert heard.said[-1] == "finish"


def test_model_that_interrupts_itself_in_a_worker_only_fails(
    capfd: pytest.CaptureFixture[str],
) -> None:
    models = [a_model(Odd(act="interrupt"), "odd"), *two_models()]
    made = run(DATA, models, SPLITS, jobs=2, exact=False)
    assert {text for _, text in made["odd"].failures} == {"KeyboardInterrupt"}
    assert (len(made["odd"].failures), made["nb"].failures) == (10, ())
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ({"backend": "lokey"}, "none of loky.*did you mean loky"),
        ({"jobs": 0}, "jobs: 0"),
        ({"scheduler": "tcp://x"}, "scheduler: only for backends dask, ray, spark"),
        ({"timeout": 0.0}, "timeout: 0.0 is not a number of seconds above 0"),
    ],
    ids=str,
)
def test_bad_option_is_refused(how: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        run(DATA, two_models(), SPLITS, exact=False, **how)


def test_model_that_cannot_be_sent_is_named() -> None:
    model = a_model(Odd(log=Lock()), "locked")
    with pytest.raises(InputError, match=r"locked: it cannot be sent to another process .*one job"):
        run(DATA, [model], SPLITS, jobs=2)


@given(st.integers(2, 6), st.integers(1, 3), st.integers(0, 9))
@settings(max_examples=8)
def test_every_row_is_tested_once_a_repeat(folds: int, repeats: int, seed: int) -> None:
    splits = some_splits(folds=folds, repeats=repeats)
    made = run(DATA, two_models()[:1], splits, exact=False, seed=seed)["nb"]
    repeat = made.splits[made.split_of] // folds
    for number in range(repeats):
        assert sorted(made.rows[repeat == number].tolist()) == list(range(60))


def test_two_models_of_one_name_are_refused() -> None:
    with pytest.raises(InputError, match="two have the name 'nb'"):
        run(DATA, two_models()[:1] * 2, SPLITS)
