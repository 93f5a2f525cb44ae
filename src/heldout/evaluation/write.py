"""Predictions as a table that ``heldout score`` and other tools read: CSV, JSON Lines, Parquet."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from heldout.core.errors import HeldoutError
from heldout.evaluation.frame import Frame
from heldout.evaluation.predictions import predictions_of
from heldout.predictions.table import only_weighing
from heldout.runner.layout import (
    about,
    columns_of,
    plain_column,
    refuse_ending,
    sliced,
    stacked,
    write_table,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from heldout.datasets.dataset import Dataset
    from heldout.learners.outcome import Outcome
    from heldout.predictions.table import Predictions
    from heldout.procedures.splits import Splits

__all__ = ["OutOfFold", "refuse_ending"]


class OutOfFold(tuple["Predictions", ...]):
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
        made = super().__new__(cls, predictions)
        made._made_of = None
        return made

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
        made = cls(
            only_weighing(
                predictions_of(
                    name, outcome, dataset, splits, notes=notes(name, outcome) if notes else ()
                )
            )
            for name, outcome in kept.items()
        )
        made._made_of = (tabled, dataset, splits)
        return made

    @property
    def frame(self) -> Frame:
        """The table by columns."""
        if self._made_of is None:
            raise HeldoutError("these predictions were put together by hand and have no table")
        outcomes, dataset, splits = self._made_of
        known = about(dataset, splits)
        table = stacked([columns_of(name, one, known) for name, one in outcomes.items()])
        return Frame({name: plain_column(values) for name, values in table.items()})

    @property
    def renamed(self) -> dict[str, str]:
        """The columns of slices that have other names in the table, and those names."""
        made = {} if self._made_of is None else sliced(self._made_of[1])
        return {name: called for name, called in made.items() if called != name}

    def __repr__(self) -> str:
        """A line a model."""
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
