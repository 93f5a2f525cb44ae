"""What is given to be read, as sources that are asked: paths, streams and lazy frames."""

from __future__ import annotations

import sys
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from heldout.core.dialect import argument
from heldout.core.disk import attempt
from heldout.core.errors import InputError, MissingExtra
from heldout.engines.protocol import NotScanned
from heldout.tables.files import SourceFile, file_of, is_tally, partition_file
from heldout.tables.frames import asked_of, library_of
from heldout.tables.read import files_in, files_of
from heldout.tables.spool import spool_bytes, spool_rows, spool_stream

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from heldout.engines.sources import Source

#: bytes that a row takes in memory at the peak of a full scorecard, and in a file at most
ROW_BYTES, LINE_BYTES = 56, 10
#: what marks the lazy frames of a library, whose rows are asked for where they are
LAZY = {"ibis": "to_pyarrow_batches", "pyspark": "mapInArrow", "dask": "to_delayed"}
#: libraries of tables whose rows are in memory
IN_MEMORY = ("pandas", "polars", "pyarrow", "numpy")


def is_elsewhere(source: Any) -> bool:
    """Whether rows lie in a database or on workers, and are not to be fetched unasked."""
    mark = LAZY.get(library_of(source))
    return mark is not None and hasattr(source, mark)


def is_stream(source: Any) -> bool:
    """Whether rows come once, in batches: a reader of Arrow, or an iterator of its batches."""
    if library_of(source) == "pyarrow":
        return any(hasattr(source, mark) for mark in ("read_next_batch", "scan_batches", "scanner"))
    is_table = library_of(source) in (*IN_MEMORY, *LAZY, "duckdb", "narwhals")
    return not is_table and (hasattr(source, "__arrow_c_stream__") or hasattr(source, "__next__"))


def is_unread(source: Any) -> bool:
    """Whether a source is asked for its rows, or read in batches; what is in memory is not."""
    if isinstance(source, str | Path | SourceFile):
        return True
    library = library_of(source)
    return (
        is_elsewhere(source)
        or is_stream(source)
        or (library == "duckdb" and hasattr(source, "query"))
        or (library in ("polars", "narwhals") and type(source).__name__ == "LazyFrame")
    )


def settled(source: Any, memory: int, *, is_scanned: bool = False) -> Any:
    """A source that can be read more than once; what is large is not held in memory for it."""
    if library_of(source) == "narwhals":
        source = source.to_native()
    if isinstance(source, str | Path):
        return _settled_path(source)
    if is_stream(source):
        return _settled_stream(source, memory, is_scanned)
    if library_of(source) == "polars" and type(source).__name__ == "LazyFrame":
        if not is_scanned and rows_of(source) * ROW_BYTES <= memory:
            return source
        return spool_rows(source.sink_parquet, "the lazy frame")
    return source


def _settled_path(source: str | Path) -> Any:
    if str(source) == "-":
        with attempt("read standard input"):
            return spool_bytes(sys.stdin.buffer, "standard input")
    path = Path(source)
    if not path.exists() or path.is_file() or path.is_dir():
        return source
    with path.open("rb") as stream:  # a pipe, say of the shell's <(...)
        return spool_bytes(stream, str(source))


def _settled_stream(source: Any, memory: int, is_scanned: bool) -> Any:
    """The rows of a stream: a table of Arrow where they are few, else a temporary file."""
    from importlib.util import find_spec

    name = "the stream"
    if find_spec("pyarrow") is None:
        if not hasattr(source, "__arrow_c_stream__"):
            raise MissingExtra("pyarrow", "reading record batches", "arrow")
        return spool_stream(source, name)
    import pyarrow as pa

    with asked_of(name, source, "rows"):
        schema, batches = _batches(source)
        held, rows = [], 0
        for batch in batches:
            held.append(batch)
            rows += batch.num_rows
            if is_scanned or rows * ROW_BYTES > memory:
                every = chain(held, batches)
                return spool_stream(pa.RecordBatchReader.from_batches(schema, every), name)
        return pa.Table.from_batches(held, schema)


def _batches(source: Any) -> tuple[Any, Iterator[Any]]:
    """The schema of a stream of Arrow, and its batches."""
    import pyarrow as pa

    if hasattr(source, "scanner"):
        source = source.scanner()
    if hasattr(source, "to_reader"):
        source = source.to_reader()
    if hasattr(source, "__arrow_c_stream__"):
        reader = pa.RecordBatchReader.from_stream(source)
        return reader.schema, iter(reader)
    first = next(source, None)
    if not hasattr(first, "__arrow_c_array__"):
        raise InputError(
            "an iterator must give record batches of Arrow, and at least one of them; "
            f"this one gives {type(first).__name__}"
        )
    first = pa.record_batch(first)
    return first.schema, chain([first], (pa.record_batch(batch) for batch in source))


