"""How often test rows were looked at: models count, a search once, and other rows apart."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.neighbors import KNeighborsClassifier

import heldout
from heldout.auditing.audit import audited
from heldout.auditing.material import Material
from heldout.runner.earlier_looks import looks_at_data, looks_at_rows
from heldout.runner.store import Store
from tests.auditing.test_audit import arrays, scored


def test_store_counts_models_that_were_judged_on_the_same_rows(tmp_path: Path) -> None:
    store = Store(tmp_path)
    assert looks_at_rows(store, [scored()]) is None
    X, y = arrays()
    evaluation = heldout.evaluate(["lda", "nb"], X, y, procedure="3-fold", store=tmp_path)
    fingerprint, splits = evaluation.dataset.fingerprint, evaluation.splits.fingerprint
    assert looks_at_data(store, fingerprint, splits) == (2, 0)
    heldout.evaluate(["lda", "majority"], X, y, procedure="4-fold", store=tmp_path)
    assert looks_at_data(store, fingerprint, splits) == (2, 1)
    assert looks_at_data(store, fingerprint) == (0, 3)
    assert looks_at_data(store, "other") == (0, 0)
    assert looks_at_rows(store, [scored(1), scored(2)]) == 2
    assert looks_at_rows(store, [scored(2), scored(3)]) == 3
    other = replace(scored(4), truth=1 - scored().truth)
    assert looks_at_rows(store, [other]) == 1
    assert looks_at_rows(store, [scored(3), replace(other, scores=other.scores / 2)]) == 3
    assert looks_at_rows(store, [scored(9)], record=False) == 3


def test_a_search_is_one_look_and_other_splits_are_no_test_set(tmp_path: Path) -> None:
    store = Store(tmp_path)
    X, y = arrays()
    grid = {"n_neighbors": range(1, 13)}
    made = heldout.select("knn", grid, X, y, nested="2x3-fold", store=tmp_path)
    data, splits = made.dataset.fingerprint, made.splits.fingerprint
    assert looks_at_data(store, data, splits) == (1, 0)
    # the outer folds that judged its choices are no other looks
    assert looks_at_data(store, data, "other splits") == (0, 1)
    single = heldout.evaluate("lda", X, y, procedure="holdout 70:30", store=tmp_path)
    assert looks_at_data(store, data, single.splits.fingerprint) == (1, 1)
    # the same settings judged one by one on other splits are as many looks there
    several = ["knn[n_neighbors=1]", "knn[n_neighbors=2]"]
    heldout.evaluate(several, X, y, procedure="holdout 70:30", store=tmp_path)
    assert looks_at_data(store, data, single.splits.fingerprint) == (3, 1)
    assert looks_at_data(store, data, splits) == (1, 3)


NEIGHBOURS = [f"knn[n_neighbors={k}]" for k in range(1, 13)]


@pytest.mark.parametrize("is_race", [False, True])
def test_settings_that_were_judged_singly_are_looks_beside_their_search(
    tmp_path: Path, *, is_race: bool
) -> None:
    X, y = arrays()
    how = {"procedure": "3-fold", "store": tmp_path}
    grid = {"n_neighbors": range(1, 13)}
    # judged one by one before the search, and one of them after it
    heldout.evaluate(NEIGHBOURS[:4], X, y, **how)
    made = heldout.select("knn", grid, X, y, race=is_race, **how)
    here = Store(tmp_path), made.dataset.fingerprint, made.splits.fingerprint
    assert looks_at_data(*here) == (5, 0)
    heldout.evaluate(NEIGHBOURS[6], X, y, **how)
    assert looks_at_data(*here) == (6, 0)
    # the same again is no further look, and a larger search has the smaller one in it
    heldout.evaluate(NEIGHBOURS[6], X, y, **how)
    heldout.select("knn", grid, X, y, race=is_race, **how)
    heldout.select("knn", {"n_neighbors": range(1, 15)}, X, y, race=is_race, **how)
    assert looks_at_data(*here) == (6, 0)
    # along other splits it is the same search, and what was seen singly here is no news there
    heldout.select("knn", grid, X, y, procedure="4-fold", store=tmp_path)
    heldout.evaluate(NEIGHBOURS[6:8], X, y, procedure="4-fold", store=tmp_path)
    assert looks_at_data(*here) == (6, 1)


def test_search_that_was_broken_off_and_resumed_is_one_look(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    X, y = arrays()
    how = {"procedure": "3-fold", "store": tmp_path, "exact": False}
    fits = {"left": 10}
    fit = KNeighborsClassifier.fit

    def interrupted(self: Any, *args: Any) -> Any:
        fits["left"] -= 1
        if fits["left"] < 0:
            raise KeyboardInterrupt
        return fit(self, *args)

    monkeypatch.setattr(KNeighborsClassifier, "fit", interrupted)
    with pytest.raises(KeyboardInterrupt):
        heldout.select("knn", {"n_neighbors": range(1, 6)}, X, y, **how)
    monkeypatch.undo()
    made = heldout.select("knn", {"n_neighbors": range(1, 6)}, X, y, **how)
    assert made.search.reused > 0
    here = made.dataset.fingerprint, made.splits.fingerprint
    assert looks_at_data(Store(tmp_path), *here) == (1, 0)


class Refuses(KNeighborsClassifier):  # type: ignore[misc]  # untyped
    """Fits no data, or only data with a row of its own."""

    def __init__(self, n_neighbors: int = 5, *, unless: float | None = None) -> None:
        super().__init__(n_neighbors=n_neighbors)
        self.unless = unless

    def fit(self, X: Any, y: Any) -> Refuses:
        """Refuse, unless there is the row."""
        if self.unless is None or not np.isclose(np.asarray(X)[:, 0], self.unless).any():
            raise ValueError("not these")
        return super().fit(X, y)


def test_model_that_failed_everywhere_gave_nothing_to_look_at(tmp_path: Path) -> None:
    X, y = arrays()
    models = {f"m{k}": Refuses(k) for k in range(1, 12)} | {"partly": Refuses(3, unless=X[0, 0])}
    made = heldout.evaluate(models, X, y, procedure="3-fold", store=tmp_path)
    assert len(made.failures) == 11 * 3 + 1
    here = made.dataset.fingerprint, made.splits.fingerprint
    assert looks_at_data(Store(tmp_path), *here) == (1, 0)


@pytest.mark.parametrize(
    ("looks", "elsewhere", "severity", "said"),
    [
        (25, 0, "warning", "25 models were evaluated on this test set"),
        (12, 5, "note", "12 models were evaluated on this test set"),
        (0, 25, "note", "25 models were evaluated on these data, on other test rows"),
        (3, 9, "note", "12 models were evaluated on these data, 3 of them on these test rows"),
        (3, 6, "", ""),
    ],
)
def test_only_the_very_same_test_rows_are_called_so(
    looks: int, elsewhere: int, severity: str, said: str
) -> None:
    found = audited(Material(looks=looks, looks_elsewhere=elsewhere)).findings
    assert [(one.severity, one.seen.startswith(said)) for one in found] == (
        [(severity, True)] if severity else []
    )


def test_unusable_store_leaves_looks_unknown(tmp_path: Path) -> None:
    (tmp_path / "runs.sqlite").write_text("no database at all, " * 100)
    assert looks_at_rows(Store(tmp_path), [scored()]) is None
    assert looks_at_data(Store(tmp_path), "any") is None
