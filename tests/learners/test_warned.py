"""Warnings of models are told once a model, with the number of splits."""

from __future__ import annotations

import warnings
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier

import karat
from karat.learners.warned import gathered_warnings, warnings_of


class Warns(DecisionTreeClassifier):  # type: ignore[misc]
    def fit(self, X: Any, y: Any, **more: Any) -> Any:
        warnings.warn_explicit("much\ntoo small", UserWarning, "model.py", 1)
        return super().fit(X, y, **more)


def test_an_evaluation_notes_each_warning_once(capsys: pytest.CaptureFixture[str]) -> None:
    X, y = np.arange(40.0)[:, None], np.arange(40) % 2
    models = {"loud": Warns(), "quiet": DecisionTreeClassifier()}
    made = karat.evaluate(models, X, y, procedure="4-fold", pos_label=1)
    found = [note for note in made.notes if "UserWarning" in note]
    assert found == ["loud: UserWarning: much too small (4 of 4 splits)"]
    assert not len(made.failures)
    assert "too small" not in capsys.readouterr().err


def test_where_nobody_gathers_a_warning_is_told_once(capsys: pytest.CaptureFixture[str]) -> None:
    for position in range(3):
        with warnings_of("one of a test", position):
            warnings.warn_explicit("unheard of", UserWarning, "model.py", 1)
    assert capsys.readouterr().err == "one of a test: UserWarning: unheard of\n"


def test_threads_keep_their_warnings_apart_and_filters_are_restored() -> None:
    before = list(warnings.filters)

    def fit(number: int) -> None:
        with warnings_of(f"model {number % 2}", number):
            warnings.warn_explicit(f"of {number % 2}", UserWarning, "model.py", 1)

    with gathered_warnings() as made, ThreadPoolExecutor(4) as pool:
        list(pool.map(fit, range(20)))
    assert {key: len(places) for key, places in made.found.items()} == {
        ("model 0", "UserWarning: of 0"): 10,
        ("model 1", "UserWarning: of 1"): 10,
    }
    assert warnings.filters == before
