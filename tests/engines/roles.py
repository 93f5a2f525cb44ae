"""Predictions of every role, and what is compared of them between engines."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.assess.scorecard import score_predictions
from heldout.predictions.options import Roles
from tests.engines.transports import arrow

if TYPE_CHECKING:
    from heldout.predictions.table import Predictions

ROWS = 420
#: what is said of the columns for each kind of predictions
ROLES = {
    "labels": Roles(truth="y", predicted="q", positive="yes", by=("k",)),
    "grouped labels": Roles(truth="y", predicted="q", positive="yes", group="g", by=("k",)),
    "weighted scores": Roles(truth="y", score="p", positive="yes", weight="w", by=("k",)),
    "grouped scores": Roles(truth="y", score="p", positive="yes", group="g"),
    "folds": Roles(truth="y", score="p", positive="yes", fold="f", id="i"),
    "folds and repeats": Roles(
        truth="y", predicted="q", positive="yes", fold="f", repeat="r", id="j"
    ),
    "labels and scores": Roles(truth="y", predicted="q", score="p", positive="yes"),
    "truth values": Roles(truth="b", predicted="c", positive="true"),
    "several classes": Roles(truth="z", predicted="zq", score_prefix="p_", by=("k",)),
    "several weighted classes": Roles(truth="z", score_prefix="p_", weight="w"),
    "values": Roles(truth="v", predicted="vq", by=("k",), naive="n"),
    "weighted values of groups": Roles(truth="v", predicted="vq", weight="w", group="g"),
    "models": Roles(truth="y", score="p", positive="yes", model="m"),
}


def table(seed: int = 3) -> Any:
    """Rows with a column for each role; texts repeat, and one is unused."""
    rng = np.random.default_rng(seed)
    row = np.arange(ROWS)
    p = np.round(rng.beta(1, 2, ROWS), 3)
    y = np.random.default_rng(5).random(ROWS) < 0.4
    q = np.where(rng.random(ROWS) < 0.8, y, ~y)
    z = np.random.default_rng(6).integers(0, 3, ROWS)
    parts = rng.dirichlet([2, 1, 1], ROWS) + np.eye(3)[z]
    parts = np.round(parts / parts.sum(axis=1, keepdims=True), 6)
    parts[:, 2] = 1 - parts[:, 0] - parts[:, 1]
    v = np.random.default_rng(7).normal(10, 2, ROWS)
    names = np.array(["one", "two", "three"], object)
    words = np.array(["no", "yes"], object)
    own: dict[str, Any] = {
        "i": np.array([f"row {i}" for i in row], object),
        "j": row % (ROWS // 2),
        "y": words[y.astype(int)],
        "q": words[q.astype(int)],
        "b": y,
        "c": q,
        "p": p,
        "w": np.round(rng.gamma(2, 1, ROWS) + 0.1, 3),
        "g": np.array([f"g{i}" for i in row // 7], object),
        "f": row % 5,
        "r": row // (ROWS // 2),
        "k": np.array(["at", "ch", "de"], object)[row % 3],
        "m": np.array(["first", "second"], object)[row % 2],
        "z": names[z],
        "zq": names[np.where(rng.random(ROWS) < 0.7, z, (z + 1) % 3)],
        "v": v,
        "vq": v + rng.normal(0, 1, ROWS),
        "n": v + rng.normal(0, 2, ROWS),
        "remark": np.array([f"unused {i}" for i in row], object),
    }
    own |= {f"p_{name}": parts[:, i] for i, name in enumerate(names)}
    if own["r"].max() == 1:  # a row of both repeats has one truth
        own["y"] = words[y[own["j"]].astype(int)]
    return arrow(own)


def values_of(models: tuple[Predictions, ...]) -> dict[str, tuple[float, ...]]:
    """Every value with its limits, of all rows, of parts and of slices."""
    card = score_predictions(models)
    return {
        f"{i} {r.model} {r.measure} {r.slice} {r.fold}": tuple(
            np.nan if value is None else value for value in (r.value, r.low, r.high)
        )
        for i, r in enumerate(card.results(None))
    }


def assert_same_values(
    own: tuple[Predictions, ...], expected: tuple[Predictions, ...], is_ordered: bool = True
) -> None:
    """Values to 1e-12; limits that are drawn by the order of rows only where that is kept."""
    values, known = values_of(own), values_of(expected)
    assert values.keys() == known.keys()
    for name, numbers in known.items():
        kept = slice(None) if is_ordered else slice(1)
        np.testing.assert_allclose(
            values[name][kept], numbers[kept], rtol=1e-12, atol=1e-13, err_msg=name
        )
