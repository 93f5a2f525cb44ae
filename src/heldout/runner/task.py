"""One task of a run: a model fitted in one split, where a failure is an outcome too."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import dataclass
from threading import Lock
from time import perf_counter
from typing import TYPE_CHECKING, Any, Literal

from heldout.core.errors import message_of
from heldout.runner.join import failed

if TYPE_CHECKING:
    from collections.abc import Mapping

    from heldout.datasets.dataset import Dataset
    from heldout.learners.model import Model
    from heldout.learners.outcome import Outcome, Part
    from heldout.procedures.splits import Splits
    from heldout.runner.run_rows import Purpose

#: is entered with a model and a split while the one is fitted in the other
Watch = Callable[[int, int], AbstractContextManager[Any]]

#: of a model's splits those that are ours to do
Claim = Callable[[int, Sequence[int]], tuple[int, ...]]

#: characters of an error's message that are kept
KEPT = 300

#: seconds of work that a batch should hold: far more than a message costs, little to lose
WORTH = 0.05
LARGEST = 500


class Reason(str):
    """Why a split gave nothing, in words, and as what decides whether and where it is tried again.

    The fit took longer than so many seconds, it ended its process, it was not tried because it
    ended one before, or its output cannot be used. What else fails a fit is an error of its own,
    whose words are a plain text.
    """

    cause: Literal["timeout", "died", "untried", "output"]
    seconds: float | None

    def __new__(cls, text: str, cause: Any, seconds: float | None = None) -> Reason:
        """A text with what is behind it."""
        reason = super().__new__(cls, text)
        reason.cause, reason.seconds = cause, seconds
        return reason

    def __getnewargs__(self) -> tuple[Any, ...]:
        """What another process makes it of."""
        return str(self), self.cause, self.seconds


def timed_out(limit: float) -> Reason:
    """Why a fit gave nothing that was stopped after so many seconds, as they are written."""
    return Reason(f"timeout: not done after {limit:g} s", "timeout", float(f"{limit:g}"))


def died(ending: str) -> Reason:
    """Why a fit gave nothing that ended its process, and how that ended."""
    return Reason(f"the worker process died ({ending})", "died")


@dataclass(frozen=True, slots=True, eq=False)
class Work:
    """All that a worker must know to do any task of a run."""

    dataset: Dataset
    models: tuple[Model, ...]
    splits: Splits
    seed: int
    parts: tuple[Part, ...] = ("test",)
    #: what the store says of its models
    purpose: Purpose = "evaluate"


@dataclass(frozen=True, slots=True)
class Batch:
    """Splits of one model that are worked on together."""

    model: int
    positions: tuple[int, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Done:
    """What came of one task: the outcomes of each part, and the seconds it took in all."""

    model: int
    position: int
    outcomes: tuple[Outcome, ...]
    seconds: float

    @property
    def cause(self) -> str:
        """What stopped the fit, if anything but an error did."""
        reasons = (text for _, text in self.outcomes[0].failures if isinstance(text, Reason))
        return next((reason.cause for reason in reasons), "")


class Batches:
    """The tasks that are left, in batches that are worth a message to a worker.

    Their size follows the time that tasks were seen to take: until a model's first task is done
    its batches hold one split each. Workers of joblib ask for batches from several threads, so
    asking is locked. ``claim`` says which splits of a batch are ours to do, where other
    processes work on the same run.
    """

    def __init__(
        self, todo: Mapping[int, Sequence[int]], jobs: int = 1, claim: Claim | None = None
    ) -> None:
        self._todo = {model: deque(positions) for model, positions in todo.items() if positions}
        self._jobs = jobs
        self._claim = claim
        self._seconds: dict[int, float] = {}
        self._lock = Lock()

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
                        return Batch(model, chosen)
        raise StopIteration

    def back(self, done: Done) -> None:
        """A task came back: its time is learnt from."""
        with self._lock:
            known = self._seconds.get(done.model, done.seconds)
            self._seconds[done.model] = 0.5 * known + 0.5 * done.seconds

    def _size(self, model: int, left: int) -> int:
        seconds = self._seconds.get(model)
        if seconds is None:
            return 1
        # towards the end the batches shrink, so that the workers finish together
        fair = max(left // (2 * self._jobs), 1)
        return max(min(int(WORTH / max(seconds, 1e-6)), fair, LARGEST, left), 1)


def perform(work: Work, batch: Batch, watch: Watch | None = None) -> list[Done]:
    """The tasks of a batch, done one after the other in this process, each under ``watch``."""
    from heldout.learners.fit import KEPT_CHANCE

    dones = []
    with KEPT_CHANCE:
        for position in batch.positions:
            with nullcontext() if watch is None else watch(batch.model, position):
                dones.append(_fit(work, batch.model, position))
    return dones


def _fit(work: Work, index: int, position: int) -> Done:
    from heldout.learners.fit import fit_and_predict
    from heldout.learners.respond import BadOutput

    start = perf_counter()
    folder = _current_folder()
    try:
        split = work.splits.split(position)
        outcomes = fit_and_predict(
            work.models[index],
            work.dataset,
            split,
            seed=work.seed,
            part=work.parts,
            position=position,
        )
    except KeyboardInterrupt:
        raise
    except BadOutput as error:
        why = Reason(_cut(message_of(error)), "output")
        return gave_nothing(work.parts, index, position, why)
    except BaseException as error:  # a model that exits, too, only fails
        return gave_nothing(work.parts, index, position, error_line(error))
    finally:
        # the next fit, and all names of files, are to mean the same whatever this model did
        if folder and folder != _current_folder():
            with suppress(OSError):
                os.chdir(folder)
    return Done(index, position, tuple(outcomes), perf_counter() - start)


def _current_folder() -> str:
    try:
        return os.getcwd()  # noqa: PTH109  asked for twice a fit, a path costs twenty times as much
    except OSError:  # it was removed
        return ""


def gave_nothing(
    parts: Sequence[Part], model: int, position: int, why: str, seconds: float = 0.0
) -> Done:
    """A failed task."""
    return Done(model, position, tuple(failed(position, why, part) for part in parts), seconds)


def error_line(error: BaseException) -> str:
    """An error in one line: its type and message, trimmed."""
    kept = _cut(message_of(error))
    return f"{type(error).__name__}: {kept}" if kept else type(error).__name__


def _cut(text: str) -> str:
    return text if len(text) <= KEPT else text[: KEPT - 1] + "…"
