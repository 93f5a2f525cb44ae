"""``heldout sql``: the query that counts predictions where they are, for ``--count`` to read."""

from __future__ import annotations

from typing import Any

import click

from heldout.cli.groups import BINS, BY
from heldout.cli.options import SectionedCommand, flags_of, options
from heldout.core.options import declare
from heldout.predictions.counting_query import DIALECTS
from heldout.predictions.options import Roles

EPILOG = """\b
Examples:
  heldout sql --dialect snowflake --table preds --truth y --score p
  heldout sql --table "read_parquet('part-*.parquet')" --truth y --score p \\
      --by country
  heldout score counts.csv --truth y --score p --positive 1 --count n"""


@click.command(
    cls=SectionedCommand,
    epilog=EPILOG,
    short_help="Print the SQL query that counts predictions in a database.",
)
@options(
    "Table",
    declare("--table TEXT", "Table, view or subquery with a row for each prediction."),
    declare(
        "--dialect NAME",
        f"The database that will run the query: {', '.join(DIALECTS)} [duckdb].",
        choices=DIALECTS,
    ),
)
@options(
    "Columns",
    *flags_of(Roles, "truth", "predicted", "score", "group", "fold", "repeat", "model"),
    BY,
)
@options("Contents", BINS)
def command(**given: Any) -> int:
    """Print the SQL that counts the rows of each truth, prediction and score.

    Run it in the database that has the rows, write its result to a file, and give that to heldout
    score with --count n: values and intervals are those of the rows. Options marked * may be given
    more than once.
    """
    from heldout.cli.inputs import refuse
    from heldout.predictions.counting_query import counting_query
    from heldout.report.output import write_stdout

    refuse(given["table"] is None, "--table says which table is counted")
    refuse(given["truth"] is None, "--truth says which column has the true class")
    refuse(
        given["score"] is None and given["predicted"] is None,
        "--score or --predicted says which column has the predictions",
    )
    roles = ("model", "repeat", "fold", "group", "truth", "predicted")
    keys = [name for role in roles if (name := given[role])]
    query = counting_query(
        given["table"],
        [*dict.fromkeys((*keys, *given["by"]))],
        score=given["score"],
        bins=given["bins"],
        dialect=given["dialect"] or "duckdb",
    )
    write_stdout(query + "\n", is_data=True)
    return 0
