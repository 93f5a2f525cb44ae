"""Scores as probabilities: rounded, of two classes, infinite, far from 1, whole numbers."""

from __future__ import annotations

from math import inf, isnan, log
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.metrics import log_loss
from sklearn.model_selection import cross_val_predict
from sklearn.naive_bayes import GaussianNB

import heldout
from heldout.cli.main import main
from heldout.comparison.compare import compare
from heldout.core.errors import InputError
from heldout.learners.respond import respond
from tests.predictions.tables import one, table

THREE = np.array([[0.333, 0.333, 0.333], [0.2, 0.3, 0.502], [0.5, 0.25, 0.25]])


def refusal(scores: Any, **options: Any) -> str:
    with pytest.raises(heldout.InputError) as caught:
        heldout.from_arrays(["a", "b", "c"], None, scores, normalise=True, **options)
    return str(caught.value)


def test_rounded_probabilities_are_not_used_unasked_and_the_way_out_is_named() -> None:
    made = heldout.from_arrays(["a", "b", "c"], None, THREE)
    assert made.score_problem == (
        "y_score: probabilities do not sum to 1 (0.999) in 2 rows (first: position 0); the largest "
        "deviation, 0.002, looks like rounding: write more digits, or say normalise=True to divide "
        "each row by its sum"
    )
    assert made.scores is not None
    assert made.scores.tolist() == THREE.tolist()


def test_rows_are_divided_by_their_sum_and_the_change_is_told() -> None:
    made = heldout.from_arrays(["a", "b", "c"], None, THREE, normalise=True)
    assert made.score_problem == ""
    assert made.scores is not None
    np.testing.assert_allclose(made.scores, THREE / THREE.sum(axis=1, keepdims=True), rtol=1e-15)
    assert (
        "probabilities of each row divided by their sum: 2 rows of 3 were off, by at most 0.002 "
        "(position 1)" in made.notes
    )
    assert heldout.score(made)["log_loss"].value == pytest.approx(
        -np.log([1 / 3, 0.3 / 1.002, 0.25]).mean()
    )


def test_sums_that_are_far_off_are_refused_with_their_row() -> None:
    far = THREE.copy()
    far[1] = [0.2, 0.3, 0.6]
    assert refusal(far) == (
        "y_score: scores sum to 1.1 in 1 row (first: position 1); "
        "normalise= corrects sums that are off by 0.05 at most: these are no "
        "rounded probabilities"
    )
    far[1] = [-0.01, 0.4, 0.61]
    assert refusal(far).startswith("y_score: a negative score in 1 row (first: position 1)")


def test_one_score_has_no_sum() -> None:
    with pytest.raises(heldout.InputError, match="is the score of one; leave it out"):
        heldout.from_arrays([0, 1], None, [0.2, 0.8], normalise=True)
    with pytest.raises(heldout.InputError, match="for a probability column of each class"):
        heldout.from_arrays([0, 1], [0, 1], normalise=True)


def test_exact_sums_are_left_as_they_are() -> None:
    exact = np.array([[0.5, 0.25, 0.25]] * 3)
    made = heldout.from_arrays(["a", "b", "c"], None, exact, normalise=True)
    assert made.scores is not None
    assert made.scores.tolist() == exact.tolist()
    assert "the probabilities of every row sum to 1 already; none changed" in made.notes[-2]


def test_two_columns_of_a_table_are_divided_before_the_positive_one_is_taken() -> None:
    made = one(table(y=["a", "b"], p_a=[0.33, 0.5], p_b=[0.66, 0.5]), positive="b", normalise=True)
    assert made.scores is not None
    assert made.scores.tolist() == [0.66 / 0.99, 0.5]


def test_columns_named_like_the_classes_are_found_though_they_are_rounded() -> None:
    made = one(table(y=["a", "b", "c"], a=[0.34, 0.3, 0.3], b=[0.34, 0.3, 0.3], c=[0.33, 0.4, 0.4]))
    assert made.scores is not None
    assert "0.01, looks like rounding" in made.score_problem


ABOVE = 1 + 2.0**-52  # the next number above 1, as sums of a decision tree's shares are


@pytest.mark.parametrize("normalise", [False, True])
def test_a_probability_beyond_its_border_by_rounding_is_taken_as_the_border(
    normalise: bool,
) -> None:
    scores = np.array([[ABOVE, 0.0, -(2.0**-60)], [0.25, 0.5, 0.25], [0.0, 0.0, 1.0000005]])
    made = heldout.score(["a", "b", "c"], y_score=scores, normalise=normalise, intervals=False)
    assert made["log_loss"].value == pytest.approx(np.log(2) / 3)
    (note,) = [note for note in made.notes if "by rounding" in note]
    assert note == (
        "probabilities of 2 rows lie outside [0, 1] by rounding, at most by 5e-07: taken as 0 or 1"
    )


