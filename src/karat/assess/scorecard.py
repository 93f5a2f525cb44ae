"""The scorecard: every measure of one or more models, computed when asked for."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from math import nan
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.assess.options import IntervalOptions
from karat.assess.parts import Part, parts_of
from karat.assess.requests import CLASSES_SHOWN, averages_for, requests_for
from karat.assess.results import Result, Table
from karat.assess.uncertainty import Uncertainty
from karat.assess.values import by_class, lacking, losses_of, overall
from karat.core.errors import InputError
from karat.core.nearest import did_you_mean
from karat.engines.memory import Tallies

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from karat.curves.curve import Curve
    from karat.intervals.interval import Interval
    from karat.measures.spec import Request
    from karat.predictions.matrix import ConfusionInput
    from karat.predictions.table import Label, Predictions
    from karat.tally.confusion import Confusion

__all__ = ["Scorecard", "score_matrix", "score_predictions"]

DEFAULT_INTERVALS = IntervalOptions()
NO_SCORES = (
    "no scores: rankings and curves are not given; "
    "scoring rules take probability 1 on the predicted class"
)
TWO_SCORES = "the scores have no more than two values: rankings judge labels here, not scores"
NO_LABELS = "no labels: confusion measures are not given (--threshold makes labels of scores)"


@dataclass(frozen=True, eq=False, repr=False)
class Scorecard:
    """What can be said of predictions: measures by name, tables, the confusion matrix.

    Nothing is computed until asked for; each tally is made once.

    Examples
    --------
    >>> import karat
    >>> card = karat.score([1, 0, 1, 1], y_score=[0.9, 0.4, 0.8, 0.3])
    >>> float(card["auc"])
    0.6666666666666666
    >>> card["accuracy"].value
    0.75
    """

    tallies: tuple[Tallies, ...]
    profit: Any = None
    cost: Any = None
    intervals: IntervalOptions | None = field(default_factory=IntervalOptions)
    _cache: dict[Any, Any] = field(default_factory=dict)

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
        """The class of interest, where there are two."""
        index = self.predictions[0].positive
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
        found: dict[str, None] = {}
        for tallies in self.tallies:
            p = tallies.predictions
            found.update(dict.fromkeys(p.notes))
            if p.score_problem:
                found[f"measures of probabilities are not given: {p.score_problem}"] = None
            if p.task != "regression" and not tallies.has_scores:
                found[NO_SCORES] = None
            if p.task != "regression" and not tallies.has_labels:
                found[NO_LABELS] = None
            if p.task == "binary" and tallies.has_scores and len(tallies.scores.score) <= 2:
                found[TWO_SCORES] = None
        return tuple(found)

    def only(self, model: str) -> Scorecard:
        """The scorecard of one of several models."""
        if model not in self.models:
            raise InputError(f"no model is called {model!r}{did_you_mean(model, self.models)}")
        return replace(self, tallies=(self.tallies[self.models.index(model)],))

    def confusion(self, model: str = "") -> Confusion | None:
        """The confusion counts (rows = truth) of a model; None where labels are not predicted."""
        tallies = self.only(model).tallies[0] if model else self.tallies[0]
        return tallies.confusion if tallies.has_labels and self.task != "regression" else None

    def __getitem__(self, name: str | tuple[str, Label]) -> Result:
        """The result of one measure; ``card["recall", "spam"]`` is that of one class."""
        text, label = name if isinstance(name, tuple) else (name, None)
        if len(self.tallies) > 1:
            raise InputError(
                f"there are {len(self.tallies)} models: card.only({self.models[0]!r})[{text!r}]"
            )
        request = self._requests((text,), everything=False)[0]
        if label is not None:
            request = replace(request, label=str(label))
        self._refuse_what_is_lacking(request)
        if self._is_split(request):
            raise InputError(
                f"{request.name} has a value for each class: ask for {request.name}_macro, "
                f"{request.name}_weighted, or card[{request.name!r}, {str(self.classes[0])!r}]"
            )
        part = next(parts_of(self.tallies[0], per_fold=False))
        return self._result(part, request, request.label or "", self._uncertainty(part, [request]))

    def results(
        self,
        measures: Sequence[str] | None = None,
        *,
        everything: bool = False,
        per_class: bool | None = None,
        per_fold: bool = False,
    ) -> tuple[Result, ...]:
        """Results as rows of the long table.

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
        """
        key = (None if measures is None else tuple(measures), everything, per_class, per_fold)
        if key not in self._cache:
            requests = self._requests(measures, everything=everything)
            for request in requests:
                if request.is_explicit:
                    self._refuse_what_is_lacking(request)
            self._cache[key] = tuple(
                result
                for tallies in self.tallies
                for result in self._rows_of(tallies, requests, per_class, per_fold)
            )
        return self._cache[key]

    @property
    def table(self) -> Table:
        """All measures as a long table (``to_pandas``, ``to_polars``, ``to_arrow``)."""
        return Table(self.results(everything=True))

    def requests(self, names: Sequence[str]) -> tuple[Request, ...]:
        """The measures behind names, with the profit and cost matrices of this scorecard."""
        return self._requests(names, everything=False)

    @staticmethod
    def value_of(request: Request, tallies: Tallies) -> float:
        """The value of a requested measure on some tallies."""
        return overall(request, tallies).value

    def thresholds(self, *rules: str) -> list[dict[str, Any]]:
        """The threshold that each rule chooses, with its interval, what it earns, the optimism.

        A rule is a measure to make best (``f_score[beta=2]``, ``youden``, ``profit``), a rate
        to keep (``recall >= 0.9``), or both (``precision where recall >= 0.9``).
        """
        from karat.assess.decide import chosen_thresholds

        return chosen_thresholds(self, rules)

    def at_prevalence(self, *shares: float) -> list[dict[str, Any]]:
        """Precision, NPV, accuracy and profit where positives are so frequent."""
        from karat.assess.decide import at_prevalences

        return at_prevalences(self, shares)

    def operating_point(self, prevalence: float | None = None) -> list[dict[str, Any]]:
        """The point of the ROC hull that earns most by this scorecard's profit or cost."""
        from karat.assess.decide import operating_points

        return operating_points(self, prevalence)

    def expected_profit(self) -> list[dict[str, Any]]:
        """What deciding by expected profit earns beside deciding for the likeliest class."""
        from karat.assess.decide import expected_profits

        return expected_profits(self)

    def ranking(self, measure: str) -> list[dict[str, Any]]:
        """The models from best to worst by a measure, which may be profit."""
        from karat.assess.decide import ranked

        return ranked(self, measure)

    def slices(self, *measures: str) -> list[dict[str, Any]]:
        """Measures by slice, worst first, with the slices that differ from the rest."""
        from karat.assess.decide import sliced

        return sliced(self, measures or None)

    def curve(self, name: str, **options: Any) -> Curve:
        """The points of a curve with their thresholds, ``.table()`` as columns.

        ``name`` is roc, pr, hull, cost, calibration, gain, lift, det, roc_average (of folds)
        or ``thresholds:`` with a measure; ``options`` are ``model``, ``class_``, ``corners``,
        ``band`` and what ``karat.curves.named.curve`` explains.
        """
        from karat.curves.named import curve

        return curve(self, name, **options)

    def plot(self, name: str, *, path: Any = None, **options: Any) -> Any:
        """The chart of a curve as a matplotlib figure; saved where a path is given.

        ``name`` may also be ``all``: every chart that the rows allow, as a dict.
        """
        from karat.report.plots.plot import plot

        return plot(self, name, path=path, interval_of=self._limits, **options)

    def _limits(self, model: str, measure: str) -> tuple[float, float, float, str] | None:
        """The interval of a model's measure, for a legend."""
        card = self.only(model) if len(self.tallies) > 1 else self
        result = card[measure]
        if result.low is None or result.high is None or result.level is None:
            return None
        return result.low, result.high, result.level, result.method

    def __repr__(self) -> str:
        from karat.report.terminal import scorecard_text

        return scorecard_text(self)

    def _repr_html_(self) -> str:
        from karat.report.html_table import scorecard_html

        return scorecard_html(self)

    def _requests(self, names: Sequence[str] | None, *, everything: bool) -> tuple[Request, ...]:
        return requests_for(
            self.task, names, everything=everything, profit=self.profit, cost=self.cost
        )

    def _refuse_what_is_lacking(self, request: Request) -> None:
        for tallies in self.tallies:
            reason = lacking(request, tallies)
            if reason:
                raise InputError(f"{request.name} {reason}")
        if request.label is not None:
            names = [str(c) for c in self.classes]
            if request.label not in names:
                hint = did_you_mean(request.label, names) or f"; there are {', '.join(names[:10])}"
                raise InputError(f"no class is called {request.label!r}{hint}")

    def _is_split(self, request: Request) -> bool:
        """Whether the measure has a value for each class and none overall."""
        single = request.label is not None or request.average
        return self.task == "multiclass" and request.measure.is_per_class and not single

    def _rows_of(
        self, tallies: Tallies, requests: Sequence[Request], per_class: bool | None, per_fold: bool
    ) -> Iterator[Result]:
        possible = [r for r in requests if not lacking(r, tallies)]
        folds: dict[Any, list[Result]] = {}
        for part in parts_of(tallies, per_fold=True):
            part.tallies.prepare([pair for request in possible for pair in losses_of(request)])
            uncertainty = self._uncertainty(part, possible)
            for request in possible:
                for result in self._results(part, request, per_class, uncertainty):
                    if part.is_fold:
                        folds.setdefault((result.measure, result.class_), []).append(result)
                    if not part.is_fold or per_fold:
                        yield result
        for results in folds.values():
            yield mean_of_folds(results)

    def _uncertainty(self, part: Part, requests: Sequence[Request]) -> Uncertainty | None:
        """What makes the intervals of a part; a single fold has none."""
        if self.intervals is None or part.is_fold:
            return None
        is_slice = bool(part.slice)
        return Uncertainty(part.tallies, self.intervals, tuple(requests), is_slice)

    def _results(
        self,
        part: Part,
        request: Request,
        per_class: bool | None,
        uncertainty: Uncertainty | None,
    ) -> Iterator[Result]:
        if not self._is_split(request):
            yield self._result(part, request, request.label or "", uncertainty)
            return
        for averaged in averages_for(request):
            yield self._result(part, averaged, "", uncertainty)
        shown = len(self.classes) <= CLASSES_SHOWN if per_class is None else per_class
        if shown or (request.is_explicit and not request.measure.averaged):
            vector, notes = by_class(request, part.tallies)
            count = len(self.classes)
            intervals: Sequence[Interval | None] = [None] * count
            if uncertainty is not None and count <= CLASSES_SHOWN:
                intervals = uncertainty.of_classes(request, vector)
            rows = zip(self.classes, vector, notes, intervals, strict=True)
            for label, value, note, interval in rows:
                yield part.result(
                    request.name, float(value), note, class_=str(label), interval=interval
                )

    def _result(
        self, part: Part, request: Request, class_: str, uncertainty: Uncertainty | None
    ) -> Result:
        value = overall(request, part.tallies)
        interval = None if uncertainty is None else uncertainty.of(request, value.value)
        return part.result(request.name, value.value, value.note, class_=class_, interval=interval)


def mean_of_folds(results: Sequence[Result]) -> Result:
    """The mean of the folds' values, which names the folds where there is none."""
    values = np.array([r.value for r in results])
    defined = ~np.isnan(values)
    count = int(defined.sum())
    note = f"mean of {count} of {len(results)} folds"
    if count < len(results):
        lost = [r for r, known in zip(results, defined, strict=True) if not known]
        names = ", ".join(" ".join(filter(None, (r.repeat, r.fold))) for r in lost[:5])
        note += f"; undefined in {names}{' ...' if len(lost) > 5 else ''}"
    value = float(values[defined].mean()) if count else nan
    return replace(
        results[0], value=value, note=note, fold="mean", repeat="", n=sum(r.n for r in results)
    )


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
    return Scorecard(tuple(Tallies(p) for p in predictions), profit, cost, intervals)


def score_matrix(
    given: ConfusionInput,
    *,
    profit: Any = None,
    cost: Any = None,
    intervals: IntervalOptions | None = DEFAULT_INTERVALS,
) -> Scorecard:
    """The scorecard of a confusion matrix: all that follows from counts."""
    from karat.assess.counted import tallies_of_matrix

    return Scorecard((tallies_of_matrix(given),), profit, cost, intervals)
