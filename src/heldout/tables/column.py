"""Typed columns, before any of them has a role, from NumPy arrays and Python lists."""

from __future__ import annotations

import datetime
import math
import numbers
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from heldout.core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from heldout.core.arrays import Array, Booleans

Label = str | int | float | bool


class OfNoKind(InputError):
    """Values that make no column: of several kinds, or of one that no column holds."""


@dataclass(frozen=True, slots=True, eq=False)
class Column:
    """A column of repeated values: a code for each row, and the value behind each code."""

    name: str
    codes: NDArray[np.integer[Any]]
    levels: tuple[Label, ...]

    def take(self, rows: Array) -> Column:
        """The same column for some of the rows (a mask or positions)."""
        return replace(self, codes=self.codes[rows])


Kind = Literal["boolean", "integer", "float", "text", "category"]
#: what a source held where the kind of a column does not tell
Held = Literal["", "nested", "durations"]


@dataclass(frozen=True, slots=True, eq=False)
class RawColumn:
    """One column: values of one kind, and which of them are missing.

    ``values`` is bool, int64, float64, or (text) an object or fixed-width string array;
    for a category it holds codes into ``levels``, in their declared order. Missing values
    are marked in ``missing`` (None: there are none) and their ``values`` mean nothing; a
    float NaN that the source itself calls a number is a value, not missing. Lists and mappings
    are ``held`` as text, durations as seconds. A column of no one kind has a ``fault``, the
    message for whoever asks for it, and no values.
    """

    name: str
    kind: Kind
    values: Array
    missing: Booleans | None = None
    levels: tuple[Label, ...] = ()
    held: Held = ""
    fault: str = ""

    def __len__(self) -> int:
        return len(self.values)

    @property
    def is_number(self) -> bool:
        """Whether the values are whole numbers or floats."""
        return self.kind in ("integer", "float")

    @property
    def is_text(self) -> bool:
        """Whether the values are texts, as codes or each by itself."""
        return self.kind in ("text", "category")

    @property
    def absent(self) -> Booleans | None:
        """Which rows have no value (a NaN is none); None where all have one."""
        missing = self.missing
        if self.kind == "float":
            nan = np.isnan(self.values)
            missing = nan if missing is None else missing | nan
        return missing if missing is not None and missing.any() else None

    def take(self, rows: Array) -> RawColumn:
        """The same column for some of the rows (a mask or positions)."""
        missing = None if self.missing is None else self.missing[rows]
        return replace(self, values=self.values[rows], missing=missing)

    def code(self, *, distinct: bool = True) -> tuple[Array, tuple[Label, ...]]:
        """A code for each row (no value: -1) and the values behind the codes.

        Texts that hardly repeat are not looked through for copies unless levels must be distinct.
        """
        absent = self.absent
        if self.kind == "category":
            return self.values if absent is None else np.where(absent, -1, self.values), self.levels
        known = self.values if absent is None else self.values[~absent]
        codes: Array = np.arange(len(known))
        levels: tuple[Label, ...]
        if self.kind == "text" and not distinct:
            levels = tuple(known.tolist())
        else:
            codes, levels = factorize(known)
        if absent is None:
            return codes, levels
        spread = np.full(len(self), -1, codes.dtype)
        spread[~absent] = codes
        return spread, levels

    def objects(self) -> Array:
        """The values as Python has them, None where they are missing."""
        values = self.values.astype(object)
        if self.kind == "category":
            # the code of a missing value means nothing, and may point outside the levels
            values = np.array([*self.levels, None], object).take(self.values, mode="clip")
        if self.missing is not None:
            values[self.missing] = None
        return values


#: rows by which few distinct values are recognised, and how many are few
BLOCK = 1 << 14
FEW = 8
#: integers whose range is at most this, or four times the rows, are counted instead
SMALL_RANGE = 1 << 16


def factorize(values: Array) -> tuple[NDArray[np.int32], tuple[Label, ...]]:
    """A code for each row and the distinct values behind the codes, in ascending order.

    The same answer as ``numpy.unique(values, return_inverse=True)``, without sorting the rows
    where values are few. Takes booleans, integers, floats (-0.0 is 0.0; every NaN is one value,
    the last), fixed-width strings, bytes (read as UTF-8) and objects that are all strings.
    There is no missing value here: leave those rows out.

    Examples
    --------
    >>> codes, levels = factorize(np.array(["spam", "ham", "spam"]))
    >>> codes.tolist(), levels
    ([1, 0, 1], ('ham', 'spam'))
    """
    coding = factorize_few(values, len(values))
    assert coding is not None, "no array has more distinct values than rows"
    return coding


