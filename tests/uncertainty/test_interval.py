"""Intervals as values: cut, mirrored, absent."""

from __future__ import annotations

from dataclasses import replace

import pytest

from heldout.core.errors import InputError
from heldout.uncertainty.interval import Interval, absent, checked_level


def test_interval_is_cut_to_bounds_and_says_so() -> None:
    made = Interval(-1.0, 2.0, 0.95, "x").noted("seen").within((0, 1))
    assert (made.low, made.high) == (0.0, 1.0)
    assert made.note == "seen; lower limit truncated at 0; upper limit truncated at 1"


def test_interval_inside_its_bounds_is_left_alone() -> None:
    made = Interval(0.0, 1.0, 0.95, "x")
    assert made.within((0, 1)) is made


def test_interval_wholly_outside_ends_at_the_bound() -> None:
    made = Interval(1.2, 1.4, 0.95, "x").within((0, 1))
    assert (made.low, made.high) == (1.0, 1.0)


def test_falling_function_swaps_the_limits() -> None:
    made = Interval(0.2, 0.3, 0.95, "x").through(lambda rate: 1 - rate)
    assert (made.low, made.high) == pytest.approx((0.7, 0.8))


def test_absent_interval_stays_absent() -> None:
    made = absent("too few", level=0.9, method="x")
    assert made.is_absent
    assert made.within((0, 1)).through(lambda v: v + 1) is made
    assert not made.contains(0.5)


def test_level_is_a_share() -> None:
    assert checked_level(0.9) == 0.9
    for wrong in (0, 1, 95):
        with pytest.raises(InputError, match="a level lies between 0 and 1"):
            checked_level(wrong)


def test_remarks_are_made_once_and_the_last_cut_is_the_one_told() -> None:
    made = Interval(-3.0, 4.0, 0.95, "x").within((-1, 2)).noted("few rows")
    made = made.noted("few rows", "odd")
    assert made.note == "lower limit truncated at -1; upper limit truncated at 2; few rows; odd"
    again = replace(made, low=-2.0).within((-1, 2))
    assert again.note == "upper limit truncated at 2; few rows; odd; lower limit truncated at -1"
    assert "truncated at 2" not in again.within((-1, 1)).note
