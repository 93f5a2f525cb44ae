"""The table of predictions that every stage after reading takes, and the design it carries."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from heldout.core.dialect import argument
from heldout.core.wording import plural

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from heldout.core.arrays import Array, Floats, Integers
    from heldout.tables.column import Column, Label

Task = Literal["binary", "multiclass", "regression"]


@dataclass(frozen=True, slots=True, eq=False)
class Prior:
    """Class probabilities before any prediction: given, or as counts of the training part.

    ``table`` has a row for each distinct prior (say, one a fold) and a column per class;
    ``codes`` says which row of ``table`` belongs to each prediction (None: the only one).
    """

    kind: Literal["given", "training counts", "these rows"]
    table: Floats
    codes: NDArray[np.integer[Any]] | None = None

    def take(self, rows: Array) -> Prior:
        """The same prior for some of the rows."""
        return self if self.codes is None else replace(self, codes=self.codes[rows])


@dataclass(frozen=True, slots=True, eq=False)
class Design:
    """What is known of how the predictions came about."""

    procedure: str = ""
    fold: Column | None = None
    repeat: Column | None = None
    group: Column | None = None
    #: rows tested over rows trained on in a split, where that is known
    test_share: float | None = None
    #: rows that the split of each row tests, where some of them were left out
    tested: Integers | None = None

    @property
    def groups(self) -> NDArray[np.integer[Any]] | None:
        """The group of each row, as a code; None where rows stand alone."""
        return None if self.group is None else self.group.codes

    def take(self, rows: Array) -> Design:
        """The design of some of the rows."""
        fold, repeat, group = (
            None if column is None else column.take(rows)
            for column in (self.fold, self.repeat, self.group)
        )
        tested = None if self.tested is None else self.tested[rows]
        return Design(self.procedure, fold, repeat, group, self.test_share, tested)


@dataclass(frozen=True, slots=True, eq=False)
class Predictions:
    """Checked predictions of one model, with the design that made them.

    ``heldout.from_arrays`` and ``heldout.read_predictions`` make them.

    In classification ``truth`` and ``predicted`` are codes into ``classes`` (declared
    order), ``scores`` is the score of the positive class (binary, one dimension) or one
    column a class (several classes). In regression both are floats and ``scores`` is None.
    """

    task: Task
    truth: Array
    predicted: Array | None = None
    scores: Floats | None = None
    classes: tuple[Label, ...] = ()
    positive: int | None = None
    weight: Floats | None = None
    prior: Prior | None = None
    design: Design = field(default_factory=Design)
    model: str = ""
    identifier: Array | None = None
    slices: tuple[Column, ...] = ()
    #: regression: what a naive forecast says of each row; the mean of the training targets
    naive: Floats | None = None
    train_mean: Floats | None = None
    #: binary: the probability of the negative class, where 1 less the score has lost its digits
    against: Floats | None = None
    #: binary, labels made from scores: the threshold that made them
    threshold: float | None = None
    #: binary: scores are rounded down to multiples of 1 / bins; None: they are as they were
    bins: int | None = None
    #: rows were counted, and their order says nothing: none is that of another model's row
    is_unordered: bool = False
    #: why the scores cannot be read as probabilities (names column, row and value), else ""
    score_problem: str = ""
    #: why there are no scores and none can be named (a model that has none), else ""
    why_no_scores: str = ""
    #: binary: nobody said which class is positive, and ``positive`` only says whose the scores are
    is_open: bool = False
    #: what the column of the truth is called, where it has a name
    target: str = ""
    #: where the rows came from, and what was guessed or chosen on the way
    source: str = ""
    notes: tuple[str, ...] = ()
    #: splits in which the model failed, of which there are no rows
    failed_splits: int = 0

    def __len__(self) -> int:
        return len(self.truth)

    def __repr__(self) -> str:
        """One line: whose predictions, how many, of what."""
        scores = "with decision values" if self.score_problem else "with probabilities"
        if self.task == "regression" or self.scores is None:
            scores = "" if self.task == "regression" else "labels only"
        about = (f"{len(self):,} rows", self.task, self.design.procedure, scores)
        of = f" of {self.model}" if self.model else ""
        return f"<predictions{of}: {', '.join(filter(None, about))}>"

    @property
    def of_interest(self) -> int | None:
        """The positive class of two; None where nobody said which it is."""
        return None if self.is_open else self.positive

    @property
    def lack_of_positive(self) -> str:
        """What to say where a value depends on the positive class and nobody said which it is."""
        if not self.is_open:
            return ""
        either = " or ".join(map(repr, self.classes))
        return f"depends on which class is positive: say {either} ({argument('positive')})"

    @property
    def lack_of_scores(self) -> str:
        """What to say where scores are needed: why there are none, or how they are given."""
        if self.why_no_scores:
            return f"needs scores: {self.why_no_scores}"
        return f"needs scores ({argument('score')})"

    def place_of(self, label: str) -> int:
        """The place of a class among all, by its name."""
        return [str(c) for c in self.classes].index(label)

    def take(self, rows: Array) -> Predictions:
        """The predictions of some of the rows (a mask or positions)."""

        def part(values: Array | None) -> Array | None:
            return None if values is None else values[rows]

        return replace(
            self,
            truth=self.truth[rows],
            predicted=part(self.predicted),
            scores=part(self.scores),
            against=part(self.against),
            weight=part(self.weight),
            prior=None if self.prior is None else self.prior.take(rows),
            design=self.design.take(rows),
            identifier=part(self.identifier),
            slices=tuple(column.take(rows) for column in self.slices),
            naive=part(self.naive),
            train_mean=part(self.train_mean),
        )


def weighing_rows(weight: Floats | None) -> Integers | None:
    """Positions of the rows that weigh anything; None where all do, or none does.

    Examples
    --------
    >>> weighing_rows(np.array([2.0, 0.0, 1.0])).tolist(), weighing_rows(np.array([1.0, 1.0]))
    ([0, 2], None)
    """
    if weight is None or np.count_nonzero(weight) in (0, len(weight)):
        return None
    return np.flatnonzero(weight)


def only_weighing(predictions: Predictions) -> Predictions:
    """The predictions of rows that weigh anything, with a note where others are left out.

    The size of training and test parts stays that of all rows, all of which were split.
    """
    kept = weighing_rows(predictions.weight)
    if kept is None:
        return predictions
    names = predictions.identifier
    every = np.arange(len(predictions)) if names is None else names
    lost = len(np.unique(every)) - len(np.unique(every[kept]))
    note = f"{plural(lost, 'row')} of weight 0 left out: they may train, and are not judged"
    return replace(predictions.take(kept), notes=(*predictions.notes, note))
