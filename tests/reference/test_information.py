"""Kononenko and Bratko's information score: by definition, and as Weka and Orange give it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import heldout
from tests.reference.cases import Case, Family, Given, Otherwise, judge, numbers
from tests.reference.test_folds import majority

ABSENT = ("breastcancer_logistic", "glass_j48", "soybean_naivebayes")
WEKA = ("breastcancer_naivebayes", "breastcancer_j48", "iris_naivebayes", "weather_naivebayes_loo")
ORANGE = ("breastcancer_naivebayes", "breastcancer_j48", "iris_naivebayes")
SHARE = "breastcancer_zeror"


def information(case: Case) -> Given:
    for name, answer in case.answers.items():
        if name.startswith("V("):
            prior, posterior = answer.inputs["prior"], answer.inputs["posterior"]
            how = {"y_score": [posterior], "prior": {0: 1 - prior, 1: prior}}
            yield name, judge([1], labels=[0, 1], **how)["information_score"].value
    yield "entropy.breast_cancer_201_85", entropy(201, 85)
    yield "entropy.uniform4", entropy(1, 1, 1, 1)
    yield "entropy.iris", entropy(50, 50, 50)
    cards = {name: weka(case, name) for name in WEKA} | {SHARE: majority_of(case)}
    for name, card in cards.items():
        mean = card["information_score[laplace]"].value
        yield f"weka39.{name}.kb_mean_bits", mean
        relative = card["relative_information_score[laplace]"].value
        yield f"weka39.{name}.kb_relative_pct", 100 * relative
        if name.startswith("breastcancer"):
            old = "relative_information_score[by=weka 3.6, laplace]"
            total = card["information_score_sum[laplace]"].value
            yield f"weka36.{name}.kb_information_bits", total
            yield f"weka36.{name}.kb_bits_per_instance", mean
            yield f"weka36.{name}.kb_relative_pct", 100 * card[old].value
    for name in ORANGE:
        card = orange(case, name)
        yield f"orange_convention.{name}.IS_mean_bits", card["information_score"].value
        relative = card["relative_information_score[by=entropy]"].value
        yield f"orange_convention.{name}.relative_pct_by_entropy", 100 * relative
    yield from votes()


def entropy(*counts: int) -> float:
    """The entropy of class shares, which these rows are themselves."""
    truth = np.repeat(np.arange(len(counts)), counts)
    return judge(truth, truth)["prior_entropy"].value


def weka(case: Case, name: str) -> heldout.Scorecard:
    file = case.path(f"../weka_{name}/predictions.csv")
    how = {"breast": "recurrence-events", "weathe": "yes"}
    return judge(
        heldout.read_predictions(
            file, truth="actual", train_count_prefix="train_n_", positive=how.get(name[:6])
        )
    )


def majority_of(case: Case) -> heldout.Scorecard:
    columns = case.columns("../weka_breastcancer_j48/predictions.csv")
    classes = ["no-recurrence-events", "recurrence-events"]
    counts = np.array([numbers(columns[f"train_n_{c}"]) for c in classes]).T
    scores = majority(case).predictions[0].scores
    how = {"pos_label": classes[1], "labels": classes, "train_counts": counts}
    return judge(columns["actual"], y_score=scores, **how)


def orange(case: Case, name: str) -> heldout.Scorecard:
    """Without the training counts, the prior is the class shares of these rows."""
    columns = case.columns(f"../weka_{name}/predictions.csv")
    scores = {key[2:]: numbers(values) for key, values in columns.items() if key[:2] == "p_"}
    positive = "recurrence-events" if len(scores) == 2 else None
    matrix = np.array(list(scores.values())).T
    return judge(columns["actual"], y_score=matrix, labels=list(scores), pos_label=positive)


def votes() -> Given:
    """The 267 democrats and 168 republicans, each given the shares of all."""
    truth = np.repeat(["democrat", "republican"], [267, 168])
    card = judge(truth, y_score=np.full(435, 267 / 435), pos_label="democrat")
    values = {
        "CA": card["accuracy"].value,
        "AP": card["average_probability"].value,
        "Brier": 2 * card["brier"].value,  # Orange sums over both classes
        "IS": card["information_score"].value,
        "AUC": card["auc"].value,
    }
    for name, value in values.items():
        yield f"orange2.voting_cv10.majority.{name}", value
    for name, key in (("accuracy", "CA"), ("AP", "AP"), ("brier_sum", "Brier")):
        yield f"orange2.majority_checks.{name}", values[key]


LAST = "Weka 3.6 divides by the entropy of the last fold's prior, heldout by that of all folds"

FAMILY = Family(
    {"kononenko_bratko": information},
    {
        "kononenko_bratko": {
            f"weka39.{name}.{value}": f"the predictions of {name} are not among the cases"
            for name in ABSENT
            for value in ("kb_mean_bits", "kb_relative_pct")
        }
        | {
            f"orange2.voting_cv10.{model}.{value}": "Orange's predictions are not available"
            for model in ("bayes", "tree")
            for value in ("CA", "AP", "Brier", "IS", "AUC")
        }
        | {
            "weka36.breastcancer_naivebayes.kb_relative_pct": Otherwise(5468.830183363715, LAST),
            "weka36.breastcancer_j48.kb_relative_pct": Otherwise(3896.4586241748852, LAST),
        }
    },
)


@pytest.mark.parametrize("name", FAMILY.given)
def test_information_is_that_of_weka_and_orange(reference: Path, name: str) -> None:
    assert FAMILY.account(reference, name).faults == []


def test_weka_3_6_divides_by_the_entropy_of_the_last_fold(reference: Path) -> None:
    case = Case.read(reference / "kononenko_bratko")
    columns = case.columns("../weka_breastcancer_j48/predictions.csv")
    last = [int(columns[name][-1]) + 1 for name in columns if name.startswith("train_n_")]
    for name in ("breastcancer_naivebayes", "breastcancer_j48"):
        total = weka(case, name)["information_score_sum[laplace]"].value
        answer = case.answers[f"weka36.{name}.kb_relative_pct"]
        assert 100 * total / entropy(*last) == pytest.approx(answer.value, abs=answer.tolerance)
