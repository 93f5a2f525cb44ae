"""Values of a parameter as text: ranges, series, lists, and distributions to draw from."""

from __future__ import annotations

import re
from dataclasses import dataclass
from math import exp, isfinite, log
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.core.errors import InputError
from heldout.core.nearest import did_you_mean
from heldout.learners.parameters import parse_model, split_models

if TYPE_CHECKING:
    from numpy.random import Generator

__all__ = ["Distribution", "is_distribution", "values_of", "values_of_text"]

NUMBER = r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"
RANGE = re.compile(rf"({NUMBER})\s*\.\.\s*({NUMBER})(?:\s+step\s+({NUMBER}))?")
CALL = re.compile(r"([A-Za-z_]+)\s*\((.*)\)", re.DOTALL)
#: larger than every number, as scikit-learn's C may be
ENDLESS = re.compile(r"[-+]?inf(?:inity)?", re.IGNORECASE)
SERIES = ("log", "lin")
DISTRIBUTIONS = ("uniform", "loguniform", "int", "logint")
#: more values of one parameter than this are a slip of the pen
MOST = 10_000_000
HOW = "write 1..30, 1..30 step 2, log(0.01,100,9), lin(0,1,11) or a list a,b,c"


@dataclass(frozen=True, slots=True)
class Distribution:
    """What a random search draws a parameter from; both ends are included for whole numbers."""

    kind: str
    low: float
    high: float

    def draw(self, generator: Generator) -> Any:
        """One value."""
        if self.kind == "uniform":
            return float(generator.uniform(self.low, self.high))
        if self.kind == "loguniform":
            return exp(float(generator.uniform(log(self.low), log(self.high))))
        if self.kind == "int":
            return int(generator.integers(int(self.low), int(self.high), endpoint=True))
        drawn = exp(float(generator.uniform(log(self.low), log(self.high + 1))))
        return min(int(drawn), int(self.high))

    def __str__(self) -> str:
        return f"{self.kind}({self.low:g},{self.high:g})"


def is_distribution(values: Any) -> bool:
    """Whether this can only be drawn from: heldout's own kind, or one of SciPy."""
    return isinstance(values, Distribution) or hasattr(values, "rvs")


def values_of(name: str, given: Any) -> Any:
    """The values of a parameter in Python: a tuple, or a distribution.

    A list, tuple, range or array holds values; a text is read as on the command line; any
    other value stands for itself.

    Examples
    --------
    >>> values_of("k", [1, 3]), values_of("k", range(3)), values_of("k", "1..3"), values_of("k", 5)
    ((1, 3), (0, 1, 2), (1, 2, 3), (5,))
    """
    if is_distribution(given):
        return given
    if isinstance(given, str):
        return values_of_text(name, given)
    if isinstance(given, (list, tuple, range, set, frozenset)) or hasattr(given, "__array__"):
        items = given.tolist() if hasattr(given, "tolist") else list(given)
        if not isinstance(items, list) or not items:
            raise InputError(f"{name} has no values; {HOW}")
        return tuple(item.item() if isinstance(item, np.generic) else item for item in items)
    return (given,)


def values_of_text(name: str, text: str) -> Any:
    """The values behind a text, as they are written: a tuple, or a distribution.

    Examples
    --------
    >>> values_of_text("k", "1..9 step 4, 20"), values_of_text("C", "log(0.1,10,3)")
    ((1, 5, 9, 20), (0.1, 1.0, 10.0))
    >>> values_of_text("max_depth", "3,none"), values_of_text("fit_intercept", "true,false")
    ((3, None), (True, False))
    >>> str(values_of_text("C", "loguniform(0.01,100)"))
    'loguniform(0.01,100)'
    """
    parts = split_models(text)
    if not parts:
        raise InputError(f"{name} has no values; {HOW}")
    found: list[Any] = []
    for part in parts:
        made = _item(name, part)
        if isinstance(made, Distribution):
            if len(parts) > 1:
                raise InputError(f"{name}={text}: a distribution stands alone, not in a list")
            return made
        found.extend(made)
    return tuple(found)


def _item(name: str, text: str) -> Any:
    match = RANGE.fullmatch(text)
    # .1...9 has two dots and a point
    if "..." in text and (match is None or match[1].endswith(".")):
        raise InputError(f"{name}={text}: a range has two dots: {re.sub('[.]{3,}', '..', text)}")
    if match:
        return _range(name, text, *match.groups())
    if (match := CALL.fullmatch(text)) and match[1]:
        return _call(name, text, match[1].lower(), match[2])
    if ".." in text:
        raise InputError(f"{name}={text}: no range; {HOW}")
    if ENDLESS.fullmatch(text):
        return [float(text)]
    return [parse_model(f"grid[{name}={text}]")[1][name]]


def _range(name: str, text: str, first: str, last: str, step: str | None) -> list[Any]:
    is_whole = all(re.fullmatch(r"[-+]?\d+", part) for part in (first, last, step or "1"))
    if not is_whole and step is None:
        raise InputError(f"{name}={text}: say how far apart, such as {first}..{last} step 0.1")
    low, high, by = float(first), float(last), float(step or 1)
    if by <= 0:
        raise InputError(f"{name}={text}: a step is above 0, unlike {step}")
    if high < low:
        raise InputError(f"{name}={text}: a range rises; write {last}..{first}")
    count = int((high - low) / by + 1e-9) + 1
    if count > MOST:
        raise InputError(f"{name}={text} has {count:,} values; take fewer, or log(a,b,n)")
    if is_whole:
        return list(range(int(first), int(last) + 1, int(step or 1)))
    # rounding keeps 0.1 + 2 * 0.1 from being 0.30000000000000004
    return [float(f"{low + index * by:.12g}") for index in range(count)]


def _call(name: str, text: str, function: str, inside: str) -> list[Any] | Distribution:
    known = (*SERIES, *DISTRIBUTIONS)
    if function not in known:
        hint = did_you_mean(function, known) or f"; there are {', '.join(known)}"
        raise InputError(f"{name}={text}: no series is called {function!r}{hint}")
    try:
        numbers = [float(part) for part in inside.split(",")]
    except ValueError:
        numbers = []
    wanted = 3 if function in SERIES else 2
    if len(numbers) != wanted or not all(map(isfinite, numbers)):
        how = f"{function}(first,last,count)" if wanted == 3 else f"{function}(low,high)"
        raise InputError(f"{name}={text}: write {how}, such as {_example(function)}")
    low, high = numbers[0], numbers[1]
    if function.startswith("log") and not (low > 0 and high > 0):
        raise InputError(f"{name}={text}: a series of equal ratios needs numbers above 0")
    if function in DISTRIBUTIONS:
        if not high > low:
            raise InputError(f"{name}={text}: a distribution goes from a lower to a higher number")
        return Distribution(function, low, high)
    count = numbers[2]
    if count != int(count) or not 1 <= count <= MOST:
        raise InputError(f"{name}={text}: the count is a whole number from 1")
    made = np.geomspace if function == "log" else np.linspace
    return [float(f"{value:.12g}") for value in made(low, high, int(count)).tolist()]


def _example(function: str) -> str:
    return {
        "log": "log(0.01,100,9)",
        "lin": "lin(0,1,11)",
        "uniform": "uniform(0,1)",
        "loguniform": "loguniform(0.01,100)",
        "int": "int(1,30)",
        "logint": "logint(1,1000)",
    }[function]
