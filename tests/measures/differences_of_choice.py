"""What docs/differences.md claims of labels, definitions and tests, as code that runs."""

from __future__ import annotations

from math import log

import numpy as np
import scipy.stats
import sklearn.metrics as sk
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from statsmodels.stats.contingency_tables import SquareTable, mcnemar

import heldout
from tests.measures.differences import REFUSES, UNDEFINED, Claim, score

PETS = (["dog", "cat"], [[1, 0], [0, 1]])
INCOMPLETE = [[0.2, 0.2, 0.2], [0.3, 0.3, 0.4]]
FOUR = ([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
EQUAL = np.full((3, 3), 1 / 3)
TIED = ([0, 0, 1, 1, 0], [0.8, 0.8, 0.8, 0.2, 0.2])
TABLE = np.array([[231, 27], [32, 54]])
NEVER_CONFUSED = np.array([[5, 3, 2], [1, 6, 0], [1, 0, 4]])
BACKWARDS = ([1, 1, 0, 0], [0.1, 0.2, 0.3, 0.4])
COIN = DummyClassifier(strategy="prior").fit([[0], [0]], [0, 1])
#: so steep that three of four probabilities are exactly 1
SURE = (np.array([[1.0], [2.0], [3.0], [-1.0]]), [0, 1, 1, 0])
STEEP = LogisticRegression().fit(*SURE)
STEEP.coef_, STEEP.intercept_ = np.array([[100.0]]), np.array([0.0])


def table() -> heldout.Scorecard:
    how = {"orientation": "truth-rows", "pos_label": "first", "intervals": False}
    return heldout.score(confusion=TABLE, **how)


def straight_lines() -> float:
    precision, recall, _ = sk.precision_recall_curve(*TIED)
    return float(sk.auc(recall, precision))


def surplus() -> float:
    truth, scores = (np.array(values) for values in BACKWARDS)
    return float(scipy.stats.ks_2samp(scores[truth == 1], scores[truth == 0]).statistic)


SCIKIT_LEARN = [
    *UNDEFINED,
    Claim(
        "AUC of two text labels",
        lambda: sk.roc_auc_score(["ill", "well"], [0.2, 0.7]),
        1,
        score(["ill", "well"], y_score=[0.2, 0.7]),
        "auc",
        REFUSES,
    ),
    Claim(
        "Precision of labels 1 and 2",
        lambda: sk.precision_score([1, 2, 2], [1, 1, 2]),
        0.5,
        score([1, 2, 2], [1, 1, 2]),
        "precision",
        REFUSES,
    ),
    Claim(
        "Log loss, with labels in a custom order",
        lambda: sk.log_loss(*PETS, labels=PETS[0]),
        -log(2.0**-52),
        score(PETS[0], y_score=PETS[1], labels=PETS[0], pos_label="dog"),
        "log_loss",
        0,
    ),
    Claim(
        "Predicted label for a probability of exactly 0.5",
        lambda: COIN.predict([[0]])[0],
        0,
        score([1], y_score=[COIN.predict_proba([[0]])[0, 1]], labels=[0, 1]),
        "detection_prevalence",
        1,
    ),
    Claim(
        "Accuracy, where truth and predictions share no label",
        lambda: sk.accuracy_score(["yes", "no"], ["Yes", "No"]),
        0,
        score(["yes", "no"], ["Yes", "No"], pos_label="yes"),
        "accuracy",
        REFUSES,
    ),
    Claim(
        "Labels that are numbers in one array and text in the other",
        lambda: sk.accuracy_score([0, 1], ["0", "1"]),
        REFUSES,
        score([0, 1], ["0", "1"]),
        "accuracy",
        1,
    ),
    Claim(
        'Labels that spell a missing value: "nan", "NA"',
        lambda: sk.accuracy_score(np.array(["a", np.nan]), np.array(["a", np.nan])),
        1,
        score(np.array(["a", np.nan]), np.array(["a", np.nan])),
        "accuracy",
        REFUSES,
    ),
    Claim(
        "Negative weights",
        lambda: sk.accuracy_score([0, 1, 1], [0, 1, 0], sample_weight=[1, -1, 1]),
        0,
        score([0, 1, 1], [0, 1, 0], sample_weight=[1, -1, 1]),
        "accuracy",
        REFUSES,
    ),
    Claim(
        "Log loss of probabilities that do not sum to 1",
        lambda: sk.log_loss([0, 1], INCOMPLETE, labels=[0, 1, 2]),
        -log(0.2 * 0.3) / 2,
        score([0, 1], y_score=INCOMPLETE, labels=[0, 1, 2]),
        "log_loss",
        REFUSES,
    ),
    Claim(
        "Partial AUC",
        lambda: sk.roc_auc_score(*FOUR, max_fpr=0.5),
        2 / 3,
        score(FOUR[0], y_score=FOUR[1]),
        "pauc[high=0.5]",
        0.25,
        "pauc[high=0.5, mcclish]",
    ),
    Claim(
        "Top-k accuracy of tied scores",
        lambda: sk.top_k_accuracy_score([0, 0, 0], EQUAL, k=1, labels=[0, 1, 2]),
        0,
        score([0, 0, 0], y_score=EQUAL, labels=[0, 1, 2]),
        "top_k_accuracy[k=1]",
        1 / 3,
    ),
    Claim(
        "Area under the precision-recall curve, `auc(recall, precision)`",
        straight_lines,
        31 / 60,
        score(TIED[0], y_score=TIED[1]),
        "pr_auc",
        0.35,
        "pr_auc[interpolation=trapezoid]",
    ),
    Claim(
        "Fowlkes-Mallows index",
        lambda: sk.fowlkes_mallows_score([0, 0, 1, 1], [0, 1, 1, 1]),
        6**-0.5,
        score([0, 0, 1, 1], [0, 1, 1, 1]),
        "fowlkes_mallows",
        (2 / 3) ** 0.5,
    ),
    Claim(
        "Mutual information",
        lambda: sk.mutual_info_score([0, 0, 1, 1], [0, 0, 1, 1]),
        log(2),
        score([0, 0, 1, 1], [0, 0, 1, 1]),
        "mutual_information",
        1,
    ),
    Claim(
        "Adjusted balanced accuracy",
        lambda: sk.balanced_accuracy_score([0, 0, 0, 1, 1], [0, 0, 1, 1, 0], adjusted=True),
        1 / 6,
        score([0, 0, 0, 1, 1], [0, 0, 1, 1, 0]),
        "balanced_accuracy",
        7 / 12,
        "informedness",
    ),
    Claim(
        'AUC of a fitted model (`scoring="roc_auc"`, `GridSearchCV`) with probabilities of exactly '
        "0 or 1",
        lambda: sk.get_scorer("roc_auc")(STEEP, *SURE),
        1,
        score(SURE[1], y_score=STEEP.predict_proba(SURE[0])[:, 1]),
        "auc",
        0.75,
    ),
]

OTHERS = [
    Claim(
        "McNemar's test (statsmodels)",
        lambda: mcnemar(TABLE).pvalue,
        0.602923201257151,
        table,
        "mcnemar_p_value",
        0.602537006105314,
        "mcnemar_p_value[method=exact]",
    ),
    Claim(
        "Chi-squared of two classes (SciPy)",
        lambda: scipy.stats.chi2_contingency(TABLE).statistic,
        95.21375706082085,
        table,
        "chi_squared",
        98.09885931558935,
    ),
    Claim(
        "Bowker's test with classes that are never confused (statsmodels)",
        lambda: SquareTable(NEVER_CONFUSED, shift_zeros=False).symmetry().pvalue,
        0.7212333746277604,
        score(confusion=NEVER_CONFUSED, orientation="truth-rows", labels=["a", "b", "c"]),
        "bowker_p_value",
        0.5134171190325921,
    ),
    Claim(
        "Kolmogorov-Smirnov distance (SciPy)",
        surplus,
        1,
        score(BACKWARDS[0], y_score=BACKWARDS[1]),
        "ks",
        0,
        "ks[two_sided]",
    ),
]
