"""Measures declared once: what each is called, means, needs, and when it is undefined."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cache
from importlib import import_module
from math import inf
from typing import TYPE_CHECKING, Any, Literal, TypeVar, get_type_hints

from heldout.core.errors import InputError
from heldout.core.nearest import did_you_mean, nearest, normal
from heldout.core.notes import Note
from heldout.measures.kinds import (
    Area,
    BinGaps,
    Count,
    Kind,
    Mean,
    NoInterval,
    Share,
    Sum,
    TestStatistic,
    Transform,
)
from heldout.tally.class_scores import ClassScores
from heldout.tally.confusion import Binary, Confusion
from heldout.tally.errors import ErrorRows, Errors
from heldout.tally.moments import Moments
from heldout.tally.rows import ProbabilityRows, ValueRows
from heldout.tally.scores import ScoreCounts, TopLabel

if TYPE_CHECKING:
    from collections.abc import Mapping

FAMILIES: dict[str, tuple[str, ...]] = {
    "confusion matrix": ("accuracy", "confusion", "confusion_counts"),
    "profit and cost": ("profit",),
    "ranking by scores": (
        "ranking",
        "precision_recall",
        "operating_points",
        "multiclass_ranking",
    ),
    "probabilities": ("probability", "probability_errors"),
    "information": ("information",),
    "calibration": (
        "calibration",
        "corp",
        "calibration_line",
        "calibration_tests",
        "calibration_smooth",
    ),
    "regression": ("regression", "regression_relative", "regression_losses"),
}


def family_of(module: str) -> str:
    """The family of the measures that a module declares; an outside module is its own family."""
    name = module.rsplit(".", 1)[-1]
    return next((family for family, modules in FAMILIES.items() if name in modules), name)


#: names of so few letters are soon alike by chance
SHORT = 3


def near_measures(asked: str, names: Mapping[str, str]) -> str:
    """A clause for an error message: the nearest names, one a measure, or nothing.

    ``names`` gives the measure behind each name and alias. A short name only means measures by
    their own names, and aliases that begin with it or have its letters in another order.

    Examples
    --------
    >>> names = {"auc": "auc", "recall": "recall", "rec_all": "recall", "for": "omission"}
    >>> near_measures("auk", names), near_measures("recal", names), near_measures("foo", names)
    ('; did you mean auc?', '; did you mean recall?', '')
    """
    near = [
        name
        for name in nearest(asked, names, most=6)
        if len(asked) > SHORT
        or names[name] == name
        or name.startswith(asked)
        or sorted(name) == sorted(asked)
    ]
    own = list({names[name]: name for name in reversed(near)}.values())
    return did_you_mean(asked, own)


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


@dataclass(frozen=True, kw_only=True)
class Declaration:
    r"""What is said of a measure where it is declared.

    Parameters
    ----------
    title, name, aliases
        How people call it: ``title`` where that is not the name in words. ``name`` is the short
        form under which results stand, where the field has one (auc); the function's own name is
        then an alias. An alias means the measure with its defaults.
    direction, best
        ``up`` or ``down`` is better, or towards the value ``best`` (``target``), or ``none``:
        it describes and does not judge.
    bounds, formula, reference
        Its range, its definition in LaTeX, and where it is defined (a short citation).
    undefined
        The condition under which it is NaN, said to the user; that of a share follows from
        what it is a share of. Empty: always defined where there are rows.
    loss
        For a measure of ``Moments``: the loss of each row, a function of ``ProbabilityRows``
        or ``ValueRows`` (one for each ``Moments`` argument). Parameters that both have by
        the same name are passed on. Of a declared function of rows it is that function.
    note
        A function of the same tallies that gives a remark on this value, or "".
    kind
        What sort of statistic it is (``measures/kinds.py``), from which its intervals follow. A
        measure of one loss is its mean where nothing else is said.
    of_parts
        For a measure of ``ScoreCounts``: a function of ``ScoreParts`` that gives the value of
        each part, where its kind does not say how.
    headline, tasks
        The kinds of problem in whose short summary it stands, and those that it is for: those
        of its tally where nothing is said.
    needs_probability, uses_prior
        Scores must be probabilities; the prior is asked.
    needs_classes
        The classes that must have rows: 1 is the positive one, 0 the negative one.
    symmetric
        Whether it is the same for either class; where nothing is said, it is unless it is made of
        the counts or the ranking of one class.
    ordered
        Whether the order of the classes changes it; or a function of its parameters that says so.
    averaged
        Whether macro, micro and weighted averages over classes make sense: not of counts and tests.
    weight_scale
        Whether the value changes when all weights are multiplied by the same number, as counts,
        sums and tests do.
    sums_columns
        Whether it is a sum over the columns of classes: of two classes one column is judged, which
        holds half of the sum over both, so that its largest value is half as large.
    by_rows
        Whether it depends on the number of rows as such, so that a row of weight 2 is not
        the same as two rows (a correction for degrees of freedom).
    reaches_best
        Whether perfect predictions reach ``best`` on every table (a lift of at most
        1 / prevalence does not).
    says_default
        Whether a ranking says what its parameters are where nobody gave them: not where
        everybody means the default (F1).
    """

    direction: Direction
    formula: str
    reference: str
    title: str = ""
    name: str = ""
    aliases: tuple[str, ...] = ()
    bounds: tuple[float, float] = (-inf, inf)
    best: float | None = None
    undefined: str = ""
    loss: Callable[..., Any] | tuple[Callable[..., Any], ...] = ()
    note: Callable[..., str | Note] | None = None
    kind: Kind | None = None
    of_parts: Callable[..., Any] | None = None
    headline: Tasks = ()
    tasks: Tasks = ()
    needs_probability: bool = False
    uses_prior: bool = False
    needs_classes: tuple[int, ...] = ()
    symmetric: bool | None = None
    ordered: bool | Callable[..., bool] = False
    averaged: bool = True
    weight_scale: bool = False
    sums_columns: bool = False
    by_rows: bool = False
    reaches_best: bool = True
    says_default: bool = True

    @property
    def losses(self) -> tuple[Callable[..., Any], ...]:
        """The losses of rows that it is made of, one for each ``Moments`` that it needs."""
        return self.loss if isinstance(self.loss, tuple) else (self.loss,)


@dataclass(frozen=True, kw_only=True)
class Measure(Declaration):
    """A declared measure; calling it with its tallies gives the value."""

    summary: str
    details: str
    function: Callable[..., Any]
    needs: tuple[type, ...]
    parameters: tuple[Parameter, ...]
    module: str
    family: str
    #: of a measure whose kind says its value: a tally and the value it has
    example: tuple[Any, float] | None = field(default=None, compare=False)

    def __reduce__(self) -> tuple[Any, ...]:
        # it is written by its name, since some of its functions have none
        return find, (self.name,)

    def __call__(self, *tallies: Any, **parameters: Any) -> Any:
        """The value of these tallies."""
        return self.function(*tallies, **parameters)

    def goodness(self, values: Any) -> Any:
        """Values turned so that more is better; undefined ones stay undefined.

        Examples
        --------
        >>> find("auc").goodness(0.75), find("brier").goodness(0.25)
        (0.75, -0.25)
        """
        if self.direction == "target":
            return -abs(values - (self.best or 0.0))
        return -values if self.direction == "down" else values

    @property
    def is_per_class(self) -> bool:
        """Whether, with several classes, it has a value for each class against the rest."""
        return self.needs in ((Binary,), (ScoreCounts,))

    @property
    def is_of_counts(self) -> bool:
        """Whether it is made of confusion counts."""
        return set(self.needs) <= {Binary, Confusion}

    @property
    def why_not_averaged(self) -> str:
        """Why the values of folds have no mean; empty where they have one."""
        if self.is_count:
            return "a count of rows is not averaged over folds"
        if self.is_test:
            return "a p-value or test statistic is not averaged over folds"
        return "a sum over rows is not averaged over folds" if self.is_sum else ""

    @property
    def is_count(self) -> bool:
        """Whether it is a count of rows."""
        return isinstance(self.kind, Count)

    @property
    def is_sum(self) -> bool:
        """Whether it is a sum over rows, which grows with their number: profit, log score."""
        # so does a statistic of counts that tests them
        return isinstance(self.kind, Count | Sum) or (self.is_test and self.is_of_counts)

    @property
    def is_test(self) -> bool:
        """Whether it is a p-value or test statistic."""
        return isinstance(self.kind, TestStatistic)

    @property
    def has_interval(self) -> bool:
        """Whether its values have sampling intervals of their own."""
        return not isinstance(self.kind, Count | TestStatistic | NoInterval)

    @property
    def by_fold(self) -> bool:
        """Whether the mean of the folds' values stands for it after cross-validation."""
        return isinstance(self.kind, Area)

    @property
    def share(self) -> Share | None:
        """What it is a share of, where it is a share of rows of a table of counts."""
        return self.kind if isinstance(self.kind, Share) else None

    @property
    def transform(self) -> Transform | None:
        """How it follows from one mean, of rows or of pairs of rows; None where it does not."""
        return self.kind.of if isinstance(self.kind, Mean | Area) else None

    @property
    def area(self) -> Transform | None:
        """How it follows from the area under the ROC curve of two classes; None: it does not."""
        return self.kind.of if isinstance(self.kind, Area) else None

    @property
    def is_of_gaps(self) -> bool:
        """Whether it is made of the gaps of calibration bins."""
        return isinstance(self.kind, BinGaps)

    @property
    def cells(self) -> str:
        """What the cells of the matrix hold that it needs: ``profit``, ``cost``; else empty."""
        if not any(parameter.name == "matrix" for parameter in self.parameters):
            return ""
        return "cost" if self.direction == "down" else "profit"


