"""What a run tells about itself while it goes on."""

from __future__ import annotations

from typing import Protocol

__all__ = ["Progress", "Silent"]


class Progress(Protocol):
    """Something that is told how far a run is."""

    def start(self, total: int, done: int = 0) -> None:
        """A run begins: how many splits of all models there are, and how many are known."""

    def advance(self, model: str, split: int, seconds: float, count: int = 1) -> None:
        """A split is done (or ``count`` of them from ``split`` on), in so many seconds."""

    def finish(self) -> None:
        """The run is over, or was broken off."""


class Silent:
    """Progress that nobody watches."""

    def start(self, total: int, done: int = 0) -> None:
        """Nothing is shown."""

    def advance(self, model: str, split: int, seconds: float, count: int = 1) -> None:
        """Nothing is shown."""

    def finish(self) -> None:
        """Nothing is shown."""
