"""Whether equal rows are copies, or what coarse values bring about by themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from heldout.auditing.side_columns import alike, hash_rows
from heldout.core import special

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from heldout.auditing.side_columns import SideColumn, Sides, View
    from heldout.core.arrays import Array

#: how many of the equal rows are looked at, and beside how many rows
LOOKED_AT, BESIDE = 100, 100_000
#: rows whose pairs say how often columns agree, and columns that are counted beyond those that
#: agree together in enough of these pairs (more would change nothing)
SAMPLE, BEYOND = 1000, 30
#: pairs that say how often a further column agrees, at least
ENOUGH = 100
#: rows of one rank on average: numbers that hardly repeat are compared by ranks, so that pairs
#: which agree can be counted
A_RANK = 4
#: the share of the spread below which digits tell rows of one rank apart, the share of the numbers
#: that must have such digits, and what is no digit but rounding
FINE, NEARLY_ALL, EXACT = 1e-3, 0.9, 1e-6
#: how many times the expectation may be off, and how unlikely more equal rows must be
MARGIN, UNLIKELY = 3.0, 0.001
#: share of the rows that repeat each other up to which they may do so by nature
RARE = 0.01


def are_coincidences(sides: Sides, equal: Array, kinds: int) -> bool:
    """Whether equal rows are as few as coarse values bring about.

    ``equal`` are rows of theirs with an equal row in ours, of so many kinds. Either so many
    are to be expected from how often columns agree; or the rows of ours repeat each other as
    often (a copy made after the split is not twice on one side), and that is rare (rows that
    were multiplied before it are many) or rows that nearly agree with these are as frequent.
    Within one table the last is asked alone.
    """
    expected = expected_equal(sides.columns, sides.pairs)
    if not sides.is_same:
        expected = min(expected, sides.pairs * _share_of_finest(sides.columns))
    if _tail(kinds, MARGIN * expected) >= UNLIKELY:
        return True
    if sides.is_same:
        return _in_company(sides, equal)
    rows, others = sides.rows
    counts = np.unique(hash_rows([c.ours for c in sides.columns]), return_counts=True)[1]
    repeated = int(counts[counts > 1].sum())
    if _tail(len(equal), repeated * others / rows) < UNLIKELY:
        return False
    return repeated <= RARE * rows or _in_company(sides, equal)


def _in_company(sides: Sides, equal: Array) -> bool:
    """Whether rows that nearly agree with these are as frequent as rows that agree."""
    allowed = max(1, len(sides.columns) // 8)
    step = -(-sides.rows[0] // BESIDE)
    beside: Any = slice(0, None, step)
    chosen = equal[np.linspace(0, len(equal) - 1, min(len(equal), LOOKED_AT)).astype(int)]
    exact, near = 0, 0
    for row in chosen:
        different: Any = sum(~column.agrees(beside, row) for column in sides.columns)
        exact += max(int((different == 0).sum()) * step - sides.is_same, 1)
        near += int(((different > 0) & (different <= allowed)).sum()) * step
    return near >= exact


def _share_of_finest(columns: list[SideColumn]) -> float:
    """The share of pairs of ours that agree in the column where fewest do; not less than 3 pairs.

    Rows agree in all columns at most as often as in one (and of a chance of 3 in n, none may
    be seen in n: the rule of three).
    """
    some = min(len(columns[0].ours), BESIDE)
    agreeing = min(alike(column.ours[:some]) for column in columns)
    return min((agreeing + 3) / max(some * (some - 1) / 2, 1.0), 1.0)


def expected_equal(
    columns: Sequence[SideColumn], pairs: float, views: Sequence[View | None] | None = None
) -> float:
    """How many of some pairs of rows are equal by chance, from how often columns agree.

    In pairs of some distinct rows, columns are taken from the coarsest on while enough pairs
    agree in all of them: that share is counted, whatever depends on what. Each further column
    multiplies it by the odds that it agrees, in these pairs, in all, or in those in which
    another of the further columns agrees, whichever is more. (Odds and not shares, since
    pairs that agree in everything were left out.) Copies among the rows do not count, and
    numbers that hardly repeat agree if they are of one rank. That such numbers are equal as well
    is asked of one column alone, where it is rarest: the others may be functions of it.
    """
    rng = np.random.default_rng(0)
    sides = (len(columns[0].ours), len(columns[0].theirs))
    ours, theirs = (rng.permutation(rows)[: SAMPLE // 2] for rows in sides)
    both = [np.concatenate([c.ours[ours], c.theirs[theirs]]).astype(float) for c in columns]
    how = [None] * len(columns) if views is None else views
    values = [seen if see is None else see(seen) for seen, see in zip(both, how, strict=True)]
    distinct = np.unique(hash_rows(values), return_index=True)[1]
    ranked = [_ranked(column[distinct]) for column in values]
    finest = min(_odds_of_equal(column[: len(ours)]) for column in values)
    ranked = sorted((codes for codes in ranked if codes.max() > 0), key=alike, reverse=True)
    if not ranked:
        return pairs
    first, second = np.triu_indices(len(distinct), 1)
    every, taken = len(first), 0
    for codes in ranked[:-2]:
        agree = codes[first] == codes[second]
        if int(agree.sum()) < ENOUGH:
            break
        first, second, taken = first[agree], second[agree], taken + 1
    expected = pairs * len(first) / every
    further = ranked[taken:][:BEYOND]
    for index, codes in enumerate(further):
        odds = _odds(int((codes[first] == codes[second]).sum()), len(first))
        odds = max(odds, _odds(alike(codes), every))
        for known in further[:index]:
            agree = alike(codes * (known.max() + 1) + known)
            odds = max(odds, _odds(agree, alike(known)))
        expected *= min(odds, 1.0)
    return expected * finest


def _odds_of_equal(values: Array) -> float:
    """The odds that numbers of one rank are equal; 1 where values are ranks of their own."""
    odds = min(_odds(alike(values), alike(_ranked(values))), 1.0)
    return min(odds, FINE) if _is_fine(values) else odds


def _is_fine(values: Array) -> bool:
    """Whether nearly all numbers differ, and have digits below a thousandth of their spread.

    Of rows whose numbers are of one rank no more than one in a thousand then agree in every digit,
    however few rows there are to count. (The logarithm of a count has many digits and few values.)
    """
    if len(np.unique(values)) < NEARLY_ALL * len(values):
        return False
    spread = float(np.nanstd(values)) if np.isfinite(values).any() else 0.0
    if not 0 < spread < np.inf:
        return False
    parts = values / 10 ** np.ceil(np.log10(FINE * spread))
    return bool((np.abs(parts - np.rint(parts)) > EXACT).mean() >= NEARLY_ALL)


def _ranked(values: Array) -> Array:
    """Values as codes; where they hardly repeat, as ranks that some rows share."""
    distinct, codes, counts = np.unique(values, return_inverse=True, return_counts=True)
    if len(distinct) * A_RANK <= len(values):
        return codes
    below = np.cumsum(counts) - counts
    return np.unique(below[codes] // A_RANK, return_inverse=True)[1]


def _odds(agree: int, pairs: int) -> float:
    return (agree + 1) / (pairs - agree + 1)


def _tail(count: int, mean: float) -> float:
    """The probability of so many or more, if the mean is known (Poisson)."""
    return float(special.pdtrc(count - 1, mean)) if count else 1.0
