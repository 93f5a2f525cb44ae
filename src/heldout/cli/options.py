"""Options in sections, so that a long help can be read, and declared once for all commands."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import augment_usage_errors

from heldout.core.options import options_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from heldout.core.options import Option

#: the heading of what has none of its own
LAST = "Help"


class SectionOption(click.Option):
    """An option that says under which heading help shows it."""

    def __init__(self, names: list[str], /, *, section: str, **settings: Any) -> None:
        super().__init__(names, **settings)
        self.section = section

    def get_help_extra(self, ctx: click.Context) -> Any:
        """Nothing beside the help: it says the default in words, and errors say the range."""
        return {}


class SectionedCommand(click.Command):
    """A command whose help groups its options by heading, and that reads each of them once."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """The arguments as click reads them; what was said twice is refused, not half heard."""
        if not ctx.resilient_parsing:
            with augment_usage_errors(ctx):
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
            raise click.UsageError(f"{' or '.join(both)} is given more than once", ctx)
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


def flags_of(group: type, *names: str, **helps: str) -> tuple[Option, ...]:
    """The flags of a group of options: of all of them, or of those that are named.

    ``helps`` are the words of a command that means something else by some of them.
    """
    known = {
        option.name: option.but(help=helps.get(option.name, option.help))
        for option in options_of(group)
    }
    chosen = [known[name] for name in names or known]
    return tuple(
        flag for option in chosen for flag in (option if option.flag else None, option.off) if flag
    )


def flag_of(group: type, name: str, help: str = "", **changes: Any) -> Option:
    """The flag of one option of a group, where a command means something else by it."""
    (flag, *_) = flags_of(group, name)
    return flag.but(help=help or flag.help, **changes)


def options(section: str, *flags: Option) -> Callable[[Any], Any]:
    """Options under a heading, in their order."""

    def add_all(command: Any) -> Any:
        # decorators are applied from the last to the first, and click counts on it
        for declared in reversed(flags):
            command = click.option(*_names(declared), section=section, **_settings(declared))(
                command
            )
        return command

    return add_all


def _names(option: Option) -> tuple[str, ...]:
    is_plain = option.flag.removeprefix("--").replace("-", "_") == option.name
    return (option.flag,) if is_plain else (option.flag, option.name)


def _settings(option: Option) -> dict[str, Any]:
    """An option as click is to know it."""
    settings: dict[str, Any] = {"cls": SectionOption, "help": option.help + " *" * option.many}
    if option.is_switch:
        settings["is_flag"] = True
    elif option.choices:
        settings["type"] = click.Choice(option.choices)
    else:
        settings["type"] = click.Path(path_type=Path) if option.type is Path else option.type
    if option.many:
        settings["multiple"] = True
    else:
        settings["default"] = option.unset
    return settings | {"metavar": option.metavar or None, "callback": option.callback}
