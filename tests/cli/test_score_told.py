"""What ``heldout score`` says where something is off: the file, the row, the option, the fix."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.running import call

MATRIX = ("score", "--orientation", "truth-rows", "--matrix")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def written(name: str, *lines: str) -> str:
    Path(name).write_text("\n".join([*lines, ""]), encoding="utf-8")
    return name


def refused(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    done = call(capsys, *arguments)
    assert done.code == 2
    return done.err


def test_threshold_beside_predicted_values_is_named_as_what_is_wrong(
    capsys: pytest.CaptureFixture[str],
) -> None:
    file = written("dia.csv", "y,pred", "151.0,206.7", "75.0,62.7", "141.0,176.7")
    said = refused(capsys, "score", file, "--threshold", "3")
    assert "--threshold 3 makes labels from scores, and dia.csv has no column of scores" in said
    assert "column 'pred' is not used beside it: leave --threshold out" in said


@pytest.mark.parametrize(
    ("matrix", "said"),
    [
        ("1,2;3", "row 1 has 2 counts and row 2 has 1;"),
        ("1,2,3;4,5,6", "2 rows of 3 counts;"),
    ],
)
def test_matrix_that_is_not_square_says_how_long_its_rows_are(
    capsys: pytest.CaptureFixture[str], matrix: str, said: str
) -> None:
    assert said in refused(capsys, *MATRIX, matrix)


def test_limit_that_is_required_and_absent_says_why_there_is_none(
    capsys: pytest.CaptureFixture[str],
) -> None:
    file = written("rf.csv", "y,p", "1,0.0", "1,0.9", "0,0.2", "0,0.4")
    done = call(capsys, "score", file, "--require", "lower(log_loss) > 0")
    assert done.code == 3
    assert (
        "heldout: log_loss is infinite and has no lower limit (1 row gives its true class "
        "probability 0; no interval: the loss of 1 row is infinite), required: "
        "lower(log_loss) > 0\n"
    ) in done.err


def test_stray_label_of_two_classes_is_named_with_its_rows(
    capsys: pytest.CaptureFixture[str],
) -> None:
    rows = [f"{i % 2},0.{i % 9}" for i in range(60)]
    file = written("stray.csv", "y,p", *rows[:30], "maybe,0.5", *rows[30:])
    expected = "'maybe' is the truth of 1 row only (first: line 32 of stray.csv)"
    for more in ((), ("--positive", "1")):
        said = refused(capsys, "score", file, "--score", "p", *more)
        assert expected in said


def test_label_that_differs_by_a_space_is_seen(capsys: pytest.CaptureFixture[str]) -> None:
    file = written("space.csv", "y,q", "yes,yes", "no,no", '"yes ",yes', "no,no")
    said = refused(capsys, "score", file, "--predicted", "q", "--positive", "yes")
    slip = "'yes ', of 1 row (first: line 4 of space.csv), is 'yes' but for case, spaces"
    assert f"{slip} or invisible characters" in said


def test_label_that_is_predicted_and_never_true_is_noted(
    capsys: pytest.CaptureFixture[str],
) -> None:
    file = written("unk.csv", "y,q", "yes,yes", "no,yess", "no,no", "yes,yess")
    done = call(capsys, "score", file, "--predicted", "q")
    assert done.code == 0
    note = "note: predicted, but never the true class: 'yess' in 2 rows (first: line 3 of unk.csv)"
    assert note in done.err
    said = refused(capsys, "score", file, "--predicted", "q", "--positive", "yes")
    assert "'yess' is predicted in 2 rows (first: line 3 of unk.csv)" in said
    stated = call(capsys, "score", file, "--predicted", "q", "--labels", "no,yes,yess")
    assert "never the true class" not in stated.err


def test_rows_of_one_class_have_no_best_point_and_are_judged_all_the_same(
    capsys: pytest.CaptureFixture[str],
) -> None:
    file = written("one.csv", "y,p", *(f"1,0.{i}" for i in range(1, 9)))
    asked = ("--cost", "0,1;5,0", "--best", "recall >= 0.9")
    done = call(capsys, "score", file, *asked, "--replicates", "50")
    assert done.code == 0, done.err
    reason = "the rows of one.csv are all of class 1"
    assert f"the best point on the ROC hull is not given: {reason}" in done.err
    assert "Decisions by expected cost" in done.out
    said = refused(capsys, "score", file, "--prevalence", "0.1")
    assert f"--prevalence: {reason}, so the rates of the other are not known" in said


def test_best_profit_names_the_options_that_it_needs(capsys: pytest.CaptureFixture[str]) -> None:
    file = written("two.csv", "y,p", "1,0.9", "0,0.2")
    said = refused(capsys, "score", file, "--best", "profit")
    assert "give --profit; beside --cost ask for --best cost" in said
    given = refused(capsys, "score", file, "--best", "profit", "--cost", "0,1;5,0")
    assert "ask for --best cost" in given


def test_intervals_are_listed_as_help_writes_them(capsys: pytest.CaptureFixture[str]) -> None:
    file = written("two.csv", "y,p", "1,0.9", "0,0.2")
    said = refused(capsys, "score", file, "--interval", "delong_plane")
    assert "did you mean delong-plain?" in said
    assert "wald-cc" in said
    assert "_plain" not in said


def test_order_of_the_alphabet_is_noted_where_a_measure_takes_it(
    capsys: pytest.CaptureFixture[str],
) -> None:
    file = written("ord.csv", "truth,predicted", "lo,lo", "mid,hi", "hi,hi", "lo,mid")
    asked = ("score", file, "--measure", "quadratic_kappa", "--no-intervals")
    done = call(capsys, *asked)
    assert "note: order of the classes: hi < lo < mid (alphabetical" in done.err
    assert "ordered measures use hi < lo < mid" in done.out
    stated = call(capsys, *asked, "--labels", "lo,mid,hi")
    assert "order of the classes" not in stated.err
    assert "ordered measures use lo < mid < hi" in stated.out


def test_p_values_of_slices_read_as_those_of_comparisons(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    rows = [f"{i % 2},{i % 2 if region == 'a' or i % 4 < 2 else 1 - i % 2},{region}"
            for region in "ab" for i in range(200)]  # fmt: skip
    path = tmp_path / "sliced.csv"
    path.write_text("\n".join(["truth,predicted,region", *rows]), encoding="utf-8")
    asked = ("--truth", "truth", "--predicted", "predicted", "--positive", "1", "--by", "region")
    done = call(capsys, "score", str(path), *asked, "--measure", "accuracy")
    assert "<0.0001" in done.out
    assert "e-" not in done.out
