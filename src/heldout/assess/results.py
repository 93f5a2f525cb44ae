"""Results: one row a value, the same columns in every output."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum
from math import isnan, nan
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Self

from heldout.core.notes import Kind, Note, Noted, as_notes
from heldout.core.shown import Shown, visible
from heldout.curves.columns import ShownTable
from heldout.uncertainty.interval import Interval

if TYPE_CHECKING:
    from collections.abc import Iterator

    from heldout.core.significance import Test

#: the columns of the long table, in order
COLUMNS = (
    "model",
    "procedure",
    "repeat",
    "fold",
    "slice",
    "class",
    "measure",
    "value",
    "low",
    "high",
    "level",
    "method",
    "n",
    "note",
    "headline",
)


#: what a result has of each
CELLS = attrgetter(*("class_" if name == "class" else name for name in COLUMNS))


class Of(Enum):
    """What a value is of; the column ``fold`` of the long table says so in these words."""

    #: all rows, their folds pooled; of several repeats the mean of that
    POOLED = ""
    MEAN_OF_FOLDS = "mean"
    #: one fold, which the column calls by its name
    FOLD = "fold"
    #: one repeat, its folds pooled
    REPEAT = "all"
    TRAINING = "training"
    OUT_OF_BAG = "out-of-bag"
    PLAIN_632 = ".632"
    PLUS_632 = ".632+"
    NESTED = "nested"
    #: what to expect of a setting that was chosen by the value itself, and how much less that is
    BIAS_CORRECTED = "bias-corrected"
    OPTIMISM = "optimism"


class Estimand(Enum):
    """Which quantity a value estimates: how good what is, on rows like these.

    Bates, Hastie and Tibshirani (2023), J. Am. Stat. Assoc. 119:1434, on the difference.
    """

    #: the model that made the predictions; also one split of a procedure
    MODEL = "this model"
    #: the mean over the models that were fitted in the folds of one cross-validation
    FOLD_MODELS = "the models fitted in these folds"
    #: the mean over training sets: models that the method would fit to as many rows
    METHOD = "models trained this way"
    #: the rows that a model was fitted to, which estimates nothing of new rows
    TRAINING = "the training rows"

    @classmethod
    def after(cls, of: Of, *, folds: int, repeats: int) -> Estimand:
        """What a value estimates after so many folds and repeats.

        Examples
        --------
        >>> Estimand.after(Of.POOLED, folds=10, repeats=1)
        <Estimand.FOLD_MODELS: 'the models fitted in these folds'>
        >>> Estimand.after(Of.FOLD, folds=10, repeats=1).value
        'this model'
        """
        if of is Of.TRAINING:
            return cls.TRAINING
        if of in (Of.OUT_OF_BAG, Of.PLAIN_632, Of.PLUS_632, Of.NESTED):
            return cls.METHOD
        if of is Of.FOLD or (folds == 1 and (repeats == 1 or of is Of.REPEAT)):
            return cls.MODEL
        return cls.FOLD_MODELS if repeats == 1 or of is Of.REPEAT else cls.METHOD


@dataclass(frozen=True, slots=True, repr=False)
class Result(Noted, Shown):
    """One value of one measure, with all that says what it is.

    ``value`` is NaN where the measure is undefined; ``notes`` say why. ``low``, ``high``,
    ``level`` and ``method`` are the interval, None where there is none; ``test`` is None where
    nothing was tested.
    """

    measure: str
    value: float
    n: int
    notes: tuple[Note, ...] = ()
    model: str = ""
    procedure: str = ""
    repeat: str = ""
    of: Of = Of.POOLED
    fold_name: str = ""
    slice: str = ""
    class_: str = ""
    low: float | None = None
    high: float | None = None
    level: float | None = None
    method: str = ""
    #: the name of that method in the table of methods
    by: str = ""
    #: whether it stands for the measure: the value that tables show first and gates judge
    headline: bool = False
    #: against what it is compared with, such as the other rows of a slice
    test: Test | None = None
    #: which quantity the value estimates
    estimand: Estimand = Estimand.MODEL

    def __float__(self) -> float:
        return float(self.value)

    def __repr__(self) -> str:
        """One line: the measure, its value and interval, and of what it is."""
        about = {"model": self.model, "class": self.class_, "slice": self.slice, "fold": self.fold}
        where = "".join(f", {name} {text}" for name, text in about.items() if text)
        limits = "" if self.interval is None else f" {self.interval}"
        value = f"{self.value:.6g}" if self.is_defined else "undefined"
        note = f": {self.note}" if self.notes else ""
        return visible(f"<{self.measure} {value}{limits}{where}, n = {self.n:,}{note}>")

    @property
    def fold(self) -> str:
        """A fold's name; else empty for all folds pooled, ``mean`` for the mean of folds ..."""
        return self.fold_name if self.of is Of.FOLD else self.of.value

    @property
    def is_defined(self) -> bool:
        """Whether there is a value."""
        return not isnan(self.value)

    @property
    def interval(self) -> Interval | None:
        """The interval, whose notes are among those of the value; None where there is none."""
        if self.low is None or self.high is None or self.level is None:
            return None
        return Interval(self.low, self.high, self.level, self.method, by=self.by)

    @property
    def is_not_given(self) -> bool:
        """Whether it only says that a model does not have a measure, and why."""
        return self._only_says(Kind.NOT_GIVEN, Kind.FAILED)

    @property
    def is_failed(self) -> bool:
        """Whether it only says that a model failed in every split."""
        return self._only_says(Kind.FAILED)

    @property
    def is_no_estimate(self) -> bool:
        """Whether it only says that a measure has no estimate of some kind, and why."""
        return self._only_says(Kind.NO_ESTIMATE)

    def _only_says(self, *kinds: Kind) -> bool:
        return isnan(self.value) and bool(self.notes) and self.notes[0].kind in kinds

    @property
    def lack(self) -> str:
        """Why there is no interval of a value that exists; empty where nothing says so."""
        return next((n.words for n in self.notes if n.kind is Kind.NO_INTERVAL), "")

    def noted(self, *remarks: str | Note) -> Self:
        """The same result with more notes."""
        return replace(self, notes=(*self.notes, *as_notes(*remarks)))

    def bounded(self, interval: Interval | None) -> Self:
        """The same with an interval, or with the reason why it has none.

        An undefined value has said why already; None: intervals were not asked for.
        """
        if interval is None or (interval.is_absent and not self.is_defined):
            return self
        if interval.is_absent:
            return self.noted(Note(interval.note, Kind.NO_INTERVAL))
        return replace(
            self,
            notes=(*self.notes, *interval.notes),
            low=interval.low,
            high=interval.high,
            level=interval.level,
            method=interval.method,
            by=interval.by,
        )

    def unbounded(self, lack: str) -> Result:
        """The same without an interval, of which only stays why it is gone."""
        kept = tuple(n for n in self.notes if n.kind not in (Kind.LOW_CUT, Kind.HIGH_CUT))
        bare = replace(self, notes=kept, low=None, high=None, level=None, method="", by="")
        return bare if self.low is None else bare.noted(Note(lack, Kind.NO_INTERVAL))

    def cells(self) -> tuple[Any, ...]:
        """The values in the order of ``COLUMNS``."""
        return CELLS(self)


