"""What an audit has to look at; checks take what they need and pass over the rest."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from karat.datasets.dataset import Dataset
    from karat.predictions.table import Predictions
    from karat.procedures.splits import Splits

__all__ = ["Material"]


@dataclass(frozen=True, eq=False)
class Material:
    """Data, splits and predictions under audit; whatever is not at hand is None or empty.

    Either ``train`` and ``test`` are two data sets, or ``data`` is one with its ``splits``.
    """

    train: Dataset | None = None
    test: Dataset | None = None
    data: Dataset | None = None
    splits: Splits | None = None
    predictions: tuple[Predictions, ...] = ()
    #: whether labels were made by a threshold that was chosen on these very rows
    chosen_threshold: str = ""
    #: how many models were looked at on this very test set before
    looks: int = 0
    #: which measures are asked for; empty: not known
    measures: tuple[str, ...] = field(default_factory=tuple)
