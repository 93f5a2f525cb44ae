"""Splits that other processes do: waited for, read from the store, or taken over."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from heldout.runner.join import covered

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from heldout.learners.outcome import Outcome
    from heldout.runner.claims import Claims
    from heldout.runner.record import Record

    #: is told of a model's outcomes and of the splits that they are of
    Take = Callable[[int, Sequence[Outcome], Sequence[int]], None]

__all__ = ["awaited"]

#: seconds between two looks at the store
PAUSE = 0.1

#: seconds that others may go without finishing a split: these, and so many times the longest
#: fit that is known; or, where none is, the last
PATIENCE, LONGER, UNKNOWN = 60.0, 3.0, 600.0


def awaited(
    record: Record, claims: Claims, take: Take, notes: list[str], *, longest: float | None = None
) -> dict[int, list[int]]:
    """Take what others have done; gives the splits that nobody does, which now are ours.

    Nothing is held meanwhile, so that two processes that wait for each other cannot be. One
    that lives and does nothing for much longer than the ``longest`` fit so far (it may be
    stopped, or its machine asleep) is not waited for: its splits are done here as well.
    """
    record.settle()
    left, since = claims.release(), time.monotonic()
    patience = UNKNOWN if longest is None else PATIENCE + LONGER * longest
    while left:
        count = _count(left)
        if free := _free(record, claims, left, take):
            return free
        left = claims.release()
        if _count(left) < count:
            since = time.monotonic()
        if left and time.monotonic() - since > patience:
            held = f"{_count(left):,} splits are held by another process"
            notes.append(f"{held} that has done none for {patience:.0f} s: they were done here too")
            claims.seize(left)
            return left
        if left:
            time.sleep(PAUSE)
    return {}


def _count(left: Mapping[int, Sequence[int]]) -> int:
    return sum(map(len, left.values()))


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
        found[outcome.part].update(covered(outcome).tolist())
    return wanted.intersection(*found.values())
