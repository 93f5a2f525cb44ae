"""The terminal: how wide, in colour or not; lines and a progress bar on standard error."""

from __future__ import annotations

import os
import sys
import time
from contextlib import contextmanager, redirect_stdout, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from heldout.core.errors import HeldoutError
from heldout.core.shown import visible
from heldout.core.wording import Guess, cut_long

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

#: columns where nothing says how wide the screen is
WIDTH = 80
NARROWEST, WIDEST = 40, 400

OUT, ERROR = 1, 2
RED, DIM, RESET = "\x1b[1;31m", "\x1b[2m", "\x1b[0m"


def takes_color(stream: TextIO) -> bool:
    """Whether to write in colour: NO_COLOR, then FORCE_COLOR, then what the stream is."""
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return os.environ.get("TERM") not in ("dumb", "unknown") and stream.isatty()


def screen_width() -> int:
    """The columns of the screen: COLUMNS, then the terminal's, then 80."""
    given = os.environ.get("COLUMNS", "")
    if given.isdigit() and int(given) > 0:
        return min(max(int(given), NARROWEST), WIDEST)
    # piped into a pager, standard output is no terminal but the others still are
    for stream in (sys.__stdout__, sys.__stderr__, sys.__stdin__):
        try:
            columns = os.get_terminal_size(stream.fileno()).columns if stream else 0
        except (OSError, ValueError):
            continue
        if columns > 0:
            return min(max(columns, NARROWEST), WIDEST)
    return WIDTH


def complain(message: str, head: str = "heldout") -> None:
    """An error on standard error, in one or a few lines."""
    _write(f"{head}: {message}", RED)


def explain(error: Exception, about: str = "") -> int:
    """An error in a line, and its exit code: heldout's own kind says it all, any other is a bug."""
    from heldout.core.disk import system_error_text
    from heldout.core.errors import HeldoutError, message_of
    from heldout.core.memory import is_lack_of_memory

    if os.environ.get("HELDOUT_TRACEBACK"):
        import traceback

        traceback.print_exception(error)
    lead = f"{about}: " if about else ""
    if isinstance(error, HeldoutError):
        complain(f"{lead}{error}")
        return error.exit_code
    if isinstance(error, OSError) and error.errno is not None:
        complain(f"{lead}{system_error_text(error)}")
        return 2
    if is_lack_of_memory(error):
        complain(f"{lead}not enough memory")
    else:
        message = message_of(error) or "no message"
        hint = "this is a bug; run with HELDOUT_TRACEBACK=1 for the traceback"
        complain(f"{lead}{type(error).__name__}: {message} ({hint})", head="heldout failed")
    return 1


def note(message: str) -> None:
    """Something to know, on standard error."""
    _write(f"note: {message}", DIM)


def gather_guesses(notes: Iterable[str]) -> list[str]:
    """The notes with all guesses by name in one line.

    Examples
    --------
    >>> gather_guesses([Guess("truth", "y"), "all are kept", Guess("id", "n")])
    ["columns recognised by name: truth 'y', id 'n'", 'all are kept']
    """
    lines = list(notes)
    guesses = [note.short for note in lines if isinstance(note, Guess)]
    others = [note for note in lines if not isinstance(note, Guess)]
    return [f"columns recognised by name: {', '.join(guesses)}", *others] if guesses else others


def say(given: Mapping[str, Any], notes: Iterable[str]) -> None:
    """Notes on standard error, guesses by name in one line; none where quiet is wanted."""
    for line in gather_guesses(notes) if not given.get("quiet") else ():
        note(line)


def _write(line: str, color: str) -> None:
    word, colon, rest = line.partition(":")
    write_line(word + colon, visible(cut_long(rest), keep="\n"), color)


def write_line(head: str, rest: str, color: str) -> None:
    """A line on standard error, its head in colour where that shows."""
    stream = sys.stderr
    text = f"{color}{head}{RESET}{rest}" if takes_color(stream) else head + rest
    encoding = stream.encoding or "utf-8"
    # nobody may hear: the exit code still speaks
    with suppress(OSError):
        stream.write(text.encode(encoding, "backslashreplace").decode(encoding) + "\n")
        stream.flush()


@contextmanager
def prints_to_stderr() -> Iterator[None]:
    """All that this process and those it starts write to standard output goes to the other.

    By the number of the file, since compiled learners and worker processes write there too.
    """
    with suppress(OSError, ValueError):
        sys.stdout.flush()
    kept = os.dup(OUT)
    os.dup2(ERROR, OUT)
    try:
        with redirect_stdout(sys.stderr):
            yield
    finally:
        _flush_compiled()
        os.dup2(kept, OUT)
        os.close(kept)


def _flush_compiled() -> None:
    """Have the C library write what compiled learners printed, while it still goes there."""
    with suppress(Exception):
        import ctypes

        ctypes.CDLL(None).fflush(None)


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


class ProgressFile:
    """How far a run is, as JSON in a file, for a program that watches it."""

    #: seconds from one state to the next that is written
    PAUSE = 0.2

    def __init__(self, path: Path) -> None:
        self._path, self._done, self._total, self._next = path, 0, 0, 0.0

    def start(self, total: int, done: int = 0, title: str = "fitting") -> None:
        """Begin to count."""
        self._done, self._total = done, total
        self._write(title)

    def advance(self, model: str, split: int, seconds: float, count: int = 1) -> None:
        """Count on."""
        self._done += count
        if time.monotonic() >= self._next or self._done == self._total:
            self._write(model)

    def finish(self) -> None:
        """The last state stays."""

    def _write(self, what: str) -> None:
        import json

        from heldout.core.disk import written_whole

        state = {"done": self._done, "total": self._total, "what": what}
        self._next = time.monotonic() + self.PAUSE
        with suppress(OSError, HeldoutError), written_whole(self._path) as file:
            file.write_text(json.dumps(state), encoding="utf-8")


def progress_bar() -> Bar | ProgressFile | None:
    """A bar where somebody watches, None where not; a file where HELDOUT_PROGRESS names one."""
    if path := os.environ.get("HELDOUT_PROGRESS"):
        return ProgressFile(Path(path))
    return Bar() if sys.stderr.isatty() else None
