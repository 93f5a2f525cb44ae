"""ARFF files, Weka's format: rows dense or sparse, weighted or not, as typed columns."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from heldout.core.errors import InputError
from heldout.core.nearest import did_you_mean
from heldout.core.wording import repeated
from heldout.tables.column import RawColumn, coded_column, column_of_list
from heldout.tables.files import COMPRESSIONS, SourceFile, text_lines
from heldout.tables.table import RawTable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    from heldout.core.arrays import Floats

AttributeKind = Literal["numeric", "nominal", "string", "date"]
#: a quoted text (with its escapes) or a bare word
WORD = re.compile(r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|[^\s,{}'"%][^\s,{}]*""")
ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|.)", re.DOTALL)
ESCAPES = {"n": "\n", "r": "\r", "t": "\t"}
#: a % that starts a comment, where what stands before it has no open quote
COMMENT = re.compile(r"""^((?:[^'"%]|'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|(?<=\S)%)*?\s)%.*$""")
KINDS: dict[str, AttributeKind] = {
    "numeric": "numeric",
    "real": "numeric",
    "integer": "numeric",
    "string": "string",
    "date": "date",
}


@dataclass(frozen=True, slots=True)
class Attribute:
    """A column as the header declares it."""

    name: str
    kind: AttributeKind
    #: nominal: the values in their declared order
    levels: tuple[str, ...] = ()
    #: date: the pattern, as Java writes it
    pattern: str = ""


def _unquote(word: str) -> str:
    r"""A word without its quotes, escapes resolved.

    Examples
    --------
    >>> _unquote(r"'it\'s'"), _unquote("plain")
    ("it's", 'plain')
    """
    if word[:1] not in ("'", '"'):
        return word
    return ESCAPE.sub(_meaning, word[1:-1]) if "\\" in word else word[1:-1]


def _meaning(escape: re.Match[str]) -> str:
    code = escape[1]
    return chr(int(code[1:], 16)) if len(code) == 5 else ESCAPES.get(code, code)


def _without_comment(line: str) -> str:
    """A line up to a comment (a % after a space, outside of quotes)."""
    if line.startswith("%"):
        return ""
    comment = COMMENT.match(line) if "%" in line else None
    return (comment[1] if comment else line).strip()


def _read_header(lines: Iterator[tuple[int, str]], source: str) -> tuple[str, list[Attribute]]:
    """The relation's name and the attributes; the lines are read up to ``@data``."""
    relation, attributes = "", []
    for number, raw in lines:
        line = _without_comment(raw.strip())
        if not line:
            continue
        where = f"{source} line {number}"
        if not line.startswith("@"):
            raise InputError(f"{where}: {line[:40]!r} stands before @data; is @data missing?")
        keyword, rest = (*line[1:].split(None, 1), "", "")[:2]
        match keyword.lower():
            case "relation":
                relation = _unquote(rest.strip())
            case "attribute":
                attributes.append(_attribute(rest.strip(), where))
            case "data":
                _refuse_doubles(attributes, source)
                return relation, attributes
            case other:
                near = did_you_mean(other, ("relation", "attribute", "data"))
                raise InputError(f"{where}: unknown keyword @{keyword}{near}")
    raise InputError(f"{source} has no @data line, so it is not an ARFF file (or was cut off)")


def _refuse_doubles(attributes: list[Attribute], source: str) -> None:
    names = [attribute.name for attribute in attributes]
    if not names:
        raise InputError(f"{source} declares no @attribute")
    if twice := repeated(names):
        raise InputError(f"{source} has two attributes named {twice[0]!r}; rename one of them")


def _attribute(text: str, where: str) -> Attribute:
    word_of_name = WORD.match(text)
    if word_of_name is None:
        raise InputError(f"{where}: @attribute needs a name and a type")
    name, kind = _unquote(word_of_name[0]), text[word_of_name.end() :].strip()
    if kind.startswith("{"):
        return Attribute(name, "nominal", _levels(kind, name, where))
    word = WORD.match(kind)
    known = None if word is None else KINDS.get(word[0].lower())
    if known is None or word is None:
        what = repr(kind[:30]) if kind else "no type"
        near = did_you_mean(kind, KINDS)
        raise InputError(
            f"{where}: attribute {name!r} has {what}; heldout reads numeric, real, integer, "
            f"string, date and {{value, ...}}{near}"
        )
    rest = WORD.match(kind[word.end() :].strip())
    pattern = _unquote(rest[0]) if known == "date" and rest else ""
    return Attribute(name, known, pattern=pattern)


def _levels(text: str, name: str, where: str) -> tuple[str, ...]:
    """The values between braces; a weight of the attribute may follow them."""
    position, levels = 1, []
    while True:
        while position < len(text) and text[position] in " \t,":
            position += 1
        if position >= len(text):
            raise InputError(f"{where}: the values of attribute {name!r} lack a closing brace")
        if text[position] == "}":
            break
        word = WORD.match(text, position)
        if word is None:
            raise InputError(f"{where}: the values of attribute {name!r} have a wrong quote")
        levels.append(_unquote(word[0]))
        position = word.end()
    if twice := repeated(levels):
        raise InputError(f"{where}: attribute {name!r} declares the value {twice[0]!r} twice")
    if not levels:
        raise InputError(f"{where}: attribute {name!r} declares no values")
    return tuple(levels)


