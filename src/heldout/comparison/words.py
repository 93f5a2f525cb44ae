"""A comparison in plain words: who is better, by how much, how sure, and why by this test."""

from __future__ import annotations

from math import isclose, isfinite, isnan
from typing import TYPE_CHECKING

from heldout.comparison.difference import margin_verdict
from heldout.comparison.methods import METHODS
from heldout.comparison.power.noise import Goal
from heldout.core.notes import Kind, note_text
from heldout.core.shown import p_in_words
from heldout.core.wording import plural

if TYPE_CHECKING:
    from collections.abc import Sequence

    from heldout.comparison.design import ComparisonDesign
    from heldout.comparison.difference import Difference
    from heldout.comparison.options import CompareOptions
    from heldout.uncertainty.interval import Interval

#: notes on the limits of a single difference
OF_LIMITS = (Kind.NO_INTERVAL, Kind.LOW_CUT, Kind.HIGH_CUT)
FORCED = "NOT VALID for this design: the test was run by force, rely on nothing"


def in_words(difference: Difference, *, margin: float | None = None) -> str:
    """One sentence on a difference, and one on the margin where there is one.

    ``margin``: a difference that does not matter; then it is said whether the limits show
    equivalence or non-inferiority.
    """
    d = difference
    if isnan(d.p_value):
        reason = d.test.note or d.lack or "the measure is undefined"
        return f"{d.measure}: no test of {d.first} and {d.second} was possible: {reason}"
    if d.value == 0 and d.p_value >= 1:
        sentence = f"{d.measure}: {d.first} and {d.second} are equal on {_those(d)}"
    elif d.is_significant:
        sentence = _decided(d)
    else:
        sentence = _undecided(d)
    if doubt := against_interval(d):
        sentence += f"; {doubt}"
    if margin is None:
        return sentence
    verdict = margin_verdict(d, margin)
    if d.is_significant and d.better and verdict.not_worse == d.better:
        return sentence  # what is better is not worse
    return f"{sentence}; {verdict.words(size_in_words(margin, d))}{_margin_limits(d)}"


def size_in_words(size: float, difference: Difference) -> str:
    """A difference with its unit: points for shares, plain numbers otherwise.

    A point is a hundredth of a measure whose values lie between 0 and 1.
    """
    if difference.is_share:
        text = f"{100 * size:.3g}"
        return f"{text} point" if text in {"1", "-1"} else f"{text} points"
    return f"{size:.4g}"


def _those(d: Difference) -> str:
    """The rows (splits, groups) as these words have them: "these 300 rows", "this 1 row"."""
    return f"{'this' if d.n == 1 else 'these'} {plural(d.n, d.unit[:-1])}"


def _decided(d: Difference) -> str:
    leading = f"{d.first} and {d.second} differ"
    if d.better:
        leading = f"{d.better} is better than {d.worse}"
    unit = "" if d.direction in {"up", "down"} else " (neither direction is better)"
    return f"{d.measure}: {leading} by {size_with_limits(d, _remark_on_limits(d))}, {_p(d)}{unit}"


def size_with_limits(d: Difference, remark: str = "") -> str:
    """How large a difference is, with its interval: "3.1 points (95% CI 0.9 to 5.3)"."""
    limits = _limits(d)
    return size_in_words(abs(d.value), d) + (f" ({limits}{remark})" if limits else "")


def _remark_on_limits(d: Difference) -> str:
    """Whether the interval holds with those of the other differences, where there are several."""
    if d.is_simultaneous:
        return ", simultaneous"
    return "" if d.corrected is None else ", not corrected"


def _undecided(d: Difference) -> str:
    limits = _limits(d, signed=True)
    limits += _remark_on_limits(d) if limits else ""
    if d.test.p_value <= d.alpha:
        alone, corrected = p_in_words(d.test.p_value), p_in_words(d.p_value)
        values = f"p {alone} uncorrected, p {corrected} corrected"
        numbers = "; ".join(filter(None, (values, limits)))
        what = f"the difference between {d.first} and {d.second} is"
        if d.test.alternative != "two-sided":
            what = f"that {_claim(d)} is"
        return (
            f"{d.measure}: {what} not significant after correcting for {d.comparisons} "
            f"comparisons ({numbers})"
        )
    lacking = f"no clear difference between {d.first} and {d.second}"
    if d.test.alternative != "two-sided":
        lacking = f"no evidence that {_claim(d)}"
    shown = f" ({limits})" if limits else ""
    return f"{d.measure}: {lacking}{shown}, {_p(d)}{_could_show(d)}"


