"""Files that need not fit into memory: what they hold, as a template of predictions and a scan."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.core.dialect import argument
from heldout.core.errors import InputError
from heldout.core.wording import plural
from heldout.engines.counted import Origin, with_rows_of
from heldout.engines.score_kernel import NotScanned, Scan, ScoreKernel
from heldout.predictions.build import build
from heldout.predictions.sheet import TELLING, prepare
from heldout.predictions.tally_file import refuse_threshold
from heldout.tables.checks import FEW_ROWS
from heldout.tables.duck import (
    cause_of,
    columns_to_fetch,
    connection,
    identifier,
    literal,
    table_columns,
)
from heldout.tables.files import check_whole, file_of, scanned_path
from heldout.tables.read import check_magic
from heldout.tables.table import RawTable
from heldout.tally.decoded import DecodedColumn

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from heldout.core.dialect import Dialect
    from heldout.predictions.options import Roles
    from heldout.predictions.table import Predictions
    from heldout.tables.column import Column
    from heldout.tables.files import SourceFile

#: rows that roles are guessed by
HEAD = 1000
#: distinct classes and slices that are looked for
MOST_CLASSES, MOST_SLICES = 3, 1_000_000
#: roles that score counts do not keep
NOT_KEPT = (
    *("predicted", "score_prefix", "scores", "train_count_prefix", "weight", "group"),
    *("fold", "repeat", "model", "naive", "train_mean", "normalise"),
)


@dataclass(frozen=True, slots=True)
class Files:
    """Files that are one table; ``columns`` are those of interest, where not all are."""

    name: str
    files: tuple[SourceFile, ...]
    columns: tuple[str, ...] = ()

    @classmethod
    def of(cls, paths: Sequence[Path], name: str) -> Files:
        """The files at some paths, all of one format."""
        files = tuple(file_of(path, str(path)) for path in paths)
        formats = {file.format for file in files}
        if len(formats) > 1 or "arrow" in formats:
            raise NotScanned("Arrow files, and files of several formats, are read into memory")
        return cls(name, files)

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
        """The SQL that reads all columns."""
        paths = f"[{', '.join(scanned_path(file) for file in self.files)}]"
        form = self.files[0].format
        if form == "parquet":
            return f"read_parquet({paths}, hive_partitioning = false)"
        if form == "json":
            return f"read_json({paths}, records = true, sample_size = -1)"
        delimiter = (
            f"delim = {literal(self.files[0].delimiter)}, " if self.files[0].delimiter else ""
        )
        return (
            f"read_csv({paths}, {delimiter}header = true, sample_size = -1, nullstr = '', "
            "strict_mode = true, hive_partitioning = false)"
        )

    def check(self) -> None:
        """Refuse files that were cut off, and Parquet files whose columns differ."""
        for file in self.files:
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


def scan(
    files: Files,
    roles: Roles,
    *,
    dialect: Dialect,
    model: str = "",
    memory: int,
    bins: int | None = None,
) -> Predictions:
    """The predictions in files, known by their score counts.

    ``NotScanned`` is raised where these do not tell all that is asked for.
    """
    template, rows = open_scan(files, roles, dialect=dialect, model=model, bins=bins)
    kernel = ScoreKernel(rows, memory)
    return with_rows_of(Origin(kernel.counts(), kernel.parts), template)


def open_scan(
    files: Files,
    roles: Roles,
    *,
    dialect: Dialect,
    model: str = "",
    bins: int | None = None,
) -> tuple[Predictions, Scan]:
    """All that is known of the predictions in files but their rows, and how these are read.

    Roles, classes and what is noted of them come from the code that reads tables: from the first
    rows, and from a table of as few rows as have every class, every slice and the range of scores.
    """
    files.check()
    with files.opened() as database:
        head = _table(database, f"(SELECT * FROM {files.sql} LIMIT {HEAD})", files.name)
        stated = replace(roles, id=roles.id or "", count=None)
        sheet = prepare(head, stated, dialect=dialect, model=model)
        found = sheet.roles
        _refuse_roles(found, head)
        truth, score = sheet.truth, found.score
        assert score is not None
        if not head.columns[score].is_number:
            raise NotScanned(f"column {score!r} holds no numbers")
        lines, rows, low, high = _facts(database, files, truth, score, found.by, roles.count)
        classes = _distinct(database, files, truth, MOST_CLASSES)
        levels = {name: _distinct(database, files, name, MOST_SLICES) for name in found.by}
        if len(classes) >= MOST_CLASSES:
            raise NotScanned("more than two classes")
        few = _summary(database, files, rows, (truth, classes), (score, low, high), levels)
    (template,) = build([few], found, models=[model], dialect=dialect)
    if template.task != "binary" or template.positive is None:
        raise NotScanned("it is not a problem of two classes")
    if bins is not None and not np.isfinite([low, high]).all():
        raise InputError(f"{argument('bins', bins)}: a score is infinite, and in no bin")
    refuse_threshold(template.threshold, bins)
    codes = template.truth[::2][: len(classes)]
    is_positive = [
        value for value, code in zip(classes, codes, strict=True) if code == template.positive
    ]
    rows_of_files = Scan(
        files,
        _selected(files, truth, score, tuple(levels), roles.count),
        f"t IN ({', '.join(map(_literal, is_positive))})" if is_positive else "false",
        rows,
        low,
        high,
        {
            column.name: _numbered(f"k{place}", values, column.codes[: len(values)])
            for place, (column, values) in enumerate(
                zip(template.slices, levels.values(), strict=True)
            )
        },
        bins,
        bool(roles.count),
    )
    if roles.count:
        stand = f"{plural(lines, 'row')} stand for {rows:,} (column {roles.count!r})"
        sheet.notes.append(stand)
    notes = dict.fromkeys((*sheet.notes, *template.notes))
    columns = tuple(_without_codes(column, rows) for column in template.slices)
    template = replace(template, notes=tuple(notes), slices=columns, bins=bins, source=files.name)
    return template, rows_of_files


def _table(database: Any, origin: str, name: str) -> RawTable:
    """A few rows as a table."""
    names = database.sql(f"SELECT * FROM {origin}").columns
    columns = table_columns(database, origin, columns_to_fetch(database, origin, names))
    return RawTable(columns, name, len(next(iter(columns.values()))))


def _refuse_roles(roles: Roles, head: RawTable) -> None:
    for role in NOT_KEPT:
        if getattr(roles, role):
            raise NotScanned(f"score counts keep no {role.replace('_', ' ')}")
    if roles.id:
        raise NotScanned("score counts keep no identifiers")
    if roles.score is None:
        raise NotScanned(f"the column of scores has to be named ({argument('score')})")
    telling = [name for name in TELLING if name in head.columns and name != roles.truth]
    if telling:
        raise NotScanned(f"column {telling[0]!r} may mark training rows")


def _facts(
    database: Any, files: Files, truth: str, score: str, by: Sequence[str], count: str | None
) -> tuple[int, int, float, float]:
    """Lines of the files, rows that they stand for, and the range of the scores.

    Lines without a value, and counts that are none, are refused.
    """
    names = (truth, score, *by, *([count] if count else []))
    number = f"CAST({identifier(score)} AS DOUBLE)"
    columns = [
        "count(*)",
        f"count(*) FILTER (isnan({number}))",
        f"min({number})",
        f"max({number})",
        "count(*)" if count is None else f"sum({identifier(count)})::DOUBLE",
        *(f"count({identifier(name)})" for name in names),
    ]
    if count:
        own = identifier(count)
        odd = f"SELECT count(*) FROM {files.sql} WHERE {own} < 0 OR {own} != floor({own})"
        if database.sql(odd).fetchall()[0][0]:
            raise InputError(
                f"{files.name}: column {count!r} holds a number that is not a count; a count is a "
                "whole number of rows, 0 or more"
            )
    query = f"SELECT {', '.join(columns)} FROM {files.sql}"
    lines, undefined, low, high, rows, *known = database.sql(query).fetchall()[0]
    if not lines or not rows:
        raise InputError(f"{files.name} has no rows")
    for name, present in zip(names, known, strict=True):
        lacking = lines - present + (undefined if name == score else 0)
        if lacking:
            raise InputError(
                f"{files.name}: column {name!r} has no value in {plural(lacking, 'row')}; "
                "fill them in, or leave these rows out"
            )
    return int(lines), int(rows), float(low), float(high)


def _distinct(database: Any, files: Files, name: str, most: int) -> list[Any]:
    """The values of a column, at most so many."""
    query = f"SELECT DISTINCT {identifier(name)} FROM {files.sql} LIMIT {most}"
    values = [value for (value,) in database.sql(query).fetchall()]
    if not all(isinstance(value, str | int | float) for value in values):
        raise NotScanned(f"column {name!r} holds neither texts nor numbers")
    return values


def _summary(
    database: Any,
    files: Files,
    total: int,
    truth: tuple[str, list[Any]],
    score: tuple[str, float, float],
    levels: dict[str, list[Any]],
) -> RawTable:
    """A table with every class at the lowest and the highest score, and with every slice.

    A slice has ``FEW_ROWS`` rows, if there are as many: fewer would tell that it is an amount.
    """
    names = [truth[0], score[0], *levels]
    columns = ", ".join(map(identifier, names))
    database.execute(f"CREATE TABLE summary AS SELECT {columns} FROM {files.sql} LIMIT 0")
    sizes = [len(values) * min(FEW_ROWS, total // len(values)) for values in levels.values()]
    count = max(2 * len(truth[1]), *sizes, 2)
    place = np.arange(count)
    values = [(truth[1], place // 2), (list(score[1:]), place)] + [
        (v, place) for v in levels.values()
    ]
    few = {f"c{i}": np.array(own)[at % len(own)] for i, (own, at) in enumerate(values)}
    database.register("few", few)
    database.execute("INSERT INTO summary SELECT * FROM few")
    return _Summary(_table(database, "summary", files.name).columns, files.name, count)


class _Summary(RawTable):
    """A table whose rows stand for others, so that none is named."""

    def place(self, position: int) -> str:
        """How a message names a row."""
        return f"a row of {self.source}"


def _selected(files: Files, truth: str, score: str, by: Sequence[str], count: str | None) -> str:
    """The SQL of the columns that are read, under short names."""
    columns = [f"{identifier(truth)} AS t", f"CAST({identifier(score)} AS DOUBLE) AS s"]
    columns += [f"{identifier(name)} AS k{i}" for i, name in enumerate(by)]
    columns += [f"{identifier(count)} AS n"] if count else []
    where = f" WHERE {identifier(count)} > 0" if count else ""
    return f"(SELECT {', '.join(columns)} FROM {files.sql}{where})"


def _literal(value: Any) -> str:
    return literal(value) if isinstance(value, str) else str(value)


def _numbered(
    column: str, values: Sequence[Any], codes: NDArray[Any]
) -> tuple[str, NDArray[np.int64]]:
    """The SQL of a small number for each value of a column, and the code of each such number."""
    if all(isinstance(value, int) for value in values):
        low, high = int(min(values)), int(max(values))
        if high - low < MOST_SLICES:
            table = np.zeros(high - low + 1, np.int64)
            table[np.array(values, np.int64) - low] = codes
            return f"({column}::BIGINT - ({low}))::INTEGER", table
    texts = ", ".join(literal(str(value)) for value in values)
    if not all(isinstance(value, str) for value in values):
        raise NotScanned("slices are neither whole numbers nor texts")
    return f"enum_code({column}::ENUM({texts}))::INTEGER", np.asarray(codes, np.int64)


def _without_codes(column: Column, rows: int) -> Column:
    """A column of slices whose rows are known to the files alone."""

    def decode(_: Any) -> NDArray[Any]:
        raise InputError(
            f"column {column.name!r}: this needs the slice of every row, and files are scanned; "
            f"{argument('engine', 'memory')} reads them into memory"
        )

    codes: Any = DecodedColumn(rows, np.int64, decode)
    return replace(column, codes=codes)
