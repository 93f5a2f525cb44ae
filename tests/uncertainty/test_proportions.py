"""Intervals of a share: published and other tools' values, and laws."""

from __future__ import annotations

from math import isnan

import pytest
from hypothesis import given
from hypothesis import strategies as st

from heldout.core.errors import InputError
from heldout.uncertainty.proportions import TITLES, proportion_interval
from heldout.uncertainty.worth import effective_sample_size

# Newcombe (1998), Table I, recomputed by R to all digits.
NEWCOMBE = {
    "wald": {
        (81, 263): (0.252190126213107, 0.363779455535942),
        (15, 148): (0.052730006408794, 0.149972696293909),
        (0, 20): (0, 0),
        (1, 29): (0, 0.100892243239672),
    },
    "wald_cc": {
        (81, 263): (0.250288985528697, 0.365680596220353),
        (15, 148): (0.0493516280304156, 0.153351074672287),
        (0, 20): (0, 0.025),
        (1, 29): (0, 0.118133622550017),
    },
    "wilson": {
        (81, 263): (0.255288519878274, 0.3662095769828),
        (15, 148): (0.0623863995307363, 0.160487241723308),
        (0, 20): (0, 0.161125158052819),
        (1, 29): (0.00611321429276266, 0.171755218793203),
    },
    "wilson_cc": {
        (81, 263): (0.253508682295185, 0.368176201043004),
        (15, 148): (0.0597782084284981, 0.164449779364837),
        (0, 20): (0, 0.200453345013487),
        (1, 29): (0.00180264021327967, 0.196281751009759),
    },
    "clopper_pearson": {
        (81, 263): (0.252736745585271, 0.367621922601351),
        (15, 148): (0.0578440100834486, 0.161650490349479),
        (0, 20): (0, 0.168433470983085),
        (1, 29): (0.000872646883579923, 0.177644295488723),
    },
    "mid_p": {
        (81, 263): (0.254402104945522, 0.365773474257777),
        (15, 148): (0.0600636026655322, 0.158121733050612),
        (0, 20): (0, 0.139108340668265),
        (1, 29): (0.00172477011470513, 0.158537383681466),
    },
    "likelihood": {
        (81, 263): (0.25423898877546, 0.365453341299325),
        (15, 148): (0.0596306921009183, 0.156733913925489),
        (0, 20): (0, 0.0915691154797905),
        (1, 29): (0.00200017371116826, 0.143186297225329),
    },
}

# caret::confusionMatrix, AccuracyLower and AccuracyUpper (Clopper-Pearson).
CARET = {
    (17, 20): (0.621073173454686, 0.967929062814536),
    (15, 20): (0.508954128292042, 0.913428530898565),
    (150, 150): (0.975707402833891, 1),
    (15, 15): (0.781980639089466, 1),
    (30, 100): (0.212406420489537, 0.399814676179804),
    (285, 344): (0.784413437985499, 0.866798520709829),
    (2457, 3467): (0.693241627348686, 0.723769426094681),
}

