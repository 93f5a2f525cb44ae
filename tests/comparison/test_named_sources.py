"""Models that get their names from a mapping, whatever kind of source each is."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import heldout
from heldout.core.errors import InputError
from tests.comparison.models import binary

ROLES: dict[str, Any] = {"truth": "y", "score": "p", "id": "row", "positive": 1}


def table(seed: int) -> dict[str, Any]:
    truth = np.random.default_rng(9).integers(0, 2, 60)
    noise = np.random.default_rng(seed).normal(0, 0.2, 60)
    score = np.clip(0.5 + 0.2 * seed * (truth - 0.5) + noise, 0, 1)
    return {"row": list(range(60)), "y": truth.tolist(), "p": score.tolist()}


def test_tables_have_the_names_of_their_mapping() -> None:
    pandas = pytest.importorskip("pandas")
    plain = heldout.compare(table(1), table(2), measures="auc", **ROLES)
    for kind in (dict, pandas.DataFrame):
        given = {"one": kind(table(1)), "two": kind(table(2))}
        made = heldout.compare(given, measures="auc", **ROLES)
        assert made.models == ("one", "two")
        assert made["auc"].value == plain["auc"].value


def test_predictions_and_scorecards_may_be_named_beside_tables() -> None:
    models = [binary(name, 0.5, seed=k, rows=50) for k, name in enumerate("ab")]
    made = heldout.compare({"left": models[0], "right": heldout.score(models[1])}, measures="auc")
    assert made.models == ("left", "right")
    both = heldout.compare({"pair": heldout.score(tuple(models))}, measures="auc")
    assert both.models == ("pair a", "pair b")


def test_tables_of_several_models_cannot_have_one_name() -> None:
    two = table(1)
    several = {k: v + v for k, v in two.items()} | {"m": ["x"] * 60 + ["y"] * 60}
    with pytest.raises(InputError, match="1 tables hold 2 models"):
        heldout.compare({"one": several}, measures="auc", model="m", **ROLES)
