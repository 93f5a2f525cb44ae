"""How the bands of curves are drawn: kind, level, replicates and seed, checked."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any

from heldout.core.errors import InputError
from heldout.intervals.interval import checked_level
from heldout.measures.choices import chosen

__all__ = ["KINDS", "MOST_REPLICATES", "SPREAD", "drawing_of"]

KINDS = ("pointwise", "simultaneous")
#: how folds differ, which is no confidence band
SPREAD = "spread"
FEWEST_REPLICATES, MOST_REPLICATES = 20, 1_000_000
REPLICATES = 2000


def drawing_of(
    intervals: Any,
    *,
    band: str | None = None,
    is_of_folds: bool = False,
    level: Any = None,
    replicates: Any = None,
    seed: Any = None,
) -> dict[str, Any]:
    """The options of a band, those not given from a scorecard's (None: it has no intervals).

    Examples
    --------
    >>> drawing_of(None, band="Pointwise", level=0.9)
    {'kind': 'pointwise', 'level': 0.9, 'replicates': 2000, 'seed': 1}
    """
    if level is None:
        level = 0.95 if intervals is None else intervals.level
    if seed is None:
        seed = 1 if intervals is None else intervals.seed
    if replicates is None:
        replicates = getattr(intervals, "replicates", None) or REPLICATES
    if isinstance(level, bool) or not isinstance(level, Real):
        raise InputError(f"a level is a number between 0 and 1 (0.95), unlike {level!r}")
    is_whole = isinstance(replicates, Integral) and not isinstance(replicates, bool)
    if not is_whole or not FEWEST_REPLICATES <= replicates <= MOST_REPLICATES:
        most = f"{FEWEST_REPLICATES} to {MOST_REPLICATES:,}"
        raise InputError(f"{replicates!r} replicates: give a whole number from {most}")
    kinds = (*KINDS, SPREAD) if is_of_folds else KINDS
    return {
        "kind": KINDS[0] if band is None else chosen("band", band, *kinds),
        "level": checked_level(float(level)),
        "replicates": int(replicates),
        "seed": seed,
    }
