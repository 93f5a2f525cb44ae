"""Grids: values of parameters, as Python or text has them, and all their combinations."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from math import exp, isfinite, log, prod
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.core.dialect import argument
from heldout.core.errors import InputError
from heldout.core.nearest import hint_of
from heldout.core.portable import Bits
from heldout.core.random import stream
from heldout.core.specs import literal, name_of, split_list

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.random import Generator

NUMBER = r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"
RANGE = re.compile(rf"({NUMBER})\s*\.\.\s*({NUMBER})(?:\s+step\s+({NUMBER}))?")
CALL = re.compile(r"([A-Za-z_]+)\s*\((.*)\)", re.DOTALL)
#: larger than every number, as scikit-learn's C may be
ENDLESS = re.compile(r"[-+]?inf(?:inity)?", re.IGNORECASE)
#: series of so many numbers, and what a random search draws from, each with an example
SERIES = {"log": "log(0.01,100,9)", "lin": "lin(0,1,11)"}
DISTRIBUTIONS = {
    "uniform": "uniform(0,1)",
    "loguniform": "loguniform(0.01,100)",
    "int": "int(1,30)",
    "logint": "logint(1,1000)",
}
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
    parts = split_list(text)
    if not parts:
        raise InputError(f"{name} has no values; {HOW}")
    values: list[Any] = []
    for part in parts:
        item = _item(name, part)
        if isinstance(item, Distribution):
            if len(parts) > 1:
                raise InputError(f"{name}={text}: a distribution cannot be one of several values")
            return item
        values.extend(item)
    return tuple(values)


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
        raise InputError(f"{name}={text}: not a range; {HOW}")
    if ENDLESS.fullmatch(text):
        return [float(text)]
    return [literal(text)]


def _range(name: str, text: str, first: str, last: str, step: str | None) -> list[Any]:
    is_whole = all(re.fullmatch(r"[-+]?\d+", part) for part in (first, last, step or "1"))
    if not is_whole and step is None:
        raise InputError(f"{name}={text}: say how far apart, such as {first}..{last} step 0.1")
    low, high, by = float(first), float(last), float(step or 1)
    if by <= 0:
        raise InputError(f"{name}={text}: the step must be above 0, not {step}")
    if high < low:
        raise InputError(f"{name}={text}: a range goes from low to high; write {last}..{first}")
    count = int((high - low) / by + 1e-9) + 1
    if count > MOST:
        raise InputError(f"{name}={text} has {count:,} values; use fewer, or log(a,b,n)")
    if is_whole:
        return list(range(int(first), int(last) + 1, int(step or 1)))
    # rounding keeps 0.1 + 2 * 0.1 from being 0.30000000000000004
    return [float(f"{low + index * by:.12g}") for index in range(count)]


def _call(name: str, text: str, function: str, inside: str) -> list[Any] | Distribution:
    known = SERIES | DISTRIBUTIONS
    if function not in known:
        hint = hint_of(function, known)
        raise InputError(f"{name}={text}: no series is called {function!r}{hint}")
    try:
        numbers = [float(part) for part in inside.split(",")]
    except ValueError:
        numbers = []
    wanted = 3 if function in SERIES else 2
    if len(numbers) != wanted or not all(map(isfinite, numbers)):
        how = f"{function}(first,last,count)" if wanted == 3 else f"{function}(low,high)"
        raise InputError(f"{name}={text}: write {how}, such as {known[function]}")
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
    series = np.geomspace if function == "log" else np.linspace
    return [float(f"{value:.12g}") for value in series(low, high, int(count)).tolist()]


TEXT = re.compile(r"(?:(.+):\s*)?([A-Za-z_]\w*)\s*=\s*(.+)", re.DOTALL)
HOW_GRID = (
    'write --grid n_neighbors=1..30, or --grid "knn: n_neighbors=1..30" for one of several models'
)
#: draws after which a random search gives up to find settings that are new
TRIES = 50
#: combinations up to which a random search shuffles them all
SHUFFLED = 1_000_000


@dataclass(frozen=True, slots=True)
class Grid:
    """Values by parameter; the settings are all their combinations.

    Examples
    --------
    >>> grid = Grid({"k": (1, 3), "weights": ("uniform",)})
    >>> len(grid), list(grid.settings())
    (2, [{'k': 1, 'weights': 'uniform'}, {'k': 3, 'weights': 'uniform'}])
    """

    values: Mapping[str, Any]

    def __len__(self) -> int:
        if open_ended := self.distributions:
            raise InputError(
                f"{open_ended[0]} is drawn from a distribution: say how many settings to draw "
                f"({argument('random', 50)})"
            )
        return prod(len(values) for values in self.values.values())

    @property
    def distributions(self) -> list[str]:
        """The parameters that can only be drawn."""
        return [name for name, values in self.values.items() if is_distribution(values)]

    def settings(self) -> Iterator[dict[str, Any]]:
        """All combinations, in scikit-learn's order: by name, the last name varies fastest."""
        return map(self.setting, range(len(self)))

    def setting(self, number: int) -> dict[str, Any]:
        """The combination of a number, without making those before it."""
        values = {}
        for name in sorted(self.values, reverse=True):
            number, offset = divmod(number, len(self.values[name]))
            values[name] = self.values[name][offset]
        return {name: values[name] for name in self.values}


