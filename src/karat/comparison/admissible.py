"""Which tests a design admits, and why the others are refused."""

from __future__ import annotations

from typing import TYPE_CHECKING

from karat.core.errors import InputError
from karat.core.nearest import did_you_mean

if TYPE_CHECKING:
    from karat.comparison.design import ComparisonDesign

__all__ = ["REASONS", "SPLIT_TESTS", "TESTS", "admit"]

#: tests of differences of splits, not of rows
SPLIT_TESTS = ("corrected-t", "plain-t", "5x2-t", "5x2-f")
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
    "permutation": ("one test set", "leave-one-out"),
    "independent": ("different test sets",),
    "corrected-t": ("k-fold", "repeated k-fold", "repeated holdout", "5x2-fold"),
    "5x2-t": ("5x2-fold",),
    "5x2-f": ("5x2-fold",),
    "plain-t": (),
    "wilcoxon": ("many data sets",),
    "sign": ("many data sets",),
    "friedman": ("many data sets",),
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
    "one split": "there is only one split, so there are no splits to compare",
}
BETTER = {
    "one test set": "mcnemar, delong, loss-t or permutation (chosen by the measure)",
    "different test sets": "independent",
    "leave-one-out": "mcnemar, loss-t or permutation",
    "k-fold": "corrected-t (or mcnemar and loss-t, which pool the rows)",
    "repeated k-fold": "corrected-t",
    "repeated holdout": "corrected-t",
    "5x2-fold": "5x2-f",
    "many data sets": "wilcoxon for two models, friedman for more",
}


def admit(test: str, design: ComparisonDesign, *, force: bool = False) -> str:
    """A note on the test asked for; an error where the design does not admit it.

    With ``force`` an inadmissible test runs, and the note says that it is not valid.
    """
    if test not in TESTS:
        hint = did_you_mean(test, TESTS) or f"; there are {', '.join(TESTS)}"
        raise InputError(f"no test is called {test!r}{hint}")
    if design.kind in TESTS[test]:
        return POOLED if design.kind == "k-fold" and test not in SPLIT_TESTS else ""
    reason = _reason(test, design)
    if force:
        return f"NOT VALID for this design ({design.words}), run by force: {reason}"
    raise InputError(
        f"{test} is not admissible after {design.words}: {reason}. "
        f"Take {BETTER[design.kind]}, or --force"
    )


def _reason(test: str, design: ComparisonDesign) -> str:
    if test in REASONS:
        return REASONS[test]
    if design.kind == "different test sets":
        return "the models were judged on different rows, so rows cannot be paired"
    if design.has_splits:
        return REASONS["rows after folds"]
    if design.kind in {"one test set", "leave-one-out"}:
        return REASONS["one split"]
    return f"it is for {' or '.join(TESTS[test]) or 'no design'}"
