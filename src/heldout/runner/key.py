"""What makes two runs the same run: data, splits, seed, and the versions that decide results."""

from __future__ import annotations

import json
from hashlib import blake2b, file_digest
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.procedures.splits import fold_names

if TYPE_CHECKING:
    from heldout.runner.task import Work

__all__ = ["RESULTS", "content_digest", "facts_of", "run_key", "versions"]

#: goes up when heldout's own part in a result changes: seeds of fits, preparation, exact paths
RESULTS = 3


def versions() -> dict[str, str]:
    """Versions on which stored predictions depend, so far as the models do not name theirs."""
    import sklearn

    return {
        "results": str(RESULTS),
        "numpy": ".".join(np.__version__.split(".")[:2]),
        "scikit-learn": ".".join(sklearn.__version__.split(".")[:2]),
    }


def run_key(work: Work) -> str:
    """A digest that differs whenever predictions of one of two runs could not serve the other."""
    made_of = [work.dataset.fingerprint, work.splits.fingerprint, work.seed, versions()]
    return blake2b(json.dumps(made_of).encode(), digest_size=16).hexdigest()


def facts_of(work: Work) -> dict[str, Any]:
    """What an export must know of the data, which may be gone by then."""
    data = work.dataset
    return {
        "task": data.task,
        "target": data.target,
        "classes": [_plain(label) for label in data.classes],
        "positive": data.positive,
        "id": None if data.identifier is None else [_plain(name) for name in data.identifier],
        "weight": None if data.weight is None else data.weight.tolist(),
        "group": None
        if data.group is None
        else [_plain(data.group.levels[code]) for code in data.group.codes.tolist()],
        "content": content_digest(data.source),
        "folds": [_plain(name) for name in fold_names(work.splits)],
        "notes": list(work.splits.notes),
    }


def content_digest(source: str) -> str:
    """A digest of the file that data were read from; empty where they are of no file."""
    path = Path(source)
    try:
        if not source or not path.is_file():
            return ""
        with path.open("rb") as file:
            return file_digest(file, lambda: blake2b(digest_size=16)).hexdigest()
    except (OSError, ValueError):
        return ""


def _plain(label: Any) -> Any:
    """A label as JSON has it."""
    value = label.item() if isinstance(label, np.generic) else label
    return value if isinstance(value, str | int | float | bool) else str(value)
