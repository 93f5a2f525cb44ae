"""The noise of a difference: what its design shows of true differences, and what one needs."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, isfinite, sqrt
from typing import TYPE_CHECKING

from heldout.comparison.goal import Goal, least_count
from heldout.comparison.share_power import ShareStudy, share_rows
from heldout.comparison.split_power import no_repeats, repeats_needed, splits_detectable

if TYPE_CHECKING:
    from heldout.comparison.mcnemar import Kind

__all__ = ["MeanNoise", "Noise", "ShareNoise", "SplitNoise", "Study", "mean_noise"]


@dataclass(frozen=True, slots=True)
class Study:
    """What a design shows with a wanted power, and what a wanted difference needs of it."""

    #: the least difference that is shown; infinite where none is
    detectable: float
    #: the least with any number of repeats on the same rows; 0 for rows
    limit: float = 0.0
    #: rows or repeats; None where no number is enough, or nothing was wanted
    needed: int | None = None
    note: str = ""


@dataclass(frozen=True, slots=True)
class ShareNoise:
    """That of McNemar's test: rows, and the share on which just one of the models is right."""

    rows: int
    discordant: int
    kind: Kind = "exact"

    @property
    def error(self) -> float:
        """The standard error of the difference, were there none."""
        return sqrt(self.discordant) / self.rows

    def study(self, goal: Goal, wanted: float | None = None) -> Study:
        """The power of the test that was made, at the discordance that was seen."""
        if not self.discordant:
            note = "the models are right on the same rows: nothing is known of their differences"
            return Study(inf, note=note)
        share = self.discordant / self.rows
        seen = ShareStudy(self.rows, share, goal, self.kind)
        found, note = seen.detectable(), seen.reason
        if wanted is None:
            return Study(found, note=note)
        if wanted > share:
            more = f"a difference of {wanted:g} takes as many discordant rows; here are {share:.3g}"
            note = "; ".join(filter(None, (note, more)))
        needed = share_rows(wanted, max(share, wanted), goal, kind=self.kind)
        return Study(found, 0.0, needed, note)


@dataclass(frozen=True, slots=True)
class MeanNoise:
    """That of a t or z test: the standard error of a mean over rows or groups."""

    count: int
    error: float
    #: degrees of freedom of the error
    freedom: float = inf

    def study(self, goal: Goal, wanted: float | None = None) -> Study:
        """The power of the test; its error falls with the root of the count."""
        found = goal.reach(self.freedom) * self.error
        if wanted is None:
            return Study(found)
        # weights make rows count for less than one
        own = (self.freedom + 1) / self.count
        spread = self.error * sqrt(self.count)

        def shows(count: int) -> bool:
            return goal.reach(max(own * count - 1, 1.0)) * spread / sqrt(count) <= wanted

        return Study(found, 0.0, least_count(shows, start=2))


@dataclass(frozen=True, slots=True)
class SplitNoise:
    """That of the corrected t test: the spread of the splits' differences."""

    splits: int
    folds: int
    spread: float
    #: test rows per training row
    test_share: float

    @property
    def error(self) -> float:
        """The corrected standard error of the mean difference."""
        return self.spread * sqrt(1 / self.splits + self.test_share)

    def study(self, goal: Goal, wanted: float | None = None) -> Study:
        """The power of the test, with the present and with more repeats."""
        repeats = self.splits / self.folds
        shares = {"test_share": self.test_share}
        found = splits_detectable(repeats, self.folds, self.spread, goal, **shares)
        limit = splits_detectable(inf, self.folds, self.spread, goal, **shares)
        if wanted is None:
            return Study(found, limit)
        needed = repeats_needed(wanted, self.folds, self.spread, goal, **shares)
        return Study(found, limit, needed, no_repeats(wanted, limit) if needed is None else "")


Noise = ShareNoise | MeanNoise | SplitNoise


def mean_noise(count: int, error: float, freedom: float = inf) -> MeanNoise | None:
    """The noise of an error; None where there is no error to speak of.

    Examples
    --------
    >>> mean_noise(100, 0.0) is None
    True
    """
    return MeanNoise(count, error, freedom) if isfinite(error) and error > 0 else None
