"""Delimited text through DuckDB, each column typed by the text of all its rows."""

from __future__ import annotations

import csv
import io
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any, Literal

from heldout.core.errors import InputError
from heldout.tables.column import column_of_array
from heldout.tables.duck import (
    MOST_COLUMNS,
    Wanted,
    by_column,
    cause_of,
    connection,
    identifier,
    literal,
    table_columns,
)
from heldout.tables.files import (
    COMPRESSIONS,
    check_whole,
    head_of,
    open_file,
    real_format,
    scanned_path,
    text_lines,
    wrong_encoding,
    zstd_count,
)
from heldout.tables.spool import spool_query
from heldout.tables.table import RawTable, refuse_lacking, refuse_repeated

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from heldout.tables.column import RawColumn
    from heldout.tables.files import SourceFile

#: what UTF-8 may begin with, and what text of other encodings does
BOM = b"\xef\xbb\xbf"
MARKS = {
    b"\xff\xfe\0\0": "utf-32",
    b"\0\0\xfe\xff": "utf-32",
    b"\xff\xfe": "utf-16",
    b"\xfe\xff": "utf-16",
}
#: a first line of names longer than this is not believed
HEAD = 1 << 20
DELIMITERS = (",", "\t", ";", "|", " ")
#: what DuckDB takes as one record
LONGEST = 2_000_000
#: records by which a delimiter is judged
RECORDS = 50


@dataclass(frozen=True, slots=True)
class _Text:
    """A text file: how it separates its fields, and what its columns are called."""

    file: SourceFile
    delimiter: str
    names: tuple[str, ...]

    def scanner(self) -> str:
        """The SQL that reads all columns as text, named c0, c1, ..."""
        columns = ", ".join(f"'c{i}': 'VARCHAR'" for i in range(len(self.names)))
        return (
            f"read_csv({scanned_path(self.file)}, compression = '{self.file.compression}', "
            f"delim = {literal(self.delimiter)}, quote = '\"', escape = '\"', "
            "header = true, auto_detect = false, strict_mode = true, comment = '', "
            "nullstr = '', allow_quoted_nulls = false, "
            f"columns = {{{columns}}})"
        )


def _text_of(file: SourceFile) -> _Text:
    """A text file by its header; files that are no text, or have no header, are refused.

    A column without a name is called by its place: ``column 1``.
    """
    head = head_of(file, HEAD)
    text = decode_head(file, head)
    if text.lower().startswith("sep="):
        first = text.partition("\n")[0].strip()
        raise InputError(
            f"{file.name} starts with the line {first!r}, which is for Excel alone; remove it"
        )
    if not text.strip():
        check_whole(file)  # what was cut off early looks empty
        raise InputError(f"{file.name} is empty; the first line must hold the column names")
    delimiter = _delimiter(file, text, whole=len(head) < HEAD)
    names = [
        name or f"column {position}"
        for position, name in enumerate(_records(text, delimiter)[0], start=1)
    ]
    broken = next((name for name in names if "\n" in name or "\r" in name), None)
    if broken is not None:
        # DuckDB takes the line end inside the name for that of all lines
        raise InputError(f"{file.name} has a line break in the column name {broken!r}; remove it")
    refuse_repeated(file.name, names)
    return _Text(file, delimiter, tuple(names))


def csv_reader(lines: Iterable[str], **how: Any) -> Any:
    """Python's reader of CSV, which by itself takes no field of more than 128 KiB."""
    csv.field_size_limit(2**31 - 1)
    return csv.reader(lines, **how)


def decode_head(file: SourceFile, head: bytes) -> str:
    """The first bytes of a file as text; anything but UTF-8 text is refused."""
    trouble = _not_text(file, head)
    if trouble:
        raise InputError(trouble)
    text = head.removeprefix(BOM)
    cut = len(text) - 3 if len(head) == HEAD else len(text)
    try:
        return text.decode("utf-8")
    except UnicodeDecodeError as error:
        if error.start < cut:
            raise wrong_encoding(file, text.count(b"\n", 0, error.start) + 1) from None
        return text[: error.start].decode("utf-8")


def _not_text(file: SourceFile, head: bytes) -> str:
    """Why the first bytes are not those of a text file; empty if they are."""
    if name := next((name for mark, name in MARKS.items() if head.startswith(mark)), ""):
        return f"{file.name} is {name.upper()} text; convert it: iconv -f {name} -t utf-8"
    what, suffix = real_format(head)
    if what:
        fix = "save the table as .csv or .parquet"
        if suffix:
            named = file.name + suffix if suffix in COMPRESSIONS else f"with {suffix}"
            fix = f"name it {named}"
        return f"{file.name} is {what}, not text; {fix}"
    if b"\0" in head:
        return f"{file.name} is a binary file, not text; save the table as .csv or .parquet"
    return ""


