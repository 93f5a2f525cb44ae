"""Laws of sources: rows are the same ones wherever they come from, in any parts and order."""

from __future__ import annotations

import io
import os
import signal
import subprocess
import sys
import threading
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import heldout
from heldout.core.errors import InputError
from heldout.engines.counted import counts_of
from heldout.engines.lazy_source import LazySource, asked
from heldout.engines.sources import Columns, Numbering
from tests.engines.transports import CUTS, ROWS, arrow, assert_same, columns, read

if TYPE_CHECKING:
    from collections.abc import Callable

KINDS = ["some ties", "signed"]


def parts(table: Any) -> list[Any]:
    return [table.slice(a, b - a) for a, b in pairwise(CUTS)]


def reader(table: Any, tmp_path: Path) -> Any:
    batches = [batch for part in parts(table)[::-1] for batch in part.to_batches(500)]
    return pa.RecordBatchReader.from_batches(table.schema, batches)


def batches(table: Any, tmp_path: Path) -> Any:
    return (batch for part in parts(table) for batch in part.to_batches(400))


def relation(table: Any, tmp_path: Path) -> Any:
    return duckdb.connect().from_arrow(table)


def lazy_frame(table: Any, tmp_path: Path) -> Any:
    pl = pytest.importorskip("polars")
    return pl.concat([pl.from_arrow(part).lazy() for part in parts(table)])


def dask_frame(table: Any, tmp_path: Path) -> Any:
    dd = pytest.importorskip("dask.dataframe", reason="dask's data frames are not installed")
    return dd.concat([dd.from_pandas(part.to_pandas(), npartitions=2) for part in parts(table)])


def ibis_table(table: Any, tmp_path: Path) -> Any:
    ibis = pytest.importorskip("ibis", reason="ibis is not installed")
    return ibis.memtable(table)


def folder(table: Any, tmp_path: Path) -> Any:
    """Files in folders that name the slices."""
    path = tmp_path / "predictions"
    pq.write_to_dataset(table, path, partition_cols=["k"])
    (path / "_SUCCESS").touch()
    return path


TRANSPORTS = [reader, batches, relation, lazy_frame, dask_frame, ibis_table, folder]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("transport", TRANSPORTS)
def test_every_transport_gives_the_numbers_of_rows_in_memory(
    transport: Callable[[Any, Path], Any], kind: str, tmp_path: Path
) -> None:
    table = arrow(columns(kind))
    p = read(transport(table, tmp_path), engine="scan")
    assert counts_of(p) is not None, "rows were read, not counts"
    assert_same(p, read(table))


@pytest.mark.parametrize("transport", TRANSPORTS)
def test_bins_are_those_of_files_wherever_rows_are(
    transport: Callable[[Any, Path], Any], tmp_path: Path
) -> None:
    table = arrow(columns())
    pq.write_table(table, tmp_path / "a.parquet")
    assert_same(read(transport(table, tmp_path), bins=64), read(tmp_path / "a.parquet", bins=64))


@pytest.mark.parametrize("transport", [reader, batches, relation, lazy_frame])
def test_few_rows_of_this_process_are_read_into_memory(
    transport: Callable[[Any, Path], Any], tmp_path: Path
) -> None:
    p = read(transport(arrow(columns()), tmp_path))
    assert counts_of(p) is None
    p = read(transport(arrow(columns()), tmp_path), memory="50KiB")
    assert counts_of(p) is not None


def test_public_functions_take_what_is_lazy_as_it_is(tmp_path: Path) -> None:
    table = arrow(columns())
    roles: Any = {"truth": "y", "score": "p", "positive": "yes", "engine": "scan"}
    whole = heldout.score(table, truth="y", score="p", positive="yes")["auc"].value
    for source in (reader, batches, relation, lazy_frame):
        card = heldout.score(source(table, tmp_path), **roles)
        assert card["auc"].value == pytest.approx(whole, rel=1e-12)
        (p,) = heldout.read_predictions(source(table, tmp_path), **roles)
        assert counts_of(p) is not None