def factorize_few(values: Array, most: int) -> tuple[NDArray[np.int32], tuple[Label, ...]] | None:
    """The same, or None where there are more than ``most`` distinct values.

    Examples
    --------
    >>> factorize_few(np.array(["a", "b", "c"]), 2) is None
    True
    """
    kind = values.dtype.kind
    if kind == "O":
        return _objects(values, most)
    if kind == "f":
        values = values.astype(np.float64, copy=False) + 0.0
    coding = _by_comparing(values) or _by_counting(values)
    if coding is None:
        distinct, inverse = np.unique(values, return_inverse=True)
        coding = inverse.astype(np.int32), distinct
    codes, distinct = coding
    if len(distinct) > most:
        return None
    if kind == "S":
        distinct = np.char.decode(distinct, "utf-8", ESCAPED)
    return codes, tuple(distinct.tolist())


def _objects(values: Array, most: int) -> tuple[NDArray[np.int32], tuple[Label, ...]] | None:
    items = values.tolist()
    levels = set(items)
    if len(levels) > most:
        return None
    code = {level: position for position, level in enumerate(sorted(levels))}
    codes = np.fromiter(map(code.__getitem__, items), np.int32, len(items))
    return codes, tuple(map(str.__str__, code))


def _by_comparing(values: Array) -> tuple[NDArray[np.int32], Array] | None:
    """Codes by comparing all rows with the values of the first; None where these are not all."""
    distinct = np.unique(values[:BLOCK])
    if len(distinct) > FEW:
        return None
    codes = np.zeros(len(values), np.int32)
    rows = 0
    for code, value in enumerate(distinct):
        is_equal = values == value
        rows += int(np.count_nonzero(is_equal))
        if code:
            codes += is_equal if code == 1 else is_equal * np.int32(code)
    return (codes, distinct) if rows == len(values) else None


def _by_counting(values: Array) -> tuple[NDArray[np.int32], Array] | None:
    """Codes of whole numbers in a small range, each of which has a place; None for others."""
    if values.dtype.kind not in "iu":
        return None
    low, high = int(values.min()), int(values.max())
    if high - low > max(SMALL_RANGE, 4 * len(values)):
        return None
    wide = np.uint64 if high > np.iinfo(np.int64).max else np.int64
    places = (values.astype(wide, copy=False) - wide(low)).astype(np.intp, copy=False)
    present = np.bincount(places, minlength=high - low + 1) > 0
    code = np.cumsum(present, dtype=np.int32) - np.int32(1)
    return code[places], np.flatnonzero(present).astype(wide) + wide(low)


