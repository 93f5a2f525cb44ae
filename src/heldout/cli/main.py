"""The ``heldout`` command: finds the sub-command, and turns what happens into an exit code."""

from __future__ import annotations

import gc
import os
import sys
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

import click

from heldout.cli.screen import complain, explain, note
from heldout.core.dialect import speaking

if TYPE_CHECKING:
    from collections.abc import Sequence

#: the sub-commands; each is ``command`` in the module of its name, loaded when asked for
COMMANDS = (
    "evaluate",
    "select",
    "score",
    "compare",
    "power",
    "report",
    "serve",
    "audit",
    "split",
    "tally",
    "sql",
    "measures",
    "models",
    "runs",
)

#: those that fit models, which may end the process that they are fitted in
FITTING = ("evaluate", "select")

#: objects that are made before the first search for garbage
MOST_OF_MODULES = 100_000

BAD_INPUT, INTERRUPTED = 2, 130

EPILOG = """\b
Exit codes, the same for every command:
  0    success
  1    internal error of heldout
  2    bad input or usage (including output that cannot be written)
  3    a requirement is not met
  130  interrupted"""


class Commands(click.Group):
    """Sub-commands that are imported when they are run (or listed)."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names, in the order in which they are shown."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The sub-command of a name, None where there is none."""
        if cmd_name not in COMMANDS:
            return None
        subcommand: click.Command = import_module(f"heldout.cli.{cmd_name}").command
        return subcommand

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The sub-command, or an error that names the nearest one."""
        name = args[0]
        if name in COMMANDS or name.startswith("-"):
            return super().resolve_command(ctx, args)
        from heldout.core.nearest import did_you_mean

        is_file = name.startswith("example:") or Path(name).is_file()
        hint = f"; did you mean heldout score {name}?" if is_file else did_you_mean(name, COMMANDS)
        raise click.UsageError(f"no command is called {name!r}{hint}", ctx)


def show_version(ctx: click.Context, parameter: click.Parameter, value: bool) -> None:
    """The version, and nothing else."""
    if value and not ctx.resilient_parsing:
        from heldout import __version__

        click.echo(f"heldout {__version__}")
        ctx.exit()


@click.group(
    cls=Commands,
    invoke_without_command=True,
    epilog=EPILOG,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=show_version,
    help="Show the version.",
)
@click.pass_context
def command(ctx: click.Context) -> None:
    """Evaluate and compare predictive models, with valid confidence intervals."""
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line; gives the exit code.

    Errors are one line or two on standard error; with HELDOUT_TRACEBACK set to anything, the
    traceback comes first.
    """
    _open_closed_streams()
    if arguments is not None:
        return _run(arguments)
    _delay_collection()
    if sys.argv[1:2] and sys.argv[1] in FITTING:
        from heldout.runner.watched import reads_a_pipe, watch

        is_repeatable = not reads_a_pipe(sys.argv[2:])
        return watch(lambda: _run(None), note, complain, is_repeatable=is_repeatable)
    return _run(None)


@speaking("flags")
def _run(arguments: Sequence[str] | None) -> int:
    from heldout.report.output import write_stdout

    try:
        try:
            code = command.main(arguments, prog_name="heldout", standalone_mode=False)
        finally:
            # what waits for standard output would fail when nobody can say so any more
            write_stdout("")
        # commands return their exit code; click gives that of --help and --version
        return code if isinstance(code, int) else 0
    except (KeyboardInterrupt, click.Abort):
        return INTERRUPTED
    except click.ClickException as error:
        return _refuse(error)
    except Exception as error:
        return INTERRUPTED if _is_interrupt(error) else explain(error)


def _delay_collection() -> None:
    """Let the first search for garbage wait until a command has made more than modules.

    Modules are no garbage, and to search them again and again while they are loaded takes a
    tenth of a short command. From the first search on, all is as usual.
    """
    usual = gc.get_threshold()

    def resume(*_: object) -> None:
        gc.callbacks.remove(resume)
        gc.set_threshold(*usual)

    gc.callbacks.append(resume)
    gc.set_threshold(MOST_OF_MODULES, *usual[1:])


def _open_closed_streams() -> None:
    """Give closed standard streams their numbers back, which else the next files would get.

    To read or write them fails, as it must; only what is said to nobody is lost quietly.
    """
    modes = {"stdin": os.O_WRONLY, "stdout": os.O_RDONLY, "stderr": os.O_WRONLY}
    for name, mode in modes.items():
        if getattr(sys, name) is None:
            descriptor = os.open(os.devnull, mode)
            os.set_inheritable(descriptor, True)
            setattr(sys, name, os.fdopen(descriptor, "r" if name == "stdin" else "w"))


def _is_interrupt(error: BaseException | None) -> bool:
    """Whether Ctrl-C is behind an error: DuckDB says so in an error of another kind."""
    while error is not None:
        is_query = isinstance(error, RuntimeError) and "Query interrupted" in str(error)
        if is_query or isinstance(error, KeyboardInterrupt):
            return True
        error = error.__cause__ or error.__context__
    return False


def _refuse(error: click.ClickException) -> int:
    """Bad usage: what is wrong, and where help is."""
    context = getattr(error, "ctx", None)
    path = context.command_path if context is not None else "heldout"
    complain(f"{error.format_message().rstrip('.')}\n(see {path} --help)")
    return BAD_INPUT


if __name__ == "__main__":
    sys.exit(main())