def _claim(d: Difference) -> str:
    """What a one-sided test would have shown."""
    word = d.test.alternative
    if d.direction not in {"up", "down"}:
        return f"the value of {d.first} is {word} than that of {d.second}"
    if (word == "greater") == (d.direction == "up"):
        return f"{d.first} is better than {d.second}"
    return f"{d.second} is better than {d.first}"


def against_interval(d: Difference) -> str:
    """Why interval and test alone say different things; empty where they agree.

    What Holm's correction does is said elsewhere, and an interval of another level than the
    test's need not agree with it.
    """
    seen = contradiction(d, d.test.p_value)
    if not seen or (d.value == 0 and d.p_value >= 1):
        return ""
    return (
        f"{seen}: they come from different methods ({d.method}; {d.test.method}), and so near the "
        "level neither should be relied on alone"
    )


def contradiction(d: Difference, p_value: float) -> str:
    """What interval and p-value say, where they do not say the same; empty where they do."""
    interval, rejects = d.interval, p_value <= d.alpha
    is_of_test = isclose(interval.level, 1 - d.alpha) and not d.is_simultaneous
    if interval.is_absent or not is_of_test:
        return ""
    excludes = interval.low > 0 or interval.high < 0
    if excludes == rejects or (rejects and not d.is_significant):
        return ""
    if excludes:
        return "the interval excludes 0, but the test is not significant"
    return "the interval contains 0, but the test is significant"


def _could_show(d: Difference) -> str:
    """What true difference the test would find with a chance of 80 % (``POWER``).

    As ``heldout power`` has it: at the level and the sides of the test.
    """
    if d.noise is None:
        return ""
    goal = Goal(1 - d.alpha, one_sided=d.test.alternative != "two-sided")
    study = d.noise.study(goal)
    if study.detectable is None or not isfinite(study.detectable):
        return f"; {study.note}" if study.note else ""
    size = size_in_words(study.detectable, d)
    alone = " by a single test" if d.corrected is not None else ""
    sample = f"such samples ({plural(d.n, d.unit[:-1])})"
    return f"; a true difference of {size} would be found in 8 of 10 {sample}{alone}"


def limits_in_words(interval: Interval, difference: Difference) -> str:
    """Limits with their level and unit: "95% CI -1.2 to +3.4 points"."""
    scale, unit = (100, " points") if difference.is_share else (1, "")
    low, high = scale * interval.low, scale * interval.high
    return f"{100 * interval.level:g}% CI {low:+.3g} to {high:+.3g}{unit}"


def _limits(d: Difference, *, signed: bool = False) -> str:
    """The interval as seen from the better model; first minus second where it has 0.

    ``signed``: no model is said to be better, so it is first minus second in any case.
    """
    if d.interval.is_absent:
        return ""
    low, high, side = d.interval.low, d.interval.high, d.test.alternative
    limit = low if side == "greater" else high
    is_plain = signed or limit == 0 or (limit > 0) != (side == "greater")
    if is_plain if side != "two-sided" else signed or low < 0 < high:
        return f"{d.model}: {signed_limits(d)}"
    level = f"{100 * d.interval.level:g}%"
    if side != "two-sided":
        return f"at least {size_in_words(abs(limit), d)}, one-sided {level} limit"
    least, most = (size_in_words(size, d).split(" ")[0] for size in sorted((abs(low), abs(high))))
    return f"{level} CI {least} to {most}"


def signed_limits(d: Difference) -> str:
    """The limits of first minus second; one-sided the one that the test is about."""
    side = d.test.alternative
    if side == "two-sided":
        return limits_in_words(d.interval, d)
    limit, word = d.interval.high, "at most"
    if side == "greater":
        limit, word = d.interval.low, "at least"
    scale, unit = (100, " points") if d.is_share else (1, "")
    level = f"{100 * d.interval.level:g}%"
    return f"{word} {scale * limit:+.3g}{unit}, one-sided {level} limit"


def _margin_limits(d: Difference) -> str:
    """The limits that decided about a margin, as a clause."""
    if d.margin_interval is None or d.margin_interval.is_absent:
        return ""
    alone = "" if d.corrected is None else f", not corrected for {d.comparisons} comparisons"
    return f" ({d.model}: {limits_in_words(d.margin_interval, d)}{alone})"


def _p(d: Difference) -> str:
    corrected = " (corrected)" if d.corrected is not None else ""
    return f"p {p_in_words(d.p_value)}{corrected}"


