"""``heldout compare`` with many models, slices, charts by name, and columns that are no models."""

from __future__ import annotations

import csv
import json
import re
from io import StringIO
from pathlib import Path

import numpy as np
import pytest

from tests.cli.running import call

Capture = pytest.CaptureFixture[str]
ASK = ("compare", "many.csv", "--model", "model", "--truth", "y", "--score", "p", "--id", "id")
SURE = ("--positive", "1", "--quiet", "--no-audit")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("HELDOUT_STORE", raising=False)
    monkeypatch.setenv("COLUMNS", "80")
    return tmp_path


def write(models: int, rows: int = 150) -> None:
    rng = np.random.default_rng(1)
    truth = rng.integers(0, 2, rows)
    truth[:6] = 1
    region = np.where(np.arange(rows) < 6, "west", np.where(np.arange(rows) % 2, "north", "south"))
    lines = ["model,id,y,p,region"]
    for k in range(models):
        score = 1 / (1 + np.exp(-((0.2 + 0.15 * k) * (2 * truth - 1) + rng.normal(size=rows))))
        lines += [f"m{k:02d},{i},{truth[i]},{score[i]:.5f},{region[i]}" for i in range(rows)]
    Path("many.csv").write_text("\n".join(lines))


def results(*extra: str) -> None:
    values = np.random.default_rng(1).normal(0.8, 0.03, (10, 3)) + 0.03 * np.arange(3)
    lines = [",".join(["name", "tree", "knn", "svm", *extra])]
    lines += [
        ",".join([f"s{i}", *(f"{v:.4f}" for v in values[i]), *(str(70 + 31 * i) for _ in extra)])
        for i in range(10)
    ]
    Path("wide.csv").write_text("\n".join(lines))


def test_fifteen_models_by_three_measures_fit_the_screen(capsys: Capture) -> None:
    write(15)
    done = call(capsys, *ASK, *SURE)
    lines = done.out.splitlines()
    assert done.code == 0
    assert max(map(len, lines)) <= 80
    assert len(lines) < 110
    assert "--pairs all" in done.out
    assert "of 105 pairs differ significantly" in " ".join(done.out.split())
    rows = list(csv.DictReader(StringIO(call(capsys, *ASK, *SURE, "--format", "csv").out)))
    assert len(rows) == 3 * 105
    every = call(capsys, *ASK, *SURE, "--measure", "accuracy", "--pairs", "all")
    assert len(re.findall(r"\n  m\d\d - m\d\d ", every.out)) == 105


def test_pairs_may_be_those_of_the_best_model_alone(capsys: Capture) -> None:
    write(3)
    done = call(capsys, *ASK, *SURE, "--measure", "auc", "--pairs", "best")
    assert "best: m02" in done.out
    assert "best minus" in done.out
    whole = call(capsys, *ASK, *SURE, "--measure", "auc")
    assert "m00 - m01" in whole.out


def test_undefined_slices_say_why(capsys: Capture) -> None:
    write(2)
    ask = (*ASK, *SURE, "--by", "region", "--measure", "auc", "--measure", "accuracy")
    said = " ".join(call(capsys, *ask).out.split())
    assert "region=west: auc: no row is negative" in said
    found = json.loads(call(capsys, *ask, "--format", "json").out)["differences"]
    west = [d for d in found if d["slice"] == "region=west" and d["measure"] == "auc"]
    assert west[0]["difference"] is None
    assert "no row is negative" in west[0]["note"]


def test_unpaired_headings_count_the_rows_of_every_model(capsys: Capture, folder: Path) -> None:
    for name, rows in (("a", 40), ("b", 70)):
        lines = [f"{name}{i},{i % 2},{(i * 7) % 11 / 11:.3f}" for i in range(rows)]
        (folder / f"{name}.csv").write_text("\n".join(["id,y,p", *lines]))
    ask = ("compare", "a.csv", "b.csv", "--truth", "y", "--score", "p", *SURE, "--unpaired")
    done = call(capsys, *ask, "--measure", "accuracy")
    assert "2 models, different test sets of 40 and 70 rows" in done.out
    found = json.loads(call(capsys, *ask, "--measure", "accuracy", "--format", "json").out)
    assert found["design"]["rows"] == 110
    assert isinstance(found["notes"], list)


def test_charts_are_chosen_in_brackets(capsys: Capture, folder: Path) -> None:
    write(3)
    chart = "posterior[measure=auc,first=m00,second=m02]=one.svg"
    done = call(capsys, *ASK, *SURE, "--rope", "0.02", "--plot", chart)
    assert done.code == 0
    assert (folder / "one.svg").stat().st_size > 1000
    wrong = call(capsys, *ASK, *SURE, "--plot", "roc[measure=auc]=one.svg")
    assert wrong.code == 2
    assert "a roc chart has no option 'measure' (it has first, second, page" in wrong.err


def test_columns_of_another_scale_are_asked_about_in_every_format(capsys: Capture) -> None:
    results("rows")
    ask = ("compare", "wide.csv", "--datasets", "name")
    said = "is 'rows' (70 to 349) a model?"
    shown = call(capsys, *ask)
    assert said in shown.err
    assert "Note" not in shown.out
    quiet = call(capsys, *ask, "--quiet")
    assert (quiet.out, quiet.err) == (shown.out, "")
    assert said in call(capsys, *ask, "--format", "markdown").out
    assert said in " ".join(json.loads(call(capsys, *ask, "--format", "json").out)["notes"])
    assert said in call(capsys, *ask, "--format", "csv").err
    assert call(capsys, *ask, "--format", "csv", "--quiet").err == ""
    listed = call(capsys, *ask, "--models", "tree,knn,svm")
    assert "WARNING" not in listed.err
    assert "taken as models" not in listed.err


