"""Write docs/measures.md, and the tables of checks and of tests in docs/audit.md and compare.md."""

from __future__ import annotations

import re
from itertools import groupby
from math import isinf
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING

from heldout.auditing.check import all_checks
from heldout.comparison.methods import METHODS, Sample
from heldout.core.dialect import speaking
from heldout.measures.registry import measures

if TYPE_CHECKING:
    from collections.abc import Iterable

    from heldout.measures.registry import Measure

TARGET = Path(__file__).resolve().parent.parent / "docs" / "measures.md"
AUDIT = TARGET.with_name("audit.md")
COMPARE = TARGET.with_name("compare.md")
START, END = "<!-- checks: written by make docs -->\n", "<!-- end of checks -->\n"
FIRST, LAST = "<!-- tests: written by make docs -->\n", "<!-- end of tests -->\n"
INTRODUCTION = """\
# Measures

Every measure heldout knows, by family. This page is written from the registry by `make docs`;
`heldout measures NAME` says the same in the terminal.
"""


def number(value: float) -> str:
    """A bound as mathematicians write it."""
    if isinf(value):
        return "∞" if value > 0 else "-∞"
    return f"{value:g}"


def interval(measure: Measure) -> str:
    """The bounds as an interval, open where they are infinite."""
    low, high = measure.bounds
    return f"{'(' if isinf(low) else '['}{number(low)}, {number(high)}{')' if isinf(high) else ']'}"


def direction(measure: Measure) -> str:
    """Which way is better, in words."""
    if measure.direction == "target":
        return "best is " + ("a value of its own" if measure.best is None else number(measure.best))
    return {"up": "higher is better", "down": "lower is better"}.get(
        measure.direction, "describes, does not judge"
    )


def entry(measure: Measure) -> str:
    """The section of one measure."""
    facts = [f"range {interval(measure)}, {direction(measure)}", f"for {', '.join(measure.tasks)}"]
    if measure.aliases:
        facts.append("also " + ", ".join(f"`{alias}`" for alias in measure.aliases))
    if measure.parameters:
        given = (f"`{p.name}={p.default}`" for p in measure.parameters)
        facts.append("parameters " + ", ".join(given))
    if measure.undefined:
        facts.append(f"undefined where {measure.undefined}")
    if measure.is_test:
        facts.append("undefined where rows come in groups or differ in weight")
    elif measure.by_rows:
        facts.append("undefined where rows differ in weight")
    if measure.reference:
        facts.append(f"see {measure.reference}")
    listed = "\n".join(f"- {fact}" for fact in facts)
    head = f"### `{measure.name}`: {measure.title}\n\n{measure.summary}\n"
    return f"{head}\n$${measure.formula}$$\n\n{listed}\n"


def page(known: Iterable[Measure]) -> str:
    """The whole page: a heading a family, a section a measure."""
    parts = [INTRODUCTION]
    by_family = attrgetter("family")
    for family, members in groupby(sorted(known, key=by_family), key=by_family):
        parts.append(f"## {family.replace('_', ' ').capitalize()}\n")
        parts.extend(entry(measure) for measure in members)
    return "\n".join(parts)


def _with_code(text: str) -> str:
    """A text whose options are code: else a site makes one dash of two, and bends quotes."""
    return re.sub(r"--[a-z]+(?: '[^']*')?", r"`\g<0>`", text)


@speaking("flags")
def audit_page(text: str) -> str:
    """The page of the audit with its table of checks renewed."""
    lines = ["| code | finds | severity | why it matters | what to do |", "|---|---|---|---|---|"]
    for check in all_checks():
        cells = (
            f"`{check.code}`",
            check.title,
            check.severity,
            check.why,
            _with_code(check.remedy),
        )
        lines.append(f"| {' | '.join(cell.replace('|', '/') for cell in cells)} |")
    return _renewed(text, lines, START, END)


def compare_page(text: str) -> str:
    """The page of comparisons with its table of tests by name renewed."""
    lines = [
        "| `--test` | test | valid for | significant means that | source |",
        "|---|---|---|---|---|",
    ]
    for method in METHODS.values():
        where = "; ".join(method.designs) or "nothing: refused"
        if method.sample is Sample.CUT_GROUPS:
            where += ", where splits cut groups"
        cells = (f"`{method.name}`", method.title, where, method.judges, method.reference)
        lines.append(f"| {' | '.join(cells)} |")
    return _renewed(text, lines, FIRST, LAST)


def _renewed(text: str, lines: list[str], start: str, end: str) -> str:
    """A page with the table between two marks replaced."""
    before, _, rest = text.partition(start)
    table = "\n".join(lines)
    return f"{before}{start}\n{table}\n\n{end}{rest.partition(end)[2]}"


def main(target: Path = TARGET) -> None:
    """The page, written where it belongs."""
    target.parent.mkdir(exist_ok=True)
    target.write_text(page(measures()), encoding="utf-8")


if __name__ == "__main__":
    main()
    AUDIT.write_text(audit_page(AUDIT.read_text(encoding="utf-8")), encoding="utf-8")
    COMPARE.write_text(compare_page(COMPARE.read_text(encoding="utf-8")), encoding="utf-8")