OF_DESIGN = {
    "one test set": (
        "Every model was judged once, on the same rows. So rows are paired: what both models "
        "find hard or easy cancels, and the rows on which they differ decide."
    ),
    "different test sets": (
        "The models were judged on DIFFERENT rows. Nothing can be paired: the difference "
        "carries the noise of both samples, and a difference between the samples would look "
        "like one between the models."
    ),
    "leave-one-out": (
        "Leave-one-out judges every row once, by models that share all training rows but one. "
        "Rows are paired as on one test set; how fitting on other data varies is not seen."
    ),
    "k-fold": (
        "One run of cross-validation: training parts overlap, so the folds' differences are not "
        "independent. Their variance is corrected after Nadeau and Bengio (test rows per "
        "training row is added to 1 / folds)."
    ),
    "repeated k-fold": (
        "Repeated cross-validation: more repeats never make the data more. The variance of the "
        "mean is corrected after Nadeau and Bengio, so that it does not vanish with repeats, and "
        "has at most 10 degrees of freedom (Bouckaert 2003), since with those of all splits "
        "learners that change with few rows give too many false alarms (the least stable, such as "
        "1-nearest-neighbour, still about 7% at 5%)."
    ),
    "5x2-fold": (
        "Five repeats of two folds: training parts of a repeat do not overlap. Alpaydin's F "
        "uses all ten differences; Dietterich's t only one of them in its numerator. The interval "
        "holds the differences that the test does not reject."
    ),
    "repeated holdout": (
        "Repeated holdouts share rows: their differences are not independent, and the variance "
        "of the mean is corrected after Nadeau and Bengio."
    ),
    "many data sets": (
        "A value for each model on each data set: data sets are the sample, and ranks are "
        "compared, for differences have no common scale."
    ),
}

OF_CUT = (
    "Rows of a group lie in several splits: what is peculiar to a group moves all splits alike, "
    "which the spread of the splits does not show. So the variance by groups, each with all "
    "its rows wherever they were tested, is added to that over splits, which is corrected after "
    "Nadeau and Bengio for training parts that overlap. The noise of single rows counts twice in "
    "that, to be on the safe side with models that know groups by heart."
)


def reasons_for(
    design: ComparisonDesign,
    differences: Sequence[Difference],
    options: CompareOptions,
    *,
    of: str = "",
    primary: str = "",
) -> tuple[str, ...]:
    """The design, what follows from it, and each measure's test; ``of``: what values are of.

    ``primary``: the measure whose differences are a family of their own.
    """
    is_cut = design.has_splits and design.cuts_groups
    reasons = [f"Design: {design.words}.", OF_CUT if is_cut else OF_DESIGN[design.kind]]
    if of:
        reasons.append(f"Values are those of heldout score and heldout evaluate ({of}).")
    if design.remark:
        reasons.append(f"{design.remark[:1].upper()}{design.remark[1:]}.")
    if design.groups and design.has_splits and not is_cut:
        reasons.append(
            f"Rows come in {plural(design.groups, 'group')} that depend on each other: splits keep "
            "them whole, so that how splits differ shows how groups do."
        )
    elif design.groups and not is_cut:
        reasons.append(
            f"Rows come in {plural(design.groups, 'group')} that depend on each other: groups, not "
            "rows, are counted, resampled and exchanged."
        )
    for measure in dict.fromkeys(d.measure for d in differences):
        first = next(d for d in differences if d.measure == measure)
        chosen = "as asked" if options.test else "by design and measure"
        limits = f"interval: {first.interval.method}"
        if first.interval.is_absent:
            limits = f"no interval: {first.lack}"
        reasons.append(f"{measure}: {first.test.method}, {chosen}; {limits}.")
        if method := METHODS.get(first.test.name):
            means = f"significant means that {method.judges} ({method.reference})"
            reasons.append(f"{measure}: {means}.")
        if remark := note_text(first.notes, without=OF_LIMITS):
            reasons.append(f"{measure}: {remark}.")
        if first.posterior is not None and options.rope is not None:
            reasons.append(f"{measure}: probabilities by the {first.posterior.method}.")
    if options.control:
        reasons.append(
            f"Each model is compared with the control {options.control} "
            f"only, so fewer pairs are corrected for; the others are not compared with "
            f"each other."
        )
    if len(differences) > 1 and options.correction == "holm":
        uncorrected = "Margins" if options.simultaneous else "Intervals and margins"
        reasons.append(f"{_families(differences, primary)} {uncorrected} are not corrected.")
    return tuple(reasons)


def _families(differences: Sequence[Difference], primary: str) -> str:
    """Which p-values are corrected together, and what that keeps at the level."""
    first = sum(d.measure == primary and not d.slice for d in differences)
    rest = len(differences) - first
    if not first:
        return (
            f"{rest} differences are judged at once: p-values are corrected after Holm, so that "
            "the chance of any false alarm stays at the level."
        )
    return (
        f"{primary} is the primary measure: p-values of its {plural(first, 'difference')} are "
        "corrected after Holm on their own, so that the chance of a false alarm by it stays at "
        f"the level. The {rest} others, by other measures or in slices, are secondary: they are "
        "corrected among themselves."
    )
