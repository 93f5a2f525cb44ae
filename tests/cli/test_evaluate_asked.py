"""What is asked of ``heldout evaluate`` is refused before anything is fitted, or not at all."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import heldout
from heldout.cli.command import Asked
from heldout.cli.evaluate import refuse_unfit
from heldout.core.errors import InputError
from heldout.datasets.arrays import dataset_of
from heldout.measures.registry import measures
from tests.cli.running import call

RNG = np.random.default_rng(5)
X = RNG.normal(size=(45, 2))
TARGETS: dict[str, Any] = {
    "binary": (X[:, 0] > 0.2).astype(int),
    "multiclass": np.digitize(X[:, 0], [-0.4, 0.5]),
    "regression": X[:, 0] + RNG.normal(size=45),
}


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (("--measure", "rmse"), "rmse is for regression problems, and this one is multiclass"),
        (("--measure", "recall[class=x]"), "no class is called 'x'; there are setosa"),
        (("--measure", "f_score[beta=-1]"), "beta of an F score must be a number of at least 0"),
        (("--measure", "cost"), "cost needs the value of each cell"),
        (("--require", "rmse < 1"), "rmse is for regression problems"),
        (("--require", "recall > 0.5"), "recall has a value for each class; say recall_macro"),
        (("--require", "recall[class=x] > 0.5"), "no class is called 'x'"),
        (("--permutations", "5"), "--permutations 5 can never give p <= 0.05: use at least 19"),
    ],
)
def test_what_no_fit_can_mend_is_refused_before_the_first(
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    asked: tuple[str, ...],
    said: str,
) -> None:
    def fit(*_: object, **__: object) -> None:
        raise AssertionError("something was fitted")

    monkeypatch.setattr("heldout.runner.run.run", fit)
    done = call(capsys, "evaluate", "iris", "--models", "lda", "--no-store", *asked)
    assert done.code == 2
    assert said in done.err


@pytest.mark.parametrize("task", TARGETS)
def test_measure_is_refused_before_fitting_exactly_where_it_is_refused_after(task: str) -> None:
    model = "linear" if task == "regression" else "lda"
    made = heldout.evaluate(model, X, TARGETS[task], procedure="3-fold", intervals=False)
    dataset = dataset_of(X, TARGETS[task])
    for name in (measure.name for measure in measures()):
        given = {"measures": (name,), "per_class": None}
        before = _is_refused(refuse_unfit, given, Asked("table", None), dataset)
        assert before == _is_refused(made.results, (name,)), name


def _is_refused(ask: Callable[..., object], *given: object) -> bool:
    try:
        ask(*given)
    except InputError:
        return True
    return False


def test_permutations_without_a_value_to_test_leave_the_table(
    capsys: pytest.CaptureFixture[str], tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tests.cli.lacking import MODELS, OWN

    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / f"{OWN}.py").write_text(MODELS)
    how = ("--procedure", "3-fold", "--no-store", "--measure", "auc", "--permutations", "19")
    done = call(capsys, "evaluate", "wdbc", "--models", f"{OWN}:LabelsOnly", *how)
    assert done.code == 2
    assert "Area under the ROC curve" in done.out
    assert "--permutations: no model has a value of auc" in done.err
