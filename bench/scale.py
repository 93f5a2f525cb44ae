"""Files by scan: time and peak memory beside what cannot be avoided, and how both grow.

``HELDOUT_BENCH_ROWS=1e6,1e7,1e8 python -m bench scale`` chooses the numbers of rows. Every line is
a process of its own, whose peak is what the kernel counted; time is that of all its processors.
Peers that hold every row, and texts, are measured up to 20 million rows.
"""

from __future__ import annotations

import os
import resource
import sys
import tempfile
import time
from multiprocessing import get_context
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from bench.timing import heading

SLICES, BINS = 1000, 65536
#: rows up to which peers, texts and rows in memory are measured
MOST_ROWS = 20_000_000
ROLES = ("--truth", "y", "--score", "p", "--positive", "1", "--quiet", "--no-audit")
SCAN = ("--engine", "scan")


class Cost(NamedTuple):
    """Processor seconds, peak memory in MiB, and what the work gave."""

    seconds: float
    peak: float
    result: Any = None


def run() -> None:
    """Print time, ratio and peak memory of each way, and the bars that they are held to."""
    sizes = [int(float(n)) for n in os.environ.get("HELDOUT_BENCH_ROWS", "1e6,5e6").split(",")]
    growth: dict[int, Cost] = {}
    with tempfile.TemporaryDirectory() as folder:
        for rows in sizes:
            heading(f"scale: full scorecard with intervals, {rows:,} rows of Parquet")
            path = Path(folder) / "rows.parquet"
            _measured(write_rows, path, rows)
            growth[rows] = _exact(path)
            _binned(path)
            if rows <= MOST_ROWS:
                _beside_peers(path, growth[rows])
    heading("scale: growth of the exact scan")
    for rows, cost in growth.items():
        print(
            f"  {rows:>14,} rows{cost.seconds / rows * 1e9:>10.0f} ns a row{cost.peak:>10.0f} MiB"
        )


def _exact(path: Path) -> Cost:
    floor = _line("DuckDB sums + one sort", _measured(_floor, path))
    plain = _line("scan", _measured(_score, path, SCAN), floor, "at most 4")
    spilled = _measured(_score, path, (*SCAN, "--memory", "500MiB"))
    _line("scan, 500 MiB", spilled, plain, "of scan, at most 3")
    sliced = _measured(_score, path, (*SCAN, "--by", "k", "--memory", "2GiB"))
    _line("scan by 1,000 slices", sliced, plain, "of scan, at most 3")
    return plain


def _binned(path: Path) -> None:
    _line(f"scan, {BINS} bins", _measured(_score, path, ("--bins", str(BINS))))
    width = _measured(_width, path).result
    print(f"  {'':24}AUC within {width:.1e} (below 1e-4)", flush=True)


def _beside_peers(path: Path, plain: Cost) -> None:
    _line("memory", _measured(_score, path, ("--engine", "memory")), plain, "of scan")
    peers = _measured(_peers, path)
    _line("PyArrow + scikit-learn", peers, plain, "of scan, at least 8")
    text = path.with_suffix(".csv")
    _measured(_to_text, path, text)
    floor = _line("CSV: DuckDB count(*), sums", _measured(_text_floor, text))
    _line("CSV: scan", _measured(_score, text, SCAN), floor, "at most 1.5")
    text.unlink()


def _line(name: str, cost: Cost, beside: Cost | None = None, bar: str = "") -> Cost:
    """Print a way of doing it, over another, with the bar that the ratio is held to."""
    ratio = "" if beside is None else f"{cost.seconds / beside.seconds:.2f} x {bar}"
    print(f"  {name:28}{cost.seconds:>9.2f} s{cost.peak:>9.0f} MiB   {ratio}", flush=True)
    return cost


def _measured(work: Any, *given: Any) -> Cost:
    """The cost of work in a process of its own."""
    context = get_context("spawn")
    results = context.SimpleQueue()
    process = context.Process(target=_timed, args=(results, work, given))
    process.start()
    process.join()
    if process.exitcode:
        raise SystemExit(f"{work.__name__}{given} failed")
    return Cost(*results.get())


def _timed(results: Any, work: Any, given: tuple[Any, ...]) -> None:
    start = time.process_time()
    result = work(*given)
    seconds = time.process_time() - start
    results.put((seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, result))


def _query(text: str) -> None:
    """Let DuckDB work, without its progress bar."""
    import duckdb

    with duckdb.connect() as database:
        database.execute("SET enable_progress_bar = false")
        database.execute(text).fetchall()


def write_rows(path: Path, rows: int) -> None:
    """Truth as int8, score as float64, a column of slices."""
    _query(
        f"COPY (SELECT (random() < p)::TINYINT AS y, p, k FROM (SELECT "
        f"1 / (1 + exp(-4 * (random() + random() + random() - 1.7))) AS p, "
        f"floor(random() * {SLICES})::SMALLINT AS k FROM range({rows}))) TO '{path}'"
    )


def _floor(path: Path) -> None:
    """What cannot be avoided: to read two columns, and to sort one."""
    import duckdb

    with duckdb.connect() as database:
        database.execute("SET enable_progress_bar = false")
        database.execute(f"SELECT sum(y), sum(p) FROM '{path}'").fetchall()
        scores = database.execute(f"SELECT p FROM '{path}'").fetchnumpy()["p"]
    np.array(scores).sort()


def _to_text(path: Path, text: Path) -> None:
    _query(f"COPY (SELECT * FROM '{path}') TO '{text}' (HEADER)")


def _text_floor(path: Path) -> None:
    """To parse the columns that are needed."""
    _query(f"SELECT count(*), sum(y), sum(p) FROM '{path}'")


def _peers(path: Path) -> None:
    """The values of the scorecard that scikit-learn has, without intervals."""
    import pyarrow.parquet as pq
    from sklearn import metrics

    table = pq.read_table(path, columns=["y", "p"])
    y, p = (table[name].to_numpy() for name in ("y", "p"))
    for value in (
        metrics.roc_auc_score,
        metrics.average_precision_score,
        metrics.brier_score_loss,
        metrics.log_loss,
    ):
        value(y, p)
    label = (p >= 0.5).astype(np.int8)
    for value in (
        metrics.accuracy_score,
        metrics.balanced_accuracy_score,
        metrics.precision_score,
        metrics.recall_score,
        metrics.f1_score,
        metrics.matthews_corrcoef,
    ):
        value(y, label)


def _width(path: Path) -> float:
    """How wide the limits are that hold the exact area under the curve."""
    from heldout.engines.counted import counts_of
    from heldout.engines.reading import read_rows
    from heldout.predictions.options import Roles
    from heldout.tally.binned import limits_of

    roles = Roles(truth="y", score="p", positive="1")
    (p,) = read_rows([path], roles, pool=False, dialect="flags", bins=BINS)
    counts = counts_of(p)
    assert counts is not None
    low, high = limits_of(counts, 1 / BINS)["auc"]
    return high - low


def _score(path: Path, way: tuple[str, ...]) -> None:
    from heldout.cli.main import main

    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # the text is made, and not shown
    sys.argv = ["heldout", "score", str(path), *ROLES, *way]
    try:
        main()
    except SystemExit as end:
        if end.code:
            raise
