"""Splits out of a file, in the form and with the fingerprint in which they were written."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.core.errors import InputError
from heldout.core.wording import listed
from heldout.procedures.recognise import recognised
from heldout.procedures.rows import first_true
from heldout.procedures.split_file import COLUMNS, SUFFIXES, row_names, told_of
from heldout.procedures.splits import PARTS, PartitionSplits, Split
from heldout.procedures.structure import arranged_splits
from heldout.tables.json_files import json_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from heldout.procedures.splits import About, Splits

__all__ = ["read_splits"]

Table = dict[str, "NDArray[Any]"]

WHOLE = re.compile(r"-?0*[0-9]{1,9}")


def read_splits(
    path: str | Path,
    rows: int,
    *,
    identifiers: Any = None,
    time: Any = None,
    groups: Any = None,
    seed: int = 0,
) -> Splits:
    """The splits of a file for so many rows, which ``identifiers`` name as in the file.

    They are of the procedure that the file tells; where it tells none, of the one that their
    rows show (``recognised``, by ``time`` and ``groups`` where those are given).
    """
    path = Path(path)
    table, told, wanted = _table(path)
    where = f"splits of {path}"
    members = _row_numbers(where, table["row"], row_names(identifiers, rows), rows)
    repeat = _counted(where, table, "repeat")
    fold = _counted(where, table, "fold")
    part = _parts(where, table)
    about: About = (f"file {path}", rows, seed, ())
    partition = _partition(about, members, repeat, fold, part)
    made = _listed(about, members, repeat, fold, part) if partition is None else partition
    if wanted is not None and made.fingerprint != wanted:
        raise InputError(
            f"{where}: these are not the splits that were written (fingerprint {wanted}); "
            "the file or the order of the rows was changed"
        )
    return _named(made, told, path, time, groups)


def _named(made: Splits, told: str, path: Path, time: Any, groups: Any) -> Splits:
    """The splits with the procedure they are of, which decides about intervals."""
    if told and _is_procedure(told):
        return replace(made, procedure=f"{told} (file {path})")
    seen = recognised(made, time, groups)
    if not seen:
        return replace(made, procedure=f"{told} (file {path})") if told else made
    note = f"the splits of {path} are taken for {seen}, as their rows show; the file does not say"
    return replace(made, procedure=f"{seen} (file {path})", notes=(*made.notes, note))


def _is_procedure(text: str) -> bool:
    """Whether the text is one of heldout's own procedures, and not that of a column or file."""
    from heldout.procedures.parse import parse_procedure

    try:
        parse_procedure(text)
    except InputError:
        return False
    return not text.startswith(("file", "column"))


def _table(path: Path) -> tuple[Table, str, str | None]:
    """The columns as text or numbers, and procedure and fingerprint where the file says them."""
    if not path.is_file():
        raise InputError(f"there is no file of splits {path}")
    if path.suffix.lower() not in SUFFIXES:
        raise InputError(f"cannot read splits of {path}: its name ends in none of {SUFFIXES}")
    is_json = path.suffix.lower() == ".json"
    columns, told, wanted = _json_columns(path) if is_json else (_columns(path), "", None)
    table = {str(name).strip().lower(): values for name, values in columns.items()}
    for name in ("row", "fold"):
        if name not in table and not (name == "fold" and "part" in table):
            raise InputError(
                f"splits of {path}: there is no column {name}; a file of splits has the columns "
                f"{', '.join(COLUMNS)}, and this one has {listed(list(columns), most=20)}"
            )
    if not len(table["row"]):
        raise InputError(f"splits of {path}: there are no rows")
    if "procedure" in table:
        told = _only_procedure(path, table["procedure"])
    return table, told_of(told), wanted


def _only_procedure(path: Path, given: NDArray[Any]) -> str:
    found = [text for text in dict.fromkeys(str(v).strip() for v in given.tolist()) if text]
    if len(found) > 1:
        raise InputError(
            f"splits of {path}: the column procedure says {found[0]!r} and {found[1]!r}; a file "
            "holds the splits of one procedure"
        )
    return found[0] if found else ""


def _columns(path: Path) -> Table:
    import duckdb

    from heldout.tables.duck import cause_of, connection, literal

    name = literal(str(path))
    origin = f"read_csv({name}, all_varchar = true, header = true)"
    origin = f"read_parquet({name})" if path.suffix.lower() == ".parquet" else origin
    try:
        with connection() as database:
            database.execute("SET threads = 1")
            query = f"SELECT COLUMNS(*)::VARCHAR FROM {origin}"
            found = database.sql(query).fetchnumpy()
    except duckdb.Error as error:
        raise InputError(f"cannot read splits of {path}: {cause_of(error)}") from error
    return {
        name: np.where(np.ma.getmaskarray(values), "", np.ma.getdata(values))
        for name, values in found.items()
    }


