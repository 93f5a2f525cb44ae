"""The inside of a child process: reads tasks, fits, writes what came of them."""

from __future__ import annotations

import os
import sys
from queue import SimpleQueue
from threading import Thread
from typing import IO, Any

from heldout.runner.child import receive, send

__all__ = ["main"]


def main() -> None:
    """Serve tasks until the other side is gone."""
    # what models print must not get between the answers
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    requests: SimpleQueue[Any] = SimpleQueue()
    Thread(target=_listen, args=(sys.stdin.buffer, requests), daemon=True).start()

    from heldout.runner.parcel import opened
    from heldout.runner.task import Batch, perform, said

    try:
        work = opened(requests.get())
        import heldout.learners.fit  # noqa: F401  before the first fit is timed
    except Exception as error:
        send(answers, said(error))
        return
    send(answers, "ready")
    while True:
        model, position = requests.get()
        send(answers, perform(work, Batch(model, (position,)))[0])


def _listen(stream: IO[bytes], requests: SimpleQueue[Any]) -> None:
    """Pass on requests; when the parent is gone, even a fit that hangs is of no use."""
    try:
        while True:
            requests.put(receive(stream))
    except EOFError:
        os._exit(0)


if __name__ == "__main__":
    main()
