"""From options to predictions: examples by name, which column is what, the values of cells."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Any

from heldout.cli.texts import number_or_text, pairs, words
from heldout.core.errors import InputError
from heldout.predictions.roles import Roles

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from heldout.predictions.table import Label, Predictions

__all__ = ["EXAMPLE", "ROLES", "cells_of", "read_files", "sources_of"]

EXAMPLE = "example:"
#: options that name columns or say how rows are to be read
ROLES = tuple(field.name for field in fields(Roles))


def read_files(
    files: Sequence[str], given: Mapping[str, Any], *, pool: bool = False
) -> tuple[Predictions, ...]:
    """The predictions of each model; roles for which a command has no option are guessed."""
    from heldout.predictions.read import read_roles

    stated = {name: given[name] for name in ROLES if name in given}
    stated["scores"] = pairs(given.get("scores"), "--scores")
    stated["labels"] = words(given.get("labels"))
    stated["train_mean"] = number_or_text(given.get("train_mean"))
    sources, called = sources_of(files)
    return read_roles(sources, Roles(**stated), pool=pool, dialect="flags", called=called)


def sources_of(files: Sequence[str]) -> tuple[list[str], list[str]]:
    """Where each file is, and what messages call it (empty: by its path).

    What ships with heldout is called as the reader did, not by where it is.
    """
    from heldout.data import example

    sources = [
        str(example(name.removeprefix(EXAMPLE))) if name.startswith(EXAMPLE) else name
        for name in files
    ]
    return sources, [name if name.startswith(EXAMPLE) else "" for name in files]


def cells_of(given: Mapping[str, Any], classes: Sequence[Label]) -> dict[str, Any]:
    """The profit and the cost of each cell of the confusion matrix, where they are given."""
    from heldout.measures.profit import parse_cells

    values = {}
    for name in ("profit", "cost"):
        if given[name] is None:
            continue
        if not classes:
            raise InputError(f"--{name} is for classification, and the task is regression")
        labels = [str(label) for label in classes]
        try:
            values[name] = parse_cells(given[name], classes=len(classes), labels=labels)
        except InputError as error:
            raise InputError(f"--{name}: {error}") from error
    return values
