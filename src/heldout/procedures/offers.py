"""What a refusal offers instead: only what these rows allow, as it can be given."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from heldout.procedures.procedure import Procedure
    from heldout.procedures.rows import Rows

__all__ = ["offered"]

#: what is made many times over, of which one time tells whether rows allow it
COUNTS = ("repeats", "samples")


def offered(rows: Rows, *offers: tuple[Procedure, str]) -> str:
    """The end of a refusal that offers procedures, each in some words ({} is its text).

    Those that would be refused too are left out; empty where none is left.
    """
    said = [words.format(procedure) for procedure, words in offers if _once(procedure).allows(rows)]
    if not said:
        return ""
    return f"; use {', '.join(said[:-1])}{' or ' * (len(said) > 1)}{said[-1]}"


def _once(procedure: Procedure) -> Procedure:
    counts: dict[str, Any] = {f.name: 1 for f in fields(procedure) if f.name in COUNTS}
    return replace(procedure, **counts)