@dataclass(frozen=True, slots=True, repr=False)
class Table(ShownTable):
    """Results as a table, convertible to the user's own kind of data frame."""

    results: tuple[Result, ...]

    def __len__(self) -> int:
        return len(self.results)

    def __iter__(self) -> Iterator[Result]:
        return iter(self.results)

    def columns(self) -> dict[str, list[Any]]:
        """The table column by column; missing numbers are None, undefined values NaN."""
        rows = [result.cells() for result in self.results]
        return {name: [row[i] for row in rows] for i, name in enumerate(COLUMNS)}

    def to_pandas(self) -> Any:
        """The table as a pandas DataFrame."""
        import pandas

        columns = self.columns()
        for name in ("low", "high", "level"):
            columns[name] = [nan if value is None else value for value in columns[name]]
        return pandas.DataFrame(columns)

    def to_polars(self) -> Any:
        """The table as a polars DataFrame."""
        import polars

        kinds = dict.fromkeys(("value", "low", "high", "level"), polars.Float64)
        return polars.DataFrame(self.columns(), schema_overrides=kinds)

    def to_arrow(self) -> Any:
        """The table as a PyArrow table."""
        import pyarrow

        columns: dict[str, Any] = dict(self.columns())
        for name in ("value", "low", "high", "level"):
            columns[name] = pyarrow.array(columns[name], pyarrow.float64())
        return pyarrow.table(columns)
