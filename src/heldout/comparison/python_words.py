"""Errors of a comparison as a Python caller reads them: arguments instead of flags."""

from __future__ import annotations

import re
from contextlib import contextmanager
from typing import TYPE_CHECKING

from heldout.core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["in_python", "python_errors"]

FLAG = re.compile(r"(?<![\w-])--([a-z][a-z-]*)")
#: flags without a value, and those whose argument has another name
SWITCHES = {"force", "shared", "unpaired"}
RENAMED = {"measure": "measures", "seed": "random_state"}


def in_python(message: str) -> str:
    """A message with the arguments of functions where it has flags of the command line.

    Examples
    --------
    >>> in_python("name a column of ids (--id), or say --unpaired")
    'name a column of ids (id=), or say unpaired=True'
    """

    def argument(found: re.Match[str]) -> str:
        name = found[1].replace("-", "_")
        return f"{name}=True" if name in SWITCHES else f"{RENAMED.get(name, name)}="

    return FLAG.sub(argument, message)


@contextmanager
def python_errors() -> Iterator[None]:
    """Errors from within come out in the words of Python."""
    try:
        yield
    except InputError as error:
        message = in_python(str(error))
        if message == str(error):
            raise
        raise InputError(message) from error
