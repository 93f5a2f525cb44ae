"""The table of splits: sizes, training counts, seconds, the path taken, and what failed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.evaluation.frame import Frame
from heldout.procedures.splits import fold_names
from heldout.runner.layout import named

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from heldout.datasets.dataset import Dataset
    from heldout.learners.outcome import Outcome
    from heldout.procedures.splits import Splits

__all__ = ["failures_of", "fold_table", "warnings_of"]


def fold_table(outcomes: Mapping[str, Outcome], dataset: Dataset, splits: Splits) -> Frame:
    """A row for each split of each model, in their order; NaN where a fit was not timed apart."""
    parts = [_of_model(name, outcome, dataset, splits) for name, outcome in outcomes.items()]
    names = list(parts[0]) if parts else []
    return Frame({name: np.concatenate([part[name] for part in parts]) for name in names})


def _of_model(name: str, outcome: Outcome, dataset: Dataset, splits: Splits) -> dict[str, Any]:
    count = len(splits)
    done = outcome.splits
    repeats, folds = splits.places().T
    tested = np.zeros(count, np.int64)
    tested[done] = np.bincount(outcome.split_of, minlength=len(done))

    def spread(values: Any) -> Any:
        made = np.full(count, np.nan)
        if values is not None:
            made[done] = values
        return made

    trained = outcome.train_rows
    if trained is None and outcome.train_counts is not None:
        trained = outcome.train_counts.sum(axis=1)
    messages = dict(outcome.failures)
    failed = [messages.get(i, "") for i in range(count)] if messages else [""] * count
    path = np.full(count, outcome.path, dtype=object)
    path[[bool(text) for text in failed]] = ""
    columns: dict[str, Any] = {
        "model": np.full(count, name, dtype=object),
        "repeat": repeats,
        "fold": named(folds, fold_names(splits)),
        "n_train": spread(trained),
        "n_test": tested,
    }
    for index, label in enumerate(dataset.classes):
        counts = outcome.train_counts
        columns[f"train_n_{label}"] = spread(None if counts is None else counts[:, index])
    columns |= {
        "fit_seconds": spread(outcome.fit_seconds),
        "predict_seconds": spread(outcome.predict_seconds),
        "path": path,
        "failure": np.array(failed, dtype=object),
    }
    return columns


def failures_of(outcomes: Mapping[str, Outcome], splits: Splits) -> Frame:
    """The splits in which a model gave nothing, and why."""
    return _told({name: outcome.failures for name, outcome in outcomes.items()}, splits)


def warnings_of(outcomes: Mapping[str, Outcome], splits: Splits) -> Frame:
    """The splits in which the fit of a model warned, and of what."""
    return _told({name: outcome.warnings for name, outcome in outcomes.items()}, splits)


def _told(messages: Mapping[str, Sequence[tuple[int, str]]], splits: Splits) -> Frame:
    told = [(name, *one) for name, many in messages.items() for one in many]
    places = splits.places()[[position for _, position, _ in told]]
    return Frame(
        {
            "model": [name for name, _, _ in told],
            "repeat": places[:, 0].tolist(),
            "fold": named(places[:, 1], fold_names(splits)).tolist(),
            "message": [message for _, _, message in told],
        }
    )
