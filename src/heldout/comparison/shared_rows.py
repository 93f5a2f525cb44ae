"""Rows that all models judged: kept alone where that is asked for, offered where others differ."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.comparison.row_keys import row_keys, shown_key
from heldout.comparison.same_rows import MOST_SHARED, SAME_TRUTH
from heldout.core.errors import InputError
from heldout.core.wording import plural

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from heldout.predictions.table import Predictions

__all__ = ["refuse_other_rows", "shared_rows"]

NAMED = 10


def shared_rows(predictions: Sequence[Predictions]) -> tuple[tuple[Predictions, ...], str]:
    """The rows that all models judged, by their ids, and how many are left out."""
    lacking = [p.model for p in predictions if p.identifier is None]
    if lacking:
        raise InputError(
            f"model {lacking[0]!r} has no id, so the rows that all models judged are unknown: "
            "name the column (--id), or leave --shared out"
        )
    keys = row_keys(predictions)
    common = keys[0]
    for one in keys[1:]:
        common = np.intersect1d(common, one)
    if not len(common):
        raise InputError("no row was judged by all models (--shared): there is nothing to compare")
    common = np.unique(common)
    kept = [
        p.take(np.flatnonzero(np.isin(key, common)))
        for p, key in zip(predictions, keys, strict=True)
    ]
    left = [
        f"{len(p) - len(made):,} of {p.model!r}"
        for p, made in zip(predictions, kept, strict=True)
        if len(made) < len(p)
    ]
    if not left:
        return tuple(predictions), ""
    return tuple(
        kept
    ), f"only rows that all models judged are compared; left out: {', '.join(left)}"


def refuse_other_rows(
    first: Predictions, first_keys: NDArray[Any], other: Predictions, other_keys: NDArray[Any]
) -> None:
    """An error where a model was judged on other rows, with how many both judged."""
    missing = np.setdiff1d(first_keys, other_keys)
    extra = np.setdiff1d(other_keys, first_keys)
    if not len(missing) and not len(extra):
        return
    parts = []
    for lost, here, there in ((missing, first, other), (extra, other, first)):
        if len(lost):
            names = ", ".join(shown_key(key) for key in lost[:NAMED])
            verb = "is" if len(lost) == 1 else "are"
            count = plural(len(lost), "id")
            parts.append(f"{count} of {here.model!r} {verb} not in {there.model!r}: {names}")
    fix = _advice(first, first_keys, other, other_keys)
    raise InputError(f"the models were judged on different rows; {'; '.join(parts)}. {fix}")


def _advice(
    first: Predictions, first_keys: NDArray[Any], other: Predictions, other_keys: NDArray[Any]
) -> str:
    """What can be done about rows of which some are the same."""
    both, mine, theirs = np.intersect1d(first_keys, other_keys, return_indices=True)
    same = "Judge both on the same rows, or"
    if not len(both) or np.mean(first.truth[mine] == other.truth[theirs]) < SAME_TRUTH:
        # ids that count the rows of every file name other rows
        return f"{same} say --unpaired"
    count = f"{len(both):,} of {plural(max(len(first), len(other)), 'row')}"
    fix = f"Both judged {count}. {same} compare these alone (--shared)"
    few = len(both) <= MOST_SHARED * min(len(first), len(other))
    return f"{fix}, or all as different ones (--unpaired)" if few else fix