SOUND = sorted(set(TITLES) - {"wald", "wald_cc"})
counts = st.integers(1, 2000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


@pytest.mark.parametrize("method", NEWCOMBE)
def test_limits_are_those_of_newcombes_table(method: str) -> None:
    for (successes, n), (low, high) in NEWCOMBE[method].items():
        made = proportion_interval(successes, n, method=method)
        assert made.low == pytest.approx(low, abs=1e-10)
        assert made.high == pytest.approx(high, abs=1e-10)


def test_clopper_pearson_is_carets_interval_of_the_accuracy() -> None:
    for (successes, n), (low, high) in CARET.items():
        made = proportion_interval(successes, n, method="clopper_pearson")
        assert (made.low, made.high) == pytest.approx((low, high), abs=1e-10)


def test_jeffreys_and_agresti_coull_are_statsmodels_values() -> None:
    # statsmodels 0.15.0, proportion_confint(7, 50)
    made = proportion_interval(7, 50, method="jeffreys")
    assert (made.low, made.high) == pytest.approx((0.0648717011505185, 0.25532502815639163))
    made = proportion_interval(7, 50, method="agresti_coull")
    assert (made.low, made.high) == pytest.approx((0.06637434349421775, 0.2649959278818006))


@pytest.mark.parametrize("method", TITLES)
@given(counts, st.floats(0.5, 0.999))
def test_limits_stay_in_bounds_and_hold_the_estimate(
    method: str, case: tuple[int, int], level: float
) -> None:
    successes, n = case
    made = proportion_interval(successes, n, level=level, method=method)
    assert 0 <= made.low <= successes / n + 1e-12
    assert successes / n - 1e-12 <= made.high <= 1


@pytest.mark.parametrize("method", TITLES)
@given(counts)
def test_interval_narrows_as_the_level_falls(method: str, case: tuple[int, int]) -> None:
    wide = proportion_interval(*case, level=0.99, method=method)
    close = proportion_interval(*case, level=0.8, method=method)
    assert wide.low <= close.low + 1e-12
    assert close.high <= wide.high + 1e-12


@pytest.mark.parametrize("method", TITLES)
@given(counts, st.floats(0.5, 0.999))
def test_interval_of_the_failures_is_mirrored(
    method: str, case: tuple[int, int], level: float
) -> None:
    successes, n = case
    hits = proportion_interval(successes, n, level=level, method=method)
    misses = proportion_interval(n - successes, n, level=level, method=method)
    assert (misses.low, misses.high) == pytest.approx((1 - hits.high, 1 - hits.low), abs=1e-9)


@pytest.mark.parametrize("method", SOUND)
@pytest.mark.parametrize(("successes", "bound"), [(0, 0.0), (20, 1.0)])
def test_interval_does_not_collapse_where_all_or_none_succeed(
    method: str, successes: int, bound: float
) -> None:
    made = proportion_interval(successes, 20, method=method)
    assert bound in (made.low, made.high)
    assert made.width > 0.05


def test_wald_says_that_it_collapses_and_that_it_was_cut() -> None:
    assert "collapses" in proportion_interval(0, 20, method="wald").note
    assert proportion_interval(1, 29, method="wald").note == "lower limit truncated at 0"
    assert proportion_interval(81, 263, method="wald").note == ""


def test_no_rows_have_no_interval() -> None:
    made = proportion_interval(0, 0)
    assert made.is_absent
    assert made.note == "no rows to take a share of"
    assert isnan(made.width)


@pytest.mark.parametrize("method", TITLES)
def test_counts_need_not_be_whole(method: str) -> None:
    below = proportion_interval(7, 20, method=method)
    between = proportion_interval(7.5, 20, method=method)
    above = proportion_interval(8, 20, method=method)
    assert below.low < between.low < above.low
    assert below.high < between.high < above.high


@pytest.mark.parametrize("method", ["wilson", "wilson_cc", "clopper_pearson"])
@pytest.mark.parametrize("rows", [0.05, 0.7, 2.8, 4.5])
def test_fewer_rows_of_a_share_make_no_limit_tighter(method: str, rows: float) -> None:
    for share in (0.5, 0.8, 0.97, 1.0):
        few, more = (proportion_interval(share * n, n, method=method) for n in (rows, rows * 1.5))
        assert few.low <= more.low + 1e-9
        assert few.high >= more.high - 1e-9


def test_effective_sample_size_ignores_the_scale_of_weights() -> None:
    assert effective_sample_size(30, 90) == 10
    assert effective_sample_size(3, 0.9) == pytest.approx(10)
    assert effective_sample_size(1 + 3, 1 + 9) == 1.6
    assert effective_sample_size(0, 0) == 0


def test_what_is_no_share_or_no_method_or_no_level_is_refused() -> None:
    with pytest.raises(InputError, match="lie between 0 and n"):
        proportion_interval(3, 2)
    with pytest.raises(InputError, match="did you mean wilson"):
        proportion_interval(1, 2, method="wilsn")
    with pytest.raises(InputError, match=r"between 0 and 1 \(0.95\), not 95"):
        proportion_interval(1, 2, level=95)
