"""A run to be killed: a process that evaluates two models with a store, for the tests."""

from __future__ import annotations

import signal
import sys
from pathlib import Path
from typing import Any

from heldout.runner.run import run
from heldout.runner.store import Store
from tests.runner.making import Odd, a_model, some_data, some_splits


def main(folder: str, jobs: str, pause: str, backend: Any = "loky") -> None:
    # whoever starts the tests in the background has interrupts ignored
    signal.signal(signal.SIGINT, signal.default_int_handler)
    log = str(Path(folder) / "fits")
    model = a_model(Odd(act="nothing", log=log, pause=float(pause)), "odd", "odd")
    run(
        some_data(),
        [model],
        some_splits(folds=10, repeats=6),
        store=Store(Path(folder)),
        jobs=int(jobs),
        backend=backend,
        exact=False,
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
