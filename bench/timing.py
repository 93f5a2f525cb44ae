"""The best time of a few runs, and tables of ratios."""

from __future__ import annotations

import gc
import os
import time
from collections.abc import Callable, Mapping
from typing import Any

__all__ = ["best_of", "best_of_each", "heading", "line", "load"]


def best_of(work: Callable[[], Any], times: int = 3) -> float:
    """Seconds of the fastest of a few runs."""
    return best_of_each({"": work}, times)[""]


def best_of_each(works: Mapping[str, Callable[[], Any]], times: int = 3) -> dict[str, float]:
    """Seconds of the fastest run of each, taken in turns: what slows the machine slows all."""
    best = dict.fromkeys(works, float("inf"))
    for _ in range(times):
        for name, work in works.items():
            gc.collect()
            start = time.perf_counter()
            work()
            best[name] = min(best[name], time.perf_counter() - start)
    return best


def load() -> str:
    """How busy the machine is; timings beside other work are too long, ratios less so."""
    if not hasattr(os, "getloadavg"):
        return ""
    return f"load {os.getloadavg()[0]:.2f} on {os.cpu_count()} processors"


def heading(text: str) -> None:
    """A section's title."""
    print(f"\n## {text}\n", flush=True)


def line(name: str, seconds: float, ours: float | None = None, *, unit: str = "x karat") -> None:
    """One row: name, time, and how many times as long as karat (or another unit)."""
    ratio = "" if ours is None else f"{seconds / ours:9.{2 if seconds < 2 * ours else 1}f} {unit}"
    print(f"  {name:<58}{seconds * 1000:12.1f} ms{ratio}", flush=True)
