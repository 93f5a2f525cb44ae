"""Classes whose names hold commas, brackets or quotes: asked for, judged and drawn."""

from __future__ import annotations

from pathlib import Path

import pytest

from heldout.core.errors import InputError
from heldout.measures.spec import of_class, parse_request
from heldout.report.plots.plot import parse_chart
from tests.cli.running import call

NAMES = ("plain", "red, small", 'big [5"]')


@pytest.fixture(autouse=True)
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    quoted = ['"' + name.replace('"', '""') + '"' for name in NAMES]
    heads = ['"p_' + name.replace('"', '""') + '"' for name in NAMES]
    shares = (".6,.3,.1", ".5,.3,.2", ".2,.7,.1", ".1,.5,.4", ".3,.1,.6", ".4,.3,.3")
    lines = [f"{quoted[n // 2]},{line}" for n, line in enumerate(shares)]
    Path("t.csv").write_text("\n".join(["truth," + ",".join(heads), *lines]) + "\n")


@pytest.mark.parametrize("label", [*NAMES, "it's", "a=b", "x,beta=2", " padded", "a'b\"c"])
def test_the_text_made_for_a_class_asks_for_that_class(label: str) -> None:
    assert parse_request(of_class("f_score", label)).label == label.strip("") == label


@pytest.mark.parametrize(
    "text",
    ["f_score[class=red, small]", "f_score[class='red, small']", 'f_score[class="red, small"]',
     "f_score[class=red, small, beta=2]", "f_score[beta=2, class=red, small]"],
)  # fmt: skip
def test_commas_in_the_name_of_a_class_part_nothing(text: str) -> None:
    request = parse_request(text)
    assert request.label == "red, small"
    assert request.values["beta"] == (2 if "beta" in text else 1)


def test_a_word_that_follows_no_class_is_still_refused() -> None:
    with pytest.raises(InputError, match="no parameter 'bta'"):
        parse_request("f_score[bta=2]")


def test_a_chart_of_a_class_takes_commas_and_quotes() -> None:
    assert parse_chart("roc[class=red, small, level=0.9]")[1] == {
        "class_": "red, small",
        "level": 0.9,
    }
    assert parse_chart("roc[class='7', level=0.9]")[1] == {"class_": "7", "level": 0.9}


def test_all_charts_are_drawn_and_single_classes_judged(
    capsys: pytest.CaptureFixture[str],
) -> None:
    how = ("score", "t.csv", "--quiet", "--no-audit")
    done = call(capsys, *how, "--plot", "all=charts", "--measure", 'recall[class=big [5"]]')
    assert done.code == 0, done.err
    assert 'big [5"]' in done.out
    assert Path("charts/roc.png").exists()


def test_a_chart_that_is_refused_leaves_no_folder(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*given: object, **more: object) -> None:
        raise InputError("not today")

    for name in ("curve_chart", "confusion_chart"):
        monkeypatch.setattr(f"heldout.report.plots.plot.{name}", refuse)
    done = call(capsys, "score", "t.csv", "--quiet", "--no-audit", "--plot", "all=charts")
    assert done.code == 2
    assert not Path("charts").exists()
