"""What a learner needs before it can be fitted, as a pipeline that is fitted with it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from heldout.core.errors import InputError
from heldout.core.wording import plural
from heldout.datasets.dataset import is_sparse

if TYPE_CHECKING:
    from heldout.datasets.dataset import Dataset, Feature

#: a nominal feature with more levels than this keeps its most frequent ones apart
MOST_LEVELS = 100
#: more levels than a histogram has bins cannot be told apart by one
MOST_CODES = 255


@dataclass(frozen=True, slots=True)
class Needs:
    """What a learner needs of its features."""

    #: whether the unit of a feature changes the model
    scale: bool = False
    #: missing numbers are filled in, or the learner takes NaN as it is
    missing: Literal["impute", "takes"] = "impute"
    #: nominal features become a column per level; or the learner takes their codes, and has to
    #: be told which columns are codes, or knows it
    nominal: Literal["one-hot", "codes", "known"] = "one-hot"
    #: whether a column of one value breaks the learner
    drops_constants: bool = False
    #: whether the learner looks at the features at all
    looks: bool = True


@dataclass(frozen=True, slots=True, eq=False)
class Prepared:
    """An estimator with its preparation in front (or bare), and the preparation in words."""

    estimator: Any
    words: tuple[str, ...]


def prepare(estimator: Any, dataset: Dataset, needs: Needs, name: str = "") -> Prepared:
    """The estimator as a pipeline that does what it needs with this data set's features.

    ``name`` is what messages call it.

    Which steps there are is decided by what the columns are; all that a step learns (a
    median, a mean, the levels that occur) it learns in ``fit``, from the training part.
    Where nothing is needed it is the bare estimator.
    """
    if is_sparse(dataset.given):
        return sparse_prepared(estimator, dataset, needs, name)
    features = dataset.features
    if not needs.looks:
        return Prepared(estimator, ("none needed: it looks at no feature",))
    dataset.refuse_without_features()
    if infinite := dataset.infinite:
        # as of a file, before anything is fitted
        raise InputError(f"{infinite}; give finite numbers")
    nominal = [index for index, feature in enumerate(features) if feature.is_nominal]
    numeric = [index for index, feature in enumerate(features) if not feature.is_nominal]
    words: list[str] = []
    if nominal and needs.nominal != "one-hot":
        assert needs.missing == "takes", "a learner that takes codes takes missing ones"
        estimator = _with_codes(estimator, features, nominal, needs, words)
        nominal = []
    steps = _numeric_steps(features, numeric, needs, words)
    if nominal:
        steps = [("columns", _by_column(steps, numeric, features, nominal, words))]
    if needs.drops_constants and (nominal or _has_constant(features)):
        from sklearn.feature_selection import VarianceThreshold

        steps.append(("vary", VarianceThreshold()))
        words.append("columns that are constant in the training part are left out")
    if not steps:
        return Prepared(estimator, tuple(words) or ("none needed",))
    return Prepared(_pipeline([*steps, ("model", estimator)]), tuple(words))


def sparse_prepared(estimator: Any, dataset: Dataset, needs: Needs, name: str = "") -> Prepared:
    """The estimator for a sparse matrix, whose zeros stay zeros."""
    from sklearn.utils import get_tags

    if not get_tags(estimator).input_tags.sparse:
        raise InputError(
            f"{name or type(estimator).__name__} takes no sparse matrix, and X of {dataset.name} "
            "is one; give X.toarray() if it fits into memory, or take logistic, svm, knn or tree"
        )
    if not needs.scale:
        return Prepared(estimator, ("none needed",))
    from sklearn.preprocessing import MaxAbsScaler

    steps = [("scale", MaxAbsScaler()), ("model", estimator)]
    return Prepared(_pipeline(steps), ("sparse columns divided by their largest value",))


def _pipeline(steps: list[tuple[str, Any]]) -> Any:
    from sklearn.pipeline import Pipeline

    return Pipeline(steps)


def _numeric_steps(
    features: tuple[Feature, ...], numeric: list[int], needs: Needs, words: list[str]
) -> list[tuple[str, Any]]:
    steps: list[tuple[str, Any]] = []
    lacking = sum(_has_missing(features[index]) for index in numeric)
    if lacking and needs.missing == "impute":
        from sklearn.impute import SimpleImputer

        steps.append(("impute", SimpleImputer(strategy="median", keep_empty_features=True)))
        words.append(f"missing numbers ({plural(lacking, 'column')}): median of the training part")
    elif lacking:
        words.append(f"missing numbers ({plural(lacking, 'column')}): the learner accepts them")
    if needs.scale and numeric:
        from sklearn.preprocessing import StandardScaler

        steps.append(("scale", StandardScaler()))
        words.append(
            f"numbers ({plural(len(numeric), 'column')}): scaled to mean 0 and standard "
            "deviation 1 of the training part"
        )
    return steps


def _by_column(
    steps: list[tuple[str, Any]],
    numeric: list[int],
    features: tuple[Feature, ...],
    nominal: list[int],
    words: list[str],
) -> Any:
    """Numbers by their steps and nominal columns one-hot, side by side."""
    from sklearn.compose import ColumnTransformer
    from sklearn.preprocessing import OneHotEncoder

    few = [index for index in nominal if len(features[index].levels or ()) <= MOST_LEVELS]
    many = [index for index in nominal if index not in few]
    parts: list[tuple[str, Any, list[int]]] = []
    if numeric:
        parts.append(("numbers", _pipeline(steps) if steps else "passthrough", numeric))
    if few:
        encoder = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
        parts.append(("names", encoder, few))
    if many:
        encoder = OneHotEncoder(
            handle_unknown="infrequent_if_exist",
            max_categories=MOST_LEVELS,
            sparse_output=False,
        )
        parts.append(("many_names", encoder, many))
        words.append(
            f"categorical, more than {MOST_LEVELS} levels ({plural(len(many), 'column')}): the "
            "rarest levels of the training part are merged into one"
        )
    lacking = any(_has_missing(features[index]) for index in nominal)
    words.append(
        f"categorical ({plural(len(nominal), 'column')}): one-hot encoded from the training part"
        + (", missing as a level of its own" if lacking else "")
    )
    # no names of columns: making them takes longer than the transformation
    return ColumnTransformer(parts, verbose_feature_names_out=False)


def _with_codes(
    estimator: Any,
    features: tuple[Feature, ...],
    nominal: list[int],
    needs: Needs,
    words: list[str],
) -> Any:
    """The learner told which columns are codes, if it has not been told."""
    if needs.nominal == "known":
        words.append(
            f"categorical ({plural(len(nominal), 'column')}): codes, which the learner accepts"
        )
        return estimator
    few = [index for index in nominal if len(features[index].levels or ()) <= MOST_CODES]
    if estimator.get_params(deep=False).get("categorical_features") in (None, "from_dtype"):
        estimator.set_params(categorical_features=few or None)
    words.append(f"categorical ({plural(len(few), 'column')}): codes, which the learner accepts")
    if len(few) < len(nominal):
        words.append(
            f"categorical, more than {MOST_CODES} levels "
            f"({plural(len(nominal) - len(few), 'column')}): codes used as numbers"
        )
    return estimator


def _has_missing(feature: Feature) -> bool:
    if feature.is_nominal:
        return bool((feature.values < 0).any())
    return feature.values.dtype.kind == "f" and bool(np.isnan(feature.values).any())


def _has_constant(features: tuple[Feature, ...]) -> bool:
    return any(
        len(feature.values) > 0 and bool((feature.values == feature.values[0]).all())
        for feature in features
    )
