"""``heldout runs``: lists the runs of a store, shows one, exports its predictions, removes it."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from heldout.cli.command import TABLE_OR_JSON, Answer, asked_of, finish
from heldout.cli.groups import LISTED, STORE, Output
from heldout.cli.inputs import refuse
from heldout.cli.options import SectionedCommand, flag_of, options
from heldout.core.errors import InputError
from heldout.core.options import declare

if TYPE_CHECKING:
    from collections.abc import Mapping

    from heldout.runner.store import Store

ACTIONS = ("list", "show", "export", "remove", "recover")
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


@click.command(cls=SectionedCommand, epilog=EPILOG, short_help="List, show, export or remove runs.")
@click.argument("action", metavar="[list|show|export|remove|recover]", required=False)
@click.argument("number", metavar="[ID]", required=False)
@options(
    "Store",
    STORE,
    declare("--yes", "Remove without asking for confirmation."),
    declare("--older", "Also export older versions of models that were changed."),
    declare(
        "--all",
        "Also list and export what heldout select fitted: settings, inner folds, curves.",
        name="every",
    ),
)
@options(
    "Output",
    LISTED[0],
    flag_of(
        Output,
        "output",
        "Output file of export: .parquet, .csv, .tsv or .jsonl; of list and show: .json or .txt.",
    ),
)
def command(action: str | None, number: str | None, **given: Any) -> int:
    """List, show, export or remove the stored runs of heldout evaluate and heldout select.

    Without an action, all runs are listed. ID is the number of a run in that list; an ID alone
    shows the run. export writes the predictions of all evaluated models, one row per prediction,
    as heldout score reads them; if a model was changed under the same name, the newest version
    counts. For a run made by heldout select only, it writes those of its settings. recover saves
    what can be read from a damaged store.
    """
    from heldout.cli.screen import say
    from heldout.runner.store import FILE, chosen_store

    action, number = _action_of(action, number)
    store = chosen_store(given["store"])
    assert store is not None
    say(given, store.notes)
    if store.folder.is_file():
        hint = f"; did you mean {store.folder.parent}?" if store.folder.name == FILE else ""
        raise InputError(f"{store.folder}: a run store is a folder, and this is a file{hint}")
    if action in ("remove", "recover"):
        refuse(given["output"] is not None, f"{action} writes no file: leave out --output")
    if action in ("list", "show"):
        asked = asked_of(given, (), endings=TABLE_OR_JSON)
        answer = (
            _list(store, given["every"])
            if action == "list"
            else _show(store, _number(action, number))
        )
        return finish(given, asked, answer)
    if action == "recover":
        return _recover(store)
    if action == "export":
        return _export(store, _number(action, number), given)
    return _remove(store, _number(action, number), given["yes"])


def _action_of(action: str | None, number: str | None) -> tuple[str, str | None]:
    """The action; a number alone is shown."""
    from heldout.core.nearest import did_you_mean

    if action is None:
        return "list", None
    if action.isdecimal() and number is None:
        return "show", action
    if action not in ACTIONS:
        hint = did_you_mean(action, ACTIONS)
        refuse(True, f"{action!r} is not one of {', '.join(ACTIONS)}{hint}")
    if action in ("list", "recover") and number is not None:
        raise click.UsageError(f"{action} takes no ID; did you mean heldout runs show {number}?")
    return action, number


def _number(action: str, number: str | None) -> int:
    if number is None or not number.isdecimal() or len(number) > LONGEST:
        cut = (number or "")[: LONGEST + 1]
        but = "" if number is None else f", not {cut!r}{'...' if len(number) > len(cut) else ''}"
        raise click.UsageError(f"{action} needs the number of a run{but}; heldout runs lists them")
    return int(number)


def _list(store: Store, every: bool) -> Answer:
    from heldout.report.listings import run_record, runs_document
    from heldout.runner.history import past_runs

    # a store that was never made has no runs; that is no error
    runs = past_runs(store) if store.path.is_file() else []
    shown = [run for run in runs if every or not run.is_inner]
    folder, hidden = str(store.folder), len(runs) - len(shown)
    return Answer(
        document=lambda: runs_document(shown, folder, hidden=hidden),
        record=lambda: {"store": folder, "runs": [run_record(run) for run in shown]},
    )


def _show(store: Store, number: int) -> Answer:
    from heldout.report.listings import run_document, run_record
    from heldout.runner.history import past_run

    run = past_run(store, number)
    return Answer(document=lambda: run_document(run), record=lambda: run_record(run))


def _export(store: Store, number: int, given: Mapping[str, Any]) -> int:
    from heldout.cli.screen import say
    from heldout.report.output import refuse_unwritable
    from heldout.runner.export import export_run

    output = given["output"]
    refuse(output is None, "export needs --output FILE, such as predictions.parquet")
    refuse_unwritable(output)
    rows, notes = export_run(store, number, output, older=given["older"], every=given["every"])
    say(given, (*notes, f"{output}: {rows:,} predictions of run {number}"))
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


def _on_record(looks: Mapping[str, int]) -> str:
    """What a store remembers of who looked at what."""
    words = {
        "look": ("look", "looks"),
        "search": ("search", "searches"),
        "single": ("setting judged by itself", "settings judged by themselves"),
    }
    return ", ".join(f"{n:,} {words[table][n != 1]}" for table, n in looks.items() if n)
