"""Tests of a slice against all other rows: how often a slice differs where none does."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

import heldout
from heldout.core.significance import holm

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ROWS = 600
#: shares of the eight slices
SHARES = np.array([0.03, 0.05, 0.08, 0.1, 0.12, 0.14, 0.18, 0.3])
#: times by which the noise of the rows of each slice is more than that of the others
NOISE = np.array([3.0, 2.0, 1.0, 1.0, 1.0, 1.0, 0.7, 0.5])
#: shares of positives of the slices
POSITIVE = np.array([0.6, 0.5, 0.3, 0.3, 0.3, 0.3, 0.2, 0.3])

SMOOTH = ("accuracy", "f_score", "mcc", "log_loss", "brier", "auc", "calibration_slope")
DRAWN = ("average_precision", "ece", "kolmogorov_smirnov", "maximum_f", "partial_area_under_roc")
OF_NUMBERS = ("bias", "mae", "rmse", "r2", "median_absolute_error")


@dataclass(frozen=True, slots=True)
class Scene:
    """Rows in slices, none of which differs from the others in these measures."""

    title: str
    measures: tuple[str, ...]
    rows: Callable[[Any], dict[str, Any]]


def _where(rng: Any) -> Any:
    return rng.permutation(np.repeat(np.arange(8), np.round(SHARES * ROWS).astype(int)))


def _binary(rng: Any, where: Any, noise: Any, positive: Any = 0.3) -> dict[str, Any]:
    truth = (rng.random(len(where)) < positive).astype(int)
    truth[:2] = 0, 1
    odds = 1.6 * (truth - 0.5) - 0.8 + noise
    given = {"y_score": 1 / (1 + np.exp(-odds)), "pos_label": 1, "threshold": 0.4}
    return {"y_true": truth, "slices": {"s": where}, **given}


def _alike(rng: Any) -> dict[str, Any]:
    return _binary(rng, _where(rng), rng.normal(size=ROWS))


def _sharp(rng: Any) -> dict[str, Any]:
    """Few errors, of which a slice may have none."""
    return _binary(rng, _where(rng), 0.4 * rng.normal(size=ROWS), 0.15)


def _of_other_classes(rng: Any) -> dict[str, Any]:
    where = _where(rng)
    return _binary(rng, where, rng.normal(size=ROWS), POSITIVE[where])


def _calibrated(rng: Any) -> dict[str, Any]:
    """Calibrated probabilities, which are farther from one half in some slices."""
    where = _where(rng)
    score = 1 / (1 + np.exp(-NOISE[where] * rng.normal(size=ROWS)))
    truth = (rng.random(ROWS) < score).astype(int)
    return {"y_true": truth, "y_score": score, "pos_label": 1, "slices": {"s": where}}


def _weighted(rng: Any) -> dict[str, Any]:
    return {**_alike(rng), "sample_weight": rng.gamma(2, 0.5, ROWS)}


def _in_groups(rng: Any) -> dict[str, Any]:
    """Groups of six rows, each in one slice, whose noise is mostly that of the group."""
    groups = np.repeat(np.arange(ROWS // 6), 6)
    where = rng.choice(8, ROWS // 6, p=SHARES)[groups]
    noise = np.sqrt(0.6) * rng.normal(size=ROWS // 6)[groups] + np.sqrt(0.4) * rng.normal(size=ROWS)
    return {**_binary(rng, where, noise), "groups": groups}


def _across(rng: Any) -> dict[str, Any]:
    """The same groups, with rows in any slice."""
    groups = np.repeat(np.arange(ROWS // 6), 6)
    noise = np.sqrt(0.6) * rng.normal(size=ROWS // 6)[groups] + np.sqrt(0.4) * rng.normal(size=ROWS)
    return {**_binary(rng, _where(rng), noise), "groups": groups}


def _numbers(rng: Any, where: Any, error: Any) -> dict[str, Any]:
    truth = rng.normal(10, 3, ROWS)
    return {"y_true": truth, "y_pred": truth + error, "slices": {"s": where}, "task": "regression"}


def _skewed(rng: Any) -> dict[str, Any]:
    error = rng.choice([-1, 1], ROWS) * rng.lognormal(0, 0.7, ROWS)
    return _numbers(rng, _where(rng), error)


def _noisy(rng: Any) -> dict[str, Any]:
    where = _where(rng)
    return _numbers(rng, where, NOISE[where] * rng.normal(size=ROWS))


def _classes(rng: Any) -> dict[str, Any]:
    truth = rng.choice(4, ROWS, p=[0.4, 0.3, 0.2, 0.1])
    scores = np.exp(2.0 * np.eye(4)[truth] + rng.normal(size=(ROWS, 4)))
    scores /= scores.sum(axis=1, keepdims=True)
    return {"y_true": truth, "y_score": scores, "labels": range(4), "slices": {"s": _where(rng)}}


SCENES = (
    Scene("two classes", SMOOTH + DRAWN, _alike),
    Scene("few errors", ("accuracy", "f_score", "mcc", "log_loss", "auc"), _sharp),
    Scene("slices with other shares of positives", ("auc", "recall"), _of_other_classes),
    Scene("calibrated, of other spreads", ("ece", "calibration_slope"), _calibrated),
    Scene("weighted rows", ("accuracy", "f_score", "log_loss", "auc", *DRAWN[:1]), _weighted),
    Scene(
        "groups of a slice each", ("accuracy", "f_score", "log_loss", "auc", *DRAWN[:1]), _in_groups
    ),
    Scene("groups across slices", ("accuracy", "f_score", "log_loss", "auc", *DRAWN[:1]), _across),
    Scene("numbers, skewed errors", OF_NUMBERS, _skewed),
    Scene("numbers, slices of other noise", ("bias",), _noisy),
    Scene("four classes", ("f_score_macro", "mcc", "auc_macro"), _classes),
)


def slice_section(simulations: int) -> Iterator[str]:
    """A row a scene and measure: data sets in which a slice differs after Holm's correction."""
    yield "## Slices against all other rows\n"
    yield (
        f"{ROWS} rows in eight slices of 3 to 30% of them; a data set is a false alarm if any "
        f"slice differs in the measure at 5% after Holm's correction over the eight. "
        f"{simulations:,} data sets a line.\n"
    )
    yield "| rows | measure | false alarms |"
    yield "|---|---|---:|"
    for scene in SCENES:
        alarms = np.zeros(len(scene.measures))
        for seed in range(simulations):
            alarms += least_p_values(scene, seed) <= 0.05
        for name, count in zip(scene.measures, alarms, strict=True):
            yield f"| {scene.title} | {name.replace('_', ' ')} | {100 * count / simulations:.1f} |"
    yield ""


def least_p_values(scene: Scene, seed: int) -> Any:
    """The least corrected p-value of any slice, by measure."""
    card = heldout.score(**scene.rows(np.random.default_rng(seed)), intervals=False)
    lines = [line for line in card.slices(*scene.measures) if line["kind"] == "slice"]
    each = np.array([line["p_value"] for line in lines], float).reshape(len(scene.measures), -1)
    return np.array([np.nanmin(holm(own), initial=1.0) for own in each])
