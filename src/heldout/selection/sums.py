"""Sums over rows grow with the size of a split: the means that decide instead."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from heldout.core.errors import InputError
from heldout.measures.kinds import Sum
from heldout.measures.spec import parse_request

if TYPE_CHECKING:
    from heldout.measures.spec import Request

__all__ = ["by_mean", "lacks_parameter"]

#: cells of two classes, rows = truth, as they may be written
CELLS = {"profit": "10,-1;-5,0", "cost": "0,1;5,0"}


def by_mean(request: Request) -> Request:
    """The mean over rows of a sum over rows, which would grow with the size of a split."""
    kind = request.measure.kind
    if not isinstance(kind, Sum) or not kind.mean:
        raise InputError(
            f"{request.name} is a sum over rows, which grows with the size of a split; choose by "
            "a measure that does not"
        )
    made = parse_request(kind.mean)
    known = {one.name for one in made.measure.parameters}
    kept = tuple(pair for pair in request.parameters if pair[0] in known)
    return replace(made, parameters=kept)


def lacks_parameter(asked: Request, name: str) -> str:
    """What to say of a measure without a parameter that it needs, with an example."""
    measure = asked.measure.name
    cells = CELLS.get(asked.measure.cells) if name == "matrix" else None
    what = " (what each cell of the confusion matrix is worth, rows = truth)" if cells else ""
    return f'{asked.name} needs {name}{what}: write "{measure}[{name}={cells or "NUMBER"}]"'
