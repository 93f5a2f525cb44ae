"""Rows of a lazy data frame: whatever narwhals speaks for answers where the rows are.

Facts, distinct values and counts are pushed down; of rows there come only the columns that are
needed, in batches, by the way that each library has for it.
"""

from __future__ import annotations

import re
import warnings
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.core.errors import InputError
from heldout.engines.arrow_kernel import (
    ROW_SCHEMA,
    SCHEMA,
    blocks,
    blocks_of_frame,
    column_numbers,
    numbers_of,
    row_blocks,
    rows_of_block,
    sent_by_value,
    task_of,
    to_numpy,
)
from heldout.engines.duck_source import Files
from heldout.engines.protocol import NotScanned
from heldout.engines.sources import Facts
from heldout.tables.duck import cause_of
from heldout.tables.frames import library_of, table_of_object
from heldout.tables.spool import spool_stream
from heldout.tables.table import RawTable
from heldout.tally.packing import Packing

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from heldout.engines.sources import Columns

#: rows of a batch, and partitions that are worked on at once
BATCH_ROWS, PARTITIONS = 2**17, 64
#: bytes of the key of a row that workers send
KEY_BYTES = 8
#: the last line of a traceback of Python
WORKER_ERROR = re.compile(r"\w*Error: ")


@contextmanager
def asked(name: str) -> Iterator[None]:
    """What fails while a frame is asked is an error of the source; warnings are not ours."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    except (InputError, MemoryError, NotScanned):
        raise
    except Exception as error:
        raise InputError(f"{name} cannot be read: {_cause(error)}") from None


def _cause(error: Exception) -> str:
    """One short line; of what fails in a worker's Python the line below its traceback."""
    lines = str(error).splitlines()
    causes = [line for line in lines if WORKER_ERROR.match(line)]
    if "Traceback (most recent call last):" not in lines or not causes:
        return cause_of(error)
    return f"{causes[-1]} (in a worker; workers need NumPy and PyArrow)"


@dataclass(frozen=True)
class LazySource:
    """A lazy data frame; ``native`` is that of its own library."""

    name: str
    native: Any

    @property
    def engine(self) -> str:
        """What has the rows."""
        return library_of(self.native).removeprefix("py")

    @property
    def frame(self) -> Any:
        """The frame, as narwhals has it."""
        import narwhals

        return narwhals.from_native(self.native)

    def collected(self) -> Any:
        """All rows, in memory."""
        with asked(self.name):
            return self.frame.collect().to_native()

    @property
    def is_parsed(self) -> bool:
        """Questions are answered where the rows are."""
        return False

    def check(self) -> None:
        """Nothing is known before the frame is asked."""

    def spooled(self, names: Sequence[str]) -> Files:
        """Some columns as a temporary Parquet file, which batches are written to as they come."""
        import pyarrow as pa

        with asked(self.name):
            batches = self.record_batches(list(names))
            first = next(iter(batches), None)
            if first is None:
                raise InputError(f"{self.name} has no rows")
            schema = first.schema
            same = (pa.record_batch(own.cast(schema)) for own in chain([first], batches))
            reader = pa.RecordBatchReader.from_batches(schema, same)
            return Files(self.name, (spool_stream(reader, self.name),))

    def head(self, rows: int) -> RawTable:
        """Some rows with all columns."""
        with asked(self.name):
            table = table_of_object(self.frame.head(rows).collect().to_native(), self.name)
        assert table is not None, "narwhals collects to a data frame"
        return RawTable(table.columns, self.name, table.rows)

    def facts(self, names: Sequence[str], score: str, count: str | None) -> Facts:
        """Lines, gaps in columns, and the range of the scores."""
        import narwhals as nw

        def total(flags: Any, name: str) -> Any:
            return flags.cast(nw.Int64).sum().alias(name)

        number = nw.col(score).cast(nw.Float64)
        gaps = {name: nw.col(name).is_null() for name in names}
        gaps[score] = number.is_null() | number.is_nan()
        wanted = [nw.len().alias("lines"), number.min().alias("low"), number.max().alias("high")]
        wanted += [total(flags, f"gap{i}") for i, flags in enumerate(gaps.values())]
        if count:
            own = nw.col(count).cast(nw.Float64)
            wanted += [own.sum().alias("rows"), total((own < 0) | (own != own.floor()), "odd")]
        with asked(self.name):
            answer = self.frame.select(*wanted).collect().rows(named=True)[0]
        lines = int(answer["lines"])
        low, high = (
            np.nan if answer[end] is None else float(answer[end]) for end in ("low", "high")
        )
        lacking = {name: int(answer[f"gap{i}"] or 0) for i, name in enumerate(gaps)}
        rows = int(answer["rows"] or 0) if count else lines
        return Facts(lines, rows, low, high, lacking, int(answer.get("odd") or 0))

    def distinct(self, name: str, most: int) -> list[Any]:
        """The values of a column, at most so many."""
        with asked(self.name):
            values = self.frame.select(name).unique().head(most).collect().get_column(name)
            return list(values.to_list())

    def batches(self, columns: Columns, by: Sequence[str] = ()) -> Iterator[list[NDArray[Any]]]:
        """Scores, truth and numbers of columns in batches."""
        task = task_of(columns, by)
        with asked(self.name):
            for batch in self.record_batches(task.names):
                yield numbers_of(batch, task)

    def record_batches(self, names: list[str]) -> Iterator[Any]:
        """Some columns as record batches of Arrow, in the order of the rows."""
        raise NotImplementedError

    def groups(
        self, columns: Columns, by: Sequence[str] = (), bins: int | None = None
    ) -> list[NDArray[Any]]:
        """Rows counted where they are."""
        import narwhals as nw

        score = nw.col(columns.score).cast(nw.Float64)
        score = (score if bins is None else (score * bins).floor() / bins) + 0.0
        rows = nw.col(columns.count).cast(nw.Int64) if columns.count else nw.lit(1, nw.Int64)
        positive = nw.col(columns.truth).is_in(list(columns.positive)).cast(nw.Int64)
        keys = [f"k{i}" for i in range(len(by))]
        parts = [nw.col(name).alias(key) for name, key in zip(by, keys, strict=True)]
        with asked(self.name):
            frame = self.frame.select(
                *parts, score.alias("s"), positive.alias("p"), rows.alias("n")
            )
            frame = frame.filter(nw.col("n") > 0).with_columns(
                (nw.col("p") * nw.col("n")).alias("p")
            )
            counted = frame.group_by(*keys, "s").agg(nw.col("p").sum(), nw.col("n").sum())
            table = counted.collect().to_arrow()
        numbers = [
            column_numbers(table[key], columns.keys[name].low, list(columns.keys[name].texts))
            for name, key in zip(by, keys, strict=True)
        ]
        kinds = {"s": "double", "p": "int64", "n": "int64"}
        return numbers + [to_numpy(table[name], kind) for name, kind in kinds.items()]


