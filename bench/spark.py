"""Spark on this machine: against rows in memory, and the evaluators of pyspark.ml."""

from __future__ import annotations

import os
import time
import warnings
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from heldout.assess.scorecard import score_predictions
from heldout.engines.reading import read_rows
from heldout.engines.spark_source import SparkSource, spark_session
from heldout.predictions.options import Roles

ROWS = int(os.environ.get("BENCH_ROWS", "10_000_000"))
ROLES = Roles(truth="y", score="p", positive="1")


class Counting(SparkSource):
    """A source that counts the bytes that workers send."""

    bytes_sent = 0

    def sent(self, work: Any, schema: str, names: list[str], size: int | None) -> Any:
        for block in super().sent(work, schema, names, size):
            Counting.bytes_sent += sum(
                sum(map(len, own)) if isinstance(own, list) else len(own) for own in block
            )
            yield block


def rows_of(path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    rng = np.random.default_rng(5)
    p = rng.beta(2, 3, ROWS)
    y = (rng.random(ROWS) < p).astype(np.int8)
    pq.write_table(pa.table({"y": y, "p": p}), path, row_group_size=ROWS // 8)


def card_of(path: Path, engine: str, intervals: bool = True) -> Any:
    (p,) = read_rows([path], ROLES, pool=False, dialect="flags", engine=engine)
    card = score_predictions((p,)) if intervals else score_predictions((p,), intervals=None)
    return {name: card[name].value for name in ("auc", "pr_auc", "accuracy", "f_score")}


def by_evaluators(session: Any, path: Path) -> dict[str, float]:
    """AUC, area under precision and recall, accuracy and F1, each by a job of its own."""
    from pyspark.ml.evaluation import (
        BinaryClassificationEvaluator,
        MulticlassClassificationEvaluator,
    )

    frame = session.read.parquet(str(path)).selectExpr(
        "cast(y as double) as label", "p as rawPrediction", "cast(p >= 0.5 as double) as prediction"
    )
    values = {
        name: BinaryClassificationEvaluator(metricName=name, numBins=0).evaluate(frame)
        for name in ("areaUnderROC", "areaUnderPR")
    }
    for name in ("accuracy", "f1"):
        values[name] = MulticlassClassificationEvaluator(metricName=name).evaluate(frame)
    return values


def timed(name: str, work: Any) -> Any:
    start = time.perf_counter()
    answer = work()
    print(f"  {name:42} {time.perf_counter() - start:7.2f} s   {answer}")
    return answer


def run() -> None:
    """Print times, values, and the bytes that come to the driver."""
    try:
        session = spark_session("local[2]")
    except Exception as error:
        print(f"  left out: {error}")
        return
    from heldout.engines import origins

    setattr(origins, "SparkSource", Counting)  # noqa: B010
    with TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        path = Path(folder) / "rows.parquet"
        rows_of(path)
        print(f"  {ROWS:,} rows, {path.stat().st_size / 2**20:,.0f} MiB of Parquet")
        timed("session is warm: count", lambda: session.read.parquet(str(path)).count())
        timed("heldout in memory, with intervals", lambda: card_of(path, "memory"))
        Counting.bytes_sent = 0
        timed("heldout on Spark, with intervals", lambda: card_of(path, "spark"))
        sent = Counting.bytes_sent
        print(f"  sent to the driver: {sent / 2**20:,.0f} MiB ({sent / ROWS:.2f} bytes per row)")
        print("  shuffled: no rows; sums of facts and distinct values alone (not measured)")
        timed("pyspark.ml: 2 + 2 measures, no intervals", lambda: by_evaluators(session, path))
    session.stop()
