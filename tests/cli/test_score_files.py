"""Files that ``heldout score`` writes: each its own, all of them or none; options said once."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.running import call

SPAM = (
    "score",
    "example:spam",
    *("--truth", "label", "--score", "p_spam", "--positive", "spam", "--quiet", "--no-intervals"),
)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (
            ("--output", "same.csv", "--curve", "roc=same.csv"),
            "--output and --curve roc=same.csv write the same file, same.csv",
        ),
        (
            ("--plot", "roc=q.png", "--plot", "pr=./q.png"),
            "--plot roc=q.png and --plot pr=q.png write the same file, q.png",
        ),
        (
            ("--plot", "all=charts", "--plot", "roc[band=none]=charts/roc.png"),
            "--plot all=charts and --plot roc[band=none]=charts/roc.png write the same file",
        ),
    ],
)
def test_two_options_that_write_one_file_are_refused_before_any_work(
    capsys: pytest.CaptureFixture[str], folder: Path, asked: tuple[str, ...], said: str
) -> None:
    (folder / "charts").mkdir()
    done = call(capsys, *SPAM, *asked)
    assert done.code == 2
    assert said in done.err
    assert [path.name for path in folder.rglob("*")] == ["charts"]


def test_same_chart_asked_for_twice_and_devices_are_no_clash(
    capsys: pytest.CaptureFixture[str], folder: Path
) -> None:
    twice = ("--plot", "roc.png", "--plot", "roc.png")
    done = call(capsys, *SPAM, *twice, "--output", "/dev/null", "--curve", "roc=points.csv")
    assert done.code == 0, done.err
    assert sorted(path.name for path in folder.iterdir()) == ["points.csv", "roc.png"]


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="a folder that lies about its rights")
@pytest.mark.parametrize("last", [("--curve", "roc=/proc/y.csv"), ("--plot", "all=/proc/y")])
def test_where_one_file_cannot_be_written_none_is(
    capsys: pytest.CaptureFixture[str], folder: Path, last: tuple[str, str]
) -> None:
    done = call(capsys, *SPAM, "--output", "ok.json", "--plot", "roc=ok.png", *last)
    assert done.code == 2
    assert "cannot write /proc/y" in done.err
    assert list(folder.iterdir()) == []


def test_failure_in_the_midst_of_writing_leaves_no_file_and_what_was_there(
    capsys: pytest.CaptureFixture[str], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "ok.json").write_text("old", encoding="utf-8")
    write = Path.write_bytes

    def full(path: Path, data: bytes) -> int:
        if path.suffix == ".csv":
            raise OSError(28, "No space left on device")
        return write(path, data)

    monkeypatch.setattr(Path, "write_bytes", full)
    done = call(capsys, *SPAM, "--output", "ok.json", "--plot", "roc.png", "--curve", "roc.csv")
    assert done.code == 2
    assert "cannot write roc.csv: the disk is full" in done.err
    assert [path.name for path in folder.iterdir()] == ["ok.json"]
    assert (folder / "ok.json").read_text(encoding="utf-8") == "old"


def test_points_do_not_replace_the_rows_they_are_of(
    capsys: pytest.CaptureFixture[str], folder: Path
) -> None:
    rows = "y,p\n1,0.9\n0,0.2\n"
    (folder / "rows.csv").write_text(rows, encoding="utf-8")
    done = call(capsys, "score", "rows.csv", "--curve", "roc=rows.csv")
    assert done.code == 2
    assert "it is read as input" in done.err
    assert (folder / "rows.csv").read_text(encoding="utf-8") == rows


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((*SPAM, "--truth", "id"), "--truth is given more than once"),
        (
            (*SPAM, "--per-class", "--no-per-class"),
            "--no-per-class is given more than once",
        ),
        (
            ("split", "example:spam", "--target", "a", "--target", "b"),
            "given more than once",
        ),
        (("runs", "--store", "a", "--store", "b"), "--store is given more than once"),
    ],
)
def test_option_of_one_value_that_is_given_twice_is_refused_by_every_command(
    capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], said: str
) -> None:
    done = call(capsys, *arguments)
    assert done.code == 2
    assert f"{said}" in done.err


def test_switches_and_options_marked_as_such_may_come_twice(
    capsys: pytest.CaptureFixture[str],
) -> None:
    done = call(capsys, *SPAM, "--quiet", "--measure", "auc", "--measure", "accuracy")
    assert done.code == 0, done.err
