"""Scores that ROCR, pROC, PRROC and HandTill2001 have judged, over all thresholds and at each."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import heldout
from tests.reference.cases import Case, Family, Given, Otherwise, judge, numbers

INTERVAL = "an interval or a variance, which is not a measure"
CURVE = "a curve, not a measure"
THRESHOLD = "where the maximum lies is a decision, not a measure"

#: what ROCR's performance() draws at each cut-off, as heldout calls it at a threshold
AT_CUTOFF = {
    "tp": "tp",
    "fp": "fp",
    "tpr": "tpr",
    "fpr": "fpr",
    "acc": "acc",
    "err": "err",
    "ppv": "ppv",
    "npv": "npv",
    "phi": "phi",
    "mi": "mi",
    "chisq": "chisq",
    "odds": "odds",
    "lift": "lift",
    "f": "f1",
    "rpp": "rpp",
}


def ten_scores(case: Case) -> Given:
    columns = case.columns("toy10.csv")
    truth, score = numbers(columns["label"]), numbers(columns["score"])
    # above all scores nothing is positive: ROCR's first cut-off is infinite
    thresholds = sorted([2.0, *score], reverse=True)
    cards = [judge(truth, y_score=score, threshold=t) for t in thresholds]
    for theirs, ours in AT_CUTOFF.items():
        yield theirs, [card[ours].value for card in cards]
    priced = {"cost": [[0, 1], [1, 0]], "y_score": score}
    costs = [judge(truth, threshold=t, **priced) for t in thresholds]
    yield "cost", [card["cost_per_row"].value for card in costs]
    card = cards[0]
    auc, rmse = card["auc"].value, card["rmse_of_probabilities"].value
    # ROCR's SAR has no name in heldout: the mean of accuracy, AUC and 1 - RMSE
    yield "sar", [(one["acc"].value + auc + 1 - rmse) / 3 for one in cards]
    yield "auc", auc
    yield "rmse", rmse
    yield "mxe", card["mxe"].value
    yield "prbe", card["prbe"].value
    yield "aucpr_trapezoid", card["aucpr[interpolation=upper]"].value


def two_hundred_scores(case: Case) -> Given:
    card = judge(heldout.read_predictions(case.path("ROCR_simple.csv")))
    yield "n_pos", card["positives"].value
    yield "n_neg", card["negatives"].value
    yield "auc", card["auc"].value
    for high in ("0.1", "0.2", "0.5"):
        yield f"pauc_fpr_0_{high}", card[f"pauc[high={high}]"].value
    yield "aucpr_trapezoid", card["aucpr[interpolation=upper]"].value
    yield "auprc_davis_goadrich", card["davis_goadrich"].value
    yield "auprc_integral", card["auprc[interpolation=integral]"].value
    yield "rmse_brier_root", card["rmse_of_probabilities"].value
    yield "brier", card["brier"].value
    yield "mxe_logloss_nats", card["mxe"].value
    yield "max_accuracy", card["max_accuracy"].value
    yield "f1_max", card["f1_max"].value
    yield "phi_max", card["phi_max"].value


def pairs_of_classes(case: Case) -> Given:
    two = heldout.read_predictions(case.path("twoclass.csv"), truth="observed", score="predicted")
    yield "twoclass.auc", judge(two)["auc"].value
    card = judge(heldout.read_predictions(case.path("multipleclass.csv"), truth="observed"))
    yield "multiclass.hand_till_M", card["hand_till"].value
    yield "multiclass.pROC_multiclass.roc", card["hand_till"].value
    yield "multiclass.ovr_macro", card["auc_macro"].value
    yield "multiclass.ovr_weighted", card["auc_weighted"].value
    for label in card.classes:
        yield f"multiclass.ovr_auc_per_class.{label}", card["auc", label].value
    columns = case.columns("multipleclass.csv")
    observed = np.array(columns["observed"])
    for name in case.answers:
        if name.startswith("multiclass.pairwise_A_ij_A_ji."):
            first, second = name.rsplit(".", 1)[1].split("/")
            both = np.isin(observed, [first, second])
            areas = [
                judge(observed[both], y_score=numbers(columns[c])[both], pos_label=c)
                for c in (first, second)
            ]
            yield name, [area["auc"].value for area in areas]


INFINITE = "Infinity"
#: bits at the nine cut-offs between the extremes, from ROCR
MUTUAL = (
    0.1080315461456,
    0.236452797660028,
    0.0348515545596766,
    0.124511249783653,
    0.278071905112637,
    0.124511249783653,
    0.395815602003358,
    0.236452797660028,
    0.1080315461456,
)

FAMILY = Family(
    {
        "rocr_hand10": ten_scores,
        "rocr_simple": two_hundred_scores,
        "handtill2001": pairs_of_classes,
    },
    {
        "rocr_hand10": {
            "mi": Otherwise(
                [0, *MUTUAL, 0], "a constant answer tells 0 bits: ROCR takes 0 log 0 as NaN, not 0"
            ),
            "odds": Otherwise(
                [None, *2 * [INFINITE], 8 / 3, 6, 16, 6, *3 * [INFINITE], None],
                "over 0 is infinite where there is something above; only 0 / 0 is undefined",
            ),
            "f": Otherwise(
                [0, 1 / 3, 4 / 7, 1 / 2, 2 / 3, 4 / 5, 8 / 11, 5 / 6, 10 / 13, 5 / 7, 2 / 3],
                "nothing predicted and all missed is 0: 2 TP / (2 TP + FP + FN) is defined",
            ),
            "roc_convex_hull_x": CURVE,
            "roc_convex_hull_y": CURVE,
        },
        "rocr_simple": {
            "max_accuracy_cutoff_first": THRESHOLD,
            "delong_ci95": INTERVAL,
            "delong_var": INTERVAL,
        },
    },
)


@pytest.mark.parametrize("name", FAMILY.given)
def test_heldout_ranks_as_r_does(reference: Path, name: str) -> None:
    assert FAMILY.account(reference, name).faults == []


def test_counts_at_every_cutoff_are_those_of_rocr(reference: Path) -> None:
    case = Case.read(reference / "rocr_simple")
    counts = case.columns("counts_by_cutoff.csv")
    columns = case.columns("ROCR_simple.csv")
    truth, score = numbers(columns["label"]), numbers(columns["score"])
    places = range(1, len(counts["cutoff"]), 10)
    assert len(places) == 20
    for i in places:
        card = judge(truth, y_score=score, threshold=float(counts["cutoff"][i]))
        for name in ("tp", "fp", "tn", "fn"):
            assert card[name].value == int(counts[name][i]), (name, counts["cutoff"][i])
