"""Commands of heldout in processes of their own: what one does cannot harm the server."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

#: what a job writes into its folder
REPORT, MESSAGES, PROGRESS = "report.html", "messages.txt", "progress.json"
#: characters of messages that are shown
MOST_CHARACTERS = 20_000


async def run_module(
    module: str, arguments: Sequence[str], folder: Path, *, seconds: float, output: str = os.devnull
) -> int | None:
    """Run a module of Python in a folder; its exit code, None where it took too long.

    Nothing is imported from the folder. Standard error goes to a file in it, and so does standard
    output where ``output`` names one. A task that is cancelled ends the process, and those that
    it started.
    """
    own = {"HELDOUT_PROGRESS": str(folder / PROGRESS), "NO_COLOR": "1", "COLUMNS": "100"}
    environment = {k: v for k, v in os.environ.items() if k != "HELDOUT_TRACEBACK"} | own
    with (folder / output).open("wb") as out, (folder / MESSAGES).open("wb") as messages:
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-P",  # the folder holds what strangers sent: it is no place to import from
            "-m",
            module,
            *arguments,
            cwd=folder,
            env=environment,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=out,
            stderr=messages,
            start_new_session=True,
        )
    try:
        async with asyncio.timeout(seconds):
            return await process.wait()
    except TimeoutError:
        return None
    finally:
        # those that it started may outlive it
        with suppress(ProcessLookupError, PermissionError):
            if hasattr(os, "killpg"):
                os.killpg(process.pid, signal.SIGKILL)
            else:
                process.kill()
        await process.wait()


def messages_in(folder: Path) -> str:
    """What a process said on standard error; where its files lie is nothing to readers."""
    with suppress(OSError):
        text = (folder / MESSAGES).read_text(encoding="utf-8", errors="replace")
        text = text.replace(f"{folder}{os.sep}", "")
        return text[-MOST_CHARACTERS:].strip()
    return ""


class Job:
    """A command that writes a report: waiting for its turn, running, or over.

    Parameters
    ----------
    arguments
        The command and its options, without ``--report``.
    folder
        Where it runs; the report is written there.
    title, back
        What it is called, and the page that it was asked for on.
    """

    def __init__(self, arguments: Sequence[str], folder: Path, *, title: str, back: str) -> None:
        self.arguments, self.folder = tuple(arguments), folder
        self.title, self.back = title, back
        self.state = "waiting"
        self._task: asyncio.Task[None] | None = None

    def start(self, turn: asyncio.Semaphore, *, seconds: float) -> None:
        """Run as soon as there is a turn, and no longer than so many seconds."""
        self._task = asyncio.create_task(self._run(turn, seconds))

    async def stop(self) -> None:
        """End it, if it is not over."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait([self._task])

    @property
    def report(self) -> Path | None:
        """The report; None where there is none (yet)."""
        path = self.folder / REPORT
        return path if self.is_over and path.is_file() else None

    @property
    def is_over(self) -> bool:
        """Whether it neither waits nor runs."""
        return self.state not in ("waiting", "running")

    @property
    def messages(self) -> str:
        """Notes and errors, as the command line shows them."""
        return messages_in(self.folder)

    def status(self) -> dict[str, Any]:
        """How far it is, for the page that watches it."""
        known: dict[str, Any] = {}
        with suppress(OSError, ValueError):
            known = json.loads((self.folder / PROGRESS).read_text(encoding="utf-8"))
        return {"state": self.state, **known}

    async def _run(self, turn: asyncio.Semaphore, seconds: float) -> None:
        try:
            async with turn:
                self.state = "running"
                command, *rest = self.arguments
                code = await run_module(
                    "heldout",
                    [command, f"--report={REPORT}", *rest],
                    self.folder,
                    seconds=seconds,
                )
        except asyncio.CancelledError:
            self.state = "stopped"
        except OSError:
            self.state = "failed"
            raise
        else:
            self.state = "out of time" if code is None else "failed" if code else "done"
