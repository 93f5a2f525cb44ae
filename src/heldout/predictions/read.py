"""Predictions from files and tables whose roles are stated."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from heldout.core.dialect import ARGUMENTS
from heldout.core.errors import InputError
from heldout.core.nearest import did_you_mean
from heldout.predictions.build import build
from heldout.predictions.dialects import as_written
from heldout.predictions.options import Roles
from heldout.predictions.roles import ROLES, checked
from heldout.tables.files import is_tally
from heldout.tables.frames import refuse_shuffled
from heldout.tables.read import files_of, read_table
from heldout.tables.roles import candidates
from heldout.tables.table import Part, RawTable, join

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from heldout.core.dialect import Dialect
    from heldout.predictions.table import Predictions

#: what may follow the ending that says the format
PACKED = {".gz", ".gzip", ".zst", ".zstd", ".bz2", ".xz"}
#: scikit-learn's names of roles: either name will do, wherever columns of a table are named
OTHER_NAMES = {name: role for role, name in ARGUMENTS.items() if role != "score_prefix"}


def is_table(source: Any) -> bool:
    """Whether something is a table, or the path of one, and not the values of one column."""
    if isinstance(source, str | PathLike | Mapping) or hasattr(source, "collect_schema"):
        return True
    if isinstance(source, list):  # of mappings, each of which is a row
        return bool(source) and isinstance(source[0], Mapping)
    columns = getattr(source, "columns", None)
    return columns is not None and len(columns) > 1


def role_of(name: str) -> str:
    """The role that a name of Python stands for; an unknown one is an error."""
    role = OTHER_NAMES.get(name, name)
    if role not in ROLES:
        hint = did_you_mean(name, {*ROLES, *OTHER_NAMES}) or " (truth=, predicted=, score= ...)"
        raise InputError(f"{name}= is not a role of a column{hint}")
    return role


def read_named(
    tables: Sequence[Any],
    given: Mapping[str, Any],
    *,
    pool: bool = False,
    dialect: Dialect = "keywords",
    read: Callable[..., tuple[Predictions, ...]] | None = None,
) -> tuple[Predictions, ...]:
    """Checked predictions of tables whose roles are given by either of their names.

    Every function of Python that takes a table of predictions takes it so. ``read`` reads sources
    as ``read_roles`` does, by another engine.
    """
    roles: dict[str, Any] = {}
    named: dict[str, str] = {}
    for name, value in given.items():
        role = role_of(name)
        if role in named:
            both = sorted((name, named[role]), key=lambda column: column in OTHER_NAMES)
            raise InputError(
                f"{both[0]}= and {both[1]}= are two names of one thing: give one of them"
            )
        named[role] = name
        roles[role] = checked(role, name, value)
    models = (read or read_roles)(tables, Roles(**roles), pool=pool, dialect=dialect)
    if len(models) == len(tables) and all(p.identifier is None for p in models):
        others = [(f"table {i}", table) for i, table in enumerate(tables[1:], start=2)]
        refuse_shuffled(tables[0], others, name="table 1")
    return models


def read_roles(
    sources: Sequence[Any],
    roles: Roles,
    *,
    pool: bool,
    dialect: Dialect,
    called: Sequence[str] = (),
) -> tuple[Predictions, ...]:
    """Checked predictions of sources whose roles are stated, with messages in a dialect.

    ``called`` is what messages call each source; empty: by its path. A pattern stands for its
    files, as it does where the shell expands it; what is pooled is read as one table.
    """
    known = list(called or [""] * len(sources))
    if not pool:
        pairs = [
            (file, name)
            for source, name in zip(sources, known, strict=True)
            for file in files_of(source)
        ]
        sources, known = [file for file, _ in pairs], [name for _, name in pairs]
    if any(is_tally(source) for source in sources):
        return _of_tallies(sources, roles, dialect)
    tables = [read_table(source, name=name) for source, name in zip(sources, known, strict=True)]
    names = [""] if len(tables) == 1 else model_names(sources)
    if len(tables) > 1 and (pool or _has_models(tables, roles)):
        tables, names = [join(tables)], [""]
    models = [
        (f"{name} {model}".strip(), source)
        for name, table in zip(names, tables, strict=True)
        for model, source in as_written(table)
    ]
    called = [name for name, _ in models]
    return build([source for _, source in models], roles, models=called, dialect=dialect)


def _of_tallies(sources: Sequence[Any], roles: Roles, dialect: Dialect) -> tuple[Predictions, ...]:
    """The predictions that tally files count, all files together."""
    from heldout.predictions.tally_file import read_tallies

    table, roles, bins = read_tallies(sources, roles)
    return tuple(
        replace(p, bins=bins, is_unordered=True) for p in build([table], roles, dialect=dialect)
    )


def _has_models(tables: list[RawTable], roles: Roles) -> bool:
    """Whether the tables have a column of models, which then names them instead of the files."""
    if roles.model is not None:
        return bool(roles.model)  # an empty text says that no column is
    having = [bool(candidates(Part(table), ROLES["model"], set())) for table in tables]
    if any(having) and not all(having):
        having_it, lacking_it = (
            tables[having.index(True)].source,
            tables[having.index(False)].source,
        )
        raise InputError(
            f"{having_it} has a column of models and {lacking_it} has none; give both one, or "
            "leave it out"
        )
    return all(having)


def model_names(sources: Sequence[Any]) -> list[str]:
    """A name for the model of each source: its file's, with the folder where two are alike.

    Examples
    --------
    >>> model_names(["runs/tree.csv.gz", "runs/forest.csv"])
    ['tree', 'forest']
    >>> model_names(["a/tree.csv", "b/tree.csv"])
    ['a/tree', 'b/tree']
    """
    names: list[str] = []
    for depth in (1, 2, 3, 100):
        names = [_name(source, position, depth) for position, source in enumerate(sources, start=1)]
        if len(set(names)) == len(names):
            return names
    return [f"{name} ({position})" for position, name in enumerate(names, start=1)]


def _name(source: Any, position: int, depth: int) -> str:
    if isinstance(source, RawTable):
        source = source.source
    if not isinstance(source, (str, Path)):
        return f"table {position}"
    if source == "-":
        return "standard input"
    path = Path(source)
    if path.suffix.lower() in PACKED:
        path = path.with_suffix("")
    return "/".join(path.with_suffix("").parts[-depth:])
