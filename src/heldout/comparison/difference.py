"""The difference of two models by one measure: how large, how sure, and beside a margin."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import isnan, nan
from typing import TYPE_CHECKING, Literal, Self

from heldout.assess.results import Result
from heldout.core.notes import Kind
from heldout.core.shown import p_in_words, visible
from heldout.uncertainty.interval import absent

if TYPE_CHECKING:
    from heldout.comparison.posterior import Posterior
    from heldout.comparison.power.noise import Noise
    from heldout.core.significance import Test
    from heldout.uncertainty.interval import Interval

#: what is independent
Unit = Literal["rows", "splits", "groups", "data sets"]
SAME = "the predictions are the same in every row"


@dataclass(frozen=True, repr=False, kw_only=True)
class Difference(Result):
    """First minus second model's value of a measure: a result with a test.

    ``better`` is the model that the estimate favours, by the measure's direction; whether the
    difference is more than noise is for ``test`` and ``interval`` to say. ``n`` counts the rows,
    splits, groups or data sets that it rests on; ``slice`` names the rows it is of, such as
    ``region=north``.
    """

    first: str
    second: str
    test: Test
    unit: Unit = "rows"
    direction: str = "up"
    first_value: float = nan
    second_value: float = nan
    posterior: Posterior | None = None
    #: whether the measure's values lie between 0 and 1, so that a hundredth is a point
    is_share: bool = False
    #: what the design could have shown; None where nothing is known of that
    noise: Noise | None = None
    #: whether both models predict the same in every row
    is_identical: bool = False
    #: whether the design does not admit the test, or the models' rows, and only force did
    is_forced: bool = False
    #: the level of the test; that of the interval is its own
    alpha: float = 0.05
    #: for how many comparisons the p-value is corrected
    comparisons: int = 1
    #: whether the interval holds together with those of all other differences
    is_simultaneous: bool = False
    #: the limits that decide about a margin: those of two one-sided tests at ``alpha``
    margin_interval: Interval | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "model", f"{self.first} minus {self.second}")

    def __repr__(self) -> str:
        """One line: measure, pair, difference and its interval, the p-value."""
        limits = f" {self.interval}" if not self.interval.is_absent else ""
        text = f"{self.measure}: {self.first} - {self.second} {self.value:.4g}{limits}"
        where = f", {self.slice}" if self.slice else ""
        return visible(f"<{text}, p {p_in_words(self.p_value)}, n = {self.n:,} {self.unit}{where}>")

    @property
    def interval(self) -> Interval:
        """The interval; one without limits where there is none, which says why."""
        return super().interval or absent(self.lack, level=nan)

    @property
    def mirrored(self) -> Self:
        """The same difference seen from the second model."""
        limits = self.interval.mirrored
        return replace(
            self,
            first=self.second,
            second=self.first,
            value=-self.value,
            first_value=self.second_value,
            second_value=self.first_value,
            low=None if limits.is_absent else limits.low,
            high=None if limits.is_absent else limits.high,
            margin_interval=self.margin_interval and self.margin_interval.mirrored,
            test=self.test.mirrored(),
            posterior=None if self.posterior is None else self.posterior.mirrored,
        )

    @property
    def lead(self) -> float:
        """How far the first model is ahead: above 0 where the estimate favours it."""
        return {"up": self.value, "down": -self.value}.get(self.direction, 0.0)

    @property
    def better(self) -> str:
        """The model that the estimate favours; empty where neither, or nobody can say."""
        lead = self.lead
        return "" if not lead else self.first if lead > 0 else self.second

    @property
    def worse(self) -> str:
        """The other model; empty where neither is favoured."""
        better = self.better
        return "" if not better else self.second if better == self.first else self.first

    @property
    def remark_lines(self) -> tuple[str, ...]:
        """What is to be known of value, interval and test, each thing once."""
        notes = (*self.notes, *self.test.notes)
        words = (n.words if n.kind is Kind.NO_INTERVAL else str(n) for n in notes)
        return tuple(dict.fromkeys(words))

    @property
    def remarks(self) -> str:
        """The same in one line."""
        return "; ".join(self.remark_lines)

    @property
    def is_significant(self) -> bool:
        """Whether the difference is more than noise, after any correction; not where untested."""
        return bool(self.p_value <= self.alpha)

    @property
    def corrected(self) -> float | None:
        """The p-value corrected for the number of comparisons; None where it is not."""
        return None if isnan(self.test.corrected) else self.test.corrected

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
    """The strongest statement about a margin that the limits of a difference support."""

    is_equivalent: bool = False
    #: the model of which alone it is shown that it is not worse; empty: more, or nothing
    not_worse: str = ""
    #: why nothing can be said, else empty
    reason: str = ""
    #: what makes them equivalent where no interval does
    same: str = ""

    @property
    def is_shown(self) -> bool:
        """Whether equivalence, or non-inferiority of a model, is shown."""
        return self.is_equivalent or bool(self.not_worse)

    def word(self, not_worse: str = "") -> str:
        """The strongest statement in a word or two; the model may be called by another name."""
        if not self.is_shown:
            return "not shown"
        return "equivalent" if self.is_equivalent else f"{not_worse or self.not_worse} not worse"

    def words(self, margin: str) -> str:
        """The strongest statement, in words; ``margin`` is its size with its unit."""
        if self.reason:
            return f"nothing is known about a margin of {margin}: {self.reason}"
        if self.is_equivalent:
            return f"equivalent within {margin}" + (f" ({self.same})" if self.same else "")
        if self.not_worse:
            return f"{self.not_worse} is non-inferior within {margin}"
        return f"neither equivalence nor non-inferiority within {margin} is shown"


def margin_verdict(difference: Difference, margin: float) -> MarginVerdict:
    """What the limits of a difference show: equivalence where they lie within the margin.

    A model is non-inferior where its limit rules out that it is worse by the margin; for that
    the measure needs a direction.

    Notes
    -----
    The limits are those at a level of 1 - 2 alpha. Equivalence is then shown by two one-sided
    tests at alpha (Schuirmann 1987, J. Pharmacokinet. Biopharm. 15:657), and non-inferiority by
    one of them.

    Examples
    --------
    >>> from heldout.comparison.difference import Difference
    >>> from heldout.core.significance import Test
    >>> from heldout.uncertainty.interval import Interval
    >>> test = Test("", 1, 0.2)
    >>> gap = Difference(measure="auc", first="a", second="b", value=0.02, n=9, test=test)
    >>> margin_verdict(gap.bounded(Interval(-0.005, 0.045, 0.9, "")), 0.03).words("3 points")
    'a is non-inferior within 3 points'
    """
    d = difference
    if d.is_identical and d.value == 0:
        return MarginVerdict(is_equivalent=True, same=SAME)
    interval = d.margin_interval or d.interval
    if interval.is_absent:
        return MarginVerdict(reason=interval.note or "there is no interval")
    limits = interval.mirrored if d.direction == "down" else interval
    is_first, is_second = limits.low > -margin, limits.high < margin
    if is_first and is_second:
        return MarginVerdict(is_equivalent=True)
    if d.direction not in {"up", "down"}:
        return MarginVerdict()
    return MarginVerdict(not_worse=d.first if is_first else d.second if is_second else "")
