"""The table of interval methods: what is chosen, what else is valid, and what is said of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import heldout
from heldout.assess.results import Of
from heldout.assess.uncertainty import Uncertainty, explanations
from heldout.cli.main import main
from heldout.measures.registry import measures
from heldout.uncertainty.case import Form
from heldout.uncertainty.methods import METHODS, admissible, chosen

RNG = np.random.default_rng(8)
TRUTH = RNG.integers(0, 2, 90)
SCORE = np.clip(0.5 + 0.3 * (TRUTH - 0.5) + 0.2 * RNG.normal(size=90), 0.01, 0.99)
UNITS: dict[str, dict[str, Any]] = {
    "rows": {},
    "weighted rows": {"sample_weight": RNG.random(90)},
    "groups": {"groups": np.arange(90) % 30},
}


def card_of(unit: str, **given: Any) -> Any:
    return heldout.score(TRUTH, y_score=SCORE, pos_label=1, **UNITS[unit], **given)


@pytest.mark.parametrize("unit", UNITS)
def test_every_measure_that_may_have_an_interval_has_a_method(unit: str) -> None:
    card = card_of(unit)
    uncertainty = Uncertainty(card.tallies[0], card.intervals)
    for request in card.requests([m.name for m in measures("binary") if m.has_interval]):
        if "matrix" in request.values:
            continue
        case = uncertainty.case(request)
        assert case.unit.value == unit
        assert case.lack or list(admissible(case)), request.name


def test_a_method_that_was_asked_for_is_taken_where_it_is_valid_and_nowhere_else() -> None:
    card = card_of("rows", interval="newcombe")
    uncertainty = Uncertainty(card.tallies[0], card.intervals)
    names = ("auc", "accuracy", "f_score", "log_loss", "kolmogorov_smirnov", "ece")
    taken = [chosen(uncertainty.case(request)).name for request in card.requests(names)]
    assert taken == ["newcombe", "wilson", "bayesian", "(skewed t)", "(maximum)", "(gaps)"]


def test_every_method_has_a_reference_and_every_form_a_method() -> None:
    assert all(m.title and m.reference and m.assumes and m.forms for m in METHODS)
    assert set().union(*(m.forms for m in METHODS)) == set(Form)


def test_explanations_put_measures_of_one_answer_together() -> None:
    card = card_of("groups")
    asked = card.requests(["accuracy", "recall", "log_loss", "auc", "accuracy"])
    values = [(request, Of.POOLED) for request in asked]
    shares, mean, area = explanations(card.tallies[0], card.intervals, values)
    assert shares.names == ("accuracy", "recall")
    assert (shares.title, shares.form) == ("Wilson", "share of rows")
    assert shares.assumes.startswith("groups are independent draws")
    assert "clopper-pearson" in shares.others
    assert "Bell and McCaffrey" in mean.reference
    assert area.title.startswith("bootstrap percentile of whole groups")


def test_score_explains_its_intervals(capsys: pytest.CaptureFixture[str]) -> None:
    given = ["score", "example:spam", "--truth", "label", "--score", "p_spam", "--positive", "spam"]
    assert main([*given, "--measure", "accuracy,auc", "--explain", "--quiet"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "accuracy (share of rows): Wilson. Assumes that rows are independent" in said
    assert "auc (mean of the folds' areas under the ROC curve)" in said
    assert "LeDell" in said


def test_evaluate_explains_values_over_repeats(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    given = ["evaluate", "wdbc", "--models", "lda", "--procedure", "2x5-fold", "--no-audit"]
    assert main([*given, "--measure", "accuracy,auc,f_score", "--explain", "--quiet"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    of_splits = "accuracy, auc (mean over the splits of several repeats)"
    assert of_splits in said
    assert "Nadeau and Bengio (2003)" in said
    assert "f_score (mean of the values of several repeats)" in said
