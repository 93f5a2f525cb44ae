"""One task of a run: a model fitted in one split, where a failure is an outcome too."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from time import perf_counter
from typing import TYPE_CHECKING

from heldout.core.errors import message_of
from heldout.runner.join import failed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from heldout.datasets.dataset import Dataset
    from heldout.learners.model import Model
    from heldout.learners.outcome import Outcome, Part
    from heldout.procedures.splits import Splits
    from heldout.runner.purpose import Purpose

__all__ = ["Batch", "Begun", "DIED", "Done", "Work", "gave_nothing", "perform", "said"]

#: is told of a model and of the split that it is about to be fitted in
Begun = Callable[[int, int], None]

#: how the message begins of a task that ended its process
DIED = "the worker process died"

#: characters of an error's message that are kept
KEPT = 300


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


def perform(work: Work, batch: Batch, begun: Begun | None = None) -> list[Done]:
    """The tasks of a batch, done one after the other in this process; of each ``begun`` is told."""
    from heldout.learners.fit import kept_chance

    made = []
    with kept_chance():
        for position in batch.positions:
            if begun is not None:
                begun(batch.model, position)
            made.append(_one(work, batch.model, position))
    return made


def _one(work: Work, index: int, position: int) -> Done:
    from heldout.learners.fit import fit_and_predict

    start = perf_counter()
    folder = _current_folder()
    try:
        split = work.splits.split(position)
        made = fit_and_predict(
            work.models[index],
            work.dataset,
            split,
            seed=work.seed,
            part=work.parts,
            position=position,
        )
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # a model that exits, too, only fails
        return Done(index, position, gave_nothing(work.parts, position, said(error)), 0.0)
    finally:
        # the next fit, and all names of files, are to mean the same whatever this model did
        if folder and folder != _current_folder():
            with suppress(OSError):
                os.chdir(folder)
    return Done(index, position, tuple(made), perf_counter() - start)


def _current_folder() -> str:
    try:
        return os.getcwd()  # noqa: PTH109  asked for twice a fit, a path costs twenty times as much
    except OSError:  # it was removed
        return ""


def gave_nothing(parts: Sequence[Part], position: int, message: str) -> tuple[Outcome, ...]:
    """The outcomes of a failed task."""
    return tuple(failed(position, message, part) for part in parts)


def said(error: BaseException) -> str:
    """An error in one line: its type and message, trimmed."""
    text = message_of(error)
    kept = text if len(text) <= KEPT else text[: KEPT - 1] + "…"
    return f"{type(error).__name__}: {kept}" if kept else type(error).__name__
