"""Spark on this machine: beside rows in memory and the evaluators of pyspark.ml.

Time is that of the processors, of this process and of all that it starts; bytes that are shuffled
are those that Spark's own log of events has.
"""

from __future__ import annotations

import json
import os
import warnings
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from bench.scale import write_rows
from bench.timing import heading
from heldout.assess.scorecard import score_predictions
from heldout.core.errors import InputError
from heldout.engines import spark_source
from heldout.engines.reading import read_rows
from heldout.predictions.options import Roles

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ROWS = int(float(os.environ.get("HELDOUT_BENCH_ROWS", "1e7")))
ROLES = Roles(truth="y", score="p", positive="1")
#: the measures that both have, by the name that each has for them
NAMES = {"auc": "areaUnderROC", "pr_auc": "areaUnderPR", "accuracy": "accuracy"}
TICKS = os.sysconf("SC_CLK_TCK")


def run() -> None:
    """Print processor time, values and bytes of each way."""
    heading(f"spark: local[2], {ROWS:,} rows of Parquet")
    with TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        path = Path(folder) / "rows.parquet"
        write_rows(path, ROWS)
        try:
            _print_all(path, Path(folder))
        except InputError as error:
            print(f"  left out: {error}")


def _print_all(path: Path, folder: Path) -> None:
    own = _line("heldout in memory, scorecard with intervals", lambda: _scorecard(path, "memory"))
    ways: dict[str, Callable[[Any], dict[str, float]]] = {
        "heldout on Spark, scorecard with intervals": lambda _: _scorecard(path, "spark"),
        f"heldout on Spark, {len(NAMES)} values": lambda _: _values(path, "spark"),
        f"pyspark.ml, {len(NAMES)} values": lambda session: _evaluated(session, path),
    }
    for number, (name, work) in enumerate(ways.items()):
        events = folder / f"events{number}"
        with _session(events) as session:
            session.read.parquet(str(path)).count()  # classes of Java are loaded
            values = _line(name, partial(work, session))
        print(f"  {'':48}{_shuffled(events) / 2**20:10.2f} MiB shuffled", flush=True)
        off = max(abs(values[measure] - own[measure]) for measure in own)
        print(f"  {'':48}{off:10.1e} furthest from memory", flush=True)


def _line(name: str, work: Callable[[], dict[str, float]]) -> dict[str, float]:
    before = processor_seconds()
    values = work()
    print(f"  {name:48}{processor_seconds() - before:10.1f} s", flush=True)
    return values


def _scorecard(path: Path, engine: str) -> dict[str, float]:
    (p,) = read_rows([path], ROLES, pool=False, dialect="flags", engine=engine)
    card = score_predictions((p,))
    card.results()
    return {name: card[name].value for name in NAMES}


def _values(path: Path, engine: str) -> dict[str, float]:
    (p,) = read_rows([path], ROLES, pool=False, dialect="flags", engine=engine)
    card = score_predictions((p,), intervals=None)
    return {name: card[name].value for name in NAMES}


def _evaluated(session: Any, path: Path) -> dict[str, float]:
    """Areas under both curves and accuracy, each by a job of its own."""
    from pyspark.ml.evaluation import (
        BinaryClassificationEvaluator,
        MulticlassClassificationEvaluator,
    )

    frame = session.read.parquet(str(path)).selectExpr(
        "cast(y as double) as label", "p as rawPrediction", "cast(p >= 0.5 as double) as prediction"
    )
    values = {}
    for name, metric in NAMES.items():
        kind: Any = MulticlassClassificationEvaluator
        if metric.startswith("area"):
            kind = partial(BinaryClassificationEvaluator, numBins=0)
        values[name] = kind(metricName=metric).evaluate(frame)
    return values


@contextmanager
def _session(events: Path) -> Iterator[Any]:
    """A session of Spark that writes what it does to a folder."""
    events.mkdir()
    spark_source.SETTINGS |= {
        "spark.eventLog.enabled": "true",
        "spark.eventLog.dir": events.as_uri(),
        "spark.eventLog.compress": "false",
        "spark.eventLog.rolling.enabled": "false",
    }
    session = spark_source.spark_session("local[2]")
    try:
        yield session
    finally:
        session.stop()


def _shuffled(events: Path) -> int:
    """The bytes that all tasks wrote for others."""
    lines = (line for file in events.iterdir() if file.is_file() for line in file.open())
    ended = (json.loads(line) for line in lines if '"SparkListenerTaskEnd"' in line)
    metrics = (event.get("Task Metrics") or {} for event in ended)
    return sum(own["Shuffle Write Metrics"]["Shuffle Bytes Written"] for own in metrics if own)


def processor_seconds() -> float:
    """What this process and all that it started have used, those that have ended among them."""
    parents, used = {}, {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                fields = (folder / "stat").read_text().rpartition(")")[2].split()
            except OSError:  # it has ended meanwhile
                continue
            parents[int(folder.name)] = int(fields[1])
            used[int(folder.name)] = sum(map(int, fields[11:15])) / TICKS
    family = {os.getpid()}
    while more := {child for child, parent in parents.items() if parent in family} - family:
        family |= more
    return sum(used.get(process, 0.0) for process in family)
