"""Tables of predictions as every transport takes them, and what is compared of their scores."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.assess.scorecard import score_predictions
from heldout.engines.reading import read_rows
from heldout.predictions.options import Roles

if TYPE_CHECKING:
    from heldout.predictions.table import Predictions

ROLES = Roles(truth="y", score="p", positive="yes", by=("k", "j"))
ROWS = 1_500
#: rows of the parts that come one after the other; one of them has few
CUTS = (0, 700, 707, ROWS)


def columns(kind: str = "some ties") -> dict[str, Any]:
    """Rows of a kind of scores, with slices of texts and of whole numbers."""
    rng = np.random.default_rng(11)
    p = rng.beta(1, 2, ROWS)
    y = np.where(rng.random(ROWS) < p, "yes", "no").astype(object)
    if kind == "ties":
        p = np.round(p, 2)
    elif kind == "some ties":
        p = np.where(rng.random(ROWS) < 0.5, np.round(p, 3), p)
    elif kind == "signed":
        p = p * 6 - 3
    k = np.array(["at", "ch", "de"], object)[np.minimum(rng.geometric(0.6, ROWS) - 1, 2)]
    return {"y": y, "p": p, "k": k, "j": rng.integers(7, 9, ROWS)}


def arrow(own: dict[str, Any]) -> Any:
    import pyarrow as pa

    return pa.table({name: pa.array(values) for name, values in own.items()})


def read(source: Any, roles: Roles = ROLES, **how: Any) -> Predictions:
    """The predictions of a source; what a library warns of is its own affair."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        (p,) = read_rows([source], roles, pool=False, dialect="flags", **how)
    return p


def numbers_of(p: Predictions) -> dict[str, tuple[float, ...]]:
    """Every value with its limits, of all rows and of slices, and points of a curve."""
    card = score_predictions((p,))
    numbers: dict[str, tuple[float | None, ...]] = {
        f"{i} {r.measure}": (r.value, r.low, r.high) for i, r in enumerate(card.results(None))
    }
    for i, record in enumerate(card.slices("auc", "accuracy", "brier")):
        numbers[f"slice {i} {record['slice']}"] = tuple(
            value for value in record.values() if isinstance(value, float)
        )
    curve = card.curve("roc")
    numbers["roc"] = (*curve.x.tolist(), *curve.y.tolist())
    return {
        name: tuple(np.nan if value is None else value for value in own)
        for name, own in numbers.items()
    }


def assert_same(p: Predictions, rows: Predictions) -> None:
    expected, own = numbers_of(rows), numbers_of(p)
    assert own.keys() == expected.keys()
    for name, numbers in expected.items():
        np.testing.assert_allclose(own[name], numbers, rtol=1e-9, atol=1e-12, err_msg=name)
