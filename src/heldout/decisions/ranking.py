"""Models in order of a measure: best first, ties shared, undefined last."""

from __future__ import annotations

from dataclasses import dataclass
from math import isnan
from typing import TYPE_CHECKING

import numpy as np

from heldout.core.errors import InputError
from heldout.decisions.records import Recorded, limits_of
from heldout.measures.spec import Request, parse_request

if TYPE_CHECKING:
    from collections.abc import Mapping

    from heldout.decisions.records import Record
    from heldout.uncertainty.interval import Interval

#: values that differ by less, relative to their size, share a rank: the rest is rounding
TIE = 1e-12


@dataclass(frozen=True, slots=True)
class Ranked:
    """A model, its rank (None where the measure is undefined), and its value."""

    rank: int | None
    model: str
    value: float
    interval: Interval | None = None
    note: str = ""


@dataclass(frozen=True, slots=True)
class Ranking(Recorded):
    """Models from best to worst by one measure."""

    measure: str
    direction: str
    models: tuple[Ranked, ...]

    @property
    def best(self) -> tuple[str, ...]:
        """The models of rank 1."""
        return tuple(r.model for r in self.models if r.rank == 1)

    def rows(self) -> list[Record]:
        """A record for each model."""
        return [
            {
                "rank": r.rank,
                "model": r.model,
                self.measure: r.value,
                **limits_of(r.interval),
                "note": r.note,
            }
            for r in self.models
        ]


def ranking(
    values: Mapping[str, float],
    measure: Request | str,
    *,
    intervals: Mapping[str, Interval] | None = None,
    notes: Mapping[str, str] | None = None,
) -> Ranking:
    """The models in order; the registry knows which way the measure is good.

    Parameters
    ----------
    values
        The value of each model, NaN where undefined.
    measure
        Name, spec or request of the measure these are values of.
    intervals, notes
        Of some models: the limits of their values; what to know of them.

    Notes
    -----
    Equal values share the better rank and the next one is left out (1, 1, 3). An infinite
    cost is worse than any other but defined.

    Examples
    --------
    >>> ranking({"a": 0.2, "b": 0.1, "c": float("nan")}, "brier").rows()[0]["model"]
    'b'
    >>> [r.rank for r in ranking({"a": 0.2, "b": 0.1, "c": 0.2}, "brier").models]
    [1, 2, 2]
    """
    request = parse_request(measure) if isinstance(measure, str) else measure
    known = [name for name, value in values.items() if not isnan(value)]
    lost = [name for name, value in values.items() if isnan(value)]
    worse = {name: demerit(request, values[name]) for name in known}
    known.sort(key=lambda name: worse[name])
    models: list[Ranked] = []
    for number, name in enumerate(known, start=1):
        rank: int | None = number
        if models and _is_tie(worse[models[-1].model], worse[name]):
            rank = models[-1].rank
        own, note = (intervals or {}).get(name), (notes or {}).get(name, "")
        models.append(Ranked(rank, name, float(values[name]), own, note))
    reason = f"undefined: {request.measure.undefined or 'no rows'}"
    models += [Ranked(None, name, float("nan"), note=reason) for name in lost]
    return Ranking(request.name, request.measure.direction, tuple(models))


def demerit(request: Request, value: float) -> float:
    """The value turned so that less is better; an error where the measure does not judge.

    Examples
    --------
    >>> demerit(parse_request("auc"), 0.75), demerit(parse_request("brier"), 0.25)
    (-0.75, 0.25)
    """
    if request.measure.direction == "none":
        raise InputError(
            f"{request.name} has no direction in which it is "
            f"better, so models cannot be ranked by it"
        )
    return -float(request.measure.goodness(value))


def _is_tie(first: float, second: float) -> bool:
    return first == second or bool(np.isclose(first, second, rtol=TIE, atol=0.0))
