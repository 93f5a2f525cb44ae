"""Rows as a loss function sees them: probabilities with their truth, or values with their truth."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from math import nan
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.core.ratio import unrounded

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class ProbabilityRows:
    """Class probabilities of rows whose true class is known.

    ``probability`` is that of the positive class (two classes, one dimension), or has one
    column a class. A classifier that gives labels only is ``predicted`` codes without
    ``probability``: it counts as probability 1 on its class. ``prior`` has a row for each
    distinct prior, ``prior_codes`` says which belongs to each row (None: the first).
    ``prior_is_counts``: the prior is class counts of the training part.
    """

    truth: NDArray[Any]
    probability: NDArray[np.float64] | None
    predicted: NDArray[Any] | None
    classes: int
    positive: int | None = None
    weight: NDArray[np.float64] | None = None
    prior: NDArray[np.float64] | None = None
    prior_codes: NDArray[Any] | None = None
    prior_is_counts: bool = False
    #: two classes: the probability of the negative one, where 1 less the other has lost its digits
    against: NDArray[np.float64] | None = None

    def __len__(self) -> int:
        return len(self.truth)

    def take(self, rows: slice) -> ProbabilityRows:
        """Some of the rows."""

        def part(values: NDArray[Any] | None) -> NDArray[Any] | None:
            return None if values is None else values[rows]

        return replace(
            self,
            truth=self.truth[rows],
            probability=part(self.probability),
            predicted=part(self.predicted),
            weight=part(self.weight),
            prior_codes=part(self.prior_codes),
            against=part(self.against),
        )

    @property
    def is_binary(self) -> bool:
        """Whether there are two classes, one of them positive."""
        return self.positive is not None

    @property
    def is_certain(self) -> bool:
        """Whether only labels were given: probability 1 on one class, 0 on all others.

        Losses of such rows need no column a class, which 100,000 classes could not have.
        """
        return self.probability is None

    @cached_property
    def is_positive(self) -> NDArray[np.bool_]:
        """Which rows are positive (two classes)."""
        return np.asarray(self.truth == self.positive)

    @cached_property
    def of_positive(self) -> NDArray[np.float64]:
        """The probability of the positive class (two classes)."""
        if self.probability is None:
            return np.asarray(self.predicted == self.positive, float)
        return (
            self.probability if self.probability.ndim == 1 else self.probability[:, self.positive]
        )

    @cached_property
    def of_truth(self) -> NDArray[np.float64]:
        """The probability that was given to the class that came true."""
        if self.probability is None:
            return np.asarray(self.truth == self.predicted, float)
        if self.probability.ndim == 1:
            against = 1 - self.probability if self.against is None else self.against
            return np.where(self.is_positive, self.probability, against)
        return self.probability[np.arange(len(self)), self.truth]

    @cached_property
    def matrix(self) -> NDArray[np.float64]:
        """One column of probability a class."""
        if self.probability is not None and self.probability.ndim == 2:
            return self.probability
        if self.probability is None:
            chosen = np.asarray(self.predicted)[:, None] == np.arange(self.classes)
            return chosen.astype(np.float64)
        against = 1 - self.probability if self.against is None else self.against
        columns = [against, self.probability]
        return np.stack(columns if self.positive == 1 else columns[::-1], axis=1)


@dataclass(frozen=True, eq=False)
class ValueRows:
    """Predicted numbers beside true ones; a naive forecast and the training mean if known."""

    truth: NDArray[np.float64]
    predicted: NDArray[np.float64]
    weight: NDArray[np.float64] | None = None
    naive: NDArray[np.float64] | None = None
    train_mean: NDArray[np.float64] | None = None

    def __len__(self) -> int:
        return len(self.truth)

    def take(self, rows: slice) -> ValueRows:
        """Some of the rows."""

        def part(values: NDArray[Any] | None) -> NDArray[Any] | None:
            return None if values is None else values[rows]

        return ValueRows(
            self.truth[rows],
            self.predicted[rows],
            part(self.weight),
            part(self.naive),
            part(self.train_mean),
        )

    @cached_property
    def error(self) -> NDArray[np.float64]:
        """Predicted minus true value."""
        return self.predicted - self.truth

    def error_of(self, forecast: NDArray[np.float64] | None) -> NDArray[np.float64]:
        """The error of a simple forecast, 0 where it is rounding; NaN without a forecast."""
        if forecast is None:
            return np.full(len(self), nan)
        return np.asarray(unrounded(forecast - self.truth, self.truth))
