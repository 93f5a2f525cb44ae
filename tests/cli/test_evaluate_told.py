"""What ``heldout evaluate`` tells beside its values: guesses, failures, costs, exit code."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.running import call

MODELS = """
import numpy as np
from sklearn.tree import DecisionTreeClassifier


class Never(DecisionTreeClassifier):
    def fit(self, X, y, **more):
        raise RuntimeError("bad luck")
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setenv("COLUMNS", "160")
    (tmp_path / "heldout_models_of_a_test.py").write_text(MODELS)
    return tmp_path


FAILING = ("evaluate", "wdbc", "--models", "nb,heldout_models_of_a_test:Never", "--no-store")
SHORT = ("--procedure", "3-fold", "--measure", "accuracy", "--no-audit")


def test_a_failed_model_keeps_its_row_and_decides_the_exit_code_if_asked_to(
    capsys: pytest.CaptureFixture[str],
) -> None:
    done = call(capsys, *FAILING, *SHORT)
    assert done.code == 0
    rows = [line.split() for line in done.out.splitlines()]
    assert ["heldout_models_of_a_test:Never", "failed"] in rows
    assert "RuntimeError: bad luck" in done.out
    strict = call(capsys, *FAILING, *SHORT, "--fail-on-error")
    assert strict.code == 3
    assert strict.out == done.out
    assert "failed in 3 of 3 splits" in strict.err
    fine = call(capsys, "evaluate", "wdbc", "--models", "nb", "--no-store", "--fail-on-error",
                *SHORT)  # fmt: skip
    assert fine.code == 0


def test_a_guess_of_classes_is_told_where_it_ends_in_an_error(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    counts = [0] * 20 + [1] * 15 + [2] * 9 + [3] * 2
    (folder / "c.csv").write_text("x,y\n" + "".join(f"{n},{c}\n" for n, c in enumerate(counts)))
    asked = ("--models", "lda", "--no-store", "--procedure", "10-fold stratified")
    done = call(capsys, "evaluate", "c.csv", *asked)
    assert done.code != 0
    assert "class 3 has 2 rows" in done.err.partition("heldout: ")[2]
    guess = "guessed: column 'y' has 4 distinct whole numbers; otherwise use --task regression"
    assert guess in done.err
    assert "note: target: column 'y'" in done.err
    assert call(capsys, "evaluate", "c.csv", "--models", "ridge", "--task", "regression",
                "--no-store", "--quiet").code == 0  # fmt: skip


def test_seconds_are_shown_on_request(capsys: pytest.CaptureFixture[str]) -> None:
    done = call(capsys, "evaluate", "wdbc", "--models", "nb,tree", "--no-store", *SHORT,
                "--timings")  # fmt: skip
    table = done.out.partition("Seconds")[2]
    tree = next(line.split() for line in table.splitlines() if line.strip().startswith("tree"))
    assert tree[1] == "3"
    assert float(tree[2]) > 0
    assert "refitted" in tree
    assert "Seconds" not in call(capsys, "evaluate", "wdbc", "--models", "nb", "--no-store").out


def test_plan_and_pipelines_may_be_asked_for_together(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "one.csv").write_text("x,y\n" + "".join(f"{n},{n % 2}\n" for n in range(30)))
    flags = ("--positive", "1", "--models", "knn", "--dry-run", "--show-pipeline")
    done = call(capsys, "evaluate", "one.csv", *flags)
    assert "Pipelines" in done.out
    assert "What would be fitted" in done.out
    assert "30 rows, 1 feature, target y" in done.out
    assert "10 splits for one model" in done.out


def test_groups_name_the_option_and_scores_of_two_values_their_model(
    capsys: pytest.CaptureFixture[str],
) -> None:
    done = call(capsys, "evaluate", "wdbc", "--models", "nb", "--procedure", "groups")
    assert "--group" in done.err
    models = "nb,tree[max_depth=1]"
    done = call(capsys, "evaluate", "wdbc", "--models", models, "--procedure", "holdout 70:30",
                "--no-store")  # fmt: skip
    assert "the scores of tree[max_depth=1] have at most two distinct values" in done.err


def test_split_tells_its_procedure_in_the_call(capsys: pytest.CaptureFixture[str]) -> None:
    done = call(capsys, "split", "iris", "--procedure", "5-fold", "--seed", "3", "--format", "json")
    assert json.loads(done.out)["call"] == {
        "command": "split",
        "data": "iris",
        "procedure": "5-fold",
        "seed": 3,
    }


@pytest.mark.parametrize("procedure", ["3-fold", "2x3-fold"])
def test_slices_are_judged_apart_and_leave_the_whole_as_it_is(
    procedure: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [f"{n % 7},{'ab'[n % 3 == 0]},{n % 2}" for n in range(60)]
    (folder / "s.csv").write_text("x,site,y\n" + "\n".join(rows) + "\n")
    flags: tuple[str, ...] = ("evaluate", "s.csv", "--positive", "1", "--models", "tree")
    flags += ("--no-store", "--no-audit")
    flags += ("--procedure", procedure, "--format", "json", "--measure", "accuracy")
    whole = json.loads(call(capsys, *flags).out)["results"]
    parted = json.loads(call(capsys, *flags, "--by", "site").out)["results"]
    assert [r for r in parted if not r["slice"]] == whole
    found = {r["slice"]: r for r in parted if r["slice"]}
    assert set(found) == {"site=a", "site=b"}
    total = sum(r["value"] * r["n"] for r in found.values()) / sum(r["n"] for r in found.values())
    pooled = next(r["value"] for r in whole if not r["fold"])
    assert total == pytest.approx(pooled)
    table = call(capsys, *flags[:-4], "--by", "site").out
    assert "By slice" in table
    assert "all rows" in table
    wrong = call(capsys, *flags, "--by", "sit")
    assert wrong.code != 0
    assert "no column 'sit' (--by)" in wrong.err


def test_model_that_is_named_twice_is_judged_once_and_that_is_said(
    capsys: pytest.CaptureFixture[str],
) -> None:
    asked = ("evaluate", "iris", "--models", "lda,knn,LDA", "--procedure", "3-fold", "--no-store")
    done = call(capsys, *asked, "--measure", "accuracy", "--format", "json")
    made = json.loads(done.out)
    assert {row["model"] for row in made["results"]} == {"lda", "knn"}
    note = "lda was named more than once and is judged once"
    assert done.err.count(note) == 1
    assert note in call(capsys, *asked, "--dry-run").err


@pytest.mark.parametrize("more", [(), ("--dry-run",)])
@pytest.mark.parametrize(
    ("models", "said"),
    [
        ("lda", "40 rows, 1 feature, target"),
        ("sklearn.dummy:DummyClassifier", "40 rows, 2 features, target"),
        (
            "lda,sklearn.dummy:DummyClassifier",
            "40 rows, 1 feature (2 for models that take columns as they are), target",
        ),
    ],
)
def test_the_number_of_features_is_that_of_what_models_are_given(
    models: str,
    said: str,
    more: tuple[str, ...],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    words = ["red dog", "blue cat", "old tree", "tall ship", "warm rain"]
    lines = [f"{i * i % 17},the {words[i % 5]} number {i} of all,{'ab'[i % 2]}" for i in range(40)]
    path = tmp_path / "d.csv"
    path.write_text("\n".join(["x,story,y", *lines]))
    ask = ("evaluate", str(path), "--target", "y", "--positive", "a", "--models", models)
    done = call(capsys, *ask, "--procedure", "2-fold", "--no-store", "--no-audit", *more)
    assert done.code == 0
    assert said in " ".join(done.out.split())
