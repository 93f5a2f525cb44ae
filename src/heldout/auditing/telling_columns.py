"""Columns that may give the target away though they are no features, or not as they stand."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.datasets.dataset import Feature

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from heldout.auditing.finding import Severity
    from heldout.datasets.dataset import Dataset

__all__ = ["GuessedColumn", "MOST_PARTS", "TextColumn", "guessed_columns", "text_columns"]

#: levels beyond which a nominal column is looked at as a text too, and rows a level at most
MANY_LEVELS, A_LEVEL = 20, 5
#: texts that are taken apart; of more rows, so many are looked at
MOST_TEXTS = 20_000
#: fewer texts prove nothing
FEWEST = 30


@dataclass(frozen=True, slots=True, eq=False)
class GuessedColumn:
    """A column of numbers that is taken to name the rows, which nobody said."""

    feature: Feature
    reason: str
    #: whether it counts the rows as they stand, so that it says no more than their order
    is_count: bool

    @property
    def name(self) -> str:
        """The name of the column."""
        return self.feature.name

    def words(self, said: str) -> str:
        """What is seen, and that the column is no feature."""
        order = "; it counts the rows, which stand in the order of the target" * self.is_count
        return f"{said}{order} (it is no feature here: {self.reason})"

    def at_most(self, severity: Severity | None) -> Severity | None:
        """The order of the rows in a file is worth a note."""
        return "note" if self.is_count and severity is not None else severity


@dataclass(frozen=True, slots=True, eq=False)
class TextColumn:
    """Texts of some rows of a column, of which parts may say more than the whole."""

    name: str
    texts: Sequence[str]
    rows: NDArray[np.int64]
    of: int
    #: why it is no feature; empty: it is one
    reason: str

    def parts(self) -> Iterator[tuple[str, Feature]]:
        """The parts as features of these rows."""
        return text_parts(self.texts)

    def words(self, said: str) -> str:
        """What is seen, of how many rows, and that the column is no feature."""
        sampled = f", a sample of {self.of:,}" if len(self.rows) < self.of else ""
        reason = f" (it is no feature here: {self.reason})" if self.reason else ""
        return f"{said}{sampled}{reason}"


def guessed_columns(data: Dataset) -> Iterator[GuessedColumn]:
    """The columns of numbers that are no features by a guess."""
    from heldout.datasets.features import feature_of

    for left in data.left_out:
        column = left.column
        if column is None or len(column) != len(data) or column.kind in ("text", "category"):
            continue
        feature = feature_of(column)
        is_count = len(data) > 1 and bool((np.diff(feature.values) == 1).all())
        yield GuessedColumn(feature, left.reason, is_count)


def text_columns(data: Dataset) -> Iterator[TextColumn]:
    """The columns of texts that are no features by a guess, and features of very many levels."""
    return (column for column in _texts(data) if len(column.rows) >= FEWEST)


def _texts(data: Dataset) -> Iterator[TextColumn]:
    for left in data.left_out:
        column = left.column
        if column is None or len(column) != len(data) or column.kind not in ("text", "category"):
            continue
        known = np.arange(len(data))
        if column.missing is not None:
            known = known[~column.missing]
        rows = _some(known)
        values = column.values[rows]
        if column.kind == "category":
            values = np.array([column.levels[code] for code in values.tolist()], object)
        yield TextColumn(left.name, [str(v) for v in values.tolist()], rows, len(data), left.reason)
    for feature in data.features:
        if feature.levels is None or len(feature.levels) <= MANY_LEVELS:
            continue
        used = np.unique(feature.values)
        if len(used) * A_LEVEL <= len(data):
            continue
        rows = _some(np.flatnonzero(feature.values >= 0))
        names = [str(feature.levels[code]) for code in feature.values[rows].tolist()]
        yield TextColumn(feature.name, names, rows, len(data), "")


def _some(rows: NDArray[Any]) -> NDArray[Any]:
    if len(rows) <= MOST_TEXTS:
        return rows
    return np.sort(np.random.default_rng(0).permutation(rows)[:MOST_TEXTS])


#: a word, or a number
TOKEN = re.compile(r"[^\W\d_]+|\d+")
DECIMAL = re.compile(r"-?[0-9]+(?:\.[0-9]+)?")
#: words and numbers from either end, and characters
TOKENS, CHARACTERS = 4, 3
#: words that many texts have: how many of them, and in which share of the texts at least
WORDS, SOME = 50, 0.02
#: rows a level from which on levels are looked at
REPEATED = 5
#: more digits are no exact float
DIGITS = 15
#: so many parts are looked at, at most
MOST_PARTS = 4 * TOKENS + 2 * CHARACTERS + WORDS + 3


def text_parts(texts: Sequence[str]) -> Iterator[tuple[str, Feature]]:
    """What each part is called, and the part as a feature; parts that are alike are left out."""
    low = [text.lower() for text in texts]
    tokens = [TOKEN.findall(text) for text in low]
    orders = {1: "first", 2: "second", 3: "third", 4: "fourth"}
    for place in range(TOKENS):
        for where, index in ((orders[place + 1], place), (f"{orders[place + 1]} last", -place - 1)):
            where = where.replace("first last", "last")
            found = [_at(words, index) for words in tokens]
            yield from _as_levels(f"the {where} word or number in it", found)
            yield from _as_numbers(f"the {where} number in it", found)
    for where, index in (("first", 0), ("last", -1)):
        numbers = [_at(DECIMAL.findall(text), index) for text in low]
        if any("." in text for text in numbers):
            yield from _as_numbers(f"the {where} number in it", numbers)
    for many in range(1, CHARACTERS + 1):
        what = "character" if many == 1 else f"{many} characters"
        yield from _as_levels(f"its first {what}", [text[:many] for text in low])
        yield from _as_levels(f"its last {what}", [text[-many:] for text in low])
    yield from _as_numbers("its length", [str(len(text)) for text in low])
    counts = Counter(word for words in tokens for word in set(words))
    for word, count in counts.most_common(WORDS):
        if SOME * len(low) <= count < len(low):
            has = np.array([word in words for words in tokens]).astype(np.int32)
            yield f"whether {word!r} is in it", Feature("", has, ("no", "yes"))


def _at(words: list[str], index: int) -> str:
    return words[index] if -len(words) <= index < len(words) else ""


def _as_levels(said: str, found: list[str]) -> Iterator[tuple[str, Feature]]:
    levels, codes = np.unique(np.array(found), return_inverse=True)
    if 1 < len(levels) <= len(found) / REPEATED:
        yield said, Feature("", codes.astype(np.int32), tuple(levels.tolist()))


def _as_numbers(said: str, found: list[str]) -> Iterator[tuple[str, Feature]]:
    if all(text and len(text) <= DIGITS for text in found) and all(
        DECIMAL.fullmatch(text) for text in found
    ):
        yield said, Feature("", np.array([float(text) for text in found]))
