"""What the operating system refuses, and input beyond all measure: a line or two, exit code 2."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import heldout
from heldout.core.errors import InputError
from tests.cli.running import call, command, environment

ROWS = "y,p\n" + "1,0.7\n0,0.2\n1,0.4\n0,0.6\n" * 10
DATA = "a,y\n" + "1.5,u\n0,v\n1,u\n0.3,v\n" * 10
LONG = "a" * 300

posix = pytest.mark.skipif(sys.platform == "win32", reason="the shell and streams of POSIX")
full = pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("rows.csv").write_text(ROWS)
    Path("data.csv").write_text(DATA)
    return tmp_path


def shell(arguments: str, streams: str) -> tuple[int, str]:
    """The command with streams as a shell sets them, and what is on standard error."""
    done = subprocess.run(
        ["/bin/sh", "-c", f'"$@" {streams}', "sh", *command(), *arguments.split()],
        capture_output=True,
        text=True,
        check=False,
        env=environment(),
    )
    return done.returncode, done.stderr


@posix
@pytest.mark.parametrize(
    ("arguments", "streams", "code", "said"),
    [
        ("score -", "<&-", 2, "heldout: cannot read standard input: it is closed"),
        (
            "evaluate - --target y --models lda",
            "<&-",
            2,
            "cannot read standard input: it is closed",
        ),
        ("score rows.csv --measure auc", ">&-", 2, "standard output: it is closed\n"),
        ("score rows.csv --measure auc", "2>&-", 0, ""),
        ("score none.csv", "2>&-", 2, ""),
        ("score none.csv", "<&- >&- 2>&-", 2, ""),
        ("evaluate data.csv --target y --models majority --positive u --no-store", "<&-", 0, ""),
        ("--help", ">&-", 2, "standard output: it is closed\n"),
    ],
)
def test_closed_streams_are_said_where_they_are_needed(
    arguments: str, streams: str, code: int, said: str
) -> None:
    ended, err = shell(arguments, streams)
    assert (ended, said in err) == (code, True), err
    assert "Traceback" not in err


@posix
def test_closed_output_is_no_other_files_place() -> None:
    # the next file that is opened would get the number of standard output
    asked = "evaluate data.csv --target y --positive u --models majority --store st"
    assert shell(f"{asked} --quiet", ">&-")[0] == 2
    assert Path("data.csv").read_text() == DATA
    assert shell("runs list --store st", "")[0] == 0


@full
@pytest.mark.parametrize("arguments", ["--help", "--version", "score --help", "measures"])
def test_what_is_shown_on_a_full_disk_is_bad_output(arguments: str) -> None:
    said = "heldout: cannot write to standard output: the disk is full\n"
    assert shell(arguments, "> /dev/full") == (2, said)


@full
def test_complaints_that_nobody_can_read_change_no_exit_code() -> None:
    assert shell("score rows.csv --wrong", "2> /dev/full") == (2, "")


@full
@pytest.mark.parametrize("ending", ["csv", "json", "parquet"])
def test_splits_on_a_full_disk(capsys: pytest.CaptureFixture[str], ending: str) -> None:
    path = Path(f"s.{ending}")
    path.symlink_to("/dev/full")
    done = call(capsys, "split", "data.csv", "--target", "y", "--output", str(path))
    assert (done.code, done.err) == (2, f"heldout: cannot write {path}: the disk is full\n")


def test_charts_that_cannot_be_written_leave_no_folder(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    write = Path.write_bytes

    def fill(path: Path, content: bytes) -> int:
        if path.parent.name == "charts":
            raise OSError(28, "No space left on device")
        return write(path, content)

    monkeypatch.setattr(Path, "write_bytes", fill)
    done = call(capsys, "score", "rows.csv", "--measure", "auc", "--plot", "all=new/charts")
    assert done.code == 2
    assert "the disk is full" in done.err
    assert not Path("new").exists()


@pytest.mark.parametrize(
    "arguments",
    [
        f"score {LONG}.csv",
        f"score rows.csv --output {LONG}.json",
        f"score rows.csv --plot all={LONG}",
        f"score rows.csv --profit {LONG}",
        f"evaluate {LONG}.csv --target y --models majority",
        f"evaluate data.csv --target y --positive u --models majority --splits {LONG}.csv",
        f"split data.csv --target y --output {LONG}.csv",
        f"audit {LONG}.csv",
        f"compare {LONG}.csv rows.csv",
    ],
)
def test_names_that_are_too_long_are_shown_in_part(
    capsys: pytest.CaptureFixture[str], arguments: str
) -> None:
    done = call(capsys, *arguments.split())
    assert done.code == 2
    assert done.err.endswith("File name too long\n")
    assert len(done.err.splitlines()[-1]) < 250


@posix
@pytest.mark.parametrize(
    "arguments",
    [
        "score locked/rows.csv",
        "score locked",
        "audit locked/data.csv",
        "evaluate data.csv --target y --positive u --models majority --store locked/st",
        "evaluate data.csv --target y --positive u --models majority --splits locked/s.csv",
        "score rows.csv --plot all=locked/charts",
        "score rows.csv --output locked/o.json",
        "runs list --store locked",
        "measures --output locked/m.json",
    ],
)
def test_locked_folders_are_said_to_be(folder: Path, arguments: str) -> None:
    # root passes every lock, unless it gives that right away
    setpriv, plain = shutil.which("setpriv"), os.geteuid() != 0
    if not plain and not setpriv:
        pytest.skip("root opens every folder")
    drop = [] if plain else [str(setpriv), "--bounding-set=-dac_override,-dac_read_search"]
    locked = folder / "locked"
    locked.mkdir()
    locked.chmod(0)
    try:
        done = subprocess.run(
            [*drop, *command(), *arguments.split()],
            capture_output=True,
            text=True,
            check=False,
            env=environment(),
        )
    finally:
        locked.chmod(0o700)
    if "setpriv" in done.stderr:
        pytest.skip("rights cannot be given away here")
    assert done.returncode == 2, done.stderr
    assert done.stderr.splitlines()[-1].endswith("Permission denied")


def test_json_that_is_nested_too_deeply_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    deep = "[" * 100_000 + "]" * 100_000
    Path("p.jsonl").write_text(f'{{"y": 1, "p": {deep}}}\n')
    Path("s.json").write_text(f'{{"splits": {deep}}}')
    assert "p.jsonl line 1 cannot be read: it is nested too deeply" in (
        call(capsys, "score", "p.jsonl").err
    )
    done = call(capsys, "split", "data.csv", "--target", "y", "--splits", "s.json")
    assert (done.code, "it is nested too deeply" in done.err) == (2, True)
    with pytest.raises(InputError, match="not a list of rows"):
        heldout.score([0, 1], [0, 1], profit=deep)


def test_long_fields_and_headers_are_read(capsys: pytest.CaptureFixture[str]) -> None:
    long = "x" * 200_000
    Path("cell.csv").write_text(f"y,p,note\n1,0.3,{long}\n0,0.2,a\n")
    Path("head.csv").write_text(f"y,p,{long}\n1,0.3,b\n0,0.2,a\n")
    many = ",".join(f"column_{i}" for i in range(12_000))
    Path("wide.csv").write_text(f"y\tp\tnote\n1\t0.3\t{many}\n0\t0.2\ta\n")
    for path in ("cell.csv", "head.csv", "wide.csv"):
        asked = ("score", path, "--truth", "y", "--score", "p", "--measure", "auc")
        assert call(capsys, *asked).code == 0, path
    Path("ragged.csv").write_text(f"y,p\n1,0.3\n0,0.2,{long}\n")
    assert "line 3 has 3 fields" in call(capsys, "score", "ragged.csv").err


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("s.csv", "row,fold\n1,99999999999999999999999\n2,1\n", "whole number of at most 9"),
        ("s.csv", "row,fold\n1,²\n2,1\n", "fold '²' (entry 1) is not a whole number"),
        (
            "s.csv",
            "row,fold,repeat\n" + "".join(f"{i},{i % 2 + 1},999999999\n" for i in range(1, 41)),
            "file s.csv of data: 40 rows, 2 splits",
        ),
        (
            "s.json",
            json.dumps({"splits": {"row": ["1", "2"], "fold": ["1"]}}),
            "its columns differ in length",
        ),
        ("s.json", '{"splits": {"row": ' + "9" * 5000 + "}}", "it is not JSON as heldout split"),
    ],
)
def test_odd_files_of_splits_end_in_words(
    capsys: pytest.CaptureFixture[str], name: str, content: str, said: str
) -> None:
    Path(name).write_text(content)
    done = call(capsys, "split", "data.csv", "--target", "y", "--splits", name)
    assert "heldout failed" not in done.err
    assert said in done.out + done.err


@pytest.mark.parametrize(
    "procedure",
    ["bootstrap 1000000000", "100000000x10-fold", "9999999x holdout 70:30", ".632+ 99999999"],
)
def test_more_splits_than_anybody_fits_are_refused(
    capsys: pytest.CaptureFixture[str], procedure: str
) -> None:
    done = call(capsys, "split", "data.csv", "--target", "y", "--procedure", procedure)
    assert done.code == 2
    assert "splits, and each is a fit; at most 1,000,000 are made" in done.err


def test_repeats_that_no_memory_holds_are_refused() -> None:
    with pytest.raises(InputError, match=r"10,000,000,000 places of rows to keep"):
        heldout.KFold(10, repeats=100_000).splits(100_000)


class Mute(Exception):
    def __str__(self) -> str:
        raise ValueError("no words")


class Failing:
    def get_params(self, deep: bool = True) -> dict[str, object]:
        return {}

    def fit(self, X: object, y: object) -> None:
        raise Mute

    def predict(self, X: object) -> object:
        raise Mute


def test_error_that_cannot_be_printed_is_told_by_its_kind() -> None:
    X = [[float(i)] for i in range(12)]
    made = heldout.evaluate(Failing(), X, [0, 1, 1] * 4, procedure="3-fold", store=False)
    assert "Failing failed in 3 of 3 splits: Mute" in made.notes


def test_backend_of_matplotlib_that_is_none_is_named() -> None:
    done = subprocess.run(
        [*command(), "score", "rows.csv", "--measure", "auc", "--plot", "roc=roc.png"],
        capture_output=True,
        text=True,
        check=False,
        env=environment(MPLBACKEND="foo"),
    )
    assert done.returncode == 2
    assert done.stderr.endswith("MPLBACKEND: matplotlib has no backend 'foo'; unset it\n")


def test_cluster_that_nothing_needs_is_said_to_be_unused(
    capsys: pytest.CaptureFixture[str],
) -> None:
    asked = ("--target", "y", "--positive", "u", "--models", "lda", "--no-store")
    done = call(capsys, "evaluate", "data.csv", *asked, "--backend", "ray")
    assert done.code == 0
    assert "backend ray: not used, since no model had to be fitted" in done.err


def test_many_levels_of_an_attribute_are_read(capsys: pytest.CaptureFixture[str]) -> None:
    levels = ",".join(f"v{i}" for i in range(60_000))
    rows = "".join(f"v{i % 9},{'uw'[i % 2]}\n" for i in range(40))
    Path("d.arff").write_text(
        f"@relation d\n@attribute a {{{levels}}}\n@attribute y {{u,w}}\n@data\n{rows}"
    )
    assert call(capsys, "split", "d.arff", "--target", "y").code == 0
