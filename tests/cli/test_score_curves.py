"""``--curve`` and ``--plot``: one of several models, infinite scores, draws that cannot be."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.running import call

ROLES = ("--truth", "y", "--score", "p", "--quiet", "--no-audit")


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    rows = [(i % 2, round((i * 7 % 20 + 4 * (i % 2)) / 30, 3)) for i in range(40)]
    Path("A.csv").write_text("y,p\n" + "".join(f"{y},{p}\n" for y, p in rows))
    Path("B.csv").write_text("y,p\n" + "".join(f"{y},{p / 2}\n" for y, p in rows))
    Path("C.csv").write_text("y,predicted\n" + "".join(f"{y},{y}\n" for y, _ in rows))
    Path("far.csv").write_text("y,p\n0,1\n1,2\n1,inf\n0,-inf\n1,3\n0,0\n")
    return tmp_path


def test_points_of_one_of_several_models(capsys: pytest.CaptureFixture[str]) -> None:
    done = call(capsys, "score", "A.csv", "B.csv", *ROLES, "--curve", "roc[model=B]=b.csv")
    assert done.code == 0
    alone = call(capsys, "score", "B.csv", *ROLES, "--curve", "roc=alone.csv")
    assert alone.code == 0
    assert Path("b.csv").read_text() == Path("alone.csv").read_text()
    done = call(capsys, "score", "A.csv", "B.csv", *ROLES, "--curve", "roc[model=D]=d.csv")
    assert (done.code, "no model is called 'D'" in done.err) == (2, True)


@pytest.mark.parametrize("chart", ["thresholds=t.png", "thresholds:f_score=t.png", "all=charts"])
def test_infinite_scores_are_drawn(chart: str, capsys: pytest.CaptureFixture[str]) -> None:
    done = call(capsys, "score", "far.csv", *ROLES, "--no-intervals", "--plot", chart)
    assert (done.code, done.err) == (0, "")
    assert Path("t.png" if chart.endswith(".png") else "charts/thresholds.png").exists()


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        (("--curve", "roc[band=pointwise,replicates=0]=x.csv"), "0 replicates: give a whole"),
        (("--curve", "roc[band=pointwise,level=x]=x.csv"), "a level is a number between 0 and 1"),
        (("--plot", "roc[band=foo]=x.png"), "band is one of pointwise, simultaneous, not 'foo'"),
        (("--plot", "roc[foo=1]=x.png"), "'foo' (it has corners, band, level, replicates, seed,"),
        (
            ("--curve", "hull[foo=1]=x.csv"),
            "a hull curve has no option 'foo' (it has model, class",
        ),
        (("--curve", "thresholds:f_score[foo=1]=x.csv"), "f_score has no parameter 'foo'"),
        (("--curve", "xx=x.csv"), "no curve is called 'xx'; there are roc, pr, hull, cost,"),
        (("--curve", "xx=x.csv"), "roc_average, joint_hull, thresholds:f_score\n"),
        (("--curve", "xx[band=pointwise]=x.csv"), "no curve is called 'xx'; there are roc, pr,"),
        (("--plot", "xx=x.png"), "thresholds:f_score, predicted, residuals, errors, all\n"),
    ],
)
def test_charts_and_bands_that_cannot_be_are_refused_in_one_line(
    asked: tuple[str, str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    done = call(capsys, "score", "A.csv", *ROLES, *asked)
    assert done.code == 2
    assert message in done.err
    assert len(done.err.splitlines()) == 1


def test_calibration_points_have_the_level_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    widths = []
    for level in ("0.5", "0.95"):
        call(
            capsys,
            "score",
            "A.csv",
            *ROLES,
            "--level",
            level,
            "--curve",
            f"calibration[bins=10]=c{level}.csv",
        )
        lines = [line.split(",") for line in Path(f"c{level}.csv").read_text().splitlines()]
        low, high = lines[0].index("low"), lines[0].index("high")
        widths.append(float(lines[1][high]) - float(lines[1][low]))
    assert widths[0] < 0.6 * widths[1]


def test_model_without_scores_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    roles = ("--truth", "y", "--quiet", "--no-audit", "--no-intervals")
    done = call(capsys, "score", "A.csv", "C.csv", *roles, "--plot", "roc=x.png")
    assert (done.code, Path("x.png").exists()) == (0, True)
    done = call(capsys, "score", "A.csv", "C.csv", *roles, "--curve", "roc=x.csv")
    assert done.code == 2
    assert "a roc curve of model 'C' needs scores" in done.err
    assert "roc[model=A]" in done.err


def test_joint_hull_is_one_table_over_all_models(capsys: pytest.CaptureFixture[str]) -> None:
    asked = ("--curve", "joint_hull=h.csv", "--plot", "joint_hull=h.png")
    done = call(capsys, "score", "A.csv", "B.csv", *ROLES, "--no-intervals", *asked)
    assert (done.code, done.err) == (0, "")
    head, first, *rest = Path("h.csv").read_text().splitlines()
    assert head == "false_positive_rate,sensitivity,threshold,model,stretch,slope"
    assert first.startswith("0.0,0.0,Infinity,A,A,")
    assert len(rest) > 1
    assert Path("h.png").exists()


def test_curve_and_a_format_do_not_share_standard_output(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    words = ("score", "example:mails", "--positive", "spam", "--curve", "roc=-", "--format", "json")
    done = call(capsys, *words)
    assert done.code == 2
    assert not done.out
    assert "--curve roc=- writes to standard output, and so does --format json" in done.err
    target = tmp_path / "out.json"
    assert call(capsys, *words, "--output", str(target)).code == 0
    assert target.read_text().startswith("{")
