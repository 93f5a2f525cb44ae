"""What kind of values the texts of a column are, as patterns and as SQL."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["ABSENT", "PATTERNS", "TextKind", "column_kinds", "is_surely", "value_of_text"]

TextKind = Literal["integer", "float", "boolean", "text"]

#: kinds in the order they are tried; each is a pattern that every text must match.
#: 007 is neither integer nor float but a code, and so is an integer beyond 64 bits.
PATTERNS: dict[TextKind, str] = {
    "integer": r"-?(0|[1-9][0-9]*)",
    "float": (r"[+-]?((0|[1-9][0-9]*)(\.[0-9]*)?|\.[0-9]+)(e[+-]?[0-9]+)?|[+-]?(nan|inf|infinity)"),
    "boolean": "true|false",
}
#: patterns that leave out what may be beyond 64 bits, for one quick look at every row
SURE: dict[TextKind, str] = {
    "integer": "-?(0|[1-9][0-9]{0,17})",
    "float": (
        r"[+-]?((0|[1-9][0-9]*)\.[0-9]*|(0|[1-9][0-9]{0,17})|\.[0-9]+)(e[+-]?[0-9]+)?"
        r"|[+-]?(nan|inf|infinity)"
    ),
    "boolean": "true|false",
}
#: what stands for a missing number or boolean, besides the empty text
ABSENT = "na|null"
VALUES: dict[TextKind, str] = {
    "integer": "TRY_CAST({0} AS BIGINT)",
    "float": "TRY_CAST({0} AS DOUBLE)",
    "boolean": "CASE lower(trim({0})) WHEN 'true' THEN true WHEN 'false' THEN false END",
    "text": "{0}",
}


def value_of_text(kind: TextKind, place: str) -> str:
    """SQL: the value of a text, missing where it stands for a missing one."""
    return VALUES[kind].format(place)


def is_surely(kind: TextKind, place: str) -> str:
    """SQL: whether a text is of a kind beyond doubt, or missing."""
    return _matches(place, f"{SURE[kind]}|{ABSENT}|")


def column_kinds(database: Any, table: str, places: Sequence[str]) -> list[TextKind | None]:
    """The first kind that all texts of each column have; None if all are missing."""
    checks = ", ".join(
        f"bool_and({_matches('val', f'{pattern}|{ABSENT}|')})" for pattern in PATTERNS.values()
    )
    beyond = f"{_matches('val', '-?[0-9]{19,}')} AND TRY_CAST(val AS BIGINT) IS NULL"
    # turned to one long column, a thousand columns need no more plan than one
    found = database.sql(
        f"SELECT place, bool_and({_matches('val', f'{ABSENT}|')}), bool_or({beyond}), {checks} "
        f"FROM (UNPIVOT {table} ON {', '.join(places)} INTO NAME place VALUE val) GROUP BY place"
    ).fetchall()
    kinds: dict[str, TextKind | None] = {}
    for place, absent, too_large, *fits in found:
        fitting: list[TextKind] = [kind for kind, fit in zip(PATTERNS, fits, strict=True) if fit]
        kinds[place] = None if absent else "text" if too_large or not fitting else fitting[0]
    return [kinds.get(place) for place in places]


def _matches(place: str, pattern: str) -> str:
    return f"regexp_full_match({place}, '(?i)[ \\t]*({pattern})[ \\t]*')"
