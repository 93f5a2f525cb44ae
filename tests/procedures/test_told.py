"""Procedures and files of splits that do not fit the rows: the message says what would."""

from __future__ import annotations

from pathlib import Path

import pytest

from heldout.core.errors import InputError
from heldout.procedures.parse import parse_procedure
from heldout.procedures.split_file import FromFile
from heldout.procedures.time_ordered import TimeOrdered


@pytest.mark.parametrize(
    ("spec", "most"), [("time 500", 199), ("time 300 gap 7", 192), ("time 70 test 3", 66)]
)
def test_more_parts_than_times_are_told_the_most_there_can_be(spec: str, most: int) -> None:
    with pytest.raises(InputError, match=f"{spec}: 200 rows allow at most {most} test parts"):
        parse_procedure(spec).splits(200)
    made = parse_procedure(spec)
    assert isinstance(made, TimeOrdered)
    fewer = TimeOrdered(most, gap=made.gap, test=made.test)
    assert len(fewer.splits(200)) == most
    with pytest.raises(InputError):
        TimeOrdered(most + 1, gap=made.gap, test=made.test).splits(200)


def test_splits_by_ids_are_told_how_to_name_them(tmp_path: Path) -> None:
    path = tmp_path / "splits.csv"
    path.write_text("row,fold\np1,1\np2,2\n")
    with pytest.raises(InputError, match=r"'p1'.* is not the number of .*ids="):
        FromFile(path).splits(2)
    assert len(FromFile(path).splits(2, identifiers=["p1", "p2"])) == 2
