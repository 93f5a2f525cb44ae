"""The values of requested measures on one set of rows: overall, by class, averaged."""

from __future__ import annotations

import inspect
from dataclasses import dataclass, replace
from functools import cache
from math import isnan, nan
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.core.dialect import argument
from heldout.core.errors import InputError
from heldout.core.nearest import no_such
from heldout.core.notes import Kind, Note, Noted, as_notes
from heldout.measures.kinds import Fit
from heldout.measures.registry import measures
from heldout.measures.spec import AVERAGES, Request, parse_request
from heldout.tally.class_scores import ClassScores
from heldout.tally.confusion import Binary, Confusion
from heldout.tally.moments import Moments
from heldout.tally.scores import ScoreCounts, TopLabel

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from heldout.engines.memory import Tallies
    from heldout.predictions.table import Predictions

#: with more classes than this, values of single classes are given only on request
CLASSES_SHOWN = 50


def requests_for(
    task: str,
    names: Sequence[str] | None,
    *,
    everything: bool,
    profit: Any = None,
    cost: Any = None,
) -> tuple[Request, ...]:
    """The requests, in the order asked for or declared."""
    if names is not None:
        requests = tuple(parse_request(name) for name in names)
    else:
        requests = tuple(Request(m) for m in measures(task) if everything or task in m.headline)
    return tuple(_with_matrix(request, profit, cost) for request in requests)


def _with_matrix(request: Request, profit: Any, cost: Any) -> Request:
    """The request with the profit or cost matrix that was given for the whole scorecard."""
    if "matrix" not in request.values or request.values["matrix"] is not None:
        return request
    matrix = {"profit": profit, "cost": cost}.get(request.measure.cells)
    return request if matrix is None else request.with_parameter("matrix", matrix)


def averages_for(request: Request) -> tuple[Request, ...]:
    """The same measure averaged over classes, in each way that makes sense for it."""
    if not request.measure.averaged:
        return ()
    ways = AVERAGES if request.measure.needs == (Binary,) else ("macro", "weighted")
    asked = request.asked
    return tuple(
        replace(request, average=way, asked=f"{asked}_{way}" if asked else "") for way in ways
    )


#: the squares of larger numbers add up to no number
SQUARED = 1e150
TOO_LARGE = "squares of such large values are beyond the largest number"
GROUPED = "rows of a group depend on each other, but the test assumes independent rows"
WEIGHTED = (
    "rows have different weights, but the test counts rows (if a weight is "
    "a number of equal rows, give it as a count)"
)


@dataclass(frozen=True, slots=True)
class Value(Noted):
    """A value and what goes with it: why it is undefined, or what to know."""

    value: float
    notes: tuple[Note, ...] = ()


def undefined(reason: str) -> Value:
    """No value, and why."""
    return Value(nan, (Note(reason, Kind.UNDEFINED),))


def lacking(request: Request, tallies: Tallies) -> str:
    """What the rows lack for a measure, as a clause; empty where they have all it needs."""
    return _unfit(request, tallies.predictions) or _lacking_outputs(request, tallies)


def _unfit(request: Request, p: Predictions) -> str:
    """Why a measure is none for any model: another kind of problem, a parameter not given."""
    measure = request.measure
    if p.task not in measure.tasks:
        return f"is for {' and '.join(measure.tasks)} problems, and this one is {p.task}"
    if p.is_open and request.depends_on_positive:
        return p.lack_of_positive
    for parameter in measure.parameters:
        if parameter.is_required and request.values[parameter.name] is None:
            if measure.cells:
                return f"needs the value of each cell ({argument(measure.cells)})"
            return f"needs {parameter.name}: write {request.measure.name}[{parameter.name}=NUMBER]"
    return ""


def _lacking_outputs(request: Request, tallies: Tallies) -> str:
    """What a model does not give: scores, labels, probabilities."""
    measure, p = request.measure, tallies.predictions
    scored = {ScoreCounts, TopLabel, ClassScores} & set(measure.needs)
    if scored and not tallies.has_scores:
        return p.lack_of_scores
    if {Binary, Confusion} & set(measure.needs) and not tallies.has_labels:
        return f"needs predicted labels ({argument('predicted')}, or a threshold on the scores)"
    if measure.needs_probability and tallies.has_scores and p.score_problem:
        return f"needs probabilities: {p.score_problem}"
    return ""


