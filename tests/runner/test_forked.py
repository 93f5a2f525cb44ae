"""Models that can be sent to no other process, and ended one: fitted in a copy of this one."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.ensemble import HistGradientBoostingClassifier

from heldout.core.errors import InputError
from heldout.runner.backends import NOWHERE
from heldout.runner.child import in_children
from heldout.runner.run import run
from heldout.runner.store import Store
from heldout.runner.task import Batch, Work
from tests.runner.making import Held, Odd, a_model, assert_same, some_data, some_splits
from tests.runner.test_under_way import in_a_process, marks, models

DATA, SPLITS = some_data(), some_splits(repeats=1)


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
    assert (made["held"].failures, made.notes) == (((2, NOWHERE),), ())
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
    work, batches = Work(many, (boosting,), splits, 0), iter([Batch(0, (1,))])
    (done,) = in_children(work, batches, jobs=1, timeout=None, parts=work.parts)
    (outcome,) = done.outcomes
    assert outcome.scores is not None
    assert here.scores is not None
    assert np.array_equal(outcome.scores, here.scores[here.split_of == 1])
