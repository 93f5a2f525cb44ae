"""Splits that gave no predictions, by what the procedure says that there should be."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from heldout.assess.parts import places_of

if TYPE_CHECKING:
    from heldout.assess.results import Result
    from heldout.engines.memory import Tallies
    from heldout.predictions.table import Predictions

__all__ = ["NOT_AT_RANDOM", "of_how_many_splits"]

NOT_AT_RANDOM = "no interval: the splits that are there are no random sample of all"

FOLDS = re.compile(r"(?:(?P<repeats>\d+)x)?(?P<folds>\d+)-fold\b")
HOLDOUTS = re.compile(r"(?P<repeats>\d+)x holdout\b")
CUT = re.compile("(lower|upper) limit cut at ")
SAMPLES = re.compile(r"(?:bootstrap|\.632\+?) (?P<repeats>\d+)\b")


def of_how_many_splits(result: Result, tallies: Tallies) -> Result:
    """A result of rows that are not those of all splits says so, and has no interval."""
    if result.fold not in ("", "mean") or result.repeat:
        return result
    present, due = _splits(tallies)
    if present >= due:
        return result
    p = tallies.predictions
    why = "failed" if any(f"{p.model} failed in" in note for note in p.notes) else "are missing"
    remark = f"of {present} of {due} splits, the others {why}"
    remark += f"; {NOT_AT_RANDOM}" if result.low is not None else ""
    # of an interval that goes, nothing stays
    own = (part for part in result.note.split("; ") if not CUT.match(part))
    note = "; ".join(filter(None, (*own, remark)))
    return replace(result, note=note, low=None, high=None, level=None, method="")


def _splits(tallies: Tallies) -> tuple[int, int]:
    """How many splits have rows, and how many the procedure makes (0: nothing says)."""
    memory = tallies.memory
    if "splits" not in memory:
        p = tallies.predictions
        due = _due(p)
        memory["splits"] = (len(np.unique(places_of(p))) if due else 0, due)
    found: tuple[int, int] = memory["splits"]
    return found


def _due(p: Predictions) -> int:
    design = p.design
    for pattern, column in ((FOLDS, design.fold), (HOLDOUTS, design.repeat)):
        if column is not None and (found := pattern.match(design.procedure)):
            parts = found.groupdict()
            return int(parts["repeats"] or 1) * int(parts.get("folds") or 1)
    samples = SAMPLES.match(design.procedure)
    return int(samples["repeats"]) if samples and (design.fold or design.repeat) else 0