def _records(text: str, delimiter: str, most: int = 1) -> list[list[str]]:
    """The first records that have any fields."""
    reader = csv_reader(io.StringIO(text, newline=""), delimiter=delimiter)
    return list(islice(filter(None, reader), most))


def _delimiter(file: SourceFile, text: str, *, whole: bool) -> str:
    """The delimiter that the name promises if the header has it, else the one that fits best.

    Best is one that gives every record the same number of fields, and the most fields.
    """
    own = file.delimiter or ","
    fits: dict[str, tuple[bool, int]] = {}
    for delimiter in DELIMITERS:
        records = _records(text, delimiter, RECORDS)
        if not whole and len(records) < RECORDS and len(records) > 1:
            records.pop()  # the last one may have been cut
        same = len({len(record) for record in records}) == 1
        if len(records[0]) > 1 and (same or delimiter != " "):
            fits[delimiter] = (same, len(records[0]))
    if not fits or own in fits:
        return own
    return max(fits, key=fits.__getitem__)


TextKind = Literal["integer", "float", "boolean", "text"]
#: what every text of a column must match, but for missing ones.
#: 007 is neither integer nor float but a code, and so is an integer beyond 64 bits.
PATTERNS: dict[TextKind, str] = {
    "integer": r"-?(0|[1-9][0-9]*)",
    "float": (r"[+-]?((0|[1-9][0-9]*)(\.[0-9]*)?|\.[0-9]+)(e[+-]?[0-9]+)?|[+-]?(nan|inf|infinity)"),
    "boolean": "true|false",
}
#: what stands for a missing number or boolean, besides the empty text
ABSENT = "na|null"
VALUES: dict[TextKind, str] = {
    "integer": "TRY_CAST({0} AS BIGINT)",
    "float": "TRY_CAST({0} AS DOUBLE)",
    "boolean": "CASE lower(trim({0})) WHEN 'true' THEN true WHEN 'false' THEN false END",
    "text": "{0}",
}
#: the same, with an error where a text is not of the kind; the plainest numbers first
CHECKED: dict[TextKind, str] = {
    "integer": "CASE WHEN {0} BETWEEN '0' AND '9' AND strlen({0}) = 1 THEN CAST({0} AS BIGINT) "
    "WHEN {0} IS NULL THEN NULL WHEN TRY_CAST({0} AS BIGINT)::VARCHAR = {0} "
    "THEN CAST({0} AS BIGINT) ELSE error('no integer') END",
    "float": "CASE WHEN contains({0}, '_') THEN error('no float') "
    "WHEN {0} < '00' AND {0} >= '.' OR {0} >= '0:' THEN CAST({0} AS DOUBLE) "
    "WHEN {0} >= '00' OR {0} BETWEEN '-00' AND '-0:' OR {0} BETWEEN '+00' AND '+0:' "
    "THEN error('no float') ELSE CAST({0} AS DOUBLE) END",
    "boolean": "CASE WHEN {0} IS NULL THEN NULL WHEN lower(trim({0})) = 'true' THEN true "
    "WHEN lower(trim({0})) = 'false' THEN false ELSE error('no truth value') END",
    "text": "{0}",
}
#: the same where rows are not checked: a bare TRY_CAST goes into DuckDB's reader of CSV, which
#: then fails instead of trying
TRIED = {kind: value.replace("_CAST({0} ", "_CAST(trim({0}) ") for kind, value in VALUES.items()}
#: the kind of a column by the bits of all its texts; any other sum of bits is text
KIND_OF_BITS: dict[int, TextKind] = {1: "integer", 2: "float", 3: "float", 4: "boolean"}
TEXT_BIT = 8
#: rows by which columns of text are recognised, which then need no further look
SAMPLE = 500
#: rows up to which very many columns are quicker fetched as one long one
FEW_ROWS = 2000


def _matches(pattern: str) -> str:
    return f"regexp_full_match(val, '(?i)[ \\t]*({pattern})[ \\t]*')"


