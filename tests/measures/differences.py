"""What docs/differences.md claims of undefined and infinite values, as code that runs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from math import inf, log, nan
from typing import Any

import numpy as np
import sklearn.metrics as sk

import heldout

REFUSES = "refuses"
Card = Callable[[], heldout.Scorecard]


@dataclass(frozen=True)
class Claim:
    """One row of the page: what a tool says, what heldout says, and heldout's way to the former."""

    title: str
    tool: Callable[[], Any]
    they_say: float | str
    card: Card
    spec: str
    heldout_says: float | str
    #: the spec that gives the tool's number, where there is one
    their_number: str = ""
    #: relative; more than rounding only where the tool computes in single precision
    tolerance: float = 1e-12


def score(*given: Any, **how: Any) -> Card:
    return partial(heldout.score, *given, intervals=False, **how)


def numbers(*given: Any) -> Card:
    return score(*given, task="regression")


NONE_PREDICTED = ([0, 1, 1], [0, 0, 0])
NO_POSITIVE = ([0, 0], [0, 1])
NOTHING = ([0, 0], [0, 0])
NEVER_PREDICTED = ([0, 1, 2, 0, 1, 2], [0, 0, 1, 0, 1, 1])
NO_ROW = (["a", "a", "b", "b"], ["a", "a", "b", "c"])
FLAT = ([5.0, 5.0], [5.0, 6.0])
ONE_KIND = ([0, 0, 1, 1], [0, 0, 1, 0])
IMPOSSIBLE = ([0, 1], [1.0, 0.5])
SINGLE = np.array(IMPOSSIBLE[1], np.float32)
SEVERAL = [[0.2, 0.7, 0.1], [0.6, 0.2, 0.2], [0.6, 0.3, 0.1]]

UNDEFINED = [
    Claim(
        "Precision, where nothing is predicted positive",
        lambda: sk.precision_score(*NONE_PREDICTED),
        0,
        score(*NONE_PREDICTED),
        "precision",
        nan,
    ),
    Claim(
        "Recall, where no row is positive",
        lambda: sk.recall_score(*NO_POSITIVE),
        0,
        score(*NO_POSITIVE),
        "recall",
        nan,
    ),
    Claim(
        "F, where no row is positive or predicted positive",
        lambda: sk.f1_score(*NOTHING),
        0,
        score(*NOTHING, labels=[0, 1]),
        "f1",
        nan,
    ),
    Claim(
        "Jaccard index, where no row is positive or predicted positive",
        lambda: sk.jaccard_score(*NOTHING),
        0,
        score(*NOTHING, labels=[0, 1]),
        "jaccard",
        nan,
    ),
    Claim(
        "Macro precision, with a class that is never predicted",
        lambda: sk.precision_score(*NEVER_PREDICTED, average="macro"),
        1 / 3,
        score(*NEVER_PREDICTED),
        "precision_macro",
        nan,
    ),
    Claim(
        "Macro recall, with a class that has no rows",
        lambda: sk.recall_score(*NO_ROW, average="macro"),
        0.5,
        score(*NO_ROW),
        "recall_macro",
        0.75,
    ),
    Claim(
        "Average precision, where no row is positive",
        lambda: sk.average_precision_score([0, 0], [0.2, 0.7]),
        0,
        score([0, 0], y_score=[0.2, 0.7]),
        "average_precision",
        nan,
    ),
    Claim(
        "Macro one-vs-rest AUC, with a class that has no rows",
        lambda: sk.roc_auc_score([1, 0, 0], SEVERAL, multi_class="ovr", labels=[0, 1, 2]),
        nan,
        score([1, 0, 0], y_score=SEVERAL, labels=[0, 1, 2]),
        "auc_macro",
        1,
    ),
    Claim(
        "R squared, where all true values are the same",
        lambda: sk.r2_score(*FLAT),
        0,
        numbers(*FLAT),
        "r2",
        nan,
        "r2[force_finite]",
    ),
    Claim(
        "Explained variance, where all true values are the same",
        lambda: sk.explained_variance_score(*FLAT),
        0,
        numbers(*FLAT),
        "explained_variance",
        nan,
    ),
    Claim(
        "Positive likelihood ratio, without false positives",
        lambda: sk.class_likelihood_ratios(*ONE_KIND)[0],
        nan,
        score(*ONE_KIND),
        "lr_plus",
        inf,
    ),
    Claim(
        "Log loss, where the true class got a probability below 2.2e-16",
        lambda: sk.log_loss(*IMPOSSIBLE),
        (-log(2.0**-52) + log(2)) / 2,
        score([0, 1], y_score=IMPOSSIBLE[1]),
        "log_loss",
        inf,
        "log_loss[clip=2.220446049250313e-16]",
    ),
    Claim(
        "Log loss of float32 probabilities, where the true class got probability 0",
        lambda: sk.log_loss([0, 1], SINGLE),
        (-log(2.0**-23) + log(2)) / 2,
        score([0, 1], y_score=SINGLE),
        "log_loss",
        inf,
        "log_loss[clip=1.1920928955078125e-07]",
        1e-7,
    ),
    Claim(
        "D2 of the log loss, where the true class got a probability below 2.2e-16",
        lambda: sk.d2_log_loss_score([0, 1, 1], [0.2, 0.9, 0.0]),
        -18.047576769332167,
        score([0, 1, 1], y_score=[0.2, 0.9, 0.0]),
        "log_skill",
        -inf,
        "log_skill[clip=2.220446049250313e-16]",
    ),
    Claim(
        "Mean absolute percentage error, where a true value is 0",
        lambda: sk.mean_absolute_percentage_error([0.0, 1.0], [1.0, 1.0]),
        2.0**51,
        numbers([0.0, 1.0], [1.0, 1.0]),
        "mape",
        inf,
    ),
    Claim(
        "Poisson deviance of a prediction of 0",
        lambda: sk.mean_poisson_deviance([1, 0], [0, 1]),
        REFUSES,
        numbers([1.0, 0.0], [0.0, 1.0]),
        "poisson_deviance",
        inf,
    ),
]
