"""``heldout evaluate`` given what cannot work: exit code 2, one or two lines, a way out."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.running import Done, call

ROWS = [f"{i % 7},{(i * 13) % 11},{'ab'[i % 2]},g{i % 3},{i}" for i in range(40)]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a small table, which is the current one."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("HELDOUT_STORE", raising=False)
    (tmp_path / "data.csv").write_text("\n".join(["x,z,y,who,day", *ROWS]))
    return tmp_path


def refused(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """The message of a call that is refused: short, and nothing on standard output."""
    done: Done = call(capsys, "evaluate", *arguments)
    assert done.code == 2, done.err
    assert done.out == ""
    lines = [line for line in done.err.splitlines() if not line.startswith(("note:", "(see"))]
    assert 1 <= len(lines) <= 2, done.err
    assert lines[0].startswith("heldout: ")
    assert "Traceback" not in done.err
    return done.err


TARGET = ("data.csv", "--target", "y", "--positive", "b", "--ignore", "who,day")
NB = ("--models", "nb")
BAD = ("bad.csv", "--positive", "b", *NB)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("iris",), "--models"),
        (("iris", "--models", "knnn"), "knn"),
        (("iris", "--models", "knn[neighbors=3]"), "n_neighbors"),
        (("iris", *NB, "--procedure", "10-fld"), "10-fold"),
        (("iris", *NB, "--procedure", "hold out"), "holdout"),
        (("iris", *NB, "--procedure", "200-fold"), "150"),
        (("iriss", *NB), "iris"),
        (("nowhere.csv", *NB), "nowhere.csv"),
        (("data.csv", "--target", "why", *NB), "why"),
        ((*TARGET, *NB, "--group", "person"), "person"),
        ((*TARGET[:5], "--group", "who", *NB, "--procedure", "5-fold"), "3 groups"),
        (("data.csv", "--target", "y", "--task", "regression", *NB), "y"),
        (("iris", "--models", "no_such_package.models:make"), "no_such_package"),
        (("iris", "--models", "os.path:join"), "os.path:join"),
        (("iris", "--models", "sklearn.naive_bayes:NoSuch"), "NoSuch"),
        (("iris", *NB, "--interval", "naive"), "training rows"),
        (("iris", *NB, "--interval", "magic"), "magic"),
        (("iris", *NB, "--level", "95"), "0.95"),
        (("iris", *NB, "--measure", "acuracy"), "accuracy"),
        (("iris", *NB, "--measure", "rmse"), "regression"),
        (("iris", *NB, "--measure", "auc[class=rose]"), "rose"),
        (("iris", *NB, "--require", "recall >= 0.5"), "recall_macro"),
        (("iris", *NB, "--jobs", "0"), "--jobs"),
        (("iris", *NB, "--timeout", "-1"), "--timeout"),
        (("iris", *NB, "--splits", "none.csv"), "none.csv"),
        (("iris", *NB, "--splits", "a.csv", "--procedure", "loo"), "--splits"),
        (("iris", *NB, "--output", "nowhere/out.json"), "nowhere"),
        (("iris", *NB, "--predictions", "out.xlsx"), ".parquet"),
        (("data.csv", "--target", "y", *NB, "--predictions", "data.csv"), "input"),
        (("iris", *NB, "--store", "s", "--no-store"), "--no-store"),
    ],
)
def test_bad_usage_is_refused_in_a_line_or_two(
    capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], said: str
) -> None:
    assert said in refused(capsys, *arguments)


def table(folder: Path, *rows: str) -> None:
    (folder / "bad.csv").write_text("\n".join(rows))


def test_target_of_one_class_is_refused(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    table(folder, "x,y", *(f"{i},a" for i in range(20)))
    assert "y" in refused(capsys, "bad.csv", *NB)


def test_class_with_fewer_rows_than_folds_is_refused_with_an_offer(
    capsys: pytest.CaptureFixture[str], folder: Path
) -> None:
    table(folder, "x,y", *(f"{i},{'b' if i < 3 else 'a'}" for i in range(30)))
    message = refused(capsys, *BAD, "--procedure", "5-fold stratified")
    assert "3" in message
    assert "3-fold" in message


def test_missing_target_is_refused_or_left_out_and_counted(
    capsys: pytest.CaptureFixture[str], folder: Path
) -> None:
    table(folder, "x,y", *(f"{i % 9},{'' if i == 7 else 'ab'[i % 2]}" for i in range(40)))
    assert "--drop-missing-target" in refused(capsys, *BAD)
    asked = (
        "--drop-missing-target",
        "--procedure",
        "3-fold",
        "--no-store",
        "--measure",
        "accuracy",
    )
    done = call(capsys, "evaluate", *BAD, *asked)
    assert done.code == 0, done.err
    assert "1 row" in done.err
    assert "39 rows" in done.out


def test_columns_without_any_value_are_told(
    capsys: pytest.CaptureFixture[str], folder: Path
) -> None:
    table(folder, "x,empty,y", *(f"{i % 9},,{'ab'[i % 2]}" for i in range(40)))
    done = call(capsys, "evaluate", *BAD, "--procedure", "3-fold", "--no-store")
    assert "empty" in done.err
    table(folder, "empty,y", *(f",{'ab'[i % 2]}" for i in range(40)))
    assert "empty" in refused(capsys, *BAD)


def test_import_that_fails_names_its_error_and_where(
    capsys: pytest.CaptureFixture[str], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "broken_models.py").write_text("value = 1\nraise RuntimeError('my own fault')\n")
    monkeypatch.syspath_prepend(str(folder))
    message = refused(capsys, "iris", "--models", "broken_models:make")
    assert "my own fault" in message
    assert "broken_models.py" in message


def test_store_that_cannot_be_a_folder_is_refused(
    capsys: pytest.CaptureFixture[str], folder: Path
) -> None:
    (folder / "taken").write_text("a file")
    assert "taken" in refused(capsys, "iris", *NB, "--store", "taken")


def test_corrupted_store_names_its_file(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    asked = ("evaluate", "iris", "--models", "tree", "--procedure", "3-fold", "--quiet")
    assert call(capsys, *asked).code == 0
    for path in (folder / ".heldout").iterdir():
        path.write_bytes(b"not a database at all" * 100)
    done = call(capsys, *asked[:-1])
    assert done.code in (0, 2)
    assert "runs.sqlite" in done.err
