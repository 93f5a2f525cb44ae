"""``heldout measures``: lists the measures, searches them, explains one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from heldout.cli.command import Answer, finish, listing_of
from heldout.cli.groups import LISTED
from heldout.cli.options import SectionedCommand, options

if TYPE_CHECKING:
    from collections.abc import Sequence

    from heldout.measures.registry import Measure

EPILOG = """\b
Examples:
  heldout measures
  heldout measures recall
  heldout measures calibration error"""


@click.command(
    cls=SectionedCommand, epilog=EPILOG, short_help="List, search and explain the measures."
)
@click.argument("words", metavar="[NAME_OR_WORDS]...", nargs=-1)
@options("Output", *LISTED)
def command(words: tuple[str, ...], **given: Any) -> int:
    """List all measures, search them by words, or explain one.

    The name or an alias of a measure explains it; other words are searched for in names, titles
    and summaries.
    """
    from heldout.measures.registry import measures
    from heldout.report.measure_pages import explanation, measure_list, measure_object

    asked = listing_of(given)
    named = _measures_named(words)
    matches = named or _search(words) if words else list(measures())
    pages = (block for m in named for block in explanation(m, _neighbours(m, words)))
    call = {"command": "measures", "words": list(words)}
    return finish(
        given,
        asked,
        Answer(
            document=lambda: tuple(pages) if named else measure_list(matches, legend=not words),
            record=lambda: {"call": call, "measures": [measure_object(m) for m in matches]},
        ),
    )


def _measures_named(words: tuple[str, ...]) -> list[Measure]:
    """The measures meant, where the words are one name, or a name each."""
    from heldout.core.errors import InputError
    from heldout.measures.spec import parse_request

    for names in ((" ".join(words),), words):
        try:
            return list(dict.fromkeys(parse_request(name).measure for name in names if name))
        except InputError:
            continue
    return []


def _search(words: Sequence[str]) -> list[Measure]:
    """The measures whose names, title or summary hold all of the words."""
    from heldout.core.errors import InputError
    from heldout.measures.registry import find, known_names, measures, near_measures

    wanted = [word.lower() for word in words]
    matches = [m for m in measures() if all(word in _description(m) for word in wanted)]
    if not matches:
        text = " ".join(words)
        names = {name: find(name).name for name in known_names()}
        hint = near_measures(text.replace(" ", "_"), names) or "; heldout measures lists all"
        raise InputError(f"no measure is called {text!r} or described so{hint}")
    return matches


def _description(measure: Measure) -> str:
    parts = (measure.name, measure.name.replace("_", " "), measure.title, measure.summary)
    return " ".join((*parts, *measure.aliases)).lower()


def _neighbours(measure: Measure, words: Sequence[str]) -> list[str]:
    """Other measures whose name holds the words that were looked up, or this one's name."""
    from heldout.core.nearest import normal
    from heldout.measures.registry import measures

    # whole words: ici is no part of precision
    asked = {f"_{normal(name)}_" for name in ("_".join(words), measure.name)}
    return [
        m.name
        for m in measures()
        if m is not measure and any(words in f"_{m.name}_" for words in asked)
    ]
