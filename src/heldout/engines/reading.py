"""Which engine reads a source: rows in memory, or files that are scanned."""

from __future__ import annotations

import os
import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

from heldout.core.dialect import argument
from heldout.core.errors import InputError
from heldout.engines.duck_source import Files
from heldout.engines.scan import scan
from heldout.engines.score_kernel import NotScanned
from heldout.predictions.read import model_names, read_roles
from heldout.predictions.tally_file import DAMAGED, is_tally, open_tallies, refuse_bins
from heldout.tables.files import SourceFile
from heldout.tables.read import files_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from heldout.core.dialect import Dialect
    from heldout.predictions.options import Roles
    from heldout.predictions.table import Predictions
    from heldout.predictions.tally_file import TallyHeader

Engine = Literal["memory", "scan"]
ENGINES: tuple[Engine, ...] = get_args(Engine)
#: bytes that a row takes in memory at the peak of a full scorecard, and in a file at most
ROW_BYTES, LINE_BYTES = 56, 10
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
) -> tuple[Predictions, ...]:
    """Checked predictions as ``read_roles`` gives them, by the engine that is asked for or needed.

    Parameters
    ----------
    engine
        ``memory``, ``scan``, or None: files that are large for the memory are scanned.
    memory
        How much may be used, such as ``2GiB``; None: half of what is free.
    bins
        Round scores down to multiples of 1 / bins while they are counted.
    """
    refuse_bins(bins)
    may_use = bytes_of(memory)
    if engine not in (None, *ENGINES):
        raise InputError(f"{argument('engine', engine)}: the engines are {', '.join(ENGINES)}")
    if engine == "memory" and bins is not None:
        raise InputError(
            f"{argument('bins')} counts while scanning: leave out {argument('engine')}"
        )
    is_tallied = any(is_tally(file) for source in sources for file in files_of(source))
    if is_tallied and bins is not None:
        raise InputError(
            f"{argument('bins')}: a tally knows its bins; {argument('bins')} makes one"
        )
    is_asked = engine == "scan" or bins is not None
    if engine == "memory" or not (
        is_asked or is_tallied or roles.count or _is_large(sources, may_use)
    ):
        return read_roles(sources, roles, pool=pool, dialect=dialect, called=called)
    reason = ""
    models: tuple[Predictions, ...] = ()
    try:
        if is_tallied:
            return (_of_tallies(sources, roles, dialect, may_use),)
        models = _scanned(sources, roles, pool, dialect, may_use, bins)
    except NotScanned as error:
        reason = str(error)
    if not reason:
        if roles.count:
            return models
        note = f"engine: scan ({sum(len(p) for p in models):,} rows are read in batches, not kept)"
        return tuple(replace(p, notes=(*p.notes, note)) for p in models)
    if is_asked:
        asked = argument("engine", "scan") if bins is None else argument("bins", bins)
        raise InputError(f"{asked}: {reason}; {argument('engine', 'memory')} reads all rows")
    read = read_roles(sources, roles, pool=pool, dialect=dialect, called=called)
    if is_tallied or roles.count:
        return read
    note = f"engine: memory, though the files are large ({reason})"
    return tuple(replace(p, notes=(*p.notes, note)) for p in read)


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
    from heldout.engines.tally_scan import tally_files

    may_use = bytes_of(memory)
    if engine == "memory" or not (engine == "scan" or _is_large(sources, may_use)):
        return None
    try:
        (paths,) = _tables(sources, pool=True)
        files = Files.of(paths, _name(paths))
        p, header = tally_files(files, roles, path, memory=may_use, bins=bins, min_count=min_count)
    except NotScanned as error:
        if engine == "scan":
            raise InputError(f"{argument('engine', engine)}: {error}") from None
        return None
    return (p,), header


def _of_tallies(sources: Sequence[Any], roles: Roles, dialect: Dialect, memory: int) -> Predictions:
    """The rows that tally files count, all files together."""
    files = [file for source in sources for file in files_of(source)]
    headers, known, wanted = open_tallies(files, roles)
    first = next(iter(headers.values()))
    if not first.roles.get("score"):
        raise NotScanned("labels alone are counted")
    paths = tuple(SourceFile(Path(name), name, "parquet") for name in headers)
    source = Files(_name([path.path for path in paths]), paths, tuple(wanted))
    p = scan(source, known, dialect=dialect, memory=memory, bins=first.bins)
    if len(p) != sum(header.rows for header in headers.values()):
        raise InputError(DAMAGED.format(source.name))
    return p


def _scanned(
    sources: Sequence[Any],
    roles: Roles,
    pool: bool,
    dialect: Dialect,
    memory: int,
    bins: int | None,
) -> tuple[Predictions, ...]:
    """The predictions of each model, scanned."""
    tables = _tables(sources, pool)
    names = [""] if len(tables) == 1 else model_names([paths[0] for paths in tables])
    models = tuple(
        scan(
            Files.of(paths, _name(paths)),
            roles,
            dialect=dialect,
            model=name,
            memory=memory,
            bins=bins,
        )
        for paths, name in zip(tables, names, strict=True)
    )
    _refuse_other_classes(models)
    return models


def _tables(sources: Sequence[Any], pool: bool) -> list[list[Path]]:
    """The files of each model."""
    files = [[Path(file) for file in _paths(source)] for source in sources]
    if not all(path.is_file() for paths in files for path in paths):
        raise NotScanned("only files are scanned")
    every = [path for paths in files for path in paths]
    return [every] if pool else [[path] for path in every]


def _paths(source: Any) -> list[Any]:
    if not isinstance(source, str | Path) or str(source) == "-" or is_tally(source):
        raise NotScanned("only files are scanned")
    return files_of(source)


def _name(paths: Sequence[Path]) -> str:
    if len(paths) > 1:
        return f"{paths[0]} and {len(paths) - 1} more"
    return str(paths[0])


def _refuse_other_classes(models: Sequence[Predictions]) -> None:
    first = models[0]
    for p in models[1:]:
        if (p.classes, p.positive) != (first.classes, first.positive):
            raise InputError(
                f"{first.source} and {p.source} have different classes ({first.classes} and "
                f"{p.classes}); state them with {argument('labels')} and {argument('positive')}"
            )


def _is_large(sources: Sequence[Any], memory: int) -> bool:
    """Whether rows of files would need more memory than may be used."""
    paths = [source for source in sources if isinstance(source, str | Path) and str(source) != "-"]
    if len(paths) < len(sources) or any(is_tally(path) for path in paths):
        return False
    files = [Path(file) for path in paths for file in files_of(path)]
    size = sum(file.stat().st_size for file in files if file.is_file())
    return size / LINE_BYTES * ROW_BYTES > memory


def bytes_of(text: str | None) -> int:
    """How many bytes a size stands for; None: half of the memory that is free.

    Examples
    --------
    >>> bytes_of("500MiB"), bytes_of("2g")
    (524288000, 2147483648)
    """
    if text is None:
        return _free_memory() // 2
    found = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([kmgt]?)(?:i?b)?\s*", text, re.IGNORECASE)
    if not found:
        raise InputError(f"{argument('memory', text)}: give a size, such as 500MiB or 2GiB")
    return int(float(found[1]) * UNITS[found[2].lower()])


def _free_memory() -> int:
    """Bytes that can be had without others being pushed out."""
    try:
        with Path("/proc/meminfo").open(encoding="ascii") as lines:
            known = dict(line.split(":", 1) for line in lines)
        return int(known["MemAvailable"].split()[0]) * 1024
    except (OSError, KeyError):  # no Linux: a half of all there is
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2
