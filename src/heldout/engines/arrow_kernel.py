"""The kernel that workers run: Arrow batches of rows to blocks of packed keys, and back.

It needs NumPy and PyArrow alone and is sent to workers by value, so that heldout need not be
installed where the rows are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from heldout.tally.packing import ONE, Packing, unpack

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from heldout.engines.sources import Columns

#: rows of a block, which is sent at once
BLOCK_ROWS = 2**19
#: rows that are looked at to see whether scores are equal
SOME_ROWS = 4096
#: what workers send: keys, how often each occurs (nothing: once), and a number for each column
SCHEMA = "keys binary, counts binary, numbers array<binary>"
#: the same, of rows as they are
ROW_SCHEMA = "rows binary"


class Task(NamedTuple):
    """What is read of each row, in plain values."""

    score: str
    truth: str
    positive: list[Any]
    #: name, lowest whole number, and texts of each column of slices
    keys: list[tuple[str, int, list[str]]]

    @property
    def names(self) -> list[str]:
        """The columns that are needed."""
        return list(dict.fromkeys([self.score, self.truth, *(name for name, _, _ in self.keys)]))


def task_of(columns: Columns, by: Sequence[str] = ()) -> Task:
    """What is read of each row for some columns of slices."""
    keys = [(name, columns.keys[name].low, list(columns.keys[name].texts)) for name in by]
    return Task(columns.score, columns.truth, list(columns.positive), keys)


def numbers_of(batch: Any, task: Task) -> list[NDArray[Any]]:
    """Scores, whether rows are positive, and numbers of slices, of a record batch or a table.

    Examples
    --------
    >>> import pyarrow as pa
    >>> batch = pa.record_batch({"p": [0.5, 1.0], "y": ["no", "yes"], "k": [7, 5]})
    >>> numbers_of(batch, Task("p", "y", ["yes"], [("k", 5, [])]))
    [array([0.5, 1. ]), array([0, 1], dtype=uint8), array([2, 0], dtype=int32)]
    """
    score = to_numpy(batch.column(task.score), "double").astype(np.float64, copy=False)
    truth = flags_of(batch.column(task.truth), task.positive)
    numbers = [column_numbers(batch.column(name), low, texts) for name, low, texts in task.keys]
    return [score, truth, *numbers]


def to_numpy(column: Any, kind: str) -> NDArray[Any]:
    """The values of a column of Arrow as a type of Arrow."""
    import pyarrow as pa

    values = column.cast(kind)
    values = values.combine_chunks() if isinstance(values, pa.ChunkedArray) else values
    return np.asarray(values.to_numpy(zero_copy_only=False))


def flags_of(column: Any, values: list[Any]) -> NDArray[np.uint8]:
    """Whether each value of a column is one of some."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if not values:
        return np.zeros(len(column), np.uint8)
    kind = "large_string" if isinstance(values[0], str) else _plain(column.type)
    among = pc.is_in(column.cast(kind), value_set=pa.array(values).cast(kind))
    return to_numpy(among, "uint8")