#: SQL: what the texts of a column are, as the sum of their bits (0: all are missing); plain
#: numbers first, since most are
BITS = (
    "bit_or(CASE WHEN regexp_full_match(val, '-?(0|[1-9][0-9]{0,17})') THEN 1 "
    "WHEN regexp_full_match(val, '-?(0|[1-9][0-9]*)[.][0-9]+') THEN 2 "
    f"WHEN {_matches(PATTERNS['integer'])} "
    f"THEN CASE WHEN TRY_CAST(val AS BIGINT) IS NULL THEN {TEXT_BIT} ELSE 1 END "
    f"WHEN {_matches(PATTERNS['float'])} THEN 2 "
    f"WHEN {_matches(PATTERNS['boolean'])} THEN 4 "
    f"WHEN val IS NULL OR {_matches(f'{ABSENT}|')} THEN 0 ELSE {TEXT_BIT} END)"
)


@dataclass(frozen=True, slots=True)
class Scan:
    """How many lines a text file has, and how many of them are empty ones at its end."""

    lines: int
    empty_at_end: int

    def are_rows(self, count: int, wide: int) -> bool:
        """Whether lines are so many rows; an empty one is a row where there is one column."""
        return count + 1 in (self.lines, self.lines - (self.empty_at_end if wide > 1 else 0))


def _scan(file: SourceFile) -> Scan:
    """The lines of a file, by which it is later proved that no row was lost on the way.

    A plain or gzip file with NUL bytes is refused.
    """
    if file.compression == "zstd":
        return Scan(zstd_count(file), 0)
    lines, tail = 0, b""
    with open_file(file) as stream:
        while block := stream.read(1 << 20):
            if b"\0" in block:
                line = lines + block.count(b"\n", 0, block.index(b"\0")) + 1
                raise InputError(
                    f"{file.name} line {line} has a NUL byte, so it is not text; "
                    "save the table as .csv or .parquet"
                )
            lines += block.count(b"\n")
            tail = (tail + block[-4096:])[-4096:]
    lines += not tail.endswith(b"\n")
    empty = tail[len(tail.rstrip(b"\r\n")) :].count(b"\n") - 1
    return Scan(lines, max(empty, 0))


#: what Python's reader of CSV says of a fault, and what we say; any other is a quote left open
FAULTS = {
    "new-line character": "has a carriage return that ends no line; convert the file: "
    "tr '\\r' '\\n'",
    "expected after": "has text after a closing quote; "
    'write a quote inside a quoted field twice: ""',
    "": "opens a quote that is never closed; close it, "
    'or write a quote inside a quoted field twice: ""',
}


def _examine(text: _Text) -> int:
    """The number of rows of a text file, by a slow and exact reader; or its first fault."""
    file, wide = text.file, len(text.names)
    lines = _Lines(file)
    reader = csv_reader(lines, delimiter=text.delimiter, strict=True)
    rows, start = -1, 1
    try:
        for record in reader:
            # a blank line is a row only where there is one column, whose value is missing
            rows += bool(record) or wide == 1
            extra = len(record) - wide
            if record and extra and not (extra == 1 and record[-1] == ""):
                raise InputError(_ragged(text, start, len(record)))
            if sum(map(len, record)) > LONGEST:
                raise InputError(f"{file.name} line {start} is longer than {LONGEST:,} characters")
            lines.end_record()
            start = reader.line_num + 1
    except csv.Error as error:
        fault = next(words for part, words in FAULTS.items() if part in str(error))
        raise InputError(f"{file.name} line {start} {fault}") from None
    return rows


def _ragged(text: _Text, line: int, fields: int) -> str:
    delimiter = {"\t": "a tab", " ": "a space"}.get(text.delimiter, f'"{text.delimiter}"')
    have = f"{fields} field{'' if fields == 1 else 's'}"
    return (
        f"{text.file.name} line {line} has {have}, but the header has {len(text.names)}; "
        f"repair the line, or quote a field that contains {delimiter}"
    )


class _Lines:
    """The lines of a file as text, watched for wrong bytes and for changing line ends."""

    def __init__(self, file: SourceFile) -> None:
        self.file = file
        self.number = 0
        self.end = ""
        self.first_end = ""
        self.lines = text_lines(file)

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        line = next(self.lines)
        self.number += 1
        if "\0" in line:
            raise InputError(_not_text(self.file, b"\0"))
        self.end = "CRLF" if line.endswith("\r\n") else "LF" if line.endswith("\n") else self.end
        return line

    def end_record(self) -> None:
        """Note how the last line of a record ends (those inside a quoted field may differ)."""
        self.first_end = self.first_end or self.end
        if self.end != self.first_end:
            raise InputError(
                f"{self.file.name} line {self.number} ends with {self.end}, the lines before it "
                f"with {self.first_end}; make them the same (dos2unix does)"
            )


