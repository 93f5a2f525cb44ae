"""Child processes that fit one task at a time: for time limits, and for fits that end theirs.

A child is an interpreter of its own that is sent the work, or, for models that can be sent to no
other process, a copy of this one. Both read tasks, fit, and write what came of them.
"""

from __future__ import annotations

import atexit
import os
import pickle
import signal
import subprocess
import sys
import time
from contextlib import suppress
from queue import Empty, SimpleQueue
from threading import Lock, Thread, local
from typing import IO, TYPE_CHECKING, Any
from warnings import catch_warnings, simplefilter

from heldout.core.errors import HeldoutError
from heldout.runner.parcel import Parcel, open_parcel
from heldout.runner.task import Batch, Done, died, error_line, gave_nothing, perform, timed_out

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator, Sequence

    from heldout.learners.outcome import Part
    from heldout.runner.task import Work

__all__ = ["copies_are_made", "ending", "in_children", "in_own_child", "main"]

#: how many threads the compiled libraries of a child may use, as joblib sets it for its own
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "BLIS_NUM_THREADS")

#: bytes of the length that stands before each message
LENGTH = 8

READY = "ready"


def in_children(
    source: Parcel | Work,
    batches: Iterator[Batch],
    *,
    jobs: int,
    timeout: float | None,
    parts: Sequence[Part],
) -> Generator[Done]:
    """Do the batches in ``jobs`` child processes, each led by a thread of this one.

    ``source`` is what interpreters of their own are sent, or the work itself, for copies.
    """
    results: SimpleQueue[Done | BaseException | None] = SimpleQueue()
    children = [Child(source, jobs, parts) for _ in range(jobs)]
    lock = Lock()

    def lead(child: Child) -> None:
        try:
            while True:
                with lock:
                    batch = next(batches, None)
                if batch is None:
                    break
                for position in batch.positions:
                    results.put(child.perform(batch.model, position, timeout))
            results.put(None)
        except BaseException as error:
            results.put(error)

    threads = [Thread(target=lead, args=(child,), daemon=True) for child in children]
    for thread in threads:
        thread.start()
    working = len(threads)
    try:
        while working:
            result = results.get()
            if isinstance(result, BaseException):
                raise result
            if result is None:
                working -= 1
            else:
                yield result
    finally:
        for child in children:
            child.stop()
        for thread in threads:
            thread.join(timeout=5)


def in_own_child(
    parcel: Parcel, batch: Batch, timeout: float | None, parts: Sequence[Part]
) -> list[Done]:
    """Do a batch in the one child that this thread of a cluster's worker keeps for a parcel.

    A fit that kills its process would else take the worker with it, for which some backends
    of joblib wait for ever.
    """
    child: Child | None = getattr(_KEPT, "child", None)
    if child is None or child.source.token != parcel.token:
        if child is not None:
            child.stop()
            atexit.unregister(child.stop)
        child = _KEPT.child = Child(parcel, 1, parts)
        atexit.register(child.stop)
    return [child.perform(batch.model, position, timeout) for position in batch.positions]


_KEPT = local()


class Child:
    """A process that is started when first needed, and anew after it died."""

    def __init__(self, source: Any, jobs: int, parts: Sequence[Part]) -> None:
        self.source = source
        self.jobs = jobs
        self.parts = parts
        self._process: subprocess.Popen[bytes] | _Copy | None = None
        self._answers: SimpleQueue[Any] = SimpleQueue()
        self._stopped = False

    def perform(self, model: int, position: int, timeout: float | None) -> Done:
        """Fit one task; a task that takes too long or kills the child is failed."""
        if self._process is None:
            self._start()
        assert self._process is not None
        assert self._process.stdin is not None
        try:
            _send(self._process.stdin, Batch(model, (position,)))
            answer = self._answers.get(timeout=timeout)
        except Empty:
            self._end()
            limit = timeout or 0.0
            return gave_nothing(self.parts, model, position, timed_out(limit), limit)
        except OSError:
            answer = None
        if isinstance(answer, Done):
            return answer
        return gave_nothing(self.parts, model, position, died(self._end()))

    def stop(self) -> None:
        """End the child for good."""
        self._stopped = True
        self._end()

    def _start(self) -> None:
        if self._stopped:
            raise HeldoutError("a worker process was asked for work after it was stopped")
        is_sent = isinstance(self.source, Parcel)
        process = _interpreter(self.jobs) if is_sent else _Copy(self.source)
        assert process.stdin is not None
        assert process.stdout is not None
        self._process, self._answers = process, SimpleQueue()
        Thread(target=_pass_on, args=(process.stdout, self._answers), daemon=True).start()
        if is_sent:
            with suppress(OSError):
                _send(process.stdin, self.source)
        # opening the data and importing the learners is no part of a fit's time
        answer = self._answers.get()
        if answer != READY:
            raise HeldoutError(f"a worker process could not start: {answer or self._end()}")

    def _end(self) -> str:
        """Stop the process and those it started; says how it ended by itself."""
        process, self._process = self._process, None
        if process is None:
            return ending(None)
        with suppress(subprocess.TimeoutExpired):
            # one that died by itself gets a moment to say of what
            process.wait(0.05)
        code = process.poll()
        with suppress(OSError):
            if hasattr(os, "killpg"):
                os.killpg(process.pid, signal.SIGKILL)
            else:
                process.kill()
        process.wait()
        for stream in (process.stdin, process.stdout):
            if stream is not None:
                with suppress(OSError):
                    stream.close()
        return ending(code)


