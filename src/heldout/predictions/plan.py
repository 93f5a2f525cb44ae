"""What the text of a procedure says of its splits, read once: their kind, how many, how large.

The text comes from a procedure of heldout, from the name of somebody's splitter, or from a column
of a table made elsewhere. Nothing else reads it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from heldout.core.notes import Lack, Reason

#: train:test, or train:validation:test
HOLDOUT = re.compile(r"holdout (?P<train>[\d.]+):(?:[\d.]+:)*(?P<test>[\d.]+)")
FOLDS = re.compile(r"(?:(?P<repeats>\d+)x)?(?P<folds>\d+)-fold\b")
HOLDOUTS = re.compile(r"(?P<repeats>\d+)x holdout\b")
SAMPLES = re.compile(r"(?:bootstrap|\.632\+?) (?P<repeats>\d+)\b")
LEAVE_SOME_OUT = re.compile(r"leave-(\d+)-out\b")
#: the estimate that a bootstrap is run for, by the first word of its text
ESTIMATES = {"bootstrap": "out-of-bag", ".632": ".632", ".632+": ".632+"}


#: why no interval, band or test is known to be valid after a kind of procedure: the only such table
WORDS = {
    Reason.IN_TIME: "rows in time order depend on each other",
    Reason.RESAMPLED: "training parts are bootstrap samples, which share rows",
    Reason.OVERLAPPING: "test parts of leave-p-out overlap",
}
NONE_VALID = ": no interval or test is known to be valid"


@dataclass(frozen=True, slots=True)
class Plan:
    """What is known of the splits of a procedure by its text alone.

    Parameters
    ----------
    text
        The procedure; empty for predictions made elsewhere.
    reason
        How its test rows depend on each other, where that rules out what holds elsewhere.
    folds, repeats
        How many folds a repeat has, and how many repeats, samples or holdouts there are to be;
        0: nothing says.
    test_share
        Rows tested per row trained on, of a holdout.
    estimate
        What a bootstrap is run for: ``out-of-bag``, ``.632``, ``.632+``; else empty.
    """

    text: str
    reason: Reason | None = None
    folds: int = 0
    repeats: int = 0
    test_share: float | None = None
    estimate: str = ""

    @property
    def is_in_time(self) -> bool:
        """Whether training rows come before test rows."""
        return self.reason is Reason.IN_TIME

    @property
    def is_bootstrap(self) -> bool:
        """Whether training parts are samples with replacement."""
        return self.reason is Reason.RESAMPLED

    @property
    def is_632(self) -> bool:
        """Whether its estimate takes the model of all rows as well: ``.632`` and ``.632+``."""
        return self.estimate in (".632", ".632+")

    @property
    def is_leave_some_out(self) -> bool:
        """Whether every choice of two or more rows is tested: leave-2-out."""
        return self.reason is Reason.OVERLAPPING

    @property
    def lack(self) -> Lack | None:
        """Why no interval, band or test is known to be valid after it; None where one may be.

        Examples
        --------
        >>> plan_of("10-fold").lack
        >>> str(plan_of("leave-2-out").lack)
        'test parts of leave-p-out overlap: no interval or test is known to be valid'
        """
        return None if self.reason is None else Lack(WORDS[self.reason] + NONE_VALID, self.reason)


@lru_cache(maxsize=256)
def plan_of(text: str) -> Plan:
    """What the text of a procedure says.

    Examples
    --------
    >>> plan_of("5x10-fold stratified").folds, plan_of("20x holdout 70:30").repeats
    (10, 20)
    >>> plan_of(".632+ 50").estimate, plan_of("TimeSeriesSplit(n_splits=5)").is_in_time
    ('.632+', True)
    """
    ratio = HOLDOUT.search(text)
    share = float(ratio["test"]) / float(ratio["train"]) if ratio else None
    if text.startswith("time") or "TimeSeriesSplit(" in text:
        return Plan(text, Reason.IN_TIME, test_share=share)
    if text.startswith(("bootstrap", ".632")):
        counted = SAMPLES.match(text)
        repeats = int(counted["repeats"]) if counted else 0
        estimate = ESTIMATES.get(text.partition(" ")[0], "")
        return Plan(text, Reason.RESAMPLED, 0, repeats, share, estimate)
    if (left_out := LEAVE_SOME_OUT.match(text)) and int(left_out[1]) > 1:
        return Plan(text, Reason.OVERLAPPING, test_share=share)
    if folds := FOLDS.match(text):
        return Plan(text, None, int(folds["folds"]), int(folds["repeats"] or 1), share)
    holdouts = HOLDOUTS.match(text)
    return Plan(text, None, 0, int(holdouts["repeats"]) if holdouts else 0, share)
