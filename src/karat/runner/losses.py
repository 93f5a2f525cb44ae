"""What a damaged store has lost of its runs: which splits of which model, and which files."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from karat.predictions.part import plural
from karat.runner.damage import ranges
from karat.runner.seal import FOLDER, why_damaged
from karat.runner.searches import VALUES

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from karat.runner.saved_looks import SavedLooks

__all__ = ["damaged_files", "lost_folds", "lost_looks", "lost_runs"]

#: files of series by their numbers
NAME = re.compile(r"(\d+)-[0-9a-f]{8}\.parquet")
#: the word by which the store remembers values that were shown before a file was damaged
WHY = "damaged"
AGAIN = "computed again when asked for"

SERIES = """SELECT series.id, run.id, series.model, series.part, series.fits, run.splits
    FROM series JOIN run ON run.id = series.run
    WHERE series.id NOT IN (SELECT series FROM sealed) ORDER BY run.id, series.id"""
SHOWN = f"""INSERT OR IGNORE INTO judged
    SELECT '{WHY}', run.data_fingerprint, run.splits_fingerprint, series.fingerprint
    FROM series JOIN run ON run.id = series.run
    WHERE series.id = ? AND series.part = 'test' AND length(run.data_fingerprint) = 32"""


@dataclass(frozen=True, slots=True)
class _Series:
    number: int
    run: int
    model: str
    part: str
    #: splits that were computed, one that was tried again counts again
    fits: int
    splits: int


def lost_folds(
    target: sqlite3.Connection,
    entries: Mapping[int, set[int]],
    folder: Path,
    *,
    has_index: bool = True,
) -> Iterator[str]:
    """Lines on the splits that a new database lacks, by what else tells of them.

    ``entries`` are splits by series that the index of pieces names, all that there were if it
    ``has_index``. A model that had given a value before goes on to count as looked at.
    """
    files = _files(folder)
    for row in target.execute(SERIES).fetchall():
        series = _Series(*row)
        query = "SELECT first, count FROM piece WHERE series = ?"
        pieces = target.execute(query, (series.number,)).fetchall()
        found = {at for first, count in pieces for at in range(first, first + count)}
        known = found | {at for at in entries.get(series.number, ()) if at < series.splits}
        if series.number in files or (series.fits >= series.splits and not has_index):
            known |= set(range(series.splits))
        lost = sorted(known - found)
        if lost:
            if len(known) >= series.splits:
                target.execute(VALUES)
                target.execute(SHOWN, (series.number,))
            yield _folds_line(series, lost, files.get(series.number, ""))


def _folds_line(series: _Series, lost: list[int], file: str) -> str:
    name = series.model + (" (training rows)" if series.part == "train" else "")
    is_one = len(lost) == 1
    what = "split" if is_one else "splits"
    numbers = ranges([at + 1 for at in lost])
    whence = f" with what the database said of {FOLDER}/{file}" if file else ""
    verb, they = ("is", "it is") if is_one else ("are", "they are")
    return f"run {series.run}: {what} {numbers} of {name} {verb} lost{whence}; {they} {AGAIN}"


def _files(folder: Path) -> dict[int, str]:
    """Files of series; one that was sealed had all of its splits."""
    inside = folder / FOLDER
    names = [path.name for path in inside.iterdir()] if inside.is_dir() else []
    return {int(found[1]): name for name in names if (found := NAME.fullmatch(name))}


def lost_runs(target: sqlite3.Connection) -> Iterator[str]:
    """Lines on runs of which models are known and nothing else; before these are dropped."""
    query = """SELECT run, group_concat(DISTINCT model) FROM series
        WHERE run NOT IN (SELECT id FROM run) GROUP BY run ORDER BY run"""
    for number, models in target.execute(query):
        yield f"run {number} is lost: nothing says of what data it was (models {models})"


def damaged_files(source: sqlite3.Connection, folder: Path) -> dict[int, str]:
    """Lines on the files of predictions that are gone or damaged, by the series they are of."""
    query = """SELECT series.id, file, checksum, run, model, count FROM sealed
        JOIN series ON series.id = sealed.series ORDER BY run, series"""
    made = {}
    for series, file, checksum, run, model, count in source.execute(query).fetchall():
        path = folder / FOLDER / file
        if why := why_damaged(path, checksum):
            folds = plural(count, "fold")
            line = f"{path}: damaged ({why}); the {folds} of {model} in run {run} are {AGAIN}"
            made[series] = line
    return made


def lost_looks(saved: SavedLooks, target: sqlite3.Connection) -> Iterator[str]:
    """Lines on what is lost of the memory of looks and searches, which the audit's K16 counts."""
    lost = saved.lost
    if count := lost.get("look", 0):
        yield f"of the looks at predictions from elsewhere at least {count:,} are lost to K16"
    if count := lost.get("single", 0) + lost.get("judged", 0):
        yield f"of the models judged by themselves at least {count:,} are lost to K16"
    query = "SELECT id FROM run WHERE data_fingerprint = ? AND splits_fingerprint = ? ORDER BY id"
    for place in saved.partial:
        runs = [number for (number,) in target.execute(query, place)]
        where = f"of run {ranges(runs)}" if runs else "of a run that is gone"
        yield (
            f"a search along the splits {where} has lost some of its settings, which K16 may count "
            "singly until the same karat select command puts them back"
        )
    if (count := lost.get("search", 0)) and not saved.partial:
        yield (
            f"searches with at least {count:,} settings are lost, which K16 may count singly until "
            "the same karat select commands are given again"
        )
    if saved.is_unsure:
        yield "whether more was on record of the looks and searches that K16 counts cannot be told"
