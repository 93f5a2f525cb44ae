"""The register of checks: each is a function of the material that yields what it saw."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING

import numpy as np

from heldout.auditing.finding import MOST_ROWS, Finding, Seen, Unchecked, Unseen

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from heldout.auditing.finding import Severity
    from heldout.auditing.material import Material

    Look = Callable[[Material], Iterable[Seen | Unseen]]

__all__ = ["CHECKS", "Check", "all_checks", "check"]

#: the files that hold checks, in the order of their numbers
MODULES = (
    "shared_rows",
    "near_rows",
    "shared_groups",
    "backward_time",
    "telling_feature",
    "seen_by_preparation",
    "missing_class",
    "strata_off",
    "few_positives",
    "undefined_folds",
    "hard_scores",
    "no_probabilities",
    "below_chance",
    "different_rows",
    "chosen_here",
    "many_looks",
    "imbalance",
    "one_sided_columns",
    "naming_columns",
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
                yield Unchecked(self.code, self.title, seen.reason, is_partial=not seen.is_all)
            else:
                yield Finding(
                    self.code,
                    self.title,
                    seen.severity or self.severity,
                    seen.text,
                    self.why,
                    self.fix,
                    seen.place,
                    seen.rows[:MOST_ROWS],
                    seen.columns[:MOST_ROWS],
                )

    def all_of(self, material: Material) -> list[Finding | Unchecked]:
        """All that was found, and what could not be looked at.

        Values that overflow or are infinite are no reason to stop: they are not near any other.
        """
        with np.errstate(all="ignore"):
            return list(self(material))

    def findings(self, material: Material) -> list[Finding]:
        """The findings alone."""
        return [made for made in self.all_of(material) if isinstance(made, Finding)]


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
