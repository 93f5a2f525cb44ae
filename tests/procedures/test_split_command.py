"""``heldout split``: splits to a file and back, with their balance."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.running import call

PATIENTS = "id,patient,day,fold,x,outcome\n" + "".join(
    f"v{i},p{i // 3},{i % 10},{i % 4},{i * 7 % 11},{'ill' if i % 5 == 0 else 'well'}\n"
    for i in range(60)
)


@pytest.fixture
def patients(tmp_path: Path) -> str:
    path = tmp_path / "patients.csv"
    path.write_text(PATIENTS)
    return str(path)


@pytest.mark.parametrize("name", ["splits.csv", "splits.parquet", "splits.json"])
def test_splits_that_are_read_back_have_the_same_fingerprint(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = str(tmp_path / name)
    written = call(
        capsys, "split", "iris", "--procedure", "2x10-fold", "--seed", "3", "--output", path
    )
    assert written.code == 0, written.err
    read = call(capsys, "split", "iris", "--splits", path)
    assert written.out.splitlines()[-1].startswith("fingerprint ")
    assert read.out.splitlines()[-1] == written.out.splitlines()[-1]
    assert "2x10-fold of iris: 150 rows, 20 splits" in written.out


def test_groups_and_ids_are_taken_from_columns(
    patients: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = str(tmp_path / "splits.csv")
    flags = [
        "--target",
        "outcome",
        "--positive",
        "ill",
        "--group",
        "patient",
        "--id",
        "id",
        "--ignore",
        "fold,day",
    ]
    done = call(capsys, "split", patients, *flags, "--procedure", "4-fold", "--output", path)
    assert done.code == 0, done.err
    assert "groups: none is split" in done.out
    assert "classes: at most" in done.out
    lines = Path(path).read_text().splitlines()
    assert lines[0] == "row,repeat,fold,part,procedure"
    assert lines[1].startswith("v0,1,")
    assert lines[1].split(",")[2] == lines[2].split(",")[2] == lines[3].split(",")[2]
    again = call(capsys, "split", patients, *flags, "--splits", path)
    assert again.out.splitlines()[-1] == done.out.splitlines()[-1]


def test_column_of_folds_and_times(patients: str, capsys: pytest.CaptureFixture[str]) -> None:
    done = call(
        capsys,
        "split",
        patients,
        "--positive=ill",
        "--procedure=column fold",
        "--format=json",
    )
    assert done.code == 0, done.err
    found = json.loads(done.out)
    assert found["procedure"] == "column fold"
    assert [part["test"] for part in found["parts"]] == [15] * 4
    assert [part["fold"] for part in found["parts"]] == [0, 1, 2, 3]  # as the column says
    assert found["parts"][0]["classes"] == {"ill": 3, "well": 12}
    done = call(capsys, "split", patients, "--positive=ill", "--procedure=time 3", "--time=day")
    assert done.code == 0, done.err
    assert "no times are given" not in done.err


def test_table_is_short_unless_all_is_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    short = call(capsys, "split", "iris", "--procedure", "loo")
    assert "... and 130 more (--all)" in short.out
    assert len(short.out.splitlines()) < 35
    full = call(capsys, "split", "iris", "--procedure", "loo", "--all")
    assert len(full.out.splitlines()) > 150


def test_regression_shows_means(capsys: pytest.CaptureFixture[str]) -> None:
    done = call(capsys, "split", "diabetes", "--procedure", "5-fold bins 10")
    assert done.code == 0, done.err
    assert "mean" in done.out
    assert "5-fold stratified by bins 10 of diabetes" in done.out


def test_validation_rows_are_shown_with_their_classes(capsys: pytest.CaptureFixture[str]) -> None:
    asked = ("split", "iris", "--procedure", "holdout 50:20:30")
    lines = [line.split() for line in call(capsys, *asked).out.splitlines()]
    assert ["Validation", "parts,", "with", "the", "share", "of", "each", "class"] in lines
    assert ["1", "1", "75", "30", "33.3%", "33.3%", "33.3%"] in lines
    (part,) = json.loads(call(capsys, *asked, "--format", "json").out)["parts"]
    assert (part["train"], part["validation"], part["test"]) == (75, 30, 45)
    assert part["validation_classes"] == {"setosa": 10, "versicolor": 10, "virginica": 10}
    assert "Validation" not in call(capsys, "split", "iris").out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--procedure", "10-fild"], "did you mean 10-fold?"),
        (
            ["--procedure", "200-fold"],
            "there are only 150 rows; use at most 150-fold or loo",
        ),
        (["--procedure", "5-fold", "--splits", "x.csv"], "give one of them"),
        (["--splits", "nowhere.csv"], "there is no file of splits nowhere.csv"),
        (["--output", "splits.xlsx"], "ends in none of"),
        (["--procedure", "groups"], "no groups are given"),
        (["--seed", "-1"], "a seed is a whole number from 0"),
    ],
)
def test_bad_input_is_refused(
    arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    done = call(capsys, "split", "iris", *arguments)
    assert done.code == 2
    assert said in done.err
    assert done.out == ""


def test_input_is_never_replaced(patients: str, capsys: pytest.CaptureFixture[str]) -> None:
    done = call(capsys, "split", patients, "--output", patients)
    assert done.code == 2
    assert "it is read as input" in done.err
    assert Path(patients).read_text() == PATIENTS
