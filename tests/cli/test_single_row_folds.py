"""Folds of a single row, and bands that cannot be: charts and files say what they lack."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.running import call

pytest.importorskip("matplotlib")

ROLES = ("--truth", "y", "--score", "p", "--fold", "f", "--no-audit", "--no-intervals")
LACK = "needs a fold with rows of two classes, and every fold is a single row"
Capture = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    rows = [(i % 2, (i * 7 % 20 + 4 * (i % 2)) / 30, i) for i in range(40)]
    lines = "".join(f"{y},{p:.3f},{i}\n" for y, p, i in rows)
    Path("loo.csv").write_text(f"y,p,f\n{lines}")
    twice = "".join(f"{y},{p:.3f},{i % 4},{r}\n" for r in (1, 2) for y, p, i in rows)
    Path("twice.csv").write_text(f"y,p,f,r\n{twice}")


@pytest.mark.parametrize(
    ("asked", "what", "written"),
    [
        # results are never lost to a chart
        (("--plot", "roc_average=a.png"), "chart", ["o.json"]),
        (("--curve", "roc_average=a.csv"), "curve", []),
    ],
)
def test_average_over_single_rows_is_refused(
    capsys: Capture, asked: tuple[str, str], what: str, written: list[str]
) -> None:
    done = call(capsys, "score", "loo.csv", *ROLES, *asked, "--output", "o.json")
    assert done.code == 2
    assert f"a roc_average {what} {LACK}" in done.err
    assert [path.name for path in Path().glob("[ao].*")] == written


def test_all_charts_leave_it_out_and_say_so(capsys: Capture) -> None:
    done = call(capsys, "score", "loo.csv", *ROLES, "--plot", "all=charts")
    assert done.code == 0
    assert not Path("charts/roc_average.png").exists()
    assert Path("charts/roc.png").exists()
    assert done.err.count(f"roc_average.png is left out: a roc_average chart {LACK}") == 1
    quiet = call(capsys, "score", "loo.csv", *ROLES, "--quiet", "--plot", "all=charts")
    assert quiet.err == ""


def test_evaluation_refuses_it_before_anything_is_fitted(
    capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fit(*_: object, **__: object) -> None:
        raise AssertionError("something was fitted")

    monkeypatch.setattr("heldout.runner.run.run", fit)
    how = ("--models", "lda", "--procedure", "leave-one-out", "--no-store")
    done = call(capsys, "evaluate", "iris", *how, "--plot", "roc_average=a.png")
    assert done.code == 2
    assert "needs a fold with rows of two classes, and loo makes none" in done.err


def test_file_without_a_band_says_why(capsys: Capture) -> None:
    roles = ("--truth", "y", "--score", "p", "--fold", "f", "--repeat", "r", "--no-audit")
    asked = ("--curve", "roc[band=pointwise]=r.csv")
    done = call(capsys, "score", "twice.csv", *roles, *asked)
    assert done.code == 0
    why = "rows occur once per repeat, and no ids say which are the same (--id)"
    assert f"note: r.csv: no band (low and high are empty): {why}\n" in done.err
    assert Path("r.csv").read_text().splitlines()[1].endswith(",,")
    plain = call(capsys, "score", "twice.csv", *roles, "--curve", "roc=r.csv")
    assert "no band" not in plain.err
