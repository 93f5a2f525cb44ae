"""What every command does with its result: the format, the call it came from, where it goes."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from heldout.cli.screen import screen_width, takes_color
from heldout.core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    import click

    from heldout.report.document import Document

__all__ = [
    "DATA",
    "ENDINGS",
    "FORMATS",
    "PAGE",
    "call_of",
    "drawn",
    "format_of",
    "implied_format",
    "refuse_paths",
    "refuse_shared",
    "write_text",
]

FORMATS = ("table", "json", "csv", "markdown", "latex")
#: the format that a file's ending implies
ENDINGS = {
    ".json": "json",
    ".csv": "csv",
    ".md": "markdown",
    ".tex": "latex",
    ".txt": "table",
}
#: formats for programs: all measures unless some are named, numbers in full
DATA = ("json", "csv")
#: the columns that a page of a document is taken to have
PAGE = 120


def implied_format(output: Path | None, endings: Mapping[str, str] = ENDINGS) -> str:
    """The format that a file's name asks for; an ending that means none is an error.

    What is no plain file (a pipe, a terminal) has no ending, and gets a table.
    """
    if output is None or (output.exists() and not output.is_file()):
        return "table"
    suffix = output.suffix.lower()
    if suffix not in endings:
        what = f"the ending {suffix!r}" if suffix else "a name without an ending"
        raise InputError(
            f"--output {output}: {what} says no format; end the name with "
            f"{', '.join(endings)}, or say --format"
        )
    return endings[suffix]


def format_of(
    given: Mapping[str, Any], sources: Iterable[str], endings: Mapping[str, str] = ENDINGS
) -> str:
    """The format asked for; an output that cannot be written there is refused at once."""
    refuse_paths((given["output"],), sources)
    form: str = given["form"] or implied_format(given["output"], endings)
    _refuse_other_ending(given["output"], form, endings)
    return form


def _refuse_other_ending(output: Path | None, form: str, endings: Mapping[str, str]) -> None:
    """An error where a file would be called one format and hold another; .txt holds any."""
    if output is None or (output.exists() and not output.is_file()):
        return
    suffix = output.suffix.lower()
    if suffix != ".txt" and endings.get(suffix, form) != form:
        raise InputError(
            f"--output {output} ends like {endings[suffix]}, and --format says {form}; "
            "leave one of them out, or give the file another ending"
        )


def refuse_paths(paths: Iterable[Path | None], sources: Iterable[str]) -> None:
    """An error where a file cannot be written, or is among those that are read."""
    from heldout.report.output import refuse_own_input, refuse_unwritable

    read = list(sources)
    for path in paths:
        if path is not None:
            refuse_unwritable(path)
            refuse_own_input(path, read)


def refuse_shared(targets: Iterable[tuple[str, Path | None]]) -> None:
    """An error where two options would write one file, of which only the last would stay.

    What is no plain file (a pipe, a device) takes what several write.
    """
    seen: dict[Path, str] = {}
    for option, path in targets:
        if path is None or (path.exists() and not path.is_file()):
            continue
        first = seen.setdefault(path.resolve(), option)
        if first != option:
            raise InputError(f"{first} and {option} write the same file, {path}: give each its own")


def call_of(ctx: click.Context, command: str, **always: Any) -> dict[str, Any]:
    """The command, what is always said of it, and the options given, by their long names."""
    call: dict[str, Any] = {"command": command, **always}
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


def drawn(document: Document, form: str, output: Path | None = None) -> str:
    """A document in one of the formats for people."""
    if form == "markdown":
        from heldout.report.markdown import markdown_text

        return markdown_text(document)
    if form == "latex":
        from heldout.report.latex import latex_text

        return latex_text(document)
    from heldout.report.terminal import terminal_text

    is_colored = output is None and takes_color(sys.stdout)
    return terminal_text(document, width=screen_width(), color=is_colored)


def write_text(text: str, form: str, output: Path | None) -> None:
    """Text on standard output, or in a file whole or not at all."""
    from heldout.report.output import write_stdout, write_whole

    if output is not None:
        write_whole(output, text)
    else:
        write_stdout(text, is_data=form in DATA)
