"""The table of interval methods: for what each holds, where it was published, what makes it.

A value to be bounded is a *case*: its form (a share, a mean, an area), what is independent (rows,
weighted rows, groups) and its parts. Of the methods that hold for a case the one that was asked
for is taken, else the first. To add a method: a function of a case, and an entry.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum
from functools import partial
from math import inf, isfinite
from typing import TYPE_CHECKING, Any, Protocol

from heldout.core.notes import Kind, Note
from heldout.uncertainty.areas import delong_interval, newcombe_interval
from heldout.uncertainty.cell_values import group_value_interval
from heldout.uncertainty.cross_validation import (
    fold_area_interval,
    mean_of_limits,
    split_interval,
)
from heldout.uncertainty.gap_intervals import gap_interval, largest_gap_interval
from heldout.uncertainty.influence import effective_sample_size
from heldout.uncertainty.interval import Interval, absent
from heldout.uncertainty.means import (
    ALIKE,
    estimate_interval,
    influence_interval,
    mean_interval,
    skewed_mean_interval,
)
from heldout.uncertainty.proportions import TITLES, share_interval
from heldout.uncertainty.quantiles import two_sided_normal

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    from heldout.core.notes import Lack
    from heldout.tally.confusion import Confusion
    from heldout.tally.moments import Moments
    from heldout.tally.scores import ScoreCounts
    from heldout.uncertainty.cross_validation import FoldRanking
    from heldout.uncertainty.gap_intervals import Gaps
    from heldout.uncertainty.influence import Influence
    from heldout.uncertainty.options import IntervalOptions
    from heldout.uncertainty.row_bootstrap import JointMeans
    from heldout.uncertainty.sample import Sample

DELTA = "normal, delta method for means of losses"
NO_BOOTSTRAP = Note("no bootstrap of it covers", Kind.OTHER_METHOD)


class Form(Enum):
    """What sort of statistic a value is, as far as its uncertainty goes."""

    SHARE = "share of rows"
    MEAN = "mean over rows"
    AREA = "area under the ROC curve"
    FIT = "estimate by maximum likelihood"
    GAPS = "calibration error of bins"
    LARGEST_GAP = "largest calibration error of a bin"
    VALUE = "mean value of the cells of a confusion matrix"
    CELLS = "function of a confusion matrix"
    MEANS = "function of several means over rows"
    RANKING = "function of a ranking"
    AREAS = "mean of the areas under the ROC curves of classes"
    MAXIMUM = "maximum over thresholds"
    PRODUCTS = "function of variances and covariances"
    ORDER = "quantile of errors"
    FOLD_AREAS = "mean of the folds' areas under the ROC curve"
    SPLITS = "mean over the splits of several repeats"
    REPEATS = "mean of the values of several repeats"


class Unit(Enum):
    """What is drawn from the population, independently of the others."""

    ROWS = "rows"
    WEIGHTED = "weighted rows"
    GROUPS = "groups"


class Source(Enum):
    """What a bootstrap of a case draws, if one is made."""

    CELLS = "cells of the confusion matrix"
    SCORES = "scores"
    ROWS = "rows or whole groups"


@dataclass(frozen=True, slots=True, eq=False)
class MeanParts:
    """A mean over rows: its moments, by group where there are groups, and what is made of it.

    ``bounds`` are those of the mean; ``function`` None: the mean itself; ``losses`` those of the
    rows, where they weigh alike and are few enough to look at.
    """

    moments: Moments
    bounds: tuple[float, float]
    function: Callable[[Moments], Any] | None = None
    sums: Sample | None = None
    losses: NDArray[Any] | None = None


@dataclass(frozen=True, slots=True, eq=False)
class AreaParts:
    """A ranking, and of weighted rows that by the squares of weights."""

    counts: ScoreCounts
    squares: ScoreCounts | None = None


@dataclass(frozen=True, slots=True, eq=False)
class FitParts:
    """How far units move an estimate, its range, and its least standard error."""

    influence: Influence
    least_error: float = 0.0
    bounds: tuple[float, float] = (-inf, inf)


@dataclass(frozen=True, slots=True, eq=False)
class JointParts:
    """Several means of many rows, and the measure as a function of them."""

    means: JointMeans
    value: Callable[[Any], float]


@dataclass(frozen=True, slots=True, eq=False)
class GapParts:
    """Calibration bins, the measure as a function of their weights and gaps, and the squared
    deviations of scores within bins (None: a bin's score is known without error).
    """

    gaps: Gaps
    statistic: Callable[[Any, Any], Any]
    deviations: NDArray[Any] | None = None


@dataclass(frozen=True, slots=True, eq=False)
class ValueParts:
    """What rows of each cell are worth, with the cells of all rows and of each group.

    ``scale``: by what the mean value of a row is multiplied.
    """

    confusion: Confusion
    sums: Sample
    values: NDArray[Any]
    squares: Confusion | None = None
    scale: float = 1.0


class Case(Protocol):
    """What methods may ask of a value that is to be bounded."""

    @property
    def form(self) -> Form:
        """What sort of statistic it is."""

    @property
    def unit(self) -> Unit:
        """What is independent."""

    @property
    def source(self) -> Source:
        """What a bootstrap of it draws."""

    @property
    def options(self) -> IntervalOptions:
        """What was asked for."""

    @property
    def lack(self) -> str | Lack:
        """Why there is no interval, or none unasked; empty where there is one."""

    @property
    def of(self) -> Callable[[float], float] | None:
        """How the value follows from the share or the area that is bounded; None: it is that."""

    @property
    def parts(self) -> Any:
        """What the methods of its form are made of: ``ShareParts``, ``MeanParts`` and so on."""

    def resampled(self, kind: str) -> Interval:
        """The interval of that kind (percentile, basic, bca, bayesian, maximum) by bootstrap."""


def _always(case: Case) -> bool:
    return True


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
    holds: Callable[[Case], bool] = _always
    is_quick: bool = False

    def is_admissible(self, case: Case) -> bool:
        """Whether it is valid for a case of one of its forms."""
        return case.unit in self.units and self.holds(case)


def admissible(case: Case) -> Iterator[Method]:
    """The methods that are valid for a case, the default first."""
    return (method for method in OF_FORM[case.form] if method.is_admissible(case))


def chosen(case: Case) -> Method:
    """The method that was asked for, where it is valid; else the first that is."""
    wanted = case.options.method
    named = (m for m in OF_FORM[case.form] if m.name == wanted and m.is_admissible(case))
    return next(named, None) or next(admissible(case))


def interval_of(case: Case) -> Interval:
    """The interval of a case by the method that is chosen for it, or why it has none."""
    if case.lack:
        return absent(case.lack, level=case.options.level)
    method = chosen(case)
    interval = method.interval(case)
    return interval if interval.by else replace(interval, by=method.name)


def _through(interval: Interval, case: Case) -> Interval:
    return interval if case.of is None else interval.through(case.of)


def _share(name: str, case: Case) -> Interval:
    return _through(share_interval(case.parts, level=case.options.level, method=name), case)


def _has_losses(case: Case) -> bool:
    return case.parts.losses is not None


def _hall(case: Case) -> Interval:
    parts: MeanParts = case.parts
    assert parts.losses is not None
    return skewed_mean_interval(
        parts.moments, parts.losses, parts.function, level=case.options.level, bounds=parts.bounds
    )


def _student(case: Case) -> Interval:
    parts: MeanParts = case.parts
    return mean_interval(
        parts.moments,
        parts.function,
        level=case.options.level,
        bounds=parts.bounds,
        sums=parts.sums,
    )


def _area(scale: Any, case: Case) -> Interval:
    parts: AreaParts = case.parts
    level = case.options.level
    of_rows = delong_interval(parts.counts, level=level, scale=scale, squares=parts.squares)
    return _no_narrower(of_rows, case)


def _newcombe(case: Case) -> Interval:
    from heldout.tally.roc import area

    counts, squares = case.parts.counts, case.parts.squares
    sizes = [float(counts.total_positives), float(counts.total_negatives)]
    if squares is not None:
        of_squares = (float(squares.total_positives), float(squares.total_negatives))
        sizes = [effective_sample_size(*pair) for pair in zip(sizes, of_squares, strict=True)]
    of_rows = newcombe_interval(float(area(counts)), *sizes, level=case.options.level)
    return _no_narrower(of_rows, case)


def _no_narrower(of_rows: Interval, case: Case) -> Interval:
    """That of whole groups that are drawn, but no narrower than single rows make it."""
    of_rows = _through(of_rows, case)
    if case.unit is not Unit.GROUPS:
        return of_rows
    drawn = case.resampled("percentile")
    if drawn.is_absent or of_rows.is_absent or drawn.width >= of_rows.width:
        return replace(drawn, by="percentile")
    return of_rows.noted(ALIKE)


def _sandwich(case: Case) -> Interval:
    parts: FitParts = case.parts
    is_grouped, level = case.unit is Unit.GROUPS, case.options.level
    return estimate_interval(parts.influence, parts.least_error, level=level, is_grouped=is_grouped)


def _has_spread(case: Case) -> bool:
    options = case.options
    if not options.uses_t or options.stratified or case.parts is None:  # rows are drawn as asked
        return False
    parts: FitParts = case.parts
    value, (low, high) = parts.influence.value, parts.bounds
    is_inside = low + ROUNDING < value < high - ROUNDING
    return is_inside and ROUNDING * abs(value) < parts.influence.spread().error < inf


def _influence(case: Case) -> Interval:
    parts: FitParts = case.parts
    interval = influence_interval(
        parts.influence,
        level=case.options.level,
        bounds=parts.bounds,
        is_grouped=case.unit is Unit.GROUPS,
    )
    return _through(interval, case)


def _gaps(case: Case) -> Interval:
    parts, options = case.parts, case.options
    return _not_drawn(
        gap_interval(
            parts.gaps,
            parts.statistic,
            level=options.level,
            replicates=options.of_rows,
            seed=options.seed,
        ),
        case,
    )


def _largest_gap(case: Case) -> Interval:
    parts, level = case.parts, case.options.level
    interval = largest_gap_interval(parts.gaps, level=level, deviations=parts.deviations)
    return _not_drawn(interval, case)


def _not_drawn(interval: Interval, case: Case) -> Interval:
    return interval if case.options.uses_t else interval.noted(NO_BOOTSTRAP)


def _group_values(case: Case) -> Interval:
    parts: ValueParts = case.parts
    interval = group_value_interval(
        parts.confusion,
        parts.sums,
        parts.values,
        squares=parts.squares,
        level=case.options.level,
        replicates=case.options.of_counts,
        seed=case.options.seed,
    )
    return interval if parts.scale == 1 else interval.through(lambda mean: mean * parts.scale)


def _has_joint_moments(case: Case) -> bool:
    if case.options.replicates is not None or case.parts is None:
        return False
    return isfinite(case.parts.means.spread_of(case.parts.value))


def _delta(case: Case) -> Interval:
    parts: JointParts = case.parts
    means, level = parts.means, case.options.level
    here = parts.value(means.means)
    reach = two_sided_normal(level) * means.spread_of(parts.value)
    return Interval(here - reach, here + reach, level, DELTA)


def _fold_areas(case: Case) -> Interval:
    parts: FoldRanking = case.parts
    return _through(fold_area_interval(parts, level=case.options.level), case)


def _splits(case: Case) -> Interval:
    return split_interval(case.parts, level=case.options.level)


def _cuts_groups(case: Case) -> bool:
    return bool(case.parts.cuts_groups)


def _repeats(case: Case) -> Interval:
    return mean_of_limits(case.parts)


def _resampled(kind: str, case: Case) -> Interval:
    return case.resampled(kind)


def _has_scores(case: Case) -> bool:
    return case.source is Source.SCORES


def _has_cells(case: Case) -> bool:
    return case.source is Source.CELLS


def _only(*forms: Form) -> frozenset[Form]:
    return frozenset(forms)


OURS = "heldout's own, see docs/coverage.md"
OF_SHARES = "Newcombe (1998), Stat. Med. 17:857"
REFERENCES_OF_SHARES = {
    "wilson": "Wilson (1927), J. Am. Stat. Assoc. 22:209",
    "clopper_pearson": "Clopper and Pearson (1934), Biometrika 26:404",
    "jeffreys": "Brown, Cai and DasGupta (2001), Stat. Sci. 16:101",
    "agresti_coull": "Agresti and Coull (1998), Am. Stat. 52:119",
}
BOOTSTRAP = "Efron and Tibshirani (1993), An Introduction to the Bootstrap, chapter 13"
INDEPENDENT = "rows (or groups) are independent draws from the population that is asked about"
UNSOUND = f"{INDEPENDENT}, are many, and the share is not near 0 or 1"
MANY = f"{INDEPENDENT}, and so many that the mean is nearly normal"
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
#: a value that is nearer to the end of its range lies there but for rounding
ROUNDING = 1e-12

METHODS: tuple[Method, ...] = (
    *(
        Method(
            name,
            title,
            REFERENCES_OF_SHARES.get(name, OF_SHARES),
            UNSOUND if name in WALD else INDEPENDENT,
            _only(Form.SHARE),
            partial(_share, name),
            is_quick=True,
        )
        for name, title in TITLES.items()
    ),
    Method(
        "(skewed t)",
        "Student's t without skewness",
        "Hall (1992), J. R. Stat. Soc. B 54:221",
        f"{INDEPENDENT}, and not a few of them make up the mean",
        _only(Form.MEAN),
        _hall,
        units=frozenset({Unit.ROWS}),
        holds=_has_losses,
        is_quick=True,
    ),
    Method(
        "(t)",
        "Student's t",
        "Student (1908), Biometrika 6:1; of groups Bell and McCaffrey (2002), Surv. Methodol. "
        "28:169",
        MANY,
        _only(Form.MEAN),
        _student,
        is_quick=True,
    ),
    Method(
        "delong",
        "DeLong on the logit scale, Student's t",
        "DeLong, DeLong and Clarke-Pearson (1988), Biometrics 44:837",
        f"{INDEPENDENT}, with several rows of each class",
        _only(Form.AREA),
        partial(_area, "logit"),
        is_quick=True,
    ),
    Method(
        "delong_plain",
        "DeLong",
        "DeLong, DeLong and Clarke-Pearson (1988), Biometrics 44:837",
        f"{INDEPENDENT}, with many rows of each class and an area not near 1",
        _only(Form.AREA),
        partial(_area, "plain"),
        is_quick=True,
    ),
    Method(
        "newcombe",
        "Newcombe",
        "Newcombe (2006), Stat. Med. 25:559, method 5",
        f"{INDEPENDENT}, with scores of a class that are nearly exponential",
        _only(Form.AREA),
        _newcombe,
        is_quick=True,
    ),
    Method(
        "(sandwich)",
        "Wald, sandwich error",
        "White (1982), Econometrica 50:1; of groups Liang and Zeger (1986), Biometrika 73:13",
        MANY,
        _only(Form.FIT),
        _sandwich,
        is_quick=True,
    ),
    Method(
        "(influence)",
        "Student's t of influences",
        "Deville (1999), Surv. Methodol. 25:193; Bell and McCaffrey (2002), Surv. Methodol. 28:169",
        f"{INDEPENDENT}, and not a few of them make up the spread",
        _only(Form.PRODUCTS),
        _influence,
        holds=_has_spread,
    ),
    Method(
        "(areas)",
        "Student's t of placements in all classes, logit scale",
        "DeLong, DeLong and Clarke-Pearson (1988), Biometrics 44:837; Hand and Till (2001), Mach. "
        "Learn. 45:171",
        f"{INDEPENDENT}, with several rows of each class",
        _only(Form.AREAS),
        _influence,
        holds=_has_spread,
    ),
    Method(
        "(gaps)",
        "inverted test of gaps",
        f"{OURS}; at a calibrated model Broecker and Smith (2007), Weather Forecast. 22:651",
        "rows are independent, and the gaps of the bins keep their proportions",
        _only(Form.GAPS),
        _gaps,
        units=frozenset({Unit.ROWS}),
    ),
    Method(
        "(largest gap)",
        "Clopper-Pearson of all bins together",
        "Clopper and Pearson (1934), Biometrika 26:404; Zou and Donner (2008), Stat. Med. 27:1693",
        "rows are independent; it covers more often than its level",
        _only(Form.LARGEST_GAP),
        _largest_gap,
        units=frozenset({Unit.ROWS}),
    ),
    Method(
        "(delta)",
        "normal, delta method",
        "Casella and Berger (2002), Statistical Inference, section 5.5.4",
        MANY,
        _only(Form.MEANS),
        _delta,
        units=frozenset({Unit.ROWS}),
        holds=_has_joint_moments,
    ),
    Method(
        "(effective rows)",
        "posterior of cells on effective rows of groups",
        "Korn and Graubard (1998), Surv. Methodol. 24:193; Rubin (1981), Ann. Stat. 9:130",
        "groups are independent draws from the population that is asked about",
        _only(Form.VALUE),
        _group_values,
        units=frozenset({Unit.GROUPS}),
        is_quick=True,
    ),
    Method(
        "(fold areas)",
        "DeLong's variances within folds, logit scale, Student's t",
        "LeDell, Petersen and van der Laan (2015), Electron. J. Stat. 9:1583",
        "rows or groups are independent; it is about the models that the folds fitted",
        _only(Form.FOLD_AREAS),
        _fold_areas,
    ),
    Method(
        "(cut groups)",
        "spread of groups over all splits, and corrected t, the wider of both",
        f"{OURS}; Nadeau and Bengio (2003), Mach. Learn. 52:239",
        "groups are independent, and models of splits that know a group err on it alike",
        _only(Form.SPLITS),
        _splits,
        units=frozenset({Unit.GROUPS}),
        holds=_cuts_groups,
    ),
    Method(
        CORRECTED,
        "corrected t over the splits, no narrower than the rows of one repeat make it",
        "Nadeau and Bengio (2003), Mach. Learn. 52:239; Bouckaert and Frank (2004), PAKDD",
        "splits are alike, and their models vary as the overlap of their training rows tells",
        _only(Form.SPLITS),
        _splits,
    ),
    Method(
        "(repeats)",
        "mean of the limits that each repeat has as if it were the only one",
        OURS,
        f"{INDEPENDENT}, and repeats differ little",
        _only(Form.REPEATS),
        _repeats,
    ),
    Method(
        "(maximum)",
        "bootstrap with its bias taken off twice",
        OURS,
        INDEPENDENT,
        _only(Form.MAXIMUM),
        partial(_resampled, "maximum"),
    ),
    Method(
        "bayesian",
        "Dirichlet posterior of the cells",
        "Perks (1947), J. Inst. Actuar. 73:285; Rubin (1981), Ann. Stat. 9:130",
        INDEPENDENT,
        RESAMPLED,
        partial(_resampled, "bayesian"),
        units=PLAIN,
        holds=_has_cells,
    ),
    Method(
        "bayesian",
        "Bayesian bootstrap with a pseudo-row",
        "Rubin (1981), Ann. Stat. 9:130; the pseudo-row is heldout's own",
        INDEPENDENT,
        RESAMPLED,
        partial(_resampled, "bayesian"),
        units=PLAIN,
        holds=_has_scores,
    ),
    Method(
        "percentile",
        "bootstrap percentile",
        BOOTSTRAP,
        MANY,
        RESAMPLED,
        partial(_resampled, "percentile"),
    ),
    Method(
        "basic",
        "bootstrap basic",
        BOOTSTRAP,
        MANY,
        RESAMPLED,
        partial(_resampled, "basic"),
    ),
    Method(
        "bca",
        "bootstrap BCa",
        "Efron (1987), J. Am. Stat. Assoc. 82:171",
        MANY,
        RESAMPLED,
        partial(_resampled, "bca"),
    ),
    Method(
        "bayesian",
        "Bayesian bootstrap of whole groups with a pseudo-group",
        "Rubin (1981), Ann. Stat. 9:130",
        "groups are independent draws from the population that is asked about",
        RESAMPLED,
        partial(_resampled, "bayesian"),
        units=frozenset({Unit.GROUPS}),
        holds=_has_cells,
    ),
)


OF_FORM = {form: tuple(m for m in METHODS if form in m.forms) for form in Form}


def _names(form: Form) -> tuple[str, ...]:
    """The names by which the methods of one form alone are asked for."""
    return tuple(
        method.name for method in METHODS if method.forms == {form} and method.name[0] != "("
    )


SHARE_METHODS = _names(Form.SHARE)
AREA_METHODS = _names(Form.AREA)
BOOTSTRAPS = tuple(dict.fromkeys(m.name for m in METHODS if m.forms == RESAMPLED))
