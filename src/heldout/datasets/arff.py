"""ARFF files, Weka's format: rows dense or sparse, weighted or not, as typed columns."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.core.errors import InputError
from heldout.datasets.arff_columns import column_of
from heldout.datasets.arff_header import WORD, read_header, unquoted, without_comment
from heldout.predictions.formats import COMPRESSIONS, SourceFile
from heldout.predictions.packed import lines_of, wrong_encoding
from heldout.predictions.raw import RawTable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from numpy.typing import NDArray

    from heldout.datasets.arff_header import Attribute

__all__ = ["Arff", "is_arff_name", "read_arff", "read_arff_lines"]

#: the weight at the end of a row
WEIGHT = re.compile(r"""\s*,?\s*\{\s*([^\s{}'"]+)\s*\}$""")
#: a sparse row up to its closing brace, and what follows
SPARSE = re.compile(r"""(\{(?:[^'"{}]|'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")*\})(.*)""", re.DOTALL)
PAIR = re.compile(r"\s*(\d+)\s+")


@dataclass(frozen=True, slots=True, eq=False)
class Arff:
    """An ARFF file: its columns, the relation's name, weights of the rows if any are given."""

    table: RawTable
    relation: str
    attributes: tuple[Attribute, ...]
    weight: NDArray[np.float64] | None = None


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
    file = SourceFile(path, name, "text", packing)

    def decoded() -> Iterator[str]:
        for number, line in enumerate(lines_of(file), start=1):
            try:
                yield line.decode("utf-8-sig" if number == 1 else "utf-8")
            except UnicodeDecodeError:
                raise wrong_encoding(file, number) from None

    return read_arff_lines(decoded(), name)


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
    relation, attributes = read_header(numbered, name)
    reader = _Reader(name, attributes)
    for number, line in numbered:
        reader.take(number, line)
    if not reader.rows:
        raise InputError(f"{name} has no rows after @data")
    columns = {
        attribute.name: column_of(attribute, list(values), reader.numbers, name)
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
            one.levels[0] if one.levels else "0" if one.kind == "numeric" else None
            for one in attributes
        ]

    def take(self, number: int, line: str) -> None:
        """A further line."""
        line = line.strip()
        if "%" in line:
            line = without_comment(line)
        if not line:
            return
        if line[0] == "{":
            found = SPARSE.fullmatch(line)
            if found is None:
                raise self._wrong(number, "the closing brace is missing")
            rest, weight = self._weighted(number, found[2])
            if rest.strip():
                raise self._wrong(number, f"{rest.strip()[:20]!r} follows the closing brace")
            values = self._sparse(number, found[1])
        else:
            line, weight = self._weighted(number, line) if line[-1] == "}" else (line, 1.0)
            values = self._dense(number, line)
        if len(values) != len(self.attributes):
            raise self._wrong(number, f"{len(values)} values for {len(self.attributes)} attributes")
        self.rows.append(values)
        self.numbers.append(number)
        self.weights.append(weight)

    def _weighted(self, number: int, line: str) -> tuple[str, float]:
        """The line without the weight at its end, and the weight."""
        found = WEIGHT.search(line)
        if found is None:
            return line, 1.0
        try:
            weight = float(found[1])
        except ValueError:
            raise self._wrong(number, f"the weight {found[1]!r} is no number") from None
        return line[: found.start()], weight

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
        place = 0
        while True:
            place = _after_spaces(line, place)
            found = WORD.match(line, place)
            if found is None:
                raise self._wrong(
                    number, f"a wrong quote or empty value near {line[place:][:20]!r}"
                )
            values.append(None if found[0] == "?" else unquoted(found[0]))
            place = _after_spaces(line, found.end())
            if place == len(line):
                return values
            if line[place] == ",":
                place += 1
            elif found.end() == place:
                raise self._wrong(number, f"a wrong quote near {line[place:][:20]!r}")

    def _sparse(self, number: int, line: str) -> list[str | None]:
        values = list(self.zeros)
        inner = line[1:-1].strip()
        place, last = 0, -1
        while place < len(inner):
            start = PAIR.match(inner, place)
            value = WORD.match(inner, start.end()) if start else None
            if start is None or value is None:
                raise self._wrong(number, f"{inner[place:][:20]!r} is no 'index value' pair")
            index = int(start[1])
            if not last < index < len(values):
                raise self._wrong(
                    number,
                    f"index {index} is out of order or beyond the last, {len(values) - 1}",
                )
            values[index] = None if value[0] == "?" else unquoted(value[0])
            place, last = _after_spaces(inner, value.end()), index
            if place < len(inner):
                if inner[place] != ",":
                    raise self._wrong(number, f"a comma is missing before {inner[place:][:20]!r}")
                place += 1
        return values

    def _wrong(self, number: int, problem: str) -> Any:
        return InputError(f"{self.name} line {number}: {problem}")


def _after_spaces(text: str, place: int) -> int:
    while place < len(text) and text[place] in " \t":
        place += 1
    return place
