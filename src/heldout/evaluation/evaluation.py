"""The result of an evaluation: predictions, scorecard, tables and notes, made when asked for."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import nan
from pathlib import Path
from typing import TYPE_CHECKING, Any

from heldout.assess.headline import headline, marked
from heldout.assess.parts import with_split_count
from heldout.assess.remarks import is_had
from heldout.assess.results import Of, Result, Table
from heldout.assess.scorecard import score_predictions
from heldout.core.dialect import argument
from heldout.core.errors import InputError
from heldout.core.memo import once
from heldout.core.nearest import no_such
from heldout.core.notes import Kind, Line, Note, Topic
from heldout.core.shown import Shown
from heldout.core.wording import listed
from heldout.evaluation.estimates import extra_results, not_nested
from heldout.evaluation.predictions import judged_rows, whole_split
from heldout.evaluation.tables import OutOfFold, fold_table, message_table
from heldout.learners.outcome import why_mixed
from heldout.predictions.plan import plan_of
from heldout.runner.task import Reason
from heldout.uncertainty.options import IntervalOptions

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from heldout.assess.matrices import Matrix
    from heldout.assess.scorecard import Scorecard
    from heldout.curves.curve import Curve
    from heldout.datasets.dataset import Dataset
    from heldout.evaluation.nested import NestedRun
    from heldout.evaluation.tables import Frame
    from heldout.learners.model import Model
    from heldout.learners.outcome import Outcome
    from heldout.measures.spec import Request
    from heldout.predictions.table import Predictions
    from heldout.procedures.splits import Splits

#: what estimators say of names, of infinite and of missing values among their features
SAYS_NAMES = re.compile(
    r"could not convert|convert string|dtype|categor|\bstr\b|Timestamp", re.IGNORECASE
)
SAYS_LABELS = re.compile(r"convert string|label|classes|dtype", re.IGNORECASE)
SAYS_INFINITE = re.compile(r"\binfinit|\binf\b", re.IGNORECASE)
SAYS_MISSING = re.compile(r"\bnan\b|missing", re.IGNORECASE)
PREPARED = (
    "to have heldout prepare them: prepare:package:name (Python: heldout.prepared(estimator))"
)


def unprepared(model: Model, outcome: Outcome, dataset: Dataset) -> str:
    """What to do where a model failed for columns it cannot take; empty where that is not why."""
    if model.takes == "matrix" or not outcome.failures:
        return ""
    message = outcome.failures[0][1]
    if isinstance(message, Reason):  # no estimator said it
        return ""
    if SAYS_INFINITE.search(message) and (infinite := dataset.infinite):
        return f"{infinite}; give finite numbers"
    names = [column.name for column in dataset.columns if column.kind in ("text", "category")]
    names = names or [f.name for f in dataset.features if f.is_nominal]
    if names and SAYS_NAMES.search(message):
        what, step = f"names in {listed(names)}", "encodes them (OneHotEncoder)"
    elif any(isinstance(label, str) for label in dataset.classes) and SAYS_LABELS.search(message):
        return f"{model.name} is given labels as they are, which are texts; {PREPARED}"
    else:
        gaps = [feature.name for feature in dataset.features if feature.missing.any()]
        if not gaps or not SAYS_MISSING.search(message):
            return ""
        what, step = f"missing values in {listed(gaps)}", "fills them in (SimpleImputer)"
    return (
        f"{model.name} is given {what} as they are; {PREPARED}; or let it be a pipeline whose "
        f"first step {step}"
    )


#: how the path of a split is called that was fitted like any other
REFIT = "refit"
WITHOUT_REFITTING = "exact cross-validation without refitting: "
#: some splits were refitted all the same
PARTLY = "partly "


def failure_note(model: str, outcome: Outcome) -> tuple[str, ...]:
    """That a model failed in some splits, with the first message; nothing if it did not."""
    if not outcome.failures:
        return ()
    failed, done = len(outcome.failures), len(outcome.splits)
    _, message = outcome.failures[0]
    return (f"{model} failed in {failed:,} of {failed + done:,} splits: {message}",)


def _run_notes(evaluation: Evaluation) -> Iterator[str]:
    yield from evaluation.said
    models = {model.name: model for model in evaluation.models}
    for name, outcome in evaluation.outcomes.items():
        yield from failure_note(name, outcome)
        if mixed := why_mixed(name, outcome):
            yield mixed
        if hint := unprepared(models[name], outcome, evaluation.dataset):
            yield hint
    yield from _path_notes(evaluation)
    if evaluation.predictions:
        yield from evaluation.scorecard.notes


def _path_notes(evaluation: Evaluation) -> Iterator[str]:
    """Which models were judged by an exact path, wholly or in some splits."""
    outcomes = {name: o for name, o in evaluation.outcomes.items() if len(o.splits)}
    taken = {name: dict.fromkeys(o.path.split(", ")) for name, o in outcomes.items()}
    wholly = [name for name, paths in taken.items() if REFIT not in paths]
    partly = [name for name, paths in taken.items() if REFIT in paths and len(paths) > 1]
    if wholly:
        yield Line(f"{WITHOUT_REFITTING}{', '.join(wholly)}", Topic.EXACT_PATH)
    if partly:
        yield Line(f"{PARTLY}{WITHOUT_REFITTING}{', '.join(partly)}", Topic.EXACT_PATH)


def possible(card: Scorecard, measures: Sequence[str]) -> tuple[str, ...]:
    """Those of some measures that at least one model can have."""
    requests = zip(measures, card.requests(measures), strict=True)
    return tuple(name for name, request in requests if is_had(request, card.tallies))


def of_failed_models(
    results: Sequence[Result], outcomes: Mapping[str, Outcome], procedure: str
) -> Iterator[Result]:
    """For models that failed everywhere, a row without a value for each measure of the others."""
    whole = [r for r in results if r.of is Of.POOLED and not (r.repeat or r.slice)]
    overall = {r.measure for r in whole if not r.class_}
    shown = dict.fromkeys(
        (r.measure, r.class_) for r in whole if not (r.class_ and r.measure in overall)
    )
    for name, outcome in outcomes.items():
        if outcome.failures and not len(outcome.rows):
            note = Note(outcome.failures[0][1], Kind.FAILED)
            for measure, class_ in shown:
                yield Result(measure, nan, 0, (note,), name, procedure, class_=class_)


@dataclass(frozen=True, eq=False, repr=False)
class Evaluation(Shown):
    """The result of ``heldout.evaluate``: out-of-fold predictions of models, and their measures.

    Only the predictions are computed at once; measures, curves and slices when they are asked
    for. A value is that of all folds pooled (over several repeats, the mean of these values); the
    mean of the folds stands beside it.

    Examples
    --------
    >>> import heldout
    >>> evaluation = heldout.evaluate("lda", data="iris", procedure="5-fold")
    >>> evaluation.scorecard["accuracy"].value > 0.9
    True
    >>> len(evaluation.folds)
    5
    """

    dataset: Dataset
    models: tuple[Model, ...]
    splits: Splits
    outcomes: Mapping[str, Outcome]
    #: each split's model on the rows that trained it, where that was asked for: optimistic; of
    #: .632 and .632+ the model of all rows
    training: Mapping[str, Outcome] = field(default_factory=dict)
    intervals: IntervalOptions | None = field(default_factory=IntervalOptions)
    nested: NestedRun | None = None
    #: what the procedure and the runner had to say
    said: tuple[str, ...] = ()

    @property
    def classes(self) -> tuple[Any, ...]:
        """The classes in their order."""
        return self.dataset.classes

    @property
    def procedure(self) -> str:
        """The procedure in its short text."""
        return self.splits.procedure

    @cached_property
    def predictions(self) -> OutOfFold:
        """Out-of-fold predictions with their design, one a model; ``.write(path)``."""
        return OutOfFold.of(self.outcomes, self.dataset, self.splits, notes=failure_note)

    @cached_property
    def training_predictions(self) -> OutOfFold:
        """Predictions of training rows by the models that they trained: optimistic."""
        splits = self.splits
        if plan_of(self.procedure).is_632:
            splits = whole_split(len(self.dataset), seed=splits.seed)
        return OutOfFold.of(self.training, self.dataset, splits)

    @cached_property
    def training_matrices(self) -> tuple[Matrix, ...]:
        """The confusion matrix of each model on the rows that trained it; none where not asked."""
        if not self.training:
            return ()
        return score_predictions(list(self.training_predictions), intervals=None).matrices()

    @cached_property
    def scorecard(self) -> Scorecard:
        """The scorecard of all models that predicted anything."""
        if not self.predictions:
            name, message = next(
                (name, text) for name, o in self.outcomes.items() for _, text in o.failures
            )
            said = f"no model made a prediction: {name} failed in every split ({message})"
            hints = (unprepared(m, self.outcomes[m.name], self.dataset) for m in self.models)
            # where nothing was fitted, the failures are those of an earlier run
            is_stored = getattr(self.outcomes, "fitted", 1) == 0
            retry = f"from the store; {argument('retry_failed', True)} tries again"
            more = (next(filter(None, hints), ""), retry if is_stored else "")
            raise InputError("\n".join(filter(None, (said, *more))))
        judged = self.predictions
        if not self.dataset.slices:
            return score_predictions(judged, intervals=self.intervals)
        return score_predictions([self._sliced(p) for p in judged], intervals=self.intervals)

    def _sliced(self, p: Predictions) -> Predictions:
        """Predictions with the slices of their rows."""
        rows = judged_rows(self.outcomes[p.model], self.dataset)
        return replace(p, slices=tuple(column.take(rows) for column in self.dataset.slices))

    def results(
        self,
        measures: Sequence[str] | None = None,
        *,
        everything: bool = False,
        per_class: bool | None = None,
        per_fold: bool = False,
        slices: frozenset[str] | None = None,
    ) -> tuple[Result, ...]:
        """Results as rows of the long table, of all slices or of those that are named.

        ``fold`` says what a row is: empty for all folds pooled, ``mean`` for the mean of the
        folds, ``all`` for the folds of one repeat pooled, the number of a fold, ``training``
        for the optimistic value on the training rows, ``out-of-bag``, ``.632`` and
        ``.632+`` for estimates of the bootstrap, ``nested`` for nested cross-validation. A model
        that failed everywhere, or that does not give what a measure needs, has a row without a
        value whose note says so.
        """
        asked = None if measures is None else tuple(measures)

        how: dict[str, Any] = {"per_class": per_class, "per_fold": per_fold, "slices": slices}

        def results(own: Evaluation) -> tuple[Result, ...]:
            # what was fitted is shown, also where a model lacks what one of the measures needs
            rows = own.scorecard.results(asked, everything=everything, refuse=False, **how)
            rows = tuple(not_nested(own, result) for result in rows)
            rows += tuple(of_failed_models(rows, own.outcomes, own.procedure))
            rows += extra_results(own, asked, everything=everything)
            return marked(own.of_how_many(result) for result in rows)

        return once(self, ("results", asked, everything, *how.values()), results)

    def of_how_many(self, result: Result) -> Result:
        """A result of a model that failed somewhere says so, and has no interval."""
        outcome = self.outcomes[result.model]
        if not outcome.failures or result.is_not_given:
            return result
        if result.of in (Of.TRAINING, Of.NESTED) or (
            result.of not in (Of.POOLED, Of.MEAN_OF_FOLDS) and result.low is None
        ):
            return result
        return with_split_count(result, len(outcome.splits), len(self.splits), failed=True)

    @property
    def table(self) -> Table:
        """All measures of all models, folds and repeats as a long table."""
        return Table(self.results(everything=True, per_fold=True))

    @cached_property
    def folds(self) -> Frame:
        """A row a split and model: sizes, training counts, seconds, path, failure."""
        return fold_table(self.outcomes, self.dataset, self.splits)

    @cached_property
    def failures(self) -> Frame:
        """The splits in which a model gave nothing, and why."""
        return message_table({n: o.failures for n, o in self.outcomes.items()}, self.splits)

    @cached_property
    def warnings(self) -> Frame:
        """The splits in which the fit of a model warned, and of what."""
        return message_table({n: o.warnings for n, o in self.outcomes.items()}, self.splits)

    @cached_property
    def notes(self) -> tuple[str, ...]:
        """What was guessed, decided or went wrong on the way."""
        of_data = self.dataset.notes_for(self.models)
        return tuple(dict.fromkeys((*of_data, *self.splits.notes, *self.run_notes)))

    @cached_property
    def run_notes(self) -> tuple[str, ...]:
        """The notes but for those on the data and splits, which were known before the fits."""
        return tuple(dict.fromkeys(_run_notes(self)))

    def only(self, model: Any) -> Evaluation:
        """The evaluation of one of several models.

        By its name; or that of one of ``evaluation.models``, or of an estimator that was given.
        """
        name = self._name_of(model)
        return replace(
            self,
            models=tuple(m for m in self.models if m.name == name),
            outcomes={name: self.outcomes[name]},
            training={trained: o for trained, o in self.training.items() if trained == name},
        )

    def with_positive(self, label: Any) -> Evaluation:
        """The same evaluation with one of two classes called positive; nothing is fitted again."""
        classes = self.dataset.classes
        codes = [i for i, known in enumerate(classes) if known == label or str(known) == str(label)]
        if self.dataset.task != "binary" or not codes:
            there = ", ".join(map(repr, classes)) or "a regression has none"
            raise InputError(f"with_positive({label!r}): name one of two classes ({there})")
        dataset = replace(self.dataset, positive=codes[0])
        nested = None if self.nested is None else replace(self.nested, dataset=dataset)
        return replace(self, dataset=dataset, nested=nested)

    def _name_of(self, model: Any) -> str:
        """The name of the model that is meant, or an error that says what there is."""
        names = [m.name for m in self.models]
        if isinstance(model, str):
            if model not in names:
                raise no_such("model", model, names)
            return model
        meant = [m.name for m in self.models if model is m or model is m.estimator]
        if len(meant) != 1:
            raise InputError(
                f"only: give the name of a model ({', '.join(names)}), one of evaluation.models, "
                f"or an estimator that was evaluated under one name, not a {type(model).__name__}"
            )
        return meant[0]

    def __getitem__(self, name: str | tuple[str, Any]) -> Result:
        """The value that stands for a measure of the only model, as the tables show it.

        Pooled over the folds; of an area under the ROC curve the mean of the folds; of a
        bootstrap the estimate it is run for; with ``interval="nested"`` the nested one.
        ``evaluation["auc", "pooled"]`` and ``evaluation["auc", "mean of folds"]`` say which;
        ``evaluation["recall", "spam"]`` is of a class.
        """
        return headline(self.scorecard, name, self._whole)

    def _whole(self, request: Request) -> Sequence[Result]:
        """All values of a measure over all rows."""
        if request.label is None:
            return self.results((request.name,), per_class=False)
        return [self.of_how_many(result) for result in self.scorecard.whole(request)]

    def curve(self, name: str, **options: Any) -> Curve:
        """A curve of the pooled predictions; ``roc_average`` is that of the folds."""
        return self.scorecard.curve(name, **options)

    def plot(self, name: str, *, path: Any = None, **options: Any) -> Any:
        """The chart of a curve as ``Scorecard.plot`` draws it: ``title``, ``figsize``, ``ax``."""
        return self.scorecard.plot(name, path=path, **options)

    def save(self, path: str | Path) -> None:
        """All results in a file: .json, .csv, .md or .tex; predictions: ``predictions.write``."""
        self._write(Path(path))
