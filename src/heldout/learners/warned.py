"""Warnings of models while they are fitted: kept with the outcome, told once a model."""

from __future__ import annotations

import re
import threading
import warnings
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

    from heldout.learners.outcome import Outcome

__all__ = ["FoldWarning", "fold_warnings", "heard_warnings"]

#: characters of a message that are kept
KEPT = 200

#: what may differ in the same warning of two fits: numbers
NUMBER = re.compile(r"[-+]?\d[\d.,_]*(?:e[-+]?\d+)?", re.IGNORECASE)


class _Listener:
    """What hears warnings in place of Python's own display, for fits in several threads."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.users = 0
        self.before: Any = None
        self.of_thread = threading.local()

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


LISTENER = _Listener()


@contextmanager
def heard_warnings() -> Iterator[dict[str, None]]:
    """The distinct warnings of what is done in this thread meanwhile, as they come."""
    heard: dict[str, None] = {}
    before = getattr(LISTENER.of_thread, "heard", None)
    LISTENER.enter()
    LISTENER.of_thread.heard = heard
    try:
        yield heard
    finally:
        LISTENER.of_thread.heard = before
        LISTENER.leave()


class FoldWarning(NamedTuple):
    """A warning of a model in some of its folds."""

    model: str
    text: str
    folds: int
    splits: int

    def __str__(self) -> str:
        return f"{self.model}: {self.folds:,} of {self.splits:,} folds warned: {self.text}"


def fold_warnings(model: str, outcome: Outcome, splits: int) -> tuple[FoldWarning, ...]:
    """The warnings of a model; those that differ only in numbers are one.

    Examples
    --------
    >>> from heldout.runner.join import failed
    >>> from dataclasses import replace
    >>> made = replace(failed(3, ""), warnings=((0, "Warning: k is 5"), (1, "Warning: k is 6")))
    >>> str(fold_warnings("selk", made, 5)[0])
    'selk: 2 of 5 folds warned: Warning: k is 5'
    """
    found: dict[str, tuple[str, set[int]]] = {}
    for position, text in outcome.warnings:
        found.setdefault(NUMBER.sub("#", text), (text, set()))[1].add(position)
    return tuple(FoldWarning(model, text, len(places), splits) for text, places in found.values())
