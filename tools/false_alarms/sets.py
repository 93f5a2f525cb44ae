"""Tests over many data sets: models of equal quality on sets of very different scales."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.comparison.over_sets.post_hoc import rank_differences
from heldout.comparison.over_sets.ranks import average_ranks, friedman, iman_davenport
from heldout.comparison.over_sets.signed_ranks import sign_test, wilcoxon

if TYPE_CHECKING:
    from collections.abc import Iterator

SETS, MODELS = 15, 5
CORRECTIONS = ("none", "nemenyi", "holm", "shaffer", "bergmann_hommel")


def set_section(simulations: int) -> Iterator[str]:
    """Two tables: two models, and several."""
    yield "## Many data sets\n"
    yield (
        f"{SETS} data sets whose noise differs by up to a factor of 30. A difference: half of "
        f"a set's noise for two models; for {MODELS} models, 0.3 of it from one to the next.\n"
    )
    yield "| test of two models | false alarms | power |"
    yield "|---|---:|---:|"
    none, some = _two(simulations, 0.0), _two(simulations, 0.5)
    for title in none:
        yield f"| {title} | {100 * none[title]:.1f} | {100 * some[title]:.1f} |"
    yield ""
    yield (f"| test of {MODELS} models | false alarms (any pair) | power (best against worst) |")
    yield "|---|---:|---:|"
    none, some = _several(simulations, 0.0), _several(simulations, 0.3)
    for title in none:
        yield f"| {title} | {100 * none[title]:.1f} | {100 * some[title]:.1f} |"
    yield ""


def _values(rng: Any, models: int, step: float) -> Any:
    noise = 0.005 * 30 ** rng.random((SETS, 1))
    hardness = rng.uniform(0.6, 0.9, (SETS, 1))
    return hardness + noise * (rng.normal(size=(SETS, models)) + step * np.arange(models))


def _two(simulations: int, step: float) -> dict[str, float]:
    from scipy.stats import ttest_rel

    rng = np.random.default_rng(7)
    found = dict.fromkeys(
        ("Wilcoxon signed-rank", "sign test", "paired t over data sets (refused)"), 0.0
    )
    for _ in range(simulations):
        first, second = _values(rng, 2, step).T
        p_values = (
            wilcoxon(first, second).p_value,
            sign_test(first, second).p_value,
            float(ttest_rel(first, second).pvalue),
        )
        for title, p_value in zip(found, p_values, strict=True):
            found[title] += (p_value <= 0.05) / simulations
    return found


def _several(simulations: int, step: float) -> dict[str, float]:
    rng = np.random.default_rng(8)
    names = {"none": "pairs, not corrected (refused)", "bergmann_hommel": "Bergmann-Hommel"}
    found = {"Friedman": 0.0, "Iman-Davenport": 0.0}
    found |= {names.get(c, c.title()): 0.0 for c in CORRECTIONS}
    for _ in range(simulations):
        values = _values(rng, MODELS, step)
        found["Friedman"] += (friedman(values).p_value <= 0.05) / simulations
        found["Iman-Davenport"] += (iman_davenport(values).p_value <= 0.05) / simulations
        ranks = average_ranks(values)
        for correction in CORRECTIONS:
            pairs = rank_differences(ranks, SETS, correction=correction)
            chosen = pairs if not step else [p for p in pairs if (p.first, p.second) == (0, 4)]
            hit = any(pair.corrected <= 0.05 for pair in chosen)
            found[names.get(correction, correction.title())] += hit / simulations
    return found
