"""``karat.score``: arrays or a read table in, a scorecard out."""

from __future__ import annotations

import re
from os import PathLike
from typing import TYPE_CHECKING, Any

from karat.assess.options import interval_options
from karat.assess.scorecard import Scorecard, score_matrix, score_predictions
from karat.core.errors import InputError
from karat.measures.cell_values import cells_of
from karat.predictions.arguments import (
    label_of,
    labels_of,
    number_of,
    switch_of,
    text_of,
    whole_of,
)
from karat.predictions.same_rows import on_same_rows
from karat.predictions.table import Predictions

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from karat.predictions.matrix import ConfusionInput

__all__ = ["score"]

LONG = 120
#: what may be given with the path of a table, and what ``karat.read_predictions`` calls it
ROLES = {
    "pos_label": "positive",
    "labels": "labels",
    "sample_weight": "weight",
    "groups": "group",
    "folds": "fold",
    "repeats": "repeat",
    "slices": "by",
    "threshold": "threshold",
    "prior": "prior",
    "task": "task",
    "naive": "naive",
    "train_mean": "train_mean",
    "normalise": "normalise",
}
OWN = {role: name for name, role in ROLES.items()}
#: an argument of ``karat.read_predictions`` in one of its messages
ROLE = re.compile(
    r"(?<![\w'])(positive|truth|predicted|score|score_prefix|scores|train_count_prefix|"
    r"weight|group|fold|repeat|model|id|by)=(?=['\",;: )]|$)"
)
COLUMNS = {"sample_weight", "groups", "folds", "repeats", "naive"}
SEED = "a whole number, 0 or more (a seed)"


def score(
    y_true: Any = None,
    y_pred: Any = None,
    y_score: Any = None,
    *,
    pos_label: Any = None,
    labels: Sequence[Any] | None = None,
    sample_weight: Any = None,
    groups: Any = None,
    folds: Any = None,
    repeats: Any = None,
    slices: Mapping[str, Any] | None = None,
    threshold: float | None = None,
    prior: Any = None,
    train_counts: Any = None,
    task: str | None = None,
    naive: Any = None,
    train_mean: Any = None,
    confusion: Any = None,
    orientation: str | None = None,
    profit: Any = None,
    cost: Any = None,
    model: str = "",
    normalise: bool = False,
    intervals: bool = True,
    level: float = 0.95,
    interval: str = "",
    replicates: int | None = None,
    random_state: int | None = 1,
    stratified: bool = False,
) -> Scorecard:
    """The scorecard of predictions.

    Parameters
    ----------
    y_true
        True labels or values; or what ``karat.read_predictions`` gave, and then nothing else;
        or the path of a table of predictions, whose columns are found by their names (others:
        ``karat.read_predictions``), and then rows are given as names of columns.
    y_pred
        Predicted labels or values.
    y_score
        Score or probability of the positive class, or one column a class in the order of
        ``labels`` (sorted classes where not given).
    pos_label, labels
        The class of interest; all classes in their order.
    sample_weight, groups, folds, repeats, slices
        Weight of each row, and which rows belong together.
    threshold
        Labels from scores: ``score >= threshold`` is positive (0.5 for probabilities).
    prior, train_counts
        Class probabilities before prediction (a mapping, a list in the order of ``labels``,
        or the share of the positive class), or class counts of the training part.
    task
        ``"classification"`` or ``"regression"`` where the values leave it open.
    naive, train_mean
        Regression: a naive forecast of each row; the mean of the training targets.
    normalise
        Divide the probabilities of each row by their sum, which is never done unasked.
    confusion, orientation
        A confusion matrix instead of rows: ``"truth-rows"`` or ``"prediction-rows"``.
    profit, cost
        Value of each cell of the confusion matrix, rows = truth.
    intervals, level, interval, replicates, random_state, stratified
        Whether values have intervals, at what level, by which method (empty: chosen by the
        measure and the design), with how many bootstrap replicates, from which seed, and
        whether true classes keep their numbers in resampling. Results are reproducible by
        default: ``random_state=None`` is the seed 1 too, and not another one each time.

    Examples
    --------
    >>> card = score(["spam", "ham", "spam"], ["spam", "ham", "ham"], pos_label="spam")
    >>> card["recall"].value
    0.5
    """
    stated = {
        "y_pred": y_pred,
        "y_score": y_score,
        "pos_label": pos_label,
        "labels": labels,
        "sample_weight": sample_weight,
        "groups": groups,
        "folds": folds,
        "repeats": repeats,
        "slices": slices,
        "threshold": threshold,
        "prior": prior,
        "train_counts": train_counts,
        "task": task,
        "naive": naive,
        "train_mean": train_mean,
        "model": text_of("model", model, "a name") or None,
        "normalise": switch_of("normalise", normalise) or None,
    }
    given = {name: value for name, value in stated.items() if value is not None}
    seed = whole_of("random_state", random_state, SEED)
    options = interval_options(
        level=number_of("level", level, "a number such as 0.95") or 0.0,
        method=text_of("interval", interval, "the name of a method, such as 'wilson'") or "",
        replicates=whole_of("replicates", replicates, "a whole number of bootstrap samples"),
        seed=1 if seed is None else seed,
        stratified=switch_of("stratified", stratified),
    )
    chosen = options if switch_of("intervals", intervals) else None
    if confusion is not None:
        counts = _matrix(confusion, orientation, y_true, given)
        return score_matrix(counts, intervals=chosen, **_worth(counts.classes, profit, cost))
    if orientation is not None:
        raise InputError("orientation= says what the rows of confusion= are; give both or neither")
    models = _models(y_true, given)
    worth = _worth(models[0].classes, profit, cost)
    return score_predictions(models, intervals=chosen, **worth)