def test_one_score_beyond_its_border_by_rounding_is_taken_as_the_border() -> None:
    made = heldout.score([0, 1, 1], y_score=[-1e-17, ABOVE, 0.5], intervals=False)
    assert made["brier"].value == pytest.approx(0.25 / 3)
    assert any("2 rows lie outside [0, 1] by rounding" in note for note in made.notes)


def test_small_decision_values_are_not_taken_for_rounded_probabilities() -> None:
    made = heldout.score([0, 0, 1, 1], y_score=[-3e-7, -2e-7, -1e-7, 1e-7], intervals=False)
    assert made["auc"].value == 1.0
    assert any("measures of probabilities are not given" in note for note in made.notes)


if TYPE_CHECKING:
    from pathlib import Path

TABLE = "id,truth,p_no,p_yes\n1,no,1e-20,1.0\n2,yes,0.4,0.6\n3,no,0.75,0.25\n4,yes,1.0,1e-30\n"


def by_hand(*probabilities: float) -> float:
    return -sum(map(log, probabilities)) / len(probabilities)


@pytest.mark.parametrize("positive", ["yes", "no"])
def test_unlikely_is_not_impossible_whichever_class_is_positive(
    tmp_path: Path, positive: str
) -> None:
    path = tmp_path / "told.csv"
    path.write_text(TABLE)
    card = heldout.score(heldout.read_predictions(path, positive=positive))
    assert card["log_loss"].value == pytest.approx(by_hand(1e-20, 0.6, 0.75, 1e-30), rel=1e-12)


def test_probability_zero_of_the_truth_stays_infinite(tmp_path: Path) -> None:
    path = tmp_path / "told.csv"
    path.write_text(TABLE.replace("1e-20", "0"))
    card = heldout.score(heldout.read_predictions(path, positive="yes"))
    assert card["log_loss"].value == inf


def test_log_loss_of_saturated_probabilities_is_that_of_both_columns() -> None:
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, 200)
    # so many like columns that naive Bayes is all but sure
    x = np.repeat((y * 0.5 + rng.normal(size=200))[:, None], 60, axis=1)
    procedure = heldout.KFold(5)
    both = cross_val_predict(GaussianNB(), x, y, cv=procedure, method="predict_proba")
    told = both[np.arange(200), y]
    assert told.min() > 0
    assert (both[np.arange(200), 1 - y] == 1).any()  # where 1 less it would be impossible
    for positive in (0, 1):
        for exact in (True, False):
            made = heldout.evaluate(
                GaussianNB(),
                x,
                y,
                procedure=procedure,
                pos_label=positive,
                exact=exact,
                store=False,
            )
            found = made.scorecard["log_loss"].value
            assert found == pytest.approx(-np.log(told).mean(), rel=1e-9)
    # scikit-learn raises what is below the precision of doubles
    assert log_loss(y, both) <= -np.log(told).mean()


def test_models_exchanged_row_by_row_keep_both_columns(tmp_path: Path) -> None:
    rng = np.random.default_rng(2)
    truth = rng.integers(0, 2, 40)
    models: list[Any] = []
    for name in ("a", "b"):
        other = np.where(rng.random(40) < 0.3, 1e-25, rng.random(40))
        pairs = zip(truth.tolist(), other.tolist(), strict=True)
        lines = [f"{i},{t},{p!r},{1 - p!r}" for i, (t, p) in enumerate(pairs)]
        path = tmp_path / f"{name}.csv"
        path.write_text("\n".join(["id,truth,p_0,p_1", *lines]))
        models.extend(heldout.read_predictions(path, positive=1, id="id"))
    made = compare(*models, measures="log_loss", test="permutation")
    found = made["log_loss"]
    losses = [
        -np.log(np.where(truth == 1, m.scores, m.against)) for m in models if m.against is not None
    ]
    assert len(losses) == 2
    assert found.first_value - found.second_value == pytest.approx(
        losses[0].mean() - losses[1].mean()
    )
    assert 0 < found.test.p_value <= 1