def refuse_what_is_lacking(
    request: Request, models: Sequence[Tallies], *, outputs: bool = True
) -> None:
    """An error where no model has what a measure needs, or none the class asked for.

    Without ``outputs``, models that give no scores or labels are no error.
    """
    p = models[0].predictions
    reason = _unfit(request, p)
    if outputs and not reason:
        reasons = [_lacking_outputs(request, tallies) for tallies in models]
        reason = reasons[0] if all(reasons) else ""
    if reason:
        raise InputError(f"{request.name} {reason}")
    names = [str(c) for c in p.classes]
    if request.label is not None and request.label not in names:
        raise no_such("class", request.label, names)


def why_no_test(request: Request, tallies: Tallies) -> str:
    """Why what counts rows has no result on these; empty where it has, and for other measures."""
    if not request.counts_rows or tallies.is_counted:
        return ""
    if request.measure.is_test and tallies.groups < tallies.rows:
        return GROUPED
    return "" if tallies.has_even_weights else WEIGHTED


def as_counted(request: Request, tallies: Tallies) -> Tallies:
    """The same rows without a weight that all share, which is only a unit to what counts rows."""
    if not request.counts_rows or tallies.is_counted or tallies.predictions.weight is None:
        return tallies
    return tallies.unweighted


def table_of(request: Request, counts: Confusion) -> Any:
    """What a measure of counts is taken of: the table of all classes, or of the positive one."""
    return counts.binary if request.measure.needs[0] is Binary else counts


def tables_of_classes(request: Request, counts: Confusion) -> Any:
    """The same for each class against the rest."""
    return counts.one_vs_rest if request.measure.needs == (Binary,) else counts.versus_rest


def pooled(each: Binary) -> Binary:
    """The tables of each class against the rest, added up (micro average)."""
    sums = (np.asarray(f).sum(axis=-1) for f in (each.tp, each.fp, each.fn, each.tn))
    return Binary(*(int_or_float(f) if f.ndim == 0 else f for f in sums))


def is_split(request: Request, task: str) -> bool:
    """Whether the measure has a value for each class and none overall."""
    single = request.label is not None or request.average
    return task == "multiclass" and request.measure.is_per_class and not single


def overall(request: Request, tallies: Tallies) -> Value:
    """The value over all rows: for two classes of the positive one, or the average asked for."""
    measure, p = request.measure, tallies.predictions
    if reason := why_no_test(request, tallies):
        return undefined(reason)
    tallies = as_counted(request, tallies)
    if request.label is not None or request.average:
        vector = _by_counts(request, tallies)
        values = by_class(request, tallies) if vector is None else []
        if request.label is not None:
            index = p.place_of(request.label)
            return values[index] if vector is None else _of_count(request, float(vector[index]))
        if request.average == "micro":
            together = pooled(tallies.confusion.one_vs_rest)
            return finish(request, measure(together, **request.values), (together,))
        support = tallies.class_weights
        vector = np.array([v.value for v in values]) if vector is None else vector
        return average_of(vector, support, p.classes, request.average, measure.undefined)
    # values whose squares are too large for a number are infinite, without NumPy's remark
    with np.errstate(over="ignore"):
        arguments = arguments_of(request, tallies)
        value = finish(request, measure(*arguments, **request.values), arguments)
    return _beyond_numbers(value, request, tallies)


def _beyond_numbers(value: Value, request: Request, tallies: Tallies) -> Value:
    """A value that is undefined since squares of large numbers are infinite says that."""
    p = tallies.predictions
    if not isnan(value.value) or p.task != "regression" or not len(p):
        return value
    is_declared = value.has(Kind.UNDEFINED) and bool(request.measure.undefined)
    if not is_declared or not tallies.has_labels:
        return value
    return undefined(TOO_LARGE) if tallies.largest_value > SQUARED else value


def finish(request: Request, value: Any, arguments: tuple[Any, ...]) -> Value:
    """The value with its remark."""
    number = float(value)
    measure = request.measure
    remark = measure.note(*arguments, **request.values) if measure.note is not None else ""
    if isnan(number):
        known = Value(nan, as_notes(remark))
        return known if known.notes else undefined(measure.undefined or "no rows")
    return Value(number, as_notes(defaults_of(request), remark))


def defaults_of(request: Request) -> str:
    """What a ranking was judged at where nothing else was asked for: ``fraction=0.1``."""
    if request.measure.family != "ranking by scores" or not request.measure.says_default:
        return ""
    given = dict(request.parameters)
    return ", ".join(
        f"{p.name}={p.default:g}"
        for p in request.measure.parameters
        if isinstance(p.default, int | float)
        and not isinstance(p.default, bool)
        and p.name not in given
    )


