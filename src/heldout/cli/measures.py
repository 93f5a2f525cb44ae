"""``heldout measures``: lists the measures, searches them, explains one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from heldout.cli import output_options as shown
from heldout.cli.options import SectionedCommand, options
from heldout.cli.output import drawn, implied_format, write_text

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from heldout.measures.registry import Measure

__all__ = ["command"]

EPILOG = """\b
Examples:
  heldout measures
  heldout measures recall
  heldout measures calibration error"""


@click.command(
    cls=SectionedCommand, epilog=EPILOG, short_help="List, search and explain the measures."
)
@click.argument("words", metavar="[NAME_OR_WORDS]...", nargs=-1)
@options(
    "Output",
    shown.TABLE_OR_JSON,
    shown.OUTPUT.but(help="Write there; .json and .txt imply the format."),
)
def command(words: tuple[str, ...], form: str | None, output: Path | None) -> int:
    """The measures heldout knows: all, those that words describe, or one explained.

    A name (or another name) of a measure explains it; other words are looked for in names,
    titles and summaries.
    """
    from heldout.cli.screen import screen_width
    from heldout.measures.spec import measures
    from heldout.report.measure_pages import explanation, measure_list, measure_object

    named = _named(words)
    found = named or _searched(words) if words else list(measures())
    form = form or implied_format(output, {".json": "json", ".txt": "table"})
    if form == "json":
        from heldout.report.json_text import json_text

        call = {"command": "measures", "words": list(words)}
        text = json_text({"call": call, "measures": [measure_object(m) for m in found]})
    else:
        if named:
            document: Any = tuple(b for m in named for b in explanation(m, _related(m, words)))
        else:
            document = measure_list(found, width=screen_width(), legend=not words)
        text = drawn(document, form, output)
    write_text(text, form, output)
    return 0


def _named(words: tuple[str, ...]) -> list[Measure]:
    """The measures meant, where the words are one name, or a name each."""
    from heldout.core.errors import InputError
    from heldout.measures.spec import parse_request

    for names in ((" ".join(words),), words):
        try:
            return list(dict.fromkeys(parse_request(name).measure for name in names if name))
        except InputError:
            continue
    return []


def _searched(words: Sequence[str]) -> list[Measure]:
    """The measures whose names, title or summary hold all of the words."""
    from heldout.core.errors import InputError
    from heldout.measures.registry import near_measures
    from heldout.measures.spec import find, known_names, measures

    wanted = [word.lower() for word in words]
    found = [m for m in measures() if all(word in _described(m) for word in wanted)]
    if not found:
        text = " ".join(words)
        names = {name: find(name).name for name in known_names()}
        hint = near_measures(text.replace(" ", "_"), names) or "; heldout measures lists all"
        raise InputError(f"no measure is called {text!r} or described so{hint}")
    return found


def _described(measure: Measure) -> str:
    parts = (measure.name, measure.name.replace("_", " "), measure.title, measure.summary)
    return " ".join((*parts, *measure.aliases)).lower()


def _related(measure: Measure, words: Sequence[str]) -> list[str]:
    """Other measures whose name holds the words that were looked up, or this one's name."""
    from heldout.measures.registry import normal
    from heldout.measures.spec import measures

    # whole words: ici is no part of precision
    asked = {f"_{normal(name)}_" for name in ("_".join(words), measure.name)}
    return [
        m.name
        for m in measures()
        if m is not measure and any(words in f"_{m.name}_" for words in asked)
    ]