def _models(y_true: Any, given: dict[str, Any]) -> tuple[Predictions, ...]:
    """The predictions to judge: as they were read, or made of arrays."""
    if isinstance(y_true, Predictions):
        y_true = (y_true,)
    if isinstance(y_true, tuple | list) and any(isinstance(p, Predictions) for p in y_true):
        if not all(isinstance(p, Predictions) for p in y_true):
            raise InputError("y_true mixes predictions with other values; give one or the other")
        if given:
            raise InputError(
                f"{next(iter(given))}= goes to karat.read_predictions or karat.from_arrays: "
                "predictions that were read already have all that belongs to them"
            )
        return on_same_rows(y_true)
    if isinstance(y_true, str | PathLike):
        return on_same_rows(_read(y_true, given))
    if y_true is None:
        raise InputError("give y_true with y_pred or y_score, or a confusion matrix")
    from karat.predictions.read import from_arrays

    return (from_arrays(y_true, **given),)


def _read(path: Any, given: dict[str, Any]) -> tuple[Predictions, ...]:
    """The predictions in a file; what else is given is as ``karat.read_predictions`` takes it."""
    from karat.predictions.read import read_predictions

    for name in given:
        if name not in ROLES:
            raise InputError(
                f"y_true is the path of a table, and {name}= goes with rows: name its columns by "
                "karat.read_predictions(path, truth=, predicted=, score=), and score what it gives"
            )
    of_columns = "the name of a column of the table, since y_true is its path"
    for name in {*given} & COLUMNS:
        text_of(name, given[name], of_columns)
    try:
        return read_predictions(path, **{ROLES[name]: value for name, value in given.items()})
    except InputError as error:
        said = ROLE.sub(lambda found: f"{OWN.get(found[1], found[1])}=", str(error))
        if any(word not in {*ROLES.values()} for word in ROLE.findall(str(error))):
            said += "\n(karat.read_predictions takes that; karat.score takes what it gives)"
        raise InputError(said) from None


def _matrix(confusion: Any, orientation: Any, y_true: Any, given: dict[str, Any]) -> ConfusionInput:
    from karat.predictions.matrix import read_matrix

    labels = labels_of("labels", given.pop("labels", None))
    positive = label_of("pos_label", given.pop("pos_label", None))
    extra = [*(["y_true"] if y_true is not None else []), *given]
    if extra:
        raise InputError(f"confusion= gives counts, not rows: leave out {extra[0]}=")
    return read_matrix(
        confusion, orientation=orientation, labels=labels, positive=positive, dialect="arrays"
    )


def _worth(classes: Sequence[Any], profit: Any, cost: Any) -> dict[str, Any]:
    """Profit and cost as nested tuples, which can be compared and cached."""
    found: dict[str, Any] = {}
    for name, matrix in (("profit", profit), ("cost", cost)):
        if matrix is None:
            continue
        if not classes:
            raise InputError(f"{name}= is for classification, and the task is regression")
        try:
            cells = cells_of(matrix, classes=len(classes), where=f"{name}=")
        except (InputError, OverflowError) as error:
            # a large matrix in a message hides what is wrong with it
            is_short = len(str(error)) < LONG and "\n" not in str(error)
            hint = str(error) if is_short else f"{name}= is not rows of numbers"
            hint = hint if hint.startswith(name) else f"{name}=: {hint}"
            raise InputError(f"{hint}; give the value of each cell, rows = truth") from None
        found[name] = tuple(map(tuple, cells.tolist()))
    return found
