"""The table of interval methods: for what each holds, where it was published, what makes it.

A value to be bounded is a *case* (``case.py``). Of the methods that hold for a case the one that
was asked for is taken, else the first. To add a method: a function of a case
(``case_intervals.py``), and an entry.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from heldout.uncertainty.case import Case, Form, Source, Unit
from heldout.uncertainty.case_intervals import (
    area_limits,
    delta_limits,
    fold_area_limits,
    gap_limits,
    group_value_limits,
    hall_limits,
    has_joint_moments,
    has_spread,
    influence_limits,
    largest_gap_limits,
    newcombe_limits,
    sandwich_limits,
    share_limits,
    student_limits,
)
from heldout.uncertainty.cross_validation import mean_of_limits, split_interval
from heldout.uncertainty.interval import Interval, absent
from heldout.uncertainty.proportions import TITLES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


EVERY_UNIT = frozenset(Unit)


@dataclass(frozen=True, slots=True)
class Method:
    """A way to make an interval.

    Parameters
    ----------
    name
        How it is asked for; names in parentheses cannot be.
    title, reference, assumes
        Its name in words, where it was published (or that it is heldout's own), and what must
        hold for it to cover at its level.
    forms, units, holds
        The cases that it is valid for.
    interval
        Makes the interval of a case.
    is_quick
        Whether it costs next to nothing whatever the number of rows.
    """

    name: str
    title: str
    reference: str
    assumes: str
    forms: frozenset[Form]
    interval: Callable[[Case], Interval]
    units: frozenset[Unit] = EVERY_UNIT
    holds: Callable[[Case], bool] = lambda _: True
    is_quick: bool = False

    def is_admissible(self, case: Case) -> bool:
        """Whether it is valid for a case of one of its forms."""
        return case.unit in self.units and self.holds(case)

    def limits(self, case: Case) -> Interval:
        """The interval of a case, which says by which method it was made."""
        interval = self.interval(case)
        return interval if interval.by else replace(interval, by=self.name)


def admissible(case: Case) -> Iterator[Method]:
    """The methods that are valid for a case, the default first."""
    return (method for method in OF_FORM[case.form] if method.is_admissible(case))


def chosen(case: Case) -> Method:
    """The method that was asked for, where it is valid; else the first that is."""
    wanted = case.options.method
    named = (m for m in OF_FORM[case.form] if m.name == wanted and m.is_admissible(case))
    return (next(named, None) if wanted else None) or next(admissible(case))


def interval_of(case: Case) -> Interval:
    """The interval of a case by the method that is chosen for it, or why it has none."""
    if case.lack:
        return absent(case.lack, level=case.options.level)
    return chosen(case).limits(case)


OURS = "heldout's own, see docs/coverage.md"
OF_SHARES = "Newcombe (1998), Stat. Med. 17:857"
REFERENCES_OF_SHARES = {
    "wilson": "Wilson (1927), J. Am. Stat. Assoc. 22:209",
    "clopper_pearson": "Clopper and Pearson (1934), Biometrika 26:404",
    "jeffreys": "Brown, Cai and DasGupta (2001), Stat. Sci. 16:101",
    "agresti_coull": "Agresti and Coull (1998), Am. Stat. 52:119",
}
BOOTSTRAP = "Efron and Tibshirani (1993), An Introduction to the Bootstrap, chapter 13"
#: ``{units}``: rows or groups
INDEPENDENT = "{units} are independent draws from the population of interest"
UNSOUND = f"{INDEPENDENT}, are many, and the share is not near 0 or 1"
MANY = f"{INDEPENDENT}, and so many that the value is nearly normal"
PLAIN = frozenset({Unit.ROWS, Unit.WEIGHTED})
RESAMPLED = frozenset(Form) - {
    Form.GAPS,
    Form.LARGEST_GAP,
    Form.FOLD_AREAS,
    Form.SPLITS,
    Form.REPEATS,
}
#: too narrow near 0 and 1
WALD = ("wald", "wald_cc")
CORRECTED = "(corrected t)"

METHODS: tuple[Method, ...] = (
    *(
        Method(
            name,
            title,
            REFERENCES_OF_SHARES.get(name, OF_SHARES),
            UNSOUND if name in WALD else INDEPENDENT,
            frozenset({Form.SHARE}),
            partial(share_limits, name),
            is_quick=True,
        )
        for name, title in TITLES.items()
    ),
    Method(
        "(skewed t)",
        "Student's t without skewness",
        "Hall (1992), J. R. Stat. Soc. B 54:221",
        f"{INDEPENDENT}, and no few of them dominate the mean",
        frozenset({Form.MEAN}),
        hall_limits,
        units=frozenset({Unit.ROWS}),
        holds=lambda case: case.parts.losses is not None,
        is_quick=True,
    ),
    Method(
        "(t)",
        "Student's t",
        "Student (1908), Biometrika 6:1; of groups Bell and McCaffrey (2002), Surv. Methodol. "
        "28:169",
        MANY,
        frozenset({Form.MEAN}),
        student_limits,
        is_quick=True,
    ),
    Method(
        "delong",
        "DeLong on the logit scale, Student's t",
        "DeLong, DeLong and Clarke-Pearson (1988), Biometrics 44:837",
        f"{INDEPENDENT}, with several rows of each class",
        frozenset({Form.AREA}),
        partial(area_limits, "logit"),
        units=PLAIN,
        is_quick=True,
    ),
    Method(
        "delong",
        "bootstrap percentile of whole groups, no narrower than DeLong of their rows",
        f"{BOOTSTRAP}; DeLong, DeLong and Clarke-Pearson (1988), Biometrics 44:837",
        MANY,
        frozenset({Form.AREA}),
        partial(area_limits, "logit"),
        units=frozenset({Unit.GROUPS}),
        is_quick=True,
    ),
    Method(
        "delong_plain",
        "DeLong",
        "DeLong, DeLong and Clarke-Pearson (1988), Biometrics 44:837",
        f"{INDEPENDENT}, with many rows of each class and an area not near 1",
        frozenset({Form.AREA}),
        partial(area_limits, "plain"),
        is_quick=True,
    ),
    Method(
        "newcombe",
        "Newcombe",
        "Newcombe (2006), Stat. Med. 25:559, method 5",
        f"{INDEPENDENT}, with scores of a class that are nearly exponential",
        frozenset({Form.AREA}),
        newcombe_limits,
        is_quick=True,
    ),
    Method(
        "(sandwich)",
        "Wald, sandwich error",
        "White (1982), Econometrica 50:1; of groups Liang and Zeger (1986), Biometrika 73:13",
        MANY,
        frozenset({Form.FIT}),
        sandwich_limits,
        is_quick=True,
    ),
    Method(
        "(influence)",
        "Student's t of influences",
        "Deville (1999), Surv. Methodol. 25:193; Bell and McCaffrey (2002), Surv. Methodol. 28:169",
        f"{INDEPENDENT}, and no few of them dominate the variance",
        frozenset({Form.PRODUCTS}),
        influence_limits,
        holds=has_spread,
    ),
    Method(
        "(areas)",
        "Student's t of placements in all classes, logit scale",
        "DeLong, DeLong and Clarke-Pearson (1988), Biometrics 44:837; Hand and Till (2001), Mach. "
        "Learn. 45:171",
        f"{INDEPENDENT}, with several rows of each class",
        frozenset({Form.AREAS}),
        influence_limits,
        holds=has_spread,
    ),
    Method(
        "(gaps)",
        "inverted test of gaps",
        f"{OURS}; at a calibrated model Broecker and Smith (2007), Weather Forecast. 22:651",
        "{units} are independent, and the gaps of the bins keep their proportions",
        frozenset({Form.GAPS}),
        gap_limits,
        units=frozenset({Unit.ROWS}),
    ),
    Method(
        "(largest gap)",
        "Clopper-Pearson of all bins together",
        "Clopper and Pearson (1934), Biometrika 26:404; Zou and Donner (2008), Stat. Med. 27:1693",
        "{units} are independent; it covers more often than its level",
        frozenset({Form.LARGEST_GAP}),
        largest_gap_limits,
        units=frozenset({Unit.ROWS}),
    ),
    Method(
        "(delta)",
        "normal, delta method",
        "Casella and Berger (2002), Statistical Inference, section 5.5.4",
        MANY,
        frozenset({Form.MEANS}),
        delta_limits,
        units=frozenset({Unit.ROWS}),
        holds=has_joint_moments,
    ),
    Method(
        "(effective rows)",
        "posterior of cells on effective rows of groups",
        "Korn and Graubard (1998), Surv. Methodol. 24:193; Rubin (1981), Ann. Stat. 9:130",
        INDEPENDENT,
        frozenset({Form.VALUE}),
        group_value_limits,
        units=frozenset({Unit.GROUPS}),
        is_quick=True,
    ),
    Method(
        "(fold areas)",
        "DeLong's variances within folds, logit scale, Student's t",
        "LeDell, Petersen and van der Laan (2015), Electron. J. Stat. 9:1583",
        "{units} are independent; the interval is for the models fitted in these folds",
        frozenset({Form.FOLD_AREAS}),
        fold_area_limits,
    ),
    Method(
        "(cut groups)",
        "spread of groups over all splits, and corrected t, the wider of both",
        f"{OURS}; Nadeau and Bengio (2003), Mach. Learn. 52:239",
        "groups are independent, and models of splits that know a group err on it alike",
        frozenset({Form.SPLITS}),
        lambda case: split_interval(case.parts, level=case.options.level),
        units=frozenset({Unit.GROUPS}),
        holds=lambda case: case.parts.cuts_groups,
    ),
    Method(
        CORRECTED,
        "corrected t over the splits, no narrower than the rows of one repeat make it",
        "Nadeau and Bengio (2003), Mach. Learn. 52:239; Bouckaert (2003), ICML, 51; Bouckaert and "
        "Frank (2004), PAKDD",
        "splits are exchangeable, and the correlation of their models "
        "follows from the overlap of their training rows",
        frozenset({Form.SPLITS}),
        lambda case: split_interval(case.parts, level=case.options.level),
    ),
    Method(
        "(repeats)",
        "mean of the limits of the single repeats",
        OURS,
        f"{INDEPENDENT}, and repeats differ little",
        frozenset({Form.REPEATS}),
        lambda case: mean_of_limits(case.parts),
    ),
    Method(
        "(maximum)",
        "bootstrap with its bias taken off twice",
        OURS,
        INDEPENDENT,
        frozenset({Form.MAXIMUM}),
        lambda case: case.resampled("maximum"),
    ),
    Method(
        "bayesian",
        "Dirichlet posterior of the cells",
        "Perks (1947), J. Inst. Actuar. 73:285; Rubin (1981), Ann. Stat. 9:130",
        INDEPENDENT,
        RESAMPLED,
        lambda case: case.resampled("bayesian"),
        units=PLAIN,
        holds=lambda case: case.source is Source.CELLS,
    ),
    Method(
        "bayesian",
        "Bayesian bootstrap with a pseudo-row",
        "Rubin (1981), Ann. Stat. 9:130; the pseudo-row is heldout's own",
        INDEPENDENT,
        RESAMPLED,
        lambda case: case.resampled("bayesian"),
        units=PLAIN,
        holds=lambda case: case.source is Source.SCORES,
    ),
    Method(
        "percentile",
        "bootstrap percentile",
        BOOTSTRAP,
        MANY,
        RESAMPLED,
        lambda case: case.resampled("percentile"),
    ),
    Method(
        "basic",
        "bootstrap basic",
        BOOTSTRAP,
        MANY,
        RESAMPLED,
        lambda case: case.resampled("basic"),
    ),
    Method(
        "bca",
        "bootstrap BCa",
        "Efron (1987), J. Am. Stat. Assoc. 82:171",
        MANY,
        RESAMPLED,
        lambda case: case.resampled("bca"),
    ),
    Method(
        "bayesian",
        "Bayesian bootstrap of whole groups with a pseudo-group",
        "Rubin (1981), Ann. Stat. 9:130",
        INDEPENDENT,
        RESAMPLED,
        lambda case: case.resampled("bayesian"),
        units=frozenset({Unit.GROUPS}),
        holds=lambda case: case.source is Source.CELLS,
    ),
)


OF_FORM = {form: tuple(m for m in METHODS if form in m.forms) for form in Form}


def _names(form: Form) -> tuple[str, ...]:
    """The names by which the methods of one form alone are asked for."""
    own = (method.name for method in METHODS if method.forms == {form})
    return tuple(dict.fromkeys(name for name in own if name[0] != "("))


SHARE_METHODS = _names(Form.SHARE)
AREA_METHODS = _names(Form.AREA)
BOOTSTRAPS = tuple(dict.fromkeys(m.name for m in METHODS if m.forms == RESAMPLED))
