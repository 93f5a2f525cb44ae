"""Tally files of files that need not fit into memory: the database counts, and spills to disk."""

from __future__ import annotations

from typing import TYPE_CHECKING

from heldout.core.errors import InputError
from heldout.engines.duck_source import Files, positive_sql, score_sql
from heldout.engines.protocol import NotScanned
from heldout.engines.scan import open_scan
from heldout.predictions.tally_file import refuse_bins, write_cells
from heldout.tables.duck import identifier, literal

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from heldout.predictions.options import Roles
    from heldout.predictions.table import Predictions
    from heldout.predictions.tally_file import TallyHeader
    from heldout.tables.column import Label

TYPES: dict[type, str] = {int: "BIGINT", float: "DOUBLE", bool: "BOOLEAN", str: "VARCHAR"}
#: the least that the database needs to sort what it spills
LEAST_MEMORY = 256 * 2**20


def tally_files(
    files: Files,
    roles: Roles,
    path: Path,
    *,
    memory: int,
    bins: int | None = None,
    min_count: int = 1,
) -> tuple[Predictions, TallyHeader]:
    """Count the rows of files and write the counts; all that is known but the rows, and the header.

    As ``write_tally`` does of rows in memory. ``NotScanned`` where more than the scores of two
    classes is to be counted.
    """
    refuse_bins(bins)
    p, rows = open_scan(files, roles, dialect="flags", bins=bins)
    if p.is_open:
        raise InputError(f"what the scores are of {p.lack_of_positive}")
    if bins is None and not -float("inf") < rows.low <= rows.high < float("inf"):
        raise NotScanned("scores are infinite")
    truth, slices = p.target or "truth", [column.name for column in p.slices]
    taken = {truth, *slices}
    score, count = _free("score", taken), _free("n", taken)
    assert p.positive is not None
    positive, other = (_label(p.classes[code]) for code in (p.positive, 1 - p.positive))
    columns = [
        f"{identifier(column.name)}::{_type(column.levels)} AS {identifier(column.name)}"
        for column in p.slices
    ]
    own = rows.columns.count
    counted = f"sum({identifier(own)})::BIGINT" if own else "count(*)"
    where = f" WHERE {identifier(own)} > 0" if own else ""
    columns += [
        f"(CASE WHEN {positive_sql(rows.columns)} THEN {positive} ELSE {other} END)"
        f"::{_type(p.classes)} AS {identifier(truth)}",
        f"{score_sql(rows.columns, bins)} AS {identifier(score)}",
        f"{counted} AS {identifier(count)}",
    ]
    known = {"by": slices, "truth": truth, "score": score, "count": count}
    assert isinstance(rows.source, Files)
    with rows.source.opened() as database:
        database.execute(f"SET memory_limit = '{max(memory, LEAST_MEMORY) // 2**20}MiB'")
        query = (
            f"SELECT {', '.join(columns)} FROM {rows.source.sql}{where} GROUP BY ALL ORDER BY ALL"
        )
        database.execute(f"CREATE TABLE cells AS {query}")
        return p, write_cells(database, p, known, path, bins, min_count)


def _free(name: str, taken: set[str]) -> str:
    """The name, with underscores after it where a column has it already."""
    while name in taken:
        name += "_"
    return name


def _type(labels: Sequence[Label]) -> str:
    """The type by which labels are written, which is the same for every file."""
    kinds = {type(label) for label in labels}
    return TYPES[kinds.pop()] if len(kinds) == 1 else "VARCHAR"


def _label(label: Label) -> str:
    return literal(label) if isinstance(label, str) else str(label)
