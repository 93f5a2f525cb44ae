"""Codes and distinct values of a long array, without sorting its rows where values repeat."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from heldout.tables.column import Label

__all__ = ["factorize", "factorize_few"]

#: rows looked at together, so that a block and its hashes stay in the processor's cache
BLOCK = 1 << 14
#: more distinct values than this are found by sorting hashes instead of by tables
MOST_IN_TABLES = 1 << 16
#: integers whose range is at most this, or four times the rows, are counted instead
SMALL_RANGE = 1 << 16


def factorize(values: NDArray[Any]) -> tuple[NDArray[np.int32], tuple[Label, ...]]:
    """A code for each row and the distinct values behind the codes, in ascending order.

    The same answer as ``numpy.unique(values, return_inverse=True)``, in time linear in the
    rows where values repeat. Takes booleans, integers, floats (-0.0 is 0.0; every NaN is
    one value, the last), fixed-width strings, bytes (read as UTF-8) and objects that are
    all strings. There is no missing value here: leave those rows out.

    Examples
    --------
    >>> codes, levels = factorize(np.array(["spam", "ham", "spam"]))
    >>> codes.tolist(), levels
    ([1, 0, 1], ('ham', 'spam'))
    """
    coding = factorize_few(values, len(values))
    assert coding is not None, "no array has more distinct values than rows"
    return coding


def factorize_few(
    values: NDArray[Any], most: int
) -> tuple[NDArray[np.int32], tuple[Label, ...]] | None:
    """The same, or None as soon as there are more than ``most`` distinct values.

    Examples
    --------
    >>> factorize_few(np.array(["a", "b", "c"]), 2) is None
    True
    """
    kind = values.dtype.kind
    if kind == "O":
        return _objects(values, most)
    if kind == "b":
        codes, numbers = _by_counting(values.view(np.uint8), 0, 1)
        return codes, tuple(map(bool, numbers))
    if kind in "iu":
        low, high = (int(values.min()), int(values.max())) if len(values) else (0, 0)
        if high - low <= max(SMALL_RANGE, 4 * len(values)):
            return _by_counting(values, low, high)
        values = values.astype(np.int64 if kind == "i" else np.uint64, copy=False)
    if kind == "f":
        values = values.astype(np.float64, copy=False) + 0.0
        values[np.isnan(values)] = np.nan
    coding = _by_hashing(values, most)
    if coding is None:
        return None
    codes, firsts = coding
    distinct = values[firsts]
    order = np.argsort(distinct, kind="stable")
    rank = np.empty(len(order), np.int32)
    rank[order] = np.arange(len(order), dtype=np.int32)
    levels = distinct[order].tolist()
    return rank[codes], tuple(b.decode() for b in levels) if kind == "S" else tuple(levels)


def _objects(values: NDArray[Any], most: int) -> tuple[NDArray[np.int32], tuple[Label, ...]] | None:
    items = values.tolist()
    levels = set(items)
    if len(levels) > most:
        return None
    code = {level: position for position, level in enumerate(sorted(levels))}
    codes = np.fromiter(map(code.__getitem__, items), np.int32, len(items))
    return codes, tuple(map(str.__str__, code))


def _by_counting(
    values: NDArray[Any], low: int, high: int
) -> tuple[NDArray[np.int32], tuple[int, ...]]:
    """Codes by counting: every number between the least and the greatest has a place."""
    wide = np.uint64 if high > np.iinfo(np.int64).max else np.int64
    places = (values.astype(wide, copy=False) - wide(low)).astype(np.intp, copy=False)
    present = np.bincount(places, minlength=high - low + 1) > 0
    code = np.cumsum(present, dtype=np.int32) - np.int32(1)
    return code[places], tuple(int(offset) + low for offset in np.flatnonzero(present))


def _by_hashing(
    values: NDArray[Any], most: int
) -> tuple[NDArray[np.int32], NDArray[np.intp]] | None:
    """A code for each row and, for each code, a row that holds its value; in no order.

    Rows are hashed a block at a time and looked up among the hashes seen so far. Rows of
    one code are then compared as whole values, so the answer never rests on the hash.
    """
    known = _Known()
    hashes = np.empty(len(values), np.uint64)
    codes = np.empty(len(values), np.int32)
    width = _words(values[:1]).shape[1]
    multipliers = np.fromiter(_odd_numbers(seed=0), np.uint64, width)
    for start in range(0, len(values), BLOCK):
        block = slice(start, start + BLOCK)
        np.einsum("ij,j->i", _words(values[block]), multipliers, out=hashes[block])
        if len(known) <= MOST_IN_TABLES:
            codes[block] = known.codes(hashes[block], start)
        if len(known) > most:
            return None
    firsts = known.firsts
    if len(known) > MOST_IN_TABLES:
        _, firsts, inverse = np.unique(hashes, return_index=True, return_inverse=True)
        codes = inverse.astype(np.int32)
    distinct = _words(values[firsts])
    for start in range(0, len(values), BLOCK):
        block = slice(start, start + BLOCK)
        if not np.array_equal(_words(values[block]), np.take(distinct, codes[block], axis=0)):
            _, firsts, inverse = np.unique(values, return_index=True, return_inverse=True)
            codes = inverse.astype(np.int32)
            break
    return (codes, firsts) if len(firsts) <= most else None


def _words(values: NDArray[Any]) -> NDArray[np.uint64]:
    """Each value as whole 64-bit words, equal if and only if the values are."""
    native = values.dtype.newbyteorder("=")
    if native.kind in "US":
        unit = 4 if native.kind == "U" else 1
        size = max(8, -(-native.itemsize // 8) * 8)
        native = np.dtype(f"{native.kind}{size // unit}")
    whole = np.ascontiguousarray(values.astype(native, copy=False))
    return whole.view(np.uint64).reshape(len(values), native.itemsize // 8)


def _odd_numbers(seed: int) -> Iterator[int]:
    """Odd 64-bit numbers without pattern (splitmix64), the same in every run."""
    mask = (1 << 64) - 1
    while True:
        seed = (seed + 0x9E3779B97F4A7C15) & mask
        mixed = ((seed ^ (seed >> 30)) * 0xBF58476D1CE4E5B9) & mask
        mixed = ((mixed ^ (mixed >> 27)) * 0x94D049BB133111EB) & mask
        yield (mixed ^ (mixed >> 31)) | 1


class _Known:
    """The distinct hashes seen so far, each with its code and the first row that has it."""

    def __init__(self) -> None:
        self.hashes = np.zeros(0, np.uint64)
        self.firsts = np.zeros(0, np.intp)
        self.tables: list[tuple[np.uint64, NDArray[np.int32]]] = []
        self.shift = np.uint64(0)

    def __len__(self) -> int:
        return len(self.hashes)

    def codes(self, hashes: NDArray[np.uint64], start: int) -> NDArray[np.int32]:
        """The codes of some rows, the first of which is row ``start``; new ones are added."""
        codes = np.zeros(len(hashes), np.int32)
        waiting = np.arange(len(hashes))
        for multiplier, table in self.tables:
            wanted = hashes if len(waiting) == len(hashes) else hashes[waiting]
            guess = table[(wanted * multiplier) >> self.shift]
            hit = self.hashes[guess] == wanted
            if hit.all():
                codes[waiting] = guess
                return codes
            codes[waiting[hit]] = guess[hit]
            waiting = waiting[~hit]
        new, first, inverse = np.unique(hashes[waiting], return_index=True, return_inverse=True)
        codes[waiting] = inverse + len(self)
        self.hashes = np.concatenate([self.hashes, new])
        self.firsts = np.concatenate([self.firsts, waiting[first] + start])
        self._build_tables()
        return codes

    def _build_tables(self) -> None:
        """Tables of four places a hash; those whose place is taken go to the next table."""
        bits = max(8, (4 * len(self)).bit_length())
        self.shift = np.uint64(64 - bits)
        self.tables = []
        left = np.arange(len(self), dtype=np.int32)
        for number in _odd_numbers(seed=1):
            multiplier = np.uint64(number)
            places = (self.hashes[left] * multiplier) >> self.shift
            table = np.zeros(1 << bits, np.int32)
            table[places] = left
            self.tables.append((multiplier, table))
            left = left[table[places] != left]
            if not len(left):
                return