def _interpreter(jobs: int) -> subprocess.Popen[bytes]:
    """A Python of its own that waits for work."""
    share = str(max((os.cpu_count() or 1) // jobs, 1))
    environment = {**dict.fromkeys(THREADS, share), **os.environ}
    environment["PYTHONPATH"] = os.pathsep.join(path for path in sys.path if path)
    return subprocess.Popen(
        [sys.executable, "-c", "from heldout.runner.child import main; main()"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=environment,
        start_new_session=True,
    )


class _Copy:
    """A copy of this process that serves tasks, and is waited for as a ``Popen`` is.

    One at a time: another would hold the ends of its pipes, so that its end went unnoticed.
    """

    def __init__(self, work: Work) -> None:
        requests, stdin = os.pipe()
        stdout, answers = os.pipe()
        with catch_warnings():
            # of threads that the copy lacks, which it needs for nothing
            simplefilter("ignore", DeprecationWarning)
            self.pid = os.fork()
        if self.pid == 0:
            os.close(stdin)
            os.close(stdout)
            _serve_as_copy(work, requests, answers)
        os.close(requests)
        os.close(answers)
        self.stdin, self.stdout = os.fdopen(stdin, "wb"), os.fdopen(stdout, "rb")
        self._code: int | None = None

    def poll(self) -> int | None:
        """How it ended, if it did."""
        if self._code is None:
            ended, status = os.waitpid(self.pid, os.WNOHANG)
            self._code = os.waitstatus_to_exitcode(status) if ended else None
        return self._code

    def wait(self, timeout: float | None = None) -> int:
        """How it ended, once it has, or after so many seconds an error."""
        end = None if timeout is None else time.monotonic() + timeout
        while (code := self.poll()) is None:
            if end is not None and time.monotonic() > end:
                raise subprocess.TimeoutExpired("copy", timeout or 0.0)
            time.sleep(0.002)
        return code

    def kill(self) -> None:
        """End it at once."""
        os.kill(self.pid, signal.SIGKILL)


def copies_are_made() -> bool:
    """Whether this system can copy a process of several threads and have it compute."""
    # the system libraries of macOS break in a copy, and Windows makes none
    return sys.platform not in ("darwin", "win32")


def ending(code: int | None) -> str:
    """How a process ended, by its exit code; None is one that was stopped."""
    if code is None:
        return "stopped"
    if code >= 0:
        return f"exit code {code}"
    if -code == signal.SIGKILL:
        return "killed, perhaps for lack of memory"
    return signal.Signals(-code).name


def _send(stream: IO[bytes], thing: Any) -> None:
    """Write a thing with its length before it."""
    data = pickle.dumps(thing, protocol=5)
    stream.write(len(data).to_bytes(LENGTH, "little") + data)
    stream.flush()


def _receive(stream: IO[bytes]) -> Any:
    """The next thing; EOFError when the other side is gone."""
    head = stream.read(LENGTH)
    data = stream.read(int.from_bytes(head, "little")) if len(head) == LENGTH else b""
    if not data:
        raise EOFError
    # Both sides are processes of this run; nothing here comes from a file or a stranger.
    return pickle.loads(data)  # noqa: S301


def _pass_on(stream: IO[bytes], answers: SimpleQueue[Any]) -> None:
    """Pass on what the child says; None when it is gone."""
    try:
        while True:
            answers.put(_receive(stream))
    except (EOFError, OSError, ValueError, pickle.UnpicklingError):
        answers.put(None)


def main() -> None:
    """Inside of an interpreter of its own: serve tasks until the other side is gone."""
    # what models print must not get between the answers
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    requests = _requests(sys.stdin.buffer)
    try:
        work = open_parcel(requests.get())
        import heldout.learners.fit  # noqa: F401  before the first fit is timed
    except Exception as error:
        _send(answers, error_line(error))
        return
    _serve(work, requests, answers)


def _serve_as_copy(work: Work, requests: int, answers: int) -> None:
    """Inside of a copy: the same, and no way back."""
    from heldout.learners.one_thread import LIBRARIES

    try:
        os.setsid()
        # a copy has no threads but this one, and OpenMP would wait for those that it remembers
        with LIBRARIES.openmp():
            _serve(work, _requests(os.fdopen(requests, "rb")), os.fdopen(answers, "wb"))
    finally:
        os._exit(1)


def _serve(work: Work, requests: SimpleQueue[Any], answers: IO[bytes]) -> None:
    _send(answers, READY)
    while True:
        _send(answers, perform(work, requests.get())[0])


def _requests(stream: IO[bytes]) -> SimpleQueue[Any]:
    """What the parent asks for; when it is gone, even a fit that hangs is of no use."""
    requests: SimpleQueue[Any] = SimpleQueue()

    def listen() -> None:
        try:
            while True:
                requests.put(_receive(stream))
        except EOFError:
            os._exit(0)

    Thread(target=listen, daemon=True).start()
    return requests
