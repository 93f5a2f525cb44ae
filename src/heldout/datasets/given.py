"""X as the caller gave it: which rows of it, how many, and what it holds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

__all__ = ["content_of", "is_sparse", "library_of", "row_count", "rows_of"]


def library_of(given: Any) -> str:
    """The package that a value's type comes from, such as ``pandas``."""
    return type(given).__module__.partition(".")[0].removeprefix("_")


def is_sparse(given: Any) -> bool:
    """Whether this is a sparse matrix or array of SciPy."""
    return library_of(given) == "scipy" and hasattr(given, "tocsr")


def row_count(given: Any) -> int:
    """How many rows X has."""
    shape = getattr(given, "shape", None)
    return int(shape[0]) if shape else len(given)


def rows_of(given: Any, rows: NDArray[Any]) -> Any:
    """Some rows of X, in the type the caller gave it.

    Examples
    --------
    >>> rows_of(["a", "b", "c"], np.array([2, 0]))
    ['c', 'a']
    """
    if hasattr(given, "iloc"):
        return given.iloc[rows]
    match library_of(given):
        case "polars":
            return given[rows]
        case "pyarrow":
            return given.take(rows)
    return [given[row] for row in rows.tolist()] if isinstance(given, list) else given[rows]


def content_of(given: Any) -> Iterator[tuple[str, NDArray[Any] | None]]:
    """What X holds, for a digest, where it is not made of columns: sparse, texts, images."""
    if given is None:
        return
    if is_sparse(given):
        rows = given.tocsr()
        yield f"sparse;{given.shape}", rows.data
        yield "indices", rows.indices.astype(np.int64)
        yield "starts", rows.indptr.astype(np.int64)
        return
    values = np.asarray(given)
    yield ("given", values) if values.dtype != object else (f"given;{values.tolist()!r}", None)
