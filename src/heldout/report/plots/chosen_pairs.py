"""Which pairs of models a chart shows where there is no room for all, and what it says of that."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from heldout.core.errors import InputError
from heldout.core.nearest import did_you_mean
from heldout.report.names import label_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from heldout.comparison.comparison import Comparison
    from heldout.comparison.results_comparison import ResultsComparison

__all__ = ["ChosenPairs", "checked_measure", "chosen_pairs", "pages"]


@dataclass(frozen=True, slots=True)
class ChosenPairs:
    """The pairs that are shown, and a line on the others; empty where there are none."""

    pairs: tuple[tuple[str, str], ...]
    note: str = ""


def checked_measure(comparison: Comparison, name: str) -> str:
    """The measure of that name, or an error with those that were compared."""
    if name not in comparison.measures:
        hint = did_you_mean(name, comparison.measures)
        there = hint or f"; there are {', '.join(comparison.measures)}"
        raise InputError(f"{name!r} was not compared{there}")
    return name


def pages(comparison: Any, most: int) -> int:
    """How many charts of at most so many pairs show all of them."""
    return -(-len(comparison.pairs) // most)


def chosen_pairs(
    comparison: Comparison | ResultsComparison,
    order: Sequence[str],
    *,
    most: int,
    first: str = "",
    second: str = "",
    page: int = 0,
) -> ChosenPairs:
    """The pairs of a chart that has room for ``most`` of them; ``order``: the best model first.

    Those that are asked for by model or page; all if they fit; else the best model
    against the next ones, which is what most readers look for first.
    """
    every = comparison.pairs
    for name in filter(None, (first, second)):
        if name not in comparison.models:
            there = did_you_mean(name, comparison.models)
            there = there or f"; there are {', '.join(comparison.models)}"
            raise InputError(f"no model is called {name!r}{there}")
    if first and second:
        if first == second:
            raise InputError(f"a pair needs two models, not {first!r} twice")
        _refuse_uncompared(comparison, first, second)
        return ChosenPairs(((first, second),))
    if first or second:
        one = first or second
        met = [set(pair) for pair in every if one in pair]
        others = [m for m in comparison.models if m != one and {m, one} in met]
        mine = [(one, m) if first else (m, one) for m in others]
        return _cut(mine, most, f"of {label_text(one)} with others")
    count = len(every)
    if page:
        start = (page - 1) * most
        if not 0 <= start < count:
            raise InputError(f"page {page}: there are {pages(comparison, most)} pages")
        shown = every[start : start + most]
        said = f"pairs {start + 1} to {start + len(shown)} of {count}" if count > most else ""
        return ChosenPairs(tuple(shown), said)
    if count <= most:
        return ChosenPairs(tuple(every))
    if comparison.control:
        return _cut(every, most, "with the control")
    shown = [(order[0], other) for other in order[1 : most + 1]]
    return ChosenPairs(
        tuple(shown),
        f"{len(shown)} of {count} pairs: the best against the next; others by name "
        "[first=A,second=B], all with all=FOLDER",
    )


def _refuse_uncompared(comparison: Any, first: str, second: str) -> None:
    if (first, second) not in comparison.pairs and (second, first) not in comparison.pairs:
        raise InputError(
            f"{first!r} and {second!r} were not compared: each model is compared with the control "
            f"{comparison.control!r}"
        )


def _cut(pairs: list[tuple[str, str]], most: int, words: str) -> ChosenPairs:
    if len(pairs) <= most:
        return ChosenPairs(tuple(pairs))
    note = f"{most} of {len(pairs)} pairs {words}; others by name [first=A,second=B]"
    return ChosenPairs(tuple(pairs[:most]), note)
