"""``heldout evaluate`` asks which of two classes is positive only where that decides something."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from tests.cli.running import Done, call

ASKS = "choose the positive one with --positive alive or --positive dead"


@pytest.fixture
def patients(tmp_path: Path) -> str:
    path = tmp_path / "patients.csv"
    rng = np.random.default_rng(4)
    dead = rng.random(80) < 0.4
    values = np.round(rng.normal(size=(80, 2)) + dead[:, None], 3)
    rows = [f"{a},{b},{'dead' if y else 'alive'}" for (a, b), y in zip(values, dead, strict=True)]
    path.write_text("a,b,outcome\n" + "\n".join(rows) + "\n")
    return str(path)


def evaluate(capsys: pytest.CaptureFixture[str], data: str, *words: str) -> Done:
    store = str(Path(data).parent / "store")
    how: tuple[str, ...] = ("--models", "lda", "--store", store)
    how += () if "--procedure" in words else ("--procedure", "3-fold")
    return call(capsys, "evaluate", data, *how, *words)


@pytest.mark.parametrize(
    "words",
    [
        (),
        ("--measure", "accuracy", "--measure", "recall"),
        ("--measure", "accuracy", "--require", "precision > 0.1"),
        ("--measure", "accuracy", "--plot", "roc=FOLDER/roc.png"),
        ("--measure", "accuracy", "--plot", "all=FOLDER"),
        ("--dry-run",),
        ("--format", "json"),
    ],
)
def test_what_depends_on_it_asks_before_anything_is_fitted(
    patients: str, capsys: pytest.CaptureFixture[str], words: tuple[str, ...]
) -> None:
    folder = str(Path(patients).parent)
    done = evaluate(capsys, patients, *(word.replace("FOLDER", folder) for word in words))
    assert done.code == 2
    assert ASKS in done.err
    assert not (Path(folder) / "store").exists()


@pytest.mark.parametrize(
    "words",
    [
        ("--measure", "accuracy", "--measure", "mcc", "--measure", "auc"),
        ("--measure", "recall_macro", "--measure", "recall[class=dead]", "--per-class"),
        ("--measure", "log_loss", "--require", "accuracy > 0.1", "--training-error"),
        ("--measure", "accuracy", "--permutations", "19", "--format", "json"),
        ("--show-pipeline",),
    ],
)
def test_what_is_the_same_for_either_class_asks_nothing(
    patients: str, capsys: pytest.CaptureFixture[str], words: tuple[str, ...]
) -> None:
    done = evaluate(capsys, patients, *words)
    assert done.code == 0, done.err
    assert "; positive: " not in done.out
    if "json" in words:
        assert json.loads(done.out)["run"][0]["positive"] is None


def test_the_fits_and_the_table_serve_whoever_says_it_later(
    patients: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    table = str(tmp_path / "predictions.csv")
    first = evaluate(capsys, patients, "--measure", "accuracy", "--predictions", table)
    assert first.code == 0
    later = evaluate(capsys, patients, "--measure", "recall", "--positive", "dead")
    assert "3 of 3 folds from the store" in later.err
    assert "; positive: dead" in later.out
    told = json.loads(evaluate(capsys, patients, "--positive", "dead", "--format", "json").out)
    assert told["run"][0]["positive"] == "dead"
    words = ("score", table, "--measure", "recall", "--positive", "dead", "--format", "json")
    scored = json.loads(call(capsys, *words).out)
    (recall,) = (r["value"] for r in scored["results"] if r["fold"] == "")
    assert f"{recall:.4g}" in later.out
    asked = call(capsys, "score", table, "--measure", "recall")
    assert asked.code == 2
    assert ASKS in asked.err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--measure", "accuracy", "--interval", "delong"), "--interval delong is for areas under"),
        (("--measure", "auc", "--interval", "wilson"), "--interval wilson is for shares of rows"),
        (("--measure", "accuracy", "--interval", "wilson"), ""),
        (("--measure", "auc", "--interval", "delong"), ""),
        (("--measure", "accuracy", "--interval", "nested"), ""),
    ],
)
def test_a_method_that_made_no_interval_is_spoken_of_as_in_score(
    patients: str, capsys: pytest.CaptureFixture[str], words: tuple[str, ...], said: str
) -> None:
    done = evaluate(capsys, patients, *words)
    told = [line for line in done.err.splitlines() if "--interval" in line]
    assert bool(told) == bool(said)
    assert not said or told[0].startswith(f"note: {said}")


def test_the_corrected_t_over_repeats_is_no_bootstrap(
    patients: str, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("--measure", "accuracy", "--interval", "bca", "--procedure", "2x3-fold")
    said = "--interval bca: none of the intervals shown is made by it; over repeats it is the corr"
    assert said in evaluate(capsys, patients, *words).err
