"""Work in several threads gives what work in one gives, errors included."""

from __future__ import annotations

import threading

import pytest

from heldout.core import threads
from heldout.core.threads import in_threads


@pytest.fixture(autouse=True)
def four(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threads, "workers", lambda: 4)


@pytest.mark.parametrize("count", [0, 1, 2, 3, 100])
def test_results_come_in_the_order_of_the_items(count: int) -> None:
    assert in_threads(lambda item: item * item, range(count)) == [i * i for i in range(count)]


def test_several_threads_work_at_once() -> None:
    meeting = threading.Barrier(4, timeout=20)
    assert len(set(in_threads(lambda _: meeting.wait(), range(4)))) == 4


@pytest.mark.parametrize("error", [IndexError, ValueError, KeyboardInterrupt])
def test_an_error_of_any_item_is_raised_and_ends_the_rest(error: type[BaseException]) -> None:
    done: list[int] = []

    def work(item: int) -> None:
        if item == 5:
            raise error("five")
        done.append(item)

    with pytest.raises(error, match="five"):
        in_threads(work, range(10_000))
    assert len(done) < 9_999
