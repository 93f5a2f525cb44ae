"""A child process that fits one task at a time and may be stopped at any moment."""

from __future__ import annotations

import contextlib
import os
import pickle
import signal
import subprocess
import sys
from queue import Empty, SimpleQueue
from threading import Thread
from typing import IO, TYPE_CHECKING, Any

from heldout.core.errors import HeldoutError
from heldout.runner.task import DIED, Done, gave_nothing
from heldout.runner.timeouts import timed_out

if TYPE_CHECKING:
    from collections.abc import Sequence

    from heldout.learners.outcome import Part
    from heldout.runner.parcel import Parcel

__all__ = ["Child", "ended", "receive", "send"]

#: how many threads the compiled libraries of a child may use, as joblib sets it for its own
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "BLIS_NUM_THREADS")

LENGTH = 8


def send(stream: IO[bytes], thing: Any) -> None:
    """Write a thing with its length before it."""
    data = pickle.dumps(thing, protocol=5)
    stream.write(len(data).to_bytes(LENGTH, "little") + data)
    stream.flush()


def receive(stream: IO[bytes]) -> Any:
    """The next thing; EOFError when the other side is gone."""
    head = stream.read(LENGTH)
    data = stream.read(int.from_bytes(head, "little")) if len(head) == LENGTH else b""
    if not data:
        raise EOFError
    # Both sides are processes of this run; nothing here comes from a file or a stranger.
    return pickle.loads(data)  # noqa: S301


class Child:
    """A process that is started when first needed, and anew after it died."""

    def __init__(self, parcel: Parcel, jobs: int, parts: Sequence[Part]) -> None:
        self.parcel = parcel
        self.jobs = jobs
        self.parts = parts
        self._process: subprocess.Popen[bytes] | None = None
        self._answers: SimpleQueue[Any] = SimpleQueue()
        self._stopped = False

    def perform(self, model: int, position: int, timeout: float | None) -> Done:
        """Fit one task; a task that takes too long or kills the child is failed."""
        if self._process is None:
            self._start()
        assert self._process is not None
        assert self._process.stdin is not None
        try:
            send(self._process.stdin, (model, position))
            answer = self._answers.get(timeout=timeout)
        except Empty:
            self._end()
            spent = timeout or 0.0
            text = timed_out(spent)
            return Done(model, position, gave_nothing(self.parts, position, text), spent)
        except OSError:
            answer = None
        if isinstance(answer, Done):
            return answer
        text = f"{DIED} ({self._end()})"
        return Done(model, position, gave_nothing(self.parts, position, text), 0.0)

    def stop(self) -> None:
        """End the child for good."""
        self._stopped = True
        self._end()

    def _start(self) -> None:
        if self._stopped:
            raise HeldoutError("a worker process was asked for work after it was stopped")
        share = str(max((os.cpu_count() or 1) // self.jobs, 1))
        environment = {**dict.fromkeys(THREADS, share), **os.environ}
        environment["PYTHONPATH"] = os.pathsep.join(path for path in sys.path if path)
        process = subprocess.Popen(
            [sys.executable, "-m", "heldout.runner.serve"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=environment,
            start_new_session=True,
        )
        assert process.stdin is not None
        assert process.stdout is not None
        self._process, self._answers = process, SimpleQueue()
        Thread(target=_listen, args=(process.stdout, self._answers), daemon=True).start()
        with contextlib.suppress(OSError):
            send(process.stdin, self.parcel)
        # opening the data and importing the learners is no part of a fit's time
        answer = self._answers.get()
        if answer != "ready":
            raise HeldoutError(f"a worker process could not start: {answer or self._end()}")

    def _end(self) -> str:
        """Stop the process and those it started; says how it ended by itself."""
        process, self._process = self._process, None
        if process is None:
            return "stopped"
        with contextlib.suppress(subprocess.TimeoutExpired):
            # one that died by itself gets a moment to say of what
            process.wait(0.05)
        code = process.poll()
        with contextlib.suppress(OSError):
            if hasattr(os, "killpg"):
                os.killpg(process.pid, signal.SIGKILL)
            else:
                process.kill()
        process.wait()
        for stream in (process.stdin, process.stdout):
            if stream is not None:
                with contextlib.suppress(OSError):
                    stream.close()
        return ended(code)


def ended(code: int | None) -> str:
    """How a process ended, by its exit code; None is one that was stopped."""
    if code is None:
        return "stopped"
    if code >= 0:
        return f"exit code {code}"
    if -code == signal.SIGKILL:
        return "killed, perhaps for lack of memory"
    return signal.Signals(-code).name


def _listen(stream: IO[bytes], answers: SimpleQueue[Any]) -> None:
    """Pass on what the child says; None when it is gone."""
    try:
        while True:
            answers.put(receive(stream))
    except (EOFError, OSError, ValueError, pickle.UnpicklingError):
        answers.put(None)
