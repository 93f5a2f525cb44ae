"""What each browser has opened and asked for; all of it goes when the browser does."""

from __future__ import annotations

import asyncio
import shutil
import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from secrets import token_urlsafe
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from heldout.web.jobs import Job

#: jobs and opened files that a session keeps; older ones go
MOST = 20


@dataclass(frozen=True, slots=True)
class Source:
    """A file or a named set: what commands call it, and where it is if it was uploaded."""

    name: str
    upload: Path | None = None


@dataclass(frozen=True, slots=True)
class Work:
    """Files that were opened together, and what is known of each (see ``preview``)."""

    sources: tuple[Source, ...]
    tables: tuple[dict[str, Any], ...]
    #: what was last sent by each form, so that it need not be said again
    sent: dict[str, dict[str, list[str]]] = field(default_factory=dict)

    @property
    def title(self) -> str:
        """What it is called."""
        return ", ".join(source.name for source in self.sources)


@dataclass(eq=False)
class Session:
    """One browser: its folder, what it opened and what is done for it."""

    folder: Path
    #: when it was last heard of, and requests that are not answered yet
    seen: float = field(default_factory=time.monotonic)
    open_requests: int = 0
    works: dict[str, Work] = field(default_factory=dict)
    jobs: dict[str, Job] = field(default_factory=dict)

    @contextmanager
    def asking(self) -> Iterator[None]:
        """A request of it is under way."""
        self.open_requests += 1
        try:
            yield
        finally:
            self.open_requests -= 1
            self.seen = time.monotonic()

    def new_folder(self) -> Path:
        """An empty folder; its name cannot be guessed."""
        folder = self.folder / token_urlsafe(12)
        folder.mkdir()
        return folder

    def add_work(self, folder: Path, work: Work) -> None:
        """Keep what was opened under the name of its folder."""
        self.works[folder.name] = work
        self._forget(self.works)

    async def add_job(self, job: Job) -> None:
        """Keep a job under the name of its folder."""
        self.jobs[job.folder.name] = job
        if len(self.jobs) > MOST:
            await self.jobs[next(iter(self.jobs))].stop()
        self._forget(self.jobs)

    def size(self) -> int:
        """The bytes of its files."""
        return sum(path.stat().st_size for path in self.folder.rglob("*") if path.is_file())

    async def end(self) -> None:
        """Stop its jobs and remove its files."""
        for job in self.jobs.values():
            await job.stop()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _forget(self, things: dict[str, Any]) -> None:
        while len(things) > MOST:
            name = next(iter(things))
            del things[name]
            shutil.rmtree(self.folder / name, ignore_errors=True)


class Sessions:
    """All browsers that brought the token; none sees what another one has.

    Parameters
    ----------
    root
        The folder that theirs are in.
    idle
        Seconds without a sign of life after which a browser is taken to be gone; open pages
        give one every minute.
    most
        Browsers at a time.
    """

    def __init__(self, root: Path, *, idle: float, most: int) -> None:
        self._root, self._idle, self._most = root, idle, most
        self._sessions: dict[str, Session] = {}

    def open(self) -> str | None:
        """The name of a new session; None where there are too many."""
        if len(self._sessions) >= self._most:
            return None
        name = token_urlsafe(24)
        folder = self._root / token_urlsafe(12)
        folder.mkdir()
        self._sessions[name] = Session(folder)
        return name

    def get(self, name: str) -> Session | None:
        """The session of a name."""
        return self._sessions.get(name)

    async def sweep(self) -> None:
        """End sessions whose browser is gone, for as long as the server runs."""
        while True:
            await asyncio.sleep(self._idle / 4)
            oldest = time.monotonic() - self._idle
            for name, session in list(self._sessions.items()):
                if session.seen < oldest and not session.open_requests:
                    del self._sessions[name]
                    await session.end()

    async def end_all(self) -> None:
        """End every session."""
        for session in self._sessions.values():
            await session.end()
        self._sessions.clear()
