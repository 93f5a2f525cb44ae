"""Honest splits of well-known and simulated data raise no alarm in any check."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import heldout
from heldout.datasets.read import read_dataset

RNG = np.random.default_rng


def alarms(audit: Any) -> list[str]:
    """All but notes, and but the truth that a test part is small."""
    grave = [f for f in audit.findings if f.severity != "note" and f.code != "K09"]
    return [f"{f.severity} {f.line}" for f in grave]


def halves(X: Any, y: Any, seed: int) -> Any:
    order = RNG(seed).permutation(len(y))
    first, second = order[: 2 * len(y) // 3], order[2 * len(y) // 3 :]
    return heldout.audit(train=(X[first], y[first]), test=(X[second], y[second]))


@pytest.mark.parametrize("name", ["iris", "wdbc", "wine", "digits"])
def test_well_known_data_are_clean(name: str) -> None:
    data = read_dataset(name, positive="malignant" if name == "wdbc" else None)
    for seed in range(3):
        assert not alarms(halves(data.matrix, data.labels, seed))
    audit = heldout.audit(X=data.matrix, y=data.labels, procedure="5-fold")
    assert not alarms(audit)


def test_diabetes_was_scaled_over_all_rows_and_nothing_else_is_wrong() -> None:
    data = read_dataset("diabetes")
    for seed in range(3):
        found = halves(data.matrix, data.labels, seed).findings
        assert {f.code for f in found} == {"K06"}


def simulated(kind: str, rng: Any) -> tuple[Any, Any]:
    rows = 300
    signal = rng.normal(size=(rows, 8))
    truth = signal[:, 0] + signal[:, 1] ** 2 + rng.normal(size=rows)
    mixed = np.column_stack([signal[:, :4].round(1), rng.integers(0, 3, (rows, 4))])
    return {
        "measured": lambda: (signal, truth > 1),
        "coarse": lambda: (signal.round(1), truth > 1),
        "counts": lambda: (rng.poisson(2, (rows, 8)), truth > 0.5),
        "mixed, three classes": lambda: (mixed, np.digitize(truth, [0, 1.5])),
        "rare class": lambda: (signal, truth > 3),
        "regression": lambda: (signal, truth),
        "marks": lambda: ((signal > 1).astype(float), truth > 1),
    }[kind]()


@pytest.mark.parametrize(
    "kind",
    ["measured", "coarse", "counts", "mixed, three classes", "rare class", "regression", "marks"],
)
def test_simulated_data_are_clean(kind: str) -> None:
    for seed in range(4):
        X, y = simulated(kind, RNG(seed))
        y = y.astype(int) if y.dtype == bool else y
        assert not alarms(halves(np.asarray(X, float), y, seed))
