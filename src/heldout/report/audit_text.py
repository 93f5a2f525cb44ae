"""An audit as a document, as plain data and as CSV."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from heldout.core.wording import plural
from heldout.report.table import Column, Rows, Table, Text, column, entries

if TYPE_CHECKING:
    from collections.abc import Iterable

    from heldout.auditing.audit import Audit
    from heldout.auditing.check import Check
    from heldout.report.table import Document

FIELDS = ("code", "title", "severity", "where", "seen", "rows", "columns", "why", "fix")


def audit_document(
    audit: Audit, *, subject: str = "", notes: Iterable[str] = (), in_words: bool = False
) -> Document:
    """The findings, gravest first; what was checked, and what could not be and why.

    ``in_words``: what was looked for stands there in words, beside the codes of the checks.
    """
    of = f" of {subject}" if subject else ""
    blocks: list[Text | Table] = [Text(f"Audit{of}: {_count(audit)}", "strong")]
    for finding in audit.findings:
        where = f" ({finding.where})" if finding.where else ""
        title = f"{finding.severity.upper()} {finding.code}: {finding.title}{where}"
        blocks.append(
            entries(title, (("seen", finding.seen), ("why", finding.why), ("fix", finding.fix)))
        )
    if in_words and audit.checked:
        blocks += _checked_table(audit)
    else:
        blocks.append(Text(f"Checked: {', '.join(audit.checked) or 'nothing'}.", "quiet"))
    if audit.skipped:
        blocks.append(Text(f"Skipped on request: {', '.join(audit.skipped)}.", "quiet"))
    if audit.left_out:
        heads = (
            column("name", "column"),
            column("where", "of"),
            column("reason", "why", excess="wrap"),
        )
        blocks.append(Table.of("Columns that are not features", heads, audit.left_out))
    if audit.unchecked:
        why = (
            Column("why", excess="wrap"),
            lambda u: f"in part: {u.reason}" if u.is_partial else u.reason,
        )
        heads = column("code"), column("title", "check", excess="wrap"), why
        blocks.append(Table.of("Not checked", heads, audit.unchecked))
    blocks += [Text(f"note: {line}", "quiet") for line in notes]
    return tuple(blocks)


def page_document(audit: Audit, *, subject: str = "") -> Document:
    """The audit for readers of a page, few of whom know the codes of checks."""
    count = plural(len(audit.checked), "check")
    rest = f"; {plural(len(audit.unchecked), 'check')} could not be made" if audit.unchecked else ""
    said = f"{count} found no sign of leakage or of misuse of the test data{rest}."
    if audit.findings:
        titles = dict.fromkeys(finding.title for finding in audit.findings)
        said = f"{count} found {_count(audit)}: {', '.join(titles)}{rest}."
    answer = Text(said if audit.checked else f"Nothing was checked{rest}.", "answer")
    return (answer, *audit_document(audit, subject=subject, in_words=True))


def _checked_table(audit: Audit) -> tuple[Table, ...]:
    """What was looked for, in words."""
    from heldout.auditing.check import CHECKS

    checks = [CHECKS[code] for code in audit.checked if code in CHECKS]
    columns = (column("code"), column("title", "check", excess="wrap"))
    return (Table.of("Checked", columns, checks),) if checks else ()


def audit_page(audit: Audit) -> Document:
    """An audit as it shows itself in Python."""
    return audit_document(audit, notes=audit.notes)


def _count(audit: Audit) -> str:
    if not audit.findings:
        return "no findings"
    counts = Counter(finding.severity for finding in audit.findings)
    return ", ".join(plural(counts[s], s) for s in ("error", "warning", "note") if counts[s])


def audit_record(audit: Audit) -> dict[str, Any]:
    """The audit as plain data: findings, what was checked, and what was not."""
    return {
        "clean": audit.is_clean,
        "findings": [
            {
                name: list(value) if isinstance(value := getattr(finding, name), tuple) else value
                for name in FIELDS
            }
            for finding in audit.findings
        ],
        "checked": list(audit.checked),
        "unchecked": [
            {"code": u.code, "title": u.title, "reason": u.reason, "partial": u.is_partial}
            for u in audit.unchecked
        ],
        "skipped": list(audit.skipped),
        "left_out": [
            {"name": column.name, "where": column.where, "reason": column.reason}
            for column in audit.left_out
        ],
        "notes": list(audit.notes),
    }


def audit_rows(audit: Audit) -> Rows:
    """A line per finding; row numbers stand apart by spaces."""
    rows = ([getattr(finding, name) for name in FIELDS] for finding in audit.findings)
    cells = ([" ".join(map(str, c)) if isinstance(c, tuple) else c for c in row] for row in rows)
    return Rows(FIELDS, tuple(map(tuple, cells)))


def checks_document(checks: Iterable[Check]) -> Document:
    """All checks: code, how grave, what is looked for."""
    columns = (column("code"), column("severity"), column("title", "finds", excess="wrap"))
    return (
        Table.of("Checks of the audit", columns, checks),
        Text("What one means: heldout audit --explain K05", "quiet"),
    )


def check_document(check: Check) -> Document:
    """One check: what it looks for, why, and what to do."""
    rows = (
        ("looks for", (check.look.__doc__ or "").split("\n")[0]),
        ("severity", f"{check.severity}, unless the finding says otherwise"),
        ("why", check.why),
        ("fix", check.remedy),
    )
    return (entries(f"{check.code}: {check.title}", rows),)
