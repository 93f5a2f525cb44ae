"""What charts share before they are drawn: colours, dashes and markers of series, and names cut."""

from __future__ import annotations

import textwrap
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence, Sized

    from heldout.report.plots.chart import Dash

#: Okabe & Ito (2008), without their yellow, which is lost on white; then three of Paul Tol's muted
#: colours and a grey, so that ten series have ten colours
OKABE_ITO = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
COLOURS = (*OKABE_ITO, "#882255", "#999933", "#332288", "#888888")
#: solid, then patterns as unlike each other as a line can carry
DASHES: tuple[Dash, ...] = (
    "-",
    (0, (5, 1.6)),
    (0, (1.2, 1.2)),
    (0, (6, 1.6, 1.2, 1.6)),
    (0, (3, 1.2, 1.2, 1.2, 1.2, 1.2)),
)
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
#: more lines on one chart cannot be told apart
MOST_SERIES = 10
#: more panels in one figure cannot be read
MOST_PANELS = 6
#: panels side by side
ACROSS = 3
DOTS = "…"


def first_of(models: Sized, most: int = MOST_PANELS) -> str:
    """Which of the models are drawn where not all have room, for the words of a chart.

    Examples
    --------
    >>> first_of(range(9)), first_of(range(2))
    ('the first 6 of 9 models', '')
    """
    return f"the first {most} of {len(models)} models" if len(models) > most else ""


def side_by_side(panels: int) -> int:
    """How many panels of equal rank stand in a row.

    Examples
    --------
    >>> side_by_side(2), side_by_side(4), side_by_side(5)
    (2, 2, 3)
    """
    return 2 if panels == 4 else min(panels, ACROSS)


@dataclass(frozen=True, slots=True)
class Look:
    """The colour, dashes and marker of one series."""

    colour: str
    dash: Dash
    marker: str


def look_of(number: int) -> Look:
    """The look of the series of a number: no two of the first 55 share colour and line style.

    Examples
    --------
    >>> look_of(0).colour, look_of(11).colour, look_of(0).dash == look_of(11).dash
    ('#0072B2', '#0072B2', False)
    """
    return Look(
        COLOURS[number % len(COLOURS)],
        DASHES[number % len(DASHES)],
        MARKERS[number % len(MARKERS)],
    )


def wrap_words(text: str, width: float, *, size: float = 8.5) -> str:
    """Text in lines that fit into so many inches.

    Examples
    --------
    >>> wrap_words("operating point", 0.8).splitlines()
    ['operating', 'point']
    """
    return "\n".join(textwrap.wrap(text, max(int(width * 72 / (0.55 * size)), 12)))


def shorten(text: str, most: int) -> str:
    """Text of at most so many characters, cut in its midst.

    Examples
    --------
    >>> shorten("predictions_of_march.csv", 13)
    'predic…ch.csv'
    """
    if len(text) <= most:
        return text
    end = (most - 1) // 2
    return f"{text[: most - 1 - end]}…{text[-end:]}"


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
    cut = [shorten(name, most) for name in bare]
    clash = Counter(dict(zip(names, cut, strict=True)).values())
    places = {name: number for number, name in enumerate(dict.fromkeys(names), start=1)}
    distinct = []
    for name, own, whole in zip(names, cut, bare, strict=True):
        mark = f" ({places[name]})"
        distinct.append(own if clash[own] == 1 else shorten(whole, most - len(mark)) + mark)
    return distinct


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
