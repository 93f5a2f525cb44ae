"""``heldout runs``: lists the runs of a store, shows one, exports its predictions, removes it."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from heldout.cli import output_options as shown
from heldout.cli.options import SectionedCommand, flag, options
from heldout.core.errors import InputError

if TYPE_CHECKING:
    from pathlib import Path

    from heldout.runner.recover import SavedLooks
    from heldout.runner.store import Store

__all__ = ["ACTIONS", "command"]

ACTIONS = ("list", "show", "export", "remove", "recover")
#: the format that the ending of a file implies, for runs that are listed or shown
ENDINGS = {".json": "json", ".txt": "table"}

#: digits of a number that may be a run's
LONGEST = 18

#: lines on what a damaged store has lost
MOST_LINES = 40

EPILOG = """\b
Examples:
  heldout runs
  heldout runs show 3
  heldout runs export 3 --output predictions.parquet
  heldout runs remove 3 --yes
  heldout runs recover"""


@click.command(cls=SectionedCommand, epilog=EPILOG, short_help="List, show, export, remove runs.")
@click.argument("action", metavar="[list|show|export|remove|recover]", required=False)
@click.argument("number", metavar="[ID]", required=False)
@options(
    "Store",
    flag(
        "--store",
        metavar="FOLDER",
        help="Where the runs are. [HELDOUT_STORE, or .heldout in this folder]",
    ),
    flag("--yes", is_flag=True, help="Remove without asking."),
    flag("--older", is_flag=True, help="Also export models that changed since."),
    flag(
        "--all",
        "every",
        is_flag=True,
        help="List and export what heldout select fitted, too: settings, inner folds, curves.",
    ),
)
@options(
    "Output",
    shown.TABLE_OR_JSON,
    shown.OUTPUT.but(
        help="Where export writes: .parquet, .csv, .tsv or .jsonl; list and show: .json or .txt."
    ),
)
def command(
    action: str | None,
    number: str | None,
    store: str | None,
    yes: bool,
    older: bool,
    every: bool,
    form: str | None,
    output: Path | None,
) -> int:
    """The runs that heldout evaluate and heldout select keep, so that none is done twice.

    Without an action, all runs are listed. An ID is a run's number in that list; alone, it
    is shown. export writes the predictions of all models that were evaluated, a row each, as
    heldout score reads them; of a model that changed under its name, the newest; of a run that
    heldout select alone has made, those of its settings. recover saves what can be read of a
    store whose file is damaged.
    """
    from heldout.cli.output import format_of
    from heldout.cli.screen import note
    from heldout.runner.database import FILE
    from heldout.runner.store import chosen_store

    action, number = _meant(action, number)
    place = chosen_store(store)
    assert place is not None
    for line in place.notes:
        note(line)
    if place.folder.is_file():
        hint = f"; did you mean {place.folder.parent}?" if place.folder.name == FILE else ""
        raise InputError(f"{place.folder}: a run store is a folder, and this is a file{hint}")
    if action in ("remove", "recover") and output is not None:
        raise click.UsageError(f"{action} writes no file: leave --output out")
    if action in ("list", "show"):
        form = format_of({"form": form, "output": output}, (), ENDINGS)
    if action == "list":
        return _list(place, form, output, every)
    if action == "recover":
        return _recover(place)
    identity = _number(action, number)
    if action == "show":
        return _show(place, identity, form, output)
    if action == "export":
        return _export(place, identity, output, older=older, every=every)
    return _remove(place, identity, yes)


def _meant(action: str | None, number: str | None) -> tuple[str, str | None]:
    """The action; a number alone is shown."""
    from heldout.core.nearest import did_you_mean

    if action is None:
        return "list", None
    if action.isdecimal() and number is None:
        return "show", action
    if action not in ACTIONS:
        hint = did_you_mean(action, ACTIONS)
        raise click.UsageError(f"{action!r} is none of {', '.join(ACTIONS)}{hint}")
    if action in ("list", "recover") and number is not None:
        raise click.UsageError(f"{action} takes no ID; did you mean heldout runs show {number}?")
    return action, number


def _number(action: str, number: str | None) -> int:
    if number is None or not number.isdecimal() or len(number) > LONGEST:
        cut = (number or "")[: LONGEST + 1]
        said = "" if number is None else f", not {cut!r}{'...' if len(number) > len(cut) else ''}"
        raise click.UsageError(f"{action} needs the number of a run{said}; heldout runs lists them")
    return int(number)


def _list(store: Store, form: str | None, output: Path | None, every: bool) -> int:
    from heldout.cli.runs_tables import run_object, runs_document
    from heldout.runner.history import past_runs

    # a store that was never made has no runs; that is no error
    runs = past_runs(store) if store.path.is_file() else []
    shown = [run for run in runs if every or not run.is_inner]
    content = {"store": str(store.folder), "runs": [run_object(run) for run in shown]}
    document = runs_document(shown, str(store.folder), hidden=len(runs) - len(shown))
    return _write(form, content, document, output)


def _show(store: Store, number: int, form: str | None, output: Path | None) -> int:
    from heldout.cli.runs_tables import run_document, run_object
    from heldout.runner.history import past_run

    run = past_run(store, number)
    return _write(form, run_object(run), run_document(run), output)


def _write(form: str | None, content: dict[str, Any], document: Any, output: Path | None) -> int:
    from heldout.cli.output import drawn, write_text

    if form == "json":
        from heldout.report.json_text import json_text

        write_text(json_text(content), form, output)
    else:
        write_text(drawn(document, "table", output), "table", output)
    return 0


def _export(store: Store, number: int, output: Path | None, *, older: bool, every: bool) -> int:
    from heldout.cli.screen import note
    from heldout.report.output import refuse_unwritable
    from heldout.runner.export import export_run

    if output is None:
        raise click.UsageError("export needs --output FILE, such as predictions.parquet")
    refuse_unwritable(output)
    rows, notes = export_run(store, number, output, older=older, every=every)
    for text in notes:
        note(text)
    note(f"{output}: {rows:,} predictions of run {number}")
    return 0


def _remove(store: Store, number: int, yes: bool) -> int:
    from heldout.cli.screen import note
    from heldout.runner.history import past_run, remove_run

    run = past_run(store, number)
    what = f"run {number} ({run.data}, {run.procedure}, {run.done:,} of {run.total:,} folds)"
    if not yes:
        if not sys.stdin.isatty():
            raise InputError(f"{what}: removing it needs --yes where nobody can be asked")
        if not click.confirm(f"Remove {what}?", err=True):
            return 0
    remove_run(store, number)
    note(f"{what} is removed")
    return 0


def _recover(store: Store) -> int:
    from heldout.cli.screen import note
    from heldout.core.wording import plural
    from heldout.runner.recover import recover

    saved = recover(store)
    kept = f"{plural(saved.runs, 'run')} with {plural(saved.folds, 'fold')}"
    memory = _on_record(saved.looks)
    if saved.moved_to is None:
        state = "the database is whole" if saved.lost else "nothing is damaged"
        also = f"; on record for K16: {memory}" if memory else ""
        note(f"{store.path}: {state}, and nothing was changed ({kept}{also})")
    else:
        note(f"{store.path}: saved: {kept}")
        if memory:
            note(f"of what is on record for K16 are saved: {memory}")
    for line in saved.lost[:MOST_LINES]:
        note(line)
    if more := len(saved.lost[MOST_LINES:]):
        note(f"and {more:,} more lines like these")
    if saved.moved_to is not None:
        note(f"the damaged file is kept as {saved.moved_to}")
    return 0


def _on_record(looks: SavedLooks) -> str:
    """What a store remembers of who looked at what."""
    counts = (
        (looks.looks, "look", "looks"),
        (looks.searches, "search", "searches"),
        (looks.singles, "setting judged by itself", "settings judged by themselves"),
    )
    return ", ".join(f"{n:,} {one if n == 1 else many}" for n, one, many in counts if n)