def read_text(files: Sequence[SourceFile], source: str) -> RawTable:
    """One table of one or several text files with the same columns.

    A column is of integers if every text in it is ``-?(0|[1-9][0-9]*)`` and fits 64 bits,
    else of floats if every text is a number (without leading zeros: 007 is a code), else of
    booleans if all are true or false in any case, else of texts. An empty field is missing,
    in a text column only if it is not quoted; NA and NULL (any case) are missing among
    numbers and booleans. Rows are named by the line an editor shows; where fields contain
    line ends or lines are blank, by the number of the row instead.
    """
    texts, scans = _texts_of(files)
    with connection() as database, _examined(texts, source):
        columns, counts = _load(database, texts)
    known = list(zip(texts, counts, scans, strict=True))
    are_lines = [lines.are_rows(count, len(text.names)) for text, count, lines in known]
    for (text, count, _), are_proved in zip(known, are_lines, strict=True):
        if not are_proved:
            _check_rows([text], text.file.name, count)
    parts = tuple((text.file.name, count) for text, count, _ in known) if len(files) > 1 else ()
    first_row, word = (2, "line") if all(are_lines) else (1, "row")
    return RawTable(columns, source, sum(counts), first_row, word, parts)


def _texts_of(files: Sequence[SourceFile]) -> tuple[list[_Text], list[Scan]]:
    """Files that are one table, with their headers and lines."""
    texts = [_text_of(file) for file in files]
    refuse_lacking([(text.file.name, text.names) for text in texts])
    for file in files:
        if file.compression == "zstd":  # gzip is unpacked to its end by the scan
            check_whole(file)
    return texts, [_scan(file) for file in files]


@contextmanager
def _examined(texts: Sequence[_Text], source: str) -> Iterator[None]:
    """Where DuckDB cannot read text files, the error is the first fault in them."""
    import duckdb

    try:
        yield
    except duckdb.Error as error:
        trouble = InputError(f"{source} cannot be read: {cause_of(error)}")
        for text in texts:
            _examine(text)
        raise trouble from None


def head_of_text(files: Sequence[SourceFile], source: str, rows: int) -> RawTable:
    """The first rows of text files that are one table, each column typed by these rows alone."""
    text = _text_of(files[0])
    with connection() as database, _examined([text], source):
        database.execute(f"CREATE TEMP TABLE texts AS FROM {text.scanner()} LIMIT {rows}")
        count = database.sql("SELECT count(*) FROM texts").fetchall()[0][0]
        if not count:
            _check_rows([text], source, 0)
        fields = [f"c{i}" for i in range(len(text.names))]
        return RawTable(_columns(database, text.names, fields, rows), source, count)


def spool_text(files: Sequence[SourceFile], names: Sequence[str], source: str) -> SourceFile:
    """Some columns of text files that are one table, as a Parquet file: texts are parsed once.

    A column is typed by all its rows, as ``read_text`` types it. The kinds that the first rows
    show are checked while rows are written; only where one is wrong, all are looked at before.
    """
    import duckdb

    texts, scans = _texts_of(files)
    own = [name for name in names if name in texts[0].names]
    fields = [f"f{i}" for i in range(len(own))]
    query = " UNION ALL ".join(_fields(text, own, names) for text in texts)
    named = [identifier(name) for name in names if name not in own]
    with connection() as database, _examined(texts, source):

        def spooled(rows: str, values: dict[TextKind, str]) -> SourceFile:
            bits = by_column(database, rows, fields, BITS)
            kinds = [KIND_OF_BITS.get(known, "text") for known in bits]
            if values is CHECKED and not all(bits):
                raise duckdb.InvalidInputException("the first rows of a column have no value")
            typed = [
                f"{values[kind].format(field)} AS {identifier(name)}"
                for name, field, kind in zip(own, fields, kinds, strict=True)
            ]
            return spool_query(
                database, f"SELECT {', '.join([*typed, *named])} FROM ({query})", source
            )

        try:
            file = spooled(f"({query} LIMIT {SAMPLE})", CHECKED)
        except duckdb.Error:
            file = spooled(f"({query})", TRIED)
        counted = f"SELECT count(*) FROM read_parquet({scanned_path(file)})"
        count = database.sql(counted).fetchall()[0][0]
    lines = sum(scan.lines - 1 for scan in scans)
    if not count or count not in (lines, lines - sum(scan.empty_at_end for scan in scans)):
        _check_rows(texts, source, count)
    return file


def _fields(text: _Text, own: Sequence[str], names: Sequence[str]) -> str:
    """The SQL of some columns of a file as texts f0, f1, ..., and of those of its folders."""
    places = {name: position for position, name in enumerate(text.names)}
    fields = [f"c{places[name]} AS f{i}" for i, name in enumerate(own)]
    for name, value in text.file.partitions:
        if name in names and name not in own:
            fields.append(f"{'NULL' if value is None else literal(value)} AS {identifier(name)}")
    return f"SELECT {', '.join(fields)} FROM {text.scanner()}"


