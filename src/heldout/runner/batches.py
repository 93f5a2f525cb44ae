"""The tasks that are left, given out in batches that are worth a message to a worker."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from threading import Lock
from typing import TYPE_CHECKING

from heldout.runner.task import Batch

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from heldout.runner.task import Done

__all__ = ["Batches", "Claim"]

#: of a model's splits those that are ours to do
Claim = Callable[[int, Sequence[int]], tuple[int, ...]]

#: seconds of work that a batch should hold: far more than a message costs, little to lose
WORTH = 0.05
LARGEST = 500


class Batches:
    """An iterator over batches whose size follows the time that tasks were seen to take.

    Until a model's first task is done its batches hold one split each. Workers of joblib ask
    for batches from several threads, so asking is locked. ``claim`` says which splits of a
    batch are ours to do, where other processes work on the same run.
    """

    def __init__(
        self, todo: Mapping[int, Sequence[int]], jobs: int = 1, claim: Claim | None = None
    ) -> None:
        self._todo = {model: deque(positions) for model, positions in todo.items() if positions}
        self._jobs = jobs
        self._claim = claim
        self._seconds: dict[int, float] = {}
        self._lock = Lock()
        #: batches that were given out and of which not all is back
        self.under_way: dict[tuple[int, int], Batch] = {}

    def __iter__(self) -> Batches:
        return self

    def __next__(self) -> Batch:
        with self._lock:
            for model, positions in self._todo.items():
                while positions:
                    size = self._size(model, len(positions))
                    chosen = tuple(positions.popleft() for _ in range(size))
                    if self._claim is not None:
                        chosen = self._claim(model, chosen)
                    if chosen:
                        batch = Batch(model, chosen)
                        self.under_way.update(((model, at), batch) for at in chosen)
                        return batch
        raise StopIteration

    @property
    def left(self) -> bool:
        """Whether any batch is still to be given out."""
        return any(self._todo.values())

    def back(self, done: Done) -> None:
        """A task came back: it is no longer under way, and its time is learnt from."""
        with self._lock:
            self.under_way.pop((done.model, done.position), None)
            known = self._seconds.get(done.model, done.seconds)
            self._seconds[done.model] = 0.5 * known + 0.5 * done.seconds

    def lost(self) -> Iterable[Batch]:
        """The tasks under way, singly; they are taken to be given up by whom they were given."""
        with self._lock:
            tasks = sorted(self.under_way)
            self.under_way.clear()
        return [Batch(model, (position,)) for model, position in tasks]

    def without(self, models: Iterable[int]) -> Batches:
        """Give out nothing more of some models; gives what was left of them, as other batches."""
        with self._lock:
            taken = {model: self._todo.pop(model, deque()) for model in models}
        return Batches({m: [*positions] for m, positions in taken.items()}, self._jobs, self._claim)

    def _size(self, model: int, left: int) -> int:
        seconds = self._seconds.get(model)
        if seconds is None:
            return 1
        # towards the end the batches shrink, so that the workers finish together
        fair = max(left // (2 * self._jobs), 1)
        return max(min(int(WORTH / max(seconds, 1e-6)), fair, LARGEST, left), 1)
