"""The bootstrap: train on rows drawn with repetition, test on the rows that were not drawn."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.core.errors import InputError
from heldout.core.portable import Bits
from heldout.procedures.arranged import Arranged, offered
from heldout.procedures.procedure import whole
from heldout.procedures.rows import codes_in_order, group_counts
from heldout.procedures.splits import ListedSplits, Split, splits_on_demand

if TYPE_CHECKING:
    from collections.abc import Mapping

    from heldout.core.arrays import Integers
    from heldout.procedures.rows import Rows
    from heldout.procedures.splits import About, Splits

ESTIMATORS = ("oob", ".632", ".632+")

#: with more rows (or groups) than this, a sample that holds them all will not be met
TINY = 64
#: samples without a row to test are drawn again so often
TRIES = 1000


@dataclass(frozen=True, repr=False)
class Bootstrap(Arranged):
    """Bootstrap samples as large as the data, each tested on its out-of-bag rows.

    Parameters
    ----------
    samples
        Number of bootstrap samples.
    estimator
        ``"oob"``, or ``".632"`` and ``".632+"``, which weight the out-of-bag error against the
        training error and therefore also need the latter.
    grouped
        Whether whole groups are drawn; None: if groups are given.
    stratify
        Whether classes are spread evenly: True, False, or ``"loosely"`` (classes with too few
        rows are allowed); None: in classification, if possible.
    bins
        Stratify a regression target by so many bins of equal size.
    random_state
        The seed; None: that of the evaluation.

    Examples
    --------
    >>> str(Bootstrap(200)), str(Bootstrap(50, ".632+"))
    ('bootstrap 200', '.632+ 50')
    >>> sample = Bootstrap(1).splits(5)[0]
    >>> sample.train.tolist(), sample.test.tolist()
    ([0, 0, 0, 1, 3], [2, 4])
    """

    written = (
        r"(?:bootstrap|oob|out-of-bag)(?: ?(?P<samples>\d+))?",
        r"0?\.(?P<estimator>632\+?)(?: bootstrap)?(?: (?P<samples>\d+))?",
        r"bootstrap 0?\.(?P<estimator>632\+?)(?: (?P<samples>\d+))?",
    )

    samples: int = field(default=200, metadata=whole("the number of bootstrap samples", 1))
    estimator: str = "oob"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.estimator not in ESTIMATORS:
            raise InputError(f"estimator is oob, .632 or .632+, not {self.estimator!r}")

    @classmethod
    def _values(cls, given: str, found: Mapping[str, str]) -> dict[str, Any]:
        values = super()._values(given, {"samples": found.get("samples", "")})
        return values | ({"estimator": f".{found['estimator']}"} if "estimator" in found else {})

    @property
    def split_count(self) -> int:
        """How many samples there are."""
        return self.samples

    def _head(self) -> str:
        return f"{'bootstrap' if self.estimator == 'oob' else self.estimator} {self.samples}"

    def _splits_of(self, rows: Rows) -> Splits:
        units, count, unit = self._units(rows)
        strata = self._strata(rows, 2, ())
        if strata is not None and unit == "group":
            strata = codes_in_order(np.argmax(group_counts(strata, units), axis=1))
        strata = np.zeros(count, np.int64) if strata is None else strata
        if len(np.unique(strata)) == count:
            plain = () if self.stratify is False else ((replace(self, stratify=False), "{}"),)
            none_left = f"{self}: every sample would hold all rows, and leave none to test"
            raise InputError(none_left + offered(rows, *plain))
        order, sizes = np.argsort(strata, kind="stable"), np.bincount(strata)
        about = self._about(rows)
        if single := int((sizes == 1).sum()):
            what = "1 class has" if single == 1 else f"{single} classes have"
            note = f"{self}: {what} one {unit} only, which every sample holds and none tests"
            about = self._about(rows, note)
        if count <= TINY:
            return self._tiny(about, order, sizes, units)
        return splits_on_demand(
            about, partial(_split, order, sizes, units, rows.seed), self.samples
        )

    def _tiny(
        self, about: About, order: Integers, sizes: Integers, units: Integers
    ) -> ListedSplits:
        """The samples of so few rows that some may hold them all: those are drawn again."""
        procedure, n, seed, notes = about
        listed, again = [], 0
        for index in range(self.samples):
            drawn_units, tries = _sample(order, sizes, Bits(seed, "bootstrap", index + 1))
            listed.append(_split_of(drawn_units, units, index))
            again += tries > 0
        if again:
            notes += (f"{again} of {self.samples} samples held every row and were drawn again",)
        return ListedSplits(procedure, n, seed, notes, tuple(listed))


def _split(order: Integers, sizes: Integers, units: Integers, seed: int, index: int) -> Split:
    return _split_of(_sample(order, sizes, Bits(seed, "bootstrap", index + 1))[0], units, index)


def _sample(order: Integers, sizes: Integers, bits: Bits) -> tuple[Integers, int]:
    """How often each row (or group) is drawn, stratum by stratum; and how often in vain."""
    for tries in range(TRIES):
        drawn = np.zeros(len(order), np.int64)
        start = 0
        for size in sizes.tolist():
            members = order[start : start + size]
            drawn[members] = np.bincount(bits.draws(size, size), minlength=size)
            start += size
        if (drawn == 0).any():
            return drawn, tries
    raise AssertionError("no sample leaves a row to test")


def _split_of(drawn: Integers, units: Integers, index: int) -> Split:
    times = drawn[units]
    train = np.repeat(np.arange(len(units)), times)
    return Split(index + 1, 1, train, np.flatnonzero(times == 0))
