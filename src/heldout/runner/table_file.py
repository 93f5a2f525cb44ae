"""Columns written as a file of a table by DuckDB, whole or not at all."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.core.errors import InputError
from heldout.core.whole_file import written_whole

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from numpy.typing import NDArray

__all__ = ["FORMATS", "plain_column", "refuse_ending", "write_table"]

#: how DuckDB writes each kind of file
FORMATS = {
    ".csv": "FORMAT csv, HEADER",
    ".jsonl": "FORMAT json",
    ".parquet": "FORMAT parquet",
    ".tsv": "FORMAT csv, HEADER, DELIMITER '\t'",
}


def refuse_ending(path: Path) -> None:
    """An error where a file's ending names no format of predictions."""
    if path.suffix not in FORMATS:
        raise InputError(f"cannot write {path}: predictions are written as {', '.join(FORMATS)}")


def write_table(columns: Mapping[str, NDArray[Any]], path: Path) -> None:
    """Write columns to a file whose ending says how; numbers that are NaN are missing there."""
    from heldout.tables.duck import connection, copy_to, identifier

    refuse_ending(path)
    _refuse_names(list(columns), path)
    # names of columns may be anything
    inside = {f"c{i}": plain_column(values) for i, values in enumerate(columns.values())}
    shown = [
        f"{_value(key, values)} AS {identifier(name)}"
        for name, (key, values) in zip(columns, inside.items(), strict=True)
    ]
    with written_whole(path) as made, connection() as database:
        database.register("given", inside)
        copy_to(database, f"SELECT {', '.join(shown)} FROM given", made, FORMATS[path.suffix])


def _refuse_names(names: list[str], path: Path) -> None:
    """Names that differ in case alone would be changed by DuckDB, and could not be read back."""
    seen: dict[str, str] = {}
    for name in names:
        other = seen.setdefault(name.casefold(), name)
        if other != name:
            raise InputError(
                f"cannot write {path}: columns {other!r} and {name!r} would differ in case alone; "
                "rename one of the classes"
            )


def _value(key: str, values: NDArray[Any]) -> str:
    return f"nullif({key}, 'NaN'::DOUBLE)" if values.dtype.kind == "f" else key


def plain_column(values: NDArray[Any]) -> NDArray[Any]:
    """A column of one kind: whole numbers, truth values, numbers, or texts."""
    if values.dtype.kind == "f":
        return np.ascontiguousarray(values, dtype=np.float64)
    if values.dtype.kind in "iub":
        return np.ascontiguousarray(values)
    given = values.tolist()
    kinds = {type(value) for value in given}
    if kinds == {bool}:
        return np.array(given, dtype=bool)
    if kinds == {int} and max(map(abs, given)) < 2**63:
        return np.array(given, dtype=np.int64)
    if kinds <= {int, float} and kinds:
        return np.array(given, dtype=np.float64)
    return np.array([v if isinstance(v, str) else str(v) for v in given], dtype=object)
