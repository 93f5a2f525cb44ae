"""``heldout.select``: models, a grid and data in, the chosen setting and its honest value out."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.core.errors import InputError
from heldout.core.options import from_keywords, taking
from heldout.evaluation.running import Running
from heldout.predictions.options import DataOptions
from heldout.procedures.apply import data_called, one_procedure, procedure_for, splits_of
from heldout.selection.choice import checked_order, rule_named
from heldout.selection.criterion import criterion_for, needs_positive, with_either
from heldout.selection.nested import (
    inner_count,
    judge,
    nested_folds,
    nested_search,
    parse_nested,
    refuse_unused_folds,
)
from heldout.selection.options import SelectOptions
from heldout.selection.race import race as run_race
from heldout.selection.search import Setup, search
from heldout.selection.selection import Selection
from heldout.selection.settings import NO_GRID, candidates

if TYPE_CHECKING:
    from typing import Unpack

    from heldout.datasets.dataset import Dataset
    from heldout.evaluation.evaluation import Evaluation
    from heldout.procedures.splits import Splits
    from heldout.runner.state import Progress
    from heldout.selection.options import SelectKeywords
    from heldout.selection.search import Search

TRAINED = "training values: every setting is fitted in every split, without exact shortcuts"


@taking(SelectOptions, DataOptions, Running, without=("id", "by"))
def select(
    estimator: Any,
    grid: Any = None,
    X: Any = None,
    y: Any = None,
    *,
    data: Any = None,
    procedure: Any = None,
    cv: Any = None,
    progress: Progress | None = None,
    **options: Unpack[SelectKeywords],
) -> Selection:
    """Choose the settings of a model (or of several) by cross-validation.

    Parameters
    ----------
    estimator
        A named model (``"knn"``), an importable one, an estimator, or several: a list or a
        mapping of names.
    grid
        Values by parameter: ``{"n_neighbors": range(1, 31)}``, scikit-learn's lists of such
        mappings, distributions of SciPy with ``random=``; or texts as on the command line,
        ``"n_neighbors=1..30"``. Of several models: a mapping of their names to grids, or None
        for the models as they are.
    X, y, data, cv, ignore, drop_missing_target, drop_missing_time, retry_failed
        As in ``heldout.evaluate``.
    measure
        Any measure of the registry; it knows whether more is better [accuracy; rmse].
    procedure
        The splits on which all settings are compared [10-fold]. A holdout of three parts
        chooses on its validation part and judges the choice once on its test part.
    nested
        ``"5x5-fold"``, ``"10-fold / 5-fold"`` or ``(outer, inner)``; given ``folds`` are the
        outer ones with ``"column folds / 5-fold"``, and refused beside others.
    rule, simpler
        ``best``, or ``one-se``: the simplest setting within one standard error of the best;
        ``simpler`` declares what is simple where heldout does not know: ``"n_neighbors:up"``.
    pos_label
        Which of two classes is positive; asked for only where the measure depends on it and
        the classes are not 0 and 1, -1 and 1, or False and True.
    sample_weight
        Weights of the rows in measures; they take no part in the fits.
    aggregate
        ``folds``: the mean over splits, as in scikit-learn; ``pooled``: folds together. None:
        what stands for the measure in ``heldout.evaluate``, which is ``folds`` for areas under
        the ROC curve and ``pooled`` for all others.
    random
        So many settings are drawn from the grid instead of all.
    race
        Settings that a paired test finds hopeless are given up after each split.
    training_error
        Also judge each split's models on the rows that they were trained on (the mean over
        splits, as ``return_train_score`` of ``GridSearchCV``), which is optimistic and says so.
    draws, yes
        Of the bias-corrected estimate [1000; fewer if costly]; allow more than 100,000 fits.

    Examples
    --------
    >>> X, y = [[0.0], [1.0], [2.0], [3.0], [4.0], [5.0]], [0, 0, 0, 1, 1, 1]
    >>> selection = select("knn", {"n_neighbors": [1, 3]}, X, y, procedure="3-fold")
    >>> selection.best.value
    1.0
    """
    if isinstance(grid, dict | list | tuple | str) and not grid:
        raise InputError(NO_GRID)
    asked = from_keywords(SelectOptions, options)
    procedure = one_procedure(procedure, cv)
    both = parse_nested(asked.nested, procedure)
    needed = needs_positive(asked.measure) or None
    folds = nested_folds(both, procedure)
    dataset = data_called(X, y, data, options, folds, needs_positive=needed)
    running = from_keywords(Running, options, progress=progress)
    refuse_unused_folds(both, dataset)
    inner = both[1] if both else procedure_for(procedure, dataset)
    splits = splits_of(inner, dataset, seed=asked.seed)
    beside = "selection.nested.evaluation" if both else ""
    if splits[0].validation is not None:
        beside = "selection.tested"
    dataset = with_either(dataset, asked.measure, beside=beside)
    setup, said = setup_of(estimator, grid, dataset, splits, asked, running, nested=both)
    return selected(setup, splits, nested=both, said=said)


def setup_of(
    estimator: Any,
    grid: Any,
    dataset: Dataset,
    splits: Splits,
    asked: SelectOptions,
    running: Running,
    *,
    nested: Any = None,
) -> tuple[Setup, tuple[str, ...]]:
    """What is searched along splits, and notes on how it was made of models and a grid."""
    criterion = criterion_for(asked.measure, dataset.task, aggregate=asked.aggregate)
    settings, said = candidates(
        estimator,
        grid,
        dataset,
        criterion,
        asked,
        splits=len(splits),
        nested=inner_count(nested, dataset, len(splits), seed=asked.seed),
        is_stored=running.store is not False,
    )
    return Setup(dataset, settings, criterion, running, asked), said


def selected(
    setup: Setup, splits: Splits, *, nested: Any = None, said: tuple[str, ...] = ()
) -> Selection:
    """The selection among settings that are ready, on splits that are made."""
    has_validation = splits[0].validation is not None
    asked, running = setup.asked, setup.running
    if has_validation and nested is not None:
        raise InputError(f"{splits.procedure} has a test part already: leave nested out")
    if has_validation and rule_named(asked.rule) != "best":
        raise InputError(f"{splits.procedure} chooses on single validation parts: the rule is best")
    if rule_named(asked.rule) != "best":
        # a rule that cannot choose says so before anything is fitted
        checked_order(setup.settings, asked.simpler)
        if len(splits) < 2:
            raise InputError(f"{splits.procedure} has a single split: the rule is best")
    chosen_on = _validation_splits(splits) if has_validation else splits
    _record(setup, chosen_on)
    # what a race gives up is not compared with what is evaluated
    compared = replace(setup, running=replace(running, purpose="inner" if asked.race else "select"))
    result = run_race(compared, chosen_on) if asked.race else search(compared, chosen_on)
    if asked.training_error and running.exact:
        said = (*said, TRAINED)
    # a rule that finds no spread to choose by says so before anything more is fitted
    result.choice  # noqa: B018
    tested = _test(setup, result, splits) if has_validation else None
    inner = None if nested is None else nested_search(setup, nested)
    return Selection(result, inner, tested, said)


def _record(setup: Setup, splits: Splits) -> None:
    """The store learns that these settings are one search, not so many looks at the test rows."""
    from heldout.runner.earlier_looks import record_search
    from heldout.runner.store import chosen_store

    if (store := chosen_store(setup.running.store)) is not None:
        models = [model.fingerprint for model in setup.models]
        record_search(store, setup.dataset.fingerprint, splits.fingerprint, models)


def _validation_splits(splits: Splits) -> Splits:
    """Splits in which the validation part stands for the test part, which nobody sees."""
    parts = []
    for split in splits:
        assert split.validation is not None
        parts.append(replace(split, test=split.validation, validation=None))
    return splits.of_parts(parts, f"{splits.procedure}, validation part", notes=splits.notes)


def _test(setup: Setup, result: Search, splits: Splits) -> Evaluation:
    """The choice of each validation part, fitted on training and validation rows, tested once."""
    outer, chosen = [], []
    for position, split in enumerate(splits):
        assert split.validation is not None
        train = np.sort(np.concatenate([split.train, split.validation]))
        outer.append(replace(split, train=train, validation=None))
        best = result.criterion.best(result.table[:, position])
        chosen.append(result.settings[max(best, 0)])
    return judge(setup, chosen, splits.of_parts(outer))
