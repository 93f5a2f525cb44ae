"""Files of splits: CSV, Parquet or JSON with the columns row, repeat, fold, part and procedure.

A row is named by its id, or by its number from 1. The part is train, validation or test; a
row that a bootstrap sample holds twice is there twice. Where a file has only test rows, all
other rows train: so k-fold and leave-one-out take one line a row and repeat. The procedure
is the same text in every line: which intervals hold afterwards depends on it.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.core.errors import InputError
from heldout.core.whole_file import written_whole
from heldout.procedures.splits import PARTS, PartitionSplits

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from heldout.procedures.splits import Splits

__all__ = ["COLUMNS", "SUFFIXES", "row_names", "split_table", "told_of", "write_splits"]

COLUMNS = ("row", "repeat", "fold", "part")
PROCEDURE = "procedure"
#: what stands behind a procedure that was itself read from a file
ORIGIN = re.compile(r" \(file .*\)$")
SUFFIXES = (".csv", ".parquet", ".json")


def write_splits(splits: Splits, path: str | Path, *, identifiers: Any = None) -> None:
    """The splits as a file, whole or not at all; its ending decides the format."""
    path = Path(path)
    if path.suffix.lower() not in SUFFIXES:
        raise InputError(f"cannot write splits to {path}: its name ends in none of {SUFFIXES}")
    table = split_table(splits, identifiers)
    write = {".csv": _write_csv, ".parquet": _write_parquet, ".json": _write_json}
    with written_whole(path) as made:
        write[path.suffix.lower()](splits, table, made)


def split_table(splits: Splits, identifiers: Any = None) -> dict[str, NDArray[Any]]:
    """The columns of the file: only test rows where all others train."""
    names = row_names(identifiers, splits.rows)
    names = np.arange(1, splits.rows + 1) if names is None else names
    if isinstance(splits, PartitionSplits):
        repeats, n = splits.assignment.shape
        return {
            "row": np.tile(names, repeats),
            "repeat": np.repeat(np.arange(1, repeats + 1), n),
            "fold": splits.assignment.ravel().astype(np.int64) + 1,
            "part": np.full(repeats * n, "test"),
        }
    rows, places, parts = [], [], []
    for split in splits:
        for part in PARTS:
            members = getattr(split, part)
            if members is not None:
                rows.append(members)
                places.append((split.repeat, split.fold))
                parts.append(part)
    lengths = [len(members) for members in rows]
    place = np.repeat(np.array(places, np.int64), lengths, axis=0)
    return {
        "row": names[np.concatenate(rows)],
        "repeat": place[:, 0],
        "fold": place[:, 1],
        "part": np.repeat(np.array(parts), lengths),
    }


def told_of(procedure: str) -> str:
    """The procedure as a file of splits tells it: without the file it came from."""
    return ORIGIN.sub("", procedure)


def row_names(identifiers: Any, n: int) -> NDArray[Any] | None:
    """What names each row, as text; None where that is nothing, or the same for two rows."""
    if identifiers is None:
        return None
    names = np.array([str(value) for value in np.asarray(identifiers).tolist()], object)
    return names if len(set(names.tolist())) == n else None


def _write_csv(splits: Splits, table: dict[str, NDArray[Any]], path: Path) -> None:
    import csv
    from itertools import repeat

    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow((*COLUMNS, PROCEDURE))
        told = repeat(told_of(splits.procedure), len(table["row"]))
        columns = (table[name].tolist() for name in COLUMNS)
        writer.writerows(zip(*columns, told, strict=True))


def _write_json(splits: Splits, table: dict[str, NDArray[Any]], path: Path) -> None:
    about = {
        "procedure": told_of(splits.procedure),
        "rows": splits.rows,
        "seed": splits.seed,
        "fingerprint": splits.fingerprint,
    }
    columns = {name: table[name].tolist() for name in COLUMNS}
    path.write_text(json.dumps({**about, "splits": columns}) + "\n", encoding="utf-8")


def _write_parquet(splits: Splits, table: dict[str, NDArray[Any]], path: Path) -> None:
    from heldout.tables.duck import connection, copy_to, literal

    # DuckDB takes an array of Python strings for text, and one of fixed width for an enum
    columns = {n: v.astype(object) if v.dtype.kind == "U" else v for n, v in table.items()}
    with connection() as database:
        database.register("splits", columns)
        told = f"{literal(told_of(splits.procedure))} AS procedure"
        query = f"SELECT row, repeat, fold, part, {told} FROM splits"
        copy_to(database, query, path, "FORMAT parquet")
