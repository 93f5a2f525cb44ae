"""The way of every command: where it writes, and then tables, findings, charts, the exit code."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from heldout.cli.screen import complain, screen_width, takes_color
from heldout.core.errors import InputError
from heldout.report.formats import ENDINGS, FORMATS, PAGE, endings_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path

    import click

    from heldout.assess.results import Result
    from heldout.assess.scorecard import Scorecard
    from heldout.auditing.audit import Audit
    from heldout.cli.requirements import Requirement, Verdict
    from heldout.report.table import Document, Rows

#: the format that a file's ending implies, for commands that know two formats only
TABLE_OR_JSON = endings_of(("table", "json"))
#: formats for programs: all measures unless some are named, numbers in full
DATA = tuple(form.name for form in FORMATS.values() if form.is_data)

#: exit codes of a result that is written all the same
BAD_INPUT, NOT_MET = 2, 3


@dataclass(frozen=True, slots=True)
class Asked:
    """What is asked for and where it goes, checked before anything is read."""

    form: str
    output: Path | None
    #: the page for people
    report: Path | None = None
    #: the name and the file of each chart
    charts: Sequence[tuple[str, Path]] = ()
    requirements: Sequence[Requirement] = ()
    #: the module of ``report.plots`` that knows the charts
    book: str = "plot"

    @property
    def width(self) -> int:
        """The columns that a table may take."""
        return screen_width() if self.form == "table" else PAGE


@dataclass(frozen=True, slots=True)
class Answer:
    """What a command found: for people, for programs, and what is said and drawn beside it."""

    document: Callable[[], Document]
    record: Callable[[], dict[str, Any]]
    rows: Callable[[], Rows] | None = None
    #: the checks of what was judged, made unless nobody wants them
    audit: Callable[[], Audit | None] | None = None
    #: files beside the output, by their paths
    files: Mapping[Path, str | bytes] | None = None
    #: what was required of the models, what else went wrong in a way that the exit code tells,
    #: and what could not be done when the rest was known
    verdicts: Sequence[Verdict] = ()
    failures: Sequence[str] = ()
    problems: Sequence[str] = ()
    #: what charts are drawn of
    charted: Any = None
    #: the document as a page shows it, where that is not as a screen does
    page: Callable[[], Document] | None = None
    #: what a page says in words, and moves a threshold by
    card: Scorecard | None = None
    #: whose results the tables show, where that is not the card, and these results
    judged: Any = None
    results: Sequence[Result] = ()


def asked_of(
    given: Mapping[str, Any],
    sources: Iterable[str],
    *,
    also: Sequence[tuple[str, Path | None]] = (),
    endings: Mapping[str, str] = ENDINGS,
    book: str = "plot",
) -> Asked:
    """What is asked for, or an error where it means nothing or cannot be written.

    ``also`` are further options that write files, ``book`` the module that knows the charts.
    """
    from heldout.cli.charts import chart_of, targets_of

    read = list(sources)
    form = format_of(given, read, endings)
    report = given.get("report")
    if report is not None:
        from heldout.cli.pages import refuse_report

        refuse_report(report)
    also = [("--report", report), *also]
    refuse_paths((path for _, path in also), read)
    _refuse_crowding(given, also)
    requirements: Sequence[Requirement] = ()
    if given.get("requirements"):
        from heldout.cli.requirements import requirements_of

        requirements = requirements_of(given)
    if given.get("measures"):
        from heldout.measures.spec import parse_request

        for spec in given["measures"]:
            parse_request(spec)
    charts = [chart_of(text, book) for text in given.get("charts", ())]
    _refuse_shared([("--output", given["output"]), *also, *targets_of(charts, book)])
    return Asked(form, given["output"], report, charts, requirements, book)


def listing_of(given: Mapping[str, Any]) -> Asked:
    """Where a list goes that is no result: as a table or as JSON."""
    output = given["output"]
    return Asked(given["form"] or _implied_format(output, TABLE_OR_JSON), output)


def format_of(
    given: Mapping[str, Any], sources: Iterable[str], endings: Mapping[str, str] = ENDINGS
) -> str:
    """The format asked for; an output that cannot be written there is refused at once."""
    output = given["output"]
    refuse_paths((output,), sources)
    form: str = given["form"] or _implied_format(output, endings)
    suffix = "" if output is None or _is_no_file(output) else output.suffix.lower()
    # a file would be called one format and hold another; .txt holds any
    if suffix != ".txt" and endings.get(suffix, form) != form:
        raise InputError(
            f"--output {output} implies {endings[suffix]}, but --format is {form}; "
            "leave one of them out, or rename the file"
        )
    return form


def _is_no_file(path: Path) -> bool:
    """Whether something is there that is no plain file: a pipe, a terminal, a device."""
    return path.exists() and not path.is_file()


def _implied_format(output: Path | None, endings: Mapping[str, str]) -> str:
    """The format that a file's name asks for; an ending that means none is an error.

    What is no plain file has no ending, and gets a table.
    """
    if output is None or _is_no_file(output):
        return "table"
    suffix = output.suffix.lower()
    if suffix not in endings:
        what = repr(suffix) if suffix else "a name without an ending"
        raise InputError(
            f"--output {output}: cannot tell the format from {what}; end the name with "
            f"{', '.join(endings)}, or give --format"
        )
    return endings[suffix]


def refuse_paths(paths: Iterable[Path | None], sources: Iterable[str]) -> None:
    """An error where a file cannot be written, or is among those that are read."""
    from heldout.report.output import refuse_own_input, refuse_unwritable

    read = list(sources)
    for path in paths:
        if path is not None:
            refuse_unwritable(path)
            refuse_own_input(path, read)


def _refuse_shared(targets: Iterable[tuple[str, Path | None]]) -> None:
    """An error where two options would write one file, of which only the last would stay.

    What is no plain file takes what several write.
    """
    seen: dict[Path, str] = {}
    for option, path in targets:
        if path is None or _is_no_file(path):
            continue
        first = seen.setdefault(path.resolve(), option)
        if first != option:
            raise InputError(f"{first} and {option} write the same file, {path}: give each its own")


def _refuse_crowding(given: Mapping[str, Any], also: Iterable[tuple[str, Path | None]]) -> None:
    """An error where a format is asked for, and something else is written to standard output."""
    from heldout.report.output import STDOUT

    if given["form"] is None or given["output"] is not None:
        return
    for option, path in also:
        if path == STDOUT:
            raise InputError(
                f"{option} writes to standard output, and so does --format {given['form']}: give "
                "one of them a file (--output FILE)"
            )


def call_of(ctx: click.Context, **always: Any) -> dict[str, Any]:
    """The command, what is always said of it, and the options given, by their long names."""
    call: dict[str, Any] = {"command": ctx.info_name, **always}
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


def finish(given: Mapping[str, Any], asked: Asked, answer: Answer) -> int:
    """Write, say and draw what a command found; the exit code.

    Files are written all or none; charts come last, since nothing may be lost to them.
    """
    from heldout.report.output import STDOUT, write_all, write_stdout

    audit = None if answer.audit is None or given.get("no_audit") else answer.audit()
    text = _text(given, asked, answer, audit)
    files = dict(answer.files or {})
    if asked.output is not None:
        files[asked.output] = text
    piped = files.pop(STDOUT, None)
    write_all(files)
    if piped is not None:
        write_stdout(str(piped), is_data=True)
    elif asked.output is None:
        write_stdout(text, is_data=asked.form in DATA)
    if audit is not None and not given.get("quiet"):
        from heldout.cli.findings import say_findings

        say_findings(audit)
    unmet = [verdict.line for verdict in answer.verdicts if not verdict.is_met]
    for line in (*answer.problems, *unmet, *answer.failures):
        complain(line)
    code = BAD_INPUT if answer.problems else NOT_MET if (*unmet, *answer.failures) else 0
    if asked.report is not None:
        from heldout.cli.pages import write_report

        code = write_report(given, asked, answer, audit) or code
    if not asked.charts:
        return code
    from heldout.cli.charts import book_of, draw_charts

    return draw_charts(book_of(asked.book), answer.charted, asked.charts, given) or code


def _text(given: Mapping[str, Any], asked: Asked, answer: Answer, audit: Audit | None) -> str:
    form = FORMATS[asked.form]
    if form.of == "rows" and answer.rows is not None:
        return form.text(answer.rows())
    if form.of == "record":
        record = answer.record()
        if audit is not None:
            from heldout.report.audit_text import audit_record

            record = {**record, "audit": audit_record(audit)["findings"]}
        if answer.verdicts:
            record = {**record, "requirements": [v.record for v in answer.verdicts]}
        return form.text(record)
    how: dict[str, Any] = {"digits": given.get("digits"), "width": asked.width}
    how["methods"] = bool(given.get("methods"))
    if asked.form == "table":
        how["color"] = asked.output is None and takes_color(sys.stdout)
    return form.text(answer.document(), **how)
