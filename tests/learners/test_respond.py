"""What fitted estimators say, made alike: classes in order, scores, and refusals of nonsense."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from heldout.learners.respond import LARGEST_PROBABILITY, BadOutput, respond

X = np.zeros((3, 1))


class Fixed:
    """An estimator that says what it was told to."""

    def __init__(self, predicted: Any, classes: Any = None, **methods: Any) -> None:
        self.predicted = predicted
        if classes is not None:
            self.classes_ = np.array(classes)
        for name, value in methods.items():
            setattr(self, name, lambda _, value=value: np.array(value))

    def predict(self, _: Any) -> Any:
        return np.array(self.predicted)


def test_probabilities_are_put_in_the_order_of_the_classes() -> None:
    fitted = Fixed(["b", "a", "b"], ["a", "b"], predict_proba=[[0.1, 0.9], [0.8, 0.2], [0.4, 0.6]])
    predicted, scores, kind = respond(fitted, X, ("b", "c", "a"), "multiclass")
    assert kind == "probability"
    assert predicted.tolist() == [0, 2, 0]
    assert scores is not None
    assert scores.tolist() == [[0.9, 0, 0.1], [0.2, 0, 0.8], [0.6, 0, 0.4]]


def test_probabilities_as_lists_of_rows_are_an_array() -> None:
    rows = [[0.1, 0.9], [0.8, 0.2], [0.4, 0.6]]
    fitted: Any = Fixed([1, 0, 1], [0, 1])
    for given in (rows, [np.array(row) for row in rows], [tuple(row) for row in rows]):
        fitted.predict_proba = lambda _, given=given: given
        _, scores, kind = respond(fitted, X, (0, 1), "binary")
        assert kind == "probability"
        assert scores is not None
        assert scores.tolist() == rows
    fitted.predict_proba = lambda _: [np.array(rows)] * 3
    with pytest.raises(ValueError, match="models with several targets are not supported"):
        respond(fitted, X, (0, 1), "binary")
    fitted.predict_proba = lambda _: []
    with pytest.raises(ValueError, match=r"shape \(0,\) for 3 rows"):
        respond(fitted, X, (0, 1), "binary")


def test_binary_decision_is_one_column_for_the_second_class() -> None:
    fitted = Fixed([1, 0, 1], [0, 1], decision_function=[2.0, -1.0, 0.5])
    predicted, scores, kind = respond(fitted, X, (0, 1), "binary")
    assert (predicted.tolist(), kind) == ([1, 0, 1], "decision")
    assert scores is not None
    assert scores.tolist() == [[2.0], [-1.0], [0.5]]
    _, turned, _ = respond(fitted, X, (1, 0), "binary")
    assert turned is not None
    assert turned.tolist() == [[-2.0], [1.0], [-0.5]]


def test_decisions_between_pairs_are_no_scores_of_classes() -> None:
    fitted: Any = Fixed([0, 1, 2], [0, 1, 2], decision_function=np.zeros((3, 3)))
    fitted.decision_function_shape = "ovo"  # as an SVC has it
    assert respond(fitted, X, (0, 1, 2), "multiclass")[1:] == (None, "")
    four = Fixed([0, 1, 2], [0, 1, 2, 3], decision_function=np.zeros((3, 6)))
    assert respond(four, X, (0, 1, 2, 3), "multiclass")[1:] == (None, "")


def test_labels_alone_are_enough_however_they_are_written() -> None:
    assert respond(Fixed([[1.0], [0.0], [1.0]]), X, (0, 1), "binary")[0].tolist() == [1, 0, 1]
    assert respond(Fixed([True, False, True]), X, (False, True), "binary")[0].tolist() == [1, 0, 1]
    objects = np.array(["1", "01", "x"], object)
    assert respond(Fixed(objects), X, ("01", "1", "x"), "multiclass")[0].tolist() == [1, 0, 2]


def test_estimator_that_keeps_its_classes_to_itself_has_those_of_the_training_part() -> None:
    fitted = Fixed(["c", "a", "c"], predict_proba=[[0.1, 0.9], [0.8, 0.2], [0.4, 0.6]])
    _, scores, _ = respond(fitted, X, ("a", "b", "c"), "multiclass", seen=["a", "c"])
    assert scores is not None
    assert scores[0].tolist() == [0.1, 0, 0.9]


@pytest.mark.parametrize(
    ("fitted", "task", "told"),
    [
        (Fixed([0, np.nan, 1]), "binary", "predict gave NaN in 1 of 3 rows .first: row 2 of"),
        (Fixed([0, 7, 1]), "binary", "predict gave 7, which is none of the classes"),
        (Fixed(np.array([0, None, 1], object)), "binary", "predict gave None"),
        (Fixed([[0, 1]] * 3), "binary", r"shape \(3, 2\)"),
        (Fixed([0, 0, 0], [0, 5]), "binary", "knows a class 5"),
        (
            Fixed([0, 1, 0], [0, 1], predict_proba=[[0.5, 0.5], [np.nan, 1], [1, 0]]),
            "binary",
            "predict_proba gave NaN in 1 of 3 rows",
        ),
        (
            Fixed([0, 1, 0], [0, 1], predict_proba=[[0.5, 0.5], [1, 0], [0, np.inf]]),
            "binary",
            "predict_proba gave infinite values in 1 of 3 rows .first: row 3",
        ),
        (Fixed([0, 1, 0], [0, 1], predict_proba=[[1.0]] * 3), "binary", r"shape \(3, 1\)"),
        (
            Fixed([0, 1, 0], [0, 1], decision_function=[0.0, np.nan, 1.0]),
            "binary",
            "decision_function gave NaN",
        ),
        (Fixed([1.0, np.nan, 2.0]), "regression", "predict gave NaN"),
        (Fixed([1.0, np.inf, 2.0]), "regression", "infinite values in 1 of 3"),
        (Fixed([0, 1]), "binary", "2 values for 3 rows"),
        (Fixed([1.0, 2.0]), "regression", "2 values for 3 rows"),
        (Fixed(["a", "b", "c"]), "regression", "predict gave values that are not numbers"),
        (Fixed([{"a": 1}] * 3), "binary", "predict gave {'a': 1}, which is not a label"),
        (
            Fixed([0, 1, 0], [0, 1], predict_proba=[["a", "b"]] * 3),
            "binary",
            "predict_proba gave values that are not numbers",
        ),
        (
            Fixed([0, 1, 0], [0, 1], decision_function=np.zeros((5, 2))),
            "binary",
            r"decision_function gave an array of shape \(5, 2\) for 3 rows",
        ),
    ],
)
def test_unusable_output_is_an_error_that_says_what_it_was(
    fitted: Any, task: Any, told: str
) -> None:
    with pytest.raises(BadOutput, match=told):
        respond(fitted, X, (0, 1), task)


def of_rounding(raw: float) -> Any:
    """A boosting model whose sum of a row is next to nothing."""
    from sklearn.ensemble import HistGradientBoostingClassifier

    made = HistGradientBoostingClassifier(max_iter=1).fit(np.zeros((40, 1)), np.arange(40) % 2)
    made._baseline_prediction = np.array([[raw]])
    return made


@pytest.mark.parametrize("raw", [1e-18, -1e-18])
def test_label_is_the_estimators_own_where_probabilities_round_alike(raw: float) -> None:
    fitted, X = of_rounding(raw), np.zeros((3, 1))
    predicted, scores, _ = respond(fitted, X, (0, 1), "binary")
    assert scores is not None
    assert (scores == 0.5).all()
    assert predicted.tolist() == fitted.predict(X).tolist() == [int(raw > 0)] * 3


@pytest.mark.parametrize("name", sorted(LARGEST_PROBABILITY))
def test_label_of_the_largest_probability_is_the_one_predicted(name: str) -> None:
    """Rows of few values and labels by chance, so that many probabilities tie."""
    from sklearn.naive_bayes import GaussianNB
    from sklearn.utils import all_estimators

    generator = np.random.default_rng(0)
    X, y = generator.integers(0, 3, (120, 2)).astype(float), generator.integers(0, 3, 120)
    kind: Any = dict(all_estimators("classifier"))[name]
    given = ([("a", GaussianNB()), ("b", GaussianNB())],) if name == "VotingClassifier" else ()
    model = kind(*given)
    wanted = {"random_state": 0, "voting": "soft"}
    model.set_params(**{k: v for k, v in wanted.items() if k in model.get_params()})
    fitted = model.fit(X, y)
    predicted, scores, _ = respond(fitted, X, (0, 1, 2), "multiclass")
    assert scores is not None
    assert predicted.tolist() == fitted.predict(X).tolist()
