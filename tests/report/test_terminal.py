"""The terminal: what labels hold is shown and not obeyed; colour only where asked for."""

from __future__ import annotations

from math import nan

import pytest
from hypothesis import given
from hypothesis import strategies as st

from heldout.core.shown import visible
from heldout.report.layout import column_widths
from heldout.report.table import Column, Document, Number, Table, Text
from heldout.report.terminal import shorten, terminal_text

PAGE: Document = (
    Text("first line", "strong"),
    Text("second line", "quiet"),
    Table(
        "Numbers",
        (Column("name"), Column("value", "decimal"), Column("why", excess="wrap")),
        (("a", "0.9234", ""), ("b", "12", "because it is so " * 4), ("c", Number(nan), "no")),
        sections={2: ""},
        notes=("a note below",),
    ),
)


def test_grid_is_drawn_with_aligned_points_and_wrapped_prose() -> None:
    assert (
        terminal_text(PAGE, width=50)
        == """\
first line
second line

Numbers
  name      value  why
  ────────────────────────────────────────────────
  a        0.9234
  b       12       because it is so because it is
                   so because it is so because it
                   is so
  ────────────────────────────────────────────────
  c     undefined  no
  a note below
"""
    )


def test_color_is_written_only_where_asked_for() -> None:
    assert "\x1b" not in terminal_text(PAGE)
    assert "\x1b[33m" in terminal_text(PAGE, color=True)


@pytest.mark.parametrize("label", ["[bold]x[/bold]", "[/]", ":smile:", "[link=http://x]y[/link]"])
def test_labels_are_no_markup(label: str) -> None:
    grid = Table(label, (Column(label),), ((label,),), sections={0: label}, notes=(label,))
    drawn = terminal_text((Text(label), grid), width=80)
    assert drawn.count(label) == 6  # text, title, head, section, cell, note


def test_labels_cannot_steer_the_terminal() -> None:
    drawn = terminal_text((Text("\x1b[2J\rgone"), Table("", (Column("x\a"),), (("\x9b1m",),))))
    assert "\x1b" not in drawn
    assert "\r" not in drawn
    assert r"\x1b[2J\rgone" in drawn


@given(st.text())
def test_visible_text_is_printable_and_differs_where_the_text_does(text: str) -> None:
    assert visible(text).isprintable()
    assert visible(text + "\u200b") != visible(text)


def test_long_label_is_cut_with_an_ellipsis() -> None:
    assert shorten("x" * 40) == "x" * 40
    assert shorten("x" * 41) == "x" * 39 + "…"


def test_wide_characters_take_two_columns() -> None:
    grid = Table("", (Column("class"), Column("n", "right")), (("猫", "1"), ("ab", "2")))
    assert terminal_text((grid,)).splitlines()[2:] == ["  猫     1", "  ab     2"]


@given(
    st.lists(
        st.tuples(st.integers(1, 30), st.integers(1, 90), st.booleans()), min_size=1, max_size=6
    ),
    st.integers(60, 120),
)
def test_widths_fit_the_room_when_prose_and_heads_can_give_way(
    columns: list[tuple[int, int, bool]], room: int
) -> None:
    heads = ["h" * head if head < 8 else "head " * (head // 5) for head, _, _ in columns]
    cells = [["c " * (size // 2) + "c"] for _, size, _ in columns]
    prose = [is_prose for _, _, is_prose in columns]
    widths = column_widths(heads, cells, prose, [False] * len(columns), room)
    gaps = 2 * (len(columns) - 1)
    if widths is None:  # heads have words of up to 7 letters, and prose keeps 12 columns
        assert sum(12 if is_prose else 7 for is_prose in prose) + gaps > room
    else:
        assert sum(widths) + gaps <= room


NUMBERS = st.floats(allow_nan=False, allow_infinity=False).map(lambda x: f"{x:.4g}")


@given(st.lists(st.tuples(NUMBERS, NUMBERS, NUMBERS), min_size=1, max_size=4), st.integers(40, 60))
def test_no_number_is_broken_however_narrow_the_screen(
    rows: list[tuple[str, str, str]], width: int
) -> None:
    columns = (
        Column("measure", excess="wrap"),
        Column("pooled", "decimal"),
        Column("95% interval"),
        Column("mean of folds", "decimal"),
        Column("a corrected value", "decimal"),
    )
    cells = tuple(
        ("Matthews correlation coefficient", one, f"{one} to {two}", two, three)
        for one, two, three in rows
    )
    drawn = terminal_text((Table("", columns, cells),), width=width)
    assert max(map(len, drawn.splitlines())) <= width
    words = drawn.split()
    for number in {number for row in rows for number in row}:
        assert number in words


def test_a_grid_that_does_not_fit_stands_one_row_below_the_other() -> None:
    grid = Table(
        "Measures",
        (
            Column("measure", excess="wrap"),
            Column(""),
            Column("value", "decimal"),
            Column("mean of folds", "decimal"),
            Column("interval"),
        ),
        (("Accuracy", "↑", "0.123456789012", "0.123456789012", "0.12 to 0.13"),),
        sections={0: "Counts"},
        notes=("below",),
    )
    assert terminal_text((grid,), width=40).splitlines() == [
        "Measures",
        "  Counts",
        "  Accuracy ↑",
        "    value 0.123456789012",
        "    mean of folds 0.123456789012",
        "    interval 0.12 to 0.13",
        "  below",
    ]


def test_long_names_that_begin_alike_are_distinct_labels() -> None:
    from heldout.report.terminal import LONGEST, _distinct_labels

    long = "model_" * 10
    shown = _distinct_labels([long + "1", long + "2", "short", long + "1", "x" * 60])
    assert shown[0] != shown[1]
    assert shown[0] == shown[3]
    assert (shown[0][-1], shown[1][-1], shown[2]) == ("1", "2", "short")
    assert shown[4] == "x" * (LONGEST - 1) + "…"
    assert all(len(text) <= LONGEST for text in shown)
