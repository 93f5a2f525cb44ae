"""Tests on rows that come in groups: what is lost where the groups are not told."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

import heldout
from heldout.comparison.compare import compare

if TYPE_CHECKING:
    from collections.abc import Iterator

GROUPS, SIZE = 40, 6
#: measure, whether the groups are told, what the line is called
TESTS = (
    ("accuracy", True, "paired t of groups, accuracy"),
    ("auc", True, "DeLong of groups (Obuchowski), AUC"),
    ("f_score", True, "delta method of groups, F-score"),
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


def unequal_section(simulations: int) -> Iterator[str]:
    """A row a number of groups and how unequal they are: false alarms of the default tests."""
    yield "## Groups of unequal size\n"
    yield (
        "As above, 12 rows a group on the median; the logarithm of sizes has the spread given; "
        "in the last line the largest of 12 groups holds 59% of the rows. Truth is that of rows. "
        f"{simulations:,} simulations a line.\n"
    )
    titles = [title for _, told, title in TESTS if told]
    yield f"| groups | spread of log size | {' | '.join(titles)} |"
    yield "|---:|---:|" + "---:|" * len(titles)
    for count, spread in ((8, 0.0), (8, 1.2), (15, 1.2), (30, 1.8), (12, None)):
        rng = np.random.default_rng(count)
        found = np.zeros(len(titles))
        for _ in range(simulations):
            two = _unequal(rng, count, spread)
            made = compare(*two, measures=[m for m, told, _ in TESTS if told], correction="none")
            found += [d.p_value <= 0.05 for d in made.differences]
        shares = " | ".join(f"{100 * share / simulations:.1f}" for share in found)
        yield f"| {count} | {'one of 59 %' if spread is None else spread} | {shares} |"
    yield ""


def _unequal(rng: Any, count: int, spread: float | None) -> list[Any]:
    size = np.full(count, 12)
    if spread is None:
        size[0] = round(0.59 / 0.41 * 12 * (count - 1))
    else:
        size = np.maximum(np.round(12 * np.exp(spread * rng.normal(size=count))), 1).astype(int)
    groups = np.repeat(np.arange(count), size)
    truth = (rng.random(len(groups)) < 0.4).astype(int)
    # both classes in the first and the last group, so that every measure is defined
    truth[[0, -1]] = 1
    truth[[1, -2]] = 0
    made = []
    for name in "ab":
        noise = np.sqrt(0.6) * rng.normal(size=count)[groups]
        noise += np.sqrt(0.4) * rng.normal(size=len(groups))
        score = 1 / (1 + np.exp(-(1.6 * (truth - 0.5) + noise)))
        given: dict[str, Any] = {"pos_label": 1, "groups": groups, "model": name}
        made.append(heldout.from_arrays(truth, y_score=score, **given))
    return made


def _models(rng: Any) -> tuple[list[Any], list[Any]]:
    groups = np.repeat(np.arange(GROUPS), SIZE)
    truth = np.r_[0, 1, rng.integers(0, 2, GROUPS - 2)][groups]
    plain, grouped = [], []
    for name in "ab":
        own = rng.normal(size=GROUPS)[groups]
        noise = np.sqrt(0.8) * own + np.sqrt(0.2) * rng.normal(size=len(truth))
        score = 1 / (1 + np.exp(-(1.6 * (truth - 0.5) + noise)))
        given: dict[str, Any] = {"y_score": score, "pos_label": 1, "model": name}
        plain.append(heldout.from_arrays(truth, **given))
        grouped.append(heldout.from_arrays(truth, groups=groups, **given))
    return plain, grouped
