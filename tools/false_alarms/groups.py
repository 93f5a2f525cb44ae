"""Tests on rows that come in groups: what is lost where the groups are not told."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

import karat
from karat.comparison.compare import compare

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["group_section"]

GROUPS, SIZE = 40, 6
#: measure, whether the groups are told, what the line is called
TESTS = (
    ("accuracy", True, "paired t of groups, accuracy"),
    ("auc", True, "DeLong of groups (Obuchowski), AUC"),
    ("f_score", True, "paired permutation of groups, F-score"),
    ("accuracy", False, "exact McNemar, groups not told"),
    ("auc", False, "DeLong, groups not told"),
)


def group_section(simulations: int) -> Iterator[str]:
    """A row a test: false alarms where rows of a group share most of what decides them."""
    yield "## Rows in groups\n"
    yield (
        f"{GROUPS} groups of {SIZE} rows, whose truth and four fifths of either model's noise are "
        "those of the group. No difference between the models.\n"
    )
    yield "| test | false alarms |"
    yield "|---|---:|"
    rng = np.random.default_rng(11)
    found = np.zeros(len(TESTS))
    for _ in range(simulations):
        two, grouped = _models(rng)
        for place, (measure, told, _) in enumerate(TESTS):
            made = compare(
                *(grouped if told else two), measures=measure, replicates=100, permutations=200
            )
            found[place] += made[measure].p_value <= 0.05
    for (_, _, title), count in zip(TESTS, found, strict=True):
        yield f"| {title} | {100 * count / simulations:.1f} |"
    yield ""


def _models(rng: Any) -> tuple[list[Any], list[Any]]:
    groups = np.repeat(np.arange(GROUPS), SIZE)
    truth = np.r_[0, 1, rng.integers(0, 2, GROUPS - 2)][groups]
    plain, grouped = [], []
    for name in "ab":
        own = rng.normal(size=GROUPS)[groups]
        noise = np.sqrt(0.8) * own + np.sqrt(0.2) * rng.normal(size=len(truth))
        score = 1 / (1 + np.exp(-(1.6 * (truth - 0.5) + noise)))
        given: dict[str, Any] = {"y_score": score, "pos_label": 1, "model": name}
        plain.append(karat.from_arrays(truth, **given))
        grouped.append(karat.from_arrays(truth, groups=groups, **given))
    return plain, grouped
