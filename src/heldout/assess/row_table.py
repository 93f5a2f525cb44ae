"""Row by row: what was predicted, how it came out, and what each measure says of that row alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.assess.values import losses_of
from heldout.core.errors import InputError
from heldout.curves.columns import Columns
from heldout.engines.row_columns import row_columns
from heldout.tally.moments import Moments

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from heldout.assess.scorecard import Scorecard
    from heldout.engines.memory import Tallies
    from heldout.measures.spec import Request

#: the measures of a row where none is named
OF_PROBABILITIES = ("log_loss", "brier", "information_score")
OF_VALUES = ("mae", "mse")


def row_table(card: Scorecard, measures: Sequence[str] = (), *, worst_by: str = "") -> Columns:
    """A row for each row of each model.

    Parameters
    ----------
    measures
        Measures that are a mean of what single rows add, such as the log loss: a column each,
        with the value that the measure has on that row alone.
    worst_by
        The measure by which rows are sorted, worst first; in the order of the table without it.
    """
    names = measures or _usual(card.tallies[0])
    if worst_by and worst_by not in names:
        names = (*names, worst_by)
    requests = card.requests(names)
    parts = []
    for tallies in card.tallies:
        columns = dict(_columns(tallies, requests))
        if worst_by:
            request = requests[list(names).index(worst_by)]
            merit = request.measure.goodness(columns[request.name])
            order = np.argsort(merit, kind="stable")  # an undefined value is last
            columns = {name: column[order] for name, column in columns.items()}
        model = {"model": tallies.predictions.model} if len(card.tallies) > 1 else {}
        parts.append((model, Columns(columns)))
    return Columns.stacked(parts)


def has_row_value(request: Request) -> bool:
    """Whether a measure is made of what single rows add, so that each has a value of its own."""
    return request.measure.needs == (Moments,)


def _usual(tallies: Tallies) -> tuple[str, ...]:
    """The measures of a row where none is named."""
    p = tallies.predictions
    if p.task == "regression":
        return OF_VALUES
    return OF_PROBABILITIES if tallies.has_scores and not p.score_problem else ()


def _columns(tallies: Tallies, requests: Sequence[Request]) -> Iterator[tuple[str, NDArray[Any]]]:
    if tallies.is_counted:
        raise InputError("a confusion matrix has no rows to show")
    yield from row_columns(tallies.predictions)
    for request in requests:
        if not has_row_value(request):
            raise InputError(
                f"{request.name} is not a sum or mean over rows, so single rows have no value"
            )
        ((loss, given),) = losses_of(request)
        alone = Moments.of_parts(tallies.losses(loss, given), np.arange(tallies.rows + 1))
        yield request.name, np.asarray(request.measure(alone, **request.values), float)
