"""The best time of a few runs, and tables of ratios."""

from __future__ import annotations

import gc
import os
import time
from collections.abc import Callable, Mapping, Sequence
from statistics import median
from typing import Any


def best_of(work: Callable[[], Any], times: int = 3) -> float:
    """Seconds of the fastest of a few runs."""
    return best_of_each({"": work}, times)[""]


def best_of_each(works: Mapping[str, Callable[[], Any]], times: int = 3) -> dict[str, float]:
    """Seconds of the fastest run of each, taken in turns: what slows the machine slows all."""
    return {name: min(turns) for name, turns in turns_of_each(works, times).items()}


def turns_of_each(
    works: Mapping[str, Callable[[], Any]], times: int, *, warm: bool = False
) -> dict[str, list[float]]:
    """Seconds of every run of each; where ``warm``, after a run of each that is not timed.

    Every second turn goes backwards, so that none always follows the same one.
    """
    turns: dict[str, list[float]] = {name: [] for name in works}
    if warm:
        for work in works.values():
            work()
    for turn in range(times):
        for name in list(works) if turn % 2 == 0 else reversed(works):
            gc.collect()
            start = time.perf_counter()
            works[name]()
            turns[name].append(time.perf_counter() - start)
    return turns


def paired_ratio(ours: Sequence[float], theirs: Sequence[float]) -> tuple[float, float, float]:
    """The median of the ratios turn by turn, and its limits by order statistics (95 %).

    Of a fastest run of each, one lucky turn decides; the two runs of a turn share the machine's
    mood, and no single turn moves the median of many.
    """
    from scipy.stats import binom

    ratios = sorted(one / other for one, other in zip(ours, theirs, strict=True))
    rank = int(binom.ppf(0.025, len(ratios), 0.5))
    return median(ratios), ratios[max(rank - 1, 0)], ratios[min(-rank, -1)]


def load() -> str:
    """How busy the machine is; timings beside other work are too long, ratios less so."""
    if not hasattr(os, "getloadavg"):
        return ""
    return f"load {os.getloadavg()[0]:.2f} on {os.cpu_count()} processors"


def heading(text: str) -> None:
    """A section's title."""
    print(f"\n## {text}\n", flush=True)


def line(name: str, seconds: float, ours: float | None = None, *, unit: str = "x heldout") -> None:
    """One row: name, time, and how many times as long as heldout (or another unit)."""
    ratio = "" if ours is None else f"{seconds / ours:9.{2 if seconds < 2 * ours else 1}f} {unit}"
    print(f"  {name:<58}{seconds * 1000:12.1f} ms{ratio}", flush=True)
