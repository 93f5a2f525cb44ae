"""A command in a process of its own, which another one watches: a fit that ends it ends no more.

What a fit does to its process cannot be caught inside of it. So a command that fits in its own
process is copied before it has loaded anything; the copy does the work and says, in memory that
both share, what it is at. When it ends without a last word, the other one says so and, where a
store has kept what was finished, has a new copy go on around the fit that was under way.
"""

from __future__ import annotations

import mmap
import os
import signal
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

#: where the shared memory says that the command came to its end, that it was interrupted, that
#: what is under way is known to a store, and what it is; a text has its length before it
ENDED, INTERRUPTED, KEPT, LENGTH, TEXT = 0, 1, 2, 3, 4
LONGEST = 255
SIZE = TEXT + LONGEST

#: copies that are made after the first, at most
MOST = 50

#: set to anything, commands do their work in the process that was started
VARIABLE = "HELDOUT_UNWATCHED"

FAILED = 1
#: seconds after which a copy that was to be interrupted with us has noticed
NOTICED = 0.2
#: asks the system for a signal when the parent is gone
PARENT_DEATH_SIGNAL = 1

#: the memory that this process shares with the one that watches it, if there is one
_BOARDS: list[mmap.mmap] = []


def at_work(model: str, position: int, *, is_kept: bool) -> None:
    """A model is about to be fitted; whether a store would know of it if this ended here."""
    for board in _BOARDS:
        text = f"{model} in split {position + 1}".encode()[:LONGEST]
        board[LENGTH] = 0
        board[KEPT] = is_kept
        board[TEXT : TEXT + len(text)] = text
        board[LENGTH] = len(text)


def at_rest() -> None:
    """No model is fitted any more."""
    for board in _BOARDS:
        board[LENGTH] = 0


def watch(
    call: Callable[[], int],
    note: Callable[[str], None],
    complain: Callable[[str], None],
    *,
    is_repeatable: bool = True,
) -> int:
    """The exit code of a call, done by a copy of this process that may end at any moment.

    What reads from a pipe is not repeatable, since that can be read but once.
    """
    if not can_be_watched():
        return call()
    seen: set[str] = set()
    while True:
        board = mmap.mmap(-1, SIZE)
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        signals = _signals_to_pass_on()
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {*signals, signal.SIGCHLD})
        parent = os.getpid()
        copy = os.fork()
        if copy == 0:
            return _call_in_copy(call, board, before, parent)
        try:
            code = _wait(copy, board, signals)
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
        if board[ENDED]:
            # what happens while Python is taken down changes no result
            return code if code >= 0 else board[ENDED] - 1
        if -code in signals:
            signal.signal(-code, signal.SIG_DFL)
            signal.raise_signal(-code)
        fit = board[TEXT : TEXT + board[LENGTH]].decode(errors="replace")
        is_kept = bool(fit and board[KEPT])
        goes_on = is_kept and is_repeatable and fit not in seen and len(seen) < MOST
        (note if goes_on else complain)(_words(code, fit, is_kept=is_kept, goes_on=goes_on))
        if not goes_on:
            return FAILED
        seen.add(fit)


def can_be_watched() -> bool:
    """Whether this system can copy a process and tell who sent it a signal."""
    is_able = hasattr(os, "fork") and hasattr(signal, "sigwaitinfo") and sys.platform != "darwin"
    return is_able and not os.environ.get(VARIABLE)


def _words(code: int, fit: str, *, is_kept: bool, goes_on: bool) -> str:
    from heldout.runner.child import ending

    if not fit:
        return f"the process ended without a message ({ending(code)})"
    what = f"the process ended ({ending(code)}) while it fitted {fit}"
    if goes_on:
        return f"{what}; the run continues, with this fit in its own process"
    if is_kept:
        return f"{what}; run the same command again to continue without it"
    return (
        f"{what}; where a store keeps the folds (no --no-store), or with --jobs 2 or a --timeout, "
        "only this fold would fail"
    )


def reads_a_pipe(arguments: Iterable[str]) -> bool:
    """Whether an argument of a command names what can be read but once."""
    for text in arguments:
        path = Path(text)
        with suppress(OSError, ValueError):
            if text == "-" or (path.exists() and not path.is_file() and not path.is_dir()):
                return True
    return False


def _signals_to_pass_on() -> set[Any]:
    """Signals that end or interrupt a command, without those that are ignored here."""
    some = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)
    return {number for number in some if signal.getsignal(number) is not signal.SIG_IGN}


def _call_in_copy(call: Callable[[], int], board: mmap.mmap, mask: set[Any], parent: int) -> int:
    """The call, in the copy."""
    _BOARDS.append(board)
    _end_with(parent)

    def interrupted(*arguments: Any) -> None:
        board[INTERRUPTED] = 1
        signal.default_int_handler(*arguments)

    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, interrupted)
    signal.pthread_sigmask(signal.SIG_SETMASK, mask)
    code = call()
    board[ENDED] = code + 1
    return code


def _end_with(parent: int) -> None:
    """Have the system end this process when its parent is killed."""
    import ctypes

    library = ctypes.CDLL(None)
    if hasattr(library, "prctl"):
        library.prctl(PARENT_DEATH_SIGNAL, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:  # it was quicker
        os._exit(FAILED)


def _wait(copy: int, board: mmap.mmap, signals: set[Any]) -> int:
    """Wait for the end of a copy, and pass on signals that only we were sent."""
    while True:
        info = signal.sigwaitinfo({*signals, signal.SIGCHLD})
        if info.si_signo == signal.SIGINT:
            # a terminal, and who signals a whole group, has told the copy as well
            time.sleep(NOTICED)
            if not board[INTERRUPTED]:
                os.kill(copy, signal.SIGINT)
        elif info.si_signo != signal.SIGCHLD:
            os.kill(copy, info.si_signo)
        ended, status = os.waitpid(copy, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status)
