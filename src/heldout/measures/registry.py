"""Measures declared once: what each is called, means, needs, and when it is undefined."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from dataclasses import dataclass
from math import inf
from typing import Any, Literal, TypeVar, get_type_hints

from heldout.core.errors import InputError
from heldout.core.notes import Note
from heldout.measures.families import family_of
from heldout.measures.near_names import near_measures
from heldout.tally.class_scores import ClassScores
from heldout.tally.confusion import Binary, Confusion
from heldout.tally.errors import ErrorRows, Errors
from heldout.tally.rows import ProbabilityRows, ValueRows
from heldout.tally.scores import ScoreCounts, TopLabel

__all__ = [
    "Direction",
    "Measure",
    "Parameter",
    "REGISTRY",
    "find",
    "known_names",
    "measure",
    "measures",
    "normal",
]

Direction = Literal["up", "down", "target", "none"]
Tasks = tuple[str, ...]
F = TypeVar("F", bound=Callable[..., Any])

#: the head of a section of a docstring
SECTION = re.compile(r"^\w+\n-+$", re.MULTILINE)
CLASSIFICATION: Tasks = ("binary", "multiclass")
#: which kinds of problem a tally exists for
TASKS_OF: dict[type, Tasks] = {
    Binary: CLASSIFICATION,
    Confusion: CLASSIFICATION,
    ScoreCounts: CLASSIFICATION,
    TopLabel: ("multiclass",),
    ClassScores: ("multiclass",),
    ProbabilityRows: CLASSIFICATION,
    ValueRows: ("regression",),
    Errors: ("regression",),
    ErrorRows: ("regression",),
}


@dataclass(frozen=True, slots=True)
class Parameter:
    """A number, word or switch that changes a measure, and what it is when not given."""

    name: str
    default: Any
    annotation: type

    @property
    def is_required(self) -> bool:
        """Whether the measure means nothing until this is given (a profit matrix)."""
        return self.default is None


@dataclass(frozen=True, slots=True)
class Measure:
    """The declaration of a measure; calling it with its tallies gives the value."""

    name: str
    title: str
    summary: str
    function: Callable[..., Any]
    needs: tuple[type, ...]
    parameters: tuple[Parameter, ...]
    family: str
    aliases: tuple[str, ...]
    direction: Direction
    bounds: tuple[float, float]
    best: float | None
    formula: str
    undefined: str
    reference: str
    losses: tuple[Callable[..., Any], ...]
    note: Callable[..., str | Note] | None
    proportion: Callable[[Any], tuple[Any, Any]] | None
    interval: str
    influence: Callable[..., Callable[[Any], tuple[Any, ...]]] | None
    row_moments: Callable[[Any], Any] | None
    of_gaps: Callable[..., Any] | None
    together: Callable[..., None] | None
    tasks: Tasks
    headline: Tasks
    needs_probability: bool
    uses_prior: bool
    averaged: bool
    weight_scale: bool
    by_rows: bool
    by_fold: bool
    reaches_best: bool
    is_count: bool
    is_share: bool
    is_test: bool

    def __reduce__(self) -> tuple[Any, ...]:
        # it is written by its name, since some of its functions have none
        return _declared, (self.name,)

    def __call__(self, *tallies: Any, **parameters: Any) -> Any:
        """The value of these tallies."""
        return self.function(*tallies, **parameters)

    @property
    def details(self) -> str:
        """What the docstring says between its first line and its first section."""
        text = (inspect.getdoc(self.function) or "").partition("\n")[2]
        return " ".join(SECTION.split(text)[0].replace("``", "").split())

    @property
    def is_per_class(self) -> bool:
        """Whether, with several classes, it has a value for each class against the rest."""
        return self.needs in ((Binary,), (ScoreCounts,))

    @property
    def why_not_averaged(self) -> str:
        """Why the values of folds have no mean; empty where they have one."""
        if self.is_count:
            return "a count of rows is not averaged over folds"
        if self.is_test:
            return "a p-value or test statistic is not averaged over folds"
        return "a sum over rows is not averaged over folds" if self.is_sum else ""

    @property
    def is_sum(self) -> bool:
        """Whether it is a sum over rows, which grows with their number: profit, log score."""
        return self.weight_scale and {kind.__name__ for kind in self.needs} <= SUMMED


def _declared(name: str) -> Measure:
    """The measure of a name, of whichever file declares it."""
    from heldout.measures.catalogue import find

    return find(name)


#: tallies of counts and means: what changes with all weights there is a sum
SUMMED = {"Binary", "Confusion", "Moments"}
REGISTRY: dict[str, Measure] = {}
NAMES: dict[str, str] = {}


def measure(
    *,
    title: str,
    direction: Direction,
    name: str = "",
    bounds: tuple[float, float] = (-inf, inf),
    formula: str,
    undefined: str,
    reference: str,
    aliases: tuple[str, ...] = (),
    best: float | None = None,
    loss: Callable[..., Any] | tuple[Callable[..., Any], ...] = (),
    note: Callable[..., str | Note] | None = None,
    proportion: Callable[[Any], tuple[Any, Any]] | None = None,
    interval: str = "",
    influence: Callable[..., Callable[[Any], tuple[Any, ...]]] | None = None,
    row_moments: Callable[[Any], Any] | None = None,
    of_gaps: Callable[..., Any] | None = None,
    together: Callable[..., None] | None = None,
    headline: Tasks = (),
    needs_probability: bool = False,
    uses_prior: bool = False,
    averaged: bool = True,
    weight_scale: bool = False,
    by_rows: bool = False,
    by_fold: bool = False,
    reaches_best: bool = True,
    is_count: bool = False,
    is_share: bool = False,
    is_test: bool = False,
    tasks: Tasks | None = None,
) -> Callable[[F], F]:
    r"""Declare a measure: the function below it is a pure function of tallies.

    What can be read from the function is read from it: its name, its summary (first line of
    the docstring), the tallies it needs (annotations of its positional arguments), its
    parameters (keyword-only arguments with defaults), its family (the module's name).
    The function itself is returned unchanged.

    Parameters
    ----------
    title, name, aliases
        How people call it. ``name`` is the short form under which results stand, where the
        field has one (auc); the function's own name is then an alias. An alias means the
        measure with its defaults.
    direction, best
        ``up`` or ``down`` is better, or towards the value ``best`` (``target``), or ``none``:
        it describes and does not judge.
    bounds, formula, reference
        Its range, its definition in LaTeX, and where it is defined (a short citation).
    undefined
        The condition under which it is NaN, said to the user. Empty: always defined
        where there are rows.
    loss
        For a measure of ``Moments``: the loss of each row, a function of ``ProbabilityRows``
        or ``ValueRows`` (one for each ``Moments`` argument). Parameters that both have by
        the same name are passed on.
    note
        A function of the same tallies that gives a remark on this value, or "".
    proportion
        For a share of rows: a function of the tally that gives the rows that count and all
        rows they are of. Its interval is then one of a binomial proportion.
    interval
        ``"none"`` for what has no sampling interval of its own (a p value, a count that
        was fixed); ``"basic"`` for a maximum, which resampling shifts up; ``"simultaneous"``
        for the largest gap of calibration bins; empty: chosen by the tallies it needs.
    influence
        For an estimate by maximum likelihood: a function of the same tally that gives how far a
        positive and a negative row of some scores move it, and the least variance of that. Its
        interval is then by the sandwich error.
    row_moments
        For a plain mean over rows that is made of another tally than ``Moments``: a function
        of that tally that gives the moments of the rows' values. Its interval is then
        Student's.
    of_gaps
        For a measure of calibration bins: the value as a function of the bins' weights and of
        their gaps (observed share less mean score), both on the last axis, and of those of its
        parameters that it names. Its interval is then one of bins, as resampling adds noise
        to gaps that the sample has already.
    together
        For a fit by steps: a function of many small tallies that fits all in the same passes
        and has each remember its fit, so that the measure finds it there.
    headline
        The kinds of problem in whose short summary it stands.
    needs_probability, uses_prior
        Scores must be probabilities; the prior is asked.
    averaged
        Whether macro, micro and weighted averages over classes make sense.
    weight_scale
        Whether the value changes when all weights are multiplied by the same number.
    by_rows
        Whether it depends on the number of rows as such, so that a row of weight 2 is not
        the same as two rows (a correction for degrees of freedom).
    by_fold
        Whether the mean of the folds' values stands for it after cross-validation: its
        expected value does not depend on the number of rows, and it ranks rows, which scores of
        different models do not share. Of all others the value of the pooled folds stands, since
        the mean over small folds estimates something else (Forman and Scholz 2010).
    reaches_best
        Whether perfect predictions reach ``best`` on every table (a lift of at most
        1 / prevalence does not).
    is_count
        A count of rows: shown without decimals, summed and not averaged.
    is_share
        The loss of a row is 0 or 1: its mean is a share of rows, with the interval of one.
    is_test
        A p-value or test statistic: no interval, and no mean over folds.
    """

    def register(function: F) -> F:
        hints = get_type_hints(function)
        positional, parameters = [], []
        for parameter in inspect.signature(function).parameters.values():
            if parameter.kind is inspect.Parameter.KEYWORD_ONLY:
                kind = hints[parameter.name]
                parameters.append(Parameter(parameter.name, parameter.default, kind))
            else:
                positional.append(hints[parameter.name])
        losses = loss if isinstance(loss, tuple) else (loss,)
        rows = [get_type_hints(f)[next(iter(inspect.signature(f).parameters))] for f in losses]
        stage = rows[0] if rows else positional[0]
        own = name or function.__name__
        others = dict.fromkeys((function.__name__, *aliases))
        declared = Measure(
            name=own,
            title=title,
            summary=(inspect.getdoc(function) or "").split("\n", 1)[0],
            function=function,
            needs=tuple(positional),
            parameters=tuple(parameters),
            family=family_of(function.__module__),
            aliases=tuple(other for other in others if other != own),
            direction=direction,
            bounds=bounds,
            best={"up": bounds[1], "down": bounds[0]}.get(direction, best),
            formula=formula,
            undefined=undefined,
            reference=reference,
            losses=losses,
            note=note,
            proportion=proportion,
            influence=influence,
            row_moments=row_moments,
            of_gaps=of_gaps,
            together=together,
            interval="none" if is_count or is_test else interval,
            tasks=TASKS_OF[stage] if tasks is None else tasks,
            headline=headline,
            needs_probability=needs_probability,
            uses_prior=uses_prior,
            averaged=averaged and not is_count,
            weight_scale=weight_scale or is_count,
            by_rows=by_rows,
            by_fold=by_fold,
            reaches_best=reaches_best,
            is_count=is_count,
            is_share=is_share,
            is_test=is_test,
        )
        for known in (own, *declared.aliases):
            taken = NAMES.get(normal(known))
            if taken is not None:
                raise RuntimeError(f"the name {known!r} of {declared.name} belongs to {taken}")
            NAMES[normal(known)] = declared.name
        REGISTRY[declared.name] = declared
        return function

    return register


def normal(name: str) -> str:
    """A name as it is looked up: case, spaces and hyphens do not matter."""
    return name.strip().lower().replace("-", "_").replace(" ", "_")


def measures(task: str | None = None) -> tuple[Measure, ...]:
    """All declared measures, or those of one kind of problem, in order of declaration."""
    return tuple(m for m in REGISTRY.values() if task is None or task in m.tasks)


def known_names() -> tuple[str, ...]:
    """Every name and alias."""
    return tuple(NAMES)


def find(name: str) -> Measure:
    """The measure of a name or alias; an error with the nearest names where there is none."""
    try:
        return REGISTRY[NAMES[normal(name)]]
    except KeyError:
        hint = near_measures(normal(name), NAMES) or "; `heldout measures` lists them all"
        raise InputError(f"no measure is called {name!r}{hint}") from None
