"""An interval: two limits, the level, the method that made them, and why there are none."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import inf, isnan, nan
from typing import TYPE_CHECKING

from heldout.core.errors import InputError
from heldout.core.notes import Kind, Lack, Note, Noted, as_notes, note_text

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass(frozen=True, slots=True)
class Interval(Noted):
    """Limits of a value.

    Parameters
    ----------
    low, high
        The limits; NaN where no valid interval exists.
    level
        How often such intervals should cover the truth (0.95).
    method
        Words that name the method, with the draws and the seed where chance is in it.
    notes
        What to know about it.
    lack
        Why there is none.
    by
        The name of the method in the table of methods; empty: it is none of these.
    """

    low: float
    high: float
    level: float
    method: str
    notes: tuple[Note, ...] = ()
    lack: Lack | None = None
    by: str = ""

    def __str__(self) -> str:
        return f"[{self.low:.4g}, {self.high:.4g}] at {self.level * 100:.10g}%"

    @property
    def is_absent(self) -> bool:
        """Whether there are no limits."""
        return isnan(self.low) or isnan(self.high)

    @property
    def width(self) -> float:
        """The distance between the limits; NaN where there are none."""
        return self.high - self.low

    @property
    def mirrored(self) -> Interval:
        """The interval of the negative value."""
        return replace(self, low=-self.high, high=-self.low)

    def contains(self, value: float) -> bool:
        """Whether a value lies between the limits or on one of them."""
        return self.low <= value <= self.high

    @property
    def note(self) -> str:
        """Why there is no interval, or what to know about this one; else empty."""
        notes = note_text(self.notes)
        return notes if self.lack is None else "; ".join(filter(None, (str(self.lack), notes)))

    def noted(self, *remarks: str | Note) -> Interval:
        """The same interval with more remarks; what was said before is not said again."""
        fresh = [note for note in as_notes(*remarks) if note not in self.notes]
        return replace(self, notes=(*self.notes, *fresh)) if fresh else self

    def without(self, *kinds: Kind) -> Interval:
        """The same interval without notes of some kinds."""
        return replace(self, notes=tuple(n for n in self.notes if n.kind not in kinds))

    def through(self, function: Callable[[float], float]) -> Interval:
        """The interval of a monotone function of the value: its limits, in order.

        Examples
        --------
        >>> accuracy = Interval(0.75, 1.0, 0.95, "Wilson")
        >>> error = accuracy.through(lambda rate: 1 - rate)
        >>> error.low, error.high
        (0.0, 0.25)
        """
        if self.is_absent:
            return self
        ends = sorted((float(function(self.low)), float(function(self.high))))
        return replace(self, low=ends[0], high=ends[1])

    def within(self, bounds: tuple[float, float] = (-inf, inf)) -> Interval:
        """The interval cut to the measure's range, which says that it was cut.

        Examples
        --------
        >>> Interval(-0.1, 0.4, 0.95, "Wald").within((0, 1)).note
        'lower limit truncated at 0'
        """
        if self.is_absent:
            return self
        least, most = bounds
        cuts = []
        if self.low < least:
            cuts.append(Note(f"{least:g}", Kind.LOW_CUT))
        if self.high > most:
            cuts.append(Note(f"{most:g}", Kind.HIGH_CUT))
        if not cuts:
            return self
        low = float(min(max(self.low, least), most))
        high = float(max(min(self.high, most), least))
        # the last cut of a limit is the one that is seen
        before = self.without(*(cut.kind for cut in cuts)).notes
        return replace(self, low=low, high=high, notes=(*before, *cuts))


def absent(reason: str | Lack, *, level: float, method: str = "") -> Interval:
    """No interval, and why."""
    lack = reason if isinstance(reason, Lack) else Lack(reason)
    return Interval(nan, nan, level, method, lack=lack)


def checked_level(level: float) -> float:
    """The level, or an error where it is not a share strictly between 0 and 1.

    Examples
    --------
    >>> checked_level(0.95)
    0.95
    """
    if not 0 < level < 1:
        raise InputError(f"a level lies between 0 and 1 (0.95), not {level!r}")
    return float(level)
