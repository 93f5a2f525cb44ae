"""Tally files: how many rows there are of each kind, and no rows; the counts of files add.

A tally file is a Parquet file with a row for each combination of truth, predicted class, score and
key (model, repeat, fold, group, slices) that occurs, under the names that the columns had, and a
column with the number of such rows. Its metadata has one entry, ``heldout_tally``, a JSON object:

- ``version``: of this format, 1;
- ``roles``: the column of each role, ``by`` the list of columns of slices;
- ``labels``: all classes in order; ``positive``: the class of interest, or null;
- ``bins``: scores are rounded down to multiples of 1 / bins, or null where they are exact;
- ``rows``: how many rows were counted; ``min_count``: no combination has fewer rows.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.core.dialect import argument
from heldout.core.disk import written_whole
from heldout.core.errors import InputError
from heldout.core.random import is_whole
from heldout.core.wording import plural
from heldout.tables.duck import connection, copy_to, identifier, literal
from heldout.tables.files import SourceFile, is_tally, scanned_path
from heldout.tables.json_files import json_of
from heldout.tables.read import read_parquet
from heldout.tables.table import join

if TYPE_CHECKING:
    from collections.abc import Collection, Container, Mapping, Sequence

    from heldout.core.arrays import Array, Floats
    from heldout.predictions.options import Roles
    from heldout.predictions.table import Predictions
    from heldout.tables.column import Column, Label
    from heldout.tables.table import RawTable

VERSION = 1
#: the key of the metadata
ENTRY = "heldout_tally"
#: more bins would be no blur: doubles from 0.5 to 1 have so many
MOST_BINS = 2**52
#: the first number of bins to propose where scores are exact
FIRST_BINS = 4096
DAMAGED = "{} is damaged: not all that was counted is in it; make it again"
#: roles that every tally has
NEEDED = {"truth", "count", "by"}
#: roles that may be given beside a tally
LEFT_OPEN = ("by", "prior", "threshold")


@dataclass(frozen=True, slots=True)
class TallyHeader:
    """What a tally file says of its counts."""

    roles: dict[str, Any]
    labels: list[Label]
    positive: Label | None
    bins: int | None
    rows: int
    min_count: int = 1
    version: int = VERSION


def refuse_bins(bins: int | None) -> None:
    """An error for a number of bins whose edges are no exact numbers."""
    if bins is not None and not (is_whole(bins, 2, MOST_BINS) and bins & (bins - 1) == 0):
        raise InputError(f"{argument('bins', bins)}: give a power of two, such as 4096")


def write_tally(
    models: Sequence[Predictions],
    path: Path,
    *,
    bins: int | None = None,
    min_count: int = 1,
) -> TallyHeader:
    """Write how many rows there are of each kind; what the file says of itself.

    Parameters
    ----------
    models
        The predictions of each model, over the same classes.
    bins
        Round scores down to multiples of 1 / bins, a power of two.
    min_count
        Refuse to write a combination of fewer rows than this.
    """
    refuse_bins(bins)
    if min_count < 1:
        raise InputError(f"{argument('min_count', min_count)}: give 1 or more")
    for p in models:
        _refuse_rows(p)
    tables = [_keys(p, bins, model=i if len(models) > 1 else None) for i, p in enumerate(models)]
    roles, first = tables[0]
    for p, (own, _) in zip(models[1:], tables[1:], strict=True):
        if own != roles:
            raise InputError(
                f"models {models[0].model!r} and {p.model!r} have different columns: one has "
                "labels or scores that the other lacks; make a tally of each"
            )
    p = models[0]
    levels = {roles["truth"]: p.classes, roles.get("predicted"): p.classes}
    levels[roles.get("model")] = tuple(model.model for model in models)
    levels |= {column.name: column.levels for column in _key_columns(p).values()}
    with connection() as database:
        for number, (_, columns) in enumerate(tables):
            database.register(f"model_{number}", columns)
        every = " UNION ALL ".join(f"SELECT * FROM model_{i}" for i in range(len(tables)))
        names = ", ".join(identifier(name) for name in first)
        count = _free("n", first)
        database.execute(
            f"CREATE TABLE cells AS SELECT {names}, count(*) AS {identifier(count)} "
            f"FROM ({every}) GROUP BY {names} ORDER BY {names}"
        )
        counted = database.sql("SELECT * FROM cells").fetchnumpy()
        counts = np.asarray(counted.pop(count), np.int64)
        table = {
            name: _values(np.asarray(codes), levels.get(name)) for name, codes in counted.items()
        }
        database.register("named", {**table, count: counts})
        database.execute("CREATE OR REPLACE TABLE cells AS SELECT * FROM named")
        return write_cells(database, p, {**roles, "count": count}, path, bins, min_count)


def write_cells(
    database: Any,
    p: Predictions,
    roles: dict[str, Any],
    path: Path,
    bins: int | None,
    min_count: int,
) -> TallyHeader:
    """Write the table ``cells`` of a database, a row for each combination with its count."""
    count = roles["count"]
    names = [name for name in database.sql("SELECT * FROM cells").columns if name != count]
    _refuse_few(database, names, count, roles.get("score"), bins, min_count)
    total = database.sql(f"SELECT sum({identifier(count)})::BIGINT FROM cells").fetchall()[0][0]
    positive = None if p.of_interest is None else p.classes[p.of_interest]
    header = TallyHeader(roles, list(p.classes), positive, bins, int(total), min_count)
    metadata = literal(json.dumps(asdict(header)))
    form = f"FORMAT parquet, COMPRESSION zstd, KV_METADATA {{{ENTRY}: {metadata}}}"
    with written_whole(path) as temporary:
        copy_to(database, "SELECT * FROM cells", temporary, form)
    return header


def _refuse_few(
    database: Any,
    names: Collection[str],
    count: str,
    score: str | None,
    bins: int | None,
    min_count: int,
) -> None:
    """An error where a combination has too few rows, with the most bins in which none has.

    Rows are not left out instead: the rare ones are those where truth and score disagree, and
    without them a model looks better than it is.
    """

    def few(bins: int | None) -> int:
        keys = [
            f"floor({identifier(name)} * {bins})" if name == score and bins else identifier(name)
            for name in names
        ]
        query = (
            f"SELECT coalesce(sum(rows), 0) FROM (SELECT sum({identifier(count)}) AS rows "
            f"FROM cells GROUP BY {', '.join(keys)}) WHERE rows < {min_count}"
        )
        return int(database.sql(query).fetchall()[0][0])

    lacking = few(None)
    if not lacking:
        return
    start = (bins or 2 * FIRST_BINS) // 2
    fewer = [start >> k for k in range(start.bit_length() - 1)] if score else []
    enough = next((number for number in fewer if not few(number)), None)
    fix = "leave out columns that counts are kept by, or take a smaller count"
    if enough is not None:
        fix = f"with {argument('bins', enough)} there is none"
    raise InputError(
        f"{argument('min_count', min_count)}: {plural(lacking, 'row')} stand in combinations of "
        f"fewer rows; {fix}"
    )


def _refuse_rows(p: Predictions) -> None:
    """An error where counts would not say what the rows say."""
    if p.task == "regression":
        raise InputError("a tally counts classes, and the task is regression: score the rows")
    if p.weight is not None:
        raise InputError(
            "a tally counts rows, and these have weights; "
            f"{argument('weight', 'none')} counts each row as one"
        )
    if p.against is not None:
        raise InputError(
            "a tally keeps one score per row, which loses digits of probabilities near 0 and 1; "
            f"give {argument('score')}"
        )
    if p.scores is not None and p.scores.ndim == 2 and p.predicted is None:
        raise InputError("a tally keeps labels of several classes, and only scores are given")
    if p.scores is not None and p.is_open:
        raise InputError(f"what the scores are of {p.lack_of_positive}")


def _key_columns(p: Predictions) -> dict[str, Column]:
    """The columns that counts are kept by: those of the design by role, slices by name."""
    design = {role: getattr(p.design, role) for role in ("repeat", "fold", "group")}
    keys = {role: column for role, column in design.items() if column is not None}
    return keys | {f"by {column.name}": column for column in p.slices}


def _keys(
    p: Predictions, bins: int | None, *, model: int | None
) -> tuple[dict[str, Any], dict[str, Array]]:
    """The role of each column, and the columns whose combinations are counted."""
    keys = _key_columns(p)
    columns = {column.name: np.asarray(column.codes, np.int64) for column in keys.values()}
    roles: dict[str, Any] = {
        role: column.name for role, column in keys.items() if not role.startswith("by ")
    }
    roles["by"] = [column.name for column in p.slices]

    def add(role: str, name: str, values: Array) -> None:
        roles[role] = _free(name, columns)
        columns[roles[role]] = values

    add("truth", p.target or "truth", np.asarray(p.truth, np.int64))
    if p.predicted is not None and p.threshold is None:
        add("predicted", "predicted", np.asarray(p.predicted, np.int64))
    if p.scores is not None and p.scores.ndim == 1:
        add("score", "score", _rounded(p.scores, bins))
    if model is not None:
        add("model", "model", np.full(len(p), model, np.int64))
    return roles, columns


def _rounded(scores: Floats, bins: int | None) -> Floats:
    """The scores, rounded down to multiples of 1 / bins, which a power of two makes exact."""
    if bins is None:
        return scores + 0.0  # -0.0 and 0.0 are one score
    if not np.isfinite(scores).all():
        raise InputError(f"{argument('bins', bins)}: a score is infinite, and in no bin")
    return np.floor(scores * bins) / bins + 0.0


def _free(name: str, taken: Container[str]) -> str:
    """The name, with underscores after it where a column has it already."""
    while name in taken:
        name += "_"
    return name


def _values(codes: Array, levels: Sequence[Any] | None) -> Array:
    """What codes stand for, as numbers or truth values where all levels are, else as texts."""
    if levels is None:
        return codes
    kinds = {type(level) for level in levels}
    if len(kinds) == 1 and kinds <= {int, float, bool}:
        return np.array(levels)[codes]
    return np.array([str(level) for level in levels], object)[codes]


def open_tallies(
    sources: Sequence[Any], roles: Roles
) -> tuple[dict[str, TallyHeader], Roles, set[str]]:
    """What each file says of itself, the roles of all, and the columns that are wanted.

    ``roles`` may say what the files leave open (slices, prior, threshold); columns and classes
    are those of the files.
    """
    other = next((source for source in sources if not is_tally(source)), None)
    if other is not None:
        raise InputError(
            f"{other} is not a tally file: score it separately, or make a tally of it first"
        )
    names = [str(source) for source in sources]
    headers = [_header(name) for name in names]
    header = headers[0]
    for name, own in zip(names[1:], headers[1:], strict=True):
        _refuse_other(names[0], header, name, own)
    columns = {role: name for role, name in header.roles.items() if role != "by"}
    known = {
        **columns,
        "positive": header.positive,
        "labels": tuple(header.labels),
        "task": "classification",
    }
    _refuse_contradictions(names[0], roles, known, header.roles["by"])
    refuse_threshold(roles.threshold, header.bins)
    # what is not asked for is not there to be guessed
    wanted = {*columns.values(), *roles.by}
    return dict(zip(names, headers, strict=True)), replace(roles, **known), wanted


def read_tallies(sources: Sequence[Any], roles: Roles) -> tuple[RawTable, Roles, int | None]:
    """The counts of all files as one table, its roles, and the bins of its scores."""
    headers, roles, wanted = open_tallies(sources, roles)
    tables = [_table(name, own, wanted) for name, own in headers.items()]
    whole = tables[0] if len(tables) == 1 else join(tables)
    return whole, roles, next(iter(headers.values())).bins


def _refuse_contradictions(
    name: str, roles: Roles, known: Mapping[str, Any], slices: Sequence[str]
) -> None:
    """An error where the reader says something else of columns and classes than the file."""
    for field in fields(roles):
        value = getattr(roles, field.name)
        if field.name in LEFT_OPEN or value in (None, (), False, ""):
            continue
        own = known.get(field.name)
        same = [str(v) for v in own or ()] == [str(v) for v in value]
        if str(value) != str(own) and not (isinstance(value, tuple) and same):
            raise InputError(
                f"{argument(field.name)} {_shown(value)}: {name} has {_shown(own)}; leave it out, "
                "a tally knows its columns and classes"
            )
    unknown = [column for column in roles.by if column not in slices]
    if unknown:
        raise InputError(
            f"{argument('by', unknown[0])}: {name} is not counted by it (by: {_shown(slices)})"
        )


def _table(name: str, header: TallyHeader, wanted: Collection[str]) -> RawTable:
    table = read_parquet(SourceFile(Path(name), name, "parquet"))
    lacking = [column for column in wanted if column not in table.columns]
    counts = table.columns.get(header.roles["count"])
    if lacking or counts is None or int(counts.values.sum()) != header.rows:
        raise InputError(DAMAGED.format(name))
    columns = {column: values for column, values in table.columns.items() if column in wanted}
    return replace(table, columns=columns)


def _header(name: str) -> TallyHeader:
    import duckdb

    if not Path(name).is_file():
        raise InputError(f"no such file: {name}")
    Path(name).open("rb").close()  # what may not be read is no damaged file
    path = scanned_path(SourceFile(Path(name), name, "parquet"))
    query = f"SELECT value FROM parquet_kv_metadata({path}) WHERE key = '{ENTRY}'"
    try:
        with connection() as database:
            entries = database.sql(query).fetchall()
    except duckdb.Error:
        raise InputError(f"{name} is not a tally, or was cut off; make it again") from None
    if not entries:
        raise InputError(f"{name} is a Parquet file and no tally; heldout tally makes one of it")
    try:
        content = json_of(entries[0][0].decode())
        if (version := content["version"]) == VERSION and content["roles"].keys() >= NEEDED:
            return TallyHeader(**content)
    except (ValueError, TypeError, KeyError, AttributeError):
        version = VERSION
    if version == VERSION:
        raise InputError(DAMAGED.format(name))
    raise InputError(
        f"{name} is a tally of version {version}, and version {VERSION} is read here; make it "
        "again, or read it with the heldout that wrote it"
    )


def _refuse_other(name: str, header: TallyHeader, other: str, own: TallyHeader) -> None:
    """An error where two files count different things."""
    for what in ("labels", "positive", "bins", "roles"):
        first, second = getattr(header, what), getattr(own, what)
        if json.dumps(first, sort_keys=True) != json.dumps(second, sort_keys=True):
            fix = "the same columns" if what == "roles" else f"the same {argument(what)}"
            raise InputError(
                f"{name} and {other} do not add, their {what} differ: {_shown(first)} and "
                f"{_shown(second)}; make both with {fix}"
            )


def refuse_threshold(threshold: float | None, bins: int | None) -> None:
    """An error for a threshold inside of a bin, whose rows would fall on either side."""
    if threshold is None or bins is None or float(threshold * bins).is_integer():
        return
    raise InputError(
        f"{argument('threshold', threshold)}: the scores are known to a multiple of 1/{bins}, and "
        f"not which of them reach it; the nearest multiple is {round(threshold * bins) / bins!r}"
    )


def _shown(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{role} {_shown(name)}" for role, name in value.items() if name)
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value)) or "none"
    return "none" if value is None else str(value)