#: what a function of rows takes, whose mean is a measure
OF_ROWS = (ProbabilityRows, ValueRows)
#: tallies that hold no class apart
OF_ALL_CLASSES = {"Confusion", "Moments"}
REGISTRY: dict[str, Measure] = {}
NAMES: dict[str, str] = {}


class measure(Declaration):  # noqa: N801  a decorator
    """Declare a measure: the function below it is a pure function of tallies, or of rows.

    What can be read from the function is read from it: its name, its summary (first line of
    the docstring), the tallies it needs (annotations of its positional arguments), its
    parameters (keyword-only arguments with defaults), its family (the module's name). A
    function of rows gives the loss of each; the measure is their mean, as its kind has it.
    The function itself is returned unchanged.
    """

    def __call__(self, function: F) -> F:
        """The function, whose measure is now known by its names."""
        needs, parameters = _signature_of(function)
        summary, _, text = (inspect.getdoc(function) or "").partition("\n")
        own, declaration = function.__name__, self
        if needs[0] in OF_ROWS:
            declaration, needs = replace(self, loss=function), (Moments,)
        _register(
            declaration,
            function=None if declaration is not self else function,
            name=self.name or own,
            aliases=(own, *self.aliases),
            summary=summary,
            details=" ".join(SECTION.split(text)[0].replace("``", "").split()),
            needs=needs,
            parameters=parameters,
            module=function.__module__,
        )
        return function


