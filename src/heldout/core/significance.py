"""The result of a significance test, and the correction of p-values for their number."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import isnan, nan
from typing import TYPE_CHECKING, Literal

from heldout.core.notes import Lack, Noted, as_notes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from heldout.core.arrays import Array
    from heldout.core.notes import Note

#: greater: the first value is greater than the second
Alternative = Literal["two-sided", "greater", "less"]
#: the same alternative when first and second are exchanged
TURNED: dict[Alternative, Alternative] = {
    "two-sided": "two-sided",
    "greater": "less",
    "less": "greater",
}


@dataclass(frozen=True, slots=True)
class Test(Noted):
    """A test of the hypothesis that a difference is zero.

    The fields are those of R's ``htest``, so that one record serves the difference of two
    models, a slice against the other rows, and a value against chance.

    Parameters
    ----------
    method
        The test by name, with draws and seed where it is random.
    statistic
        The test statistic; positive where the first value is greater.
    p_value
        The p-value; NaN where there is no test, and ``notes`` say why.
    alternative
        Which differences count as evidence.
    degrees
        Degrees of freedom, where the reference distribution has any.
    notes
        What to know about this result, such as why there is none.
    is_signed
        Whether the statistic changes its sign when first and second are exchanged.
    error
        The standard error of the difference, where the test has one.
    estimate
        The difference that is tested, where the result that carries this test is not itself
        that difference (a slice has a value, and differs from the other rows).
    corrected
        The p-value after correction for the number of tests; NaN where none was made.
    name
        How the test is asked for, or looked up in a table of tests.
    null
        What the value would be if there were nothing to find, where that is not 0.
    total
        What the statistics of both orders of first and second add up to: 0 but for rank sums.

    Examples
    --------
    >>> test = Test("paired t", 2.4, 0.021, degrees=(29.0,))
    >>> test.is_given, test.mirrored().statistic
    (True, -2.4)
    """

    method: str
    statistic: float
    p_value: float
    alternative: Alternative = "two-sided"
    degrees: tuple[float, ...] = ()
    notes: tuple[Note, ...] = ()
    is_signed: bool = True
    error: float = nan
    estimate: float = nan
    corrected: float = nan
    name: str = ""
    null: float = nan
    total: float = 0.0

    # a class of this name is not for pytest to collect
    __test__ = False

    @property
    def is_given(self) -> bool:
        """Whether there is a p-value."""
        return not isnan(self.p_value)

    def noted(self, *remarks: str | Note) -> Test:
        """The same with more notes."""
        notes = as_notes(*remarks)
        return replace(self, notes=(*self.notes, *notes)) if notes else self

    def mirrored(self) -> Test:
        """The same test with first and second exchanged."""
        sign = -1.0 if self.is_signed else 1.0
        return replace(
            self,
            statistic=self.total + sign * self.statistic,
            alternative=TURNED[self.alternative],
            estimate=-self.estimate,
        )


def no_test(reason: str | Note | Lack, *, method: str = "", estimate: float = nan) -> Test:
    """No test, and why.

    Examples
    --------
    >>> no_test("no rows on one side").note
    'no rows on one side'
    """
    notes = as_notes(str(reason) if isinstance(reason, Lack) else reason)
    return Test(method, nan, nan, notes=notes, estimate=estimate)


def holm(p_values: Sequence[float] | Array) -> Array:
    """The p-values corrected so that the chance of any false alarm stays at the level.

    NaN is no test: it stays, and does not count. Holm (1979), Scand. J. Stat. 6:65.

    Examples
    --------
    >>> holm([0.01, 0.04, 0.03])
    array([0.03, 0.06, 0.06])
    """
    # the options of a comparison are declared beside tests, and help needs no NumPy
    import numpy as np

    given = np.asarray(p_values, float)
    order = np.argsort(given)[: int(np.count_nonzero(~np.isnan(given)))]
    corrected = given.copy()
    steps = given[order] * np.arange(len(order), 0, -1)
    corrected[order] = np.minimum(np.maximum.accumulate(steps), 1.0)
    return corrected


def correction_title(name: str) -> str:
    """A correction of p-values as its authors are named.

    Examples
    --------
    >>> correction_title("bergmann_hommel"), correction_title("holm")
    ('Bergmann-Hommel', 'Holm')
    """
    return name.replace("_", "-").title()
