"""What a reader should know of a scorecard: guesses, and which measures are not given and why."""

from __future__ import annotations

from dataclasses import replace
from math import nan
from typing import TYPE_CHECKING

from heldout.assess.parts import incomplete_repeats
from heldout.assess.results import Result
from heldout.assess.values import averages_for, is_split, lacking
from heldout.core.dialect import argument, worded
from heldout.core.notes import OPENINGS, Kind, Line, Note, Topic
from heldout.tally.binned import limits_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from heldout.engines.memory import Tallies
    from heldout.measures.spec import Request
    from heldout.uncertainty.options import IntervalOptions

NO_SCORES = (
    "rankings and curves are not available; scoring rules assume "
    "probability 1 for the predicted class"
)
TWO_SCORES = "have at most two distinct values, so ranking measures evaluate labels, not scores"
OPEN = (
    "no positive class is named, so measures and curves that depend on it "
    "are not given ({positive})"
)
NO_LABELS = "no labels, so confusion measures are not given ({threshold} turns scores into labels)"


def notes_of(models: Sequence[Tallies]) -> tuple[str, ...]:
    """The notes on all models, each said once."""
    notes: dict[str, None] = {}
    coarse: list[str] = []
    scoreless: list[str] = []
    for tallies in models:
        p = tallies.predictions
        notes.update(dict.fromkeys(p.notes))
        if lost := incomplete_repeats(tallies):
            whose = f"{p.model}: " if len(models) > 1 else ""
            lost = f"{whose}{lost}; the mean over repeats weights each by its number of rows"
            notes[f"incomplete: {lost}"] = None
        if p.is_open:
            notes[Line(worded(OPEN), Topic.OPEN_POSITIVE)] = None
        if p.score_problem:
            notes[f"measures of probabilities are not given: {p.score_problem}"] = None
        if p.task != "regression" and not tallies.has_scores:
            scoreless.append(p.model)
        # of scores that are no probabilities the reader has said that they give no labels
        if p.task != "regression" and not tallies.has_labels and not p.score_problem:
            notes[worded(NO_LABELS)] = None
        if p.bins is not None and tallies.has_scores:
            notes[_on_bins(tallies, p.bins, p.model if len(models) > 1 else "")] = None
        if p.task == "binary" and tallies.has_scores and len(tallies.scores.score) <= 2:
            coarse.append(p.model)
    if scoreless:
        whose = f" of {', '.join(scoreless)}" if len(models) > 1 else ""
        notes[f"no scores{whose}: {NO_SCORES}"] = None
    if coarse:
        whose = f" of {', '.join(coarse)}" if len(models) > 1 else ""
        notes[f"the scores{whose} {TWO_SCORES}"] = None
    return tuple(notes)


def _on_bins(tallies: Tallies, bins: int, model: str) -> str:
    """How far values can lie from those of the scores before they were rounded."""
    limits = limits_of(tallies.scores, 1 / bins)
    shown = ", ".join(
        f"{name} {low:.6f} to {high:.6f} (width {high - low:.1e})"
        for name, (low, high) in limits.items()
    )
    whose = f" of {model}" if model else ""
    return (
        f"scores{whose} are rounded down to multiples of 1/{bins}: counts at such thresholds are "
        "exact, other values are those of the rounded scores; for the unrounded scores, "
        f"{shown or 'nothing is known'}"
    )


def left_out(requests: Iterable[Request]) -> str:
    """Which of all measures have no value because nobody gave a parameter they must have.

    A parameter without a default decides the value, so none is chosen silently.
    """
    lacking: dict[str, list[str]] = {}
    for request in requests:
        for parameter in request.measure.parameters:
            # the matrices of profit and cost are asked for by options of their own
            if parameter.name == "matrix" or not parameter.is_required:
                continue
            if request.values[parameter.name] is None:
                lacking.setdefault(parameter.name, []).append(request.measure.name)
    texts = [
        f"{', '.join(names)} (write {names[0]}[{parameter}=NUMBER])"
        for parameter, names in lacking.items()
    ]
    return f"not shown because they need a parameter: {'; '.join(texts)}" if texts else ""


AREAS = "areas under the ROC curve"
#: methods for areas under the ROC curve that are DeLong's
DELONG = ("delong", "delong_plain", "(fold areas)")


def unused_method(
    options: IntervalOptions | None, results: Iterable[Result], models: Sequence[Tallies]
) -> str:
    """That the method which was asked for made no interval of these; empty where it made one."""
    from heldout.uncertainty.methods import AREA_METHODS, BOOTSTRAPS, CORRECTED, SHARE_METHODS

    asked = "" if options is None else options.method
    bounded = [r for r in results if r.low is not None]
    if not asked or not bounded:
        return ""
    family = next((names for names in (BOOTSTRAPS, DELONG) if asked in names), (asked,))
    is_other = asked in BOOTSTRAPS and any(r.has(Kind.OTHER_METHOD) for r in bounded)
    if is_other or any(r.by in family for r in bounded):
        return ""
    use = ":"
    for names, what in ((SHARE_METHODS, "shares of rows"), (AREA_METHODS, AREAS)):
        use = f" is for {what}, and" if asked in names else use
    is_grouped = any(t.predictions.design.group is not None for t in models)
    is_drawn = is_grouped and any(r.by in BOOTSTRAPS for r in bounded)
    why = "; of rows in groups whole groups are drawn" * (is_drawn and asked in AREA_METHODS)
    why += "; over repeats it is the corrected t" * any(r.by == CORRECTED for r in bounded)
    name = argument("interval", asked.replace("_", "-"))
    return f"{name}{use} none of the intervals shown is made by it{why}"


#: how the note of such a row begins
NOT_GIVEN = OPENINGS[Kind.NOT_GIVEN]


def is_had(request: Request, models: Sequence[Tallies]) -> bool:
    """Whether at least one of some models can have a measure."""
    return not all(lacking(request, tallies) for tallies in models)


def rows_not_given(request: Request, tallies: Tallies) -> Iterator[Result]:
    """A row for the measure of a model that lacks what it needs, or for each of its averages."""
    reason = lacking(request, tallies)
    if not reason:
        return
    p = tallies.predictions
    names = [request.name]
    if is_split(request, p.task):
        names = [averaged.name for averaged in averages_for(request)] or names
    note = Note(reason, Kind.NOT_GIVEN)
    row = Result("", nan, tallies.rows, (note,), p.model, p.design.procedure)
    for name in names:
        yield replace(row, measure=name, class_=request.label or "")


def beside(
    results: Sequence[Result], requests: Sequence[Request], tallies: Tallies
) -> tuple[Result, ...]:
    """The results of a model, and in their places the rows of the measures that it lacks."""
    whole = list(results)
    for number, request in enumerate(requests):
        rows = list(rows_not_given(request, tallies))
        if rows:
            later = {form.name for r in requests[number + 1 :] for form in (r, *averages_for(r))}
            start = next((i for i, r in enumerate(whole) if r.measure in later), len(whole))
            whole[start:start] = rows
    return tuple(whole)
