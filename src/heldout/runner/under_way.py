"""Fits under way: marked while they are, so that one which ended its process is known by it."""

from __future__ import annotations

from contextlib import suppress
from threading import Lock, get_ident
from typing import TYPE_CHECKING

from heldout.runner.deadly import Deadly
from heldout.runner.locks import Locks

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

__all__ = ["UnderWay"]

#: places for marks, a thread that fits needs one; the number of a split stands in each
SLOTS, LENGTH = 64, 8
NOTHING = bytes(LENGTH)

#: the first of the numbers that are held while a place is used, above those of all splits
FIRST = 2**62 + 2**32


class UnderWay:
    """Marks of the splits that this process fits in itself, and those that dead ones left.

    A model may end its process without a word (a crash in compiled code, ``os._exit``), and
    would do so each time that its run is taken up again. Marks are in the file of the locks:
    writing one waits for no disk, and whose place nobody holds any more, that process is gone.
    """

    def __init__(
        self,
        folder: Path,
        starts: Mapping[int, int],
        splits: int,
        apart: Sequence[tuple[int, int]] = (),
        kept: Callable[[], None] = lambda: None,
        deadly: Deadly | None = None,
    ) -> None:
        #: by model, the number that stands for its first split
        self._starts, self._splits = starts, splits
        #: models that ended a process
        self.deadly = Deadly(folder) if deadly is None else deadly
        #: splits that are known to have ended a worker, model and position
        self._apart = apart
        #: has all results so far committed, without which no mark is wiped out
        self._kept = kept
        self._locks = Locks(folder)
        self._guard = Lock()
        #: the place of each thread that fits, and that of each split that was left
        self._own: dict[int, int | None] = {}
        self._left: dict[tuple[int, int], int] = {}
        #: splits that were left and were tried again, model and position
        self.redone: list[tuple[int, int]] = []

    def begun(self, model: int, position: int) -> None:
        """A split is about to be fitted in this thread, which nothing that fails here hinders."""
        if model not in self._starts or not self._locks.is_able:
            return
        thread = get_ident()
        with suppress(OSError):
            if thread not in self._own:
                self._own[thread] = self._free_place()
            if (place := self._own[thread]) is not None:
                number = self._starts[model] + position
                self._locks.write(place * LENGTH, number.to_bytes(LENGTH, "little"))

    def left(self, todo: Mapping[int, Sequence[int]]) -> dict[int, list[int]]:
        """Those of some splits by model during which a process ended."""
        found: dict[int, set[int]] = {}
        for model, position in self._apart:
            if position in todo.get(model, ()):
                found.setdefault(model, set()).add(position)
        with suppress(OSError):
            for place, number in self._marks():
                task = self._task(number)
                if task is None or not self._locks.take(FIRST + place):
                    continue
                model, position = task
                if position in todo.get(model, ()):
                    self._left[task] = place
                    found.setdefault(model, set()).add(position)
                else:  # somebody has done it since
                    self._locks.write(place * LENGTH, NOTHING)
        return {model: sorted(positions) for model, positions in found.items()}

    def settled(self, model: int, position: int, *, is_redone: bool = True) -> None:
        """A split that was left is done, or has failed, or was given up without a trial."""
        place = self._left.pop((model, position), None)
        if place is not None:
            self.redone += [(model, position)] if is_redone else []
            self._kept()
            with suppress(OSError):
                self._locks.write(place * LENGTH, NOTHING)

    def close(self) -> None:
        """Nothing is under way any more."""
        with suppress(OSError):
            for place in self._own.values():
                if place is not None:
                    self._locks.write(place * LENGTH, NOTHING)
        self._locks.close()

    def _free_place(self) -> int | None:
        """A place that nobody holds; one that is marked only where no other is left."""
        with self._guard:
            marked = {place for place, _ in self._marks()}
            for place in sorted(range(SLOTS), key=lambda place: place in marked):
                is_ours = place in self._left.values() or place in self._own.values()
                if not is_ours and self._locks.take(FIRST + place):
                    return place
        return None

    def _marks(self) -> Iterator[tuple[int, int]]:
        content = self._locks.read(SLOTS * LENGTH)
        for place in range(len(content) // LENGTH):
            start = place * LENGTH
            if number := int.from_bytes(content[start : start + LENGTH], "little"):
                yield place, number

    def _task(self, number: int) -> tuple[int, int] | None:
        """The model and split of this run that a number stands for."""
        for model, start in self._starts.items():
            if start <= number < start + self._splits:
                return model, number - start
        return None
