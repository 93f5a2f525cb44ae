"""What no fit can mend is refused by ``heldout select`` before the first one."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.cli.running import call

RNG = np.random.default_rng(3)


@pytest.fixture
def table(tmp_path: Path) -> str:
    path = tmp_path / "d.csv"
    rows = [f"{a:.3f},{i // 3},{'ny'[int(a > 0)]}" for i, a in enumerate(RNG.normal(size=60))]
    path.write_text("a,g,y\n" + "\n".join(rows) + "\n")
    return str(path)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            ("--procedure", "loo", "--measure", "auc", "--aggregate", "folds"),
            "auc is undefined where a split tests rows",
        ),
        (
            ("--procedure", "groups", "--group", "g", "--measure", "gini", "--aggregate", "folds"),
            "gini is undefined where",
        ),
        (("--procedure", "leave-2-out", "--measure", "auc"), "(--aggregate pooled)"),
        (("--measure", "accuracy, auc"), "--measure: one measure decides; heldout evaluate shows"),
        (("--random", "0"), "--random 0: draw 1 setting or more"),
    ],
)
def test_what_no_fit_can_mend_is_refused_before_the_first(
    table: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    words: tuple[str, ...],
    said: str,
) -> None:
    def fit(*_: object, **__: object) -> None:
        raise AssertionError("something was fitted")

    monkeypatch.setattr("heldout.selection.search.run", fit)
    how = ("--model", "knn", "--grid", "n_neighbors=1,2", "--target", "y", "--no-store")
    done = call(capsys, "select", table, *how, *words)
    assert done.code == 2
    assert said in done.err


@pytest.mark.parametrize(
    "words",
    [
        ("--procedure", "loo", "--measure", "auc", "--aggregate", "pooled"),
        ("--procedure", "loo", "--measure", "log_loss"),
        ("--procedure", "3-fold", "--measure", "auc"),
    ],
)
def test_what_has_a_value_is_not_refused(
    table: str, capsys: pytest.CaptureFixture[str], words: tuple[str, ...]
) -> None:
    how = ("--model", "nb", "--grid", "var_smoothing=1e-9,1e-3", "--target", "y", "--no-store")
    done = call(capsys, "select", table, *how, *words)
    assert done.code == 0, done.err


def test_folds_of_a_nested_search_are_no_other_columns(
    table: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    data = (table, "--target", "y", "--store", str(tmp_path / "store"))
    grid = ("--model", "nb", "--grid", "var_smoothing=1e-9,1e-3", "--nested", "2x2-fold")
    assert call(capsys, "select", *data, *grid).code == 0
    how = ("--models", "lda", "--measure", "accuracy", "--procedure")
    assert "other columns" not in call(capsys, "evaluate", *data, *how, "4-fold").err
    told = call(capsys, "evaluate", *data, *how, "4-fold", "--ignore", "g").err
    assert "the columns or roles differ" in told
