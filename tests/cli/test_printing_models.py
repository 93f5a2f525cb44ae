"""Models that print do not disturb what heldout writes; one that leaves has failed, no more."""

from __future__ import annotations

import json

import pytest

from heldout.cli.main import main

CALL = ["evaluate", "iris", "--procedure", "2-fold", "--no-audit", "--no-store", "--format", "json"]


def test_standard_output_has_the_results_and_nothing_else(
    capfd: pytest.CaptureFixture[str],
) -> None:
    assert main([*CALL, "--models", "tests.runner.printing:Loud"]) == 0
    made = capfd.readouterr()
    assert json.loads(made.out)["results"]
    for text in ("printed printed", "written", "by a child"):
        assert text in made.err


def test_search_writes_its_results_and_nothing_else(capfd: pytest.CaptureFixture[str]) -> None:
    call = ["select", "iris", "--model", "tests.runner.printing:Loud", "--procedure", "2-fold"]
    grid = ["--grid", "var_smoothing=1e-9,1e-3", "--no-audit", "--no-store", "--format", "json"]
    assert main([*call, *grid]) == 0
    made = capfd.readouterr()
    assert json.loads(made.out)
    assert "printed printed" in made.err


def test_model_that_leaves_has_failed_in_that_split(capfd: pytest.CaptureFixture[str]) -> None:
    assert main([*CALL, "--models", "majority,tests.runner.printing:Leaves"]) == 0
    (first, *_) = json.loads(capfd.readouterr().out)["failures"]
    assert first["message"] == "SystemExit: no more"
