"""What a damaged store remembers of looks and searches, saved as far as a page or index has it.

Nothing is ever removed from these tables, so their rows are numbered without gaps: a number that
neither a table nor its index has is a row that was lost.
"""

from __future__ import annotations

import re
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from karat.runner.database import UNREADABLE
from karat.runner.looks import LOOKS
from karat.runner.searches import SEARCHES, SINGLES, VALUES, digest_of_search

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from karat.runner.pages import Cell

    Row = tuple[Any, ...]
    Rows = dict[str, dict[int, Row]]

__all__ = ["LookLeaves", "SavedLooks", "counted_looks", "save_looks"]

#: what may stand in their columns: a digest; none, of a setting that nothing identifies; a moment
#: that an index does not have; the reason why a value is no longer there
DIGEST = re.compile("[0-9a-f]{32}")
SETTING = re.compile("([0-9a-f]{32})?")
UNDATED = "(lost)"
MOMENT = re.compile(rf"\d{{4}}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00|{re.escape(UNDATED)}")
WORD = re.compile("[a-z]{4,12}")

#: tables: how they are made, what their columns hold, and which of these their index has
TABLES = {
    "look": (LOOKS, {"rows": DIGEST, "model": DIGEST, "judged": MOMENT}, ("rows", "model")),
    "search": (
        SEARCHES,
        {"data": DIGEST, "splits": DIGEST, "search": DIGEST, "model": SETTING},
        ("search", "model"),
    ),
    "single": (
        SINGLES,
        {"data": DIGEST, "splits": DIGEST, "model": DIGEST},
        ("data", "splits", "model"),
    ),
    "judged": (
        VALUES,
        {"why": WORD, "data": DIGEST, "splits": DIGEST, "model": DIGEST},
        ("why", "data", "splits", "model"),
    ),
}


@dataclass(frozen=True, slots=True)
class SavedLooks:
    """How much of the memory is saved, and how many rows of each table are lost."""

    looks: int = 0
    searches: int = 0
    singles: int = 0
    lost: Mapping[str, int] = field(default_factory=dict)
    #: data and splits of searches of which some settings are lost
    partial: tuple[tuple[str, str], ...] = ()
    #: whether nothing tells that this is all
    is_unsure: bool = False


def _no_rows() -> Rows:
    return {table: {} for table in TABLES}


@dataclass(slots=True)
class LookLeaves:
    """Rows of the tables, and entries of their indexes, by the numbers of the rows."""

    rows: Rows = field(default_factory=_no_rows)
    entries: Rows = field(default_factory=_no_rows)
    #: entries of a look or of a search, which are alike
    pairs: set[tuple[int, str, str]] = field(default_factory=set)
    #: tables of which neither the rows nor the entries could be read to their end
    unread: set[str] = field(default_factory=set)

    def take(self, cell: Cell) -> None:
        """Keep what a page has, if it is of these tables."""
        if len(cell.values) < cell.width:
            return
        if not cell.is_index:
            for table in TABLES:
                if _is_row(table, cell.values):
                    self.rows[table][cell.number] = cell.values
            return
        values = cell.values[:-1]
        if _is_entry("search", values):
            self.pairs.add((cell.number, *values))
        for table in ("single", "judged"):
            if _is_entry(table, values):
                self.entries[table][cell.number] = values

    def read(self, source: sqlite3.Connection, rows: Callable[[str, str], Iterable[Row]]) -> None:
        """Keep what the database itself still gives, of its tables by ``rows``."""
        for table, (_, columns, indexed) in TABLES.items():
            for number, *values in rows(table, ", ".join(("rowid", *columns))):
                if _is_row(table, values):
                    self.rows[table][number] = tuple(values)
            chosen = ", ".join(indexed)
            query = f"SELECT rowid, {chosen} FROM {table} "
            index = f"INDEXED BY sqlite_autoindex_{table}_1 ORDER BY {chosen}"
            ends: set[str] = set()
            for number, *values in _all_readable(source, query + index, ends):
                if _is_entry(table, values):
                    self.entries[table][number] = tuple(values)
            for _ in _all_readable(source, f"{query} NOT INDEXED", ends):
                pass
            if not ends:
                self.unread.add(table)
        known = "SELECT name FROM sqlite_master WHERE type = 'table'"
        ends = set()
        there = {name for (name,) in _all_readable(source, known, ends)}
        if ends:
            self.unread &= there

    def sort_pairs(self, models: set[str], places: Iterable[tuple[str, str]]) -> None:
        """Tell entries of searches from those of looks.

        A search is known by its digest, by a row that is still there, or by a setting that was
        fitted; what is left are looks.
        """
        searches = self.rows["search"].values()
        of_looks = {row[0] for row in self.rows["look"].values()}
        of_searches = {row[2] for row in searches}
        models = models.union(row[3] for row in searches)
        members: dict[str, set[str]] = {}
        for _, first, model in self.pairs:
            members.setdefault(first, set()).add(model)
        for first, tried in members.items():
            if first not in of_looks and any(_is_whole(first, one, tried) for one in places):
                of_searches.add(first)
        for number, first, model in self.pairs:
            is_search = first in of_searches or (first not in of_looks and model in models)
            table = "search" if is_search else "look"
            self.entries[table].setdefault(number, (first, model))


