"""The register of checks: each is a function of the material that yields what it saw.

What checks need to look at, and how its absence is said, stands here too.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING

import numpy as np

from heldout.auditing.finding import MOST_ROWS, Finding, Seen, Unchecked, Unseen
from heldout.core.dialect import worded

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from heldout.auditing.finding import Severity
    from heldout.auditing.material import Material

    Look = Callable[[Material], Iterable[Seen | Unseen]]

#: the files that hold checks
MODULES = (
    "shared_rows",
    "near_rows",
    "dependent_rows",
    "telling_feature",
    "prepared",
    "class_checks",
    "score_checks",
    "model_checks",
    "column_checks",
)
CHECKS: dict[str, Check] = {}


@dataclass(frozen=True, slots=True)
class Check:
    """A numbered check: what it looks for, how grave that is, why, and what to do.

    ``needs`` says what the material lacks for this check, or nothing; ``by_split``: it goes
    through the splits of the data.
    """

    code: str
    title: str
    severity: Severity
    why: str
    fix: str
    needs: Callable[[Material], str]
    look: Look
    by_split: bool = False

    @property
    def remedy(self) -> str:
        """The fix, with its arguments as the reader writes them."""
        return worded(self.fix)

    def __call__(self, material: Material) -> Iterator[Finding | Unchecked]:
        """The findings, and what could not be looked at."""
        lacking = self.needs(material)
        if lacking:
            yield Unchecked(self.code, self.title, lacking)
            return
        splits = 0 if material.parts is None else len(material.parts[1])
        if self.by_split and material.shown_splits < splits:
            reason = f"{material.shown_splits:,} of {splits:,} splits were gone through"
            yield Unchecked(self.code, self.title, reason, is_partial=True)
        for seen in self.look(material):
            if isinstance(seen, Unseen):
                is_partial = not seen.is_all
                yield Unchecked(self.code, self.title, seen.reason, is_partial, seen.is_for_size)
            else:
                yield Finding(
                    self.code,
                    self.title,
                    seen.severity or self.severity,
                    seen.text,
                    self.why,
                    self.remedy,
                    seen.place,
                    tuple(int(row) + 1 for row in seen.rows[:MOST_ROWS]),
                    tuple(seen.columns[:MOST_ROWS]),
                )

    def all_of(self, material: Material) -> list[Finding | Unchecked]:
        """All that was found, and what could not be looked at.

        Values that overflow or are infinite are no reason to stop: they are not near any other.
        """
        with np.errstate(all="ignore"):
            return list(self(material))

    def findings(self, material: Material) -> list[Finding]:
        """The findings alone."""
        return [seen for seen in self.all_of(material) if isinstance(seen, Finding)]


def check(
    code: str,
    title: str,
    severity: Severity,
    *,
    why: str,
    fix: str,
    needs: Callable[[Material], str],
    by_split: bool = False,
) -> Callable[[Look], Look]:
    """Register a check; the function yields what was seen, and where."""

    def register(look: Look) -> Look:
        CHECKS[code] = Check(code, title, severity, why, fix, needs, look, by_split)
        return look

    return register


def all_checks() -> tuple[Check, ...]:
    """Every check, in the order of their codes."""
    for module in MODULES:
        import_module(f"heldout.auditing.{module}")
    return tuple(CHECKS[code] for code in sorted(CHECKS))


SIDES = "needs training and test rows: two tables, or data with a procedure or splits"
REGRESSION = "is of classes, and this is regression"


def sides(material: Material) -> str:
    """Rows that train and rows that test."""
    return "" if material.sides or material.parts else SIDES


def features(material: Material) -> str:
    """Columns beside the target."""
    if material.trained is None:
        return "needs data: the columns that models are trained on"
    return "" if material.trained.features else "the data have no columns of numbers or names"


def truth(material: Material) -> str:
    """Rows that judge, with classes."""
    judging = material.predictions[0] if material.predictions else material.judging
    if judging is None:
        return "needs rows that judge: a test set, data, or predictions"
    return "" if judging.classes else REGRESSION


def scores(material: Material) -> str:
    """Predictions with scores."""
    if not material.predictions:
        return "needs predictions"
    if any(p.scores is not None for p in material.predictions):
        return ""
    return "needs predictions with scores or probabilities"


def too_large(material: Material, *, is_all: bool) -> Unseen | None:
    """That a check which goes through all values is left out for size, where it is."""
    if material.most_values is None:
        return None
    values = sum(
        len(data) * len(data.features)
        for data in (material.train, material.test, material.data)
        if data is not None
    )
    if values <= material.most_values:
        return None
    reason = f"left out for size ({values:,} values): heldout audit looks at any number"
    return Unseen(reason, is_all, is_for_size=True)
