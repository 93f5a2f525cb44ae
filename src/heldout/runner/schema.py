"""Whether the tables of a store's database are those that heldout makes, column by column."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from functools import cache
from typing import Any

from heldout.runner.database import CHANGES, VERSION, make_tables
from heldout.runner.looks import LOOKS
from heldout.runner.searches import SEARCHES, SINGLES, VALUES

__all__ = ["LATER", "has_own_tables"]

#: tables that are made when they are first needed
LATER = {"look": LOOKS, "search": SEARCHES, "single": SINGLES, "judged": VALUES}

Table = tuple[list[Any], ...]


def has_own_tables(connection: sqlite3.Connection) -> bool:
    """Whether all tables are there, with columns, keys and indexes as heldout makes them.

    A name that one wrong byte has changed is no damage to SQLite, but to whoever asks for it.
    """
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    query = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
    there = {name for (name,) in connection.execute(query)}
    own = _own()
    return own.keys() - LATER.keys() <= there <= own.keys() and all(
        _is_same(_described(connection, name), own[name], _added(name, version)) for name in there
    )


def _is_same(found: Table, own: Table, added: int) -> bool:
    """Whether a table is as heldout makes it, or made it before so many columns were added."""
    columns, keys, indexes = own
    return found == (columns[: len(columns) - added], keys, indexes)


def _added(table: str, version: int) -> int:
    """How many columns a table has now that it had not in some version."""
    changes = [one for old in range(max(version, 1), VERSION) for one in CHANGES[old]]
    return sum(one.startswith(f"ALTER TABLE {table} ADD COLUMN") for one in changes)


@cache
def _own() -> dict[str, Table]:
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as memory:
        make_tables(memory)
        for create in LATER.values():
            memory.execute(create)
        names = memory.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
        return {
            name: _described(memory, name) for (name,) in names if not name.startswith("sqlite_")
        }


def _described(connection: sqlite3.Connection, table: str) -> Table:
    """The columns, foreign keys and indexes of a table."""

    def told(pragma: str, name: str) -> list[Any]:
        return connection.execute(f"SELECT * FROM pragma_{pragma}(?)", (name,)).fetchall()

    indexes = [
        (is_unique, told("index_info", name))
        for _, name, is_unique, *_ in told("index_list", table)
    ]
    return told("table_info", table), told("foreign_key_list", table), indexes
