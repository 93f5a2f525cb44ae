"""The formats of results: a new one is a module that writes it, and an entry here."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal

from heldout.core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from pathlib import Path

#: the columns that a page of a document is taken to have
PAGE = 120


@dataclass(frozen=True, slots=True)
class Format:
    """A format: how its files end, what it is written from, and the function that writes it.

    People read a ``document``; programs a ``record`` of all there is, or the ``rows`` of one
    table, both with numbers in full.
    """

    name: str
    ending: str
    of: Literal["document", "record", "rows"]
    #: module and function below ``heldout.report``, which is loaded when it is needed
    writer: str

    @property
    def is_data(self) -> bool:
        """Whether programs read it."""
        return self.of != "document"

    def text(self, content: Any, **how: Any) -> str:
        """A document, record or table of rows in this format."""
        module, _, name = self.writer.rpartition(".")
        text: str = getattr(import_module(f"heldout.report.{module}"), name)(content, **how)
        return text


FORMATS = {
    form.name: form
    for form in (
        Format("table", ".txt", "document", "terminal.terminal_text"),
        Format("json", ".json", "record", "data_text.json_text"),
        Format("csv", ".csv", "rows", "data_text.csv_text"),
        Format("markdown", ".md", "document", "markdown.markdown_text"),
        Format("latex", ".tex", "document", "latex.latex_text"),
    )
}


def saved_text(path: Path, kinds: str, contents: Mapping[str, Callable[[], Any]]) -> str:
    """The text of a file in the format that its ending names, or an error with the ``kinds``.

    ``contents`` makes what formats are written from, by what that is called.
    """
    form = FORMATS.get(ENDINGS.get(path.suffix, ""))
    if form is None or form.name == "table" or form.of not in contents:
        raise InputError(f"cannot write {path}: {kinds}")
    how = {} if form.is_data else {"width": PAGE}
    return form.text(contents[form.of](), **how)


def endings_of(names: Iterable[str]) -> dict[str, str]:
    """The formats that endings of files imply; that of text comes last, as it may hold any.

    Examples
    --------
    >>> endings_of(["table", "json"])
    {'.json': 'json', '.txt': 'table'}
    """
    known = sorted((FORMATS[name] for name in names), key=lambda form: form.name == "table")
    return {form.ending: form.name for form in known}


ENDINGS = endings_of(FORMATS)
