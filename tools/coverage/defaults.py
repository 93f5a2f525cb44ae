"""How often the default intervals of ``heldout.score`` hold the true value."""

from __future__ import annotations

from dataclasses import dataclass
from math import isinf, isnan, sqrt
from typing import TYPE_CHECKING, Any

import heldout
from heldout.core.notes import Kind
from heldout.core.random import stream
from tools.coverage.cells import SEED, counted, shown, table
from tools.coverage.processes import JUDGING, TUNING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from heldout.assess.results import Result
    from tools.coverage.processes import Process

#: samples of each process on the page, and rows that the true values are taken of
SAMPLES = 500
LARGE = 1_000_000
#: no default may cover more rarely, unless its interval carries a caution
FLOOR = 0.90
#: standard errors by which a simulated coverage must lie below the floor to fail
SLACK = 2.6
#: notes that say nothing of how far an interval can be trusted
HARMLESS = (Kind.LOW_CUT, Kind.HIGH_CUT, Kind.MEAN_OF_FOLDS, Kind.MEAN_OF_REPEATS)


@dataclass(slots=True)
class Covered:
    """What became of the intervals of one measure over the samples of one process."""

    process: str
    measure: str
    truth: float
    samples: int = 0
    intervals: int = 0
    hits: int = 0
    width: float = 0.0
    cautions: int = 0

    def add(self, result: Result, bare: Result) -> None:
        """Count the interval of one sample; ``bare``: the same value without it."""
        self.samples += 1
        if result.low is None or result.high is None:
            return
        self.intervals += 1
        self.hits += result.low <= self.truth <= result.high
        self.width += result.high - result.low
        own = (note for note in result.notes if note not in bare.notes)
        self.cautions += any(note.kind not in HARMLESS for note in own)

    @property
    def coverage(self) -> float:
        """The share of intervals that hold the truth."""
        return self.hits / self.intervals

    @property
    def is_low(self) -> bool:
        """Whether it lies below the floor by more than chance explains, and nothing says so."""
        if self.intervals < 20 or self.cautions > self.intervals / 2:
            return False
        error = sqrt(FLOOR * (1 - FLOOR) / self.intervals)
        return self.coverage < FLOOR - SLACK * error

    @property
    def text(self) -> str:
        """The cell of a table; a star where most of the intervals carry a caution."""
        if not self.intervals:
            return "none"
        given = self.intervals / self.samples
        star = "*" if self.cautions > self.intervals / 2 else ""
        return shown(self.coverage, self.width / self.intervals, given) + star


def covered(
    process: Process, samples: int, measures: Sequence[str] | None = None, **how: Any
) -> list[Covered]:
    """Measures of a process (None: the headline) with what their intervals cover.

    ``how`` goes to score.
    """
    rng = stream(SEED, "coverage", process.name)
    population = heldout.score(**process.draw(rng, LARGE), intervals=False)
    counts = {
        _name(result): Covered(process.name, _name(result), result.value)
        for result in population.results(measures)
        if not isnan(result.value) and not isinf(result.value)
    }
    for _ in range(samples):
        rows = process.draw(rng, process.rows)
        cards = heldout.score(**rows, **how), heldout.score(**rows, intervals=False)
        for result, bare in zip(*(card.results(measures) for card in cards), strict=True):
            if _name(result) in counts:
                counts[_name(result)].add(result, bare)
    return list(counts.values())


def _name(result: Result) -> str:
    return f"{result.measure} of class {result.class_}" if result.class_ else result.measure


def below_floor(processes: Iterable[Process], samples: int, **how: Any) -> list[Covered]:
    """The defaults that cover too rarely without a caution."""
    return [
        cell for process in processes for cell in covered(process, samples, **how) if cell.is_low
    ]


def defaults_section(share: float) -> str:
    """Both sets of processes, one table for each kind of rows."""
    samples = max(20, int(share * SAMPLES))
    parts = [
        "## Defaults on one test set\n\nWhat `heldout.score` gives where nothing is asked for, on "
        "rows of one model that were judged once. The true value is that of a million rows. "
        f"{counted(samples, SAMPLES, 'samples of each process')}. A star: most of these intervals "
        "carry a caution in the output.\n"
    ]
    for title, processes in (
        ("Tuning set: methods and constants were chosen on rows like these", TUNING),
        ("Judging set: frozen processes, on which nothing was chosen", JUDGING),
    ):
        parts += [f"### {title}\n", *_tables([covered(p, samples) for p in processes])]
    return "\n".join(parts)


def _tables(cells: Sequence[list[Covered]]) -> list[str]:
    """Processes that share their measures stand in one table."""
    kinds: dict[tuple[str, ...], list[list[Covered]]] = {}
    for own in cells:
        kinds.setdefault(tuple(cell.measure for cell in own), []).append(own)
    return [
        table(
            ["measure", *(own[0].process for own in group)],
            [[name, *(own[i].text for own in group)] for i, name in enumerate(measures)],
        )
        for measures, group in kinds.items()
    ]
