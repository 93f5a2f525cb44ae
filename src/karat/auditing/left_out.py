"""What was guessed of the data under audit, and which of their columns are no features."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from karat.auditing.material import Material
    from karat.datasets.dataset import Dataset

__all__ = ["Unaudited", "notes_of", "unaudited"]


@dataclass(frozen=True, slots=True)
class Unaudited:
    """A column that is no feature, of which table, and why."""

    name: str
    where: str
    reason: str


def unaudited(material: Material) -> tuple[Unaudited, ...]:
    """The columns that checks of features do not compare."""
    return tuple(
        Unaudited(one.name, where, one.reason)
        for where, data in _tables(material)
        for one in data.left_out
    )


def notes_of(material: Material) -> tuple[str, ...]:
    """What was guessed or left out in reading, each once."""
    found = [note for _, data in _tables(material) for note in data.notes]
    found += [note for p in material.predictions[:1] for note in p.notes]
    return tuple(dict.fromkeys(found))


def _tables(material: Material) -> Iterator[tuple[str, Dataset]]:
    for where, data in (
        ("train", material.train),
        ("test", material.test),
        ("data", material.data),
    ):
        if data is not None:
            yield where, data
