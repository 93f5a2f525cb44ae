"""Which engine reads a source: rows in memory, or files that are scanned."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

from heldout.core.dialect import argument
from heldout.core.errors import InputError
from heldout.core.memory import free_memory
from heldout.engines.origins import (
    collected,
    is_elsewhere,
    is_large,
    name_of,
    origins_of,
    settled,
)
from heldout.engines.protocol import NotScanned
from heldout.predictions.read import model_names, read_roles
from heldout.tables.files import SourceFile, is_tally
from heldout.tables.read import files_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from heldout.core.dialect import Dialect
    from heldout.engines.sources import Source
    from heldout.predictions.options import Roles
    from heldout.predictions.table import Predictions
    from heldout.predictions.tally_file import TallyHeader

Engine = Literal["memory", "scan", "spark"]
ENGINES: tuple[Engine, ...] = get_args(Engine)
#: arguments that say how rows are read
HOW = ("engine", "memory", "bins", "master")
SIZE = re.compile(r"(\d{1,15}(?:\.\d+)?)\s*([kmgt]?)(?:i?b)?", re.IGNORECASE)
UNITS = {"": 1, "b": 1, "k": 2**10, "m": 2**20, "g": 2**30, "t": 2**40}


def read_rows(
    sources: Sequence[Any],
    roles: Roles,
    *,
    pool: bool,
    dialect: Dialect,
    called: Sequence[str] = (),
    engine: str | None = None,
    memory: str | None = None,
    bins: int | None = None,
    master: str | None = None,
    is_paired: bool = False,
) -> tuple[Predictions, ...]:
    """Checked predictions as ``read_roles`` gives them, by the engine that is asked for or needed.

    Parameters
    ----------
    engine
        ``memory``, ``scan``, ``spark``, or None: what is large for the memory is scanned, and
        frames that lie elsewhere are asked there.
    memory
        How much may be used, such as ``2GiB``; None: half of what is free.
    bins
        Round scores down to multiples of 1 / bins while they are counted.
    master
        Where Spark runs, such as ``local[2]`` or ``sc://host``.
    is_paired
        Rows of one model are compared with those of another, so that counts do not do.
    """
    if bins is not None:
        from heldout.predictions.tally_file import refuse_bins

        refuse_bins(bins)
    may_use = bytes_of(memory)
    _refuse_engine(engine, bins, master)
    engine = "spark" if engine is None and master else engine
    is_asked = engine in ("scan", "spark") or bins is not None
    sources = [settled(source, may_use, is_scanned=is_asked) for source in sources]
    is_tallied = any(is_tally(file) for source in sources for file in files_of(source))
    if is_tallied and bins is not None:
        raise InputError(
            f"{argument('bins')}: a tally knows its bins; {argument('bins')} makes one"
        )
    is_needed = any(map(is_elsewhere, sources))
    if engine == "memory" or not (
        is_asked or is_needed or is_tallied or roles.count or is_large(sources, may_use)
    ):
        sources = [collected(source) for source in sources]
        return read_roles(sources, roles, pool=pool, dialect=dialect, called=called)
    try:
        if is_tallied:
            return (_of_tallies(sources, roles, dialect, may_use, engine, master),)
        origins = origins_of(sources, pool=pool, called=called, engine=engine, master=master)
    except NotScanned as error:
        reason = str(error)
    else:
        if is_paired:
            return _kept(origins, roles, dialect, may_use, "rows are compared")
        return _models(origins, roles, dialect, may_use, bins)
    if is_asked or is_needed:
        asked = argument("engine", engine or "scan") if bins is None else argument("bins", bins)
        lead = asked if is_asked else "the rows are not in memory"
        raise InputError(f"{lead}: {reason}; {argument('engine', 'memory')} reads all rows")
    read = read_roles(sources, roles, pool=pool, dialect=dialect, called=called)
    if is_tallied or roles.count:
        return read
    note = f"engine: memory, though the files are large ({reason})"
    return tuple(replace(p, notes=(*p.notes, note)) for p in read)


def _refuse_engine(engine: str | None, bins: int | None, master: str | None) -> None:
    for name, value in (("engine", engine), ("master", master)):
        if not isinstance(value, str | None):
            raise InputError(f"{argument(name, value)}: give a text")
    if engine not in (None, *ENGINES):
        raise InputError(f"{argument('engine', engine)}: the engines are {', '.join(ENGINES)}")
    if engine == "memory" and bins is not None:
        raise InputError(
            f"{argument('bins')} counts while scanning: leave out {argument('engine')}"
        )
    if master and engine not in (None, "spark"):
        raise InputError(
            f"{argument('master', master)} is for {argument('engine', 'spark')}, not for {engine}"
        )


def _models(
    origins: Sequence[Source],
    roles: Roles,
    dialect: Dialect,
    memory: int,
    bins: int | None,
) -> tuple[Predictions, ...]:
    """The predictions of each model, with a note on what read their rows.

    Of two classes and one score the counts are kept, of all else the needed columns.
    """
    try:
        models = _scanned(origins, roles, dialect, memory, bins)
    except NotScanned as error:
        if bins is not None:
            raise InputError(
                f"{argument('bins', bins)}: {error}; leave it out to read all rows"
            ) from None
        return _kept(origins, roles, dialect, memory, str(error))
    is_scan = origins[0].engine == "scan"
    how = "are read in batches" if is_scan else "are counted where they are"
    return models if roles.count else _noted(models, origins, f"{how}, not kept")


def _kept(
    origins: Sequence[Source], roles: Roles, dialect: Dialect, memory: int, reason: str
) -> tuple[Predictions, ...]:
    """The predictions of each model, of which the needed columns are kept."""
    from heldout.engines.kept_rows import read_kept

    models = read_kept(origins, roles, dialect=dialect, memory=memory)
    # Spark reads files in any order
    is_unordered = origins[0].engine == "spark"
    models = tuple(replace(p, is_unordered=is_unordered) for p in models)
    how = f"are read in batches, their columns are kept: {reason}"
    return models if roles.count else _noted(models, origins, how)


def _noted(
    models: Sequence[Predictions], origins: Sequence[Source], how: str
) -> tuple[Predictions, ...]:
    """The predictions with a note on what read their rows."""
    note = f"engine: {origins[0].engine} ({sum(map(len, models)):,} rows {how})"
    return tuple(replace(p, notes=(*p.notes, note)) for p in models)


def write_scanned_tally(
    sources: Sequence[Any],
    roles: Roles,
    path: Path,
    *,
    engine: str | None,
    memory: str | None,
    bins: int | None,
    min_count: int,
) -> tuple[tuple[Predictions, ...], TallyHeader] | None:
    """The tally of files whose rows are not kept; None where they are to be read into memory."""
    from heldout.engines.duck_source import Files
    from heldout.engines.tally_scan import tally_files
    from heldout.predictions.tally_file import write_tally

    may_use = bytes_of(memory)
    if engine == "spark":
        raise InputError(f"{argument('engine', engine)} scores; tallies are written by scan")
    if engine == "memory" or not (engine == "scan" or is_large(sources, may_use)):
        return None
    try:
        (files,) = origins_of(sources, pool=True)
        if not isinstance(files, Files):
            raise NotScanned("only files are tallied")
    except NotScanned as error:
        if engine == "scan":
            raise InputError(f"{argument('engine', engine)}: {error}") from None
        return None
    try:
        p, header = tally_files(files, roles, path, memory=may_use, bins=bins, min_count=min_count)
    except NotScanned as error:
        models = _kept([files], roles, "flags", may_use, str(error))
        return models, write_tally(models, path, bins=bins, min_count=min_count)
    return (p,), header


def _of_tallies(
    sources: Sequence[Any],
    roles: Roles,
    dialect: Dialect,
    memory: int,
    engine: str | None,
    master: str | None,
) -> Predictions:
    """The rows that tally files count, all files together."""
    from heldout.engines.duck_source import Files
    from heldout.engines.scan import scan
    from heldout.predictions.tally_file import DAMAGED, open_tallies

    files = [file for source in sources for file in files_of(source)]
    headers, known, wanted = open_tallies(files, roles)
    first = next(iter(headers.values()))
    if not first.roles.get("score"):
        raise NotScanned("labels alone are counted")
    paths = tuple(SourceFile(Path(name), name, "parquet") for name in headers)
    files_read = Files(name_of(paths), paths, tuple(wanted))
    source: Source = files_read
    if engine == "spark":
        from heldout.engines.spark_source import spark_files

        source = spark_files(paths, files_read.name, master, files_read.columns)
    p = scan(source, known, dialect=dialect, memory=memory, bins=first.bins)
    if len(p) != sum(header.rows for header in headers.values()):
        raise InputError(DAMAGED.format(source.name))
    return p


def _scanned(
    origins: Sequence[Source], roles: Roles, dialect: Dialect, memory: int, bins: int | None
) -> tuple[Predictions, ...]:
    """The predictions of each model, scanned."""
    from heldout.engines.scan import scan

    names = [""] if len(origins) == 1 else model_names([origin.name for origin in origins])
    models = tuple(
        scan(source, roles, dialect=dialect, model=name, memory=memory, bins=bins)
        for source, name in zip(origins, names, strict=True)
    )
    _refuse_other_classes(models)
    return models


def _refuse_other_classes(models: Sequence[Predictions]) -> None:
    first = models[0]
    for p in models[1:]:
        if (p.classes, p.positive) != (first.classes, first.positive):
            raise InputError(
                f"{first.source} and {p.source} have different classes ({first.classes} and "
                f"{p.classes}); state them with {argument('labels')} and {argument('positive')}"
            )


def bytes_of(text: str | None) -> int:
    """How many bytes a size stands for; None: half of the memory that is free.

    Examples
    --------
    >>> bytes_of("500MiB"), bytes_of("2g")
    (524288000, 2147483648)
    """
    if text is None:
        return free_memory() // 2
    found = SIZE.fullmatch(str(text).strip())
    if not found:
        raise InputError(f"{argument('memory', text)}: give a size, such as 500MiB or 2GiB")
    return int(float(found[1]) * UNITS[found[2].lower()])
