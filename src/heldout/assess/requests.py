"""Which measures a scorecard shows: those asked for, the headline ones, or all."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from heldout.measures.spec import AVERAGES, Request, measures, parse_request
from heldout.tally.confusion import Binary

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["CLASSES_SHOWN", "averages_for", "requests_for"]

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
