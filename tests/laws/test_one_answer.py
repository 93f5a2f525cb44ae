"""One question has one answer: the same rows say the same to every command that is asked.

Over designs and all measures: an evaluation, ``heldout.score`` of the file that it wrote, the same
table without its column ``procedure``, what a comparison says of each model alone, and the value of
a chosen setting.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import heldout
from heldout.assess.headline import standing

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from heldout.assess.results import Result

ROWS = 47  # so that folds differ in size
DRAWS = 60


class LabelsOnly:
    """Nearest class mean, without scores."""

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        return {}

    def set_params(self, **_: Any) -> LabelsOnly:
        return self

    def fit(self, X: Any, y: Any) -> LabelsOnly:
        self.classes_ = np.unique(y)
        self.means_ = np.array([np.asarray(X)[y == one].mean(axis=0) for one in self.classes_])
        return self

    def predict(self, X: Any) -> Any:
        gaps = ((np.asarray(X)[:, None, :] - self.means_) ** 2).sum(axis=2)
        return self.classes_[gaps.argmin(axis=1)]


@dataclass(frozen=True)
class Scene:
    """Data, a model and a procedure."""

    name: str
    procedure: str
    task: str = "binary"
    model: Any = "nb"
    more: tuple[str, ...] = ()
    #: what nothing but the text of the procedure tells: no table without it says the same
    needs_text: bool = field(default=False)

    def given(self) -> dict[str, Any]:
        rng = np.random.default_rng(7)
        X = rng.normal(size=(ROWS, 2))
        noise = X[:, 0] + 0.8 * rng.normal(size=ROWS)
        y: Any = np.where(noise > 0.4, "yes", "no")
        if self.task == "multiclass":
            y = np.select([noise > 0.5, noise > -0.4], ["high", "mid"], "low")
        elif self.task == "regression":
            y = noise
        given: dict[str, Any] = {"X": X, "y": y}
        given |= {"pos_label": "yes"} if self.task == "binary" else {}
        if "groups" in self.more:
            given["groups"] = np.arange(ROWS) // 3
        if "weights" in self.more:
            given["sample_weight"] = rng.uniform(0.5, 3, ROWS)
        return given

    def evaluated(self, models: Any = None, draws: int | None = DRAWS) -> Any:
        asked = models or {"one": self.model}
        return heldout.evaluate(asked, **self.given(), procedure=self.procedure, replicates=draws)


LINEAR = "sklearn.linear_model:LinearRegression"
SCENES = [
    Scene("folds", "5-fold"),
    Scene("repeated folds", "3x4-fold"),
    Scene("holdout", "holdout 60:40"),
    Scene("repeated holdouts", "4x holdout 60:40"),
    Scene("groups", "4-fold", more=("groups",)),
    Scene("cut groups", "2x4-fold ungrouped", more=("groups",)),
    Scene("weights", "4-fold", more=("weights",)),
    Scene("leave-one-out", "loo"),
    Scene("bootstrap", "bootstrap 6", needs_text=True),
    Scene("bootstrap of weights", "bootstrap 6", more=("weights",), needs_text=True),
    Scene("bootstrap of numbers", "bootstrap 6", "regression", LINEAR, needs_text=True),
    Scene("labels only", "5-fold", model=LabelsOnly()),
    Scene("classes", "4-fold", "multiclass"),
    Scene("classes, repeated", "2x4-fold", "multiclass"),
    Scene("regression", "4-fold", "regression", LINEAR),
    Scene("regression, repeated", "3x4-fold", "regression", LINEAR),
    Scene("regression, holdouts", "4x holdout 60:40", "regression", LINEAR, needs_text=True),
]
BY_NAME = pytest.mark.parametrize("scene", SCENES, ids=lambda scene: scene.name)


def told(results: Iterable[Result]) -> dict[Any, list[Any]]:
    """Each value with its interval, method and remarks, by what it is of."""
    return {
        (r.measure, r.repeat, r.fold, r.class_): [r.value, r.low, r.high, r.n, r.method, r.note]
        for r in results
    }


def same(one: dict[Any, list[Any]], other: dict[Any, list[Any]]) -> None:
    """That both say the same of all that either speaks of."""
    assert one.keys() == other.keys()
    for key, first in one.items():
        second = other[key]
        assert first[3:] == second[3:], key
        numbers = [[np.nan if n is None else n for n in side[:3]] for side in (first, second)]
        assert numbers[0] == pytest.approx(numbers[1], rel=1e-9, abs=1e-12, nan_ok=True), key


def read(path: Path, *, without: str = "") -> Any:
    """The scorecard of a table that an evaluation wrote, perhaps without one of its columns."""
    import pandas as pd

    table = pd.read_csv(path)
    roles: dict[str, str] = {}
    if without:
        table = table.drop(columns=without)
        # which are known by their names only in a table that heldout wrote
        roles = {name: name for name in ("group", "train_mean") if name in table}
    return heldout.score(heldout.read_predictions(table, **roles), replicates=DRAWS)


@BY_NAME
def test_a_table_of_predictions_says_what_the_evaluation_said(scene: Scene, tmp_path: Path) -> None:
    made = scene.evaluated()
    made.predictions.write(tmp_path / "out.csv")
    own = told(made.results(everything=True))
    assert len({key[0] for key in own}) > 20
    same(own, told(read(tmp_path / "out.csv").results(everything=True)))


@pytest.mark.parametrize(
    "scene", [scene for scene in SCENES if not scene.needs_text], ids=lambda scene: scene.name
)
def test_folds_of_another_tool_are_folds(scene: Scene, tmp_path: Path) -> None:
    made = scene.evaluated()
    made.predictions.write(tmp_path / "out.csv")
    bare = read(tmp_path / "out.csv", without="procedure")
    same(told(made.results(everything=True)), told(bare.results(everything=True)))


@BY_NAME
def test_order_of_rows_moves_no_value(scene: Scene, tmp_path: Path) -> None:
    import pandas as pd

    made = scene.evaluated()
    made.predictions.write(tmp_path / "out.csv")
    table = pd.read_csv(tmp_path / "out.csv").sample(frac=1, random_state=3)
    own = heldout.score(heldout.read_predictions(table), intervals=False).results(everything=True)
    known = {key: side[0] for key, side in told(made.results(everything=True)).items()}
    found = {key: side[0] for key, side in told(own).items()}
    assert found == pytest.approx(known, rel=1e-9, abs=1e-12, nan_ok=True)


COMPARED = {
    "binary": ("accuracy", "auc", "f_score", "information_score", "brier_skill", "ece"),
    "multiclass": ("accuracy", "f_score_macro", "hand_till", "brier"),
    "regression": ("mse", "rmse", "r2", "median_absolute_error"),
}


#: what a comparison refuses, and why
REFUSED = {
    ("labels only", "auc"): "needs scores",
    ("labels only", "ece"): "needs scores",
    ("cut groups", "ece"): "splits cut groups",
}


@BY_NAME
def test_a_comparison_says_of_each_model_what_it_says_alone(scene: Scene) -> None:
    other = "sklearn.linear_model:Ridge" if scene.task == "regression" else "lda"
    made = scene.evaluated({"one": scene.model, "two": other}, draws=None)
    for name in COMPARED[scene.task]:
        if reason := REFUSED.get((scene.name, name)):
            with pytest.raises(heldout.InputError, match=reason):
                heldout.compare(made, measures=name)
            continue
        compared = heldout.compare(made, measures=name, permutations=100, replicates=100)
        for model, value in compared.values[name].items():
            alone = made.only(model)[name]
            assert value == pytest.approx(alone.value, rel=1e-9, nan_ok=True), name
            same(told([alone]), told([compared.estimates[name][model]]))


@BY_NAME
def test_a_chosen_setting_has_the_value_that_it_has_alone(scene: Scene) -> None:
    models = {"binary": "knn[n_neighbors=5]", "multiclass": "knn[n_neighbors=5]"}
    alone = scene.evaluated({"one": models.get(scene.task, "ridge")})
    grid = ("ridge", "alpha=1") if scene.task == "regression" else ("knn", "n_neighbors=5")
    for name in COMPARED[scene.task]:
        chosen = heldout.select(*grid, **scene.given(), procedure=scene.procedure, measure=name)
        assert chosen.best.value == pytest.approx(alone[name].value, rel=1e-9), name


def test_a_mean_over_small_folds_stands_for_no_measure_that_depends_on_their_size() -> None:
    made = SCENES[1].evaluated()
    for (_, name, _), chosen in standing(made.results(everything=True)).items():
        assert (chosen.of == "mean of folds") == (name in ("auc", "gini")), name


def test_the_law_notices_folds_that_are_forgotten(tmp_path: Path) -> None:
    made = SCENES[0].evaluated()
    made.predictions.write(tmp_path / "out.csv")
    own = told(made.results(everything=True))
    with pytest.raises(AssertionError):
        same(own, told(read(tmp_path / "out.csv", without="fold").results(everything=True)))
