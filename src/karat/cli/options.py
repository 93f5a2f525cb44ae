"""Options in sections, so that a long help can be read; and texts that mean several values."""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING, Any

import click

from karat.core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["SectionOption", "SectionedCommand", "number_or_text", "option", "pairs", "words"]


LAST = "Help"


class SectionOption(click.Option):
    """An option that says under which heading help shows it."""

    section: str = "Options"


class SectionedCommand(click.Command):
    """A command whose help groups its options by heading."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The options under their headings, in order of declaration."""
        sections: dict[str, list[tuple[str, str]]] = {}
        for parameter in self.get_params(ctx):
            record = (
                None if isinstance(parameter, click.Argument) else parameter.get_help_record(ctx)
            )
            if record is not None:
                heading = getattr(parameter, "section", LAST)
                sections.setdefault(heading, []).append(record)
        sections[LAST] = sections.pop(LAST, [])
        for heading, records in sections.items():
            with formatter.section(heading):
                formatter.write_dl(records)


def option(section: str, *names: str, **settings: Any) -> Callable[[Any], Any]:
    """An option under a heading."""

    class Placed(SectionOption):
        pass

    Placed.section = section
    return click.option(*names, cls=Placed, **settings)


def words(text: str | None) -> tuple[str, ...] | None:
    """Values between commas; quotes keep a comma inside a value.

    Examples
    --------
    >>> words('a, b,"c,d"')
    ('a', 'b', 'c,d')
    """
    if text is None:
        return None
    return tuple(next(csv.reader([text], skipinitialspace=True), []))


def pairs(text: str | None, flag: str) -> dict[str, str] | None:
    """Values by name, written ``name=value,name=value``.

    Examples
    --------
    >>> pairs("spam=p_spam, ham=p_ham", "--scores")
    {'spam': 'p_spam', 'ham': 'p_ham'}
    """
    found: dict[str, str] = {}
    for word in words(text) or ():
        name, equals, value = (part.strip() for part in word.partition("="))
        if not equals or not name or not value:
            raise InputError(f"{flag}: {word!r} is not written class=column")
        if name in found:
            raise InputError(f"{flag}: class {name!r} is given twice")
        found[name] = value
    return None if text is None else found


def number_or_text(text: str | None) -> float | str | None:
    """A number where the text is one, else the text (a column's name).

    Examples
    --------
    >>> number_or_text("2.5"), number_or_text("train_mean")
    (2.5, 'train_mean')
    """
    try:
        return None if text is None else float(text)
    except ValueError:
        return text
