"""What an exact path says of rows that were left out, and which rows it cannot vouch for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from heldout.learners.outcome import ScoreKind

__all__ = ["Answer", "Learner", "by_decision", "by_log_posterior", "gaps"]

#: relative difference of two scores below which rounding may decide which is larger
TIE = 1e-9
#: log scores above this lose digits that probabilities between 0 and 1 still show
LARGE = 1e4
#: a lead in log scores that leaves nothing to the other classes (exp(-40) is 4e-18)
CERTAIN = 40.0


@dataclass(frozen=True, slots=True, eq=False)
class Answer:
    """Predictions of some rows; classes are numbered as the estimator orders them."""

    predicted: NDArray[Any]
    scores: NDArray[np.float64] | None
    #: of each row: whether refitting might say something else
    doubtful: NDArray[np.bool_]


class Learner(Protocol):
    """A learner whose models without some rows follow from sums over all rows."""

    #: the path's name, which the result shows
    name: str
    score_kind: ScoreKind
    #: rows a class must have in a training part
    least: int
    #: floats needed for each row that is left out alone
    width: int

    def one_out(self, rows: NDArray[np.int64]) -> Answer:
        """Each of the rows predicted by the model of all other rows."""

    def fold_out(self, rows: NDArray[np.int64]) -> Answer | None:
        """The rows predicted by the model of the rest; None where that must be refitted."""


def gaps(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """How far the largest score of each row leads the next.

    Examples
    --------
    >>> gaps(np.array([[1.0, 4.0, 2.5], [3.0, 3.0, 0.0]]))
    array([1.5, 0. ])
    """
    return _first_two(np.ascontiguousarray(scores.T))[1]


def _first_two(lines: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The largest of each column, and how far it leads the next.

    Lines are compared with each other whole: that a row has few classes costs nothing then.
    """
    top, second = np.maximum(lines[0], lines[1]), np.minimum(lines[0], lines[1])
    for line in lines[2:]:
        np.maximum(second, np.minimum(top, line), out=second)
        np.maximum(top, line, out=top)
    return top, top - second


def by_log_posterior(
    scores: NDArray[np.float64], doubtful: NDArray[np.bool_] | None = None
) -> Answer:
    """The class of the largest log posterior, and all posteriors as probabilities."""
    lines = np.ascontiguousarray(scores.T)
    predicted = scores.argmax(axis=1)
    top, lead = _first_two(lines)
    size = np.abs(top)
    # written so that NaN is doubtful, too
    doubts = ~(lead > TIE * (1.0 + size)) | ((size > LARGE) & (lead < CERTAIN))
    if doubtful is not None:
        doubts |= doubtful
    chances = lines - top
    np.exp(chances, out=chances)
    chances /= chances.sum(axis=0)
    return Answer(predicted, np.ascontiguousarray(chances.T), doubts)


def by_decision(
    decisions: NDArray[np.float64], doubtful: NDArray[np.bool_] | None = None
) -> Answer:
    """The class of the largest decision value; a single column decides by its sign."""
    if decisions.shape[1] == 1:
        values = decisions[:, 0]
        predicted = (values > 0).astype(np.int64)
        doubts = ~(np.abs(values) > TIE)
    else:
        predicted = decisions.argmax(axis=1)
        doubts = ~(gaps(decisions) > TIE)
    return Answer(predicted, decisions, doubts if doubtful is None else doubts | doubtful)
