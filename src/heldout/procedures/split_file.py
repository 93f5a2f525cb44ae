"""Files of splits: CSV, Parquet or JSON with the columns row, repeat, fold, part and procedure.

A row is named by its id, or by its number from 1. The part is train, validation or test; a
row that a bootstrap sample holds twice is there twice. Where a file has only test rows, all
other rows train: so k-fold and leave-one-out take one line per row and repeat. The procedure
is the same text in every line: which intervals hold afterwards depends on it.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from heldout.core.dialect import argument
from heldout.core.disk import written_whole
from heldout.core.errors import InputError
from heldout.core.wording import listed, shown
from heldout.procedures.predefined import PredefinedFolds
from heldout.procedures.procedure import Procedure, given_name
from heldout.procedures.rows import first_true
from heldout.procedures.splits import PARTS, PartitionSplits, Split
from heldout.procedures.structure import arranged_splits, recognised
from heldout.tables.json_files import json_of

if TYPE_CHECKING:
    from heldout.core.arrays import Array, Integers
    from heldout.procedures.rows import Rows
    from heldout.procedures.splits import About, Splits

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
    with written_whole(path) as temporary:
        write[path.suffix.lower()](splits, table, temporary)


def split_table(splits: Splits, identifiers: Any = None) -> dict[str, Array]:
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
    place_of_row = np.repeat(np.array(places, np.int64), lengths, axis=0)
    return {
        "row": names[np.concatenate(rows)],
        "repeat": place_of_row[:, 0],
        "fold": place_of_row[:, 1],
        "part": np.repeat(np.array(parts), lengths),
    }


def bare_procedure(procedure: str) -> str:
    """The procedure as a file of splits tells it: without the file it came from."""
    return ORIGIN.sub("", procedure)


def row_names(identifiers: Any, n: int) -> Array | None:
    """What names each row, as text; None where that is nothing, or the same for two rows."""
    if identifiers is None:
        return None
    names = np.array([str(value) for value in np.asarray(identifiers).tolist()], object)
    return names if len(set(names.tolist())) == n else None


def _write_csv(splits: Splits, table: dict[str, Array], path: Path) -> None:
    import csv
    from itertools import repeat

    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow((*COLUMNS, PROCEDURE))
        procedure = repeat(bare_procedure(splits.procedure), len(table["row"]))
        columns = (table[name].tolist() for name in COLUMNS)
        writer.writerows(zip(*columns, procedure, strict=True))


def _write_json(splits: Splits, table: dict[str, Array], path: Path) -> None:
    about = {
        "procedure": bare_procedure(splits.procedure),
        "rows": splits.rows,
        "seed": splits.seed,
        "fingerprint": splits.fingerprint,
    }
    columns = {name: table[name].tolist() for name in COLUMNS}
    path.write_text(json.dumps({**about, "splits": columns}) + "\n", encoding="utf-8")


def _write_parquet(splits: Splits, table: dict[str, Array], path: Path) -> None:
    from heldout.tables.duck import connection, copy_to, literal

    # DuckDB takes an array of Python strings for text, and one of fixed width for an enum
    columns = {n: v.astype(object) if v.dtype.kind == "U" else v for n, v in table.items()}
    with connection() as database:
        database.register("splits", columns)
        procedure = f"{literal(bare_procedure(splits.procedure))} AS procedure"
        query = f"SELECT row, repeat, fold, part, {procedure} FROM splits"
        copy_to(database, query, path, "FORMAT parquet")


Table = dict[str, "Array"]

WHOLE = re.compile(r"-?0*[0-9]{1,9}")


def _with_procedure(splits: Splits, procedure: str, path: Path, rows: Rows) -> Splits:
    """The splits with the procedure they are of, which decides about intervals."""
    if procedure and _tells_design(procedure):
        return replace(splits, procedure=f"{procedure} (file {path})")
    seen = recognised(splits, rows.time, rows.groups)
    if not seen:
        return replace(splits, procedure=f"{procedure} (file {path})") if procedure else splits
    note = f"the splits of {path} are recognised as {seen} from the rows"
    return replace(splits, procedure=f"{seen} (file {path})", notes=(*splits.notes, note))


def _tells_design(text: str) -> bool:
    """Whether a text is a procedure that says how rows were split; a column or file does not."""
    from heldout.procedures.parse import parse_procedure

    try:
        procedure = parse_procedure(text)
    except InputError:
        return False
    return not isinstance(procedure, FromFile | PredefinedFolds)


def _table(path: Path) -> tuple[Table, str, str | None]:
    """The columns as text or numbers, and procedure and fingerprint where the file says them."""
    if not path.is_file():
        raise InputError(f"there is no file of splits {path}")
    if path.suffix.lower() not in SUFFIXES:
        raise InputError(f"cannot read splits of {path}: its name ends in none of {SUFFIXES}")
    is_json = path.suffix.lower() == ".json"
    columns, procedure, wanted = _json_columns(path) if is_json else (_columns(path), "", None)
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
        procedure = _only_procedure(path, table["procedure"])
    return table, bare_procedure(procedure), wanted


def _only_procedure(path: Path, given: Array) -> str:
    texts = [text for text in dict.fromkeys(str(v).strip() for v in given.tolist()) if text]
    if len(texts) > 1:
        raise InputError(
            f"splits of {path}: the column procedure says {texts[0]!r} and {texts[1]!r}; a file "
            "holds the splits of one procedure"
        )
    return texts[0] if texts else ""


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
            columns = database.sql(query).fetchnumpy()
    except duckdb.Error as error:
        raise InputError(f"cannot read splits of {path}: {cause_of(error)}") from error
    return {
        name: np.where(np.ma.getmaskarray(values), "", np.ma.getdata(values))
        for name, values in columns.items()
    }


def _json_columns(path: Path) -> tuple[Table, str, str | None]:
    unlike = f"cannot read splits of {path}: it is not JSON as heldout split writes it"
    try:
        document = json_of(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise InputError(f"{unlike} ({error})") from error
    columns = document.get("splits") if isinstance(document, dict) else None
    if not isinstance(columns, dict) or not all(isinstance(c, list) for c in columns.values()):
        raise InputError(f'{unlike}: {{"splits": {{"row": [1, 2], "fold": [1, 2]}}}}')
    if len({len(values) for values in columns.values()}) > 1:
        raise InputError(f"{unlike}: its columns differ in length")
    table = {name: np.array([str(v) for v in values], object) for name, values in columns.items()}
    return table, str(document.get("procedure") or ""), document.get("fingerprint")


def _row_numbers(where: str, given: Array, names: Array | None, n: int) -> Integers:
    """Row numbers from 0 of what the file calls the rows."""
    if names is None:
        places = {str(number): number - 1 for number in range(1, n + 1)}
    else:
        places = {name: number for number, name in enumerate(names.tolist())}
    rows = np.array([places.get(value, -1) for value in given.tolist()], np.int64)
    if line := first_true(rows < 0):
        what = f"the number of one of the {n} rows" if names is None else "the id of a row"
        fix = f"; if it is an id, name the column of ids: {argument('id')}" if names is None else ""
        raise InputError(f"{where}: row {shown(given[line - 1])} (entry {line}) is not {what}{fix}")
    return rows


def _numbers_from_one(where: str, table: Table, name: str) -> Integers:
    """Repeats or folds as numbers from 1; 1 where the file does not say."""
    if name not in table:
        return np.ones(len(table["row"]), np.int64)
    texts = [str(value).strip() for value in table[name].tolist()]
    if line := first_true(np.array([WHOLE.fullmatch(text) is None for text in texts])):
        raise InputError(
            f"{where}: {name} {shown(texts[line - 1])} (entry {line}) is not a whole number "
            "of at most 9 digits"
        )
    numbers = np.array(texts).astype(np.int64)
    if line := first_true(numbers < 0):
        raise InputError(f"{where}: {name} {numbers[line - 1]} (entry {line}) is negative")
    return numbers + 1 if numbers.min() == 0 else numbers  # other tools count from 0


def _parts(where: str, table: Table) -> Integers:
    """The part of each entry, as a position in ``PARTS``; test where the file does not say."""
    if "part" not in table:
        return np.full(len(table["row"]), PARTS.index("test"))
    places = {name: code for code, name in enumerate(PARTS)}
    parts = [places.get(str(value).strip().lower(), -1) for value in table["part"].tolist()]
    part = np.array(parts, np.int64)
    if line := first_true(part < 0):
        raise InputError(
            f"{where}: part {shown(table['part'][line - 1])} (entry {line}) is none of "
            f"{', '.join(PARTS)}"
        )
    return part


def _partition(
    about: About, members: Integers, repeat: Integers, fold: Integers, part: Integers
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


def _listed_splits(
    about: About, members: Integers, repeat: Integers, fold: Integers, part: Integers
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
        train, validation, test = (rows[parts == code] for code in range(3))
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


@dataclass(frozen=True, repr=False)
class FromFile(Procedure):
    """The splits that ``heldout split`` (or another tool) wrote to a file.

    In it rows are named by their identifiers, or by number. The splits are of the procedure that
    the file tells; where it tells none, of the one that their rows show (``recognised``).

    Examples
    --------
    >>> str(FromFile("splits.csv"))
    'file splits.csv'
    """

    mixes_time: ClassVar[bool] = False

    path: str | Path = "splits.csv"

    def __post_init__(self) -> None:
        object.__setattr__(self, "path", given_name(self.path, "a file of splits"))

    def _head(self) -> str:
        return f"file {self.path}"

    def _splits_of(self, rows: Rows) -> Splits:
        path, where = Path(self.path), f"splits of {self.path}"
        table, procedure, wanted = _table(path)
        names = row_names(rows.identifiers, rows.count)
        members = _row_numbers(where, table["row"], names, rows.count)
        numbers = (_numbers_from_one(where, table, name) for name in ("repeat", "fold"))
        listed = (members, *numbers, _parts(where, table))
        about: About = (str(self), rows.count, rows.seed, ())
        splits = _partition(about, *listed) or _listed_splits(about, *listed)
        if wanted is not None and splits.fingerprint != wanted:
            raise InputError(
                f"{where}: these are not the splits that were written (fingerprint {wanted}); "
                "the file or the order of the rows was changed"
            )
        return _with_procedure(splits, procedure, path, rows)
