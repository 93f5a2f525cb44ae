"""One rate at a given value of another: what a use that fixes its threshold by a rate gets."""

from __future__ import annotations

from functools import partial
from math import inf, nan
from typing import Any

import numpy as np

from heldout.core.ratio import at_least
from heldout.core.threads import blocks
from heldout.measures.kinds import Point
from heldout.measures.ranking import NO_POSITIVE, ONE_CLASS, Placed, reached, require_share
from heldout.measures.registry import measure
from heldout.tally.roc import first_where, highest, top_rows
from heldout.tally.scores import ScoreCounts


@measure(
    title="Gain at a fraction",
    aliases=("gain", "cumulative_gain", "capture_rate", "captured_response"),
    direction="up",
    bounds=(0, 1),
    formula=r"\frac{TP \text{ among the top } \lambda n \text{ rows}}{P}",
    undefined=NO_POSITIVE,
    reference="Ling & Li (1998), KDD 4:73",
    reaches_best=False,  # a small fraction has no room for all positives
    needs_classes=(1,),
)
def gain_at(counts: ScoreCounts, *, fraction: float = 0.1) -> float:
    """The share of all positives that is among the given fraction of rows of highest score.

    A tie of scores across the border, and a border within a row, are shared in proportion.

    Examples
    --------
    >>> truth, score = np.array([True, False, True, False]), np.array([0.9, 0.6, 0.5, 0.1])
    >>> gain_at(ScoreCounts.of(truth, score), fraction=0.5)
    0.5
    """
    require_share("fraction", fraction)
    positives = counts.total_positives
    if not positives:
        return nan
    return min(top_rows(counts, fraction * counts.total) / positives, 1.0)


@measure(
    title="Lift at a fraction",
    aliases=("cumulative_lift", "top_decile_lift"),
    direction="up",
    bounds=(0, inf),
    formula=r"\frac{TP \text{ among the top } \lambda n \text{ rows}}{\lambda P}",
    undefined=NO_POSITIVE,
    reference="Ling & Li (1998), KDD 4:73",
    reaches_best=False,
    needs_classes=(1,),
)
def lift_at(counts: ScoreCounts, *, fraction: float = 0.1) -> float:
    """How many times as common positives are in the top fraction of rows as among all rows.

    Ties at the border are shared in proportion. At most 1 / fraction, and 1 / prevalence.

    Examples
    --------
    >>> truth, score = np.array([True, False, True, False]), np.array([0.9, 0.6, 0.5, 0.1])
    >>> lift_at(ScoreCounts.of(truth, score), fraction=0.25)
    2.0
    """
    require_share("fraction", fraction, above_zero=True)
    return gain_at(counts, fraction=fraction) / fraction


#: what one point of a curve reaches
at_point = partial(reached, kind=Point(), direction="up", bounds=(0, 1))


@at_point(
    title="Precision at a recall",
    aliases=("p_at_r", "precision_at_fixed_recall"),
    formula=r"\max \{P_t : R_t \ge r\}",
    undefined=NO_POSITIVE,
    reference="Manning, Raghavan & Schütze (2008), Introduction to Information Retrieval, ch. 8",
    needs_classes=(1,),
)
def precision_at_recall(counts: ScoreCounts, *, recall: float = 0.8) -> Placed:
    """The best precision of a threshold that has at least the given recall.

    Examples
    --------
    >>> truth, score = np.array([True, False, True, False]), np.array([0.9, 0.6, 0.5, 0.1])
    >>> precision_at_recall(ScoreCounts.of(truth, score), recall=0.8)
    (0.6667, 2)
    """
    require_share("recall", recall)
    positives = counts.total_positives
    if not positives:
        return nan, -1

    def suffices(position: int) -> bool:
        """Whether the recall is reached, by a threshold that calls anyone positive."""
        tp, fp = counts.tp[position].item(), counts.fp[position].item()
        return bool(at_least(tp / positives, recall) and tp + fp > 0)

    start = first_where(len(counts.score), suffices)
    return highest(counts, lambda tp, fp: tp / (tp + fp), start)


