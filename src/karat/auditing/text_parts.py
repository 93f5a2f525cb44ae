"""Parts of texts that may say more than the whole: words and numbers in them, beginnings, ends."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from karat.datasets.dataset import Feature

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

__all__ = ["MOST_PARTS", "text_parts"]

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
