"""A real server: ``heldout serve`` in a process of its own, with its own temporary folder."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import httpx

if TYPE_CHECKING:
    from collections.abc import Iterator

SOURCE = Path(__file__).parents[2] / "src"


@dataclass(frozen=True)
class Server:
    """Where a server is, and where its files are."""

    address: str
    origin: str
    data: Path
    temporary: Path

    @contextmanager
    def client(self, *, is_known: bool = True) -> Iterator[httpx.Client]:
        """Somebody who asks as a browser does; known by a session of their own."""
        headers = {"origin": self.origin}
        with httpx.Client(
            base_url=self.origin, headers=headers, timeout=60, trust_env=False
        ) as client:
            if is_known:
                assert client.get(self.address).status_code == 303
            yield client

    def uploads(self) -> list[Path]:
        """What lies about of uploads and jobs."""
        return [path for path in self.temporary.rglob("*") if path.is_file()]


@contextmanager
def served(folder: Path, *options: str, ending: signal.Signals = signal.SIGINT) -> Iterator[Server]:
    """A server of the files in ``folder / "data"``, until it gets the signal to end."""
    data, temporary = folder / "data", folder / "tmp"
    data.mkdir()
    temporary.mkdir()
    (data / "a.csv").write_text("truth,score\n" + "1,0.9\n0,0.2\n1,0.6\n0,0.4\n" * 10)
    environment = {**os.environ, "TMPDIR": str(temporary), "PYTHONPATH": str(SOURCE)}
    command = [sys.executable, "-m", "heldout", "serve", "data", "--port", "0", *options]
    with (folder / "stderr.txt").open("w") as errors:
        process = subprocess.Popen(
            command, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=errors, text=True
        )
    assert process.stdout is not None
    try:
        address = re.search(r"http://\S+", process.stdout.readline())
        assert address is not None, (folder / "stderr.txt").read_text()
        origin = address[0].partition("/?")[0]
        yield Server(address[0], origin, data, temporary)
        assert process.poll() is None, "the server ended by itself"
    finally:
        process.send_signal(ending)
        process.wait(20)
        process.stdout.close()
    assert not [path for path in temporary.iterdir() if path.name.startswith("heldout")]
    assert "Traceback" not in (folder / "stderr.txt").read_text()
