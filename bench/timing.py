"""The best time of a few runs, and tables of ratios."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable
from typing import Any

__all__ = ["best_of", "heading", "line"]


def best_of(work: Callable[[], Any], times: int = 3) -> float:
    """Seconds of the fastest of a few runs."""
    best = float("inf")
    for _ in range(times):
        gc.collect()
        start = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - start)
    return best


def heading(text: str) -> None:
    """A section's title."""
    print(f"\n## {text}\n", flush=True)


def line(name: str, seconds: float, ours: float | None = None) -> None:
    """One row: name, time, and how many times as long as karat."""
    ratio = "" if ours is None else f"{seconds / ours:9.1f} x karat"
    print(f"  {name:<58}{seconds * 1000:12.1f} ms{ratio}", flush=True)
