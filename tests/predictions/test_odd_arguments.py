"""Arguments of the Python functions of a wrong kind: each a clear error, or taken."""

from __future__ import annotations

import datetime
import inspect
import re
from typing import Any

import numpy as np
import pandas as pd
import pytest

import heldout

ODD: tuple[Any, ...] = (
    None,
    "x",
    "",
    b"x",
    0,
    -1,
    2.5,
    float("nan"),
    float("inf"),
    10**400,
    True,
    1j,
    [],
    [1],
    [None],
    [[]],
    [[1], [1, 2]],
    ["a", 1, None],
    (),
    {},
    {"a": 1},
    {1: [1, 2, 3]},
    {"a": {"b": object()}},
    {1, 2},
    object(),
    object,
    len,
    iter([1, 0, 1]),
    np.array(1),
    np.array([]),
    np.zeros((3, 2)),
    np.zeros((3, 2, 2)),
    np.zeros((0, 2)),
    np.array(["a", "b", "c"]),
    np.array([1 + 2j, 0, 1]),
    np.array([object(), object(), object()]),
    np.ma.masked_array([1, 0, 1], [True, False, False]),
    datetime.date(2020, 1, 1),
    slice(1, 2),
    pd.DataFrame({"a": [1, 0, 1]}),
    pd.DataFrame(),
    pd.Series(["x", None, "y"]),
    range(3),
)


def spoken(error: heldout.InputError) -> None:
    """A message is one line or two, names something, and is no bare repr."""
    text = str(error)
    assert 10 < len(text) < 700, text
    assert text.count("\n") <= 1, text
    assert not re.search(r"--[a-z]", text), text


@pytest.mark.parametrize("name", [*inspect.signature(heldout.score).parameters])
@pytest.mark.parametrize("base", ["scores", "labels", "regression", "matrix"])
def test_score_takes_or_refuses_whatever_is_given(name: str, base: str) -> None:
    given: dict[str, dict[str, Any]] = {
        "scores": {"y_true": [0, 1, 1], "y_score": [0.2, 0.9, 0.4]},
        "labels": {"y_true": ["a", "b", "c"], "y_pred": ["a", "b", "b"]},
        "regression": {"y_true": [0.5, 1.5, 2.5], "y_pred": [0.5, 1.0, 2.0]},
        "matrix": {"confusion": [[5, 1], [2, 3]], "orientation": "truth-rows", "pos_label": "1"},
    }
    for odd in ODD:
        try:
            heldout.score(**{**given[base], name: odd})
        except heldout.InputError as error:
            spoken(error)


@pytest.mark.parametrize("name", [*inspect.signature(heldout.from_arrays).parameters])
def test_from_arrays_takes_or_refuses_whatever_is_given(name: str) -> None:
    for odd in ODD:
        try:
            heldout.from_arrays(**{"y_true": [0, 1, 1], "y_pred": [0, 1, 0], name: odd})
        except heldout.InputError as error:
            spoken(error)


@pytest.mark.parametrize(
    "name", [n for n in inspect.signature(heldout.read_predictions).parameters if n != "more"]
)
def test_read_predictions_takes_or_refuses_whatever_is_given(name: str) -> None:
    table = {"y_true": [0, 1, 1], "y_score": [0.2, 0.9, 0.4]}
    for odd in ODD:
        try:
            heldout.read_predictions(**{"source": table, name: odd})
        except heldout.InputError as error:
            spoken(error)


@pytest.mark.parametrize(
    ("argument", "value", "message"),
    [
        ("threshold", "x", "threshold='x': give a finite number"),
        ("prior", 2, "prior=: the share of the positive class is 2, not in (0, 1)"),
        (
            "prior",
            [0.2, 0.3, 0.5],
            "prior=: 3 shares for 2 classes; give one for each, in the order 0, 1",
        ),
        ("prior", [0.2, 0.3], "prior=: the shares sum to 0.5; they must sum to 1"),
        (
            "slices",
            [1],
            "slices=[1]: give a mapping of names to columns, such as {'country': ['de', ",
        ),
        ("pos_label", [1], "pos_label=: [1] is no label; a label is a text, a number, or true or"),
        ("normalise", "yes", "normalise='yes': give True or False"),
        ("level", "95", "level='95': give a number such as 0.95"),
        ("random_state", 1.5, "random_state=1.5: give a whole number, 0 or more (a seed)"),
        ("profit", [[1, 2]], "profit= is 1 x 2, and 2 classes need 2 x 2"),
        ("orientation", "truth-rows", "orientation= says what the rows of confusion= are; give"),
        ("model", 3, "model=3: give a name"),
    ],
)
def test_a_wrong_argument_is_named_with_the_fix(argument: str, value: Any, message: str) -> None:
    with pytest.raises(heldout.InputError) as caught:
        heldout.score([0, 1, 1], y_score=[0.2, 0.9, 0.4], **{argument: value})
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize(
    "prior", [0.25, "0.25", [0.75, 0.25], (0.75, 0.25), np.array([0.75, 0.25]), {1: 0.25, 0: 0.75}]
)
def test_a_prior_may_be_given_in_any_of_its_forms(prior: Any) -> None:
    made = heldout.from_arrays([0, 1, 1], y_score=[0.2, 0.9, 0.4], prior=prior)
    assert made.prior is not None
    assert made.prior.table.tolist() == [[0.75, 0.25]]


def test_one_share_is_that_of_the_positive_class_wherever_it_stands() -> None:
    made = heldout.from_arrays(["no", "yes"], ["no", "no"], pos_label="no", prior=0.25)
    assert made.prior is not None
    assert made.prior.table.tolist() == [[0.25, 0.75]]


def test_predictions_take_no_further_arguments() -> None:
    made = heldout.from_arrays([0, 1, 1], y_score=[0.2, 0.9, 0.4])
    with pytest.raises(heldout.InputError, match="threshold= goes to heldout"):
        heldout.score(made, threshold=0.3)
    other = heldout.from_arrays(["a", "b"], ["a", "b"], pos_label="a")
    with pytest.raises(heldout.InputError, match="differ in their classes or the positive one"):
        heldout.score((made, other))