def test_exact_test_is_shown_beside_its_approximations(capsys: Capture) -> None:
    results()
    done = call(capsys, "compare", "wide.csv", "--datasets", "name")
    assert "Friedman test (exact):" in done.out
    assert "approximations: Friedman test (corrected for ties)" in done.out
    found = json.loads(
        call(capsys, "compare", "wide.csv", "--datasets", "name", "--format", "json").out
    )
    assert [test["test"] for test in found["tests"]][-1] == "Friedman test (exact)"


def test_names_with_special_characters_are_escaped_in_latex(capsys: Capture, folder: Path) -> None:
    lines = ["set,a_b & 5%,#x$", *(f"s{i},0.{i + 11},0.{i + 31}" for i in range(8))]
    (folder / "odd.csv").write_text("\n".join(lines))
    done = call(capsys, "compare", "odd.csv", "--datasets", "set", "--format", "latex")
    assert r"a\_b \& 5\%" in done.out
    assert r"\#x\$" in done.out
    assert "a_b &" not in done.out


def test_runs_bring_weights_and_groups(capsys: Capture, folder: Path) -> None:
    rng = np.random.default_rng(1)
    x = rng.normal(size=(80, 2))
    y = (x[:, 0] + rng.normal(size=80) > 0).astype(int)
    weight = rng.uniform(0.5, 4, 80)
    lines = [
        f"{a:.4f},{b:.4f},{i % 12},{w:.3f},{t}"
        for i, ((a, b), w, t) in enumerate(zip(x, weight, y, strict=True))
    ]
    (folder / "data.csv").write_text("\n".join(["a,b,patient,w,y", *lines]))
    data = ("data.csv", "--target", "y", "--positive", "1", "--group", "patient", "--weight", "w")
    ask = ("--models", "nb,lda", "--procedure", "4-fold", "--predictions", "out.csv", "--quiet")
    assert call(capsys, "evaluate", *data, *ask).code == 0
    more = ("--measure", "accuracy", "--format", "json", "--quiet")
    runs = json.loads(call(capsys, "compare", "--runs", "1:nb", "1:lda", *more).out)
    files = json.loads(call(capsys, "compare", "out.csv", "--positive", "1", *more).out)
    assert runs["design"]["groups"] == files["design"]["groups"] == 12
    (here,), (there,) = runs["differences"], files["differences"]
    sign = 1 if here["first"] == there["first"] else -1
    assert here["difference"] == pytest.approx(sign * there["difference"])
    assert here["p_value"] == pytest.approx(there["p_value"])


def test_controls_are_named_on_the_command_line(capsys: Capture) -> None:
    write(4)
    ask = (*ASK, *SURE, "--measure", "auc", "--control", "m01")
    done = call(capsys, *ask)
    assert "control minus" in done.out
    assert "the control m01" in done.out
    found = json.loads(call(capsys, *ask, "--format", "json").out)
    assert [(d["first"], d["second"]) for d in found["differences"]] == [
        ("m01", "m00"),
        ("m01", "m02"),
        ("m01", "m03"),
    ]
    assert {m["model"]: m["standing"]["auc"] for m in found["models"]}["m01"] == "control"
    wrong = call(capsys, *ASK, *SURE, "--control", "m1")
    assert wrong.code == 2
    assert "no model is called 'm1', so it cannot be the control; did you mean m" in wrong.err
    both = call(capsys, *ask, "--pairs", "best")
    assert both.code == 2
    assert "leave out --pairs best" in both.err


def test_controls_and_other_ranks_over_data_sets(capsys: Capture) -> None:
    results()
    ask = ("compare", "wide.csv", "--datasets", "name", "--control", "tree", "--format", "json")
    found = json.loads(call(capsys, *ask, "--correction", "hochberg").out)
    assert [d["correction"] for d in found["differences"]] == ["hochberg", "hochberg"]
    assert [d["first"] for d in found["differences"]] == ["tree", "tree"]
    for test, words in (("quade", "Quade test"), ("aligned-ranks", "Friedman aligned ranks test")):
        found = json.loads(call(capsys, *ask, "--test", test).out)
        assert [t["test"] for t in found["tests"]] == [words]


def test_long_names_are_numbered_so_that_pairs_stay_a_table(capsys: Capture) -> None:
    write(3)
    text = Path("many.csv").read_text()
    for k in range(3):
        text = text.replace(f"m{k:02d},", f"gradient-boosting-trees-v{k},")
    Path("many.csv").write_text(text)
    done = call(capsys, *ASK, *SURE, "--measure", "auc", "--measure", "accuracy")
    table = done.out.split("Differences")[1]
    assert max(map(len, done.out.splitlines())) <= 80
    assert re.search(r"\n  [123] - [123] +-?0\.\d+ +-?0\.\d+ to -?0\.\d+ ", table)
    assert re.search(r"\n +1  gradient-boosting-trees-v2 ", done.out)
    assert "models are numbered as in the first table" in table
    assert done.out.splitlines()[1].startswith("gradient-boosting-trees-v2 is best by ")
    written = call(capsys, *ASK, *SURE, "--measure", "auc", "--format", "markdown")
    assert "gradient-boosting-trees-v0 - gradient-boosting-trees-v1" in written.out