def test_facts_and_counts_are_pushed_down_through_narwhals() -> None:
    pl = pytest.importorskip("polars")
    table = arrow(columns())
    rows = table.append_column("n", pa.array([i % 3 for i in range(ROWS)]))
    source = LazySource("frame", pl.from_arrow(rows).lazy())
    facts = source.facts(("y", "p", "n"), "p", "n")
    assert (facts.lines, facts.rows) == (ROWS, sum(i % 3 for i in range(ROWS)))
    keys = {"k": Numbering(texts=("de", "ch", "at")), "j": Numbering(low=7)}
    known = Columns("y", ("yes",), "p", facts, "n", keys)
    groups = source.groups(known, ("k", "j"))
    expected = duckdb.execute(
        "SELECT k, j, p, coalesce(sum(n) FILTER (y = 'yes'), 0), sum(n) FROM rows "
        "WHERE n > 0 GROUP BY ALL"
    ).fetchall()
    texts = ("de", "ch", "at")
    own = zip(*(column.tolist() for column in groups), strict=True)
    assert sorted((texts[k], j + 7, *rest) for k, j, *rest in own) == sorted(expected)


@pytest.mark.parametrize("pack", [lambda text: text, __import__("gzip").compress])
def test_standard_input_is_scanned_from_a_file_without_a_name(
    pack: Callable[[bytes], bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = arrow(columns())
    duckdb.sql(f"COPY (FROM rows) TO '{tmp_path}/rows.csv'")
    content = (tmp_path / "rows.csv").read_bytes()
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(pack(content))))
    p = read("-", engine="scan")
    assert p.source == "standard input"
    assert_same(p, read(rows))
    assert list((tmp_path / "temporary").iterdir()) == []


def test_a_stream_that_breaks_is_named_and_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    table = arrow(columns())

    def broken() -> Any:
        yield from table.to_batches(500)[:2]
        raise pa.ArrowInvalid("the network went away")

    with pytest.raises(InputError, match=r"the stream cannot be read: .*the network went away"):
        read(broken(), engine="scan")
    assert list(tmp_path.iterdir()) == []


def test_what_a_worker_lacks_is_named_in_one_line() -> None:
    trace = 'Traceback (most recent call last):\n  File "w.py", line 1, in <module>\n'
    failed = f"The worker failed.\n{trace}ModuleNotFoundError: No module named 'numpy'\n\nat X.java"
    with pytest.raises(InputError) as caught, asked("the frame"):
        raise RuntimeError(failed)
    assert str(caught.value) == (
        "the frame cannot be read: ModuleNotFoundError: No module named 'numpy' "
        "(in a worker; workers need NumPy and PyArrow)"
    )


def test_an_iterator_of_something_else_is_refused() -> None:
    with pytest.raises(InputError, match="must give record batches"):
        read(iter([1, 2]), engine="scan")


def test_folders_that_name_different_columns_are_refused(tmp_path: Path) -> None:
    path = folder(arrow(columns()), tmp_path)
    (path / "k=at").rename(path / "other=at")
    with pytest.raises(InputError, match="name different columns"):
        read(path, engine="scan")
    with pytest.raises(InputError, match="files read as one table need the same columns"):
        read(path)


def test_a_killed_process_leaves_no_file(tmp_path: Path) -> None:
    """Rows of standard input are spooled while the process is killed."""
    command = [sys.executable, "-m", "heldout", "score", "-", "--engine", "scan"]
    command += ["--output", str(tmp_path / "card.json")]
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    process = subprocess.Popen(command, stdin=subprocess.PIPE, env=environment)
    assert process.stdin is not None
    process.stdin.write(b"y,p\n" + b"1,0.5\n" * 400_000)
    process.stdin.flush()
    timer = threading.Timer(60, process.kill)
    timer.start()
    process.send_signal(signal.SIGKILL)
    process.stdin.close()
    assert process.wait() == -signal.SIGKILL
    timer.cancel()
    assert list(tmp_path.iterdir()) == []


def test_the_kernel_of_workers_needs_no_heldout_there(tmp_path: Path) -> None:
    cloudpickle = pytest.importorskip("cloudpickle")
    from functools import partial

    from heldout.engines.arrow_kernel import Task, blocks, sent_by_value
    from heldout.tally.packing import Packing

    sent_by_value(cloudpickle)
    task = Task("p", "y", ["yes"], [("k", 0, ["a"])])
    work = partial(blocks, task=task, packing=Packing(1.0, signed=False))
    (tmp_path / "work").write_bytes(cloudpickle.dumps(work))
    code = (
        "import sys; sys.modules['heldout'] = None\n"
        "import cloudpickle, pyarrow as pa\n"
        f"work = cloudpickle.loads(open({str(tmp_path / 'work')!r}, 'rb').read())\n"
        "batch = pa.record_batch({'p': [0.5, 1.0], 'y': ['no', 'yes'], 'k': ['a', 'a']})\n"
        "print(sum(len(block['keys'][0].as_py()) for block in work([batch])))\n"
    )
    answer = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert answer.stdout == "16\n"