def _check_rows(texts: Sequence[_Text], source: str, count: int) -> None:
    """Refuse a table that is empty, or lost rows.

    DuckDB skips a faulty row where one of its threads starts with it.
    """
    rows = sum(map(_examine, texts))
    if rows != count:
        raise InputError(f"{source} has {rows} rows, but {count} could be read; write it again")
    if not count:
        raise InputError(f"{source} has a header but no rows")


def _load(database: Any, texts: Sequence[_Text]) -> tuple[dict[str, RawColumn], list[int]]:
    """All columns, each typed by all its rows, and the number of rows of each file."""
    names = texts[0].names
    counts = _store(database, texts)
    for text, count in zip(texts, counts, strict=True):
        if not count:
            _check_rows([text], text.file.name, count)
    rows = sum(counts)
    columns: dict[str, RawColumn] = {}
    for start in range(0, len(names), MOST_COLUMNS):
        part = names[start : start + MOST_COLUMNS]
        if len(names) == len(part):
            columns = _columns(database, part, [f"c{i}" for i in range(len(part))], rows)
        elif rows > FEW_ROWS:
            fields = [f"l{start}[{i}]" for i in range(1, len(part) + 1)]
            columns |= _columns(database, part, fields, rows)
        else:
            columns |= _columns_of_lists(database, part, f"l{start}")
    return columns, counts


def _store(database: Any, texts: Sequence[_Text]) -> list[int]:
    """Make a table of all texts, a column each; gives the number of rows of each file.

    Very many columns are put into lists: the time to plan a query grows with all columns that a
    table has, asked for or not.
    """
    names = texts[0].names
    counts: list[int] = []
    for text in texts:
        places = {name: position for position, name in enumerate(text.names)}
        fields = [f"c{places[name]}" for name in names]
        selected = [f"{field} AS c{i}" for i, field in enumerate(fields)]
        if len(names) > MOST_COLUMNS:
            starts = range(0, len(names), MOST_COLUMNS)
            selected = [f"[{', '.join(fields[i : i + MOST_COLUMNS])}] AS l{i}" for i in starts]
        verb = "INSERT INTO texts" if counts else "CREATE TEMP TABLE texts AS"
        database.execute(f"{verb} SELECT {', '.join(selected)} FROM {text.scanner()}")
        total = database.sql("SELECT count(*) FROM texts").fetchall()[0][0]
        counts.append(total - sum(counts))
    return counts


def _columns(
    database: Any, names: Sequence[str], fields: Sequence[str], rows: int
) -> dict[str, RawColumn]:
    """The columns that some fields of the table are."""
    bits = by_column(database, f"(FROM texts LIMIT {SAMPLE})", fields, BITS)
    if rows > SAMPLE:
        unclear = [i for i, known in enumerate(bits) if known < TEXT_BIT]
        further = by_column(database, "texts", [fields[i] for i in unclear], BITS)
        for i, known in zip(unclear, further, strict=True):
            bits[i] = known
    wanted = []
    for name, field, known in zip(names, fields, bits, strict=True):
        kind = KIND_OF_BITS.get(known, "text")
        wanted.append(Wanted(name, VALUES[kind].format(field), kind))
    return table_columns(database, "texts", wanted)


def _columns_of_lists(database: Any, names: Sequence[str], lists: str) -> dict[str, RawColumn]:
    """The columns that stand in the lists of few rows: fetched one below the other."""
    cells = (
        f"(SELECT rowid AS row, unnest({lists}) AS val, unnest(range({len(names)})) AS field "
        "FROM texts)"
    )
    query = f"SELECT {BITS} FROM {cells} GROUP BY field ORDER BY field"
    kinds = [KIND_OF_BITS.get(bits, "text") for (bits,) in database.sql(query).fetchall()]
    columns: dict[str, RawColumn] = {}
    for kind in set(kinds):
        fields = [i for i, own in enumerate(kinds) if own == kind]
        query = (
            f"SELECT {VALUES[kind].format('val')} AS val FROM {cells} "
            f"WHERE field IN ({', '.join(map(str, fields))}) ORDER BY field, row"
        )
        values = database.sql(query).fetchnumpy()["val"].reshape(len(fields), -1)
        for i, own in zip(fields, values, strict=True):
            columns[names[i]] = column_of_array(names[i], own)
    return {name: columns[name] for name in names}
