"""Fits that ran out of time: tried again with more of it, and only then."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from heldout.runner.blob import pack, unpack
from heldout.runner.join import failed
from heldout.runner.run import run
from heldout.runner.state import _is_due
from heldout.runner.store import Store
from heldout.runner.task import died, timed_out
from tests.runner.making import Odd, a_model, some_data, some_splits

DATA, SPLITS = some_data(), some_splits(folds=2, repeats=1)


@pytest.mark.parametrize(
    ("then", "now", "is_more"),
    [(2.0, 3.0, True), (2.0, None, True), (2.0, 2.0, False), (0.12345678, 0.12345678, False)],
)
def test_only_more_time_is_more(then: float, now: float | None, is_more: bool) -> None:
    assert _is_due(timed_out(then), retry_failed=False, timeout=now) is is_more


def test_words_of_a_stored_failure_do_not_make_it_one_for_lack_of_time() -> None:
    said = "timeout: not done after 1 s"
    for why, cause in ((timed_out(1.0), "timeout"), (said, None), (died("SIGSEGV"), "died")):
        ((_, read),) = unpack(pack(failed(3, why))).failures
        assert (read, getattr(read, "cause", None)) == (why, cause)


SLOW = a_model(Odd(act="nothing", pause=1.2), "slow", "slow")
BAD = a_model(Odd(trigger=float(DATA.features[0].values[0])), "bad", "bad")


def kept(folder: Path, **how: Any) -> Any:
    return run(DATA, [SLOW, BAD], SPLITS, store=Store(folder), exact=False, jobs=2, **how)


def test_stored_timeouts_are_fitted_again_with_more_time_and_other_failures_are_not(
    tmp_path: Path,
) -> None:
    bad = run(DATA, [BAD], SPLITS, store=Store(tmp_path), exact=False)["bad"].failures
    assert bad
    first = kept(tmp_path, timeout=0.3)
    assert [text for _, text in first["slow"].failures] == ["timeout: not done after 0.3 s"] * 2
    again = kept(tmp_path, timeout=0.3)
    assert (again.fitted, again["slow"].failures) == (0, first["slow"].failures)
    assert any(
        n.startswith("slow: 2 failures from the store; retry_failed=True") for n in again.notes
    )
    longer = kept(tmp_path, timeout=0.5)
    assert [text for _, text in longer["slow"].failures] == ["timeout: not done after 0.5 s"] * 2
    assert kept(tmp_path, timeout=0.5).fitted == 0
    whole = kept(tmp_path)
    assert (whole.fitted, whole["slow"].failures, len(whole["slow"].splits)) == (2, (), 2)
    assert whole["bad"].failures == bad
