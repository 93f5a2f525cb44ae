"""What the terminal is like: how wide, in colour or not; and lines on standard error."""

from __future__ import annotations

import os
import re
import sys
from typing import TYPE_CHECKING, TextIO

from heldout.core.shown import visible

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["complain", "explain", "gathered", "note", "screen_width", "takes_color"]

#: columns where nothing says how wide the screen is
WIDTH = 80
NARROWEST, WIDEST = 40, 400

GUESS = re.compile(r"([\w ]+): columns? (.+) \(guessed by (?:its name|their names)\)")

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
            found = os.get_terminal_size(stream.fileno()).columns if stream else 0
        except (OSError, ValueError):
            continue
        if found > 0:
            return min(max(found, NARROWEST), WIDEST)
    return WIDTH


def complain(message: str, head: str = "heldout") -> None:
    """An error on standard error, in one or a few lines."""
    _write(f"{head}: {message}", RED)


def explain(error: Exception, about: str = "") -> int:
    """An error in a line, and its exit code: heldout's own kind says it all, any other is a bug."""
    from heldout.core.disk import system_error_text
    from heldout.core.errors import HeldoutError, message_of

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
    if isinstance(error, MemoryError):
        complain(f"{lead}not enough memory")
    else:
        said = message_of(error) or "no message"
        hint = "this is a bug; run with HELDOUT_TRACEBACK=1 for the traceback"
        complain(f"{lead}{type(error).__name__}: {said} ({hint})", head="heldout failed")
    return 1


def note(message: str) -> None:
    """Something to know, on standard error."""
    _write(f"note: {message}", DIM)


def gathered(notes: Iterable[str]) -> list[str]:
    """The notes with all guesses by name in one line.

    Examples
    --------
    >>> gathered(
    ...     ["truth: column 'y' (guessed by its name)", "id: column 'n' (guessed by its name)"]
    ... )
    ["guessed by name: truth 'y', id 'n'"]
    """
    guesses, others = [], []
    for text in notes:
        if match := GUESS.fullmatch(text):
            guesses.append(f"{match[1]} {match[2]}")
        else:
            others.append(text)
    return [f"guessed by name: {', '.join(guesses)}", *others] if guesses else others


def _write(line: str, color: str) -> None:
    stream = sys.stderr
    word, colon, rest = line.partition(":")
    rest = visible(rest, keep="\n")
    text = f"{color}{word}{colon}{RESET}{rest}" if takes_color(stream) else word + colon + rest
    encoding = stream.encoding or "utf-8"
    try:
        stream.write(text.encode(encoding, "backslashreplace").decode(encoding) + "\n")
        stream.flush()
    except OSError:  # nobody hears: the exit code still speaks
        return