@at_point(
    title="Recall at a precision",
    aliases=("r_at_p", "recall_at_fixed_precision"),
    formula=r"\max \{R_t : P_t \ge p\}",
    undefined=f"{NO_POSITIVE}, or no threshold reaches the precision",
    reference="Manning, Raghavan & Schütze (2008), Introduction to Information Retrieval, ch. 8",
    needs_classes=(1,),
)
def recall_at_precision(counts: ScoreCounts, *, precision: float = 0.8) -> Placed:
    """The largest recall of a threshold that has at least the given precision.

    Examples
    --------
    >>> truth, score = np.array([True, False, True, False]), np.array([0.9, 0.6, 0.5, 0.1])
    >>> recall_at_precision(ScoreCounts.of(truth, score), precision=0.6)
    (1.0, 2)
    """
    require_share("precision", precision)
    positives = counts.total_positives
    if not positives:
        return nan, -1
    for part in reversed(list(blocks(len(counts.score)))):
        tp, fp = counts.tp[part], counts.fp[part]
        # no point of a stretch beats its corner: most positives, fewest negatives
        corner = tp[-1].item(), fp[0].item()
        if not sum(corner) or not at_least(corner[0] / sum(corner), precision):
            continue
        rows = tp + fp
        reaching = np.flatnonzero((rows > 0) & at_least(tp / np.maximum(rows, 1e-300), precision))
        if len(reaching):
            at = int(reaching[-1])
            return tp[at].item() / positives, part.start + at
    return nan, -1


@at_point(
    title="Sensitivity at a specificity",
    aliases=("sens_at_spec", "tpr_at_tnr", "sensitivity_at_fixed_specificity"),
    formula=r"\max \{\mathrm{TPR}_t : \mathrm{TNR}_t \ge s\}",
    undefined=ONE_CLASS,
    reference="Pepe (2003), The Statistical Evaluation of Medical Tests, ch. 4",
    needs_classes=(0, 1),
)
def sensitivity_at_specificity(counts: ScoreCounts, *, specificity: float = 0.9) -> Placed:
    """The largest sensitivity of a threshold that has at least the given specificity.

    0 where only calling no row positive is specific enough. Not interpolated between
    thresholds, as a ROC curve would be.

    Examples
    --------
    >>> truth, score = np.array([True, False, True, False]), np.array([0.9, 0.6, 0.5, 0.1])
    >>> sensitivity_at_specificity(ScoreCounts.of(truth, score), specificity=0.5)
    (1.0, 2)
    """
    require_share("specificity", specificity)
    if not counts.has_both:
        return nan, -1
    negatives = counts.total_negatives
    at = first_where(
        len(counts.score),
        lambda i: not at_least((negatives - counts.fp[i].item()) / negatives, specificity, size=1),
    )
    return (counts.tp[at - 1].item() / counts.total_positives if at else 0.0), at - 1


@at_point(
    title="Specificity at a sensitivity",
    aliases=("spec_at_sens", "tnr_at_tpr", "specificity_at_fixed_sensitivity"),
    formula=r"\max \{\mathrm{TNR}_t : \mathrm{TPR}_t \ge s\}",
    undefined=ONE_CLASS,
    reference="Pepe (2003), The Statistical Evaluation of Medical Tests, ch. 4",
    needs_classes=(0, 1),
)
def specificity_at_sensitivity(counts: ScoreCounts, *, sensitivity: float = 0.9) -> Placed:
    """The largest specificity of a threshold that has at least the given sensitivity.

    Examples
    --------
    >>> truth, score = np.array([True, False, True, False]), np.array([0.9, 0.6, 0.5, 0.1])
    >>> specificity_at_sensitivity(ScoreCounts.of(truth, score), sensitivity=0.9)
    (0.5, 2)
    """
    require_share("sensitivity", sensitivity)
    if not counts.has_both:
        return nan, -1
    if not sensitivity:
        return 1.0, -1
    positives: Any = counts.total_positives
    at = first_where(
        len(counts.score), lambda i: at_least(counts.tp[i].item() / positives, sensitivity)
    )
    return (counts.total_negatives - counts.fp[at].item()) / counts.total_negatives, at