def parse_grids(texts: Sequence[str], models: Sequence[str]) -> dict[str, list[Grid]]:
    """The grid of each model from texts such as ``n_neighbors=1..30`` or ``knn: n_neighbors=5``.

    Texts without the name of a model are for all of them.

    Examples
    --------
    >>> grids = parse_grids(["knn: n_neighbors=1..3"], ["knn", "lda"])
    >>> [len(grid) for grid in grids["knn"]], [len(grid) for grid in grids["lda"]]
    ([3], [1])
    """
    values: dict[str, dict[str, Any]] = {name: {} for name in models}
    for text in texts:
        parts = split_list(text, ";")
        if not parts:
            raise InputError(f"--grid {text!r} is empty; {HOW_GRID}")
        for part in parts:
            match = TEXT.fullmatch(part)
            if match is None:
                raise InputError(f"--grid {part!r} is not a parameter with values; {HOW_GRID}")
            prefix, name, listed = match.groups()
            for model in _meant(part, prefix, models):
                if name in values[model]:
                    raise InputError(f"--grid gives {name} twice; list all its values in one")
                values[model][name] = values_of_text(name, listed)
    return {name: [Grid(own)] for name, own in values.items()}


def _meant(text: str, prefix: str | None, models: Sequence[str]) -> Sequence[str]:
    if prefix is None:
        return models
    asked = prefix.strip()
    named = [name for name in models if asked in (name, name_of(name))]
    if not named:
        hint = hint_of(asked, models)
        raise InputError(f"--grid {text!r}: no model is called {asked!r}{hint}")
    return named


def grids_of(given: Any, models: Sequence[str]) -> dict[str, list[Grid]]:
    """The grids of each model as Python has them.

    ``given`` is a text or several; a mapping of parameters to values; a list of such mappings
    (grids of their own, or single settings); or a mapping of models' names to any of these.
    """
    if given is None:
        return {name: [Grid({})] for name in models}
    if isinstance(given, str):
        return parse_grids([given], models)
    if isinstance(given, Mapping):
        if given and set(given) <= set(models) and not _is_parameters(given):
            return {name: _one(given.get(name), name) for name in models}
        return {name: _one(given, name) for name in models}
    listed = list(given)
    if listed and all(isinstance(text, str) for text in listed):
        return parse_grids(listed, models)
    return {name: _one(listed, name) for name in models}


def _is_parameters(given: Mapping[str, Any]) -> bool:
    return not all(
        part is None
        or isinstance(part, Mapping)
        or (isinstance(part, (list, tuple)) and all(isinstance(item, Mapping) for item in part))
        or (isinstance(part, str) and "=" in part)
        for part in given.values()
    )


def _one(given: Any, model: str) -> list[Grid]:
    if given is None:
        return [Grid({})]
    if isinstance(given, str):
        return parse_grids([given], [model])[model]
    several = [given] if isinstance(given, Mapping) else list(given)
    if not several:
        raise InputError(f"the grid of {model} is empty; give at least one setting")
    for mapping in several:
        if not isinstance(mapping, Mapping):
            raise InputError(f"a grid is a mapping of parameters to values, not {mapping!r}")
    return [
        Grid({str(key): values_of(str(key), mapping[key]) for key in mapping})
        for mapping in several
    ]


def drawn_settings(
    grids: Sequence[Grid], count: int, *, seed: int, name: str = ""
) -> list[dict[str, Any]]:
    """Distinct settings drawn at random; fewer where there are not as many.

    A grid of several is drawn by its share of all combinations, or evenly where one of them
    has no end.

    Examples
    --------
    >>> drawn_settings([Grid({"k": (1, 2, 3)})], 2, seed=0)
    [{'k': 1}, {'k': 2}]
    """
    if count < 1:
        raise InputError(f"{argument('random', count)}: draw 1 setting or more")
    if not any(grid.distributions for grid in grids):
        return _without_repetition(grids, count, seed, name)
    generator = stream(seed, "settings", name)
    settings: dict[str, dict[str, Any]] = {}
    for _ in range(count * TRIES):
        grid = grids[int(generator.integers(len(grids)))]
        setting = {key: _drawn(values, generator) for key, values in grid.values.items()}
        settings.setdefault(repr(setting), setting)
        if len(settings) == count:
            break
    return list(settings.values())


def _without_repetition(
    grids: Sequence[Grid], count: int, seed: int, name: str
) -> list[dict[str, Any]]:
    total = sum(len(grid) for grid in grids)
    picked = sorted(_picked(total, min(count, total), Bits(seed, "settings", name)))
    settings = []
    for number in picked:
        left = int(number)
        for grid in grids:
            if left < len(grid):
                settings.append(grid.setting(left))
                break
            left -= len(grid)
    return settings


def _picked(total: int, count: int, bits: Bits) -> list[int]:
    """So many different numbers below the total."""
    if total <= SHUFFLED:
        return bits.permutation(total)[:count].tolist()
    numbers: dict[int, None] = {}
    while len(numbers) < count:
        numbers.update(dict.fromkeys(bits.draws(count, total).tolist()))
    return list(numbers)[:count]


def _drawn(values: Any, generator: Any) -> Any:
    if hasattr(values, "draw"):
        return values.draw(generator)
    if hasattr(values, "rvs"):
        drawn = values.rvs(random_state=generator)
        return drawn.item() if hasattr(drawn, "item") else drawn
    return values[int(generator.integers(len(values)))]
