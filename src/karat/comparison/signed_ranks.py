"""Two models on many data sets: Wilcoxon's signed ranks and the sign test."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from karat.comparison.evidence import Evidence, checked_alternative
from karat.comparison.ranks import without_noise
from karat.core.errors import InputError
from karat.predictions.part import plural

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["SignedRanks", "sign_test", "signed_ranks", "wilcoxon"]

Zeros = Literal["drop", "split", "pratt"]
#: up to so many differences without ties every assignment of signs is counted
EXACT = 50


@dataclass(frozen=True, slots=True)
class SignedRanks:
    """The sums of the ranks of differences in favour of either model."""

    first_better: float
    second_better: float
    sets: int


def signed_ranks(
    first: NDArray[Any], second: NDArray[Any], *, zeros: Zeros = "split"
) -> SignedRanks:
    """Ranks of the differences' sizes, added up by sign.

    ``zeros``: data sets without a difference are dropped, split between the models
    (Demšar), or ranked and then dropped (Pratt). Float noise does not break ties.

    Examples
    --------
    >>> signed_ranks(np.array([0.9, 0.8, 0.7]), np.array([0.8, 0.8, 0.9]))
    SignedRanks(first_better=2.5, second_better=3.5, sets=3)
    """
    from scipy.stats import rankdata

    differences = _differences(first, second)
    if zeros == "drop":
        differences = differences[differences != 0]
    size = rankdata(np.abs(differences)) if len(differences) else np.zeros(0)
    share = float(size[differences == 0].sum()) / 2 if zeros == "split" else 0.0
    return SignedRanks(
        float(size[differences > 0].sum()) + share,
        float(size[differences < 0].sum()) + share,
        len(differences),
    )


def wilcoxon(
    first: NDArray[Any],
    second: NDArray[Any],
    *,
    zeros: Zeros = "split",
    alternative: str = "two-sided",
) -> Evidence:
    """Whether one model is better on more data sets, and by more.

    Exact where there are no ties and no zeros and at most 50 data sets, else by the normal
    approximation. Wilcoxon (1945), Biometrics Bull. 1:80; Demšar (2006) for models.

    Examples
    --------
    >>> wilcoxon(np.array([5.0, 6, 7, 9, 3]), np.array([4.0, 4, 4, 5, 8])).statistic
    10.0
    """
    from scipy import stats

    side = checked_alternative(alternative)
    differences = _differences(first, second)
    found = signed_ranks(first, second, zeros=zeros)
    if not differences.any():
        return Evidence("Wilcoxon signed-rank test", 0.0, 1.0, side, note="no data set differs")
    sizes = np.abs(differences)
    is_exact = len(sizes) <= EXACT and len(np.unique(sizes)) == len(sizes) and sizes.all()
    made = stats.wilcoxon(
        differences,
        zero_method={"drop": "wilcox", "split": "zsplit", "pratt": "pratt"}[zeros],
        alternative=side,
        correction=False,
        method="exact" if is_exact else "asymptotic",
    )
    how = "exact" if is_exact else f"normal approximation, zeros {zeros}"
    return Evidence(
        f"Wilcoxon signed-rank test ({how})", found.first_better, float(made.pvalue), side
    )


def sign_test(
    first: NDArray[Any], second: NDArray[Any], *, alternative: str = "two-sided"
) -> Evidence:
    """Whether one model wins on more data sets; draws are split, an odd one is left out.

    Examples
    --------
    >>> sign_test(np.array([1, 1, 1, 1, 1, 1]), np.zeros(6)).p_value
    0.03125
    """
    from scipy.stats import binomtest

    side = checked_alternative(alternative)
    differences = _differences(first, second)
    draws = int((differences == 0).sum())
    wins = int((differences > 0).sum()) + draws // 2
    trials = len(differences) - draws % 2
    if trials == 0:
        return Evidence("sign test", 0.0, 1.0, side, note="no data set differs")
    p_value = float(binomtest(wins, trials, 0.5, alternative=side).pvalue)
    note = f"{plural(draws, 'draw')}, split between the models" if draws else ""
    return Evidence("sign test", float(2 * wins - trials), p_value, side, note=note)


def _differences(first: NDArray[Any], second: NDArray[Any]) -> NDArray[np.float64]:
    one, two = np.asarray(first, float), np.asarray(second, float)
    if one.shape != two.shape or one.ndim != 1 or not len(one):
        raise InputError("each model needs one value a data set, and there must be some")
    gone = np.isnan(one) | np.isnan(two)
    if gone.any():
        raise InputError(
            f"data set {int(np.argmax(gone)) + 1} has no value for one of the models: "
            "leave it out, or judge both on it"
        )
    both = without_noise(np.stack([one, two]))
    return without_noise(both[0] - both[1])
