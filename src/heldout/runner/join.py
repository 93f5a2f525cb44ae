"""Outcomes put together: those of single splits and of blocks of splits, in the order of splits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.learners.outcome import Outcome, Part

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

__all__ = ["covered", "failed", "join", "nothing"]


def nothing(part: Part = "test") -> Outcome:
    """The outcome of no split at all."""
    none = np.zeros(0, dtype=np.int64)
    return Outcome(none, none.astype(np.int32), none, none, part=part)


def failed(position: int, message: str, part: Part = "test") -> Outcome:
    """The outcome of a split that gave nothing."""
    empty = nothing(part)
    return Outcome(
        empty.splits,
        empty.split_of,
        empty.rows,
        empty.predicted,
        failures=((position, message),),
        part=part,
    )


def covered(outcome: Outcome) -> NDArray[np.int64]:
    """The splits that an outcome is of, those that failed too."""
    failures = np.array([position for position, _ in outcome.failures], dtype=np.int64)
    return np.concatenate([outcome.splits, failures])


def join(outcomes: Iterable[Outcome], part: Part = "test") -> Outcome:
    """One outcome of all splits, in the order of their positions.

    A split that comes twice counts once, as it came first. Failed splits are not among
    ``splits``; they are in ``failures``, unless another outcome has them. Scores of different
    kinds (decision values here, none there) cannot be judged together: only labels are kept.
    """
    given = list(outcomes)
    pieces = sorted((o for o in given if len(o.splits)), key=lambda o: int(o.splits[0]))
    failures = {position: text for o in given for position, text in o.failures}
    warnings = tuple(sorted({warning for o in given for warning in o.warnings}))
    if not pieces:
        return _with(nothing(part), failures, warnings)
    whole = pieces[0] if len(pieces) == 1 else _below_each_other(pieces)
    if len(whole.splits) > 1 and np.any(np.diff(whole.splits) <= 0):
        whole = _in_order(whole)
    for position in whole.splits.tolist() if failures else ():
        failures.pop(position, None)
    return _with(whole, failures, warnings)


def _with(
    outcome: Outcome, failures: dict[int, str], warnings: tuple[tuple[int, str], ...]
) -> Outcome:
    from dataclasses import replace

    return replace(outcome, failures=tuple(sorted(failures.items())), warnings=warnings)


def _below_each_other(pieces: Sequence[Outcome]) -> Outcome:
    """The pieces in the order given; ``splits`` may fall or repeat."""
    # a split that tests no row says nothing of the scores
    telling = [o for o in pieces if len(o.rows)] or pieces
    kinds = {kind for o in telling for kind in o.mixed_kinds or (o.score_kind,)}
    is_mixed = len(kinds) > 1
    counts = np.array([len(o.splits) for o in pieces])
    shift = np.repeat(np.cumsum(counts) - counts, [len(o.rows) for o in pieces])
    split_of = np.concatenate([o.split_of for o in pieces]) + shift
    return Outcome(
        splits=np.concatenate([o.splits for o in pieces]),
        split_of=split_of.astype(np.int32),
        rows=np.concatenate([o.rows for o in pieces]),
        predicted=np.concatenate([o.predicted for o in pieces]),
        scores=None if is_mixed else _together([o.scores for o in telling]),
        score_kind="" if is_mixed else telling[0].score_kind,
        mixed_kinds=tuple(sorted(kinds)) if is_mixed else (),
        train_counts=_together([o.train_counts for o in pieces]),
        train_mean=_together([o.train_mean for o in pieces]),
        train_rows=_together([o.train_rows for o in pieces]),
        fit_seconds=_seconds(pieces, "fit_seconds"),
        predict_seconds=_seconds(pieces, "predict_seconds"),
        # a piece may itself be joined of several
        path=", ".join(sorted({path for o in pieces for path in o.path.split(", ")})),
        part=pieces[0].part,
    )


def _together(arrays: Sequence[NDArray[Any] | None]) -> NDArray[Any] | None:
    known = [array for array in arrays if array is not None]
    return np.concatenate(known) if known and len(known) == len(arrays) else None


def _seconds(pieces: Sequence[Outcome], name: str) -> NDArray[np.float64] | None:
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

    def of_rows(array: NDArray[Any] | None) -> Any:
        return None if array is None else array[take]

    def of_splits(array: NDArray[Any] | None) -> Any:
        return None if array is None else array[first]

    return Outcome(
        splits=splits,
        split_of=np.repeat(np.arange(len(splits), dtype=np.int32), sizes),
        rows=of_rows(outcome.rows),
        predicted=of_rows(outcome.predicted),
        scores=of_rows(outcome.scores),
        score_kind=outcome.score_kind,
        mixed_kinds=outcome.mixed_kinds,
        train_counts=of_splits(outcome.train_counts),
        train_mean=of_splits(outcome.train_mean),
        train_rows=of_splits(outcome.train_rows),
        fit_seconds=of_splits(outcome.fit_seconds),
        predict_seconds=of_splits(outcome.predict_seconds),
        path=outcome.path,
        part=outcome.part,
    )
