"""``heldout tally``: counts of predictions, without their rows, in a file that adds to others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from heldout.cli.command import refuse_paths
from heldout.cli.groups import BINS, BY, ENGINE, GUESSED, MEMORY, SCORES, Output
from heldout.cli.options import SectionedCommand, flag_of, flags_of, options
from heldout.core.options import declare
from heldout.predictions.options import Roles

if TYPE_CHECKING:
    from pathlib import Path

EPILOG = """\b
Examples:
  heldout tally monday.parquet --truth y --score p --positive 1 \\
      --output monday.tally
  heldout score monday.tally tuesday.tally
  heldout tally patients.csv --positive ill --bins 8 --min-count 5 \\
      --output hospital.tally"""

MIN_COUNT = declare(
    "--min-count N",
    "Refuse to write if a combination of values has fewer rows than this [1].",
    default=1,
    type=click.IntRange(1),
)


@click.command(
    cls=SectionedCommand,
    epilog=EPILOG,
    short_help="Write counts of predictions, which can be added up.",
)
@click.argument("files", nargs=-1, required=True)
@options(
    GUESSED,
    *flags_of(Roles, *SCORES, "weight", "count", "group", "fold", "repeat", "model"),
    BY,
)
@options("Classes", *flags_of(Roles, "positive", "labels"))
@options("Contents", BINS, MIN_COUNT)
@options("Large files", ENGINE, MEMORY)
@options(
    "Output",
    flag_of(Output, "output", "File for the tally: NAME.tally."),
    *flags_of(Output, "quiet"),
)
def command(**given: Any) -> int:
    """Count the predictions in FILES, which are taken together, and write the counts.

    The file holds no rows: only how many there are of each truth, prediction and score, in each
    fold and slice if those columns are named. heldout score adds tally files and scores the sum as
    it would score the rows. Options marked * may be given more than once.
    """
    from heldout.cli.inputs import read_files, refuse, scan_tally
    from heldout.cli.screen import say
    from heldout.core.wording import plural
    from heldout.predictions.tally_file import refuse_bins, write_tally
    from heldout.report.output import write_stdout
    from heldout.tables.files import TALLY, is_tally

    path: Path | None = given["output"]
    refuse(path is None or not is_tally(path), f"--output NAME{TALLY} says where the counts go")
    assert path is not None
    refuse_bins(given["bins"])
    refuse_paths((path,), given["files"])
    how = {"bins": given["bins"], "min_count": given["min_count"]}
    scanned = scan_tally(given["files"], given, path, **how)
    if scanned is None:
        in_memory = {**given, "bins": None, "engine": "memory"}
        models = read_files(given["files"], in_memory, pool=True)
        scanned = models, write_tally(models, path, **how)
    models, tally = scanned
    say(given, dict.fromkeys(note for p in models for note in p.notes))
    write_stdout(f"{path}: {plural(tally.rows, 'row')} counted\n", is_data=False)
    return 0
