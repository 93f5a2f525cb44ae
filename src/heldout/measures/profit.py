"""What predictions earn or cost, by the value of each cell of the confusion matrix."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from heldout.core.errors import InputError
from heldout.core.ratio import ratio
from heldout.measures.cell_values import cells_of
from heldout.measures.kinds import Mean, Sum
from heldout.measures.products import real
from heldout.measures.registry import measure
from heldout.tally.confusion import Confusion

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["cost", "cost_per_row", "profit", "profit_cells", "profit_per_row"]

KELLEHER = "Kelleher, Mac Namee and D'Arcy (2015), Fundamentals of Machine Learning, ch. 8"
ELKAN = "Elkan (2001), IJCAI, 973"


@measure(
    title="Profit",
    aliases=("total_profit",),
    direction="up",
    formula=r"\sum_{ij} n_{ij} v_{ij}",
    undefined="",
    reference=KELLEHER,
    averaged=False,
    reaches_best=False,
    kind=Sum("profit_per_row"),
)
def profit(c: Confusion, *, matrix: Any = None) -> Any:
    """What all predictions earn together.

    Parameters
    ----------
    matrix
        The profit of each cell, rows = truth, columns = predicted; or the same as text.

    Examples
    --------
    >>> profit(Confusion.from_matrix([[57, 3], [10, 30]]), matrix=((140, -140), (-700, 0)))
    560.0
    """
    return _total(c, matrix, "profit")


@measure(
    title="Profit per row",
    aliases=("mean_profit", "average_profit"),
    direction="up",
    formula=r"\frac{1}{n} \sum_{ij} n_{ij} v_{ij}",
    undefined="there are no rows",
    reference=KELLEHER,
    averaged=False,
    reaches_best=False,
    kind=Mean(),
)
def profit_per_row(c: Confusion, *, matrix: Any = None) -> Any:
    """What a prediction earns in the mean.

    Examples
    --------
    >>> profit_per_row(Confusion.from_matrix([[57, 3], [10, 30]]), matrix="140,-140;-700,0")
    5.6
    """
    return ratio(_total(c, matrix, "profit_per_row"), c.total)


@measure(
    title="Cost",
    aliases=("total_cost", "misclassification_cost"),
    direction="down",
    formula=r"\sum_{ij} n_{ij} c_{ij}",
    undefined="",
    reference=ELKAN,
    averaged=False,
    reaches_best=False,
    kind=Sum("cost_per_row"),
)
def cost(c: Confusion, *, matrix: Any = None) -> Any:
    """What all predictions cost together.

    Examples
    --------
    >>> cost(Confusion.from_matrix([[57, 3], [10, 30]]), matrix=((0, 1), (5, 0)))
    53.0
    """
    return _total(c, matrix, "cost")


@measure(
    title="Cost per row",
    aliases=("mean_cost", "average_cost", "expected_cost"),
    direction="down",
    formula=r"\frac{1}{n} \sum_{ij} n_{ij} c_{ij}",
    undefined="there are no rows",
    reference=ELKAN,
    averaged=False,
    reaches_best=False,
    kind=Mean(),
)
def cost_per_row(c: Confusion, *, matrix: Any = None) -> Any:
    """What a prediction costs in the mean.

    Examples
    --------
    >>> cost_per_row(Confusion.from_matrix([[57, 3], [10, 30]]), matrix=((0, 1), (5, 0)))
    0.53
    """
    return ratio(_total(c, matrix, "cost_per_row"), c.total)


def profit_cells(c: Confusion, matrix: Any) -> NDArray[np.float64]:
    """What each cell of the confusion matrix earns in all, rows = truth.

    Examples
    --------
    >>> profit_cells(Confusion.from_matrix([[57, 3], [10, 30]]), ((140, -140), (-700, 0)))
    array([[ 7980.,  -420.],
           [-7000.,     0.]])
    """
    earned: NDArray[np.float64] = c.matrix() * cells_of(matrix, classes=c.classes)
    return earned


def _total(c: Confusion, matrix: Any, name: str) -> Any:
    if matrix is None:
        raise InputError(
            f"{name} needs the value of each cell, rows = truth: matrix=140,-140;-700,0"
        )
    values = cells_of(matrix, classes=c.classes, where=f"the matrix of {name}")
    sums = (real(c.counts) * values.ravel()[c.cells]).sum(axis=-1)
    return sums if sums.ndim else float(sums)
