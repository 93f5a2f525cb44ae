"""Names that stay apart when they are cut: what all of them share goes first."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from heldout.report.plots.style import shortened

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["distinct_names"]

DOTS = "…"


def distinct_names(names: Sequence[str], most: int) -> list[str]:
    """The names in at most so many characters; two that differ still do.

    Where one is too long, what all start or end with is left out of all, but for the words
    that have room, and dots stand for it; what is still too long is cut in its midst, or,
    where that makes two alike, numbered.

    Examples
    --------
    >>> distinct_names(["spam filter of march, run 1", "spam filter of march, run 11"], 14)
    ['…march, run 1', '…march, run 11']
    >>> distinct_names(["tree", "forest"], 20)
    ['tree', 'forest']
    """
    if all(len(name) <= most for name in names):
        return list(names)
    bare = _without_shared(names, most) if len(set(names)) > 1 else list(names)
    cut = [shortened(name, most) for name in bare]
    clash = Counter(dict(zip(names, cut, strict=True)).values())
    places = {name: place for place, name in enumerate(dict.fromkeys(names), start=1)}
    made = []
    for name, own, whole in zip(names, cut, bare, strict=True):
        mark = f" ({places[name]})"
        made.append(own if clash[own] == 1 else shortened(whole, most - len(mark)) + mark)
    return made


def _without_shared(names: Sequence[str], most: int) -> list[str]:
    """The names without what all start with and all end with, up to a border of words."""
    start = _to_border(_start_of(names))
    rest = [name[len(start) :] for name in names]
    end = _to_border(_start_of([name[::-1] for name in rest]))
    kept = [name[: len(name) - len(end)] for name in rest]
    if not all(kept):
        return list(names)
    after = DOTS if end else ""
    room = most - max(map(len, kept)) - len(after)
    before = start
    if start and len(start) > room:
        before = _last_words(start, room - len(DOTS))
    return [f"{before}{name}{after}" for name in kept]


def _last_words(text: str, most: int) -> str:
    """As many of the last words as have room, after dots."""
    places = [i for i in range(1, len(text)) if not text[i - 1].isalnum() and text[i].isalnum()]
    kept = next((text[i:] for i in places if len(text) - i <= most), "")
    return f"{DOTS}{kept}"


def _start_of(names: Sequence[str]) -> str:
    """What all names start with: what the first and the last in order do."""
    first, last = min(names), max(names)
    pairs = zip(first, last, strict=False)
    return first[: next((i for i, (a, b) in enumerate(pairs) if a != b), len(first))]


def _to_border(shared: str) -> str:
    """As much of a shared part as ends with a sign between words: "run 1" of "run 12" is none."""
    while shared and shared[-1].isalnum():
        shared = shared[:-1]
    return shared
