"""One pass over rows in memory for the moments of all losses that are wanted of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.core.threads import BLOCK, blocks, in_threads, spans
from heldout.tally.co_moments import CoMoments
from heldout.tally.moments import Moments

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = ["Loss", "key_of", "moments_of_losses"]

#: a loss of rows with the parameters it takes
Loss = tuple["Callable[..., Any]", dict[str, Any]]


def key_of(loss: Loss) -> Any:
    """What tells losses apart: the function and its parameters.

    Examples
    --------
    >>> key_of((len, {"level": 0.9, "clip": 0.0}))[1]
    (('clip', 0.0), ('level', 0.9))
    """
    return loss[0], tuple(sorted(loss[1].items()))


def moments_of_losses(
    rows: Any,
    losses: Sequence[Loss],
    pairs: Sequence[tuple[int, int]] = (),
    *,
    columns: int = 1,
    counted: bool = False,
) -> tuple[list[Moments], list[CoMoments]]:
    """The moments of losses, and how pairs of them (by their places) vary together.

    Block by block, so that temporaries stay in the processor's cache and what the losses
    share (the probability of the true class) is made once a block.

    Parameters
    ----------
    rows
        What the losses are made of: has a length and ``take(slice)``.
    columns
        How many scores a row has; with many, fewer rows are taken at a time.
    counted
        A row's weight says how many equal rows it stands for.
    """
    size = max(BLOCK // max(columns // 4, 1), 256)
    kept = {place for pair in pairs for place in pair}

    def over(span: slice) -> tuple[list[Moments], list[CoMoments]]:
        totals, together = [Moments()] * len(losses), [CoMoments()] * len(pairs)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            for block in blocks(span.stop - span.start, size):
                part = rows.take(slice(span.start + block.start, span.start + block.stop))
                found: dict[int, Any] = {}
                for i, (loss, given) in enumerate(losses):
                    values = loss(part, **given)
                    made = Moments.of(values, part.weight, is_count=counted)
                    totals[i] += made
                    if i in kept:
                        found[i] = (values, made.finite_mean)
                for j, (one, other) in enumerate(pairs):
                    (first, mean), (second, other_mean) = found[one], found[other]
                    together[j] += CoMoments.of(first, second, (mean, other_mean))
        return totals, together

    done = in_threads(over, spans(len(rows)))
    return (
        [sum(parts, start=Moments()) for parts in zip(*(t for t, _ in done), strict=True)],
        [sum(parts, start=CoMoments()) for parts in zip(*(t for _, t in done), strict=True)],
    )
