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
from dataclasses import replace
from queue import Empty, SimpleQueue
from threading import Thread, local
from typing import IO, TYPE_CHECKING, Any
from warnings import catch_warnings, simplefilter

from heldout.core.errors import HeldoutError
from heldout.runner.task import Done, Work, died, error_line, gave_nothing, perform, timed_out
from heldout.runner.work_parcel import Parcel, open_parcel

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence

    from heldout.learners.outcome import Part
    from heldout.runner.task import Batch, Batches

#: how many threads the compiled libraries of a child may use, as joblib sets it for its own
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "BLIS_NUM_THREADS")

#: bytes of the length that stands before each message
LENGTH = 8

READY = "ready"


def in_children(
    source: Parcel | Work, batches: Batches, *, jobs: int, timeout: float | None
) -> Generator[Done]:
    """Do the batches in ``jobs`` child processes, each led by a thread of this one.

    ``source`` is what interpreters of their own are sent, or the work itself, for copies.
    Interpreters wait for the next run of as many jobs, since to start one takes longer than
    many a fit.
    """
    results: SimpleQueue[Done | BaseException | None] = SimpleQueue()
    waiting = _WAITING.setdefault((os.getpid(), jobs), []) if isinstance(source, Parcel) else []
    children = [_idle(waiting) or Child(jobs) for _ in range(jobs)]

    def lead(child: Child) -> None:
        try:
            for batch in batches:
                for done in child.perform(source, batch, timeout):
                    results.put(done)
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
                batches.back(result)
                yield result
    finally:
        if not working and isinstance(source, Parcel):
            waiting.extend(children)
        else:
            for child in children:
                child.stop()
        for thread in threads:
            thread.join(timeout=5)


def _idle(waiting: list[Child]) -> Child | None:
    with suppress(IndexError):  # another thread may take the last one
        return waiting.pop()
    return None


#: interpreters without work, by the process that started them and for how many jobs
_WAITING: dict[tuple[int, int], list[Child]] = {}


def in_own_child(parcel: Parcel, batch: Batch, timeout: float | None) -> list[Done]:
    """Do a batch in the one child that this thread of a cluster's worker keeps.

    A fit that kills its process would else take the worker with it, for which some backends
    of joblib wait for ever.
    """
    if not hasattr(_KEPT, "child"):
        _KEPT.child = Child(1)
    return list(_KEPT.child.perform(parcel, batch, timeout))


_KEPT = local()


class Child:
    """A process that is started when first needed, and anew after it died."""

    def __init__(self, jobs: int) -> None:
        self.jobs = jobs
        #: the parcel that the process has opened
        self._opened = ""
        self._process: subprocess.Popen[bytes] | _Copy | None = None
        self._answers: SimpleQueue[Any] = SimpleQueue()
        self._stopped = False
        atexit.register(self.stop)

    def perform(
        self, source: Parcel | Work, batch: Batch, timeout: float | None
    ) -> Generator[Done]:
        """Fit the tasks of a batch; one that takes too long or kills the child is failed."""
        left = batch.positions
        while left:
            requests = self._requests_of(source)
            with suppress(OSError):
                _send(requests, replace(batch, positions=left))
            while left and self._process is not None:
                position, *rest = left
                left = tuple(rest)
                yield self._answer(source.parts, batch.model, position, timeout)

    def _answer(
        self, parts: Sequence[Part], model: int, position: int, timeout: float | None
    ) -> Done:
        try:
            answer = self._answers.get(timeout=timeout)
        except Empty:
            self._end()
            limit = timeout or 0.0
            return gave_nothing(parts, model, position, timed_out(limit), limit)
        if isinstance(answer, Done):
            return answer
        # the pipe is closed: what ended the process is known as soon as it is gone, however busy
        return gave_nothing(parts, model, position, died(self._end(patience=5.0)))

    def stop(self) -> None:
        """End the child for good."""
        self._stopped = True
        atexit.unregister(self.stop)
        self._end()

    def _requests_of(self, source: Parcel | Work) -> IO[bytes]:
        """Where a process that has opened the source takes its tasks."""
        if self._stopped:
            raise HeldoutError("a worker process was asked for work after it was stopped")
        if self._process is not None and self._process.poll() is not None:
            self._end()  # somebody else has ended it while it waited
        if self._process is None:
            own = _Copy(source) if isinstance(source, Work) else _interpreter(self.jobs)
            self._process = own
            self._opened, self._answers = "", SimpleQueue()
            reading = (self._process.stdout, self._answers)
            Thread(target=_pass_on, args=reading, daemon=True).start()
        assert self._process.stdin is not None
        if isinstance(source, Parcel) and source.token != self._opened:
            self._opened = source.token
            with suppress(OSError):
                _send(self._process.stdin, source)
            # opening the data and importing the learners is no part of a fit's time
            answer = self._answers.get()
            if answer != READY:
                raise HeldoutError(f"a worker process could not start: {answer or self._end()}")
        return self._process.stdin

    def _end(self, patience: float = 0.05) -> str:
        """Stop the process and those it started; says how it ended by itself, if it did in time."""
        process, self._process = self._process, None
        if process is None:
            return ending(None)
        with suppress(subprocess.TimeoutExpired):
            process.wait(patience)
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
    _serve(None, _requests(sys.stdin.buffer), answers)


def _serve_as_copy(work: Work, requests: int, answers: int) -> None:
    """Inside of a copy: the same, and no way back."""
    from heldout.learners.one_thread import LIBRARIES

    try:
        os.setsid()
        # a copy has no threads but this one, and OpenMP would wait for those that it remembers
        with LIBRARIES.limited("openmp"):
            _serve(work, _requests(os.fdopen(requests, "rb")), os.fdopen(answers, "wb"))
    finally:
        os._exit(1)


def _serve(work: Work | None, requests: SimpleQueue[Any], answers: IO[bytes]) -> None:
    """Open the parcels and fit the batches that are asked for; of each task an answer."""
    while True:
        request = requests.get()
        if isinstance(request, Parcel):
            work, answer = _opened(request)
            _send(answers, answer)
            continue
        assert work is not None
        for position in request.positions:
            try:
                (done,) = perform(work, replace(request, positions=(position,)))
            except KeyboardInterrupt as error:  # a model's own: no terminal interrupts a child
                done = gave_nothing(work.parts, request.model, position, error_line(error))
            _send(answers, done)


def _opened(parcel: Parcel) -> tuple[Work | None, str]:
    """The work of a parcel, and that it is ready, or why it is not."""
    try:
        work = open_parcel(parcel)
        import heldout.learners.fit  # noqa: F401  before the first fit is timed
    except Exception as error:
        return None, error_line(error)
    return work, READY


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