def by_class(request: Request, tallies: Tallies) -> list[Value]:
    """The value of each class against the rest."""
    measure = request.measure
    count = len(tallies.predictions.classes)
    if reason := why_no_test(request, tallies):
        return [undefined(reason)] * count
    tallies = as_counted(request, tallies)
    vector = _by_counts(request, tallies)
    if vector is not None:
        return [_of_count(request, value) for value in vector.tolist()]
    parts = tallies.class_scores.versus_rest
    return [finish(request, measure(part, **request.values), (part,)) for part in parts]


def _by_counts(request: Request, tallies: Tallies) -> NDArray[np.float64] | None:
    """The value of each class against the rest, of a measure of counts; None for others."""
    measure = request.measure
    if measure.needs not in ((Binary,), (Confusion,)):
        return None
    each = tables_of_classes(request, tallies.confusion)
    values = np.asarray(measure(each, **request.values), float)
    return np.broadcast_to(values, (len(tallies.predictions.classes),))


def _of_count(request: Request, value: float) -> Value:
    return undefined(request.measure.undefined) if isnan(value) else Value(value)


def average_of(
    values: NDArray[np.float64],
    support: NDArray[Any],
    classes: Sequence[Any],
    average: str,
    undefined: str,
) -> Value:
    """The macro (plain) or weighted (by rows of each class) mean of the values of classes.

    A class without rows for which the measure is undefined has no say: it is left out and
    counted in a note. A class *with* rows for which it is undefined makes the average
    undefined: leaving it out would reward a model for never predicting that class.

    Examples
    --------
    >>> made = average_of(np.array([1.0, 0.5, np.nan]), np.array([5, 5, 0]), "abc", "macro", "")
    >>> made.value, str(made.notes[0])
    (0.75, 'mean of 2 of 3 classes')
    """
    defined = ~np.isnan(values)
    barred = np.flatnonzero(~defined & (support > 0))
    if len(barred):
        names = ", ".join(repr(str(classes[i])) for i in barred[:3])
        more = f" and {len(barred) - 3} more" if len(barred) > 3 else ""
        plural = "es" if len(barred) > 1 else ""
        return Value(nan, as_notes(f"undefined for class{plural} {names}{more}: {undefined}"))
    count = int(defined.sum())
    if not count:
        return Value(nan, as_notes(f"undefined for every class: {undefined}"))
    words, lost = f"mean of {count} of {len(values)} classes", len(values) - count
    notes = (Note(words, Kind.CLASSES_LEFT_OUT, lost, len(values)),) if lost else ()
    if average == "macro":
        return Value(float(np.mean(values[defined])), notes)
    weights = np.asarray(support, float)
    # a class without rows has no weight, whatever its value
    counted = defined & (weights > 0)
    mean = float(np.average(values[counted], weights=weights[counted])) if counted.any() else nan
    return Value(mean, notes)


def of_each(request: Request, tallies: Sequence[ScoreCounts]) -> list[float]:
    """The value of each of many tallies, which a measure that is fitted shares passes for."""
    measure = request.measure
    if isinstance(measure.kind, Fit):
        measure.kind.together(tallies, **request.values)
    # one after the other: of few scores NumPy does not let go of Python's lock
    return [float(measure(tally, **request.values)) for tally in tallies]


def losses_of(request: Request) -> list[tuple[Callable[..., Any], dict[str, Any]]]:
    """The losses of rows a measure is made of, each with the parameters it takes."""
    losses = []
    for loss in request.measure.losses:
        taken = {n: request.values.get(n, default) for n, default in _keywords(loss)}
        losses.append((loss, taken))
    return losses


@cache
def _keywords(loss: Callable[..., Any]) -> list[tuple[str, Any]]:
    """The parameters of a loss with their defaults, asked for by every part of the rows."""
    parameters = inspect.signature(loss).parameters.values()
    return [(p.name, p.default) for p in parameters if p.kind is inspect.Parameter.KEYWORD_ONLY]


def arguments_of(request: Request, tallies: Tallies) -> tuple[Any, ...]:
    """The tallies a measure takes, in order."""
    losses = iter(losses_of(request))
    return tuple(
        tallies.moments(*next(losses)) if kind is Moments else tallies.of_kind(kind)
        for kind in request.measure.needs
    )


def int_or_float(value: Any) -> int | float:
    """A NumPy number as Python's own, integers exact."""
    number: int | float = value.item() if hasattr(value, "item") else value
    return number
