"""K04: training rows that are later than the rows they are judged on."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from heldout.auditing.check import check
from heldout.auditing.finding import Seen, some
from heldout.auditing.needs import time

if TYPE_CHECKING:
    from collections.abc import Iterator

    from heldout.auditing.material import Material

__all__ = ["backward_time"]

#: the end of a date that is at midnight
MIDNIGHT = "T00:00:00.000000"


@check(
    "K04",
    "time runs backwards",
    "error",
    why="In use a model knows the past alone; here it was trained on rows later than its test.",
    fix="Split in time order (--procedure 'time 5'), or test on rows after the last training row.",
    needs=time,
    by_split=True,
)
def backward_time(material: Material) -> Iterator[Seen]:
    """Training rows after the first test row."""
    if material.sides is not None:
        train, test = material.sides
        if train.time is not None and test.time is not None:
            first, last = test.time.min(), train.time.max()
            late = np.flatnonzero(train.time > first)
            if len(late):
                rows = some([f"{row + 1:,}" for row in late[:5]])
                yield Seen(
                    f"{len(late):,} of {len(train):,} training rows are later than the first test "
                    f"row ({_text(first)}; latest training row {_text(last)}; training rows {rows}"
                    f"{' ...' if len(late) > 5 else ''})",
                    rows=tuple((late[:100] + 1).tolist()),
                )
    if material.parts is not None and material.parts[0].time is not None:
        yield from _of_splits(material)


def _of_splits(material: Material) -> Iterator[Seen]:
    assert material.data is not None
    assert material.data.time is not None
    times = material.data.time
    worst, where, backward = "", "", 0
    most = 0
    rows: tuple[int, ...] = ()
    for split in material.each_split():
        first = times[split.test].min()
        late = split.train[times[split.train] > first]
        backward += bool(len(late))
        if len(late) > most:
            most, where = len(late), f"repeat {split.repeat}, fold {split.fold}"
            worst = f"{most:,} of {len(split.train):,} training rows after {_text(first)}"
            rows = tuple((np.unique(late)[:100] + 1).tolist())
    if most:
        yield Seen(
            f"training rows are later than the first test row in {backward:,} of "
            f"{material.shown_splits:,} splits, at worst {worst}",
            where,
            rows,
        )


def _text(time: object) -> str:
    return str(time).removesuffix(MIDNIGHT).removesuffix(".000000")
