"""Predictions from files and tables of any kind: the public way in."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from heldout.engines.origins import is_unread
from heldout.engines.reading import read_rows
from heldout.predictions.read import read_named
from heldout.predictions.roles import ROLES
from heldout.tables.arguments import switch_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from heldout.predictions.table import Predictions
    from heldout.tables.column import Label


def read_predictions(  # one argument a role
    source: Any,
    *more: Any,
    pool: bool = False,
    truth: str | None = None,
    predicted: str | None = None,
    score: str | None = None,
    score_prefix: str | None = None,
    scores: Mapping[Label, str] | None = None,
    train_count_prefix: str | None = None,
    prior: str | float | Mapping[Label, float] | Sequence[float] | None = None,
    positive: Label | None = None,
    labels: Sequence[Label] | str | None = None,
    weight: str | None = None,
    count: str | None = None,
    group: str | None = None,
    fold: str | None = None,
    repeat: str | None = None,
    model: str | None = None,
    id: str | None = None,
    by: Sequence[str] | str | None = None,
    threshold: float | None = None,
    task: str | None = None,
    naive: str | None = None,
    train_mean: str | float | None = None,
    normalise: bool = False,
    engine: str | None = None,
    memory: str | None = None,
    bins: int | None = None,
    master: str | None = None,
    **others: Any,
) -> tuple[Predictions, ...]:
    """Checked predictions, one for each model, from files or tables.

    Parameters
    ----------
    source, *more
        Paths, globs, folders, ``"-"`` for standard input, or tables of Python (data frames,
        Arrow tables, readers and iterators of batches, DuckDB relations, lazy frames of Polars,
        Ibis, Spark and Dask, mappings of columns). Each file is one model, named by it; with a
        column of models all are joined and split by it. Tally files (``.tally``, of
        ``heldout tally``) are added, and count as the rows they were made of.
    pool
        Join all sources as one model (say, a file per fold).
    truth, predicted, score
        Columns of the true label or value, of the predicted one, of the positive's score.
    score_prefix, scores
        Probability columns: what stands before the class in their names, or class: column.
    train_count_prefix, prior
        Class counts of the training part, a column per class; or shares: a mapping, a list in
        the order of the classes, ``"spam=0.4,ham=0.6"``, or that of the positive class.
    positive, labels
        The class of interest; all classes in order, those without rows included.
    weight, count, group, fold, repeat, model, id, by
        Columns of the design; ``count`` is how many equal rows a row stands for, ``by`` names
        slices.
    threshold
        With scores alone: a score of at least this is positive (0.5 for probabilities).
    task, naive, train_mean
        Regression is recognised by fractions; naive forecasts and the mean of the training
        targets (a column or a number) serve measures that compare with them.
    normalise
        Divide the probabilities of each row by their sum (digits were cut off); a note says
        how far sums were off, and more than 0.05 is refused. Never done unasked.
    engine, memory, bins, master
        How rows are read that need not fit into memory: docs/scale.md.
    others
        The same roles by scikit-learn's names, as ``heldout.score`` has them: ``y_true``,
        ``y_pred``, ``y_score``, ``pos_label``, ``sample_weight``, ``groups``, ``folds``,
        ``repeats``, ``ids``, ``slices``, ``train_counts``. Either name will do.

    Notes
    -----
    Roles that are not given are guessed from usual names; ``notes`` says what was guessed.
    A label that spells a missing value (NA, N/A, nan, null, or nothing) is refused as a missing
    one is, unless ``labels`` declares it a class.

    Examples
    --------
    >>> table = {"y_true": [0, 1, 1], "y_score": [0.2, 0.9, 0.4]}
    >>> (predictions,) = read_predictions(table)
    >>> predictions.notes[0]
    "truth: column 'y_true' (guessed by its name)"
    """
    # what is stated: every argument but the tables
    stated = {role: value for role, value in locals().items() if role in ROLES}
    given = {role: value for role, value in stated.items() if value is not None}
    how: dict[str, Any] = {"engine": engine, "memory": memory, "bins": bins, "master": master}
    tables = (source, *more)
    is_asked = any(value is not None for value in how.values())
    read = partial(read_rows, **how) if is_asked or any(map(is_unread, tables)) else None
    return read_named(tables, {**given, **others}, pool=switch_of("pool", pool), read=read)
