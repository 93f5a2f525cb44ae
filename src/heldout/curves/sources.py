"""Which rows and counts a curve is made of, and what of them is independent of the rest."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Protocol

import numpy as np

from heldout.core.codes import count_codes
from heldout.core.dialect import worded
from heldout.core.errors import InputError
from heldout.core.memo import once
from heldout.core.nearest import no_such
from heldout.engines.memory import Tallies
from heldout.predictions.split_design import SplitDesign, places_of
from heldout.tally.confusion import Binary
from heldout.tally.scores import ScoreCounts
from heldout.uncertainty.rankings import ScoreRows
from heldout.uncertainty.worth import effective_sample_size

if TYPE_CHECKING:
    from heldout.core.arrays import Array, Booleans, Floats
    from heldout.measures.spec import Request
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
        raise no_such("model", model, names)
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
        raise no_such("class", str(class_), names)
    return names.index(str(class_))


NO_IDENTIFIER = "rows occur once per repeat, and no ids say which are the same ({id})"
RANKED = "scores of different folds' models are ranked together"
GROUPS, REPEATED = "groups", "rows with all their repeats"


@dataclass(frozen=True, slots=True, eq=False)
class Units:
    """What is drawn whole, or counts once.

    Parameters
    ----------
    codes
        The unit of each row; None: each row is one.
    words
        What the units are called.
    repeats
        How often a row may occur, where nothing says which rows are the same.
    reason
        Why nothing can be drawn from these rows; else empty.
    is_hopeless
        Whether no interval of any kind is valid.
    """

    codes: Array | None = None
    words: str = "rows"
    repeats: int = 1
    reason: str = ""
    is_hopeless: bool = False

    @property
    def groups(self) -> int:
        """How many units are drawn whole; 0 where single rows are."""
        return 0 if self.codes is None else count_codes(self.codes)

    @property
    def are_groups(self) -> bool:
        """Whether units hold different rows, not one row several times."""
        return self.words == GROUPS

    def count(self, kept: Booleans) -> float:
        """How many units have one of the rows."""
        if self.codes is None:
            return float(np.count_nonzero(kept)) / self.repeats
        return float(count_codes(self.codes[kept]))


def units_of(predictions: Predictions) -> Units:
    """The units that the design of some rows speaks of.

    Groups are units; so is a row that is judged several times, if its identifier is known.

    Examples
    --------
    >>> import heldout
    >>> rows = heldout.from_arrays([1, 0, 1, 0], y_score=[0.9, 0.1, 0.8, 0.2], repeats=[1, 1, 2, 2])
    >>> units_of(rows).repeats
    2
    """
    design, known = predictions.design, SplitDesign(predictions)
    if lack := known.plan.lack:
        return Units(reason=str(lack), is_hopeless=True)
    if design.group is not None:
        return Units(design.group.codes, GROUPS)
    ids = predictions.identifier
    if known.repeats > 1 and ids is None:
        return Units(repeats=known.repeats, reason=worded(NO_IDENTIFIER))
    if ids is not None and (known.repeats > 1 or design.fold is not None):
        present, codes = np.unique(ids, return_inverse=True)
        if len(present) < len(ids):
            return Units(codes, REPEATED)
    return Units()


def ranks_folds(predictions: Predictions) -> bool:
    """Whether a ranking of all rows is one of scores that several folds' models gave."""
    return predictions.design.fold is not None and SplitDesign(predictions).folds > 1


@dataclass(frozen=True, slots=True)
class Worth:
    """How many rows some rows are worth: in general, and where all of them agree."""

    rows: float
    units: float

    def at(self, share: Floats) -> Floats:
        """Of how many rows shares are: of groups that all agree, each says no more than a row."""
        return np.where((share > 0) & (share < 1), self.rows, self.units)


@dataclass(frozen=True, eq=False)
class RankedRows:
    """Rows as one class against the rest ranks them: whether each is of it, its score, weight.

    ``units`` says what of them is drawn whole, or counts once.
    """

    positive: Booleans
    score: Floats
    weight: Floats | None = None
    units: Units = field(default_factory=Units)

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

    def take(self, rows: Array) -> RankedRows:
        """Some of the rows."""
        weight = None if self.weight is None else self.weight[rows]
        return RankedRows(self.positive[rows], self.score[rows], weight)

    def draws(self, groups: Array | None = None, *, stratified: bool = False) -> ScoreRows:
        """What draws such rows, or whole groups of them."""
        parts = self.positive, self.score, self.weight
        return ScoreRows(*parts, groups=groups, stratified=stratified)

    def worth(self, kept: Booleans) -> Worth:
        """How many independent rows some of the rows (a mask) say as much as.

        A row that is judged several times is one row. Rows of a group are as many as they are:
        how much alike they are is what draws of whole groups show.

        Examples
        --------
        >>> repeated = Units(np.array([0, 1, 0, 1]), "rows with all their repeats")
        >>> RankedRows(np.ones(4, bool), np.ones(4), None, repeated).worth(np.ones(4, bool))
        Worth(rows=2.0, units=2.0)
        """
        rows = float(np.count_nonzero(kept))
        if self.weight is not None:
            own = self.weight[kept]
            rows = effective_sample_size(float(own.sum()), float(np.square(own).sum()))
        known = self.units.count(kept)
        return Worth(rows if self.units.are_groups else min(rows, known), min(rows, known))


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


def scores_of(tallies: Tallies, index: int) -> Floats:
    """The column of scores of a class; the other of two classes ranks the other way round."""
    p = tallies.predictions
    assert p.scores is not None
    if p.scores.ndim == 2:
        return p.scores[:, index]
    if index == p.positive:
        return p.scores
    return -p.scores if p.score_problem else 1 - p.scores


def unit_rows(tallies: Tallies, class_: Label | None = None) -> RankedRows | None:
    """The rows with what of them is independent; None where their score counts say enough.

    Rows with weights are drawn one by one; groups are drawn whole, and so are the same row's
    predictions of several repeats.
    """
    p = tallies.predictions
    units = units_of(p)
    if units.codes is None and not units.reason and p.weight is None:
        return None
    return replace(ranked_rows(tallies, class_index(p, class_)), units=units)


def folds_of(tallies: Tallies, class_: Label | None = None) -> dict[str, ScoreCounts]:
    """The score counts of each fold (of each repeat), by name."""
    p = tallies.predictions
    ranked = ranked_rows(tallies, class_index(p, class_))
    return {name: ranked.take(rows).counts for name, rows in fold_positions(p).items()}


def fold_positions(predictions: Predictions) -> dict[str, Array]:
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


def best_models(
    card: Card, request: Request, class_: Label | None = None, *, most: int
) -> list[Tallies]:
    """The models with the best values of a measure of scores, in the order of the card."""
    goodness = np.array(
        [
            request.measure.goodness(request.measure(counts_of(t, class_), **request.values))
            for t in card.tallies
        ],
        float,
    )
    # undefined values sort last
    best = np.sort(np.argsort(-goodness, kind="stable")[:most])
    return [card.tallies[i] for i in best]


def largest_classes(tallies: Tallies, *, most: int) -> list[Label]:
    """The classes with most rows, the largest first."""
    order = np.argsort(-tallies.class_weights, kind="stable")[:most]
    return [tallies.predictions.classes[i] for i in order]
