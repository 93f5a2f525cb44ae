"""Splits that other processes do: waited for, read from the store, or taken over."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from karat.learners.outcome import Outcome
    from karat.runner.claims import Claims
    from karat.runner.record import Record

    #: is told of a model's outcomes and of the splits that they are of
    Take = Callable[[int, Sequence[Outcome], Sequence[int]], None]

__all__ = ["awaited"]

#: seconds between two looks at the store
PAUSE = 0.1


def awaited(record: Record, claims: Claims, take: Take) -> dict[int, list[int]]:
    """Take what others have done; gives the splits that nobody does, which now are ours.

    Nothing is held meanwhile, so that two processes that wait for each other cannot be.
    """
    record.settle()
    left = claims.release()
    while left:
        free = _free(record, claims, left, take)
        if free:
            return free
        left = claims.release()
        if left:
            time.sleep(PAUSE)
    return {}


def _free(
    record: Record, claims: Claims, left: Mapping[int, Sequence[int]], take: Take
) -> dict[int, list[int]]:
    free: dict[int, list[int]] = {}
    for index, positions in left.items():
        done = claims.done(index, set(positions))
        if done:
            outcomes = record.done_by_others(index, done)
            done = _covered(outcomes, done, parts=record.parts)
            take(index, outcomes, sorted(done))
        rest = [position for position in positions if position not in done]
        if rest and (ours := claims.ours(index, rest)):
            free[index] = list(ours)
    return free


def _covered(outcomes: Sequence[Outcome], wanted: set[int], *, parts: Sequence[str]) -> set[int]:
    """The splits of which every part could be read; a damaged one is not among them."""
    found: dict[str, set[int]] = {part: set() for part in parts}
    for outcome in outcomes:
        found[outcome.part].update(outcome.splits.tolist())
        found[outcome.part].update(position for position, _ in outcome.failures)
    return wanted.intersection(*found.values())