#: letters of Java's patterns of dates, and Python's
LETTERS = dict(
    re.findall(
        r"(\w+)=(%\w)",
        "yyyy=%Y yy=%y MMM=%b MM=%m M=%m dd=%d d=%d HH=%H H=%H hh=%I mm=%M ss=%S SSS=%f a=%p "
        "EEE=%a Z=%z z=%Z",
    )
)
USUAL = "yyyy-MM-dd'T'HH:mm:ss"


def _column_of(
    attribute: Attribute, texts: list[str | None], lines: list[int], source: str
) -> RawColumn:
    """The column of an attribute, from its texts (None: missing) and the lines they are in."""

    def values(read: Callable[[str], Any], gap: Any) -> list[Any]:
        cells = []
        for text, line in zip(texts, lines, strict=True):
            try:
                cells.append(gap if text is None else read(text))
            except (ValueError, KeyError):
                problem = _problem(str(text), attribute)
                raise InputError(f"{source} line {line}: {problem}") from None
        return cells

    match attribute.kind:
        case "numeric":
            return RawColumn(attribute.name, "float", np.array(values(float, np.nan)))
        case "nominal":
            codes = {level: code for code, level in enumerate(attribute.levels)}
            cells = np.array(values(codes.__getitem__, -1))
            return coded_column(attribute.name, cells, attribute.levels)
        case "date":
            pattern = _python_pattern(attribute.pattern or USUAL)
            return column_of_list(attribute.name, values(partial(_iso, pattern=pattern), None))
        case _:
            return column_of_list(attribute.name, texts)


def _problem(text: str, attribute: Attribute) -> str:
    """What is wrong with a value that is none of its attribute."""
    name = attribute.name
    if attribute.kind == "numeric":
        return f"{text!r} is not a number, but attribute {name!r} is numeric; ? is missing"
    if attribute.kind == "date":
        pattern = attribute.pattern or USUAL
        return f"{text!r} is not a date of the form {pattern} (attribute {name!r})"
    near = did_you_mean(text, attribute.levels)
    return f"{text!r} is not among the declared values of attribute {name!r}{near}"


def _python_pattern(java: str) -> str:
    """A pattern of dates as Python writes it.

    Examples
    --------
    >>> _python_pattern("yyyy-MM-dd'T'HH:mm")
    '%Y-%m-%dT%H:%M'
    """
    pieces = re.finditer(r"'[^']*'|([A-Za-z])\1*|[^A-Za-z']+", java)
    return "".join(
        part[1:-1] if part[0] == "'" else LETTERS.get(part, part.replace("%", "%%"))
        for part in (piece[0] for piece in pieces)
    )


def _iso(text: str, pattern: str) -> str:
    moment = datetime.strptime(text, pattern)
    return moment.date().isoformat() if moment.time() == moment.min.time() else moment.isoformat()


#: the weight at the end of a row
WEIGHT = re.compile(r"""\s*,?\s*\{\s*([^\s{}'"]+)\s*\}$""")
#: a sparse row up to its closing brace, and what follows
SPARSE = re.compile(r"""(\{(?:[^'"{}]|'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")*\})(.*)""", re.DOTALL)
PAIR = re.compile(r"\s*(\d+)\s+")
SPACES = re.compile(r"[ \t]+")


@dataclass(frozen=True, slots=True, eq=False)
class Arff:
    """An ARFF file: its columns, the relation's name, weights of the rows if any are given."""

    table: RawTable
    relation: str
    attributes: tuple[Attribute, ...]
    weight: Floats | None = None


def is_arff_name(path: Path) -> bool:
    """Whether a file's name says that it is ARFF, compressed or not."""
    suffixes = [suffix.lower() for suffix in path.suffixes]
    if suffixes and suffixes[-1] in COMPRESSIONS:
        suffixes.pop()
    return bool(suffixes) and suffixes[-1] == ".arff"


def read_arff(path: Path, name: str = "") -> Arff:
    """The data of an ARFF file, plain or compressed."""
    name = name or str(path)
    packing = COMPRESSIONS.get(path.suffix.lower(), "none")
    return read_arff_lines(text_lines(SourceFile(path, name, "text", packing)), name)


