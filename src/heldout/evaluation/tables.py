"""Tables of an evaluation by columns: its splits, and its predictions as other tools read them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.core.errors import HeldoutError
from heldout.core.shown import Shown
from heldout.curves.columns import ShownTable
from heldout.evaluation.predictions import predictions_of, training_sizes
from heldout.predictions.table import only_weighing
from heldout.procedures.splits import fold_names
from heldout.runner.prediction_columns import (
    about,
    columns_of,
    named,
    plain_column,
    refuse_ending,
    sliced,
    stacked,
    write_table,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from heldout.datasets.dataset import Dataset
    from heldout.learners.outcome import Outcome
    from heldout.predictions.table import Predictions
    from heldout.procedures.splits import Splits


@dataclass(frozen=True, eq=False, repr=False)
class Frame(ShownTable):
    """Columns of equal length by name.

    Examples
    --------
    >>> frame = Frame({"model": ["knn", "lda"], "n_test": [15, 15]})
    >>> len(frame), next(iter(frame))
    (2, {'model': 'knn', 'n_test': 15})
    """

    data: Mapping[str, Any]

    @classmethod
    def of(cls, records: Sequence[Mapping[str, Any]]) -> Frame:
        """The columns of records that all have the names of the first one."""
        return cls({name: [record[name] for record in records] for name in records[0]})

    def __len__(self) -> int:
        return len(next(iter(self.data.values()), ()))

    def __iter__(self) -> Iterator[dict[str, Any]]:
        names = list(self.data)
        for row in zip(*self.columns().values(), strict=True):
            yield dict(zip(names, row, strict=True))

    def __getitem__(self, name: str) -> Any:
        return self.data[name]

    def columns(self) -> dict[str, list[Any]]:
        """The columns as lists of Python's own values."""
        return {
            name: values.tolist() if hasattr(values, "tolist") else list(values)
            for name, values in self.data.items()
        }


def fold_table(outcomes: Mapping[str, Outcome], dataset: Dataset, splits: Splits) -> Frame:
    """A row for each split of each model, in their order; NaN where fits were timed together."""
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
        of_splits = np.full(count, np.nan)
        if values is not None:
            of_splits[done] = values
        return of_splits

    messages = dict(outcome.failures)
    failed = [messages.get(i, "") for i in range(count)] if messages else [""] * count
    path = np.full(count, outcome.path, dtype=object)
    path[[bool(text) for text in failed]] = ""
    columns: dict[str, Any] = {
        "model": np.full(count, name, dtype=object),
        "repeat": repeats,
        "fold": named(folds, fold_names(splits)),
        "n_train": spread(training_sizes(outcome)),
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


def message_table(messages: Mapping[str, Sequence[tuple[int, str]]], splits: Splits) -> Frame:
    """A row for each message of a model on one of the splits."""
    rows = [(name, *message) for name, many in messages.items() for message in many]
    places = splits.places()[[position for _, position, _ in rows]]
    return Frame(
        {
            "model": [name for name, _, _ in rows],
            "repeat": places[:, 0].tolist(),
            "fold": named(places[:, 1], fold_names(splits)).tolist(),
            "message": [message for _, _, message in rows],
        }
    )


class OutOfFold(Shown, tuple["Predictions", ...]):
    """The predictions of all models, one after the other, which can be written as one table.

    The columns are ``model, procedure, repeat, fold, id, truth, predicted, positive_class``,
    then ``p_CLASS`` for the models with probabilities, ``score_CLASS`` for those with decision
    values (missing for the others), and what is known of the design and the cost:
    ``train_n_CLASS``, ``train_mean``, ``sample_weight``, ``group``, ``seed``, ``fit_seconds``,
    ``predict_seconds``. ``heldout runs export`` writes the same; ``heldout score`` reads it. The
    columns that ``by`` names follow, under their own names, or with ``by_`` in front where a
    name means something else in the table.
    """

    #: what the table is made of: outcomes by model, the data, the splits
    _made_of: tuple[Mapping[str, Outcome], Dataset, Splits] | None

    def __new__(cls, predictions: Iterable[Predictions] = ()) -> OutOfFold:
        """Predictions alone, which have no table."""
        judged = super().__new__(cls, predictions)
        judged._made_of = None
        return judged

    @classmethod
    def of(
        cls,
        outcomes: Mapping[str, Outcome],
        dataset: Dataset,
        splits: Splits,
        *,
        notes: Callable[[str, Outcome], tuple[str, ...]] | None = None,
    ) -> OutOfFold:
        """The predictions of the models that gave any; ``notes`` are said of each."""
        kept = {name: outcome for name, outcome in outcomes.items() if len(outcome.rows)}
        # of models that all failed there is a table without rows
        tabled = kept or outcomes
        judged = cls(
            only_weighing(
                predictions_of(
                    name, outcome, dataset, splits, notes=notes(name, outcome) if notes else ()
                )
            )
            for name, outcome in kept.items()
        )
        judged._made_of = (tabled, dataset, splits)
        return judged

    @property
    def frame(self) -> Frame:
        """The table by columns."""
        if self._made_of is None:
            raise HeldoutError("these predictions were put together by hand and have no table")
        outcomes, dataset, splits = self._made_of
        known = about(dataset, splits)
        table = stacked([columns_of(name, outcome, known) for name, outcome in outcomes.items()])
        return Frame({name: plain_column(values) for name, values in table.items()})

    def _document(self) -> Any:
        """The first rows of the table, in a notebook."""
        return super()._document() if self._made_of is None else self.frame._document()

    @property
    def renamed(self) -> dict[str, str]:
        """The columns of slices that have other names in the table, and those names."""
        names = {} if self._made_of is None else sliced(self._made_of[1])
        return {name: called for name, called in names.items() if called != name}

    def __repr__(self) -> str:
        """A line per model."""
        return "\n".join(map(repr, self)) or "<no predictions>"

    def write(self, path: str | Path) -> None:
        """The table in a file; its ending (.csv, .tsv, .jsonl, .parquet) says how."""
        refuse_ending(Path(path))
        write_table(self.frame.data, Path(path))

    def to_pandas(self) -> Any:
        """The table as a pandas DataFrame."""
        return self.frame.to_pandas()

    def to_polars(self) -> Any:
        """The table as a polars DataFrame."""
        return self.frame.to_polars()
