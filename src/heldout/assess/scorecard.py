"""The scorecard: every measure of one or more models, computed when asked for."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from heldout.assess.headline import headline, marked
from heldout.assess.matrices import Matrix, matrices_of
from heldout.assess.parts import with_split_count
from heldout.assess.remarks import beside, is_had, left_out, notes_of
from heldout.assess.results import Estimand, Of, Result, Table
from heldout.assess.rows import Rows
from heldout.assess.values import refuse_what_is_lacking, requests_for
from heldout.core.errors import InputError
from heldout.core.memo import once
from heldout.core.nearest import no_such
from heldout.core.shown import Shown
from heldout.engines.memory import Tallies
from heldout.predictions.table import Predictions
from heldout.tally.confusion import Confusion
from heldout.uncertainty.options import IntervalOptions

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from heldout.curves.columns import Columns
    from heldout.curves.curve import Curve
    from heldout.measures.spec import Request
    from heldout.predictions.matrix import ConfusionInput
    from heldout.tables.column import Label

DEFAULT_INTERVALS = IntervalOptions()


@dataclass(frozen=True, eq=False, repr=False)
class Scorecard(Shown):
    """What can be said of predictions: measures by name, tables, the confusion matrix.

    Nothing is computed until asked for; each tally is made once. Decisions and slices are tables
    of records, ready for a data frame. Where rows come in groups, whole groups are drawn for
    their limits. A row that was judged in several repeats counts once: its identifier (or group)
    says which rows are the same, and without one there are no limits of thresholds and
    prevalences, and ``note`` says why. What a decision earns has the interval of the measure
    (``profit_per_row``), which the splits tell without identifiers.

    Examples
    --------
    >>> import heldout
    >>> card = heldout.score([1, 0, 1, 1], y_score=[0.9, 0.4, 0.8, 0.3])
    >>> float(card["auc"])
    0.6666666666666666
    >>> card["accuracy"].value
    0.75
    """

    tallies: tuple[Tallies, ...]
    profit: Any = None
    cost: Any = None
    intervals: IntervalOptions | None = field(default_factory=IntervalOptions)

    @property
    def predictions(self) -> tuple[Predictions, ...]:
        """The predictions that are judged, one a model."""
        return tuple(t.predictions for t in self.tallies)

    @property
    def models(self) -> tuple[str, ...]:
        """The names of the models, in the order given."""
        return tuple(p.model for p in self.predictions)

    @property
    def task(self) -> str:
        """Binary, multiclass or regression."""
        return self.predictions[0].task

    @property
    def classes(self) -> tuple[Label, ...]:
        """The classes in their order."""
        return self.predictions[0].classes

    @property
    def positive(self) -> Label | None:
        """The class of interest, where there are two and it is known."""
        index = self.predictions[0].of_interest
        return None if index is None else self.classes[index]

    @property
    def source(self) -> str:
        """Where the rows came from."""
        return ", ".join(dict.fromkeys(p.source for p in self.predictions if p.source))

    @property
    def rows(self) -> int:
        """How many rows the first model was judged on."""
        return self.tallies[0].rows

    @cached_property
    def notes(self) -> tuple[str, ...]:
        """What was guessed or chosen on the way, and which measures are not given and why."""
        return notes_of(self.tallies)

    @cached_property
    def left_out(self) -> str:
        """Which measures the table of all does not have, because they need a parameter."""
        return left_out(self._requests(None, everything=True))

    def only(self, model: str) -> Scorecard:
        """The scorecard of one of several models."""
        if not isinstance(model, str):
            raise InputError(f"only: give the name of a model ({', '.join(self.models)})")
        if model not in self.models:
            raise no_such("model", model, self.models)
        return replace(self, tallies=(self.tallies[self.models.index(model)],))

    def confusion(self, model: str = "") -> Confusion | None:
        """The confusion counts (rows = truth) of a model; None where labels are not predicted.

        ``model`` names it where there are several.
        """
        if not model and len(self.tallies) > 1:
            first = self.models[0]
            raise InputError(f"there are {len(self.tallies)} models: card.confusion({first!r})")
        tallies = self.only(model).tallies[0] if model else self.tallies[0]
        return tallies.confusion if tallies.has_labels and self.task != "regression" else None

    def matrices(self, *, folds: bool = False, slices: bool = False) -> tuple[Matrix, ...]:
        """The confusion matrix of every model, and of its repeats, folds and slices if asked for.

        Each has ``model``, ``repeat``, ``fold``, ``slice``, the ``counts`` (rows = truth) and
        ``shares`` of them.

        Examples
        --------
        >>> import heldout
        >>> card = heldout.score([1, 0, 1, 1], [1, 0, 1, 0])
        >>> (matrix,) = card.matrices()
        >>> matrix.shares("predicted").tolist()
        [[0.5, 0.0], [0.5, 1.0]]
        """
        return tuple(matrices_of(self.tallies, folds=folds, slices=slices))

    def __getitem__(self, name: str | tuple[str, Label]) -> Result:
        """The result of one measure; ``card["recall", "spam"]`` is that of one class.

        Of rows in folds it is the value of all of them pooled; of an area under the ROC curve
        the mean of the folds. ``card["auc", "pooled"]`` and ``card["auc", "mean of folds"]`` say
        which.
        """
        return headline(self, name, self.whole)

    def whole(self, request: Request) -> tuple[Result, ...]:
        """The values of a measure of the only model over all rows: pooled, and mean of folds."""
        (tallies,) = self.tallies
        results = Rows(self.intervals, per_class=False).whole(tallies, [request])
        return tuple(_after_splits(result, tallies) for result in results)

    def __iter__(self) -> Iterator[str]:
        """The names of the headline measures, each of which ``card[name]`` gives."""
        return iter(dict.fromkeys(r.measure for r in self.results() if not r.class_))

    def results(
        self,
        measures: Sequence[str] | None = None,
        *,
        everything: bool = False,
        per_class: bool | None = None,
        per_fold: bool = False,
        refuse: bool = True,
        slices: frozenset[str] | None = None,
    ) -> tuple[Result, ...]:
        """Results as rows of the long table.

        Where some models have a measure, those that cannot have it say why in a row without
        a value.

        Parameters
        ----------
        measures
            Names or specs; None: the headline measures of this kind of problem.
        everything
            All measures that the rows allow.
        per_class
            Values of single classes where there are several; None: up to 50 classes.
        per_fold
            A row for each fold, beside the pooled value and the mean of the folds.
        refuse
            A measure that was asked for and that no model can have is an error, and not a row
            without a value.
        slices
            Names of slices (``country=DE``); None: all of them.
        """
        asked = None if measures is None else tuple(measures)

        def results(card: Scorecard) -> tuple[Result, ...]:
            requests = card._requests(asked, everything=everything)
            for request in requests:
                if request.is_explicit:
                    refuse_what_is_lacking(request, card.tallies, outputs=refuse)
            rows = Rows(card.intervals, per_class, per_fold, len(card.tallies), slices)
            shown = [r for r in requests if r.is_explicit or is_had(r, card.tallies)]
            of_models: tuple[Result, ...] = ()
            for tallies in card.tallies:
                had = [_after_splits(r, tallies) for r in rows.of(tallies, requests)]
                of_models += beside(had, shown, tallies)
            return marked(of_models)

        key = ("results", asked, everything, per_class, per_fold, refuse, slices)
        return once(self, key, results)

    @property
    def table(self) -> Table:
        """All measures as a long table (``to_pandas``, ``to_polars``, ``to_arrow``)."""
        return Table(self.results(everything=True))

    def requests(self, names: Sequence[str]) -> tuple[Request, ...]:
        """The measures behind names, with the profit and cost matrices of this scorecard."""
        return self._requests(names, everything=False)

    def _decided(self) -> Scorecard:
        """The scorecard, where it is known which class is decided for."""
        if reason := self.predictions[0].lack_of_positive:
            raise InputError(f"a decision {reason}")
        return self

    def thresholds(self, *rules: str) -> list[dict[str, Any]]:
        """The threshold that each rule chooses, with its interval, what it earns, the optimism.

        A rule is a measure to make best (``f_score[beta=2]``, ``youden``, ``profit``), a rate
        to keep (``recall >= 0.9``), or both (``precision where recall >= 0.9``).
        """
        from heldout.assess.resampled_decisions import chosen_thresholds

        return chosen_thresholds(self._decided(), rules)

    def every_threshold(self, *, corners: bool = True) -> list[dict[str, Any]]:
        """Counts, recall, precision and F at each threshold, from the highest down.

        With ``corners`` only where the ROC curve turns, else at every distinct score.
        """
        from heldout.assess.decide import cut_tables

        return cut_tables(self._decided(), every=not corners)

    def by_row(self, *measures: str, worst_by: str = "") -> Columns:
        """Row by row: truth, prediction, outcome, rank, and measures of the row alone.

        ``measures`` are means of what rows add, such as the log loss [log loss, Brier score and
        information score; absolute and squared error]. ``worst_by`` names the one by which rows
        are sorted, worst first. ``.to_pandas()``, ``.to_polars()``, ``.to_arrow()``.

        Examples
        --------
        >>> import heldout
        >>> card = heldout.score([1, 0, 1], y_score=[0.5, 0.25, 1.0])
        >>> card.by_row("brier").columns()["brier"]
        [0.25, 0.0625, 0.0]
        """
        from heldout.assess.row_table import row_table

        return row_table(self, measures, worst_by=worst_by)

    def at_prevalence(self, *shares: float) -> list[dict[str, Any]]:
        """Precision, NPV, accuracy and profit where positives are so frequent."""
        from heldout.assess.resampled_decisions import at_prevalences

        return at_prevalences(self._decided(), shares)

    def operating_point(self, *prevalences: float | None) -> list[dict[str, Any]]:
        """The point of the ROC hull that earns most by this scorecard's profit or cost.

        One for each prevalence; None, or none given: the share of positives of these rows.
        """
        from heldout.assess.decide import operating_points

        return operating_points(self._decided(), prevalences)

    def mixture(
        self, *, fpr: float | None = None, sensitivity: float | None = None
    ) -> list[dict[str, Any]]:
        """The coin toss between two thresholds that reaches a rate exactly, of each model.

        A row is called positive if its score reaches ``threshold``, with ``probability``, and
        else if it reaches ``else_threshold``. Of several models the last record is the best
        over all of them.
        """
        from heldout.assess.decide import mixtures

        return mixtures(self._decided(), fpr=fpr, sensitivity=sensitivity)

    def expected_profit(self) -> list[dict[str, Any]]:
        """What deciding by expected profit earns beside deciding for the likeliest class."""
        from heldout.assess.resampled_decisions import expected_profits

        return expected_profits(self._decided())

    def ranking(self, measure: str) -> list[dict[str, Any]]:
        """The models from best to worst by a measure, which may be profit."""
        from heldout.assess.decide import ranked

        return ranked(self, measure)

    def slices(self, *measures: str) -> list[dict[str, Any]]:
        """Measures by slice, worst first, with the slices that differ from the rest."""
        from heldout.assess.decide import sliced

        return once(self, ("slices", measures), lambda card: sliced(card, measures or None))

    def curve(self, name: str, **options: Any) -> Curve:
        """The points of a curve with their thresholds, ``.table()`` as columns.

        ``name`` is roc, pr, hull, cost, calibration, gain, lift, det, roc_average (of folds),
        joint_hull (over all models) or ``thresholds:`` with a measure; ``options`` are ``model``,
        ``class_``, ``corners``, ``band`` and what ``heldout.curves.named.curve`` explains; level,
        replicates and seed are those of this scorecard where they are not given.
        """
        from heldout.curves.named import curve

        return curve(self, name, **options)

    def plot(self, name: str, *, path: Any = None, **options: Any) -> Any:
        """The chart of a curve as a matplotlib figure; saved where a path is given.

        ``name`` may also be ``all``: every chart that the rows allow, as a dict. ``options``
        are ``model``, ``class_``, those of the curve (``band``, ``level``, ...), and ``title``,
        ``figsize`` (inches) and ``ax`` (axes of yours to draw in). A notebook shows the figure
        that a cell ends in; nothing where the cell ends in ``;``.
        """
        return self._plot(name, path=path, **options)

    def _requests(self, names: Sequence[str] | None, *, everything: bool) -> tuple[Request, ...]:
        requests = requests_for(
            self.task, names, everything=everything, profit=self.profit, cost=self.cost
        )
        if names is None and not everything and not any(t.has_scores for t in self.tallies):
            # a label counts as probability 1 there, which is for those to judge who ask for it
            requests = tuple(
                request for request in requests if not request.measure.needs_probability
            )
        return requests


def _after_splits(result: Result, tallies: Tallies) -> Result:
    """The result with what it estimates; where splits are lacking that are due, it says so."""
    design = tallies.design
    estimand = Estimand.after(result.of, folds=design.folds, repeats=design.repeats)
    if estimand is not result.estimand:
        result = replace(result, estimand=estimand)
    if result.of not in (Of.POOLED, Of.MEAN_OF_FOLDS) or result.repeat:
        return result
    present, due = design.splits
    return with_split_count(result, present, due, failed=tallies.predictions.failed_splits > 0)


def score_predictions(
    predictions: Sequence[Predictions],
    *,
    profit: Any = None,
    cost: Any = None,
    intervals: IntervalOptions | None = DEFAULT_INTERVALS,
) -> Scorecard:
    """The scorecard of one or more models' predictions."""
    if not predictions:
        raise InputError("there are no predictions to score")
    tasks = {p.task for p in predictions}
    if len(tasks) > 1:
        raise InputError(f"the models solve different problems ({', '.join(sorted(tasks))})")
    _refuse_other_classes(predictions)
    return Scorecard(tuple(Tallies(p) for p in predictions), profit, cost, intervals)