def _json_columns(path: Path) -> tuple[Table, str, str | None]:
    try:
        document = json_of(path.read_text(encoding="utf-8"))
        columns = document["splits"]
        table = {name: np.array([str(v) for v in columns[name]], object) for name in columns}
        if len({len(values) for values in table.values()}) > 1:
            raise ValueError("its columns differ in length")
        return table, str(document.get("procedure") or ""), document.get("fingerprint")
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise InputError(
            f"cannot read splits of {path}: it is not JSON as heldout split writes it ({error})"
        ) from error


def _row_numbers(
    where: str, given: NDArray[Any], names: NDArray[Any] | None, n: int
) -> NDArray[np.int64]:
    """Row numbers from 0 of what the file calls the rows."""
    if names is None:
        places = {str(number): number - 1 for number in range(1, n + 1)}
    else:
        places = {name: number for number, name in enumerate(names.tolist())}
    found = np.array([places.get(value, -1) for value in given.tolist()], np.int64)
    if line := first_true(found < 0):
        what = f"the number of one of the {n} rows" if names is None else "the id of a row"
        fix = "; if it is an id, name the column of ids: --id COLUMN" if names is None else ""
        raise InputError(f"{where}: row {given[line - 1]!r} (entry {line}) is not {what}{fix}")
    return found


def _counted(where: str, table: Table, name: str) -> NDArray[np.int64]:
    """Repeats or folds as numbers from 1; 1 where the file does not say."""
    if name not in table:
        return np.ones(len(table["row"]), np.int64)
    texts = [str(value).strip() for value in table[name].tolist()]
    if line := first_true(np.array([WHOLE.fullmatch(text) is None for text in texts])):
        raise InputError(
            f"{where}: {name} {texts[line - 1]!r} (entry {line}) is not a whole number of at most "
            "9 digits"
        )
    numbers = np.array(texts).astype(np.int64)
    if line := first_true(numbers < 0):
        raise InputError(f"{where}: {name} {numbers[line - 1]} (entry {line}) is negative")
    return numbers + 1 if numbers.min() == 0 else numbers  # other tools count from 0


def _parts(where: str, table: Table) -> NDArray[np.int64]:
    """The part of each entry, as a position in ``PARTS``; test where the file does not say."""
    if "part" not in table:
        return np.full(len(table["row"]), PARTS.index("test"))
    places = {name: place for place, name in enumerate(PARTS)}
    found = [places.get(str(value).strip().lower(), -1) for value in table["part"].tolist()]
    part = np.array(found, np.int64)
    if line := first_true(part < 0):
        raise InputError(
            f"{where}: part {table['part'][line - 1]!r} (entry {line}) is none of "
            f"{', '.join(PARTS)}"
        )
    return part


def _partition(
    about: About,
    members: NDArray[np.int64],
    repeat: NDArray[np.int64],
    fold: NDArray[np.int64],
    part: NDArray[np.int64],
) -> PartitionSplits | None:
    """Only test rows, each row once a repeat: the partition is there to be read off."""
    n, repeats, folds = about[1], int(repeat.max()), int(fold.max())
    if (part != 2).any() or len(members) != repeats * n or not 2 <= folds <= n:
        return None
    assignment = np.full((repeats, n), -1, np.int32)
    assignment[repeat - 1, members] = fold - 1
    used = np.zeros((repeats, folds), bool)
    used[repeat - 1, fold - 1] = True
    if (assignment < 0).any() or not used.all():
        return None
    return PartitionSplits(*about, assignment, folds)


def _listed(
    about: About,
    members: NDArray[np.int64],
    repeat: NDArray[np.int64],
    fold: NDArray[np.int64],
    part: NDArray[np.int64],
) -> Splits:
    """The splits one by one; without training rows, all rows that are not named train."""
    n = about[1]
    has_training = bool((part == 0).any())
    order = np.lexsort((members, part, fold, repeat))
    places = np.stack([repeat, fold], axis=1)[order]
    starts = np.flatnonzero(np.r_[True, (np.diff(places, axis=0) != 0).any(axis=1)])
    listed = []
    for entries in np.split(order, starts[1:]):
        rows, parts = members[entries], part[entries]
        train, validation, test = (rows[parts == place] for place in range(3))
        if not has_training:
            train = np.setdiff1d(np.arange(n), rows)
        first = entries[0]
        listed.append(
            Split(
                int(repeat[first]),
                int(fold[first]),
                train,
                test,
                validation if len(validation) else None,
            )
        )
    untested = n - len(np.unique(members[part == 2]))
    notes = (f"{untested} of {n} rows are never tested",) if untested else ()
    return arranged_splits((*about[:3], notes), listed)
