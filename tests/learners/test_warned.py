"""Warnings of models are kept with their splits, and told once a model whoever fits."""

from __future__ import annotations

import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier

import heldout
from heldout.learners.fit import heard_warnings

X, Y = np.arange(40.0)[:, None], np.arange(40) % 2


class Warns(DecisionTreeClassifier):  # type: ignore[misc]  # of no known type
    def fit(self, X: Any, y: Any, **more: Any) -> Any:
        warnings.warn_explicit("much\ntoo small", UserWarning, "model.py", 1)
        if X[0, 0] == 0:  # the first row is trained on in three folds of four
            warnings.warn_explicit(f"gap {X.mean():.9f}", RuntimeWarning, "model.py", 1)
        return super().fit(X, y, **more)


SAID = [
    "loud: 4 of 4 folds warned: UserWarning: much too small",
    "loud: 3 of 4 folds warned: RuntimeWarning: gap",
]


@pytest.mark.parametrize(
    "how",
    [{}, {"n_jobs": 2}, {"n_jobs": 2, "backend": "threading"}, {"timeout": 60.0}],
    ids=str,
)
def test_an_evaluation_notes_each_warning_once(
    how: dict[str, Any], capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    models = {"loud": Warns(), "quiet": DecisionTreeClassifier()}
    for _ in range(2):  # the second answers from the store
        made = heldout.evaluate(
            models, X, Y, procedure="4-fold", pos_label=1, store=tmp_path / "store", **how
        )
        found = sorted(note for note in made.notes if "Warning" in note)
        assert len(found) == 2
        assert found[0].startswith(SAID[1])
        assert found[1] == SAID[0]
        assert not len(made.failures)
        warned = [(row["fold"], row["message"]) for row in made.warnings]
        assert warned.count((2, "UserWarning: much too small")) == 1
        assert len(warned) == 7
    assert "too small" not in capfd.readouterr().err


def test_threads_keep_their_warnings_apart_and_filters_are_restored() -> None:
    before = list(warnings.filters)

    def fit(number: int) -> tuple[str, ...]:
        with heard_warnings() as heard:
            warnings.warn_explicit(f"of {number}", UserWarning, "model.py", 1)
        return tuple(heard)

    with ThreadPoolExecutor(4) as pool:
        made = list(pool.map(fit, range(20)))
    assert made == [(f"UserWarning: of {number}",) for number in range(20)]
    assert warnings.filters == before
