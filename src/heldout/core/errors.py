"""The errors heldout raises on purpose; the command line turns each into an exit code."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["HeldoutError", "InputError", "MissingExtra", "Named", "message_of"]


@dataclass(frozen=True, slots=True)
class Named:
    """An option that a message names: an argument in Python, a flag on the command line.

    Examples
    --------
    >>> error = InputError("give ", Named("id"), " or ", Named("unpaired", is_switch=True))
    >>> str(error), error.in_flags()
    ('give id= or unpaired=True', 'give --id or --unpaired')
    """

    name: str
    is_switch: bool = False
    #: its name on the command line, where that differs
    flag: str = ""

    def __str__(self) -> str:
        return f"{self.name}={'True' * self.is_switch}"

    @property
    def in_flags(self) -> str:
        """The option as the command line writes it."""
        return f"--{(self.flag or self.name).replace('_', '-')}"


class HeldoutError(Exception):
    """Something heldout itself could not do: texts, and the options that they name."""

    exit_code = 1

    def __str__(self) -> str:
        return "".join(map(str, self.args))

    def in_flags(self) -> str:
        """The message as the command line says it."""
        return "".join(p.in_flags if isinstance(p, Named) else str(p) for p in self.args)


class InputError(HeldoutError, ValueError):
    """Input that cannot be judged: the message names where, what, and the fix."""

    exit_code = 2


class MissingExtra(HeldoutError, ImportError):
    """A package that is not part of the base install is needed."""

    exit_code = 2

    def __init__(self, package: str, purpose: str, extra: str) -> None:
        super().__init__(
            f'{purpose} needs {package}: pip install "heldout[{extra}]", or pip install '
            + package.replace(" and ", " ")
        )


def message_of(error: BaseException) -> str:
    """What an error says, in one line; nothing where asking it is itself an error."""
    try:
        return " ".join(str(error).split())
    except Exception:
        return ""