def _refuse_other_classes(predictions: Sequence[Predictions]) -> None:
    first = predictions[0]
    for other in predictions[1:]:
        if (other.classes, other.positive) != (first.classes, first.positive):
            raise InputError(
                f"models {first.model!r} and {other.model!r} differ in their classes or the "
                "positive one; read them in one call, or with the same labels and positive class"
            )


def score_matrix(
    *given: ConfusionInput,
    profit: Any = None,
    cost: Any = None,
    intervals: IntervalOptions | None = DEFAULT_INTERVALS,
) -> Scorecard:
    """The scorecard of the confusion matrices of models: all that follows from counts."""
    tallies = tuple(map(_tallies_of_matrix, given))
    _refuse_other_classes([t.predictions for t in tallies])
    return Scorecard(tallies, profit, cost, intervals)


def _tallies_of_matrix(given: ConfusionInput) -> Tallies:
    """The tallies of a confusion matrix: measures of counts, and scoring rules of the labels."""
    confusion = Confusion.from_matrix(given.counts, positive=given.positive)
    predictions = Predictions(
        task="binary" if len(given.classes) == 2 else "multiclass",
        truth=confusion.truth,
        predicted=confusion.predicted,
        classes=given.classes,
        positive=given.positive,
        weight=confusion.counts.astype(float),
        why_no_scores="a confusion matrix has none",
        source=given.source,
        notes=given.notes,
        model=given.model,
    )
    return Tallies(predictions, confusion)
