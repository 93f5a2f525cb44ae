"""Repeats that judge fewer rows than the others, which weigh as much as their rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from heldout.engines.memory import Tallies
    from heldout.predictions.table import Predictions

__all__ = ["incomplete_repeats", "weights_of_repeats"]

#: repeats that are named
NAMED = 3


def incomplete_repeats(tallies: Tallies) -> str:
    """Which repeats of folds have fewer rows than the fullest, as a clause; empty if none.

    A repeat without folds is a split of its own, and may well differ in size from others.
    """
    design = tallies.predictions.design
    if design.repeat is None or design.fold is None:
        return ""
    present, codes = np.unique(design.repeat.codes, return_inverse=True)
    sizes = np.bincount(codes)
    if len(present) < 2 or sizes.min() == sizes.max():
        return ""
    width = len(design.fold.levels)
    pairs = np.unique(codes * width + design.fold.codes)
    folds = np.bincount(pairs // width, minlength=len(present))
    if folds.max() == 1:
        return ""
    # a fold may be missing in every repeat, unless each repeat names its own
    is_shared = bool((np.bincount(pairs % width, minlength=width) > 1).any())
    wanted = width if is_shared else int(folds.max())
    is_short = (sizes < sizes.max()) | (folds < wanted)
    texts = []
    for place in np.flatnonzero(is_short)[:NAMED].tolist():
        name = design.repeat.levels[int(present[place])]
        lost = f"{folds[place]} of {wanted} folds, " if folds[place] < wanted else ""
        whole = f" of {sizes.max():,}" if folds[sizes.argmax()] == wanted else ""
        texts.append(f"repeat {name} has {lost}{sizes[place]:,}{whole} rows")
    more = " ..." if np.count_nonzero(is_short) > NAMED else ""
    return f"{', '.join(texts)}{more}"


def weights_of_repeats(predictions: Predictions) -> dict[str, float]:
    """What the rows of each repeat weigh together, by its name."""
    repeat = predictions.design.repeat
    assert repeat is not None
    sums = np.bincount(repeat.codes, predictions.weight, minlength=len(repeat.levels))
    return {str(level): float(weight) for level, weight in zip(repeat.levels, sums, strict=True)}
