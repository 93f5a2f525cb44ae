"""The difference of two models by one measure: how large, how sure, and beside a margin."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from heldout.core.notes import Noted
from heldout.core.shown import Shown, p_in_words, visible

if TYPE_CHECKING:
    from heldout.comparison.noise import SeenNoise
    from heldout.comparison.split_tests import Posterior
    from heldout.core.notes import Note
    from heldout.core.significance import Test
    from heldout.uncertainty.interval import Interval

__all__ = ["Difference", "Unit", "as_identical", "margin_verdict"]

#: what is independent
Unit = Literal["rows", "splits", "groups"]
SAME = "the predictions are the same in every row"


@dataclass(frozen=True, slots=True, repr=False)
class Difference(Noted, Shown):
    """First minus second model's value of a measure.

    ``better`` is the model that the estimate favours, by the measure's direction; whether the
    difference is more than noise is for ``test`` and ``interval`` to say.
    """

    measure: str
    first: str
    second: str
    first_value: float
    second_value: float
    interval: Interval
    test: Test
    #: rows, or splits, the difference rests on
    n: int
    unit: Unit = "rows"
    direction: str = "up"
    posterior: Posterior | None = None
    #: the p-value corrected for the number of comparisons made
    corrected: float | None = None
    #: whether the measure's values lie between 0 and 1, so that a hundredth is a point
    is_share: bool = False
    notes: tuple[Note, ...] = ()
    #: the rows it is of, such as ``region=north``; empty: all
    slice: str = ""
    #: what the design could have shown; None where nothing is known of that
    noise: SeenNoise | None = None
    #: whether both models predict the same in every row
    is_identical: bool = False
    #: the test by its name, as ``methods.METHODS`` has it
    test_name: str = ""
    #: whether the design does not admit the test, or the models' rows, and only force did
    is_forced: bool = False

    def __repr__(self) -> str:
        """One line: measure, pair, difference and its interval, the p-value."""
        limits = f" {self.interval}" if not self.interval.is_absent else ""
        text = f"{self.measure}: {self.first} - {self.second} {self.value:.4g}{limits}"
        where = f", {self.slice}" if self.slice else ""
        return visible(f"<{text}, p {p_in_words(self.p_value)}, n = {self.n:,} {self.unit}{where}>")

    @property
    def value(self) -> float:
        """First minus second."""
        return self.first_value - self.second_value

    @property
    def mirrored(self) -> Difference:
        """The same difference seen from the second model."""
        return replace(
            self,
            first=self.second,
            second=self.first,
            first_value=self.second_value,
            second_value=self.first_value,
            interval=replace(self.interval, low=-self.interval.high, high=-self.interval.low),
            test=self.test.mirrored(),
            posterior=None if self.posterior is None else self.posterior.mirrored,
        )

    @property
    def better(self) -> str:
        """The model that the estimate favours; empty where neither, or nobody can say."""
        if self.direction not in {"up", "down"} or not self.value:
            return ""
        return self.first if (self.value > 0) == (self.direction == "up") else self.second

    @property
    def remarks(self) -> str:
        """What is to be known of it, each thing once."""
        lack = () if self.interval.lack is None else (self.interval.lack,)
        remarks = (*self.notes, *lack, *self.interval.notes, *self.test.notes)
        return "; ".join(dict.fromkeys(map(str, remarks)))

    @property
    def p_value(self) -> float:
        """The p-value, corrected where several comparisons were made."""
        return self.test.p_value if self.corrected is None else self.corrected


def as_identical(difference: Difference) -> Difference:
    """The difference of two models whose predictions are the same: no test can reject that.

    Values that are infinite or undefined stay without a test.
    """
    d = difference
    test = d.test if d.value != 0 else replace(d.test, p_value=1.0)
    return replace(d, test=test, is_identical=True)


@dataclass(frozen=True, slots=True)
class MarginVerdict:
    """Which statements about a margin the interval of a difference supports.

    A level of 0.90 is two one-sided tests (TOST) at 5% each, a level of 0.95 at 2.5%.
    """

    first: str
    second: str
    is_equivalent: bool
    first_not_worse: bool
    second_not_worse: bool
    #: why nothing can be said, else empty
    reason: str = ""
    #: what makes them equivalent where no interval does
    same: str = ""

    @property
    def not_worse(self) -> str:
        """The model of which alone it is shown that it is not worse; empty: more, or nothing."""
        if self.reason or self.is_equivalent:
            return ""
        return self.first if self.first_not_worse else self.second if self.second_not_worse else ""

    def words(self, margin: str) -> str:
        """The strongest statement, in words; ``margin`` is its size with its unit."""
        if self.reason:
            return f"nothing is known of a margin of {margin}: {self.reason}"
        if self.is_equivalent:
            return f"equivalent within {margin}" + (f" ({self.same})" if self.same else "")
        if self.not_worse:
            return f"{self.not_worse} is not worse by {margin} or more"
        return f"neither equivalence nor non-inferiority within {margin} is shown"


def margin_verdict(difference: Difference, margin: float) -> MarginVerdict:
    """What the interval of a difference shows: equivalence where it lies within the margin.

    A model is not inferior where the interval rules out that it is worse by the margin; for
    that the measure needs a direction.

    Examples
    --------
    >>> from heldout.comparison.difference import Difference
    >>> from heldout.core.significance import Test
    >>> from heldout.uncertainty.interval import Interval
    >>> found = Difference(
    ...     "auc", "a", "b", 0.82, 0.80, Interval(-0.005, 0.045, 0.9, ""), Test("", 1, 0.2), 9
    ... )
    >>> margin_verdict(found, 0.03).words("3 points")
    'a is not worse by 3 points or more'
    """
    d = difference
    if d.is_identical and d.value == 0:
        return MarginVerdict(d.first, d.second, True, True, True, same=SAME)
    if d.interval.is_absent:
        reason = d.interval.note or "there is no interval"
        return MarginVerdict(d.first, d.second, False, False, False, reason)
    low, high = d.interval.low, d.interval.high
    if d.direction == "down":
        low, high = -high, -low
    has_side = d.direction in {"up", "down"}
    return MarginVerdict(
        d.first,
        d.second,
        -margin < low and high < margin,
        has_side and low > -margin,
        has_side and high < margin,
    )