def rows_of(source: Any) -> int:
    """How many rows a relation or a lazy frame of this process has."""
    if library_of(source) == "polars":
        import polars as pl

        return int(source.select(pl.len()).collect().item())
    from heldout.engines.duck_source import Relation

    with Relation("the relation", source).opened() as database:
        return int(database.sql("SELECT count(*) FROM heldout_rows").fetchall()[0][0])


def is_large(sources: Sequence[Any], memory: int) -> bool:
    """Whether the rows of sources would need more memory than may be used."""
    if any(is_tally(source) or not is_unread(source) for source in sources):
        return False
    return sum(map(_need, sources)) > memory


def _need(source: Any) -> float:
    """Bytes that the rows of a source take in memory."""
    if isinstance(source, str | Path | SourceFile):
        size = sum(path.stat().st_size for path in paths_of(source) if path.is_file())
        return size / LINE_BYTES * ROW_BYTES
    return 0 if type(source).__name__ == "LazyFrame" else rows_of(source) * ROW_BYTES


def paths_of(source: Any) -> list[Path]:
    """The files of a path, a pattern, a folder or a temporary file."""
    if isinstance(source, SourceFile):
        return [source.path]
    files = [Path(file) for file in files_of(source)]
    return files_in(files[0]) if len(files) == 1 and files[0].is_dir() else files


def collected(source: Any) -> Any:
    """The rows of a lazy frame that lies elsewhere, fetched into memory because that was asked."""
    if not is_elsewhere(source):
        return source
    from heldout.engines.lazy_source import LazySource

    return LazySource(type(source).__name__, source).collected()


def origins_of(
    sources: Sequence[Any],
    *,
    pool: bool,
    called: Sequence[str] = (),
    engine: str | None = None,
    master: str | None = None,
) -> list[Source]:
    """The source of the rows of each model: one for each file, folder or frame, or one of all.

    ``called`` is what messages call each source; empty: by its path.
    """
    if not all(isinstance(source, str | Path | SourceFile) for source in sources):
        if engine == "spark" and not all(library_of(source) == "pyspark" for source in sources):
            raise InputError(f"{argument('engine', 'spark')} reads files and Spark DataFrames")
        if pool and len(sources) > 1:
            raise NotScanned("only files are pooled")
        return [_frame_source(source) for source in sources]
    named = zip(sources, called or [""] * len(sources), strict=True)
    groups = [group for source, name in named for group in _file_groups(source, name, pool)]
    if pool:
        groups = [[file for group in groups for file in group]]
    if engine == "spark":
        from heldout.engines.spark_source import spark_files

        return [spark_files(own, name_of(own), master) for own in groups]
    if not all(file.path.is_file() for group in groups for file in group):
        raise NotScanned("only files are scanned")
    from heldout.engines.duck_source import Files

    return [Files.of(own, name_of(own)) for own in groups]


def _file_groups(source: Any, name: str, pool: bool) -> list[list[SourceFile]]:
    """The files of each table that a path stands for."""
    if isinstance(source, SourceFile):
        return [[source]]
    if is_tally(source):
        raise NotScanned("tallies are added")
    if Path(source).is_file():
        return [[file_of(Path(source), name or str(source))]]
    files = [partition_file(path) for path in paths_of(source)]
    if pool or Path(source).is_dir():
        return [files]
    return [[replace(file, partitions=())] for file in files]


def name_of(files: Sequence[SourceFile]) -> str:
    """What messages call files that are one table."""
    return f"{files[0].name} and {len(files) - 1} more" if len(files) > 1 else files[0].name


def _frame_source(source: Any) -> Source:
    """The source of a frame whose rows are asked for where they are."""
    from heldout.engines.duck_source import Relation
    from heldout.engines.lazy_source import DaskSource
    from heldout.engines.spark_source import SparkSource

    match library_of(source):
        case "duckdb":
            return Relation("the relation", source)
        case "ibis":
            return _ibis_source(source)
        case "pyspark":
            return SparkSource("the Spark DataFrame", source)
        case "dask":
            return DaskSource("the Dask frame", source)
    raise NotScanned("only files and lazy frames are scanned")


def _ibis_source(table: Any) -> Source:
    """A table of Ibis; that of a DuckDB database is asked as a relation, which streams rows."""
    from heldout.engines.duck_source import Relation
    from heldout.engines.lazy_source import IbisSource

    name = "the Ibis table"
    backend = table.get_backend()
    if backend.name != "duckdb":
        return IbisSource(name, table)
    import ibis

    table.limit(0).to_pyarrow()  # tables of this process become known to the database
    return Relation(name, backend.con.sql(str(ibis.to_sql(table, dialect="duckdb"))))
