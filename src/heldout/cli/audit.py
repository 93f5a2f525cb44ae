"""``heldout audit``: whether the rows that judge were kept from training, and fairly used."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from heldout.cli import data_options as data
from heldout.cli import output_options as shown
from heldout.cli import prediction_options as files
from heldout.cli.options import SectionedCommand, flag, options
from heldout.cli.output import call_of, drawn, format_of, write_text

if TYPE_CHECKING:
    from heldout.auditing.audit import Audit

__all__ = ["command"]

FORMATS = ("table", "json", "csv", "markdown")
ENDINGS = {".json": "json", ".csv": "csv", ".md": "markdown", ".txt": "table"}

EPILOG = """\b
Examples:
  heldout audit --train train.csv --test test.csv --target y --group patient --time date
  heldout audit data.csv --target y --procedure 10-fold --group patient
  heldout audit data.csv --target y --splits splits.csv
  heldout audit --predictions predictions.csv --truth y --score p --positive yes
  heldout audit --train train.csv --id id --target y --predictions predictions.csv --strict
  heldout audit --explain K05
\b
With --strict the exit code is 3 if there are findings of severity error or warning; notes do
not count, nor do checks that could not be made."""


@click.command(
    cls=SectionedCommand, epilog=EPILOG, short_help="Was the Golden Rule kept? Leaks and misuse."
)
@click.argument("data", required=False)
@options(
    "What is looked at",
    flag("--train", metavar="FILE", help="The rows that models are trained on."),
    flag("--test", metavar="FILE", help="The rows that judge them."),
    data.PROCEDURE.but(help="How DATA is split: 10-fold, holdout 70:30, ..."),
    data.SPLITS.but(help="Splits of DATA that heldout split wrote."),
    data.SEED.but(help="Of the splits [0]."),
    flag("--predictions", metavar="FILE", multiple=True, help="Predictions, a model each. *"),
)
@options(
    "Columns of the data (--id also of the predictions)",
    data.TARGET,
    data.POSITIVE,
    data.LABELS,
    files.GROUP,
    data.TIME,
    data.ID,
    files.WEIGHT,
    data.IGNORE,
    data.TASK,
    data.DROP_MISSING_TARGET,
)
@options(
    "Columns of the predictions (guessed from usual names where not given)",
    *files.SCORE_COLUMNS,
    files.FOLD,
    files.REPEAT,
    files.MODEL,
    files.THRESHOLD,
    files.POOL,
)
@options(
    "Checks",
    flag("--skip", metavar="CODE", multiple=True, help="A check to leave out. *"),
    flag("--strict", is_flag=True, help="Exit 3 if there are errors or warnings."),
    flag("--list", "listed", is_flag=True, help="All checks."),
    flag("--explain", metavar="CODE", help="What a check looks for, why, and the fix."),
)
@options(
    "Output",
    shown.FORMAT.but(type=click.Choice(FORMATS)),
    shown.OUTPUT.but(help="Write there; .json, .csv, .md and .txt imply the format."),
    shown.QUIET,
)
@click.pass_context
def command(ctx: click.Context, /, **given: Any) -> int:
    """Whether the rows that judge a model were kept from training it, and fairly used.

    Training and test rows come as two tables, or as DATA with a procedure or a file of
    splits; predictions may stand alone or beside them. Every check that these allow is
    made; what could not be checked is said, with the reason. Options marked * may be given
    more than once.
    """
    from heldout.auditing.audit import audited, known_codes
    from heldout.cli.audit_input import material_from, refuse_usage
    from heldout.cli.screen import gathered, note
    from heldout.cli.texts import all_words

    form = format_of(given, _sources(given), ENDINGS)
    if given["listed"] or given["explain"] is not None:
        return _show_checks(given, form)
    refuse_usage(ctx, given)
    skipped = known_codes(all_words(given["skip"]))
    notes: list[str] = []
    material = material_from(given, notes)
    audit = audited(material, skip=skipped)
    if not given["quiet"]:
        for line in gathered(dict.fromkeys(notes)):
            note(line)
    _write(ctx, audit, form)
    return 3 if given["strict"] and not audit.is_clean else 0


def _sources(given: dict[str, Any]) -> list[str]:
    names = [given[name] for name in ("data", "train", "test", "splits")]
    return [name for name in (*names, *given["predictions"]) if name]


def _show_checks(given: dict[str, Any], form: str) -> int:
    from heldout.auditing.audit import known_codes
    from heldout.auditing.check import all_checks
    from heldout.report.audit_text import check_document, checks_document

    checks = all_checks()
    if given["explain"] is not None:
        (code,) = known_codes([given["explain"]])
        checks = tuple(check for check in checks if check.code == code)
    if form in ("json", "csv"):
        text = _check_data(checks, form)
    else:
        document = check_document(checks[0]) if given["explain"] else checks_document(checks)
        text = drawn(document, form, given["output"])
    write_text(text, form, given["output"])
    return 0


def _check_data(checks: Any, form: str) -> str:
    names = ("code", "title", "severity", "why", "fix")
    if form == "json":
        from heldout.report.json_text import json_text

        return json_text({"checks": [{n: getattr(c, n) for n in names} for c in checks]})
    from heldout.report.csv_text import csv_table

    return csv_table(names, ([getattr(check, name) for name in names] for check in checks))


def _write(ctx: click.Context, audit: Audit, form: str) -> None:
    from heldout.report.audit_text import audit_csv, audit_document, audit_record
    from heldout.report.json_text import json_text

    given = ctx.params
    if form == "json":
        text = json_text({"call": call_of(ctx, "audit"), **audit_record(audit)})
    elif form == "csv":
        text = audit_csv(audit)
    else:
        document = audit_document(
            audit,
            subject=", ".join("standard input" if one == "-" else one for one in _sources(given)),
        )
        text = drawn(document, form, given["output"])
    write_text(text, form, given["output"])
