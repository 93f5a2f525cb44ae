"""Spark as a transport: the numbers of rows in memory, counted once, and errors in a line."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import warnings
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow.parquet as pq
import pytest

from heldout.core.errors import InputError
from heldout.engines import spark_source
from heldout.engines.counted import counts_of
from heldout.engines.reading import read_rows
from heldout.engines.spark_source import refuse_unreachable, spark_session
from heldout.predictions.options import Roles
from heldout.predictions.tally_file import write_tally
from tests.engines import roles
from tests.engines.transports import ROLES, ROWS, arrow, assert_same, columns, read

if TYPE_CHECKING:
    from collections.abc import Iterator


def why_not() -> str:
    """Why Spark cannot be had here."""
    if find_spec("pyspark") is None:
        return "pyspark is not installed"
    return "" if shutil.which("java") or os.environ.get("JAVA_HOME") else "there is no Java"


#: PySpark warns of versions of pandas
pytestmark = pytest.mark.filterwarnings("ignore::FutureWarning")
needs_spark = pytest.mark.skipif(bool(why_not()), reason=f"no Spark: {why_not()}")


@pytest.fixture(scope="session")
def session() -> Iterator[Any]:
    """A session that all tests of this process share; a task is tried three times."""
    own = spark_session("local[2,3]")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        own.conf.set("spark.sql.shuffle.partitions", "2")
        yield own
        own.stop()


def frame(session: Any, table: Any, parts: int) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return session.createDataFrame(table).repartition(parts)


@needs_spark
@pytest.mark.parametrize(("kind", "parts"), [("some ties", 1), ("ties", 3), ("signed", 7)])
def test_spark_gives_the_numbers_of_rows_in_memory(session: Any, kind: str, parts: int) -> None:
    table = arrow(columns(kind))
    p = read(frame(session, table, parts))
    assert counts_of(p) is not None
    assert p.notes[-1].startswith(f"engine: spark ({ROWS:,} rows are counted where they are")
    assert_same(p, read(table))


@needs_spark
@pytest.mark.parametrize(
    "kind", ["labels", "folds", "several classes", "weighted values of groups"]
)
def test_spark_gives_other_roles_of_rows_in_memory(session: Any, kind: str, tmp_path: Path) -> None:
    rows = roles.table()
    pq.write_table(rows, tmp_path / "rows.parquet")
    how: dict[str, Any] = {"pool": False, "dialect": "flags"}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        frames = [frame(session, rows, 3)] if kind == "several classes" else []
        for source in (tmp_path / "rows.parquet", *frames):
            own = read_rows([source], roles.ROLES[kind], engine="spark", **how)
            assert own[0].notes[-1].startswith(f"engine: spark ({roles.ROWS} rows are read")
            known = read_rows([rows], roles.ROLES[kind], **how)
            roles.assert_same_values(own, known, is_ordered=source not in frames)


@needs_spark
def test_blocks_of_one_partition_after_the_other_are_the_same(
    session: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spark_source, "COLLECTED_BYTES", 0)
    table = arrow(columns())
    assert_same(read(frame(session, table, 3)), read(table))


@needs_spark
def test_a_task_that_is_run_again_counts_once(session: Any, tmp_path: Path) -> None:
    """The first attempt of each task kills its worker after it has given half of its rows."""
    table = arrow(columns())
    marks = str(tmp_path)

    def dying(batches: Any) -> Any:
        import os
        import signal
        from pathlib import Path

        from pyspark import TaskContext

        context: Any = TaskContext.get()
        for batch in batches:
            yield batch.slice(0, len(batch) // 2)
            if context.attemptNumber() == 0:
                Path(marks, f"{context.stageId()}-{context.partitionId()}").touch()
                os.kill(os.getpid(), signal.SIGKILL)
            yield batch.slice(len(batch) // 2)

    rows = frame(session, table, 2)
    p = read(rows.mapInArrow(dying, rows.schema))
    assert list(tmp_path.iterdir()), "no task was killed"
    assert len(p) == ROWS
    assert_same(p, read(table))


@needs_spark
def test_files_folders_and_tallies_are_read_by_spark(session: Any, tmp_path: Path) -> None:
    table = arrow(columns())
    whole = read(table)
    pq.write_to_dataset(table, tmp_path / "rows", partition_cols=["k"])
    assert_same(read(tmp_path / "rows", engine="spark", master="local[2,3]"), whole)
    write_tally([whole], tmp_path / "rows.tally")
    tallied = read(tmp_path / "rows.tally", Roles(by=("k", "j")), engine="spark")
    assert_same(tallied, whole)
    binned = read(tmp_path / "rows", engine="spark", bins=64)
    assert_same(binned, read(tmp_path / "rows", bins=64))


@needs_spark
def test_predictions_made_on_dask_and_tallied_by_part_are_scored_on_spark(
    session: Any, tmp_path: Path
) -> None:
    """The example of docs/scale.md; a part is what one fold tested."""
    distributed = pytest.importorskip("distributed", reason="distributed is not installed")

    def run(*words: str) -> None:
        command = [sys.executable, "-m", "heldout", *words]
        answer = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert answer.returncode == 0, answer.stderr

    cluster: Any = {"n_workers": 1, "threads_per_worker": 1, "dashboard_address": None}
    with warnings.catch_warnings(), distributed.LocalCluster(**cluster) as dask:
        warnings.simplefilter("ignore")
        where = ("--backend", "dask", "--scheduler", dask.scheduler_address, "--no-store")
        what = ("wdbc", "--models", "tree[max_depth=3]", "--procedure", "2-fold")
        run("evaluate", *what, *where, "--predictions", "all.parquet")
    rows = pq.read_table(tmp_path / "all.parquet").select(["fold", "truth", "p_malignant"])
    named = ("--truth", "truth", "--score", "p_malignant", "--positive", "malignant")
    tallies = []
    for fold in (1, 2):
        part = rows.filter([i == fold for i in rows["fold"].to_pylist()]).drop(["fold"])
        pq.write_table(part, tmp_path / f"part-{fold}.parquet")
        tallies.append(str(tmp_path / f"part-{fold}.tally"))
        run("tally", f"part-{fold}.parquet", *named, "--output", tallies[-1])
    own = Roles(truth="truth", score="p_malignant", positive="malignant")
    whole = read(rows.drop(["fold"]), own)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        (p,) = read_rows(
            tallies, Roles(), pool=False, dialect="flags", engine="spark", master="local[2,3]"
        )
    assert len(p) == len(whole) == rows.num_rows
    assert_same(p, whole)


@needs_spark
def test_faults_of_files_are_named_before_spark_reads_them(session: Any, tmp_path: Path) -> None:
    table = arrow(columns())
    for name in ("a", "b"):
        pq.write_table(table, tmp_path / f"{name}.parquet")
    (tmp_path / "b.parquet").write_bytes((tmp_path / "b.parquet").read_bytes()[:-30])
    with pytest.raises(InputError, match=r"b\.parquet ends too soon"):
        read(tmp_path, engine="spark")
    pq.write_table(table.drop(["k"]), tmp_path / "b.parquet")
    with pytest.raises(InputError, match="column 'k' is not in every file"):
        read(tmp_path, engine="spark")


@needs_spark
def test_a_failing_job_is_one_line(session: Any) -> None:
    from pyspark.sql import functions as f

    rows = frame(session, arrow(columns()), 2)
    bad = rows.withColumn("p", f.when(f.col("p") < 2, f.raise_error(f.lit("broken"))))
    with pytest.raises(InputError, match="cannot be read") as caught:
        read(bad.withColumn("p", f.col("p").cast("double")), ROLES)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("master", ["spark://127.0.0.1:1", "sc://127.0.0.1:1", "spark://"])
def test_a_master_that_does_not_answer_is_refused_at_once(master: str) -> None:
    with pytest.raises(InputError, match="no Spark master answers there"):
        refuse_unreachable(master)


def test_a_machine_without_java_is_told_so(tmp_path: Path) -> None:
    if why_not() == "pyspark is not installed":
        pytest.skip(why_not())
    (tmp_path / "a.csv").write_text("y,p\n1,0.5\n0,0.25\n")
    command = [sys.executable, "-m", "heldout", "score", "a.csv", "--engine", "spark"]
    environment = {**os.environ, "PATH": str(tmp_path), "JAVA_HOME": ""}
    answer = subprocess.run(
        command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert answer.returncode == 2
    assert "needs Java 17" in answer.stderr
    assert "Traceback" not in answer.stderr


def test_a_master_is_for_spark_alone() -> None:
    with pytest.raises(InputError, match="is for engine='spark'"):
        read("a.csv", engine="scan", master="local[2]")
