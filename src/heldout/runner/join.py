"""Outcomes put together: those of single splits and of blocks of splits, in the order of splits."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.learners.outcome import Outcome, Part

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from heldout.core.arrays import Array, Floats, Integers

#: the arrays of an outcome that hold a value per row or a split, and those that a piece may lack
OF_ROWS = ("rows", "predicted")
OF_SPLITS = ("splits", "train_counts", "train_mean", "train_rows")
TIMES = ("fit_seconds", "predict_seconds")


def nothing(part: Part = "test") -> Outcome:
    """The outcome of no split at all."""
    none = np.zeros(0, dtype=np.int64)
    return Outcome(none, none.astype(np.int32), none, none, part=part)


def failed(position: int, message: str, part: Part = "test") -> Outcome:
    """The outcome of a split that gave nothing."""
    return replace(nothing(part), failures=((position, message),))


def covered(outcome: Outcome) -> Integers:
    """The splits that an outcome is of, those that failed too."""
    failures = np.array([position for position, _ in outcome.failures], dtype=np.int64)
    return np.concatenate([outcome.splits, failures])


def join(outcomes: Iterable[Outcome], part: Part = "test") -> Outcome:
    """One outcome of all splits, in the order of their positions.

    A split that comes twice counts once, as it came first. Failed splits are not among
    ``splits``; they are in ``failures``, unless another outcome has them. Scores of different
    kinds (decision values here, none there) cannot be judged together: only labels are kept.
    """
    all_parts = list(outcomes)
    pieces = sorted((o for o in all_parts if len(o.splits)), key=lambda o: int(o.splits[0]))
    failures = {position: text for o in all_parts for position, text in o.failures}
    warnings = tuple(sorted({warning for o in all_parts for warning in o.warnings}))
    if not pieces:
        return replace(nothing(part), failures=_sorted(failures), warnings=warnings)
    whole = pieces[0] if len(pieces) == 1 else _below_each_other(pieces)
    if len(whole.splits) > 1 and np.any(np.diff(whole.splits) <= 0):
        whole = _in_order(whole)
    for position in whole.splits.tolist() if failures else ():
        failures.pop(position, None)
    return replace(whole, failures=_sorted(failures), warnings=warnings)


def _sorted(failures: dict[int, str]) -> tuple[tuple[int, str], ...]:
    return tuple(sorted(failures.items()))


def _below_each_other(pieces: Sequence[Outcome]) -> Outcome:
    """The pieces in the order given; ``splits`` may fall or repeat."""
    # a split that tests no row says nothing of the scores
    telling = [o for o in pieces if len(o.rows)] or pieces
    kinds = {kind for o in telling for kind in o.mixed_kinds or (o.score_kind,)}
    is_mixed = len(kinds) > 1
    counts = np.array([len(o.splits) for o in pieces])
    shift = np.repeat(np.cumsum(counts) - counts, [len(o.rows) for o in pieces])
    split_of = np.concatenate([o.split_of for o in pieces]) + shift
    arrays: dict[str, Any] = {name: _seconds(pieces, name) for name in TIMES}
    for name in (*OF_ROWS, *OF_SPLITS):
        arrays[name] = _together([getattr(o, name) for o in pieces])
    return replace(
        pieces[0],
        **arrays,
        split_of=split_of.astype(np.int32),
        scores=None if is_mixed else _together([o.scores for o in telling]),
        score_kind="" if is_mixed else telling[0].score_kind,
        mixed_kinds=tuple(sorted(kinds)) if is_mixed else (),
        # a piece may itself be joined of several
        path=", ".join(sorted({path for o in pieces for path in o.path.split(", ")})),
    )


def _together(arrays: Sequence[Array | None]) -> Array | None:
    known = [array for array in arrays if array is not None]
    return np.concatenate(known) if known and len(known) == len(arrays) else None


def _seconds(pieces: Sequence[Outcome], name: str) -> Floats | None:
    """Times of all splits, NaN where a piece has none."""
    values = [getattr(o, name) for o in pieces]
    if all(value is None for value in values):
        return None
    return np.concatenate(
        [
            np.full(len(o.splits), np.nan) if value is None else value
            for o, value in zip(pieces, values, strict=True)
        ]
    )


def _in_order(outcome: Outcome) -> Outcome:
    """The splits in rising order, each once (the first of its kind stays)."""
    splits, first = np.unique(outcome.splits, return_index=True)
    starts = np.searchsorted(outcome.split_of, np.arange(len(outcome.splits) + 1))
    sizes = np.diff(starts)[first]
    ends = np.cumsum(sizes)
    offsets = np.repeat(starts[first] - (ends - sizes), sizes)
    take = offsets + np.arange(len(offsets))

    def picked(name: str, places: Array) -> Any:
        array = getattr(outcome, name)
        return None if array is None else array[places]

    return replace(
        outcome,
        split_of=np.repeat(np.arange(len(splits), dtype=np.int32), sizes),
        **{name: picked(name, take) for name in (*OF_ROWS, "scores")},
        **{name: picked(name, first) for name in (*OF_SPLITS, *TIMES)},
    )
