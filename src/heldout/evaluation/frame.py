"""A small table by columns, convertible to the user's own kind of data frame."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from heldout.curves.columns import ShownTable

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

__all__ = ["Frame"]


@dataclass(frozen=True, eq=False, repr=False)
class Frame(ShownTable):
    """Columns of equal length by name.

    Examples
    --------
    >>> frame = Frame({"model": ["knn", "lda"], "n_test": [15, 15]})
    >>> len(frame), next(iter(frame))
    (2, {'model': 'knn', 'n_test': 15})
    """

    data: Mapping[str, Any]

    def __len__(self) -> int:
        return len(next(iter(self.data.values()), ()))

    def __iter__(self) -> Iterator[dict[str, Any]]:
        names = list(self.data)
        for row in zip(*self.columns().values(), strict=True):
            yield dict(zip(names, row, strict=True))

    def __getitem__(self, name: str) -> Any:
        return self.data[name]

    def columns(self) -> dict[str, list[Any]]:
        """The columns as lists of Python's own values."""
        return {
            name: values.tolist() if hasattr(values, "tolist") else list(values)
            for name, values in self.data.items()
        }
