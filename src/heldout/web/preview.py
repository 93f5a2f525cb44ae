"""The first rows of files, and which column seems to be what; run in a process of its own."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.core.errors import HeldoutError, InputError
from heldout.core.shown import visible
from heldout.core.wording import plural

if TYPE_CHECKING:
    from heldout.tables.column import RawColumn
    from heldout.tables.table import Part

#: rows that are shown, and distinct values of a column that are offered
ROWS, LEVELS = 8, 20
#: rows that distinct values are looked for in, and characters of a value that are shown
SAMPLE, LONGEST = 2000, 80
#: bytes of a text file that are looked at
HEAD = 1 << 20
BAD_INPUT = 2


def preview(name: str, *, most_columns: int) -> dict[str, Any]:
    """What a page shows of a file: columns with their first values, and guesses of roles."""
    from heldout.predictions.options import Roles
    from heldout.predictions.roles import assign

    part, target, is_whole = _part(name)
    columns = part.table.columns
    if len(columns) > most_columns:
        raise InputError(
            f"{name} has {plural(len(columns), 'column')}, and this server takes {most_columns:,}"
        )
    guesses: dict[str, str] = {}
    try:
        roles, _ = assign(part, Roles())
        guesses = {role: str(v) for role in GUESSED if (v := getattr(roles, role)) is not None}
    except InputError:  # nothing is usual, or too much: the reader says it
        pass
    return {
        "name": name,
        "rows": part.table.rows if is_whole else None,
        "columns": [_column(column) for column in columns.values()],
        "guesses": guesses,
        "target": target or list(columns)[-1],
        "is_predictions": "truth" in guesses and _has_answers(part, guesses),
    }


#: the roles that are guessed by name; scores are, once the classes are known
GUESSED = ("truth", "predicted", "weight", "fold", "repeat", "model", "id")


def _has_answers(part: Part, guesses: dict[str, str]) -> bool:
    """Whether a column looks like what a model said."""
    from heldout.predictions.roles import ROLES
    from heldout.tables.roles import candidates

    if "predicted" in guesses or candidates(part, ROLES["score"], set(guesses.values())):
        return True
    return any(name.startswith(("p_", "prob", "score")) for name in part.table.columns)


def _part(name: str) -> tuple[Part, str | None, bool]:
    """The table, the target that its source declares, and whether all rows are there."""
    from heldout.data import example
    from heldout.datasets.origin import BUNDLED, origin_of
    from heldout.tables.arff import is_arff_name
    from heldout.tables.files import file_of, head_of
    from heldout.tables.read import read_table
    from heldout.tables.table import Part

    kind, colon, shipped = name.partition(":")
    path = Path(example(shipped)) if colon and kind == "example" else Path(name)
    if name in BUNDLED or is_arff_name(path):
        origin = origin_of(name)
        return origin.part, origin.target, True
    file = file_of(path, name)
    if file.format != "text" or path.stat().st_size <= HEAD:
        return Part(read_table(path, name=name)), None, True
    # whole lines of a long text
    head = head_of(file, HEAD)
    with TemporaryDirectory(prefix="heldout-") as folder:
        start = Path(folder) / f"head{'.tsv' if file.delimiter == chr(9) else '.csv'}"
        start.write_bytes(head[: head.rfind(b"\n") + 1])
        table = read_table(start, name=name)
    return Part(replace(table, source=name)), None, False


def _column(column: RawColumn) -> dict[str, Any]:
    from heldout.predictions.classes import usual_positive

    first = column.take(np.arange(min(len(column), SAMPLE))).objects().tolist()
    levels = dict.fromkeys(str(value) for value in first if value is not None)
    return {
        "name": column.name,
        "kind": column.kind,
        "values": ["" if v is None else visible(str(v))[:LONGEST] for v in first[:ROWS]],
        "levels": [*islice(levels, LEVELS)],
        # of two classes a reader has to say which is the one that is looked for
        "is_asked": len(levels) == 2 and usual_positive(levels) is None,
    }


def main(most_columns: str, *names: str) -> int:
    """Write what is known of each file to standard output, as JSON; the exit code."""
    try:
        tables = [preview(name, most_columns=int(most_columns)) for name in names]
    except (HeldoutError, OSError) as error:
        sys.stderr.write(f"{error}\n")
        return BAD_INPUT
    sys.stdout.write(json.dumps(tables))
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
