"""K04: training rows that are later than the rows they are judged on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from karat.auditing.check import check

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from karat.auditing.material import Material

__all__ = ["backward_time"]


@check(
    "K04",
    "time runs backwards",
    "error",
    why="In use a model knows the past alone; here it was trained on rows later than its test.",
    fix="Split in time order (--procedure 'time 5'), or test on rows after the last training row.",
)
def backward_time(material: Material) -> Iterator[tuple[str, str]]:
    """Training rows after the first test row."""
    train, test = material.train, material.test
    if train is not None and test is not None and train.time is not None and test.time is not None:
        yield from _later(train.time, test.time, "")
    data, splits = material.data, material.splits
    if data is not None and splits is not None and data.time is not None and len(splits):
        split = splits[0]
        place = f"repeat {split.repeat}, fold {split.fold}"
        yield from _later(data.time[split.train], data.time[split.test], place)


def _later(trained: NDArray[Any], tested: NDArray[Any], place: str) -> Iterator[tuple[str, str]]:
    first = tested.min()
    late = trained > first
    if late.any():
        yield (
            f"{int(late.sum()):,} of {len(trained):,} training rows are later than the first "
            f"test row ({first}; latest training row {trained.max()})",
            place,
        )