def read_arff_lines(lines: Iterable[str], name: str) -> Arff:
    r"""The data of ARFF text, line by line.

    Examples
    --------
    >>> text = "@relation toy\n@attribute x real\n@attribute y {no, yes}\n@data\n1.5, yes"
    >>> arff = read_arff_lines(text.splitlines(), "toy.arff")
    >>> arff.table.columns["y"].levels, arff.table.columns["x"].values.tolist()
    (('no', 'yes'), [1.5])
    """
    numbered = iter(enumerate(lines, start=1))
    relation, attributes = _read_header(numbered, name)
    reader = _Reader(name, attributes)
    for number, line in numbered:
        reader.take(number, line)
    if not reader.rows:
        raise InputError(f"{name} has no rows after @data")
    columns = {
        attribute.name: _column_of(attribute, list(values), reader.numbers, name)
        for attribute, values in zip(attributes, zip(*reader.rows, strict=True), strict=True)
    }
    lines_in_order = all(b - a == 1 for a, b in pairwise(reader.numbers))
    table = RawTable(
        columns,
        name,
        len(reader.rows),
        first_row=reader.numbers[0] if lines_in_order else 1,
        row_word="line" if lines_in_order else "data row",
    )
    weight = np.array(reader.weights) if set(reader.weights) != {1.0} else None
    return Arff(table, relation, tuple(attributes), weight)


class _Reader:
    """The rows of the data section so far: texts, None where a value is missing."""

    def __init__(self, name: str, attributes: list[Attribute]) -> None:
        self.name = name
        self.attributes = attributes
        self.rows: list[list[str | None]] = []
        self.numbers: list[int] = []
        self.weights: list[float] = []
        # what a sparse row leaves out is 0, which for a nominal attribute is its first value
        self.zeros: list[str | None] = [
            attribute.levels[0]
            if attribute.levels
            else "0"
            if attribute.kind == "numeric"
            else None
            for attribute in attributes
        ]

    def take(self, number: int, line: str) -> None:
        """A further line."""
        line = line.strip()
        if "%" in line:
            line = _without_comment(line)
        if not line:
            return
        if line[0] == "{":
            sparse = SPARSE.fullmatch(line)
            if sparse is None:
                raise self._wrong(number, "the closing brace is missing")
            rest, weight = self._split_weight(number, sparse[2])
            if rest.strip():
                raise self._wrong(number, f"{rest.strip()[:20]!r} follows the closing brace")
            values = self._sparse(number, sparse[1])
        else:
            line, weight = self._split_weight(number, line) if line[-1] == "}" else (line, 1.0)
            values = self._dense(number, line)
        if len(values) != len(self.attributes):
            raise self._wrong(number, f"{len(values)} values for {len(self.attributes)} attributes")
        self.rows.append(values)
        self.numbers.append(number)
        self.weights.append(weight)

    def _split_weight(self, number: int, line: str) -> tuple[str, float]:
        """The line without the weight at its end, and the weight."""
        ending = WEIGHT.search(line)
        if ending is None:
            return line, 1.0
        try:
            weight = float(ending[1])
        except ValueError:
            raise self._wrong(number, f"the weight {ending[1]!r} is not a number") from None
        return line[: ending.start()], weight

    def _dense(self, number: int, line: str) -> list[str | None]:
        if "'" in line or '"' in line:
            return self._words(number, line)
        # the quick way for most lines of most files
        words = line.split(",") if "," in line or len(self.attributes) == 1 else line.split()
        values = [word.strip() for word in words]
        if "" in values:
            raise self._wrong(number, "a value is empty; write ? for a missing one")
        return [None if word == "?" else word for word in values] if "?" in line else [*values]

    def _words(self, number: int, line: str) -> list[str | None]:
        """The values of a line with quotes."""
        values: list[str | None] = []
        position = 0
        while True:
            position = _after_spaces(line, position)
            word = WORD.match(line, position)
            if word is None:
                raise self._wrong(
                    number, f"a wrong quote or empty value near {line[position:][:20]!r}"
                )
            values.append(None if word[0] == "?" else _unquote(word[0]))
            position = _after_spaces(line, word.end())
            if position == len(line):
                return values
            if line[position] == ",":
                position += 1
            elif word.end() == position:
                raise self._wrong(number, f"a wrong quote near {line[position:][:20]!r}")

    def _sparse(self, number: int, line: str) -> list[str | None]:
        values = list(self.zeros)
        inner = line[1:-1].strip()
        position, last = 0, -1
        while position < len(inner):
            start = PAIR.match(inner, position)
            value = WORD.match(inner, start.end()) if start else None
            if start is None or value is None:
                raise self._wrong(number, f"{inner[position:][:20]!r} is no 'index value' pair")
            index = int(start[1])
            if not last < index < len(values):
                raise self._wrong(
                    number, f"index {index} is out of order or beyond the last, {len(values) - 1}"
                )
            values[index] = None if value[0] == "?" else _unquote(value[0])
            position, last = _after_spaces(inner, value.end()), index
            if position < len(inner):
                if inner[position] != ",":
                    raise self._wrong(
                        number, f"a comma is missing before {inner[position:][:20]!r}"
                    )
                position += 1
        return values

    def _wrong(self, number: int, problem: str) -> Any:
        return InputError(f"{self.name} line {number}: {problem}")


def _after_spaces(text: str, position: int) -> int:
    spaces = SPACES.match(text, position)
    return position if spaces is None else spaces.end()
