"""``heldout.score``: arrays or a read table in, a scorecard out."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from heldout.assess.scorecard import Scorecard, score_matrix, score_predictions
from heldout.core.dialect import ARGUMENTS
from heldout.core.errors import InputError
from heldout.engines.origins import is_unread
from heldout.engines.reading import HOW, read_rows
from heldout.measures.profit import cells_of
from heldout.predictions.arrays import from_arrays
from heldout.predictions.build import on_same_rows
from heldout.predictions.read import is_table, read_named, role_of
from heldout.predictions.table import Predictions
from heldout.tables.arguments import label_of, labels_of, number_of, switch_of, text_of, whole_of
from heldout.uncertainty.options import interval_options

if TYPE_CHECKING:
    from collections.abc import Sequence

    from heldout.predictions.matrix import ConfusionInput

LONG = 120
#: what is said of rows
OF_ARRAYS = frozenset({"y_pred", "y_score", *(from_arrays.__kwdefaults__ or ())})
SEED = "a whole number, 0 or more (a seed)"


def score(
    rows: Any = None,
    /,
    y_pred: Any = None,
    y_score: Any = None,
    *,
    y_true: Any = None,
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
    **roles: Any,
) -> Scorecard:
    """Score predictions: measures with confidence intervals, confusion matrices and curves.

    Parameters
    ----------
    rows
        True labels or values (``y_true``); or a table of predictions (a data frame, a path, a
        mapping of columns): its columns are found by their names, or named, by the arguments
        below or by the roles of ``heldout.read_predictions``; or what that function gave, and
        then nothing else.
    y_true
        True labels or values, or the column of a table that holds them.
    y_pred
        Predicted labels or values.
    y_score
        Score or probability of the positive class, or one column per class in the order of
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
        A confusion matrix instead of rows, or a mapping of names of models to theirs;
        ``"truth-rows"`` or ``"prediction-rows"``.
    profit, cost
        Value of each cell of the confusion matrix, rows = truth.
    intervals, level, interval, replicates, random_state, stratified
        Whether values have intervals, at what level, by which method (empty: chosen by the
        measure and the design), with how many bootstrap replicates, from which seed, and
        whether true classes keep their numbers in resampling. Results are reproducible by
        default: ``random_state=None`` is the seed 1 too, and not another one each time.
    roles
        Of the columns of a table, as ``heldout.read_predictions`` takes them: ``truth="y"``,
        ``score="p"``, ``score_prefix="p_"``, ``id="row"`` ...; and how files are read:
        ``engine="scan"``, ``"spark"`` or ``"memory"``, ``master="local[2]"``, ``memory="2GiB"``,
        ``bins=4096`` (docs/scale.md).

    Examples
    --------
    >>> card = score(["spam", "ham", "spam"], ["spam", "ham", "ham"], pos_label="spam")
    >>> card["recall"].value
    0.5
    """
    arguments = locals()
    stated = {"y_true": y_true} | {n: v for n, v in arguments.items() if n in OF_ARRAYS}
    stated["model"] = text_of("model", model, "a name") or None
    stated["normalise"] = switch_of("normalise", normalise) or None
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
        counts = _matrices(confusion, orientation, rows, {**given, **roles})
        return score_matrix(*counts, intervals=chosen, **_worth(counts[0].classes, profit, cost))
    if orientation is not None:
        raise InputError("orientation= says what the rows of confusion= are; give both or neither")
    models = _models(rows, given, roles)
    worth = _worth(models[0].classes, profit, cost)
    return score_predictions(models, intervals=chosen, **worth)


def _models(rows: Any, given: dict[str, Any], roles: dict[str, Any]) -> tuple[Predictions, ...]:
    """The predictions to judge: as they were read, from a table, or made of arrays."""
    how = {name: roles.pop(name) for name in HOW if name in roles}
    is_read = rows is not None and is_unread(rows)
    if how and not is_read:
        raise InputError(f"{next(iter(how))}= says how files are read, and no path is given")
    for name in roles:
        role_of(name)
    if isinstance(rows, Predictions):
        rows = (rows,)
    if isinstance(rows, tuple | list) and any(isinstance(p, Predictions) for p in rows):
        if not all(isinstance(p, Predictions) for p in rows):
            raise InputError("y_true mixes predictions with other values; give one or the other")
        if given or roles:
            raise InputError(
                f"{next(iter({**given, **roles}))}= goes to heldout.read_predictions or "
                "heldout.from_arrays: predictions that were read already have all that belongs to "
                "them"
            )
        return on_same_rows(rows)
    if rows is not None and (is_read or is_table(rows)):
        named = {**given, **roles}
        read = partial(read_rows, **how) if is_read else None
        return on_same_rows(read_named((rows,), named, dialect="arguments", read=read))
    for name in roles:
        argument = ARGUMENTS.get(name)
        fix = f"; rows go to {argument}=" if argument else ""
        raise InputError(
            f"{name}= names a column of a table, and no table is given: heldout.score(table, "
            f"{name}=...), where table is a data frame or a path{fix}"
        )
    if rows is not None and "y_true" in given:
        raise InputError("y_true= is given twice: by its name, and as the first argument")
    if rows is None and "y_true" not in given:
        raise InputError("give y_true with y_pred or y_score, or a confusion matrix")
    return (from_arrays(given.pop("y_true", rows), **given),)


def _matrices(
    confusion: Any, orientation: Any, rows: Any, given: dict[str, Any]
) -> tuple[ConfusionInput, ...]:
    from heldout.predictions.matrix import read_matrices, read_matrix

    labels = labels_of("labels", given.pop("labels", None))
    positive = label_of("pos_label", given.pop("pos_label", None))
    extra = [*(["y_true"] if rows is not None else []), *given]
    if extra:
        raise InputError(f"confusion= gives counts, not rows: leave out {extra[0]}=")
    how = {"orientation": orientation, "labels": labels, "positive": positive}
    if isinstance(confusion, Mapping):
        return read_matrices({str(name): counts for name, counts in confusion.items()}, **how)
    return (read_matrix(confusion, **how),)


def _worth(classes: Sequence[Any], profit: Any, cost: Any) -> dict[str, Any]:
    """Profit and cost as nested tuples, which can be compared and cached."""
    worth: dict[str, Any] = {}
    for name, matrix in (("profit", profit), ("cost", cost)):
        if matrix is None:
            continue
        if not classes:
            raise InputError(f"{name}= is for classification, and the task is regression")
        try:
            cells = cells_of(matrix, classes=len(classes), where=f"{name}=")
        except (InputError, OverflowError) as error:
            # a large matrix in a message hides what is wrong with it
            text = str(error)
            # what was written is called by its own words, values by the argument
            lead = f"{name}=: " if isinstance(matrix, str | Path) else ""
            lead = f"{name}=: " if isinstance(error, OverflowError) else lead
            is_short = len(text) < LONG and "\n" not in text
            hint = f"{lead}{text}" if is_short else f"{name}= is not rows of numbers"
            raise InputError(f"{hint}; give the value of each cell, rows = truth") from None
        worth[name] = tuple(map(tuple, cells.tolist()))
    return worth
