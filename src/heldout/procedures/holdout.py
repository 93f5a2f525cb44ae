"""Holdout: one random cut into training and test rows (and validation rows), or many cuts."""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from functools import partial
from itertools import pairwise
from math import lcm
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.core.errors import InputError
from heldout.core.portable import Bits
from heldout.core.wording import plural
from heldout.procedures.arranged import Arranged
from heldout.procedures.deal import parts_of_groups, shuffled_by_stratum
from heldout.procedures.procedure import TIMES, whole
from heldout.procedures.rows import class_name, first_rows, group_counts
from heldout.procedures.splits import Split, splits_on_demand

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from heldout.core.arrays import Booleans, Integers
    from heldout.procedures.rows import Rows
    from heldout.procedures.splits import Splits


def rounded_shares(shares: tuple[int, ...], most: int) -> tuple[int, ...]:
    """Shares as they are, or in the same ratio adding to about ``most`` where they add to more.

    Examples
    --------
    >>> rounded_shares((70, 30), 100), rounded_shares((3333333333333333, 6666666666666667), 1000)
    ((70, 30), (333, 667))
    """
    whole = sum(shares)
    if whole <= most:
        return shares
    return tuple(max(round(Fraction(share * most, whole)), 1) for share in shares)


def apportioned(total: int, shares: tuple[int, ...]) -> Integers:
    """A total in parts by shares; what is left over goes to the largest remainders.

    Examples
    --------
    >>> apportioned(10, (50, 20, 30)).tolist(), apportioned(8, (2, 1)).tolist()
    ([5, 2, 3], [5, 3])
    """
    exact = [total * share for share in shares]
    whole = sum(shares)
    parts = np.array([value // whole for value in exact], np.int64)
    left = total - int(parts.sum())
    order = sorted(range(len(shares)), key=lambda part: -(exact[part] % whole))
    parts[order[:left]] += 1
    return parts


def apportioned_strata(sizes: Integers, shares: tuple[int, ...], bits: Bits) -> Integers:
    """Strata (rows) in parts (columns): each is within one of its share, and so is each part.

    Every stratum is apportioned by itself; then rows move between the parts of a stratum,
    where the remainders suffer least, until all parts have the size they have without strata.
    Equal remainders are decided at random.
    """
    whole = sum(shares)
    exact = sizes[:, None] * np.array(shares, np.int64)
    floors, remainders = exact // whole, exact % whole
    is_up = np.zeros(exact.shape, bool)
    ties = bits.words(exact.size).reshape(exact.shape)
    ups = sizes - floors.sum(axis=1)
    for stratum, left in enumerate(ups):
        order = np.lexsort((ties[stratum], -remainders[stratum]))
        is_up[stratum, order[:left]] = True
    wanted = apportioned(int(sizes.sum()), shares) - floors.sum(axis=0)
    while (excess := is_up.sum(axis=0) - wanted).any():
        _move_up(is_up, remainders, ties, excess)
    return floors + is_up


def _move_up(
    is_up: Booleans, remainders: Integers, ties: NDArray[np.uint64], excess: Integers
) -> None:
    """One row from a part with too many to one with too few, by a third where need be."""
    source, target = int(np.argmax(excess)), int(np.argmin(excess))
    others = [part for part in range(len(excess)) if part not in (source, target)]
    for path in ((source, target), *((source, other, target) for other in others)):
        steps = list(pairwise(path))
        strata = [_cheapest(is_up, remainders, ties, step) for step in steps]
        if None not in strata:
            for stratum, (giver, taker) in zip(strata, steps, strict=True):
                is_up[stratum, giver], is_up[stratum, taker] = False, True
            return
    raise AssertionError("strata can always be rounded to the totals of their parts")


def _cheapest(
    is_up: Booleans, remainders: Integers, ties: NDArray[np.uint64], step: tuple[int, int]
) -> int | None:
    """The stratum that gives up a row of one part for the other at the least cost."""
    giver, taker = step
    able = np.flatnonzero(is_up[:, giver] & ~is_up[:, taker] & (remainders[:, taker] > 0))
    if not len(able):
        return None
    cost = remainders[able, giver] - remainders[able, taker]
    return int(able[np.lexsort((ties[able, giver], cost))[0]])


#: a ratio as it is written, with points or without
NUMBER = r"\d+(?:\.\d+)?(?:e[-+]?\d{1,3})?"
RATIO = rf"{NUMBER}(?: ?[:/] ?{NUMBER}){{1,2}}"
Number = int | float
PARTS = ("training", "validation", "test")
#: parts with a sum in between read like per cent; other ratios (2:1) do not
LIKE_PER_CENT = (50, 200)
#: shares that add to more are rounded: those of rows, and those of groups, which are dealt
LONG_OF_ROWS, LONG_OF_GROUPS = 10**9, 10**7


@dataclass(frozen=True, repr=False)
class Holdout(Arranged):
    """Holdout: training and test rows, or training, validation and test rows, in a ratio.

    Parameters
    ----------
    ratio
        ``(70, 30)``, ``"70:30"``, or three parts: ``"50:20:30"``.
    repeats
        Number of holdouts, each drawn anew.
    grouped
        Whether groups are kept whole; None: if groups are given.
    stratify
        Whether classes are spread evenly: True, False, or ``"loosely"`` (classes with too few
        rows are allowed); None: in classification, if possible.
    bins
        Stratify a regression target by so many bins of equal size.
    random_state
        The seed; None: that of the evaluation.

    Examples
    --------
    >>> str(Holdout()), str(Holdout("50:20:30", repeats=100))
    ('holdout 70:30', '100x holdout 50:20:30')
    >>> Holdout((2, 1)).splits(6)[0].test.tolist()
    [0, 3]
    """

    written = (
        rf"{TIMES}(?:holdout|hold-out|train[-/]test)(?: (?P<ratio>{RATIO}))?",
        rf"{TIMES}(?P<ratio>{NUMBER}(?::{NUMBER}){{1,2}})(?: holdout)?",
    )

    ratio: str | Sequence[Number] = (70, 30)
    repeats: int = field(default=1, metadata=whole("the number of repeats", 1))

    def __post_init__(self) -> None:
        object.__setattr__(self, "ratio", _ratio(self.ratio))
        super().__post_init__()

    @classmethod
    def _values(cls, given: str, found: Mapping[str, str]) -> dict[str, Any]:
        values = super()._values(given, {"repeats": found.get("repeats", "")})
        if ratio := found.get("ratio"):
            if unclear := two_meanings(given, ratio):
                raise InputError(unclear)
            values["ratio"] = ratio.replace(" ", "").replace("/", ":")
        return values

    @property
    def shares(self) -> tuple[int, ...]:
        """The ratio in whole numbers, rounded where rows times shares would leave 64 bits."""
        exact = self._exact()
        scale = lcm(*(part.denominator for part in exact))
        return rounded_shares(tuple(int(part * scale) for part in exact), LONG_OF_ROWS)

    def _exact(self) -> list[Fraction]:
        return [Fraction(str(part)) for part in self.ratio]

    @property
    def split_count(self) -> int:
        """How many splits there are."""
        return self.repeats

    def _head(self) -> str:
        times = f"{self.repeats}x " if self.repeats > 1 else ""
        return f"{times}holdout {':'.join(map(_plain, self.ratio))}"

    def _splits_of(self, rows: Rows) -> Splits:
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
        about = self._about(rows, *self._absent(rows, strata, shares, groups is not None))
        if groups is None:
            parts = partial(_parts_of_rows, strata, rows.count, shares)
        else:
            short = rounded_shares(shares, LONG_OF_GROUPS)
            parts = partial(_parts_by_group, group_counts(strata, groups), groups, short)
        make = partial(_split, parts, rows.seed)
        return splits_on_demand(about, make, self.repeats)

    def _absent(
        self, rows: Rows, strata: Integers | None, shares: tuple[int, ...], is_grouped: bool
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


def two_meanings(given: str, ratio: str) -> str:
    """What to say of a ratio with a slash that is rather a share, such as 2/3; else nothing.

    Examples
    --------
    >>> two_meanings("holdout 2/3", "2/3")
    "procedure 'holdout 2/3': is 2/3 a share or a ratio? To train on that share of the rows, \
write holdout 2:1; for the ratio, holdout 2:3"
    >>> two_meanings("holdout 70/30", "70/30"), two_meanings("holdout 30/70", "30/70")
    ('', '')
    """
    parts = ratio.replace(" ", "").split("/")
    if len(parts) != 2 or ":" in ratio:
        return ""
    first, second = map(float, parts)
    # parts that add up to 1 or 100 are what they look like
    if first >= second or first <= 0 or round(first + second, 9) in (1, 100):
        return ""
    share = f"{parts[0]}:{second - first:g}"
    return (
        f"procedure {given!r}: is {'/'.join(parts)} a share or a ratio? To train on that share of "
        f"the rows, write holdout {share}; for the ratio, holdout {':'.join(parts)}"
    )


def _part_names(count: int) -> tuple[str, ...]:
    return PARTS if count == 3 else (PARTS[0], PARTS[2])


def _split(parts: Any, seed: int, index: int) -> Split:
    part = parts(Bits(seed, "holdout", index + 1))
    last = int(part.max())
    validation = np.flatnonzero(part == 1) if last == 2 else None
    return Split(index + 1, 1, np.flatnonzero(part == 0), np.flatnonzero(part == last), validation)


def _parts_of_rows(
    strata: Integers | None, n: int, shares: tuple[int, ...], bits: Bits
) -> NDArray[np.int32]:
    order, sizes = shuffled_by_stratum(n, strata, bits)
    table = apportioned_strata(sizes, shares, bits)
    part = np.empty(n, np.int32)
    part[order] = np.repeat(
        np.tile(np.arange(len(shares), dtype=np.int32), len(sizes)), table.ravel()
    )
    return part


def _parts_by_group(
    counts: Integers, groups: Integers, shares: tuple[int, ...], bits: Bits
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