def column_numbers(column: Any, low: int, texts: list[str]) -> NDArray[np.int32]:
    """The small number of each value of a column."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if not texts:
        return (to_numpy(column, "int64") - low).astype(np.int32)
    levels = pa.array(texts, "large_string")
    return to_numpy(pc.index_in(column.cast("large_string"), value_set=levels), "int32")


def _plain(kind: Any) -> Any:
    """The type of the values of a column, where it is a dictionary."""
    return getattr(kind, "value_type", kind)


def blocks(batches: Iterable[Any], task: Task, packing: Packing) -> Iterator[Any]:
    """Record batches of rows as record batches of one block each; what a worker runs.

    An error of a score that has no key is raised where the blocks are unpacked: a worker that
    raises it would be run again, to no avail.
    """
    held: list[list[NDArray[Any]]] = []
    rows = 0
    for batch in batches:
        held.append(numbers_of(batch, task))
        rows += len(held[-1][0])
        if rows >= BLOCK_ROWS:
            yield block_of([np.concatenate(own) for own in zip(*held, strict=True)], packing)
            held, rows = [], 0
    if rows:
        yield block_of([np.concatenate(own) for own in zip(*held, strict=True)], packing)


def block_of(rows: list[NDArray[Any]], packing: Packing) -> Any:
    """Rows as one block: equal ones are counted where that makes it smaller."""
    import pyarrow as pa

    score, truth, *numbers = rows
    keys = np.empty(len(score), np.uint64)
    if not packing.fill(score, truth, keys):
        keys = keys[:0]
    narrow = [own.astype(np.min_scalar_type(int(own.max(initial=0)))) for own in numbers]
    counts = np.zeros(0, np.uint32)
    some = keys[:SOME_ROWS]
    if 2 * len(np.unique(some)) < len(some):
        order = np.lexsort((keys, *narrow))
        keys, narrow = keys[order], [own[order] for own in narrow]
        is_new = np.ones(len(keys), bool)
        is_new[1:] = keys[1:] != keys[:-1]
        for own in narrow:
            is_new[1:] |= own[1:] != own[:-1]
        starts = np.flatnonzero(is_new)
        counts = np.diff(starts, append=len(keys)).astype(np.uint32)
        keys, narrow = keys[starts], [own[starts] for own in narrow]
    sent = [own.dtype.char.encode() + own.tobytes() for own in narrow]
    columns = [[keys.tobytes()], [counts.tobytes()], [sent]]
    kinds = [pa.binary(), pa.binary(), pa.list_(pa.binary())]
    arrays = [pa.array(own, kind) for own, kind in zip(columns, kinds, strict=True)]
    return pa.record_batch(arrays, names=["keys", "counts", "numbers"])


def row_blocks(batches: Iterable[Any]) -> Iterator[Any]:
    """Record batches of rows as one value each: packed, in the form that Arrow sends."""
    import pyarrow as pa

    for batch in batches:
        sink = pa.BufferOutputStream()
        packed = pa.ipc.IpcWriteOptions(compression="zstd")
        with pa.ipc.new_stream(sink, batch.schema, options=packed) as stream:
            stream.write(batch)
        yield pa.record_batch([pa.array([sink.getvalue().to_pybytes()], pa.binary())], ["rows"])


def blocks_of_frame(frame: Any, work: Callable[..., Iterator[Any]]) -> list[tuple[Any, ...]]:
    """What a worker makes of a data frame of pandas, as plain values."""
    import pyarrow as pa

    table = pa.Table.from_pandas(frame, preserve_index=False)
    return [tuple(block.to_pylist()[0].values()) for block in work(table.to_batches(BLOCK_ROWS))]


def rows_of_block(
    keys: bytes, counts: bytes, numbers: Sequence[bytes], packing: Packing
) -> list[NDArray[Any]] | None:
    """The rows of a block as ``Source.batches`` gives them; None where scores have no keys.

    Examples
    --------
    >>> rows = [np.array([0.5, 0.5]), np.array([1, 1], np.uint8), np.array([3, 3], np.int32)]
    >>> packing = Packing.between(0.0, 1.0)
    >>> block = block_of(rows, packing).to_pylist()[0]
    >>> len(block["keys"]), len(block["counts"]), rows_of_block(**block, packing=packing)
    (16, 0, [array([0.5, 0.5]), array([1, 1], dtype=uint8), array([3, 3], dtype=int32)])
    """
    packed = np.frombuffer(bytes(keys), np.uint64)
    if not len(packed):
        return None
    rows = [unpack(packed >> ONE, *packing), (packed & ONE).astype(np.uint8)]
    rows += [_numbers(bytes(own)) for own in numbers]
    if not counts:
        return rows
    times = np.frombuffer(bytes(counts), np.uint32)
    return [np.repeat(own, times) for own in rows]


def _numbers(sent: bytes) -> NDArray[np.int32]:
    """Numbers that were sent in a narrow type, whose letter stands before them."""
    return np.frombuffer(sent, sent[:1].decode(), offset=1).astype(np.int32)


def sent_by_value(pickler: Any) -> None:
    """Have a pickler of functions send this kernel as a whole, not by its name."""
    import sys

    for name in (__name__, Packing.__module__):
        pickler.register_pickle_by_value(sys.modules[name])
