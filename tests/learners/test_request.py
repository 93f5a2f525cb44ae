"""Models as they are asked for: names, aliases, parameters, estimators; and what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.cluster import KMeans
from sklearn.ensemble import BaggingClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from heldout.core.errors import HeldoutError, InputError
from heldout.core.specs import split_list
from heldout.datasets.arrays import dataset_of
from heldout.datasets.read import read_dataset
from heldout.learners.named import find_model
from heldout.learners.parameters import parse_model
from heldout.learners.request import models_for

IRIS = read_dataset("iris")


@pytest.mark.parametrize(
    ("alias", "name"),
    [
        ("k-nn", "knn"),
        ("Naive_Bayes", "nb"),
        ("random forest", "forest"),
        ("RF", "forest"),
        ("decision-tree", "tree"),
        ("SVC", "svm"),
        ("ols", "linear"),
        ("ZeroR", "majority"),
    ],
)
def test_alias_is_found_however_it_is_written(alias: str, name: str) -> None:
    assert find_model(alias).name == name


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("3", 3),
        ("-0.5", -0.5),
        ("1e-3", 0.001),
        ("true", True),
        ("False", False),
        ("none", None),
        ("distance", "distance"),
        ("'a, b'", "a, b"),
        ("(1, 2)", (1, 2)),
        ("[10, x]", [10, "x"]),
    ],
)
def test_parameter_has_the_type_its_text_spells(text: str, value: Any) -> None:
    name, parameters = parse_model(f"m[p={text}, q=1]")
    assert (name, parameters) == ("m", {"p": value, "q": 1})
    assert type(parameters["p"]) is type(value)


@pytest.mark.parametrize("text", ["prepare: a.b:C", "prepare:a.b : C", " prepare :a.b:C "])
def test_spaces_around_colons_do_not_matter(text: str) -> None:
    assert parse_model(text) == ("prepare:a.b:C", {})
    assert parse_model(f"{text}[p=1]") == ("prepare:a.b:C", {"p": 1})


def test_commas_inside_brackets_and_quotes_do_not_part_models() -> None:
    text = "a[x=(1, 2), y='p, q'], b ,c:d[z=[1, 2]]"
    assert split_list(text) == ["a[x=(1, 2), y='p, q']", "b", "c:d[z=[1, 2]]"]


def test_parameters_reach_the_estimator_inside_its_pipeline() -> None:
    (model,) = models_for("knn[n_neighbors=3, weights=distance]", IRIS)
    assert model.name == "knn[n_neighbors=3, weights=distance]"
    inner = model.estimator.named_steps["model"]
    assert (inner.n_neighbors, inner.weights) == (3, "distance")
    (bagging,) = models_for(BaggingClassifier(SVC()), IRIS)
    assert bagging.name == "BaggingClassifier(SVC)"


def test_scaling_can_be_turned_off_and_on() -> None:
    plain, scaled = models_for("knn[scale=false], tree[scale=true]", IRIS)
    assert type(plain.estimator) is KNeighborsClassifier
    assert "scale" in scaled.estimator.named_steps


def test_requests_may_be_texts_estimators_sequences_and_mappings() -> None:
    pipeline = make_pipeline(StandardScaler(), LogisticRegression())
    names = [model.name for model in models_for(["knn,lda", SVC(), pipeline, "knn"], IRIS)]
    assert names == ["knn", "lda", "SVC", "StandardScaler+LogisticRegression", "knn (2)"]
    named = models_for({"mine": SVC(C=2), "near": "knn"}, IRIS)
    assert [model.name for model in named] == ["mine", "near"]
    assert models_for(named, IRIS) == named
    assert len(models_for(SVC(), IRIS)) == 1


def test_estimator_that_was_given_is_never_changed_or_fitted() -> None:
    estimator = SVC()
    (model,) = models_for(estimator, IRIS)
    assert model.takes == "given"
    assert not hasattr(estimator, "classes_")
    assert estimator.random_state is None


@pytest.mark.parametrize(
    ("request_", "told"),
    [
        ("knnn", "no model 'knnn'; did you mean knn.\nmodels: majority"),
        ("linear", "linear is a model for regression.*iris is classification; take logistic"),
        ("knn[n_neighbours=3]", "no parameter 'n_neighbours'; did you mean n_neighbors"),
        ("knn[n_neighbors=-1]", r"knn\[n_neighbors=-1\]: The 'n_neighbors' parameter must be"),
        ("knn[3]", "'3' has no value; write knn.option=value"),
        ("knn[a=1", r"the \[ at position 4 is not closed"),
        ("knn]", "closes nothing"),
        ("knn[p=1, p=2]", "p is given twice"),
        ("knn[p=]", "has no value"),
        ("[p=1]", "names no model"),
        ("", "no model is asked for"),
        ([], "no model is asked for"),
        (LinearRegression(), "LinearRegression is a regressor.*take a classifier"),
        (KMeans(), "KMeans is a clusterer"),
        (SVC, "SVC is a class; give an estimator"),
        (3, "int has no fit method"),
    ],
)
def test_bad_request_is_refused_with_the_way_out(request_: Any, told: str) -> None:
    with pytest.raises(InputError, match=told):
        models_for(request_, IRIS)


def test_classifier_is_refused_for_regression() -> None:
    data = dataset_of(np.arange(8.0).reshape(4, 2), [0.5, 1.5, 2.5, 3.5])
    with pytest.raises(InputError, match=r"lda is a model for classification.*take linear"):
        models_for("lda", data)
    with pytest.raises(InputError, match=r"SVC is a classifier.*take a regressor"):
        models_for(SVC(), data)


def test_rules_need_their_package() -> None:
    try:
        # only whether it is there counts; it has no types
        import wittgenstein  # type: ignore[import-not-found]  # noqa: F401
    except ImportError:
        with pytest.raises(
            HeldoutError, match=r"ripper needs wittgenstein: pip install .heldout\[rules\]"
        ):
            models_for("ripper", IRIS)
    else:
        assert models_for("ripper", IRIS)[0].name == "ripper"


def test_a_name_that_is_like_none_gets_no_hint() -> None:
    with pytest.raises(InputError, match=r"no model 'nope'\nmodels:"):
        find_model("nope")
    with pytest.raises(InputError, match="did you mean knn"):
        find_model("knm")