def save_looks(leaves: LookLeaves, target: sqlite3.Connection) -> SavedLooks:
    """Put the memory into a new database, whose runs are there already."""
    places = {row[:2] for row in leaves.rows["search"].values()}
    places.update(target.execute("SELECT data_fingerprint, splits_fingerprint FROM run"))
    series = target.execute("SELECT fingerprint FROM series")
    leaves.sort_pairs({fingerprint for (fingerprint,) in series}, places)
    made: dict[str, set[Row]] = {
        table: {*(leaves.entries[table] | leaves.rows[table]).values()}
        for table in ("single", "judged")
    }
    undated = {number: (*entry, UNDATED) for number, entry in leaves.entries["look"].items()}
    made["look"] = {*(undated | leaves.rows["look"]).values()}
    made["search"], partial = _searches(leaves, places)
    lost = {}
    for table, rows in made.items():
        if rows:
            create, columns, _ = TABLES[table]
            target.execute(create)
            marks = ", ".join("?" * len(columns))
            target.executemany(f"INSERT OR IGNORE INTO {table} VALUES ({marks})", sorted(rows))
        last = max([*leaves.rows[table], *leaves.entries[table]], default=0)
        lost[table] = max(last - _count(target, table), 0)
    return SavedLooks(*counted_looks(target), lost, partial, bool(leaves.unread))


def counted_looks(source: sqlite3.Connection) -> tuple[int, int, int]:
    """Looks, searches, and settings judged by themselves that a database has on record."""
    searches = _count(source, "search", "DISTINCT search")
    return _count(source, "look"), searches, _count(source, "single")


def _count(source: sqlite3.Connection, table: str, what: str = "*") -> int:
    known = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?"
    if source.execute(known, (table,)).fetchone() is None:
        return 0
    return int(source.execute(f"SELECT count({what}) FROM {table}").fetchone()[0])


def _searches(
    leaves: LookLeaves, places: Iterable[tuple[str, str]]
) -> tuple[set[Row], tuple[tuple[str, str], ...]]:
    """Rows of searches, and the data and splits of those that lack settings.

    An entry of the index does not say of which data and splits its search was: other rows of
    it do, or its digest, which also proves that none of its settings is lost.
    """
    entries, rows = leaves.entries["search"], leaves.rows["search"]
    told = {number: row[2:] for number, row in rows.items()}
    ways: dict[str, list[set[str]]] = {}
    # where the two differ, either may be the damaged one
    for some in (told | entries, entries | told):
        members: dict[str, set[str]] = {}
        for search, model in some.values():
            members.setdefault(search, set()).add(model)
        for search, models in members.items():
            ways.setdefault(search, []).append(models)
    made: set[Row] = set()
    partial = []
    for search, sets in ways.items():
        own = [row[:2] for n, row in rows.items() if search in (row[2], *entries.get(n, ())[:1])]
        likely = [place for place, _ in Counter(own).most_common()]
        whole = [(p, m) for p in (*likely, *places) for m in sets if _is_whole(search, p, m)]
        if whole:
            place, models = whole[0]
        elif likely and len(sets) > 1:
            place, models = likely[0], set.union(*sets)
            partial.append(place)
        else:
            # of data that nothing names, or a search that only damage gave its name
            continue
        made |= {(*place, search, model) for model in models}
    return made, tuple(partial)


def _is_whole(search: str, place: tuple[str, str], models: Iterable[str]) -> bool:
    return digest_of_search(*place, models) == search


def _is_row(table: str, values: Sequence[Any]) -> bool:
    """Whether values are those of a row of a table."""
    return _match(values, [*TABLES[table][1].values()])


def _is_entry(table: str, values: Sequence[Any]) -> bool:
    """Whether values are those of an entry of a table's index."""
    _, columns, indexed = TABLES[table]
    return _match(values, [columns[name] for name in indexed])


def _match(values: Sequence[Any], forms: Sequence[re.Pattern[str]]) -> bool:
    return len(values) == len(forms) and all(
        isinstance(value, str) and form.fullmatch(value) is not None
        for value, form in zip(values, forms, strict=True)
    )


def _all_readable(source: sqlite3.Connection, query: str, ends: set[str]) -> Iterator[Row]:
    """The rows of a query up to the first that is damaged; ``ends`` gets a query without any."""
    with suppress(*UNREADABLE):
        yield from source.execute(query)
        ends.add(query)
