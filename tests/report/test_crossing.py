"""Tables by two names: they fit the width, and lose no cell on the way."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from heldout.report.layout import Grid, fold, lay_out, longest_word
from heldout.report.table import Column, Table
from heldout.report.terminal import terminal_text

WORDS = st.text("abcdefgh ", min_size=1, max_size=20).map(lambda t: t.strip() or "x")


def crossing(rows: int, columns: int, *, title: str = "measure of columns") -> Table:
    return Table(
        "Title",
        (
            Column("model", excess="cut"),
            *(Column(f"{title} {j} ↑", "decimal") for j in range(columns)),
        ),
        tuple((f"row {i}", *(f"{i}.{j:03d}" for j in range(columns))) for i in range(rows)),
        notes=("a note",),
        fit="turn",
        across="measure",
    )


def grids(table: Table, width: int | None) -> list[Grid]:
    return [block for block in lay_out((table,), width=width) if isinstance(block, Grid)]


def test_what_fits_stays_as_it_is() -> None:
    (grid,) = grids(crossing(3, 4), 80)
    assert [column.title for column in grid.columns][:2] == ["model", "measure of columns 0 ↑"]
    assert len(grid.rows) == 3


def test_what_fits_better_turned_is_turned() -> None:
    (grid,) = grids(crossing(3, 20), 80)
    assert [column.title for column in grid.columns] == ["measure", "row 0", "row 1", "row 2"]
    assert len(grid.rows) == 20


def test_what_fits_neither_way_is_parted_with_title_and_notes_once() -> None:
    made = grids(crossing(30, 30), 80)
    assert len(made) > 1
    assert [grid.title for grid in made] == ["Title"] + [""] * (len(made) - 1)
    assert [grid.notes for grid in made] == [()] * (len(made) - 1) + [("a note",)]


def test_without_a_width_nothing_is_parted() -> None:
    assert len(grids(crossing(30, 30), None)) == 1


def test_nothing_gives_no_grid() -> None:
    assert grids(crossing(0, 3), 80) == []
    assert grids(crossing(3, 0), 80) == []


@given(st.integers(1, 12), st.integers(1, 12), st.integers(40, 130))
def test_every_cell_is_shown_once_and_lines_fit(rows: int, columns: int, width: int) -> None:
    given_cells = crossing(rows, columns)
    made = grids(given_cells, width)
    shown = [cell for grid in made for row in grid.rows for cell in row[1:]]
    assert sorted(shown) == sorted(str(cell) for line in given_cells.rows for cell in line[1:])
    drawn = terminal_text((given_cells,), width=width)
    assert max(map(len, drawn.splitlines())) <= width
    assert all(cell in drawn for cell in shown)


@given(WORDS, st.integers(1, 30))
def test_folded_head_keeps_its_words_and_its_arrow(head: str, width: int) -> None:
    made = fold(f"{head} ↑", max(width, longest_word(f"{head} ↑")))
    assert made.split() == f"{head} ↑".split()
    assert made.endswith(" ↑")
