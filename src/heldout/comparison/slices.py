"""The same differences in slices of the rows, so that an overall verdict hides none of them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from heldout.comparison.aligned import Aligned
from heldout.comparison.design import design_of
from heldout.comparison.judged import Judged
from heldout.comparison.pair import pair_difference
from heldout.core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from heldout.comparison.difference import Difference
    from heldout.comparison.options import CompareOptions
    from heldout.measures.spec import Request

__all__ = ["slice_differences"]

#: slices of one column beyond which nobody reads on
MOST = 100


def slice_differences(
    requests: Sequence[Request],
    aligned: Aligned,
    options: CompareOptions,
    pairs: Sequence[tuple[int, int]],
) -> tuple[list[Difference], list[str]]:
    """The pairs by every measure in every slice, and which slices have no comparison, and why."""
    made: list[Difference] = []
    notes: list[str] = []
    columns = aligned.predictions[0].slices
    if not columns:
        return made, notes
    if not aligned.is_paired:
        raise InputError("slices are compared on the same rows: leave out --by or --unpaired")
    for column in columns:
        if len(column.levels) > MOST:
            raise InputError(
                f"column {column.name!r} has {len(column.levels):,} values: slices are compared up "
                f"to {MOST}"
            )
        for code, level in enumerate(column.levels):
            rows = np.flatnonzero(column.codes == code)
            if not len(rows):
                continue
            name = f"{column.name}={level}"
            part = Aligned(tuple(p.take(rows) for p in aligned.predictions), True, aligned.note)
            try:
                design = design_of(part)
                judged = Judged(part)
                found = [
                    pair_difference(request, judged, design, pair, options)
                    for request in requests
                    for pair in pairs
                ]
            except InputError as error:
                notes.append(f"{name}, {len(rows):,} rows: {error}")
                continue
            made += [replace(d, slice=name) for d in found]
    return made, notes
