"""How well the scores of several classes rank: between pairs of classes, and within a row."""

from __future__ import annotations

from math import nan
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.core.errors import InputError
from heldout.measures.kinds import Area, Mean
from heldout.measures.registry import measure
from heldout.tally.class_scores import ClassScores
from heldout.tally.rows import ProbabilityRows

if TYPE_CHECKING:
    from heldout.core.arrays import Floats


def _pairs(scores: ClassScores) -> tuple[Floats, Floats]:
    """Of each pair of classes with rows: the mean of its two areas, and its rows."""
    present = np.flatnonzero(scores.actual > 0)
    first, second = (present[part] for part in np.triu_indices(len(present), 1))
    between = scores.pairwise
    areas = (between[first, second] + between[second, first]) / 2
    return areas, np.asarray(scores.actual[first] + scores.actual[second], np.float64)


def _absent(scores: ClassScores) -> str:
    """How many pairs of classes a mean is of, where some class has no rows."""
    present = int(np.count_nonzero(scores.actual > 0))
    if present < 2 or present == scores.classes:
        return ""
    of, all_ = (k * (k - 1) // 2 for k in (present, scores.classes))
    return f"mean of {of} of {all_} pairs of classes: {scores.classes - present} without rows"


@measure(
    title="Hand and Till's M",
    aliases=("hand_till_m", "roc_auc_ovo", "roc_auc_ovo_macro", "multiclass_auc", "auc_ovo"),
    direction="up",
    bounds=(0, 1),
    formula=r"\frac{2}{K(K-1)} \sum_{i<j} \frac{A(i|j) + A(j|i)}{2}",
    undefined="fewer than two classes have rows",
    reference="Hand & Till (2001), Mach. Learn. 45:171",
    note=_absent,
    headline=("multiclass",),
    kind=Area(None),
)
def hand_till(scores: ClassScores) -> float:
    """The mean area under the ROC curve over all pairs of classes, each class as positive once.

    A class without rows takes no part, and the remark says of how many pairs the mean is.
    Prevalence has no influence.

    Examples
    --------
    >>> truth = np.array([0, 1, 0, 2])
    >>> p = [[0.1, 0.8, 0.1], [0.3, 0.4, 0.3], [0.35, 0.5, 0.15], [0.0, 0.2, 0.8]]
    >>> hand_till(ClassScores.of(truth, np.array(p)))
    0.75
    """
    areas, _ = _pairs(scores)
    return min(float(np.mean(areas)), 1.0) if len(areas) else nan


@measure(
    title="One-versus-one area under the ROC curve, weighted",
    aliases=("roc_auc_ovo_weighted", "auc_ovo_weighted"),
    direction="up",
    bounds=(0, 1),
    formula=r"\frac{\sum_{i<j} (n_i + n_j)\, \tfrac12 (A(i|j) + A(j|i))}{\sum_{i<j} (n_i + n_j)}",
    undefined="fewer than two classes have rows",
    reference="Ferri, Hernández-Orallo & Modroiu (2009), Pattern Recognit. Lett. 30:27",
    note=_absent,
    kind=Area(None, is_by_rows=True),
)
def one_vs_one_auc_weighted(scores: ClassScores) -> float:
    """Hand and Till's mean over pairs of classes, each pair weighted by its rows.

    Examples
    --------
    >>> truth = np.array([0, 1, 0, 2])
    >>> p = [[0.1, 0.8, 0.1], [0.3, 0.4, 0.3], [0.35, 0.5, 0.15], [0.0, 0.2, 0.8]]
    >>> one_vs_one_auc_weighted(ClassScores.of(truth, np.array(p)))
    0.71875
    """
    areas, rows = _pairs(scores)
    return min(float(np.average(areas, weights=rows)), 1.0) if len(areas) else nan


@measure(
    title="Top-k accuracy",
    aliases=("topk", "top_k", "top_k_accuracy_score", "topk_accuracy"),
    direction="up",
    bounds=(0, 1),
    formula=r"\frac1n \sum_i \min\left(1, \max\left(0, "
    r"\frac{k - |\{c: s_{ic} > s_{iy_i}\}|}{|\{c: s_{ic} = s_{iy_i}\}|}\right)\right)",
    undefined="there are no rows",
    reference="Russakovsky et al. (2015), Int. J. Comput. Vis. 115:211",
    kind=Mean(is_share=True),
    tasks=("multiclass",),
)
def top_k_accuracy(rows: ProbabilityRows, *, k: int = 2) -> Any:
    """Share of rows whose true class is among the k classes of highest score.

    Where classes tie for the last places, the true one counts by its chance of a place among
    them; scikit-learn gives the places to the classes that come last in order. Any finite
    scores will do.

    Examples
    --------
    >>> p = np.array([[0.5, 0.3, 0.2], [0.4, 0.3, 0.3], [0.6, 0.3, 0.1]])
    >>> rows = ProbabilityRows(np.array([0, 1, 2]), p, None, 3)
    >>> top_k_accuracy(rows, k=2)  # the second row's class is tied for the second place
    array([1. , 0.5, 0. ])
    """
    if k < 1:
        raise InputError(f"k={k}: a number of classes is needed, 1 or more")
    if rows.is_certain:  # the true class is the chosen one, or ties with all others
        others = max(rows.classes - 1, 1)
        return np.where(rows.of_truth == 1, 1.0, min((k - 1) / others, 1.0))
    own = rows.of_truth[:, None]
    above = np.count_nonzero(rows.matrix > own, axis=1)
    tied = np.count_nonzero(rows.matrix == own, axis=1)
    return np.clip((k - above) / tied, 0.0, 1.0)


@measure(
    aliases=("rps",),
    direction="down",
    bounds=(0, 1),
    formula=r"\frac{1}{n (K-1)} \sum_i \sum_{k<K} "
    r"\left(\sum_{c \le k} (p_{ic} - [y_i = c])\right)^2",
    undefined="there are no rows",
    reference="Epstein (1969), J. Appl. Meteorol. 8:985",
    needs_probability=True,
    tasks=("multiclass",),
    ordered=True,
)
def ranked_probability_score(rows: ProbabilityRows) -> Any:
    """The Brier score of ordered classes: a near miss costs less than a far one.

    The classes are taken in their declared order; for classes without an order it has no
    meaning. Divided by the number of classes less one, as R's verification does.

    Examples
    --------
    >>> rows = ProbabilityRows(np.array([0, 0]), np.array([[0, 1, 0], [0, 0, 1.0]]), None, 3)
    >>> ranked_probability_score(rows)
    array([0.5, 1. ])
    """
    if rows.is_certain:
        steps = np.abs(np.asarray(rows.predicted, np.int64) - rows.truth)
        return steps / max(rows.classes - 1, 1)
    reached = np.cumsum(rows.matrix, axis=1)[:, :-1]
    reached -= rows.truth[:, None] <= np.arange(rows.classes - 1)
    return np.einsum("ij,ij->i", reached, reached) / max(rows.classes - 1, 1)
