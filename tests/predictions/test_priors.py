"""Priors as given and as training counts, and the bad ones refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from heldout.core.errors import InputError
from tests.predictions.tables import one, table

INF = np.inf
TEXTS: dict[str, Any] = {"y": ["a", "b", "b"], "pred": ["a", "b", "a"]}


def test_a_given_prior_is_in_the_order_of_the_classes() -> None:
    for prior in ("spam=0.4, ham=0.6", {"ham": 0.6, "spam": 0.4}):
        predictions = one(
            table(y=["ham", "spam"], pred=["ham", "ham"]), prior=prior, positive="spam"
        )
        assert predictions.prior is not None
        assert predictions.prior.kind == "given"
        assert predictions.prior.table.tolist() == [[0.6, 0.4]]
        assert predictions.prior.codes is None


def test_training_counts_are_kept_once_for_each_distinct_training_part() -> None:
    made = table(
        y=["a", "b", "a", "b"],
        pred=["a", "b", "a", "b"],
        train_n_b=[7, 6, 7, 6],
        train_n_a=[5, 6, 5, 6],
    )
    predictions = one(made, positive="a")
    prior = predictions.prior
    assert prior is not None
    assert prior.kind == "training counts"
    assert prior.codes is not None
    assert prior.table[prior.codes].tolist() == [[5, 7], [6, 6], [5, 7], [6, 6]]
    assert len(prior.table) == 2
    assert "training counts: columns train_n_* (guessed by their names)" in predictions.notes


def test_training_counts_that_do_not_fit_are_not_used_silently() -> None:
    made = table(y=["a", "b"], pred=["a", "b"], train_n_a=[1, 1], train_n_total=[3, 3])
    predictions = one(made, positive="a")
    assert predictions.prior is None
    assert predictions.notes[-1] == (
        "training counts: columns train_n_* do not fit the classes and are not used "
        "(--train-count-prefix train_n_ to insist)"
    )


def test_a_class_that_only_training_counts_name_is_kept() -> None:
    made = table(**TEXTS, n_a=[1, 1, 1], n_b=[2, 2, 2], n_c=[3, 3, 3])
    predictions = one(made, train_count_prefix="n_")
    assert predictions.classes == ("a", "b", "c")
    assert predictions.prior is not None
    assert predictions.prior.table.tolist() == [[1, 2, 3]]
    assert predictions.prior.codes is None


def test_two_ways_of_stating_a_prior_are_refused() -> None:
    made = table(**TEXTS, n_a=[1, 1, 1], n_b=[2, 2, 2])
    with pytest.raises(InputError) as caught:
        one(made, train_count_prefix="n_", prior="a=0.5,b=0.5", positive="a")
    assert str(caught.value) == (
        "--prior and --train-count-prefix both state a prior; give one of them"
    )


CASES: list[tuple[dict[str, Any], dict[str, Any], str]] = [
    (
        TEXTS | {"n_a": [1, 2, 3], "n_b": [1, -2, 3]},
        {"train_count_prefix": "n_", "positive": "a"},
        "column 'n_b': negative in 1 row (first: line 3 of a.csv); a training count must be 0 or "
        "more",
    ),
    (
        TEXTS | {"n_a": [1, INF, 3], "n_b": [1, 2, 3]},
        {"train_count_prefix": "n_", "positive": "a"},
        "column 'n_a': NaN or infinite in 1 row (first: line 3 of a.csv); the training count must "
        "be finite in every row",
    ),
    (
        TEXTS | {"n_a": [1, 2, 0], "n_b": [1, 2, 0]},
        {"train_count_prefix": "n_", "positive": "a"},
        "columns 'n_a', 'n_b': training counts of all classes are 0 in 1 row (first: line 4 of "
        "a.csv); a training part has at least one row",
    ),
    (
        TEXTS | {"n_a": [1, 2, 3]},
        {"train_count_prefix": "n_", "positive": "a"},
        "a.csv: no column 'n_b' with the training count of class 'b' (--train-count-prefix n_)",
    ),
    (
        TEXTS,
        {"prior": "a=0.5", "positive": "a"},
        "--prior: no share for class 'b'; every class needs one",
    ),
    (
        TEXTS,
        {"prior": "a=0.5,b=0.6", "positive": "a"},
        "--prior: the shares sum to 1.1; they must sum to 1",
    ),
    (
        TEXTS,
        {"prior": "a=1,b=0", "positive": "a"},
        "--prior: the share of class 'b' is 0, not above 0",
    ),
    (
        TEXTS,
        {"prior": "a=1,c=0", "positive": "a"},
        "--prior: no class 'c' (classes: 'a', 'b')",
    ),
    (
        TEXTS,
        {"prior": "a:1", "positive": "a"},
        "--prior: 'a:1' is not of the form class=share",
    ),
]


@pytest.mark.parametrize(("columns", "roles", "message"), CASES, ids=lambda value: str(value)[:40])
def test_a_bad_prior_is_refused(
    columns: dict[str, Any], roles: dict[str, Any], message: str
) -> None:
    with pytest.raises(InputError) as caught:
        one(table(**columns), **roles)
    assert str(caught.value) == message
