"""Which tests a design admits, and why the others are refused."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from heldout.core.dialect import argument
from heldout.core.errors import InputError
from heldout.core.nearest import did_you_mean

if TYPE_CHECKING:
    from heldout.comparison.design import ComparisonDesign

__all__ = [
    "FIVE_BY_TWO",
    "GROUP_TEST",
    "REASONS",
    "SET_TESTS",
    "SPLIT_TESTS",
    "TESTS",
    "Unfit",
    "admit",
]

#: tests of differences of splits, not of rows
SPLIT_TESTS = ("corrected-t", "plain-t", "5x2-t", "5x2-f")
#: those of five repeats of two folds
FIVE_BY_TWO = ("5x2-t", "5x2-f")
#: the test of splits that cut groups
GROUP_TEST = "group-t"
#: tests of values on many data sets
SET_TESTS = ("wilcoxon", "sign", "friedman", "quade", "aligned-ranks", "t-over-sets")
#: what a test of rows means after one cross-validation
POOLED = (
    "rows of all folds pooled (Bayle et al. 2020): it judges the models fitted in these folds, for "
    "learners that change little with a row, and not how fitting on other data varies"
)

#: every test by name, with the designs it is for
TESTS: dict[str, tuple[str, ...]] = {
    "mcnemar": ("one test set", "leave-one-out", "k-fold"),
    "mcnemar-midp": ("one test set", "leave-one-out", "k-fold"),
    "mcnemar-normal": ("one test set", "leave-one-out", "k-fold"),
    "mcnemar-corrected": ("one test set", "leave-one-out", "k-fold"),
    "delong": ("one test set",),
    "loss-t": ("one test set", "leave-one-out", "k-fold"),
    "gaps": ("one test set", "leave-one-out"),
    "delta": ("one test set", "leave-one-out"),
    "bootstrap": ("one test set", "leave-one-out"),
    "permutation": ("one test set", "leave-one-out"),
    "independent": ("different test sets",),
    "corrected-t": ("k-fold", "repeated k-fold", "repeated holdout", "5x2-fold"),
    "5x2-t": ("5x2-fold",),
    "5x2-f": ("5x2-fold",),
    "group-t": ("k-fold", "repeated k-fold", "repeated holdout", "5x2-fold"),
    "plain-t": (),
    "wilcoxon": ("many data sets",),
    "sign": ("many data sets",),
    "friedman": ("many data sets",),
    "quade": ("many data sets",),
    "aligned-ranks": ("many data sets",),
    "t-over-sets": (),
}
REASONS = {
    "plain-t": (
        "training parts of the folds overlap, so the folds' differences are not independent and "
        "the plain paired t test finds differences that are not there far too often"
    ),
    "t-over-sets": (
        "differences on different data sets have no common scale or spread, and a single data "
        "set can decide a t test over them"
    ),
    "rows after folds": (
        "each fold's model was fitted on other rows, so a test of pooled rows ignores how "
        "fitting varies"
    ),
    "cut groups": (
        "splits cut groups, so that all splits err alike, which their spread does not show"
    ),
    "one split": "there is only one split, so there are no splits to compare",
    "single rows": "each split is a single row, so there are no splits to compare",
    "different rows": "the models were judged on different rows, so rows cannot be paired",
    "same rows": "the models were judged on the same rows, and what they share would not cancel",
    "left out": "each row's score is that of another model, so scores do not rank rows",
}
BETTER = {
    "one test set": "mcnemar, delong, loss-t, gaps, delta or bootstrap (chosen by the measure)",
    "different test sets": "independent",
    "leave-one-out": "mcnemar, loss-t or delta",
    "k-fold": "corrected-t (or mcnemar and loss-t, which pool the rows)",
    "repeated k-fold": "corrected-t",
    "repeated holdout": "corrected-t",
    "5x2-fold": "5x2-f",
    "many data sets": "wilcoxon for two models, friedman for more",
}


class Unfit(Exception):
    """That a test cannot judge a measure, and why; whoever knows the design says which can."""


class Admission(NamedTuple):
    """A test that may be run: what is to be known of it, and whether only force admits it."""

    note: str = ""
    is_forced: bool = False


def admit(
    test: str, design: ComparisonDesign, *, force: bool = False, better: str = ""
) -> Admission:
    """How a design admits the test asked for; an error where it does not.

    With ``force`` an inadmissible test runs, and the note says that it is not valid. ``better``
    is the test that the measure calls for on rows that were judged once.
    """
    if test not in TESTS:
        hint = did_you_mean(test, TESTS) or f"; there are {', '.join(TESTS)}"
        raise InputError(f"no test is called {test!r}{hint}")
    is_cut = design.cuts_groups and test in SPLIT_TESTS
    is_lost = test == GROUP_TEST and not design.cuts_groups
    if design.kind in TESTS[test] and not is_cut and not is_lost:
        pools = design.kind == "k-fold" and test not in SPLIT_TESTS and test != GROUP_TEST
        return Admission(POOLED if pools else "")
    if not better or design.has_splits:
        better = GROUP_TEST if design.cuts_groups and design.has_splits else BETTER[design.kind]
    lack = _lack(test, design)
    if lack:
        raise InputError(
            f"{test} is not admissible after {design.words}, and cannot be run even by force: "
            f"{lack}. Take {better}"
        )
    reason = _reason(test, design)
    if force:
        note = f"NOT VALID for this design ({design.words}), run by force: {reason}"
        return Admission(note, is_forced=True)
    raise InputError(
        f"{test} is not admissible after {design.words}: {reason}. Take {better}, or "
        f"{argument('force', True)}"
    )


def _lack(test: str, design: ComparisonDesign) -> str:
    """What a test would need that the design has not; empty where it could be run."""
    kind = design.kind
    if (kind == "many data sets") != (test in SET_TESTS):
        if test in SET_TESTS:
            return f"it is for a table of results on many data sets ({argument('datasets')})"
        return "a table of results has neither rows nor splits"
    if kind == "different test sets" and test != "independent":
        return REASONS["different rows"]
    if test in (*SPLIT_TESTS, GROUP_TEST) and not design.has_splits and kind != "many data sets":
        return REASONS["single rows" if kind == "leave-one-out" else "one split"]
    if test == GROUP_TEST and not design.cuts_groups:
        return (
            "no split cuts a group"
            if design.groups
            else f"there are no groups ({argument('group')})"
        )
    if test in FIVE_BY_TWO and kind != "5x2-fold":
        return "it is for five repeats of two folds"
    return ""


def _reason(test: str, design: ComparisonDesign) -> str:
    if design.cuts_groups and test in SPLIT_TESTS:
        return REASONS["cut groups"]
    if test in REASONS:
        return REASONS[test]
    if test == "independent":
        return REASONS["same rows"]
    if design.kind == "leave-one-out":
        return REASONS["left out"]
    return REASONS["rows after folds"]
