"""The query by which a database counts predictions itself: as many rows as there are counts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from heldout.core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True, slots=True)
class Writing:
    """How a database writes a name and calls numbers of 64 bits with a fraction."""

    start: str
    end: str
    double: str

    def name(self, text: str) -> str:
        """A name in quotes."""
        return f"{self.start}{text.replace(self.end, 2 * self.end)}{self.end}"


WRITINGS = {
    "duckdb": Writing('"', '"', "DOUBLE"),
    "postgres": Writing('"', '"', "DOUBLE PRECISION"),
    "redshift": Writing('"', '"', "DOUBLE PRECISION"),
    "snowflake": Writing('"', '"', "DOUBLE"),
    "trino": Writing('"', '"', "DOUBLE"),
    "bigquery": Writing("`", "`", "FLOAT64"),
    "spark": Writing("`", "`", "DOUBLE"),
    "databricks": Writing("`", "`", "DOUBLE"),
    "mysql": Writing("`", "`", "DOUBLE"),
    "sqlserver": Writing("[", "]", "FLOAT(53)"),
}
DIALECTS = tuple(WRITINGS)


def counting_query(
    table: str,
    keys: Sequence[str],
    *,
    score: str | None = None,
    bins: int | None = None,
    dialect: str = "duckdb",
) -> str:
    """The query that counts the rows of each combination of keys and score.

    Parameters
    ----------
    table
        A table, or what else may stand after FROM, as the database writes it.
    keys
        Columns of truth, predicted class, fold and slices.
    score
        The column of scores; equal scores are counted together, which ties need.
    bins
        Round scores down to multiples of 1 / bins, a power of two: the same numbers that
        ``heldout tally --bins`` makes.

    Examples
    --------
    >>> print(counting_query("preds", ["y"], score="p", bins=4096))
    SELECT "y", FLOOR(CAST("p" AS DOUBLE) * 4096) / 4096 AS "p", COUNT(*) AS "n"
    FROM preds
    GROUP BY "y", FLOOR(CAST("p" AS DOUBLE) * 4096) / 4096
    """
    writing = WRITINGS[dialect]
    if bins is not None and score is None:
        raise InputError("--bins rounds scores, and --score names none")
    from heldout.predictions.tally_file import refuse_bins

    refuse_bins(bins)
    grouped = [writing.name(key) for key in keys]
    selected = list(grouped)
    if score is not None:
        if score in keys:
            raise InputError(f"column {score!r} is given as the score and as something else")
        number = f"CAST({writing.name(score)} AS {writing.double})"
        number = number if bins is None else f"FLOOR({number} * {bins}) / {bins}"
        grouped.append(number)
        selected.append(f"{number} AS {writing.name(score)}")
    count = "n"
    while count in (*keys, score):
        count += "_"
    selected.append(f"COUNT(*) AS {writing.name(count)}")
    return f"SELECT {', '.join(selected)}\nFROM {table}\nGROUP BY {', '.join(grouped)}"
