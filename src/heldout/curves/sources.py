"""Which score counts a curve is made of: those of a model, a class against the rest, a fold."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from heldout.core.dialect import worded
from heldout.core.errors import InputError
from heldout.core.memo import once
from heldout.core.nearest import did_you_mean
from heldout.curves.design import units_of
from heldout.engines.memory import Tallies
from heldout.predictions.split_design import places_of
from heldout.tally.confusion import Binary
from heldout.tally.scores import ScoreCounts
from heldout.uncertainty.rankings import ScoreRows

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from heldout.curves.design import Units
    from heldout.predictions.table import Predictions
    from heldout.tables.column import Label

NO_FOLDS = "needs folds ({fold})"
ONE_CLASS = "needs a fold with rows of two classes, and"


class Card(Protocol):
    """What is judged: the tallies of one or more models (a scorecard is one)."""

    @property
    def tallies(self) -> tuple[Tallies, ...]:
        """The tallies, one a model."""


def tallies_of(source: Card | Tallies, model: str = "") -> Tallies:
    """The tallies of a model, which needs no name where it is the only one."""
    if isinstance(source, Tallies):
        return source
    names = [t.predictions.model for t in source.tallies]
    if model and model not in names:
        hint = did_you_mean(model, names) or f"; there are {', '.join(names[:10])}"
        raise InputError(f"no model is called {model!r}{hint}")
    if not model and len(names) > 1:
        raise InputError(f"there are {len(names)} models: name one, such as model={names[0]!r}")
    return source.tallies[names.index(model) if model else 0]


def lack_of_scores(tallies: Tallies) -> str:
    """Why no curve can be drawn of these rows, as a clause; empty where one can."""
    if tallies.predictions.task == "regression":
        return "is for classes, and this problem is a regression"
    if open_ := tallies.predictions.lack_of_positive:
        return open_
    if not tallies.has_scores:
        return tallies.predictions.lack_of_scores
    return ""


def lack_of_folds(predictions: Predictions) -> str:
    """Why curves of folds cannot be averaged, as a clause; empty where they can.

    Examples
    --------
    >>> import heldout
    >>> lack_of_folds(heldout.from_arrays([1, 0], y_score=[0.9, 0.1], folds=[1, 2]))
    'needs a fold with rows of two classes, and every fold is a single row'
    """
    fold, repeat = predictions.design.fold, predictions.design.repeat
    if fold is None and repeat is None:
        return worded(NO_FOLDS)
    places = places_of(predictions)
    first = np.unique(places, return_index=True)[1]
    if len(first) == len(places):
        return f"{ONE_CLASS} every fold is a single row"
    truth = predictions.truth
    own = np.full(int(places.max()) + 1, -1, np.int64)
    own[places[first]] = truth[first]
    return "" if (truth != own[places]).any() else f"{ONE_CLASS} every fold is of one class"


def class_index(predictions: Predictions, class_: Label | None) -> int:
    """Which class is taken as positive: the one named, or the one of interest."""
    names = [str(c) for c in predictions.classes]
    if class_ is None:
        if predictions.positive is None:
            shown = ", ".join(names[:10]) + (" ..." if len(names) > 10 else "")
            raise InputError(f"there are {len(names)} classes: name one as class_ ({shown})")
        return predictions.positive
    if str(class_) not in names:
        hint = did_you_mean(str(class_), names) or f"; there are {', '.join(names[:10])}"
        raise InputError(f"no class is called {str(class_)!r}{hint}")
    return names.index(str(class_))


@dataclass(frozen=True, eq=False)
class RankedRows:
    """Rows as one class against the rest ranks them: whether each is of it, its score, weight."""

    positive: NDArray[np.bool_]
    score: NDArray[np.float64]
    weight: NDArray[np.float64] | None

    @cached_property
    def squares(self) -> ScoreCounts | None:
        """The ranking by the squares of the rows' weights; None where rows weigh the same."""
        if self.weight is None:
            return None
        return ScoreCounts.of(self.positive, self.score, self.weight**2)

    @property
    def counts(self) -> ScoreCounts:
        """The ranking."""
        return ScoreCounts.of(self.positive, self.score, self.weight)

    def take(self, rows: NDArray[Any]) -> RankedRows:
        """Some of the rows."""
        weight = None if self.weight is None else self.weight[rows]
        return RankedRows(self.positive[rows], self.score[rows], weight)

    def draws(self, groups: NDArray[Any] | None = None, *, stratified: bool = False) -> ScoreRows:
        """What draws such rows, or whole groups of them."""
        parts = self.positive, self.score, self.weight
        return ScoreRows(*parts, groups=groups, stratified=stratified)


