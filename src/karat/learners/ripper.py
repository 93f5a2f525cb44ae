"""RIPPER rules, where a package that learns them is installed."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from karat.core.errors import MissingExtra
from karat.learners.preparation import Needs

if TYPE_CHECKING:
    from karat.datasets.dataset import Dataset

__all__ = ["ripper"]


def ripper(dataset: Dataset) -> tuple[Any, Needs]:
    """RIPPER of the package wittgenstein, one class against the others where there are several."""
    if find_spec("wittgenstein") is None:
        raise MissingExtra("wittgenstein", "the model ripper", "rules")
    from karat.learners.rules import Rules

    return Rules(), Needs()
