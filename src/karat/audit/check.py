"""The register of checks: each is a function of the material that yields findings."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from karat.audit.finding import Finding, Severity
    from karat.audit.material import Material

__all__ = ["CHECKS", "Check", "all_checks", "check", "find_faults"]

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
)
CHECKS: dict[str, Check] = {}


@dataclass(frozen=True, slots=True)
class Check:
    """A numbered check: what it looks for, how grave that is, why, and what to do."""

    code: str
    title: str
    severity: Severity
    why: str
    fix: str
    function: Callable[[Material], Iterable[tuple[str, str]]]

    def __call__(self, material: Material) -> Iterator[Finding]:
        """The findings: what was seen, and where."""
        from karat.audit.finding import Finding

        for seen, where in self.function(material):
            yield Finding(self.code, self.title, self.severity, seen, self.why, self.fix, where)


def check(
    code: str, title: str, severity: Severity, *, why: str, fix: str
) -> Callable[
    [Callable[[Material], Iterable[tuple[str, str]]]],
    Callable[[Material], Iterable[tuple[str, str]]],
]:
    """Register a check; the function yields what was seen, and where."""

    def register(
        function: Callable[[Material], Iterable[tuple[str, str]]],
    ) -> Callable[[Material], Iterable[tuple[str, str]]]:
        CHECKS[code] = Check(code, title, severity, why, fix, function)
        return function

    return register


def all_checks() -> tuple[Check, ...]:
    """Every check, in the order of their codes."""
    for module in MODULES:
        import_module(f"karat.audit.{module}")
    return tuple(CHECKS[code] for code in sorted(CHECKS))


def find_faults(material: Material) -> tuple[Finding, ...]:
    """All findings, the gravest first."""
    from karat.audit.finding import SEVERITIES

    found = [finding for one in all_checks() for finding in one(material)]
    return tuple(sorted(found, key=lambda f: (SEVERITIES.index(f.severity), f.code)))
