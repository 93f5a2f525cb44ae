"""The table of splits: sizes, training counts, seconds, the path taken, and what failed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from karat.evaluation.frame import Frame
from karat.evaluation.predictions import places

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from karat.datasets.dataset import Dataset
    from karat.learners.outcome import Outcome
    from karat.procedures.splits import Splits

__all__ = ["failures_of", "fold_table", "warnings_of"]


def fold_table(outcomes: Mapping[str, Outcome], dataset: Dataset, splits: Splits) -> Frame:
    """A row for each split of each model, in their order; NaN where a fit was not timed apart."""
    parts = [_of_model(name, outcome, dataset, splits) for name, outcome in outcomes.items()]
    names = list(parts[0]) if parts else []
    return Frame({name: np.concatenate([part[name] for part in parts]) for name in names})


def _of_model(name: str, outcome: Outcome, dataset: Dataset, splits: Splits) -> dict[str, Any]:
    count = len(splits)
    done = outcome.splits
    repeats, folds = places(splits, np.arange(count))
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
        "fold": folds,
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
    rows = [
        (name, *splits.place(position), message)
        for name, many in messages.items()
        for position, message in many
    ]
    names = ("model", "repeat", "fold", "message")
    return Frame({name: [row[i] for row in rows] for i, name in enumerate(names)})
