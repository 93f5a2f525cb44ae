"""The errors heldout raises on purpose; the command line turns each into an exit code."""

from __future__ import annotations

from heldout.core.wording import cut_long


class HeldoutError(Exception):
    """The base class of all errors that heldout raises on purpose."""

    exit_code = 1

    def __str__(self) -> str:
        """What happened; a cell or a heading in it may be of any length."""
        return cut_long(super().__str__())


class InputError(HeldoutError, ValueError):
    """Invalid input: the message names file, column and row, the problem, and the fix.

    Examples
    --------
    >>> import heldout
    >>> try:
    ...     heldout.score([0, 1], y_score=[0.5, float("nan")])
    ... except InputError as error:
    ...     print(str(error).partition(";")[0])
    y_score: NaN in 1 row (first: position 1)
    """

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
