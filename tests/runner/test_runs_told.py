"""``karat runs show``: a wrong number is told which there are, and work is called by its name."""

from __future__ import annotations

from pathlib import Path

import pytest

from karat.cli.main import main
from karat.core.errors import InputError
from karat.runner.history import past_run
from karat.runner.run import run
from karat.runner.store import Store
from tests.runner.making import some_data, some_splits, two_models


def test_wrong_number_is_told_the_ranges_of_numbers_there_are(tmp_path: Path) -> None:
    for seed in range(4):
        data = some_data(seed=seed)
        run(data, two_models()[:1], some_splits(folds=2, repeats=1), store=Store(tmp_path))
    with pytest.raises(InputError, match=r"no run has the number 99; there are: 1 to 4$"):
        past_run(Store(tmp_path), 99)


def test_splits_done_without_refitting_are_computed_and_not_fitted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made = run(some_data(), two_models()[:1], some_splits(), store=Store(tmp_path))
    assert made["nb"].path != "refit"
    assert main(["runs", "show", "1", "--store", str(tmp_path)]) == 0
    head, *_ = [line for line in capsys.readouterr().out.splitlines() if "failed" in line]
    assert head.split() == ["model", "part", "done", "failed", "left", "computed"]
