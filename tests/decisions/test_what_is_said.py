"""What decisions say: rules in their own numbers, matrices that cannot decide, one coin toss."""

from __future__ import annotations

import json
from math import isnan
from typing import Any

import numpy as np
import pytest

import heldout
from heldout.core.errors import InputError
from heldout.decisions.operating_point import CellValues
from heldout.decisions.prevalence import from_rates
from heldout.decisions.rules import parse_rule
from tests.cli.running import call

SPAM = ("score", "example:spam", "--truth", "label", "--score", "p_spam", "--positive", "spam")
QUICK = ("--measure", "accuracy", "--no-intervals", "--format", "json")


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        ("recall >= 1.0000001", "'recall >= 1.0000001': recall lies between 0 and 1"),
        ("recall <= 0.12345678", "keep: recall >= 0.12345678"),
    ],
)
def test_numbers_are_said_as_they_were_given(rule: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        parse_rule(rule)


def test_rate_that_is_hardly_too_large_is_not_rounded_away() -> None:
    with pytest.raises(InputError, match=r"tpr=1\.0000001: a rate"):
        from_rates(1.0000001, 0.5)
    card = heldout.score([0, 1], y_score=[0.2, 0.9])
    with pytest.raises(InputError, match=r"prevalence 1\.0000001 is not"):
        card.at_prevalence(1.0000001)


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        (((1, 1), (1, 1)), "values right and wrong answers alike"),
        (((2, 2), (0, 0)), "values right and wrong answers alike"),
        (((0, 1), (1, 0)), "pays for wrong answers in both classes"),
        (((0, 0), (1, 0)), "pays for wrong answers in one class, and for right ones in none"),
    ],
)
def test_matrix_that_cannot_choose_says_what_it_pays_for(cells: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        CellValues.of(cells)


@pytest.mark.parametrize("given", [{}, {"fpr": 0.1, "sensitivity": 0.9}])
def test_coin_toss_names_its_own_parameters(given: dict[str, float]) -> None:
    with pytest.raises(InputError, match="fpr= or sensitivity="):
        heldout.score([0, 1], y_score=[0.2, 0.9]).mixture(**given)


def test_coin_toss_for_one_rate_is_told_once(capsys: pytest.CaptureFixture[str]) -> None:
    rules = ("recall >= 0.9", "precision where recall >= 0.9", "specificity >= 0.8")
    asked = [word for rule in rules for word in ("--best", rule)]
    made = json.loads(call(capsys, *SPAM, *QUICK, *asked).out)
    assert [record["rule"] for record in made["mixtures"]] == ["recall >= 0.9", rules[2]]
    assert len({record["rule"] for record in made["thresholds"]}) == 3


@pytest.mark.parametrize("option", ["--profit", "--cost"])
def test_values_whose_sums_overflow_are_refused_in_one_line(
    capsys: pytest.CaptureFixture[str], option: str
) -> None:
    done = call(capsys, *SPAM, *QUICK, option, "1e308,-1e308;-1e308,1e308")
    assert done.code == 2
    assert "1e+308 in row 1 is too large to be summed over rows" in done.err
    assert len(done.err.strip().splitlines()) == 1
    largest = "1e100,-1e100;-1e100,1e100" if option == "--profit" else "0,1e100;1e100,0"
    assert call(capsys, *SPAM, *QUICK, option, largest).code == 0
    with pytest.raises(InputError, match=r"-1e\+101 in row 2 is too large"):
        heldout.score([0, 1], y_score=[0.2, 0.9], profit=((1, 0), (-1e101, 1))).expected_profit()


def test_no_intervals_means_none_of_the_difference_either() -> None:
    card = heldout.score([0, 1, 1], y_score=[0.4, 0.3, 0.9], cost=((0, 1), (5, 0)), intervals=False)
    assert {record["low"] for record in card.expected_profit()} == {None}


def test_threshold_without_limits_says_why() -> None:
    truth = [0, 1] * 20
    (made,) = heldout.score(truth, y_score=[0.2, 0.9] * 20).thresholds("youden")
    assert isnan(made["threshold_low"])
    assert "no interval of the threshold: every replicate chooses this threshold" in made["note"]


def test_the_model_without_scores_is_named() -> None:
    truth, score = [0, 1, 0, 1], [0.2, 0.7, 0.4, 0.6]
    models = [
        heldout.from_arrays(truth, y_score=score, model="told"),
        heldout.from_arrays(truth, truth, model="mute"),
    ]
    with pytest.raises(InputError, match="from scores: model 'mute' has none"):
        heldout.score(models).thresholds("youden")


def test_what_a_threshold_costs_lies_between_the_cells() -> None:
    truth = np.repeat([1, 0, 1, 1, 0, 1, 1, 0, 1, 1, 0, 1], 10)
    of_groups = [0.65, 0.62, 0.57, 0.96, 0.52, 0.62, 0.31, 0.03, 0.81, 0.48, 0.76, 0.52]
    card = heldout.score(
        truth,
        y_score=np.repeat(of_groups, 10),
        groups=np.arange(120) // 10,
        cost=[[0, 1], [5, 0]],
        profit=[[0, -1], [-5, 0]],
    )
    cost, youden, profit = card.thresholds("cost", "youden", "profit")
    assert (cost["low"], cost["note"]) == (0, "lower limit truncated at 0")
    assert youden["low"] == -1
    assert youden["note"].count("lower limit truncated at -1") == 1
    assert (profit["high"], profit["note"]) == (0, "upper limit truncated at 0")
    assert profit["low"] == pytest.approx(-cost["high"])
