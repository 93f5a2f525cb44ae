"""The measure that decides: which way is better, and what has to be known to take it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.assess.forms import is_share_of_rows
from heldout.assess.values import is_split
from heldout.core.dialect import argument
from heldout.core.errors import InputError
from heldout.learners.exact.path import TestParts
from heldout.measures.kinds import SAME, Sum
from heldout.measures.spec import parse_request
from heldout.measures.usual import USUAL
from heldout.predictions.plan import plan_of
from heldout.tally.moments import Moments
from heldout.tally.scores import ScoreCounts

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from heldout.datasets.dataset import Dataset
    from heldout.measures.kinds import Transform
    from heldout.measures.spec import Request
    from heldout.predictions.plan import Plan
    from heldout.procedures.splits import Splits

#: values that differ by less than this share are equal but for rounding
ROUNDING = 1e-10


@dataclass(frozen=True)
class Criterion:
    """The measure that decides, and how values are compared."""

    request: Request
    #: ``folds``: the mean over splits; ``pooled``: all folds of a repeat together; or the estimate
    #: that a bootstrap is run for: ``out-of-bag``, ``.632``, ``.632+``
    aggregate: str = "folds"
    #: whether that was asked for; else the measure says what stands for it
    is_asked: bool = False
    #: what to know of the measure that was asked for
    note: str = ""

    @property
    def name(self) -> str:
        """The measure as it was asked for."""
        return self.request.name

    @property
    def text(self) -> str:
        """The measure with all its parameters, as it can be asked for again."""
        request = self.request
        given = [f"{key}={_written(value)}" for key, value in request.parameters]
        if request.label is not None:
            given.append(f"class={request.label!r}")
        name = request.asked or request.measure.name
        return f"{name}[{', '.join(given)}]" if given else name

    @property
    def title(self) -> str:
        """The measure as people call it."""
        return self.request.measure.title

    @property
    def direction(self) -> str:
        """``up``, ``down``, or ``target``."""
        return self.request.measure.direction

    @cached_property
    def of_means(self) -> Transform | None:
        """What makes values of means of row losses; None where the measure follows from none."""
        measure = self.request.measure
        if self.request.average or self.request.label is not None:
            return None
        if is_share_of_rows(self.request):
            return SAME
        return measure.transform if measure.needs == (Moments,) else None

    def is_of_splits(self, splits: Splits) -> bool:
        """Whether splits tell of the measure: holdouts do, folds of means over rows and areas."""
        is_line = self.of_means is not None and self.of_means.is_line
        has_folds = bool(splits.places()[:, 1].max(initial=1) > 1)
        return not has_folds or is_line or self.request.measure.by_fold

    def goodness(self, values: Any) -> NDArray[np.float64]:
        """The values such that more is better; undefined stays undefined."""
        return np.asarray(self.request.measure.goodness(np.asarray(values, np.float64)))

    def best(self, values: Any) -> int:
        """The place of the best value, the first of equal ones; -1 where none is defined.

        Equal are values that differ by rounding only (a relative 1e-10).

        Examples
        --------
        >>> criterion_for("accuracy", "binary").best([0.5, 0.75, 0.75])
        1
        >>> criterion_for("log_loss", "binary").best([0.5, np.nan, 0.25])
        2
        """
        goodness = self.goodness(values)
        if np.isnan(goodness).all():
            return -1
        return int(np.argmax(as_good_as(goodness, float(np.nanmax(goodness)))))


def as_good_as(goodness: NDArray[np.float64], best: Any) -> NDArray[np.bool_]:
    """Which values are not below a best one but by rounding: sums in another order differ so.

    There may be a best one for each line of values.

    Examples
    --------
    >>> as_good_as(np.array([0.96, 0.9600000000000002, 0.95]), 0.9600000000000002).tolist()
    [True, True, False]
    """
    with np.errstate(invalid="ignore"):
        slack = np.where(np.isfinite(best), ROUNDING * np.abs(best), 0.0)
        return np.asarray(goodness >= best - slack)


def first_best(goodness: NDArray[np.float64]) -> NDArray[np.intp]:
    """The place of the best of each line, the first of those that rounding alone tells apart."""
    return np.asarray(np.argmax(as_good_as(goodness, goodness.max(axis=1, keepdims=True)), axis=1))


def _written(value: Any) -> str:
    """A parameter's value as text; the cells of a matrix row by row."""
    if isinstance(value, (list, tuple)) or hasattr(value, "tolist"):
        rows = np.asarray(value).tolist()
        return ";".join(",".join(map(str, row)) for row in rows)
    return str(value)


def criterion_for(measure: Any, task: str, *, aggregate: str | None = None) -> Criterion:
    """The criterion of a measure's name for a task, or why it cannot decide.

    Where nothing is said of the aggregate it is what stands for the measure everywhere: all folds
    together, of areas under the ROC curve the mean of the folds.
    """
    asked = request = parse_request(USUAL[task].chosen_by if measure is None else str(measure))
    note = ""
    if asked.measure.is_sum:
        request = _by_mean(asked)
        note = f"{asked.name} is a sum over rows: {request.name}, its mean, decides"
    chosen = request.measure
    if task not in chosen.tasks:
        raise InputError(
            f"{request.name} is for {' and '.join(chosen.tasks)} problems, and this one is {task}"
        )
    if chosen.direction == "none" or chosen.is_count:
        raise InputError(
            f"{request.name} has no direction in which it is better; choose by another measure"
        )
    if is_split(request, task):
        raise InputError(
            f"{request.name} has a value for each class: choose by {request.name}_macro or "
            f"{request.name}[class=NAME]"
        )
    for parameter in chosen.parameters:
        if parameter.is_required and request.values[parameter.name] is None:
            raise InputError(_lacks_parameter(asked, parameter.name))
    if aggregate not in (None, "folds", "pooled"):
        raise InputError(f"aggregate is folds or pooled, not {aggregate!r}")
    usual = "folds" if chosen.by_fold else "pooled"
    return Criterion(request, aggregate or usual, aggregate is not None, note)