def declare(
    name: str,
    summary: str,
    *,
    module: str,
    needs: tuple[type, ...] = (),
    details: str = "",
    example: tuple[Any, float],
    function: Callable[..., Any] | None = None,
    **declared: Any,
) -> None:
    """Declare a measure that needs no function of its own: its kind says its value.

    It is a share, a count, the mean or sum of a loss; or another measure's ``function`` gives it.

    Parameters
    ----------
    name, summary, details
        What results call it, and what it is, in a sentence and in more.
    module, needs
        The file that declares it, which says its family; the tally that it is made of, where that
        is not the moments of its losses.
    example
        A tally (cells of a table; of two classes tp, fp, fn, tn; losses of rows) and its value.
    declared
        The fields of ``Declaration``.
    """
    declaration = Declaration(**declared)
    losses = declaration.losses
    parameters = {p.name: p for loss in losses for p in _signature_of(loss)[1]}
    _register(
        declaration,
        name=name,
        aliases=declaration.aliases,
        summary=summary,
        details=details,
        needs=needs or (Moments,) * len(losses),
        parameters=tuple(parameters.values()),
        module=module,
        function=function,
        example=example,
    )


def _register(
    declared: Declaration,
    *,
    name: str,
    aliases: tuple[str, ...],
    needs: tuple[type, ...],
    module: str,
    function: Callable[..., Any] | None = None,
    **more: Any,
) -> None:
    """Enter a measure under all its names, with what follows from what is declared."""
    losses = declared.losses
    kind = Mean() if declared.kind is None and len(losses) == 1 else declared.kind
    is_count, is_test = isinstance(kind, Count), isinstance(kind, TestStatistic)
    best = {"up": declared.bounds[1], "down": declared.bounds[0]}
    of_rows = _signature_of(losses[0])[0] if losses else needs
    derived: dict[str, Any] = {
        "name": name,
        "title": declared.title or name.replace("_", " ").capitalize(),
        "aliases": tuple(other for other in dict.fromkeys(aliases) if other != name),
        "best": best.get(declared.direction, declared.best),
        "kind": kind,
        "function": getattr(kind, "value", None) if function is None else function,
        "undefined": declared.undefined or getattr(kind, "undefined", ""),
        "tasks": declared.tasks or TASKS_OF[of_rows[0]],
        "symmetric": {tally.__name__ for tally in needs} <= OF_ALL_CLASSES
        if declared.symmetric is None
        else declared.symmetric,
        "averaged": declared.averaged and not (is_count or is_test),
        "weight_scale": declared.weight_scale or is_count or is_test or isinstance(kind, Sum),
    }
    entered = Measure(
        **{**vars(declared), **derived, **more},
        needs=needs,
        module=module,
        family=family_of(module),
    )
    for known in (name, *entered.aliases):
        taken = NAMES.get(normal(known))
        if taken is not None:
            raise RuntimeError(f"the name {known!r} of {name} belongs to {taken}")
        NAMES[normal(known)] = name
    REGISTRY[name] = entered


