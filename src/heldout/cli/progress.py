"""A progress bar on standard error, with the time left; nothing where it is no terminal."""

from __future__ import annotations

import sys
from typing import Any

__all__ = ["Bar", "shown_progress"]


class Bar:
    """Splits done of all, the model that is worked on, and the time left."""

    def __init__(self) -> None:
        self._bar: Any = None
        self._task: Any = None

    def start(self, total: int, done: int = 0, title: str = "fitting") -> None:
        """Show the bar; what was known before does not count for the speed."""
        self.finish()
        if done >= total:
            return
        from rich.console import Console
        from rich.progress import (
            BarColumn,
            MofNCompleteColumn,
            Progress,
            TextColumn,
            TimeElapsedColumn,
            TimeRemainingColumn,
        )

        console = Console(stderr=True, highlight=False)
        self._bar = Progress(
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TextColumn("left"),
            TimeRemainingColumn(),
            console=console,
            transient=True,
        )
        self._task = self._bar.add_task(title, total=total, completed=done)
        self._bar.start()

    def advance(self, model: str, split: int, seconds: float, count: int = 1) -> None:
        """Move the bar on."""
        if self._bar is not None:
            self._bar.update(self._task, advance=count, description=model)

    def finish(self) -> None:
        """Take the bar away."""
        if self._bar is not None:
            self._bar.stop()
            self._bar = None


def shown_progress() -> Bar | None:
    """A bar where somebody watches, None where not."""
    return Bar() if sys.stderr.isatty() else None
