"""Whether models were judged on the same rows: columns that must agree, ids that must not."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from heldout.comparison.row_keys import level_text, row_keys, shown_key
from heldout.core.errors import InputError
from heldout.core.wording import plural

if TYPE_CHECKING:
    from collections.abc import Sequence

    from heldout.predictions.table import Column, Predictions

__all__ = ["MOST_SHARED", "SAME_TRUTH", "refuse_other_columns", "unpaired_note"]

#: share of the smaller model's ids in the other, and of equal truth there: the same rows
MOST_SHARED = 0.5
SAME_TRUTH = 0.95
OVERLAP = (
    "rows that both models judged are taken as different too, so that a difference is shown less "
    "readily than it could be (compare those rows alone, paired: --shared, shared=True)"
)


def refuse_other_columns(predictions: Sequence[Predictions]) -> None:
    """An error where the same row is of another group or slice in another model."""
    first = predictions[0]
    for other in predictions[1:]:
        for role, mine in (("group", first.design.group), *(("slice", c) for c in first.slices)):
            if role == "group":
                theirs = other.design.group
            else:
                assert mine is not None
                theirs = next((c for c in other.slices if c.name == mine.name), None)
            if mine is not None and theirs is not None:
                _refuse_other_values(first, mine, other, theirs, role)


def _refuse_other_values(
    first: Predictions, mine: Column, other: Predictions, theirs: Column, role: str
) -> None:
    names = {level_text(level) for column in (mine, theirs) for level in column.levels}
    place = {name: number for number, name in enumerate(sorted(names))}
    here, there = (
        np.array([place[level_text(level)] for level in column.levels], int)[column.codes]
        for column in (mine, theirs)
    )
    differs = here != there
    if not differs.any():
        return
    row = int(np.argmax(differs))
    if first.identifier is None:
        where = f"row {row + 1:,}"
    else:
        where = f"id {shown_key(row_keys([first])[0][row])}"
    count = int(differs.sum())
    more = f" ({plural(count, 'row')} in all)" if count > 1 else ""
    raise InputError(
        f"{where} is of {role} {mine.name}={level_text(mine.levels[mine.codes[row]])} in "
        f"{_called(first)} and {theirs.name}={level_text(theirs.levels[theirs.codes[row]])} in "
        f"{_called(other)}{more}: mend the {role} in one of them"
    )


def _called(p: Predictions) -> str:
    """A model with the file it came from."""
    return f"{p.model!r} ({p.source})" if p.source and p.source != p.model else repr(p.model)


def unpaired_note(predictions: Sequence[Predictions], *, force: bool = False) -> str:
    """What to know of rows that are taken as different; an error where they are the same.

    Ids that count rows from 1 in every file may be the same by chance: the truth tells.
    """
    said = "rows are taken as different: the comparison is unpaired"
    if any(p.identifier is None for p in predictions):
        return said
    keys = row_keys(predictions)
    for place, other in enumerate(predictions):
        for before, first in enumerate(predictions[:place]):
            both, mine, theirs = np.intersect1d(keys[before], keys[place], return_indices=True)
            if not len(both) or np.mean(first.truth[mine] == other.truth[theirs]) < SAME_TRUTH:
                continue
            shared = f"{plural(len(both), 'id')} of {first.model!r} and {other.model!r}"
            if len(both) <= MOST_SHARED * min(len(first), len(other)):
                said += f"; {shared} {'is' if len(both) == 1 else 'are'} the same: {OVERLAP}"
                continue
            is_all = len(both) == len(first) == len(other)
            rows = "on the same rows" if is_all else "partly on the same rows"
            if force:
                return (
                    f"NOT VALID for this design (the same rows), run by force: the models were "
                    f"judged {rows} ({shared} are the same), and what they share does not cancel"
                )
            if is_all:
                raise InputError(
                    f"the models were judged on the same rows ({shared} are the same, with the "
                    "same truth), so they are paired: leave --unpaired out, or say --force"
                )
            raise InputError(
                f"{len(both):,} of the {len(first):,} rows of {first.model!r} and of the "
                f"{len(other):,} of {other.model!r} are the same, with the same truth, and these "
                "are paired: compare them alone (--shared instead of --unpaired), or say --force"
            )
    return said