def _signature_of(function: Callable[..., Any]) -> tuple[tuple[type, ...], tuple[Parameter, ...]]:
    """The annotations of the arguments by place, and the arguments by name as parameters."""
    hints = get_type_hints(function)
    arguments = inspect.signature(function).parameters.values()
    named = [p for p in arguments if p.kind is inspect.Parameter.KEYWORD_ONLY]
    return (
        tuple(hints[p.name] for p in arguments if p not in named),
        tuple(Parameter(p.name, p.default, hints[p.name]) for p in named),
    )


@cache
def _load_families() -> None:
    """Import every family, so that all measures are declared, in the order of families."""
    modules = [f"heldout.measures.{name}" for names in FAMILIES.values() for name in names]
    for module in modules:
        import_module(module)
    order = {module: position for position, module in enumerate(modules)}
    # a family that was imported alone before is not shown first for that
    for measure in sorted(REGISTRY.values(), key=lambda m: order.get(m.module, len(order))):
        REGISTRY[measure.name] = REGISTRY.pop(measure.name)


def measures(task: str | None = None) -> tuple[Measure, ...]:
    """All declared measures, or those of one kind of problem, in order of declaration."""
    _load_families()
    return tuple(m for m in REGISTRY.values() if task is None or task in m.tasks)


def known_names() -> tuple[str, ...]:
    """Every name and alias."""
    _load_families()
    return tuple(NAMES)


def find(name: str) -> Measure:
    """The measure of a name or alias; an error with the nearest names where there is none."""
    _load_families()
    try:
        return REGISTRY[NAMES[normal(name)]]
    except KeyError:
        hint = near_measures(normal(name), NAMES) or "; `heldout measures` lists them all"
        raise InputError(f"no measure is called {name!r}{hint}") from None