def ranked_rows(tallies: Tallies, index: int) -> RankedRows:
    """The rows as a class against the rest ranks them; made once."""

    def rows(whole: Tallies) -> RankedRows:
        p = whole.predictions
        return RankedRows(np.asarray(p.truth == index), scores_of(whole, index), p.weight)

    return once(tallies, ("ranked rows", index), rows)


def predicted_counts(tallies: Tallies, class_: Label | None = None) -> Binary | None:
    """The counts of the labels that were predicted of a class; None: there are no labels."""
    if not tallies.has_labels:
        return None
    counts = tallies.confusion.one_vs_rest
    index = class_index(tallies.predictions, class_)
    return Binary(*(field[index].item() for field in (counts.tp, counts.fp, counts.fn, counts.tn)))


def counts_of(tallies: Tallies, class_: Label | None = None) -> ScoreCounts:
    """The score counts of a class against the rest, for two classes of the positive one."""
    p = tallies.predictions
    index = class_index(p, class_)
    if p.task == "multiclass":
        return tallies.class_scores.versus_rest[index]
    if index == p.positive:
        return tallies.scores
    return ranked_rows(tallies, index).counts


def scores_of(tallies: Tallies, index: int) -> NDArray[np.float64]:
    """The column of scores of a class; the other of two classes ranks the other way round."""
    p = tallies.predictions
    assert p.scores is not None
    if p.scores.ndim == 2:
        return p.scores[:, index]
    if index == p.positive:
        return p.scores
    return -p.scores if p.score_problem else 1 - p.scores


def rows_of(
    tallies: Tallies, class_: Label | None = None, units: Units | None = None
) -> ScoreRows | None:
    """The rows to be drawn where counts do not say enough; None where they do.

    Rows with weights are drawn one by one; groups are drawn whole, and so are the same row's
    predictions of several repeats.
    """
    p = tallies.predictions
    units = units_of(p) if units is None else units
    if units.codes is None and p.weight is None:
        return None
    return ranked_rows(tallies, class_index(p, class_)).draws(units.codes)


def folds_of(tallies: Tallies, class_: Label | None = None) -> dict[str, ScoreCounts]:
    """The score counts of each fold (of each repeat), by name."""
    p = tallies.predictions
    ranked = ranked_rows(tallies, class_index(p, class_))
    return {name: ranked.take(rows).counts for name, rows in fold_positions(p).items()}


def fold_positions(predictions: Predictions) -> dict[str, NDArray[Any]]:
    """Which rows are of each fold (of each repeat), by name."""
    fold, repeat = predictions.design.fold, predictions.design.repeat
    if fold is None and repeat is None:
        raise InputError(f"an average over folds {worded(NO_FOLDS)}")
    codes, width = places_of(predictions), 1 if fold is None else len(fold.levels)
    order = np.argsort(codes, kind="stable")
    present, starts = np.unique(codes[order], return_index=True)
    positions = {}
    for code, rows in zip(present.tolist(), np.split(order, starts[1:]), strict=True):
        words = [] if repeat is None else [str(repeat.levels[code // width])]
        words += [] if fold is None else [str(fold.levels[code % width])]
        positions[" ".join(words)] = rows
    return positions
