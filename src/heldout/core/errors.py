"""The errors heldout raises on purpose; the command line turns each into an exit code."""

from __future__ import annotations

from heldout.core.wording import cut_long


class HeldoutError(Exception):
    """Something heldout itself could not do."""

    exit_code = 1

    def __str__(self) -> str:
        """What happened; a cell or a heading in it may be of any length."""
        return cut_long(super().__str__())


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
