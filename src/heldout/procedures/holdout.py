"""Holdout: one random cut into training and test rows (and validation rows), or many cuts."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import partial
from math import lcm
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.core.errors import InputError
from heldout.core.portable import Bits
from heldout.core.wording import plural
from heldout.procedures.apportion import apportioned, apportioned_strata, rounded_shares
from heldout.procedures.arranged import Arranged
from heldout.procedures.deal import shuffled_by_stratum
from heldout.procedures.procedure import whole_number
from heldout.procedures.rows import first_rows
from heldout.procedures.splits import Split, splits_on_demand
from heldout.procedures.strata import class_name, group_counts
from heldout.procedures.whole_groups import parts_of_groups

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from heldout.procedures.rows import Rows
    from heldout.procedures.splits import Splits

__all__ = ["Holdout"]

Number = int | float
PARTS = ("training", "validation", "test")
#: parts with a sum in between read like per cent; other ratios (2:1) do not
LIKE_PER_CENT = (50, 200)
#: shares that add to more are rounded: those of rows, and those of groups, which are dealt
LONG_OF_ROWS, LONG_OF_GROUPS = 10**9, 10**7


@dataclass(frozen=True, repr=False)
class Holdout(Arranged):
    """Rows cut by a ratio: train:test, or train:validation:test.

    Examples
    --------
    >>> str(Holdout()), str(Holdout("50:20:30", repeats=100))
    ('holdout 70:30', '100x holdout 50:20:30')
    >>> Holdout((2, 1)).splits(6)[0].test.tolist()
    [0, 3]
    """

    ratio: str | Sequence[Number] = (70, 30)
    repeats: int = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "ratio", _ratio(self.ratio))
        whole_number(self.repeats, "the number of repeats", 1)
        self._refuse_many(self.repeats)

    @property
    def shares(self) -> tuple[int, ...]:
        """The ratio in whole numbers, rounded where rows times shares would leave 64 bits."""
        exact = self._exact()
        scale = lcm(*(part.denominator for part in exact))
        return rounded_shares(tuple(int(part * scale) for part in exact), LONG_OF_ROWS)

    def _exact(self) -> list[Fraction]:
        return [Fraction(str(part)) for part in self.ratio]

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """How many splits there are."""
        return self.repeats

    def _head(self) -> str:
        times = f"{self.repeats}x " if self.repeats > 1 else ""
        return f"{times}holdout {':'.join(map(_plain, self.ratio))}"

    def _made(self, rows: Rows) -> Splits:
        shares = self.shares
        sizes = apportioned(rows.count, shares)
        if (sizes == 0).any():
            empty = _part_names(len(shares))[int(np.argmin(sizes))]
            raise InputError(f"{self}: of {rows.count} rows none is left for the {empty} part")
        groups = self._groups(rows)
        if groups is not None and rows.group_count < len(shares):
            raise InputError(
                f"{self}: {len(shares)} parts need as many groups; there are {rows.group_count}"
            )
        strata = self._strata(rows, len(shares), ())
        notes = (*self._notes(rows), *self._absent(rows, strata, shares, groups is not None))
        if groups is None:
            parts = partial(_parts_of_rows, strata, rows.count, shares)
        else:
            short = rounded_shares(shares, LONG_OF_GROUPS)
            parts = partial(_parts_by_group, group_counts(strata, groups), groups, short)
        made = partial(_split, parts, rows.seed)
        return splits_on_demand((str(self), rows.count, rows.seed, notes), made, self.repeats)

    def _absent(
        self,
        rows: Rows,
        strata: NDArray[np.int64] | None,
        shares: tuple[int, ...],
        is_grouped: bool,
    ) -> tuple[str, ...]:
        """Notes of classes so small that a part may get no row of them."""
        if strata is None or is_grouped or not rows.is_classification:
            return ()
        first, least = first_rows(strata), min(shares)
        part = _part_names(len(shares))[shares.index(least)]
        return tuple(
            f"{self}: class {class_name(rows, int(first[code]))} ({plural(count, 'row')}) is too "
            f"small to be in the {part} part for certain"
            for code, count in enumerate(np.bincount(strata).tolist())
            if count * least < sum(shares)
        )


def _part_names(count: int) -> tuple[str, ...]:
    return PARTS if count == 3 else (PARTS[0], PARTS[2])


def _split(parts: Any, seed: int, index: int) -> Split:
    part = parts(Bits(seed, "holdout", index + 1))
    last = int(part.max())
    validation = np.flatnonzero(part == 1) if last == 2 else None
    return Split(index + 1, 1, np.flatnonzero(part == 0), np.flatnonzero(part == last), validation)


def _parts_of_rows(
    strata: NDArray[np.int64] | None, n: int, shares: tuple[int, ...], bits: Bits
) -> NDArray[np.int32]:
    order, sizes = shuffled_by_stratum(n, strata, bits)
    table = apportioned_strata(sizes, shares, bits)
    part = np.empty(n, np.int32)
    part[order] = np.repeat(
        np.tile(np.arange(len(shares), dtype=np.int32), len(sizes)), table.ravel()
    )
    return part


def _parts_by_group(
    counts: NDArray[np.int64], groups: NDArray[np.int64], shares: tuple[int, ...], bits: Bits
) -> NDArray[np.int32]:
    return parts_of_groups(counts, shares, bits, leaves_chance=True)[groups]


def _ratio(given: Any) -> tuple[Number, ...]:
    """A ratio as plain numbers, or an error that says how it is written."""
    wrong = f"a ratio is written train:test or train:validation:test, such as 70:30, not {given!r}"
    values = given.split(":") if isinstance(given, str) else given
    try:
        exact = [Fraction(str(value).strip()) for value in values]
        floats = [float(value) for value in exact]
    except (TypeError, ValueError, ArithmeticError):
        raise InputError(wrong) from None
    if len(exact) not in (2, 3) or min(floats) <= 0:
        raise InputError(wrong)
    total = sum(exact, Fraction(0))
    if LIKE_PER_CENT[0] <= total <= LIKE_PER_CENT[1] and abs(total - 100) > 1:
        shares = ":".join(f"{float(100 * part / total):.3g}" for part in exact)
        raise InputError(
            f"ratio {given!r}: the parts add up to {float(total):g}, not to 100; write per cent, "
            f"or {shares} for this ratio"
        )
    pairs = zip(exact, floats, strict=True)
    return tuple(int(v) if v.denominator == 1 else number for v, number in pairs)


def _plain(number: str | Number) -> str:
    """A number without an exponent, as those who read the text of a procedure expect it.

    Examples
    --------
    >>> _plain(1e-07), _plain(66.7), _plain(70)
    ('0.0000001', '66.7', '70')
    """
    return f"{Decimal(repr(number)):f}"
