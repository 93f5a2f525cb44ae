"""Rows that DuckDB reads, from files or of a relation: all answers are SQL."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.core.errors import InputError
from heldout.engines.arrow_stream import batches_of
from heldout.engines.protocol import NotScanned
from heldout.engines.sources import Facts
from heldout.tables.duck import cause_of, connection, identifier, literal, table_of_stream
from heldout.tables.files import check_whole, scanned_path
from heldout.tables.frames import raw_column
from heldout.tables.read import check_magic
from heldout.tables.spool import spool_stream
from heldout.tables.table import RawTable
from heldout.tables.text_files import head_of_text, spool_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from heldout.engines.sources import Columns, Numbering
    from heldout.tables.files import SourceFile


class DuckSource:
    """Rows that SQL reads; what is inherited needs ``name``, ``sql`` and ``opened``."""

    name: str

    @property
    def engine(self) -> str:
        """What reads the rows, for notes."""
        return "scan"

    @property
    def sql(self) -> str:
        """What is read, as it stands after FROM."""
        raise NotImplementedError

    def opened(self) -> Any:
        """A context with a database that reads it; what fails there is an error of the source."""
        raise NotImplementedError

    @property
    def is_parsed(self) -> bool:
        """Whether each question parses all rows."""
        return False

    def spooled(self, names: Sequence[str]) -> Files:
        """Some columns as a temporary Parquet file."""
        with self.opened() as database:
            rows = database.sql(f"SELECT {', '.join(map(identifier, names))} FROM {self.sql}")
            return Files(self.name, (spool_stream(rows, self.name),))

    def head(self, rows: int) -> RawTable:
        """Some rows with all columns."""
        with self.opened() as database:
            # asked once: a second query may give other rows
            answer = database.sql(f"SELECT * FROM {self.sql} LIMIT {rows}")
            columns = dict(table_of_stream(answer, self.name, answer.columns))
        return RawTable(columns, self.name, len(next(iter(columns.values()))))

    def facts(self, names: Sequence[str], score: str, count: str | None) -> Facts:
        """Lines, gaps in columns, and the range of the scores."""
        number = f"CAST({identifier(score)} AS DOUBLE)"
        own = identifier(count or "")
        columns = [
            "count(*)",
            f"count(*) FILTER (isnan({number}))",
            f"min({number})",
            f"max({number})",
            f"sum({own})::DOUBLE" if count else "count(*)",
            f"count(*) FILTER ({own} < 0 OR {own} != floor({own}))" if count else "0",
            *(f"count({identifier(name)})" for name in names),
        ]
        with self.opened() as database:
            query = f"SELECT {', '.join(columns)} FROM {self.sql}"
            lines, undefined, low, high, rows, odd, *known = database.sql(query).fetchall()[0]
        gaps = {
            name: lines - present + (undefined if name == score else 0)
            for name, present in zip(names, known, strict=True)
        }
        first, last = (np.nan if end is None else float(end) for end in (low, high))
        return Facts(int(lines), int(rows or 0), first, last, gaps, int(odd))

    def distinct(self, name: str, most: int) -> list[Any]:
        """The values of a column, at most so many."""
        query = f"SELECT DISTINCT {identifier(name)} FROM {self.sql} LIMIT {most}"
        with self.opened() as database:
            return [value for (value,) in database.sql(query).fetchall()]

    def batches(self, columns: Columns, by: Sequence[str] = ()) -> Iterator[list[NDArray[Any]]]:
        """Scores, truth and numbers of columns in batches."""
        numbers = [f"{number_sql(name, columns.keys[name])} AS k{i}" for i, name in enumerate(by)]
        positive = f"({positive_sql(columns)})::UTINYINT AS y"
        query = f"SELECT {', '.join([score_sql(columns), positive, *numbers])} FROM {self.sql}"
        with self.opened() as database:
            try:
                yield from batches_of(database.sql(query), ("f8", "u1", *("i4" for _ in by)))
            except InputError as error:
                raise InputError(f"{self.name} cannot be read: {cause_of(error)}") from None

    def groups(
        self, columns: Columns, by: Sequence[str] = (), bins: int | None = None
    ) -> list[NDArray[Any]]:
        """Rows counted by the database."""
        rows = f"sum({identifier(columns.count)})" if columns.count else "count(*)"
        values = {f"k{i}": number_sql(name, columns.keys[name]) for i, name in enumerate(by)}
        values |= {
            "s": score_sql(columns, bins),
            "p": f"coalesce({rows} FILTER ({positive_sql(columns)}), 0)::BIGINT",
            "n": f"{rows}::BIGINT",
        }
        selected = ", ".join(f"{value} AS {name}" for name, value in values.items())
        where = f" WHERE {identifier(columns.count)} > 0" if columns.count else ""
        with self.opened() as database:
            answer = database.sql(f"SELECT {selected} FROM {self.sql}{where} GROUP BY ALL")
            counted = answer.fetchnumpy()
        return [np.asarray(counted[name]) for name in values]


def score_sql(columns: Columns, bins: int | None = None) -> str:
    """The SQL of scores; -0.0 is 0.0."""
    score = f"CAST({identifier(columns.score)} AS DOUBLE)"
    return f"{score} + 0.0" if bins is None else f"floor({score} * {bins}) / {bins} + 0.0"


def positive_sql(columns: Columns) -> str:
    """The SQL by which a row is positive."""
    values = [literal(v) if isinstance(v, str) else str(v) for v in columns.positive]
    return f"{identifier(columns.truth)} IN ({', '.join(values)})" if values else "false"


def number_sql(name: str, numbering: Numbering) -> str:
    """The SQL of the small number for each value of a column."""
    if numbering.texts:
        texts = ", ".join(map(literal, numbering.texts))
        return f"enum_code({identifier(name)}::ENUM({texts}))::INTEGER"
    return f"({identifier(name)}::BIGINT - ({numbering.low}))::INTEGER"


@dataclass(frozen=True, slots=True)
class Files(DuckSource):
    """Files that are one table; ``columns`` are those of interest, where not all are."""

    name: str
    files: tuple[SourceFile, ...]
    columns: tuple[str, ...] = ()

    @classmethod
    def of(cls, files: Sequence[SourceFile], name: str) -> Files:
        """Files that are known, all of one format."""
        formats = {(file.format, file.compression) for file in files}
        if len(formats) > 1 or files[0].format == "arrow":
            raise NotScanned("Arrow files, and files of several formats, are read into memory")
        return cls(name, tuple(files))

    @property
    def size(self) -> int:
        """All bytes of the files."""
        return sum(file.path.stat().st_size for file in self.files)

    @property
    def sql(self) -> str:
        """The SQL that reads them."""
        if self.columns:
            return f"(SELECT {', '.join(map(identifier, self.columns))} FROM {self._every})"
        return self._every

    @property
    def _every(self) -> str:
        """The SQL that reads all columns of no text files; those that folders name are texts."""
        first = self.files[0]
        hive = str(bool(first.partitions)).lower()
        options = f"hive_partitioning = {hive}, hive_types_autocast = false"
        reader = "read_parquet"
        if first.format == "json":
            reader = "read_json"
            options += f", compression = {literal(first.compression)}, sample_size = -1"
            options += ", records = true"
        paths = ", ".join(scanned_path(file) for file in self.files)
        return f"{reader}([{paths}], {options})"

    @property
    def is_parsed(self) -> bool:
        """Whether each question parses all files."""
        return self.files[0].format != "parquet"

    def head(self, rows: int) -> RawTable:
        """Some rows with all columns."""
        first = self.files[0]
        if first.format != "text":
            return DuckSource.head(self, rows)
        head = head_of_text(self.files, self.name, rows)
        folders = {name: raw_column(name, [own] * head.rows) for name, own in first.partitions}
        return replace(head, columns=head.columns | folders)

    def spooled(self, names: Sequence[str]) -> Files:
        """Some columns as Parquet files: themselves, or a temporary one."""
        if self.files[0].format == "text":
            return Files(self.name, (spool_text(self.files, names, self.name),))
        if self.is_parsed:
            return DuckSource.spooled(self, names)
        return replace(self, columns=tuple(names))

    def check(self) -> None:
        """Refuse files that were cut off, and files whose columns differ."""
        first = self.files[0]
        for file in self.files:
            if dict(file.partitions).keys() != dict(first.partitions).keys():
                raise InputError(
                    f"the folders of {first.name} and {file.name} name different columns; "
                    "files read as one table need the same columns"
                )
            check_whole(file)
            if file.format == "parquet":
                check_magic(file, b"PAR1", "Parquet")
        if self.files[0].format != "parquet" or len(self.files) == 1:
            return
        paths = f"[{', '.join(scanned_path(file) for file in self.files)}]"
        query = (
            "SELECT list(DISTINCT replace(type, 'INT32', 'INT64')) AS types, name, count(*), "
            "min(file_name), max(file_name) "
            f"FROM parquet_schema({paths}) WHERE num_children IS NULL GROUP BY name"
        )
        with self.opened() as database:
            for types, column, count, first, last in database.sql(query).fetchall():
                if count != len(self.files):
                    raise InputError(
                        f"{self.name}: column {column!r} is not in every file (it is in {first}); "
                        "files read as one table need the same columns"
                    )
                if len(types) > 1:
                    raise InputError(
                        f"{self.name}: column {column!r} is of several types ({', '.join(types)}), "
                        f"in {first} and {last} among others; write all files in one way"
                    )

    @contextmanager
    def opened(self) -> Iterator[Any]:
        """A database that reads them; what fails there is an error of these files."""
        import duckdb

        with connection() as database:
            database.execute("SET preserve_insertion_order = false")
            try:
                yield database
            except duckdb.Error as error:
                raise InputError(f"{self.name} cannot be read: {cause_of(error)}") from None


#: what a relation is called in queries of it
ROWS = "heldout_rows"


@dataclass(frozen=True, slots=True)
class Relation(DuckSource):
    """A relation of DuckDB, which is asked in its own connection."""

    name: str
    relation: Any

    @property
    def sql(self) -> str:
        """What is read."""
        return ROWS

    def check(self) -> None:
        """Nothing is known before the relation is asked."""

    @contextmanager
    def opened(self) -> Iterator[Any]:
        """What answers queries of the relation."""
        import duckdb

        try:
            yield _Queries(self.relation)
        except duckdb.Error as error:
            raise InputError(f"{self.name} cannot be read: {cause_of(error)}") from None


class _Queries:
    """Queries of a relation, asked as those of a database are."""

    def __init__(self, relation: Any) -> None:
        self.relation = relation

    def sql(self, query: str) -> Any:
        return self.relation.query(ROWS, query)
