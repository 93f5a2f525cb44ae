"""Bootstrap estimates: hand-made cases, and those of R's ipred on fixed samples."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import pytest

import heldout
from heldout.assess.out_of_bag import mean_out_of_bag
from heldout.engines.memory import Tallies
from heldout.evaluation.estimates import bootstrap_estimates, no_information
from heldout.measures.spec import parse_request
from heldout.predictions.arrays import from_arrays


def test_out_of_bag_loss_is_the_mean_over_rows_not_over_predictions() -> None:
    losses, rows = np.array([1.0, 0.0, 0.0, 0.0]), np.array([0, 1, 1, 1])
    made = bootstrap_estimates(mean_out_of_bag(losses, rows), 0.0, 0.5)
    assert made.out_of_bag == 0.5
    assert made.plain == pytest.approx(0.632 * 0.5)


def test_plus_is_plain_without_overfitting_and_gamma_with_nothing_learnt() -> None:
    same = bootstrap_estimates(0.25, 0.25, 0.5)
    assert same.overfitting == 0
    assert same.plus == same.plain == 0.25
    # a memory of the training rows that knows nothing: training 0, out of bag as by chance
    chance = bootstrap_estimates(0.5, 0.0, 0.5)
    assert chance.overfitting == 1
    assert chance.plain == pytest.approx(0.316)
    assert chance.plus == pytest.approx(0.5)


def test_gain_is_the_loss_with_its_sign_turned() -> None:
    rng = np.random.default_rng(1)
    losses, rows = rng.random(30), rng.integers(0, 10, 30)
    loss = bootstrap_estimates(mean_out_of_bag(losses, rows), 0.1, 0.6)
    gain = bootstrap_estimates(mean_out_of_bag(1 - losses, rows), 0.9, 0.4, is_gain=True)
    for name in ("out_of_bag", "plain", "plus"):
        assert getattr(gain, name) == pytest.approx(1 - getattr(loss, name))
    assert gain.overfitting == pytest.approx(loss.overfitting)


def test_no_information_error_counts_all_pairs_of_truth_and_prediction() -> None:
    truth, predicted = ["a", "a", "b", "c"], ["a", "b", "b", "b"]
    tallies = Tallies(from_arrays(truth, predicted))
    pairs = [t != p for t in truth for p in predicted]
    assert no_information(parse_request("error_rate"), tallies) == pytest.approx(np.mean(pairs))
    assert no_information(parse_request("accuracy"), tallies) == pytest.approx(1 - np.mean(pairs))


def test_no_information_of_a_regression_pairs_all_targets_with_all_predictions() -> None:
    truth, predicted = np.array([1.5, 2.0, 2.0, 7.0]), np.array([1.0, 2.5, 2.0, 6.0])
    tallies = Tallies(from_arrays(truth, predicted, task="regression"))
    pairs = (truth[:, None] - predicted[None, :]) ** 2
    assert no_information(parse_request("mse"), tallies) == pytest.approx(pairs.mean())


def test_no_information_brier_takes_the_shares_of_classes() -> None:
    truth, score = np.array([0, 1, 1, 1]), np.array([0.1, 0.9, 0.6, 0.8])
    tallies = Tallies(from_arrays(truth, y_score=score, pos_label=1))
    pairs = (truth[:, None] - score[None, :]) ** 2
    found = no_information(parse_request("brier"), tallies)
    assert found == pytest.approx(pairs.mean())


def test_estimates_of_ipred_on_fixed_samples_of_iris(reference: Path) -> None:
    folder = reference / "boot632_iris_lda"
    told = {v["name"]: v for v in json.loads((folder / "expected.json").read_text())["values"]}

    def table(name: str) -> list[list[str]]:
        with (folder / name).open(newline="") as file:
            return list(csv.reader(file))[1:]

    whole = table("resubstitution.csv")
    truth, predicted = [row[0] for row in whole], [row[1] for row in whole]
    bags = table("oob_predictions.csv")
    pairs = [(i, answer) for i, row in enumerate(bags) for answer in row if answer]
    losses = np.array([float(truth[i] != answer) for i, answer in pairs])
    training = Tallies(from_arrays(truth, predicted))
    request = parse_request("error_rate")
    inside = float(np.mean([t != p for t, p in whole]))
    gamma = no_information(request, training)
    outside = mean_out_of_bag(losses, np.array([i for i, _ in pairs]))
    made = bootstrap_estimates(outside, inside, gamma)
    for ours, name in (
        (made.training, "resubstitution_error"),
        (made.out_of_bag, "err_boot1"),
        (made.no_information, "gamma"),
        (made.overfitting, "relative_overfitting_R"),
        (made.plain, "err632"),
        (made.plus, "err632plus_ET1997"),
    ):
        assert ours == pytest.approx(told[name]["value"], abs=told[name]["tolerance"]), name


def test_numbers_of_ipred_follow_from_its_own_parts() -> None:
    # R ipred 0.9.13, LDA on iris: err(1) 0.024252712285994, training 0.02, gamma 2/3
    made = bootstrap_estimates(0.024252712285994, 0.02, 2 / 3)
    assert made.plain == pytest.approx(0.0226877141647482, abs=1e-12)
    assert made.plus == pytest.approx(0.0226942344821236, abs=1e-12)
    assert made.overfitting == pytest.approx(0.00657635920514539, abs=1e-12)


def test_evaluation_along_632_plus_gives_all_estimates_beside_each_other() -> None:
    made = heldout.evaluate("lda", data="iris", procedure=".632+ 20", random_state=1)
    found = {r.fold: r for r in made.results(("error_rate",))}
    training, bag = found["training"].value, found["out-of-bag"].value
    assert found[".632"].value == pytest.approx(0.368 * training + 0.632 * bag)
    assert training <= found[".632"].value <= found[".632+"].value <= bag
    assert "optimistic" in found["training"].note
    assert all(r.low is None for r in found.values())
    assert "no interval" in found[".632+"].note
    assert ".632+" in repr(made)
