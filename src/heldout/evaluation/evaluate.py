"""``heldout.evaluate``: models, data and a procedure in, an evaluation out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from heldout.core.options import from_keywords, taking
from heldout.evaluation.evaluation import Evaluation
from heldout.evaluation.running import EvaluateOptions, Running
from heldout.predictions.options import DataOptions
from heldout.predictions.plan import plan_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Unpack

    from heldout.datasets.dataset import Dataset
    from heldout.evaluation.running import EvaluateKeywords
    from heldout.learners.model import Model
    from heldout.procedures.splits import Splits
    from heldout.runner.state import Progress


@taking(EvaluateOptions, DataOptions, Running, without=("id",))
def evaluate(
    models: Any,
    X: Any = None,
    y: Any = None,
    *,
    data: Any = None,
    procedure: Any = None,
    cv: Any = None,
    progress: Progress | None = None,
    **options: Unpack[EvaluateKeywords],
) -> Evaluation:
    """Evaluate models on data by cross-validation, holdout or bootstrap.

    Parameters
    ----------
    models
        A named model (``"knn"``, ``"knn[n_neighbors=3]"``), an importable one
        (``"package.module:name"``), an estimator, a list of these, or a mapping of names.
    X, y
        Features and target: NumPy, pandas, polars, Arrow, SciPy sparse, lists.
    data
        Instead of X and y: a file, a named set (``"iris"``) or a data frame with ``target``.
    procedure
        ``"10-fold"``, ``"50x10-fold"``, ``"holdout 70:30"``, ``"loo"``, ``".632+ 200"`` ...,
        a procedure such as ``heldout.KFold(10)``, or any splitter of scikit-learn. None: the
        folds that are given, else 10-fold. ``cv`` is scikit-learn's name for it.
    groups, sample_weight, time, folds
        Rows that belong together; weights of rows in measures; what orders the rows; the
        fold of each row. With ``data``: names of columns.
    pos_label
        Which of two classes is positive, unless the labels tell it (0 and 1, -1 and 1, False
        and True). Without it, what depends on it is not given; ``.with_positive(label)`` says
        it later, and nothing is fitted again.
    ignore, drop_missing_target, drop_missing_time
        Columns of ``data`` that are no features; whether its rows without a target or time are
        left out, and not refused.
    by
        Columns of ``data`` whose values part the rows into slices that are judged apart too.
    random_state
        The seed of splits and models.
    n_jobs, backend, scheduler, timeout, store, exact, retry_failed
        How the fits are run: workers, by which backend of joblib, seconds per fit; the folder
        of the run store (True: the usual one); whether exact shortcuts may be taken; whether
        fits that failed before are tried again.
    training_error
        Also judge each split's model on the rows that it was trained on (the mean over splits,
        as ``heldout.select`` gives it), which is optimistic and says so; fits every split.
    level, interval, replicates, intervals
        As in ``heldout.score``; ``interval="nested"`` runs nested cross-validation.

    Examples
    --------
    >>> evaluation = evaluate(
    ...     "majority", [[1], [2], [3], [4]] * 2, [0, 1, 1, 1] * 2, procedure="2-fold"
    ... )
    >>> evaluation["accuracy"].value
    0.75
    """
    from heldout.learners.model_names import named_once
    from heldout.learners.request import models_for
    from heldout.procedures.apply import data_called, one_procedure, procedure_for, splits_of

    procedure = one_procedure(procedure, cv)
    asked = from_keywords(EvaluateOptions, options)
    running = from_keywords(Running, options, progress=progress)
    # what depends on the positive class is asked for later, if at all
    dataset = data_called(X, y, data, options, procedure, needs_positive=None)
    chosen, repeated = named_once(models_for(models, dataset, seed=asked.seed))
    splits = splits_of(procedure_for(procedure, dataset), dataset, seed=asked.seed)
    return evaluated(dataset, chosen, splits, asked, running, said=repeated)


def evaluated(
    dataset: Dataset,
    models: Sequence[Model],
    splits: Splits,
    asked: EvaluateOptions,
    running: Running,
    *,
    said: tuple[str, ...] = (),
) -> Evaluation:
    """The evaluation of models that are ready, on splits that are made.

    ``said`` are notes on how they were made.
    """
    from heldout.evaluation.predictions import whole_split
    from heldout.runner.earlier_looks import record_singles
    from heldout.runner.run import run

    given = running.options(asked.seed)
    extra = None
    if asked.is_nested:
        from heldout.evaluation.nested import NestedRun, nested_splits, plain_folds

        plain = plain_folds(splits, dataset)
        around = nested_splits(plain)
        left_out = run(dataset, models, around, exact=running.exact, **given | {"purpose": "inner"})
        extra = NestedRun(dataset, plain, left_out)
    is_632 = plan_of(splits.procedure).is_632
    has_training = asked.training_error and not is_632
    outcomes = run(dataset, models, splits, exact=running.exact, train_error=has_training, **given)
    training: Any = outcomes.train if has_training else {}
    if is_632:
        # its estimates are of the model of all rows; no exact path: they leave tested rows out
        whole = whole_split(len(dataset), seed=asked.seed)
        training = run(dataset, models, whole, exact=False, **given)
    if given["store"] is not None:
        here = dataset.fingerprint, splits.fingerprint
        record_singles(given["store"], *here, [model.fingerprint for model in models])
    notes = (*said, *outcomes.notes)
    return Evaluation(
        dataset, tuple(models), splits, outcomes, training, asked.limits, extra, notes
    )
