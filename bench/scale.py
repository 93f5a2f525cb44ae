"""Files by scan: time and peak memory beside reading them into memory, and how both grow.

``HELDOUT_BENCH_ROWS=1e6,1e7,1e8 python -m bench scale`` chooses the numbers of rows. Every line is
a process of its own, whose peak is what the kernel counted.
"""

from __future__ import annotations

import os
import resource
import sys
import tempfile
import time
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np

from bench.timing import heading

SLICES = 1000
ROLES = ("--truth", "y", "--score", "p", "--positive", "1", "--quiet", "--no-audit")
WAYS: dict[str, tuple[str, ...]] = {
    "memory": ("--engine", "memory"),
    "scan": ("--engine", "scan"),
    "scan by 1,000 slices": ("--engine", "scan", "--by", "k"),
    "scan, 65536 bins": ("--bins", "65536"),
}


def run() -> None:
    """Print seconds, seconds over those of the floor, and peak memory of each way."""
    sizes = [int(float(n)) for n in os.environ.get("HELDOUT_BENCH_ROWS", "1e6,5e6").split(",")]
    with tempfile.TemporaryDirectory() as folder:
        for rows in sizes:
            heading(f"scale: full scorecard with intervals, {rows:,} rows of Parquet")
            path = Path(folder) / "rows.parquet"
            _measured(_write, path, rows)
            floor, peak = _measured(_floor, path)
            line = "  {:24}{:>10.2f} s{:>9.1f} x{:>10.0f} MiB"
            print(line.format("DuckDB sums + one sort", floor, 1.0, peak), flush=True)
            for name, way in WAYS.items():
                seconds, peak = _measured(_score, path, way)
                print(line.format(name, seconds, seconds / floor, peak), flush=True)


def _measured(work: Any, *given: Any) -> tuple[float, float]:
    """Processor seconds and peak memory in MiB of work in a process of its own."""
    context = get_context("spawn")
    results = context.SimpleQueue()
    process = context.Process(target=_timed, args=(results, work, given))
    process.start()
    process.join()
    if process.exitcode:
        raise SystemExit(f"{work.__name__}{given} failed")
    seconds, peak = results.get()
    return seconds, peak


def _timed(results: Any, work: Any, given: tuple[Any, ...]) -> None:
    start = time.process_time()
    work(*given)
    seconds = time.process_time() - start
    results.put((seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024))


def _write(path: Path, rows: int) -> None:
    """Truth as int8, score as float64, a column of slices."""
    import duckdb

    duckdb.sql(
        f"COPY (SELECT (random() < p)::TINYINT AS y, p, k FROM (SELECT "
        f"1 / (1 + exp(-4 * (random() + random() + random() - 1.7))) AS p, "
        f"floor(random() * {SLICES})::SMALLINT AS k FROM range({rows}))) TO '{path}'"
    )


def _floor(path: Path) -> None:
    """What cannot be avoided: to read two columns, and to sort one."""
    import duckdb

    with duckdb.connect() as database:
        database.execute(f"SELECT sum(y), sum(p) FROM '{path}'").fetchall()
        scores = database.execute(f"SELECT p FROM '{path}'").fetchnumpy()["p"]
    np.array(scores).sort()


def _score(path: Path, way: tuple[str, ...]) -> None:
    from heldout.cli.main import main

    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # the text is made, and not shown
    sys.argv = ["heldout", "score", str(path), *ROLES, *way]
    try:
        main()
    except SystemExit as end:
        if end.code:
            raise
