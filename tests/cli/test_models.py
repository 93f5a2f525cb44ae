"""``heldout models``: a line for each named model."""

from __future__ import annotations

import json

import pytest

from heldout.learners.named import MODELS
from tests.cli.running import call


def test_every_named_model_is_listed_with_task_estimator_and_exactness(
    capsys: pytest.CaptureFixture[str],
) -> None:
    listed = json.loads(call(capsys, "models", "--format", "json").out)["models"]
    assert [one["name"] for one in listed] == [one.name for one in MODELS]
    by_name = {one["name"]: one for one in listed}
    assert by_name["knn"]["tasks"] == ["classification", "regression"]
    assert by_name["knn"]["estimators"] == ["KNeighborsClassifier", "KNeighborsRegressor"]
    assert by_name["qda"]["exact"]
    assert not by_name["forest"]["exact"]
    done = call(capsys, "models")
    assert done.code == 0
    said = " ".join(done.out.split())
    assert "quadratic discriminant analysis (QuadraticDiscriminantAnalysis)" in said
    assert "heldout[rules]" in said


@pytest.mark.parametrize("command", ["evaluate", "select"])
def test_help_of_fitting_commands_points_to_the_list(
    command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert "heldout models" in " ".join(call(capsys, command, "--help").out.split())


def test_help_of_evaluate_names_every_model_and_the_list_their_aliases(
    capsys: pytest.CaptureFixture[str],
) -> None:
    from heldout.learners.named import MODELS

    help_text = " ".join(call(capsys, "evaluate", "--help").out.split())
    assert f"Named models: {', '.join(model.name for model in MODELS)} (" in help_text
    records = json.loads(call(capsys, "models", "--format", "json").out)["models"]
    assert {r["name"]: tuple(r["aliases"]) for r in records} == {m.name: m.aliases for m in MODELS}