#: cells of two classes, rows = truth, as they may be written
CELLS = {"profit": "10,-1;-5,0", "cost": "0,1;5,0"}


def _by_mean(request: Request) -> Request:
    """The mean over rows of a sum over rows, which would grow with the size of a split."""
    kind = request.measure.kind
    if not isinstance(kind, Sum) or not kind.mean:
        raise InputError(
            f"{request.name} is a sum over rows, which grows with the size of a split; choose by "
            "a measure that does not"
        )
    mean_request = parse_request(kind.mean)
    known = {parameter.name for parameter in mean_request.measure.parameters}
    kept = tuple(pair for pair in request.parameters if pair[0] in known)
    return replace(mean_request, parameters=kept)


def _lacks_parameter(asked: Request, name: str) -> str:
    """What to say of a measure without a parameter that it needs, with an example."""
    measure = asked.measure.name
    cells = CELLS.get(asked.measure.cells) if name == "matrix" else None
    what = " (what each cell of the confusion matrix is worth, rows = truth)" if cells else ""
    return f'{asked.name} needs {name}{what}: write "{measure}[{name}={cells or "NUMBER"}]"'


def needs_positive(measure: Any) -> bool:
    """Whether a measure (None: the default one) has another value for the other of two classes.

    Examples
    --------
    >>> needs_positive(None), needs_positive("auc"), needs_positive("log_loss")
    (False, False, False)
    >>> needs_positive("recall"), needs_positive("recall_macro"), needs_positive("recall[class=a]")
    (True, False, False)
    """
    if measure is None:
        return False
    return parse_request(str(measure)).depends_on_positive


def with_either(dataset: Dataset, measure: Any, *, beside: str = "") -> Dataset:
    """The data set with a note, where two classes leave open which of them is positive.

    ``beside`` is where a user may look at other measures, which depend on the class.
    """
    if dataset.task != "binary" or dataset.positive is not None:
        return dataset
    name = "accuracy" if measure is None else str(measure)
    note = f"no positive class was named, and {name} does not depend on it"
    if beside:
        note += f" (those of {beside} that depend on it are not given without pos_label=)"
    return replace(dataset, notes=(*dataset.notes, note))


def defined_along(criterion: Criterion, dataset: Dataset, splits: Splits) -> Criterion:
    """The criterion by what stands for its measure along some splits, as in an evaluation.

    Along a bootstrap that is its estimate of a mean over rows. A ranking of two classes needs rows
    of both; where a fold tests rows of one class only all folds are taken together, or, where the
    mean over splits was asked for, it is an error before any setting is fitted.
    """
    if (plan := plan_of(splits.procedure)).estimate:
        return _of_bootstrap(criterion, plan)
    is_ranking = ScoreCounts in criterion.request.measure.needs
    if dataset.task != "binary" or criterion.aggregate != "folds" or not is_ranking:
        return criterion
    has_folds = splits.places()[:, 1].max(initial=1) > 1
    needed = set(criterion.request.measure.needs_classes)
    if not any(needed - {code} for code in _alone(dataset.truth, splits)):
        return criterion
    if has_folds and not criterion.is_asked:
        return replace(criterion, aggregate="pooled")
    raise InputError(
        f"{criterion.name} is undefined where a split tests rows of one class only, as "
        f"{splits.procedure} does here: use larger folds, or all folds together "
        f"({argument('aggregate', 'pooled')})"
    )


def _of_bootstrap(criterion: Criterion, plan: Plan) -> Criterion:
    """The criterion by the estimate that a bootstrap is run for.

    A measure that is no mean over rows has none: its mean over the samples decides, or it is
    refused where models of all rows were to be fitted for the estimate.
    """
    is_mean = criterion.of_means is SAME
    if plan.is_632 and criterion.is_asked and criterion.aggregate != "folds":
        raise InputError(
            f"{plan.text}: {plan.estimate} is one estimate of all samples: leave aggregate out"
        )
    if plan.is_632 and not is_mean:
        is_regression = "regression" in criterion.request.measure.tasks
        means = "mse or mae" if is_regression else "accuracy or brier"
        raise InputError(
            f"{plan.text}: {plan.estimate} is an estimate of means over rows, and "
            f"{criterion.name} is none; choose by {means}, or along bootstrap {plan.repeats} or "
            "10-fold"
        )
    is_chosen = plan.is_632 or (is_mean and not criterion.is_asked)
    return replace(criterion, aggregate=plan.estimate) if is_chosen else criterion


def _alone(truth: NDArray[np.integer], splits: Splits) -> list[int]:
    """The classes that are alone in some test part."""
    parts = TestParts(splits)
    sizes = parts.sizes[parts.sizes > 0]
    tested = truth[parts.rows(0, len(splits))]
    starts = np.cumsum(sizes) - sizes
    least, most = np.minimum.reduceat(tested, starts), np.maximum.reduceat(tested, starts)
    codes: list[int] = np.unique(least[least == most]).tolist()
    return codes
