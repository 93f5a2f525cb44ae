"""A measure as a user asks for it: ``auc``, ``f_score[beta=2]``, ``precision_macro``."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Any

from heldout.core.errors import InputError
from heldout.core.nearest import no_option, normal
from heldout.core.specs import parse_spec, unquoted
from heldout.measures.registry import Measure, find, known_names
from heldout.tally.confusion import Binary, Confusion

#: how the values of classes become one: mean, the pooled counts, mean by number of rows
AVERAGES = ("macro", "micro", "weighted")

#: names of classes that need no quotes
SAFE = re.compile(r"\w+(?:[ .-]+\w+)*")
#: scikit-learn's names for areas of each class against the rest, averaged
ONE_AGAINST_REST = {
    f"{area}_ovr{ending}": f"auc_{average}"
    for area in ("auc", "roc_auc")
    for ending, average in (("", "macro"), ("_macro", "macro"), ("_weighted", "weighted"))
}
TRUE = {"true", "yes", "1", "on"}
FALSE = {"false", "no", "0", "off"}


@dataclass(frozen=True, slots=True)
class Request:
    """A measure with its parameters, and the average or class over which it is asked."""

    measure: Measure
    parameters: tuple[tuple[str, Any], ...] = ()
    average: str = ""
    label: str | None = None
    #: the name the user typed; empty for the measure's own
    asked: str = ""

    @property
    def name(self) -> str:
        """How results call it: as it was asked for, with the parameters that were given."""
        name = self.asked or self.measure.name
        if self.average and not self.asked:
            name = f"{name}_{self.average}"
        given = ", ".join(
            f"{key}={value_text(value)}" for key, value in self.parameters if key != "matrix"
        )
        return f"{name}[{given}]" if given else name

    @property
    def is_explicit(self) -> bool:
        """Whether a user typed it: what cannot be had is then an error, not left out."""
        return bool(self.asked)

    @property
    def values(self) -> dict[str, Any]:
        """All parameters, given or by default."""
        return {p.name: p.default for p in self.measure.parameters} | dict(self.parameters)

    @property
    def bounds(self) -> tuple[float, float]:
        """The least and the greatest value that it can have.

        Examples
        --------
        >>> parse_request("smape").bounds, parse_request("smape[percent=true]").bounds
        ((0, 2), (0, 200))
        """
        least, most = self.measure.bounds
        return (100 * least, 100 * most) if self.values.get("percent") else (least, most)

    @property
    def depends_on_positive(self) -> bool:
        """Whether it may have another value for the other of two classes.

        Examples
        --------
        >>> [parse_request(name).depends_on_positive for name in ("auc", "log_loss", "mcc")]
        [False, False, False]
        >>> names = ("recall", "recall_macro", "recall[class=a]")
        >>> [parse_request(name).depends_on_positive for name in names]
        [True, False, False]
        """
        if self.label is not None or self.average:
            return False
        has_cells = any(parameter.is_required for parameter in self.measure.parameters)
        return has_cells or not self.measure.symmetric

    @property
    def is_ordered(self) -> bool:
        """Whether the order of the classes changes it.

        Examples
        --------
        >>> names = ("rps", "cohen_kappa[weights=linear]", "cohen_kappa")
        >>> [parse_request(name).is_ordered for name in names]
        [True, True, False]
        """
        ordered = self.measure.ordered
        return ordered(**self.values) if callable(ordered) else ordered

    @property
    def counts_rows(self) -> bool:
        """Whether a row of weight 2 is not two rows to it: a test, an index per row."""
        return self.measure.is_test or self.measure.by_rows

    def with_parameter(self, name: str, value: Any) -> Request:
        """The same request with one parameter set."""
        return replace(
            self, parameters=tuple(sorted({**dict(self.parameters), name: value}.items()))
        )


def parse_request(text: str) -> Request:
    """The request behind a text.

    Examples
    --------
    >>> parse_request("f_score[beta=2]").values
    {'beta': 2.0}
    >>> parse_request("macro_precision").average
    'macro'
    """
    name = parse_spec(text).name
    if not name:
        raise InputError(f"{text!r} is not a measure: write it as name or name[parameter=value]")
    name = ONE_AGAINST_REST.get(normal(name), name)
    measure, average = _measure_and_average(name)
    kinds = {parameter.name: parameter.annotation for parameter in measure.parameters}
    spec = parse_spec(text, ("average", *kinds))
    request = Request(measure, (), average, None, normal(name))
    for key, value in spec.values([key for key, kind in kinds.items() if _is_switch(kind)]).items():
        request = _set(request, key, value, text)
    return request


def of_class(name: str, label: Any) -> str:
    """The text that asks for a measure of one class, whatever that class is called.

    Examples
    --------
    >>> of_class("recall", "red"), of_class("recall", "red, small")
    ('recall[class=red]', 'recall[class="red, small"]')
    >>> parse_request(of_class("recall", "red, small")).label
    'red, small'
    """
    own = str(label)
    if SAFE.fullmatch(own):
        return f"{name}[class={own}]"
    quote = next((mark for mark in "\"'" if mark not in own), "")
    return f"{name}[class={quote}{own}{quote}]"


def _measure_and_average(name: str) -> tuple[Measure, str]:
    """The measure and the average that a name means."""
    asked = normal(name)
    if asked in known_names():
        return find(asked), ""
    for average in AVERAGES:
        for inner in (asked.removesuffix(f"_{average}"), asked.removeprefix(f"{average}_")):
            if inner != asked and inner in known_names():
                return _require_average(find(inner), average), average
    if (plain := asked.removeprefix("neg_")) != asked and plain in known_names():
        raise InputError(
            f"no measure is called {name!r}: scikit-learn turns the sign of {plain}; ask for "
            f"{plain}, which knows that less is better"
        )
    return find(name), ""


def _require_average(measure: Measure, average: str) -> Measure:
    whole = measure.needs == (Confusion,)
    if not measure.averaged or not (measure.is_per_class or whole):
        raise InputError(f"{measure.name} is not averaged over classes: ask for {measure.name}")
    if average == "micro" and measure.needs != (Binary,):
        raise InputError(
            f"{measure.name} has no micro average: ask for {measure.name}_macro or _weighted"
        )
    return measure


def _set(request: Request, key: str, value: str, text: str) -> Request:
    if key == "average" and value in AVERAGES:
        _require_average(request.measure, value)
        return replace(request, average=value, asked=f"{request.asked}_{value}")
    if key == "class":
        if not (request.measure.is_per_class or request.measure.needs == (Confusion,)):
            raise InputError(f"{request.measure.name} has no value for a single class")
        return replace(request, label=unquoted(value))
    for parameter in request.measure.parameters:
        if parameter.name == key:
            return request.with_parameter(key, _parameter_value(value, parameter.annotation, text))
    known = [p.name for p in request.measure.parameters]
    raise no_option(f"{text!r}: {request.measure.name}", key, known, "parameter")


def _type_of(kind: Any) -> str:
    """The type that a declaration names, in words."""
    return kind.__name__ if isinstance(kind, type) else str(kind)


def _is_switch(kind: Any) -> bool:
    return "bool" in _type_of(kind)


def _parameter_value(value: str, kind: Any, text: str) -> Any:
    """A parameter's text as the type its declaration names."""
    word = _type_of(kind)
    if _is_switch(kind):
        if value.lower() in TRUE:
            return True
        if value.lower() in FALSE:
            return False
        raise InputError(f"{text!r}: {value!r} is neither true nor false")
    try:
        if "int" in word:
            return int(value)
        if "float" in word:
            return float(value)
    except ValueError:
        raise InputError(f"{text!r}: {value!r} is not a number") from None
    return unquoted(value)


def value_text(value: Any) -> str:
    """The value of a parameter as a request has it."""
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:g}" if isinstance(value, float) else str(value)


def range_of(request: Request, classes: int) -> tuple[float, float]:
    """The least and the greatest value that a measure can have here.

    Examples
    --------
    >>> from heldout.measures.spec import parse_request
    >>> range_of(parse_request("brier"), 3), range_of(parse_request("brier"), 2)
    ((0, 2), (0, 1.0))
    """
    least, most = request.bounds
    is_half = classes == 2 or bool(request.values.get("half"))
    return (least, most / 2) if request.measure.sums_columns and is_half else (least, most)
