"""What a run would do: in the format and the place that were asked for, and nothing is fitted."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.running import call

RUN = ("evaluate", "iris", "--models", "lda,tree", "--procedure", "5-fold", "--no-store")
BOTH = ("--dry-run", "--show-pipeline")


def test_plan_as_json_is_one_object(capsys: pytest.CaptureFixture[str]) -> None:
    done = call(capsys, *RUN, *BOTH, "--format", "json")
    plan: dict[str, Any] = json.loads(done.out)
    assert {row["model"] for row in plan["pipelines"]} == {"lda", "tree"}
    assert [(row["model"], row["fits"]) for row in plan["fits"]] == [("lda", 1), ("tree", 5)]
    assert plan["balance"][:2] == [
        {"what": "training rows", "least": 120, "most": 120},
        {"what": "test rows", "least": 30, "most": 30},
    ]
    assert (plan["run"]["splits"], plan["run"]["procedure"]) == (5, "5-fold")


@pytest.mark.parametrize("ending", [".md", ".json", ".tex", ".txt"])
def test_plan_goes_to_the_file_that_is_named(
    ending: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / f"plan{ending}"
    done = call(capsys, *RUN, *BOTH, "--output", str(path))
    assert (done.code, done.out) == (0, "")
    text = path.read_text(encoding="utf-8")
    assert "LinearDiscriminantAnalysis" in text
    assert "training rows" in text


def test_plan_as_csv_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    done = call(capsys, *RUN, "--dry-run", "--format", "csv")
    assert (done.code, done.out) == (2, "")
    assert "take --format table, markdown, latex or json" in done.err