class Overflows(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # of no known type
    """Distances to the means of classes, infinite where they are large."""

    def fit(self, X: Any, y: Any) -> Overflows:
        self.classes_ = np.unique(y)
        self.means_ = np.array([X[y == label].mean(axis=0) for label in self.classes_])
        return self

    def decision_function(self, X: Any) -> Any:
        near = -((X[:, None, :] - self.means_) ** 2).sum(axis=2)
        if len(self.classes_) == 2:
            near = near[:, 1] - near[:, 0]
            return np.where(np.abs(near) > 1, np.copysign(np.inf, near), near)
        return np.where(near < -8, -np.inf, near)

    def predict(self, X: Any) -> Any:
        found = self.decision_function(X)
        return self.classes_[found.argmax(axis=1) if found.ndim == 2 else (found > 0).astype(int)]


def some(count: int) -> tuple[Any, Any]:
    generator = np.random.default_rng(0)
    codes = np.arange(90) % count
    X = generator.normal(size=(90, 3)) + codes[:, None] * 0.5
    return X, np.array(list("abc"))[codes]


def values(card: Any) -> dict[Any, Any]:
    rows = card.results(everything=True)
    return {(r.measure, r.class_, r.fold): (r.value, r.low, r.high) for r in rows}


@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet"])
@pytest.mark.parametrize("count", [2, 3])
def test_evaluation_written_and_scored_has_the_same_values(
    tmp_path: Path, ending: str, count: int
) -> None:
    X, y = some(count)
    how = {"pos_label": "b"} if count == 2 else {}
    made = heldout.evaluate({"far": Overflows()}, X, y, procedure="5-fold", **how)
    assert np.isinf(made.predictions[0].scores).any()
    path = tmp_path / f"made.{ending}"
    made.predictions.write(path)
    here, there = values(made), values(heldout.score(heldout.read_predictions(path)))
    assert here.keys() == there.keys()
    for name, found in here.items():
        assert np.array(there[name], float) == pytest.approx(np.array(found, float), nan_ok=True)


def test_infinite_values_rank_above_and_below_all_others() -> None:
    generator = np.random.default_rng(1)
    truth = generator.integers(0, 2, 300)
    score = generator.normal(size=300) + truth
    for sign in (1, -1):
        far = np.where(score > 2, np.inf, np.where(score < -1, -np.inf, score)) * sign
        one, other = (values(heldout.score(truth, y_score=s)) for s in (far, np.clip(far, -9, 9)))
        for name, found in other.items():
            assert one[name] == pytest.approx(found, nan_ok=True), name


@pytest.mark.parametrize("other", [0.2, -3.0, np.inf])
def test_infinite_scores_rank_whatever_the_other_rows_have(other: float) -> None:
    card = heldout.score([0, 1, 1, 0], y_score=[other, np.inf, np.inf, other])
    assert card["auc"].value == (0.5 if other == np.inf else 1.0)
    with pytest.raises(InputError, match=r"brier needs probabilities: .*outside \[0, 1\]"):
        card.results(("brier",))


def test_infinite_scores_of_one_class_rank_it() -> None:
    score = [[0.7, 0.2, 0.1], [0.3, 0.6, 0.1], [0.1, 0.2, np.inf]]
    card = heldout.score(["a", "b", "c"], y_score=score)
    assert card["auc[class=c]"].value == 1.0
    assert "outside [0, 1] (inf)" in card.predictions[0].score_problem


def test_infinite_scores_are_compared_by_their_ranks() -> None:
    generator = np.random.default_rng(2)
    truth = generator.integers(0, 2, 200)
    near, far = (truth + generator.normal(size=200) for _ in range(2))
    far = np.where(far > 1.5, np.inf, far)
    found = []
    for scores in (far, np.minimum(far, 9)):
        pair = {"near": near, "far": scores}
        models = [heldout.from_arrays(truth, y_score=s, model=name) for name, s in pair.items()]
        made = heldout.compare(models, measures=["auc"])["auc"]
        test = made.test
        found.append((made.interval.low, made.interval.high, test.statistic, test.p_value))
    assert found[0] == found[1]


def test_only_nan_is_refused_among_decision_values() -> None:
    with pytest.raises(InputError, match=r"NaN in 1 row .*the score must be a number in every row"):
        heldout.score([0, 1, 1, 0], y_score=[-2.0, np.nan, np.inf, 3.0])


def test_two_classes_that_are_infinite_alike_tie() -> None:
    class Two:
        classes_ = np.array(["a", "b"])

        def predict(self, X: Any) -> Any:
            return np.array(["a"] * len(X))

        def decision_function(self, X: Any) -> Any:
            return X

    X = np.array([[-np.inf, -np.inf], [0.0, np.inf], [-np.inf, 3.0], [1.0, 3.0]])
    _, scores, kind = respond(Two(), X, ("a", "b"), "binary")
    assert kind == "decision"
    assert scores is not None
    assert scores[:, 0].tolist() == [0.0, np.inf, np.inf, 2.0]


@pytest.mark.parametrize("weight", ["1e155", "1e-200", "1e308", "1e-310"])
def test_a_weight_beyond_squares_names_file_column_and_row(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], weight: str
) -> None:
    path = tmp_path / "rows.csv"
    lines = ["1,0.5,1", f"0,0.7,{weight}", "1,0.4,2"]
    path.write_text("\n".join(["y,p,w", *lines]), encoding="utf-8")
    options = ["--truth", "y", "--score", "p", "--weight", "w"]
    assert main(["score", str(path), *options]) == 2
    said = capsys.readouterr().err
    assert "column 'w'" in said
    assert f"line 3 of {path}" in said
    assert "divide them all by the same number" in said


