"""How a comparison is made: level, direction, test, resampling."""

from __future__ import annotations

from dataclasses import dataclass

from karat.comparison.evidence import checked_alternative
from karat.core.errors import InputError
from karat.intervals.interval import checked_level

__all__ = ["CompareOptions"]


@dataclass(frozen=True, slots=True)
class CompareOptions:
    """The options of a comparison, checked when made.

    ``test`` is empty where the design and the measure choose it. ``rope`` and ``margin`` are
    sizes of differences that do not matter, in units of the measure.
    """

    level: float = 0.95
    alternative: str = "two-sided"
    test: str = ""
    force: bool = False
    interval: str = "newcombe"
    replicates: int = 2000
    permutations: int = 10_000
    seed: int = 1
    rope: float | None = None
    margin: float | None = None
    correction: str = "holm"

    def __post_init__(self) -> None:
        checked_level(self.level)
        checked_alternative(self.alternative)
        if self.interval not in {"newcombe", "tango"}:
            raise InputError(
                f"the interval of a paired share is newcombe or tango, not {self.interval!r}"
            )
        if self.correction not in {"holm", "none"}:
            raise InputError(f"the correction is holm or none, not {self.correction!r}")
        for name in ("replicates", "permutations"):
            if getattr(self, name) < 100:
                raise InputError(f"{name} are at least 100, not {getattr(self, name)!r}")
        for name in ("rope", "margin"):
            value = getattr(self, name)
            if value is not None and not value > 0:
                raise InputError(f"{name} is a size above 0, not {value!r}")
