"""Models that were judged on different rows: how often they are told apart by chance."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

import heldout
from heldout.comparison.compare import compare

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.random import Generator

#: rows of a group, where rows come in groups
SIZE = 5


def apart_section(simulations: int) -> Iterator[str]:
    """A row a scene and measure: how often two models of one quality are told apart."""
    yield "## Different rows\n"
    yield (
        "Two models of one quality, the second judged on twice as many rows as the first, none of "
        "which the first has seen: DeLong for AUC, Welch's t for mean losses, the delta method for "
        f"all others. {simulations:,} simulations a line.\n"
    )
    yield "| rows | measure | false alarms |"
    yield "|---|---|---:|"
    for title, rows, made, measures in SCENES:
        alarms = dict.fromkeys(measures, 0)
        for number in range(simulations):
            rng = np.random.default_rng([number, rows])
            models = made(rng, rows, "a"), made(rng, 2 * rows, "b")
            found = compare(*models, measures=measures, unpaired=True)
            for measure in measures:
                alarms[measure] += found[measure].test.p_value <= 0.05
        for measure, count in alarms.items():
            yield f"| {title} | {measure} | {100 * count / simulations:.1f} |"
    yield ""


def _balanced(rng: Generator, rows: int, name: str) -> Any:
    return _binary(rng.random(rows) < 0.4, rng.normal(size=rows), name)


def _rare(rng: Generator, rows: int, name: str) -> Any:
    return _binary(rng.random(rows) < 0.1, rng.standard_t(3, rows), name)


def _grouped(rng: Generator, rows: int, name: str) -> Any:
    groups = np.repeat(np.arange(rows // SIZE), SIZE)
    shared = rng.normal(size=rows // SIZE)[groups]
    noise = rng.normal(size=rows) + shared
    return _binary(rng.random(rows) < 0.5, noise, name, groups=groups)


def _binary(truth: Any, noise: Any, name: str, **design: Any) -> Any:
    truth[:3], truth[3:6] = True, False
    score = 1 / (1 + np.exp(-(1.2 * (2 * truth - 1) + noise)))
    kept = np.clip(score, 0.001, 0.999)
    return heldout.from_arrays(truth.astype(int), y_score=kept, pos_label=1, model=name, **design)


def _numbers(rng: Generator, rows: int, name: str) -> Any:
    truth, errors = rng.normal(size=rows), rng.standard_t(3, rows)
    return heldout.from_arrays(truth, truth + errors / 2, task="regression", model=name)


SCENES: tuple[tuple[str, int, Callable[..., Any], tuple[str, ...]], ...] = (
    ("40 and 80, 40% positive", 40, _balanced, ("auc", "log_loss", "f_score")),
    ("100 and 200, 10% positive, t noise", 100, _rare, ("auc", "log_loss", "f_score", "mcc")),
    ("20 and 40 groups of 5", 100, _grouped, ("auc", "log_loss", "f_score")),
    ("30 and 60 numbers, t errors", 30, _numbers, ("mse", "rmse", "r2")),
)
