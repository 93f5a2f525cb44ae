"""The confusion matrices of a scorecard: those of each model, and of its folds and slices."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.assess.parts import fold_parts, repeat_parts, slice_parts
from heldout.core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from heldout.assess.parts import Part
    from heldout.engines.memory import Tallies
    from heldout.predictions.options import Cells
    from heldout.tally.confusion import Confusion


@dataclass(frozen=True, slots=True)
class Matrix:
    """The confusion counts of a model, of all its rows or of a part of them."""

    counts: Confusion
    model: str = ""
    repeat: str = ""
    fold: str = ""
    slice: str = ""

    @property
    def part(self) -> str:
        """The part in words; empty for all rows."""
        repeat = f"repeat {self.repeat}" if self.repeat else ""
        fold = f"fold {self.fold}" if self.fold else ""
        return self.slice or ", ".join(filter(None, (repeat, fold)))

    def shares(self, of: Cells = "truth") -> NDArray[Any]:
        """Each cell as a share of its true class, its predicted class or all; NaN of none.

        Rows are true classes.
        """
        counts = np.asarray(self.counts.matrix(), float)
        wholes = {
            "truth": counts.sum(axis=1, keepdims=True),
            "predicted": counts.sum(axis=0, keepdims=True),
            "all": counts.sum(),
        }
        if of not in wholes:
            raise InputError(f"shares are of {', '.join(wholes)}, not of {of!r}")
        with np.errstate(invalid="ignore"):
            shares: NDArray[Any] = counts / wholes[of]
        return shares


def matrices_of(
    tallies: Sequence[Tallies], *, folds: bool = False, slices: bool = False
) -> Iterator[Matrix]:
    """The matrix of each model that predicts classes, then those of its slices, repeats, folds."""
    for of_model in tallies:
        p = of_model.predictions
        if not of_model.has_labels or not p.classes:
            continue
        yield Matrix(of_model.confusion, p.model)
        if of_model.is_counted:
            continue
        parts: list[Part] = [*slice_parts(of_model)] if slices else []
        if folds:
            parts += [*repeat_parts(of_model), *fold_parts(of_model)]
        for part in parts:
            counts = part.tallies.confusion
            yield Matrix(counts, p.model, part.repeat, part.fold, part.slice)
