"""A saved model read back: heldout's own types and those known to be safe are trusted."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any
from zipfile import BadZipFile

from heldout.core.disk import attempt
from heldout.core.errors import InputError
from heldout.selection.save import skops_io

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

__all__ = ["load_model", "loading_call"]

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
    """The estimator of a ``.skops`` file that ``heldout select --save`` wrote.

    Reading runs no code of the file. Types that are neither heldout's own nor known to be safe
    are refused by name; ``trusted`` names those you trust.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> import heldout
    >>> with TemporaryDirectory() as folder:
    ...     made = heldout.select("logistic", "C=0.1,1", data="iris", procedure="3-fold")
    ...     made.save(f"{folder}/iris.skops")
    ...     model = load_model(f"{folder}/iris.skops")
    >>> model.predict(made.dataset.frame)[:2].tolist()
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
            found = io.get_untrusted_types(file=path)
        except (BadZipFile, KeyError, TypeError, ValueError) as error:
            said = "is no model that heldout saved: it is no .skops file"
            raise InputError(f"{path} {said}") from error
    return [name for name in found if name not in {*TRUSTED, *names}]


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
