"""Commits by a thread of their own, so that whoever has something to keep goes on at once."""

from __future__ import annotations

from queue import Empty, SimpleQueue
from threading import Thread
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["Commits"]

Piece = TypeVar("Piece")


class Commits(Generic[Piece]):
    """Pieces that are committed at once, or, while a commit goes on, together after it."""

    def __init__(self, commit: Callable[[list[Piece]], None]) -> None:
        self._commit = commit
        self._queue: SimpleQueue[Piece | None] = SimpleQueue()
        self._thread: Thread | None = None
        #: what went wrong; nothing is committed after it
        self.error: Exception | None = None

    @property
    def is_idle(self) -> bool:
        """Whether nothing was given since the last wait."""
        return self._thread is None

    def add(self, piece: Piece) -> None:
        """Have a piece committed."""
        if self._thread is None:
            self._thread = Thread(target=self._commit_all, daemon=True)
            self._thread.start()
        self._queue.put(piece)

    def settle(self) -> None:
        """Wait until everything is committed, or something went wrong."""
        if self._thread is not None:
            self._queue.put(None)
            self._thread.join()
            self._thread = None

    def _commit_all(self) -> None:
        is_open = True
        while is_open:
            given = [self._queue.get()]
            while True:
                try:
                    given.append(self._queue.get_nowait())
                except Empty:
                    break
            is_open = None not in given
            pieces = [piece for piece in given if piece is not None]
            if pieces and self.error is None:
                try:
                    self._commit(pieces)
                except Exception as error:
                    self.error = error
