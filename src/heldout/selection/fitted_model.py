"""The chosen setting fitted on all training data, written to a file and read back."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any
from zipfile import BadZipFile

import numpy as np

from heldout.core.disk import attempt, written_whole
from heldout.core.errors import InputError, MissingExtra
from heldout.datasets.dataset import rows_of
from heldout.learners.fit import fresh, seeded_chance
from heldout.tables.frames import library_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from heldout.datasets.dataset import Dataset
    from heldout.selection.selection import Selection


def fitted_model(selection: Selection) -> Any:
    """An estimator that takes X as the caller has it and answers with labels or values.

    It knows the names of columns where the data has names: scikit-learn's own estimators are
    fitted on a data frame, and refuse columns in another order; others, and those of data with
    nominal features, get a first step that finds the columns by their names.
    """
    from heldout.learners.label_numbers import with_label_numbers

    data, model = selection.dataset, selection.setting.model
    estimator = fresh(model, selection.seed, 0, 0)
    if data.task != "regression":
        estimator = with_label_numbers(estimator)
    by_name = model.takes == "matrix" and not _is_plain(data, estimator)
    X, y = data.matrix if by_name else data.frame, data.labels
    rows = _training_rows(selection)
    if rows is not None:
        X, y = rows_of(X, rows), y[rows]
    with seeded_chance(selection.seed, 0, 0):
        estimator.fit(X, y)
    return _by_name(data, estimator) if by_name else estimator


def _is_plain(data: Dataset, estimator: Any) -> bool:
    """Whether scikit-learn itself keeps the names of X, or X has none, and all are numbers."""
    if any(feature.is_nominal for feature in data.features):
        return False
    X = data.frame
    if isinstance(X, np.ndarray):
        # of a file, without pandas: the matrix, whose names only heldout knows
        is_whole = X.ndim == 2 and X.shape[1] == len(data.features)
        return data.given is not None and X.dtype.kind in "biuf" and is_whole
    if library_of(X) != "pandas":
        return False
    own = [str(name) for name in X.columns] == [feature.name for feature in data.features]
    is_number = all(getattr(kind, "kind", "O") in "biuf" for kind in X.dtypes)
    kinds = {isinstance(name, str) for name in X.columns}
    first = estimator.steps[0][1] if hasattr(estimator, "steps") else estimator
    module = type(first).__module__
    is_keeping = module.startswith("sklearn.") and not module.startswith("sklearn.dummy")
    return own and is_number and kinds != {True, False} and (is_keeping or kinds == {False})


def _by_name(data: Dataset, fitted: Any) -> Any:
    """A fitted estimator behind a step that finds its columns by name."""
    from sklearn.pipeline import Pipeline

    from heldout.learners.by_name import ColumnsByName

    steps = fitted.steps if hasattr(fitted, "steps") else [("model", fitted)]
    has_names = not isinstance(data.given, (np.ndarray, list, tuple))
    step = ColumnsByName(
        [feature.name for feature in data.features],
        [None if feature.levels is None else list(feature.levels) for feature in data.features],
        has_names=has_names,
        width=None if has_names else data.given.shape[1],
        # its shares are of the levels that it was told
        takes_unknown=type(steps[-1][1]).__name__ != "CategoricalNB",
    )
    return Pipeline([("by_name", step.fit(None)), *steps])


def _training_rows(selection: Selection) -> Any:
    """All but the test part of a single three-part holdout; None for all."""
    if selection.tested is None or len(selection.tested.splits) > 1:
        return None
    return np.asarray(selection.tested.splits[0].train)


def refuse_model_path(path: Path) -> None:
    """An error before anything is fitted: of the ending, the package, or the folder."""
    if path.suffix != ".skops":
        raise InputError(
            f"cannot save a model as {path}: its name must end in .skops (a pickle runs code "
            "when it is read, and heldout writes none)"
        )
    skops_io()
    if not path.resolve().parent.is_dir():
        raise InputError(f"cannot write {path}: there is no folder {path.resolve().parent}")


def save_model(estimator: Any, path: Path) -> None:
    """The estimator as a ``.skops`` file; what was there stays on failure."""
    refuse_model_path(path)
    content = skops_io().dumps(estimator)
    with written_whole(path) as file:
        file.write_bytes(content)


def skops_io(purpose: str = "saving a model") -> Any:
    """What writes and reads models, or an error that says how it is installed."""
    try:
        import skops.io
    except ImportError:
        raise MissingExtra("skops", purpose, "models") from None
    return skops.io


#: what named models consist of beside what skops trusts by itself; none of it runs what it is given
TRUSTED = (
    "heldout.learners.by_name.ColumnsByName",
    "heldout.learners.label_numbers.LabelNumbers",
    "heldout.learners.mixed_naive_bayes.MixedNaiveBayes",
    "heldout.learners.rules.Rules",
    # a part of a function that is looked at by itself
    "functools.partial",
    "numpy.dtype",
    "sklearn.calibration._CalibratedClassifier",
    "sklearn.calibration._SigmoidCalibration",
    "sklearn.utils.validation.check_array",
)
#: trees of decisions, and of places in space: scikit-learn follows their numbers unchecked
UNCHECKED = (
    "sklearn.tree._tree.Tree",
    "sklearn.ensemble._hist_gradient_boosting.predictor.TreePredictor",
    "sklearn.neighbors._kd_tree.KDTree",
    "sklearn.neighbors._ball_tree.BallTree",
    "sklearn.metrics._dist_metrics.",
)


def load_model(path: str | Path, *, trusted: Sequence[str] = ()) -> Any:
    """Load the model that ``heldout select --save`` or ``Selection.save`` wrote.

    Parameters
    ----------
    path
        The ``.skops`` file. Reading it runs no code from it.
    trusted
        Types to accept that are neither heldout's own nor known to be safe; without it they
        are refused by name.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> import heldout
    >>> with TemporaryDirectory() as folder:
    ...     chosen = heldout.select("logistic", "C=0.1,1", data="iris", procedure="3-fold")
    ...     chosen.save(f"{folder}/iris.skops")
    ...     model = load_model(f"{folder}/iris.skops")
    >>> model.predict(chosen.dataset.frame)[:2].tolist()
    ['setosa', 'setosa']
    """
    io, file = skops_io("reading a model"), Path(path)
    names = [trusted] if isinstance(trusted, str) else list(trusted)
    if unknown := _unknown(io, file, names):
        raise InputError(_refusal(file, unknown, names))
    try:
        return io.load(file, trusted=[*TRUSTED, *names])
    except (ImportError, AttributeError) as error:
        raise InputError(
            f"{file} was saved with packages (or versions) that are not installed here: {error}"
        ) from error


def loading_call(path: Path) -> str:
    """The call that reads a model back, with what has to be trusted for it.

    Examples
    --------
    >>> _call(Path("m.skops"), ["sklearn.tree._tree.Tree"])
    "heldout.load_model('m.skops', trusted=['sklearn.tree._tree.Tree'])"
    """
    return _call(path, _unknown(skops_io("reading a model"), path, ()))


def _call(path: Path, trusted: Sequence[str]) -> str:
    return f"heldout.load_model({str(path)!r}{f', trusted={trusted!r}' * bool(trusted)})"


def _unknown(io: Any, path: Path, names: Iterable[str]) -> list[str]:
    """The types in a file that are not trusted, or an error where it is no such file."""
    with attempt(f"read {path}"):
        try:
            types = io.get_untrusted_types(file=path)
        except (BadZipFile, KeyError, TypeError, ValueError) as error:
            raise InputError(
                f"{path} is not a model saved by heldout: it is not a .skops file"
            ) from error
    return [name for name in types if name not in {*TRUSTED, *names}]


def _refusal(path: Path, unknown: list[str], trusted: list[str]) -> str:
    why = (
        "numbers that scikit-learn follows unchecked, so that a file made to do harm could crash "
        "Python"
        if all(name.startswith(UNCHECKED) for name in unknown)
        else "which heldout does not know to be safe"
    )
    return (
        f"{path} holds {', '.join(unknown)}: {why}\n"
        f"if you trust whoever wrote the file: {_call(path, [*trusted, *unknown])}"
    )
