"""``karat audit``: whether the rows that judge were kept from training, and fairly used."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from karat.cli.options import SectionedCommand, option

if TYPE_CHECKING:
    from karat.auditing.audit import Audit
    from karat.report.document import Document

__all__ = ["command"]

DATA = "What is looked at"
COLUMNS = "Columns of the data (--id also of the predictions)"
PREDICTIONS = "Columns of the predictions (guessed from usual names where not given)"
CHOICE = "Checks"
OUTPUT = "Output"

FORMATS = ("table", "json", "csv", "markdown")
ENDINGS = {".json": "json", ".csv": "csv", ".md": "markdown", ".txt": "table"}

EPILOG = """\b
Examples:
  karat audit --train train.csv --test test.csv --target y --group patient --time date
  karat audit data.csv --target y --procedure 10-fold --group patient
  karat audit data.csv --target y --splits splits.csv
  karat audit --predictions predictions.csv --truth y --score p --positive yes
  karat audit --train train.csv --id id --target y --predictions predictions.csv --strict
  karat audit --explain K05
\b
With --strict the exit code is 3 if there are findings of severity error or warning; notes do
not count, nor do checks that could not be made."""


@click.command(
    cls=SectionedCommand, epilog=EPILOG, short_help="Was the Golden Rule kept? Leaks and misuse."
)
@click.argument("data", required=False)
@option(DATA, "--train", metavar="FILE", help="The rows that models are trained on.")
@option(DATA, "--test", metavar="FILE", help="The rows that judge them.")
@option(DATA, "--procedure", metavar="TEXT", help="How DATA is split: 10-fold, holdout 70:30, ...")
@option(DATA, "--splits", metavar="FILE", help="Splits of DATA that karat split wrote.")
@option(DATA, "--seed", type=int, default=0, metavar="N", help="Of the splits [0].")
@option(DATA, "--predictions", metavar="FILE", multiple=True, help="Predictions, a model each. *")
@option(COLUMNS, "--target", metavar="COLUMN", help="What is predicted [the last column].")
@option(COLUMNS, "--positive", metavar="CLASS", help="The class of interest, of two.")
@option(COLUMNS, "--labels", metavar="A,B,...", help="All classes, in their order.")
@option(COLUMNS, "--group", metavar="COLUMN", help="Rows that belong together (a patient).")
@option(COLUMNS, "--time", metavar="COLUMN", help="What orders the rows in time.")
@option(COLUMNS, "--id", metavar="COLUMN", help="Name of the row.")
@option(COLUMNS, "--weight", metavar="COLUMN", help="Weight of each row.")
@option(COLUMNS, "--ignore", metavar="A,B,...", multiple=True, help="Columns to leave out. *")
@option(
    COLUMNS,
    "--task",
    type=click.Choice(["classification", "regression"]),
    help="The kind of problem, where the target leaves it open.",
)
@option(COLUMNS, "--drop-missing-target", is_flag=True, help="Leave out rows without a target.")
@option(PREDICTIONS, "--truth", metavar="COLUMN", help="The true class or value.")
@option(PREDICTIONS, "--predicted", metavar="COLUMN", help="The predicted class or value.")
@option(PREDICTIONS, "--score", metavar="COLUMN", help="Score of the positive class.")
@option(PREDICTIONS, "--score-prefix", metavar="TEXT", help="Start of a column per class.")
@option(PREDICTIONS, "--scores", metavar="CLASS=COLUMN,...", help="The column of each class.")
@option(PREDICTIONS, "--fold", metavar="COLUMN", help="Fold of a cross-validation.")
@option(PREDICTIONS, "--repeat", metavar="COLUMN", help="Run of a repeated cross-validation.")
@option(PREDICTIONS, "--model", metavar="COLUMN", help="Which model made the prediction.")
@option(PREDICTIONS, "--threshold", type=float, metavar="T", help="Positive where score >= T.")
@option(PREDICTIONS, "--pool", is_flag=True, help="Several files are one model, not a model each.")
@option(CHOICE, "--ignore-check", metavar="CODE", multiple=True, help="A check to leave out. *")
@option(CHOICE, "--strict", is_flag=True, help="Exit 3 if there are errors or warnings.")
@option(CHOICE, "--list", "listed", is_flag=True, help="All checks.")
@option(CHOICE, "--explain", metavar="CODE", help="What a check looks for, why, and the fix.")
@option(OUTPUT, "--format", "form", type=click.Choice(FORMATS), help="How to write [table].")
@option(
    OUTPUT,
    "--output",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Write there; .json, .csv, .md and .txt imply the format.",
)
@option(OUTPUT, "--quiet", is_flag=True, help="No notes on standard error.")
@click.pass_context
def command(ctx: click.Context, /, **given: Any) -> int:
    """Whether the rows that judge a model were kept from training it, and fairly used.

    Training and test rows come as two tables, or as DATA with a procedure or a file of
    splits; predictions may stand alone or beside them. Every check that these allow is
    made; what could not be checked is said, with the reason. Options marked * may be given
    more than once.
    """
    from karat.auditing.audit import audited, known_codes
    from karat.cli.audit_input import material_from, refuse_usage
    from karat.cli.options import words
    from karat.cli.score_output import implied_format
    from karat.cli.screen import gathered, note
    from karat.report.output import refuse_own_input, refuse_unwritable

    form = given["form"] or implied_format(given["output"], ENDINGS)
    if given["output"] is not None:
        refuse_unwritable(given["output"])
        refuse_own_input(given["output"], _sources(given))
    if given["listed"] or given["explain"] is not None:
        return _show_checks(given, form)
    refuse_usage(ctx, given)
    ignored = known_codes(c for many in given["ignore_check"] for c in words(many) or ())
    notes: list[str] = []
    material = material_from(given, notes)
    audit = audited(material, ignore=ignored)
    if not given["quiet"]:
        for line in gathered(dict.fromkeys(notes)):
            note(line)
    _write(ctx, audit, form)
    return 3 if given["strict"] and not audit.is_clean else 0


def _sources(given: dict[str, Any]) -> list[str]:
    names = [given[name] for name in ("data", "train", "test", "splits")]
    return [name for name in (*names, *given["predictions"]) if name]


def _show_checks(given: dict[str, Any], form: str) -> int:
    from karat.auditing.audit import known_codes
    from karat.auditing.check import all_checks
    from karat.report.audit_text import check_document, checks_document

    checks = all_checks()
    if given["explain"] is not None:
        (code,) = known_codes([given["explain"]])
        checks = tuple(check for check in checks if check.code == code)
    if form in ("json", "csv"):
        _put(given, _check_data(checks, form), form)
    else:
        document = check_document(checks[0]) if given["explain"] else checks_document(checks)
        _put(given, _drawn(document, form, given["output"]), form)
    return 0


def _check_data(checks: Any, form: str) -> str:
    names = ("code", "title", "severity", "why", "fix")
    if form == "json":
        from karat.report.json_text import json_text

        return json_text({"checks": [{n: getattr(c, n) for n in names} for c in checks]})
    import csv
    from io import StringIO

    file = StringIO()
    writer = csv.writer(file, lineterminator="\r\n")
    writer.writerow(names)
    writer.writerows([getattr(check, name) for name in names] for check in checks)
    return file.getvalue()


def _write(ctx: click.Context, audit: Audit, form: str) -> None:
    from karat.report.audit_text import audit_csv, audit_document, audit_record
    from karat.report.json_text import json_text

    given = ctx.params
    if form == "json":
        text = json_text({"call": _call(ctx), **audit_record(audit)})
    elif form == "csv":
        text = audit_csv(audit)
    else:
        document = audit_document(audit, subject=", ".join(_sources(given)))
        text = _drawn(document, form, given["output"])
    _put(given, text, form)


def _drawn(document: Document, form: str, output: Path | None) -> str:
    from karat.cli.screen import screen_width, takes_color
    from karat.report.markdown import markdown_text
    from karat.report.terminal import terminal_text

    if form == "markdown":
        return markdown_text(document)
    is_colored = output is None and takes_color(sys.stdout)
    return terminal_text(document, width=screen_width(), color=is_colored)


def _put(given: dict[str, Any], text: str, form: str) -> None:
    from karat.report.output import write_stdout, write_whole

    if given["output"] is not None:
        write_whole(given["output"], text)
    else:
        write_stdout(text, is_data=form in ("json", "csv"))


def _call(ctx: click.Context) -> dict[str, Any]:
    """The command and the options that were given, by their long names."""
    call: dict[str, Any] = {"command": "audit"}
    for parameter in ctx.command.params:
        name = parameter.name or ""
        source = ctx.get_parameter_source(name)
        if source is None or source.name != "COMMANDLINE":
            continue
        value = ctx.params[name]
        key = parameter.opts[0].removeprefix("--").replace("-", "_")
        plain = list(value) if isinstance(value, tuple) else value
        call[key] = plain if isinstance(plain, str | int | float | bool | list) else str(plain)
    return call
