"""An estimate of how good the chosen setting is, with its interval and the way it was made."""

from __future__ import annotations

from dataclasses import dataclass
from math import isnan, nan

__all__ = ["Estimate"]


@dataclass(frozen=True, slots=True)
class Estimate:
    """A value to expect on new rows, of a kind: bias-corrected, nested, or of a test part."""

    kind: str
    value: float
    low: float = nan
    high: float = nan
    level: float = 0.95
    method: str = ""
    note: str = ""
    #: ``folds``: the mean over splits; ``pooled``: all rows together; empty where neither
    of: str = ""
    #: the two values that it is the difference of, where it is one
    between: tuple[float, ...] = ()

    @classmethod
    def absent(cls, reason: str, level: float = 0.95) -> Estimate:
        """No estimate, with the reason."""
        return cls("", nan, level=level, note=reason)

    @property
    def is_absent(self) -> bool:
        """Whether there is no value."""
        return isnan(self.value)

    @property
    def has_interval(self) -> bool:
        """Whether there are limits."""
        return not isnan(self.low)
