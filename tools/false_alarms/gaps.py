"""Differences of calibration errors: the inverted tests beside what resampling would give."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

import heldout
from heldout.comparison.compare import compare

if TYPE_CHECKING:
    from collections.abc import Iterator

BINS = 10
DRAWS = 200
#: of either model the slope and the shift of its logits: 1 and 0 is calibrated
SCENES = (
    ("both calibrated", (1.0, 0.0), (1.0, 0.0)),
    ("one too sure, one too unsure", (2.0, 0.0), (0.4138, 0.0)),
    ("one too high, one too low", (1.0, 0.8), (1.0, -0.8)),
    ("one calibrated, one too sure", (1.0, 0.0), (2.0, 0.0)),
)


def gap_section(simulations: int) -> Iterator[str]:
    """A row a scene and size: how often intervals cover, and how often tests reject."""
    yield "## Calibration errors\n"
    yield (
        "The expected calibration error (10 bins) of two models that see one of two features each. "
        f"{simulations:,} simulations a line. *Covers*: how often the 95 % interval holds the true "
        "difference of the binned errors. In the last scene, rejecting is right.\n"
    )
    yield (
        "| models | rows | true difference | covers: inverted tests | covers: paired percentile "
        "bootstrap | rejects: inverted tests | rejects: paired permutation |"
    )
    yield "|---|---:|---:|---:|---:|---:|---:|"
    for title, first, second in SCENES:
        many = _drawn(2_000_000, np.random.default_rng(1), first, second)
        truth = _error(many[3], many[1]) - _error(many[4], many[2])
        for rows in (200, 1000):
            found = np.zeros(4)
            rng = np.random.default_rng(rows)
            for _ in range(simulations):
                found += _tried(_drawn(rows, rng, first, second)[:3], truth, rng)
            shares = " | ".join(f"{100 * count / simulations:.1f}" for count in found)
            yield f"| {title} | {rows:,} | {round(truth, 3) + 0.0:.3f} | {shares} |"
    yield ""


def _drawn(rows: int, rng: Any, first: Any, second: Any) -> tuple[Any, ...]:
    """Outcomes, the two models' scores, and what these should have been."""
    from scipy.special import expit, logit, ndtr

    one, two = rng.normal(size=(2, rows))
    truth = rng.random(rows) < ndtr(one + two)
    right = [np.clip(ndtr(half / np.sqrt(2)), 1e-9, 1 - 1e-9) for half in (one, two)]
    scores = [expit(k * logit(p) + c) for p, (k, c) in zip(right, (first, second), strict=True)]
    return truth, *scores, *right


def _bins(scores: Any) -> Any:
    return np.clip(np.ceil(scores * BINS).astype(int) - 1, 0, BINS - 1)


def _error(came: Any, scores: Any) -> float:
    gaps = np.bincount(_bins(scores), weights=came - scores, minlength=BINS)
    return float(np.abs(gaps).sum() / len(scores))


def _tried(drawn: tuple[Any, ...], truth: float, rng: Any) -> Any:
    """Whether either interval covers, and whether either test rejects."""
    came, *scores = drawn
    models = [
        heldout.from_arrays(came.astype(int), y_score=s, pos_label=1, model=name)
        for s, name in zip(scores, "ab", strict=True)
    ]
    made = compare(*models, measures="ece")["ece"]
    rows = len(came)
    own = np.zeros((2, rows, BINS))
    for place, values in enumerate(scores):
        own[place, np.arange(rows), _bins(values)] = came - values
    times = rng.multinomial(rows, np.full(rows, 1 / rows), size=DRAWS)
    errors = [np.abs(times @ part).sum(axis=1) / rows for part in own]
    low, high = np.quantile(errors[0] - errors[1], [0.025, 0.975])
    swap = (rng.random((DRAWS, rows)) < 0.5).astype(float)
    moved = own[1] - own[0]
    mixed = [own[0].sum(axis=0) + swap @ moved, own[1].sum(axis=0) - swap @ moved]
    gaps = (np.abs(mixed[0]).sum(axis=1) - np.abs(mixed[1]).sum(axis=1)) / rows
    p_value = (1 + (np.abs(gaps) >= abs(made.value) - 1e-12).sum()) / (1 + DRAWS)
    return np.array(
        [
            made.interval.contains(truth),
            low <= truth <= high,
            made.p_value <= 0.05,
            p_value <= 0.05,
        ],
        float,
    )