def most_levels(rows: int) -> int:
    """Up to how many distinct texts a column of text is kept as codes.

    Examples
    --------
    >>> most_levels(100), most_levels(1_000_000)
    (1024, 250000)
    """
    return max(1024, rows // 4)


def text_column(name: str, values: Array, missing: Booleans | None = None) -> RawColumn:
    """A column of texts; where they repeat, a category whose levels are in ascending order.

    Values are an array of objects that are all strings (but for missing rows), or of
    fixed-width strings or bytes. A column without any value is text.
    """
    present = values if missing is None else values[~missing]
    if not len(present):
        return RawColumn(name, "text", np.full(len(values), "", object), missing)
    coding = factorize_few(present, most_levels(len(values)))
    if coding is None:
        return RawColumn(name, "text", _texts(values, missing), missing)
    codes, levels = coding
    if missing is not None:
        spread = np.zeros(len(values), np.int32)
        spread[~missing] = codes
        codes = spread
    return RawColumn(name, "category", codes, missing, levels)


def coded_column(name: str, codes: Array, levels: Sequence[Label]) -> RawColumn:
    """A category from codes (negative: missing) into levels, whose order is kept."""
    codes = codes.astype(np.int32, copy=False)
    missing = codes < 0
    if not missing.any():
        return RawColumn(name, "category", codes, None, tuple(levels))
    return RawColumn(name, "category", np.where(missing, 0, codes), missing, tuple(levels))


def sorted_column(name: str, codes: Array, levels: Sequence[str]) -> RawColumn:
    """A category from codes (negative: missing) into texts, recoded to ascending order."""
    if not levels:
        return text_column(name, np.full(len(codes), "", object), np.ones(len(codes), bool))
    order = sorted(range(len(levels)), key=levels.__getitem__)
    rank = np.full(len(levels) + 1, -1, np.int32)
    rank[order] = np.arange(len(levels), dtype=np.int32)
    return coded_column(name, rank[codes], [levels[position] for position in order])


def _texts(values: Array, missing: Booleans | None) -> Array:
    if values.dtype.kind == "S":
        return np.char.decode(values, "utf-8", ESCAPED)
    if missing is not None and values.dtype.kind == "O":
        return np.where(missing, "", values)
    return values


#: Python types and the word for what they hold; bool comes before int, of which it is a kind
KINDS: tuple[tuple[tuple[type, ...], str], ...] = (
    ((bool, np.bool_), "truth values"),
    # of NumPy's integers, which its durations are a kind of
    ((datetime.timedelta, np.timedelta64), "durations"),
    ((int, np.integer), "integers"),
    ((numbers.Real,), "floats"),
    ((str,), "texts"),
    ((bytes,), "bytes"),
    ((datetime.date, np.datetime64), "dates"),
    ((datetime.time,), "times"),
)
#: the same for types whose modules are seldom loaded
RARE = {("decimal", "Decimal"): "floats", ("uuid", "UUID"): "identifiers"}
#: how bytes are shown that are not UTF-8: \xff
ESCAPED = "backslashreplace"
#: all that a column may hold
WORDS = {*(word for _, word in KINDS), *RARE.values()}
#: how values of a kind become text (a subclass of str, say of an Enum, may print otherwise)
SPELL: dict[str, Callable[[Any], str]] = {
    "texts": str.__str__,
    "bytes": lambda value: value.decode("utf-8", ESCAPED),
    "dates": lambda value: str(value) if isinstance(value, np.datetime64) else value.isoformat(),
    "times": datetime.time.isoformat,
    "identifiers": str,
}


def column_of_array(name: str, values: Array, missing: Booleans | None = None) -> RawColumn:
    """A column from a one-dimensional array; float64, int64 and bool are not copied.

    A NaN is a float, not a missing value; ``None``, NaT and masked elements are missing.
    """
    if isinstance(values, np.ma.MaskedArray):
        mask = np.ma.getmaskarray(values) | (False if missing is None else missing)
        return column_of_array(name, np.ma.getdata(values), mask)
    if missing is not None and not missing.any():
        missing = None
    match values.dtype.kind:
        case "b":
            return RawColumn(name, "boolean", values, missing)
        case "i" | "u":
            return _integers(name, values, missing)
        case "f":
            return RawColumn(name, "float", values.astype(np.float64, copy=False), missing)
        case "U" | "S":
            return text_column(name, values, missing)
        case "M":
            return _dates(name, values, missing)
        case "m" if np.datetime_data(values.dtype)[0] not in ("Y", "M"):
            return _durations(name, values, missing)
        case "O" | "T":
            items = values.tolist()
            if missing is not None:
                items = [None if gone else item for item, gone in zip(items, missing, strict=True)]
            return column_of_list(name, items)
    raise OfNoKind(
        f"{name} holds values of type {values.dtype}; "
        "give truth values, numbers, texts, categories or dates"
    )


def _integers(name: str, values: Array, missing: Booleans | None) -> RawColumn:
    """Integers, or their digits as text where one does not fit into 64 bits with a sign."""
    if values.dtype.kind == "u" and values.itemsize == 8 and len(values):
        most = values.max() if missing is None else values[~missing].max(initial=0)
        if most > np.iinfo(np.int64).max:
            return text_column(name, values.astype(np.str_), missing)
    return RawColumn(name, "integer", values.astype(np.int64, copy=False), missing)


def _dates(name: str, values: Array, missing: Booleans | None) -> RawColumn:
    """Dates as ISO text, in the coarsest of day, second and their parts that loses nothing."""
    gone = np.isnat(values) if missing is None else np.isnat(values) | missing
    known = values[~gone]
    units = ("D", "s", "ms", "us", "ns")
    unit: Any = next((u for u in units if (known.astype(f"M8[{u}]") == known).all()), "auto")
    return text_column(name, np.datetime_as_string(values, unit), gone if gone.any() else None)


def _durations(name: str, values: Array, missing: Booleans | None) -> RawColumn:
    """Durations as seconds."""
    gone = np.isnat(values) if missing is None else np.isnat(values) | missing
    seconds = np.asarray(values / np.timedelta64(1, "s"), dtype=np.float64)
    return RawColumn(name, "float", seconds, gone if gone.any() else None, held="durations")


def column_of_list(name: str, items: list[Any]) -> RawColumn:
    """A column from Python objects of one kind; integers among floats are floats.

    ``None`` (and pandas' NA and NaT) is missing; so is a float NaN among values that are
    not numbers. Values of two kinds are refused, with the first row that differs.
    """
    words = {kind: _word(kind) for kind in _types(items)}
    kinds = set(words.values()) - {"missing"}
    lost = {kind for kind, word in words.items() if word == "missing"}
    if "floats" in kinds and not kinds <= {"integers", "floats"}:
        floats = {kind for kind, word in words.items() if word == "floats"}
        if all(math.isnan(item) for item in items if type(item) in floats):
            kinds -= {"floats"}
            lost |= floats
    missing = None
    if lost:
        missing = np.fromiter((type(item) in lost for item in items), bool, len(items))
    if not kinds:
        # nothing but missing values says no kind; text promises the least
        return text_column(name, np.full(len(items), "", object), missing)
    if kinds != {"integers", "floats"} and (len(kinds) > 1 or not kinds <= WORDS):
        raise _mixture(name, items, words, lost)
    try:
        return _one_kind(name, items, kinds, missing)
    except OverflowError as trouble:
        what = " and ".join(sorted(kinds))
        raise OfNoKind(f"{name} cannot be read as {what}: {trouble}") from None


def _types(items: list[Any]) -> set[type]:
    """The types of all items; for texts that repeat, by way of the distinct ones."""
    if items and type(items[0]) is str:
        try:
            types = set(map(type, set(items)))
        except TypeError:  # something that cannot be hashed is among them
            types = set()
        # nothing but a text equals a text, and nothing but None equals None
        if types and types <= {str, type(None)}:
            return types
    return set(map(type, items))


def _word(kind: type) -> str:
    """What the values of a Python type are called in messages."""
    if kind.__name__ in ("NoneType", "NAType", "NaTType"):
        return "missing"
    word_of_kind = next((word for kinds, word in KINDS if issubclass(kind, kinds)), None)
    word_of_kind = word_of_kind or RARE.get((kind.__module__, kind.__name__))
    return word_of_kind or f"values of type {kind.__name__}"


def _one_kind(name: str, items: list[Any], kinds: set[str], missing: Booleans | None) -> RawColumn:
    """A column of values of one kind; where they are missing stands 0, or an empty text."""
    if not kinds & SPELL.keys():
        values = items
        if missing is not None:
            values = [0 if gone else item for item, gone in zip(items, missing, strict=True)]
        if kinds == {"integers"}:
            return _whole(name, values, missing)
        dtype = {"truth values": "?", "durations": "m8[ns]"}.get(next(iter(kinds)), "f8")
        return column_of_array(name, np.array(values, dtype), missing)
    (spell,) = (SPELL[word] for word in kinds)
    texts = np.empty(len(items), object)
    if missing is None:
        texts[:] = list(map(spell, items))
    else:
        texts[:] = ["" if gone else spell(x) for x, gone in zip(items, missing, strict=True)]
    return text_column(name, texts, missing)


def _whole(name: str, values: list[int], missing: Booleans | None) -> RawColumn:
    try:
        return RawColumn(name, "integer", np.array(values, np.int64), missing)
    except OverflowError:
        return text_column(name, np.array(list(map(str, values)), object), missing)


def _mixture(name: str, items: list[Any], words: dict[type, str], lost: set[type]) -> OfNoKind:
    rows = [
        (row, words[type(item)])
        for row, item in enumerate(items)
        if type(item) not in lost and not (isinstance(item, float) and math.isnan(item))
    ]
    first, word = rows[0]
    if word not in WORDS:
        return OfNoKind(
            f"{name} holds {word} (first: row {first}); "
            "give truth values, numbers, texts, categories or dates"
        )
    number = {"integers", "floats"}
    row, other = next(pair for pair in rows if pair[1] != word and {pair[1], word} != number)
    return OfNoKind(
        f"{name} mixes {word} and {other}: row {first} is {_shown(items[first])}, "
        f"row {row} is {_shown(items[row])}; make all of them one kind"
    )


def _shown(item: Any) -> str:
    text = repr(item.item() if isinstance(item, np.generic) else item)
    return text if len(text) <= 40 else f"{text[:37]}..."


def declared_levels(name: str, values: list[Any]) -> tuple[Label, ...]:
    """The values of a category in their declared order, as labels of one kind."""
    column = column_of_list(f"the categories of {name}", values)
    if column.missing is not None:
        raise OfNoKind(f"{name} has a missing value among its categories; drop that category")
    if column.kind == "category":
        return tuple(column.levels[code] for code in column.values)
    return tuple(column.values.tolist())