class WorkerSource(LazySource):
    """Rows that are spread over workers, which send blocks of packed keys."""

    def batches(self, columns: Columns, by: Sequence[str] = ()) -> Iterator[list[NDArray[Any]]]:
        """Scores, truth and numbers of columns, a batch for each block."""
        packing = Packing.between(columns.facts.low, columns.facts.high)
        if packing is None:
            raise NotScanned("scores are infinite, or span too many orders of magnitude")
        with asked(self.name):
            task = task_of(columns, by)
            work = partial(blocks, task=task, packing=packing)
            size = columns.facts.lines * KEY_BYTES
            for keys, counts, numbers in self.sent(work, SCHEMA, task.names, size):
                rows = rows_of_block(keys, counts, numbers, packing)
                if rows is None:
                    raise NotScanned("scores span too many orders of magnitude")
                yield rows

    def record_batches(self, names: list[str]) -> Iterator[Any]:
        """Some columns as record batches, one for each block that workers send."""
        import pyarrow as pa

        for (rows,) in self.sent(row_blocks, ROW_SCHEMA, names, None):
            yield from pa.ipc.open_stream(bytes(rows))

    def sent(
        self, work: Callable[..., Any], schema: str, names: list[str], size: int | None
    ) -> Iterator[Any]:
        """The values of each block that workers make of their rows of some columns.

        ``schema`` says what a block holds; ``size`` is how many bytes all of them take, if known.
        """
        raise NotImplementedError


class IbisSource(LazySource):
    """A table of Ibis, whatever database is behind it."""

    def record_batches(self, names: list[str]) -> Iterator[Any]:
        """Some columns as record batches, as the database hands them out."""
        yield from self.native.select(*names).to_pyarrow_batches(chunk_size=BATCH_ROWS)


class DaskSource(WorkerSource):
    """A data frame of Dask: each partition is packed into keys where it is."""

    def sent(
        self, work: Callable[..., Any], schema: str, names: list[str], size: int | None
    ) -> Iterator[Any]:
        """Some partitions at once, so that few blocks wait here."""
        import cloudpickle
        from dask import base
        from dask.delayed import delayed

        sent_by_value(cloudpickle)
        parts = self.native[names].to_delayed()
        run: Any = base.compute
        pack: Any = delayed(partial(blocks_of_frame, work=work), pure=True)
        for start in range(0, len(parts), PARTITIONS):
            for answer in run(*map(pack, parts[start : start + PARTITIONS])):
                yield from answer
