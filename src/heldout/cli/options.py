"""Options in sections, so that a long help can be read, and declared once for all commands."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from heldout.core.options import Option, options_of
from heldout.core.options import parameter as parameter_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

__all__ = ["Flag", "SectionOption", "SectionedCommand", "flag", "flag_of", "flags_of", "options"]

#: the heading of what has none of its own
LAST = "Help"


class SectionOption(click.Option):
    """An option that says under which heading help shows it."""

    def __init__(self, names: list[str], /, *, section: str, **settings: Any) -> None:
        super().__init__(names, **settings)
        self.section = section


class SectionedCommand(click.Command):
    """A command whose help groups its options by heading, and that reads each of them once."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """The arguments as click reads them; what was said twice is refused, not half heard."""
        if not ctx.resilient_parsing:
            values, _, order = self.make_parser(ctx).parse_args(list(args))
            _refuse_twice(ctx, order)
            _refuse_empty(ctx, order, values)
        return super().parse_args(ctx, args)

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


def _refuse_twice(ctx: click.Context, order: Iterable[click.Parameter]) -> None:
    """An error for an option that takes one value and came with several.

    A switch may be thrown twice, but not both ways.
    """
    seen: set[str] = set()
    for parameter in order:
        if not isinstance(parameter, click.Option) or parameter.multiple or parameter.count:
            continue
        name = parameter.name or ""
        if name in seen and (not parameter.is_flag or parameter.secondary_opts):
            both = [*parameter.opts[:1], *parameter.secondary_opts[:1]]
            raise click.UsageError(f"{' or '.join(both)} is given twice: say it once", ctx)
        seen.add(name)


def _refuse_empty(
    ctx: click.Context, order: Iterable[click.Parameter], values: Mapping[str, Any]
) -> None:
    """An error for an option whose value is empty, as an unset variable of a script leaves it.

    An empty name of a column says that no column plays the role.
    """
    for parameter in order:
        value = values.get(parameter.name or "")
        given = value if isinstance(value, list | tuple) else [value]
        if "" in given and isinstance(parameter, click.Option) and parameter.metavar != "COLUMN":
            raise click.UsageError(
                f"{parameter.opts[0]} '' is empty: give a value, or leave it out", ctx
            )


@dataclass(frozen=True, slots=True)
class Flag:
    """An option without a command yet: its names, and what click is to know of it."""

    names: tuple[str, ...]
    settings: Mapping[str, Any]

    def but(self, **changes: Any) -> Flag:
        """The same option where a command means something else by it.

        Examples
        --------
        >>> SEED = flag("--seed", type=int, help="Of the splits.")
        >>> SEED.but(help="Of the bootstrap.").settings["help"]
        'Of the bootstrap.'
        """
        return Flag(self.names, {**self.settings, **changes})


def flag(*names: str, **settings: Any) -> Flag:
    """An option as ``click.option`` takes it."""
    return Flag(names, settings)


def flags_of(group: type, *names: str) -> tuple[Flag, ...]:
    """The flags of a group of options: of all of them, or of those that are named."""
    known = {one.name: one for one in options_of(group)}
    return tuple(made for name in names or known for made in _flags(known[name]))


def flag_of(group: type, name: str, **changes: Any) -> Flag:
    """The flag of one option of a group, where a command means something else by it."""
    return flags_of(group, name)[0].but(**changes)


def _flags(one: Option) -> Iterator[Flag]:
    if one.flag:
        names = (one.flag,) if parameter_of(one.flag) == one.name else (one.flag, one.name)
        settings = {"default": one.unset, **one.settings}
        if "choices" in settings:
            settings["type"] = click.Choice(settings.pop("choices"))
        if settings.get("type") is Path:
            settings["type"] = click.Path(path_type=Path)
        if settings.get("multiple"):
            del settings["default"]
        yield Flag(names, settings)
    if one.off:
        yield Flag((one.off,), {"is_flag": True, "help": one.off_help})


def options(section: str, *flags: Flag) -> Callable[[Any], Any]:
    """Options under a heading, in their order."""

    def add_all(command: Any) -> Any:
        # decorators are applied from the last to the first, and click counts on it
        for declared in reversed(flags):
            add = click.option(
                *declared.names, cls=SectionOption, section=section, **declared.settings
            )
            command = add(command)
        return command

    return add_all
