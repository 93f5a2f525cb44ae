"""Grids: which settings of which model are tried, counted before any of them is made."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product
from math import prod
from typing import TYPE_CHECKING, Any

from heldout.core.errors import InputError
from heldout.core.nearest import did_you_mean
from heldout.core.portable import Bits
from heldout.core.random import stream
from heldout.selection.values import is_distribution, values_of, values_of_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

__all__ = ["Grid", "drawn_settings", "grids_of", "parse_grids"]

TEXT = re.compile(r"(?:(.+):\s*)?([A-Za-z_]\w*)\s*=\s*(.+)", re.DOTALL)
HOW = 'write --grid n_neighbors=1..30, or --grid "knn: n_neighbors=1..30" for one of several models'
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
                "(--random 50, random=50)"
            )
        return prod(len(values) for values in self.values.values())

    @property
    def distributions(self) -> list[str]:
        """The parameters that can only be drawn."""
        return [name for name, values in self.values.items() if is_distribution(values)]

    def settings(self) -> Iterator[dict[str, Any]]:
        """All combinations, in scikit-learn's order: by name, the last name varies fastest."""
        len(self)
        names = sorted(self.values)
        for combination in product(*(self.values[name] for name in names)):
            found = dict(zip(names, combination, strict=True))
            yield {name: found[name] for name in self.values}


def parse_grids(texts: Sequence[str], models: Sequence[str]) -> dict[str, list[Grid]]:
    """The grid of each model from texts such as ``n_neighbors=1..30`` or ``knn: n_neighbors=5``.

    Texts without the name of a model are for all of them.

    Examples
    --------
    >>> made = parse_grids(["knn: n_neighbors=1..3"], ["knn", "lda"])
    >>> [len(grid) for grid in made["knn"]], [len(grid) for grid in made["lda"]]
    ([3], [1])
    """
    values: dict[str, dict[str, Any]] = {name: {} for name in models}
    for text in texts:
        parts = [piece.strip() for piece in text.split(";") if piece.strip()]
        if not parts:
            raise InputError(f"--grid {text!r} is empty; {HOW}")
        for part in parts:
            match = TEXT.fullmatch(part)
            if match is None:
                raise InputError(f"--grid {part!r} is no parameter with values; {HOW}")
            prefix, name, listed = match.groups()
            for model in _meant(part, prefix, models):
                if name in values[model]:
                    raise InputError(f"--grid gives {name} twice; list all its values in one")
                values[model][name] = values_of_text(name, listed)
    return {name: [Grid(found)] for name, found in values.items()}


def _meant(text: str, prefix: str | None, models: Sequence[str]) -> Sequence[str]:
    if prefix is None:
        return models
    asked = prefix.strip()
    found = [name for name in models if asked in (name, name.partition("[")[0])]
    if not found:
        hint = did_you_mean(asked, models) or f"; the models are {', '.join(models)}"
        raise InputError(f"--grid {text!r}: no model is called {asked!r}{hint}")
    return found


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
    if listed and all(isinstance(one, str) for one in listed):
        return parse_grids(listed, models)
    return {name: _one(listed, name) for name in models}


def _is_parameters(given: Mapping[str, Any]) -> bool:
    return not all(
        one is None
        or isinstance(one, Mapping)
        or (isinstance(one, (list, tuple)) and all(isinstance(part, Mapping) for part in one))
        or (isinstance(one, str) and "=" in one)
        for one in given.values()
    )


def _one(given: Any, model: str) -> list[Grid]:
    if given is None:
        return [Grid({})]
    if isinstance(given, str):
        return parse_grids([given], [model])[model]
    several = [given] if isinstance(given, Mapping) else list(given)
    if not several:
        raise InputError(f"the grid of {model} is empty; give at least one setting")
    for one in several:
        if not isinstance(one, Mapping):
            raise InputError(f"a grid is a mapping of parameters to values, not {one!r}")
    return [Grid({str(key): values_of(str(key), one[key]) for key in one}) for one in several]


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
        raise InputError(f"--random {count} (random=): draw 1 setting or more")
    if not any(grid.distributions for grid in grids):
        return _without_repetition(grids, count, seed, name)
    generator = stream(seed, "settings", name)
    found: dict[str, dict[str, Any]] = {}
    for _ in range(count * TRIES):
        grid = grids[int(generator.integers(len(grids)))]
        setting = {key: _drawn(values, generator) for key, values in grid.values.items()}
        found.setdefault(repr(setting), setting)
        if len(found) == count:
            break
    return list(found.values())


def _without_repetition(
    grids: Sequence[Grid], count: int, seed: int, name: str
) -> list[dict[str, Any]]:
    total = sum(len(grid) for grid in grids)
    picked = sorted(_picked(total, min(count, total), Bits(seed, "settings", name)))
    made = []
    for place in picked:
        left = int(place)
        for grid in grids:
            if left < len(grid):
                made.append(_at(grid, left))
                break
            left -= len(grid)
    return made


def _picked(total: int, count: int, bits: Bits) -> list[int]:
    """So many different numbers below the total."""
    if total <= SHUFFLED:
        return bits.permutation(total)[:count].tolist()
    found: dict[int, None] = {}
    while len(found) < count:
        found.update(dict.fromkeys(bits.draws(count, total).tolist()))
    return list(found)[:count]


def _at(grid: Grid, place: int) -> dict[str, Any]:
    """The combination at a place, without making those before it."""
    found = {}
    for name in sorted(grid.values, reverse=True):
        place, index = divmod(place, len(grid.values[name]))
        found[name] = grid.values[name][index]
    return {name: found[name] for name in grid.values}


def _drawn(values: Any, generator: Any) -> Any:
    if hasattr(values, "draw"):
        return values.draw(generator)
    if hasattr(values, "rvs"):
        drawn = values.rvs(random_state=generator)
        return drawn.item() if hasattr(drawn, "item") else drawn
    return values[int(generator.integers(len(values)))]
