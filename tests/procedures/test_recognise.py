"""Which procedure splits from a file, or given in Python, are taken for."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from sklearn.model_selection import GroupShuffleSplit, LeavePGroupsOut, TimeSeriesSplit

from heldout.core.errors import InputError
from heldout.predictions.plan import plan_of
from heldout.procedures.parse import parse_procedure
from heldout.procedures.split_file import FromFile, write_splits
from heldout.procedures.structure import recognised

ROWS = 12


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("bootstrap 3", "bootstrap 3"),
        (".632+ 3", "bootstrap 3"),
        ("time 3", "time 3"),
        ("time 3 gap 1", "time 3"),
        ("leave-2-out", "leave-2-out"),
        ("3-fold", ""),
        ("2x3-fold", ""),
        ("loo", ""),
        ("holdout 70:30", ""),
        ("4x holdout 70:30", ""),
    ],
)
def test_rows_show_what_made_them_where_that_decides_about_intervals(
    text: str, expected: str
) -> None:
    assert recognised(parse_procedure(text).splits(ROWS)) == expected


def test_order_is_that_of_times_where_they_are_given() -> None:
    time = np.arange(ROWS)[::-1]
    splits = parse_procedure("time 3").splits(ROWS, time=time)
    assert recognised(splits) == ""
    assert recognised(splits, time) == "time 3"


@pytest.mark.parametrize("ending", ["csv", "parquet", "json"])
@pytest.mark.parametrize("text", ["time 3", ".632+ 3", "5-fold", "leave-2-out", "3x holdout 70:30"])
def test_a_file_tells_its_procedure_and_so_does_a_copy_of_it(
    text: str, ending: str, tmp_path: Path
) -> None:
    splits = parse_procedure(text).splits(ROWS)
    first, second = tmp_path / f"a.{ending}", tmp_path / f"b.{ending}"
    write_splits(splits, first)
    found = FromFile(first).splits(ROWS)
    assert found.procedure == f"{text} (file {first})"
    assert found.fingerprint == splits.fingerprint
    write_splits(found, second)
    assert FromFile(second).splits(ROWS).procedure == f"{text} (file {second})"


def test_a_file_that_does_not_tell_is_taken_for_what_its_rows_show_with_a_note(
    tmp_path: Path,
) -> None:
    path = tmp_path / "splits.csv"
    write_splits(parse_procedure("bootstrap 3").splits(ROWS), path)
    lines = [line.rpartition(",")[0] for line in path.read_text().splitlines()]
    path.write_text("\n".join(lines) + "\n")
    found = FromFile(path).splits(ROWS)
    assert found.procedure.startswith("bootstrap 3 ")
    assert any("recognised as bootstrap 3" in note for note in found.notes)


def test_the_name_of_a_file_does_not_decide(tmp_path: Path) -> None:
    path = tmp_path / "TimeSeries.csv"
    write_splits(parse_procedure("3-fold").splits(ROWS), path)
    assert not plan_of(FromFile(path).splits(ROWS).procedure).is_in_time
    times = parse_procedure(TimeSeriesSplit(3)).splits(ROWS)
    assert plan_of(times.procedure).is_in_time


def test_a_file_of_two_procedures_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "splits.csv"
    path.write_text("row,fold,procedure\n1,1,2-fold\n2,2,time 2\n")
    with pytest.raises(InputError, match="'2-fold' and 'time 2'"):
        FromFile(path).splits(2)


def test_rows_listed_in_python_are_recognised_too() -> None:
    pairs = [(np.arange(end), np.arange(end, end + 2)) for end in (4, 6, 8)]
    found = parse_procedure(pairs).splits(ROWS)
    assert found.procedure == "time 3 (3 given splits)"


def test_every_choice_of_whole_groups_is_leave_p_out_as_heldouts_own_is(tmp_path: Path) -> None:
    groups = np.array([0, 0, 1, 1, 1, 2, 2, 3, 3, 4, 4, 4])
    own = parse_procedure("leave-2-out").splits(ROWS, groups=groups)
    pairs = [(split.train, split.test) for split in own]
    for given in (LeavePGroupsOut(2), pairs, pairs[::-1]):
        found = parse_procedure(given).splits(ROWS, groups=groups)
        assert plan_of(found.procedure).is_leave_some_out
        assert any("taken for leave-2-out" in note for note in found.notes)
    path = tmp_path / "splits.csv"
    write_splits(own, path)
    path.write_text("\n".join(line.rpartition(",")[0] for line in path.read_text().splitlines()))
    assert FromFile(path).splits(ROWS, groups=groups).procedure.startswith("leave-2-out ")


def test_some_choices_of_groups_are_no_leave_p_out() -> None:
    groups = np.arange(ROWS) // 2
    own = parse_procedure("leave-2-out").splits(ROWS, groups=groups)
    pairs = [(split.train, split.test) for split in own]
    assert recognised(parse_procedure(pairs[1:]).splits(ROWS), groups=groups) == ""
    cut = [(np.append(pairs[0][0], pairs[0][1][:1]), pairs[0][1][1:]), *pairs[1:]]
    assert recognised(parse_procedure(cut).splits(ROWS), groups=groups) == ""
    drawn = parse_procedure(GroupShuffleSplit(30, test_size=2, random_state=1))
    assert recognised(drawn.splits(ROWS, groups=groups), groups=groups) == ""
