"""The result of a search: the chosen setting, an honest estimate of it, tables and charts."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import isclose
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.assess.results import Of
from heldout.core.shown import Shown
from heldout.evaluation.tables import Frame
from heldout.learners.parameters import spelled
from heldout.selection.bias_corrected import bias_corrected
from heldout.selection.choice import cuts_groups, indistinguishable, standard_errors
from heldout.selection.criterion import ROUNDING, as_good_as
from heldout.selection.fitted_model import fitted_model
from heldout.selection.learning import learning_curve
from heldout.selection.nested import estimate_of
from heldout.selection.optimism import optimism
from heldout.selection.search_notes import CUT, REMARKS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from heldout.assess.results import Result
    from heldout.datasets.dataset import Dataset
    from heldout.evaluation.evaluation import Evaluation
    from heldout.procedures.splits import Splits
    from heldout.selection.choice import Choice
    from heldout.selection.criterion import Criterion
    from heldout.selection.learning import LearningCurve
    from heldout.selection.nested import Nested
    from heldout.selection.optimism import Optimism
    from heldout.selection.search import Search
    from heldout.selection.settings import Setting
    from heldout.uncertainty.options import IntervalOptions


@dataclass(frozen=True, slots=True)
class Best:
    """The chosen setting and its value in the search, which is optimistic."""

    name: str
    parameters: Mapping[str, Any]
    #: the value by which it was chosen: optimistic
    value: float
    #: over the splits, as if they were separate
    standard_error: float
    reason: str


@dataclass(frozen=True, eq=False, repr=False)
class Selection(Shown):
    """The result of ``heldout.select``: all settings, the chosen one, and what to expect of it.

    Examples
    --------
    >>> import heldout
    >>> selection = heldout.select("knn", "n_neighbors=1..5", data="iris", procedure="5-fold")
    >>> selection.best.parameters["n_neighbors"] in range(1, 6), selection.estimate.of.value
    (True, 'bias-corrected')
    """

    search: Search
    nested: Nested | None = None
    #: the test part of a three-part holdout, which took no part in the choice
    tested: Evaluation | None = None
    said: tuple[str, ...] = ()

    @property
    def dataset(self) -> Dataset:
        """The data."""
        return self.search.dataset

    @property
    def splits(self) -> Splits:
        """The splits on which settings were compared."""
        return self.search.splits

    @property
    def seed(self) -> int:
        """From which all random numbers follow."""
        return self.search.setup.asked.seed

    @property
    def intervals(self) -> IntervalOptions:
        """The options of the intervals."""
        return self.search.setup.asked.limits

    @property
    def training(self) -> NDArray[np.float64] | None:
        """Values of the settings on the rows that they were trained on: optimistic."""
        return self.search.training

    @property
    def criterion(self) -> Criterion:
        """The measure that decided."""
        return self.search.criterion

    @property
    def choice(self) -> Choice:
        """The place of the chosen setting, and why it was chosen."""
        return self.search.choice

    @property
    def setting(self) -> Setting:
        """The chosen setting."""
        return self.search.setting

    @cached_property
    def best(self) -> Best:
        """The chosen setting, its parameters and its (optimistic) value."""
        error = float(standard_errors(self.search.table)[self.choice.index])
        setting = self.setting
        value, reason = self.search.value, self.choice.reason
        return Best(setting.name, setting.parameters, value, error, reason)

    @cached_property
    def bias_corrected(self) -> Result:
        """The value to expect, from the predictions at hand."""
        estimate = bias_corrected(self.search)
        return estimate.noted(self._other_average()) if estimate.is_defined else estimate

    def _other_average(self) -> str:
        """That drawn rows are judged together, where what decided is of another kind."""
        search = self.search
        if search.of not in ("folds", "pooled"):
            is_same = search.of == Of.OUT_OF_BAG.value
            return "" if is_same else f"chosen by out-of-bag rows, not by {search.of}"
        pooled = search.averaged(self.choice.index, "pooled")
        if search.criterion.of_means is None or isclose(pooled, self.best.value, rel_tol=ROUNDING):
            # of a measure that is no mean over rows it is said anyway
            return ""
        return "folds pooled"

    @cached_property
    def estimate(self) -> Result:
        """The value to expect of the chosen setting on new rows.

        Of the test part of a three-part holdout; else nested; else bias-corrected.
        """
        if self.tested is not None:
            return estimate_of(self.tested, self.criterion)
        return self.nested.estimate if self.nested is not None else self.bias_corrected

    @cached_property
    def optimism(self) -> Optimism | None:
        """How much better the choice looked in the search than nested choices proved.

        Above 0 it looked better than it is, for losses as well; None where nothing is nested.
        """
        return None if self.nested is None else optimism(self.search, self.nested)

    @cached_property
    def same(self) -> tuple[NDArray[np.bool_], NDArray[np.float64], str]:
        """Which settings cannot be told from the best, p-values, and why that is not known."""
        return indistinguishable(self.search)

    @cached_property
    def table(self) -> Frame:
        """A row per setting: parameters, values, spread, rank, and what is to be said of it."""
        return selection_table(self)

    @cached_property
    def model(self) -> Any:
        """The chosen setting, fitted on all training data: an estimator.

        All rows, but for the test part of a single three-part holdout.
        """
        return fitted_model(self)

    def learning_curve(self, sizes: Sequence[float] | None = None) -> LearningCurve:
        """The chosen setting trained on growing shares of each training part."""
        return learning_curve(self, sizes)

    @cached_property
    def notes(self) -> tuple[str, ...]:
        """What was guessed, decided or went wrong on the way."""
        of_data = self.dataset.notes_for(setting.model for setting in self.search.settings)
        return tuple(dict.fromkeys((*of_data, *self.splits.notes, *self.run_notes)))

    @cached_property
    def run_notes(self) -> tuple[str, ...]:
        """The notes but for those on the data and splits, which were known before the fits."""
        lines = [*self.said, *self.search.notes]
        if self.nested is not None and cuts_groups(self.dataset, self.nested.splits):
            lines.append(CUT)
        for remark in REMARKS:
            lines += remark(self.search)
        return tuple(dict.fromkeys(lines))

    def plot(self, name: str | None = None, *, path: Any = None, **options: Any) -> Any:
        """A chart as a matplotlib figure; saved where a path is given.

        ``parameter`` (the measure against a parameter), ``training`` (training and validation
        values together), ``heat`` (two parameters), ``learning`` (against training size).
        Without a name: ``heat`` where two parameters vary, else ``parameter``; ``all``: every
        one that the search has, as a dict. ``title``, ``figsize`` and ``ax`` are as in
        ``Scorecard.plot``.
        """
        return self._plot(name, path=path, **options)

    def save(self, path: str | Path) -> None:
        """The fitted model as ``.skops``; tables as ``.json`` or ``.csv``."""
        target = Path(path)
        if target.suffix == ".skops":
            from heldout.selection.fitted_model import save_model

            save_model(self.model, target)
            return
        self._write(target)


ABSENT: Any = object()


def parameter_names(selection: Selection) -> list[str]:
    """The parameters of the grid, in the order in which they were given."""
    return list(
        dict.fromkeys(name for setting in selection.search.settings for name in setting.parameters)
    )


def ranks(goodness: NDArray[np.float64]) -> list[int | None]:
    """1 for the best; equal ones share the best rank of theirs; undefined ones have none.

    Values that rounding alone tells from the best of them are equal.

    Examples
    --------
    >>> ranks(np.array([0.5, 0.75, np.nan, 0.75]))
    [3, 1, None, 1]
    """
    ranked: list[int | None] = [None] * len(goodness)
    known = np.flatnonzero(~np.isnan(goodness))
    order = known[np.argsort(-goodness[known], kind="stable")].tolist()
    first, rank = float("nan"), 0
    for count, index in enumerate(order, start=1):
        # of equal ones each is compared with the best of them, as the choice does it
        if not as_good_as(goodness[index], first):
            first, rank = float(goodness[index]), count
        ranked[index] = rank
    return ranked


def selection_table(selection: Selection) -> Frame:
    """Values of all settings, in the order in which they were tried.

    ``value`` is what the choice looks at; ``mean``, ``deviation`` and ``standard_error`` are
    over splits; ``same_as_best`` says which settings cannot be told from the best. Settings
    that a race dropped, that failed, or whose measure is undefined somewhere have no rank:
    ``status`` says which, and ``note`` why.
    """
    search = selection.search
    table = search.table
    same, p_values, _ = selection.same
    columns: dict[str, Any] = {
        "setting": [setting.name for setting in search.settings],
        "model": [setting.base for setting in search.settings],
    }
    for name in parameter_names(selection):
        key = name if name not in columns else f"parameter_{name}"
        columns[key] = _of_one_type(
            [setting.parameters.get(name, ABSENT) for setting in search.settings]
        )
    with np.errstate(invalid="ignore"):
        deviation = table.std(axis=1, ddof=1) if table.shape[1] > 1 else np.full(len(table), np.nan)
        columns |= {
            "measure": [search.criterion.name] * len(table),
            "value": search.values,
            "mean": table.mean(axis=1),
            "deviation": deviation,
            "standard_error": standard_errors(table),
        }
    if selection.training is not None:
        columns["training_optimistic"] = selection.training
    columns |= {
        "rank": ranks(search.criterion.goodness(search.values)),
        "status": [_status(selection, index) for index in range(len(table))],
        "chosen": np.arange(len(table)) == selection.choice.index,
        "same_as_best": same,
        "p_value": p_values,
        "splits": [len(score.outcome.splits) for score in search.scores],
        "path": [
            score.outcome.path if len(score.outcome.splits) else "" for score in search.scores
        ],
        "note": [_note(selection, index) for index in range(len(table))],
    }
    return Frame(columns)


def _note(selection: Selection, index: int) -> str:
    dropped = selection.search.dropped.get(index)
    return str(dropped) if dropped is not None else selection.search.scores[index].note


def _status(selection: Selection, index: int) -> str:
    """Why a setting has no rank, in a word; empty where it has one."""
    score = selection.search.scores[index]
    if not np.isnan(score.value):
        return ""
    if index in selection.search.dropped:
        return "dropped"
    return "failed" if score.outcome.failures or not len(score.outcome.splits) else "undefined"


def _of_one_type(values: list[Any]) -> list[Any]:
    """Values that a column of a data frame can hold: all of one type, or all texts.

    A parameter that a model does not have is None, unless None is one of its values.
    """
    known = [value for value in values if value is not ABSENT]
    kinds = {type(value) for value in known if value is not None}
    is_plain = kinds == {int, float} or (len(kinds) == 1 and kinds <= {bool, int, float, str})
    has_absent = len(known) < len(values)
    if is_plain and not (has_absent and any(value is None for value in known)):
        return [None if value is ABSENT else value for value in values]
    return [
        "" if value is ABSENT else value if isinstance(value, str) else spelled(value)
        for value in values
    ]
