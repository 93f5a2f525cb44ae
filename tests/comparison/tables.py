"""Tables of results on made-up data sets, wide and long."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["longer", "table"]


def table(models: int, sets: int = 12, *, seed: int = 1, step: float = 0.02) -> dict[str, Any]:
    """A wide table in which each further model is better by a step."""
    values = np.random.default_rng(seed).normal(0.8, 0.02, (sets, models))
    values += step * np.arange(models)
    columns = {chr(ord("a") + i): values[:, i].tolist() for i in range(models)}
    return {"set": [f"set {i}" for i in range(sets)], **columns}


def longer(wide: dict[str, Any]) -> dict[str, Any]:
    """The same results, a row each."""
    models = [name for name in wide if name != "set"]
    rows = [(s, m, wide[m][i]) for i, s in enumerate(wide["set"]) for m in models]
    return {
        "set": [r[0] for r in rows],
        "model": [r[1] for r in rows],
        "value": [r[2] for r in rows],
    }
