"""Numbers as they are shown: digits, counts, words for what is not a number."""

from __future__ import annotations

from math import inf, nan

import pytest
from hypothesis import given
from hypothesis import strategies as st

from heldout.report.numbers import align_points, count_text, number_text, with_limits


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0"),
        (-0.0, "0"),
        (1.0, "1"),
        (0.99996, "1.0000"),
        (0.5, "0.5000"),
        (0.051234, "0.05123"),
        (0.0001, "0.0001000"),
        (0.00009999, "9.999e-5"),
        (-12.3456, "-12.35"),
        (1234567.8, "1,234,568"),
        (1234567.0, "1,234,567"),
        (1e15, "1.000e15"),
        (-2.5e300, "-2.500e300"),
        (nan, "undefined"),
        (inf, "infinite"),
        (-inf, "-infinite"),
    ],
)
def test_number_is_shown_with_four_digits(value: float, text: str) -> None:
    assert number_text(value) == text


@pytest.mark.parametrize(("digits", "text"), [(1, "0.7"), (2, "0.67"), (8, "0.66666667")])
def test_digits_are_significant_ones(digits: int, text: str) -> None:
    assert number_text(2 / 3, digits=digits) == text


@given(st.floats(-1e300, 1e300), st.integers(2, 17))
def test_shown_number_is_the_value_within_its_digits(value: float, digits: int) -> None:
    shown = float(number_text(value, digits=digits).replace(",", ""))
    assert shown == pytest.approx(value, rel=0.5001 * 10 ** (1 - digits), abs=1e-320)


@pytest.mark.parametrize(
    ("value", "text"),
    [(7, "7"), (12345, "12,345"), (7.25, "7.25"), (1 / 3, "0.3333"), (nan, "undefined")],
)
def test_count_is_whole_unless_weights_are_not(value: float, text: str) -> None:
    assert count_text(value) == text


def test_decimal_points_stand_below_each_other() -> None:
    made = align_points(["0.9234", "1", "12.5", "1.2e-5", "undefined"])
    assert made == ["   0.9234", "   1     ", "  12.5   ", "   1.2e-5", "undefined"]
    points = {cell.index(".") for cell in made if "." in cell}
    assert len(points) == 1


@given(st.lists(st.floats() | st.integers(), max_size=8))
def test_alignment_keeps_every_cell(values: list[float]) -> None:
    cells = [number_text(value) for value in values]
    made = align_points(cells)
    assert [cell.strip() for cell in made] == cells
    assert len({len(cell) for cell in made}) <= 1


@given(st.floats(1e-6, 1e6), st.floats(1e-5, 1.0), st.floats(0.05, 0.95), st.integers(2, 5))
def test_value_lies_between_its_limits_as_printed(
    middle: float, width: float, place: float, digits: int
) -> None:
    low, high = middle, middle * (1 + width)
    value = low + place * (high - low)
    texts = with_limits(value, low, high, digits=digits, of_limits=max(digits - 1, 2))
    shown, least, most = (float(text.replace(",", "")) for text in texts)
    assert least < shown < most


def test_limits_that_are_clear_have_their_usual_digits() -> None:
    assert with_limits(0.5, 0.25, 0.75, digits=4, of_limits=3) == ("0.5000", "0.250", "0.750")
    assert with_limits(0.99981, 0.99979, 0.99983, digits=4)[1:] == ("0.99979", "0.99983")
    assert with_limits(0.1, 0.1, 0.2) == ("0.1000", "0.1000", "0.2000")
    assert with_limits(nan, nan, nan) == ("undefined", "undefined", "undefined")
