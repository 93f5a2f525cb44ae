"""Splits predicted from one fit where a model allows it, in blocks of many splits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.runner.task import said

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from heldout.learners.exact.path import ExactPath
    from heldout.learners.model import Model
    from heldout.learners.outcome import Outcome
    from heldout.runner.task import Work

__all__ = ["exact_blocks"]


def exact_blocks(
    model: Model,
    work: Work,
    missing: NDArray[np.int64],
    notes: list[str],
    shared: ExactPath | None = None,
) -> Iterator[Outcome]:
    """Outcomes of the missing splits by the model's exact path; none where there is no path.

    ``shared`` is a path that was made before, of a model that shares its work with others.
    """
    from heldout.learners.exact.paths import exact_path

    path: Any = shared if shared is not None else exact_path(model, work.dataset, work.splits)
    if isinstance(path, str):
        return
    try:
        for span in _spans(missing):
            yield from path.run(span)
    except (ArithmeticError, ValueError, np.linalg.LinAlgError) as error:
        notes.append(f"{model.name}: refitted; the exact path {path.name} gave up: {said(error)}")


def _spans(positions: NDArray[np.int64]) -> Iterator[slice]:
    """Runs of neighbours.

    Examples
    --------
    >>> list(_spans(np.array([0, 1, 2, 5, 6])))
    [slice(0, 3, None), slice(5, 7, None)]
    """
    cuts = np.flatnonzero(np.diff(positions) > 1) + 1
    for run in np.split(positions, cuts):
        yield slice(int(run[0]), int(run[-1]) + 1)
