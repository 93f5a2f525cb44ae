"""Warnings of models while they are fitted: kept and told once a model, not once a fold."""

from __future__ import annotations

import sys
import threading
import warnings
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Gathering", "gathered_warnings", "warnings_of"]

#: characters of a message that are kept
KEPT = 200


class Gathering:
    """The distinct warnings of each model, and the splits in which they came."""

    def __init__(self) -> None:
        self.found: dict[tuple[str, str], set[int]] = {}

    def lines(self, splits: int) -> tuple[str, ...]:
        """A line for each model and warning.

        Examples
        --------
        >>> made = Gathering()
        >>> made.found["selk", "UserWarning: k is too large"] = {0, 1}
        >>> made.lines(5)
        ('selk: UserWarning: k is too large (2 of 5 splits)',)
        """
        return tuple(
            f"{model}: {text} ({min(len(places), splits):,} of {splits:,} splits)"
            for (model, text), places in self.found.items()
        )


class _Listener:
    """What hears warnings in place of Python's own display, for fits in several threads."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.users = 0
        self.before: Any = None
        self.of_thread = threading.local()
        self.gathering: Gathering | None = None
        self.told: set[tuple[str, str]] = set()

    def enter(self) -> None:
        with self.lock:
            self.users += 1
            if self.users > 1:
                return
            self.before = warnings.catch_warnings()
            self.before.__enter__()
            warnings.simplefilter("always")
            shown = warnings.showwarning

            def hear(message: Any, category: Any, *where: Any, **more: Any) -> None:
                heard = getattr(self.of_thread, "heard", None)
                if heard is None:
                    shown(message, category, *where, **more)
                else:
                    text = " ".join(str(message).split())
                    text = text if len(text) <= KEPT else text[: KEPT - 1] + "…"
                    heard.setdefault(f"{category.__name__}: {text}")

            warnings.showwarning = hear

    def leave(self) -> None:
        with self.lock:
            self.users -= 1
            if not self.users:
                self.before.__exit__(None, None, None)

    def tell(self, model: str, position: int, heard: dict[str, None]) -> None:
        with self.lock:
            for text in heard:
                if self.gathering is not None:
                    self.gathering.found.setdefault((model, text), set()).add(position)
                elif (model, text) not in self.told:
                    # another process fits for a run, or nobody gathers: once is enough
                    self.told.add((model, text))
                    sys.stderr.write(f"{model}: {text}\n")


LISTENER = _Listener()


@contextmanager
def warnings_of(model: str, position: int) -> Iterator[None]:
    """Hear what a model warns of in one split."""
    heard: dict[str, None] = {}
    LISTENER.enter()
    LISTENER.of_thread.heard = heard
    try:
        yield
    finally:
        LISTENER.of_thread.heard = None
        LISTENER.leave()
        if heard:
            LISTENER.tell(model, position, heard)


@contextmanager
def gathered_warnings() -> Iterator[Gathering]:
    """All warnings of the models that are fitted in this process meanwhile."""
    before, LISTENER.gathering = LISTENER.gathering, Gathering()
    try:
        yield LISTENER.gathering
    finally:
        LISTENER.gathering = before