@pytest.mark.parametrize("low", [1e59, 1e-59, 1.1e-60])
def test_weights_that_are_far_from_one_are_judged(low: float) -> None:
    rng = np.random.default_rng(3)
    truth = rng.integers(0, 2, 40)
    score = 0.3 * truth + 0.6 * rng.random(40)
    weight = low * (1 + rng.random(40))
    if low == 1.1e-60:  # some as small as they may be, some as large
        weight[::2] = 9e59
    card = heldout.score(truth, y_score=score, sample_weight=weight)
    results = card.results(everything=True)
    assert 0 <= card["h_measure"].value <= 1
    assert len(results) > 80
    number = heldout.score(score, score + rng.normal(size=40), sample_weight=weight)
    assert number["rmse"].low is not None


def test_values_beyond_differences_are_refused() -> None:
    with pytest.raises(InputError, match="y_true: too large to be subtracted in 1 row"):
        heldout.score([1e308, 2.0, 3.5], [-1e308, 1.0, 3.0], task="regression")


def test_squares_beyond_numbers_are_the_reason_and_not_equal_values() -> None:
    truth = np.array([1e200, -1e200, 3e197, 2.0])
    card = heldout.score(truth, -truth, task="regression")
    for name in ("r2", "correlation", "relative_squared_error"):
        made = card[name]
        assert isnan(made.value)
        assert made.note.startswith("undefined: squares of such large values")
    same = heldout.score(np.full(3, 2.0), [1.0, 2.0, 3.0], task="regression")
    assert "all true values are the same" in same["r2"].note


TRUTH = [0, 1, 0, 1]
FAR = 1_700_000_000_000_000_000
BEYOND = 10**25


@pytest.mark.parametrize("far", [FAR, -FAR, BEYOND, 10**400])
def test_file_with_merged_scores_names_column_row_and_fix(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], far: int
) -> None:
    path = tmp_path / "rows.csv"
    scores = (7, far + 1, far, far + 1)
    lines = [f"{y},{s}" for y, s in zip(TRUTH, scores, strict=True)]
    path.write_text("\n".join(["y,s", *lines]), encoding="utf-8")
    assert main(["score", str(path), "--truth", "y", "--score", "s", "--measure", "auc"]) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert "column 's': whole numbers too large to be distinguished as floats in 3 rows" in said
    assert f"first: line 3 of {path}" in said
    assert "subtract the same number from all scores, or give their ranks" in said


@pytest.mark.parametrize(
    "scores",
    [
        [FAR, FAR + 1, FAR, FAR + 1],
        np.array([FAR, FAR + 1, FAR, FAR + 1]),
        np.array([2**64 - 2, 2**64 - 1, 5, 6], np.uint64),
        np.array([[FAR, 1], [FAR + 1, 2], [3, 4], [5, 6]]),
    ],
)
def test_arrays_with_merged_scores_are_refused(scores: Any) -> None:
    with pytest.raises(InputError, match=r"y_score: whole numbers .*first: position 0\); subtract"):
        heldout.score(TRUTH, y_score=scores)


@pytest.mark.parametrize("step", [1, 256])
def test_large_scores_that_stay_apart_rank(step: int) -> None:
    base = 2**53 if step == 1 else FAR  # at 1.7e18 the step between floats is 256
    scores = np.array([base - 3 * step, base, base - 2 * step, base - step])
    assert heldout.score(TRUTH, y_score=scores)["auc"].value == 1.0
