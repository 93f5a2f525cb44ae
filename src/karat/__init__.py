"""karat: the honest performance assessment of predictive models."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from karat.assess.score import score
    from karat.assess.scorecard import Scorecard
    from karat.core.errors import InputError, KaratError
    from karat.data import example
    from karat.predictions.read import from_arrays, read_predictions
    from karat.predictions.table import Predictions

__all__ = [
    "InputError",
    "KaratError",
    "Predictions",
    "Scorecard",
    "__version__",
    "example",
    "from_arrays",
    "read_predictions",
    "score",
]

#: where each public name lives; nothing is imported until it is used
PLACES = {
    "InputError": "karat.core.errors",
    "KaratError": "karat.core.errors",
    "Predictions": "karat.predictions.table",
    "Scorecard": "karat.assess.scorecard",
    "example": "karat.data",
    "from_arrays": "karat.predictions.read",
    "read_predictions": "karat.predictions.read",
    "score": "karat.assess.score",
}


def __getattr__(name: str) -> Any:
    if name not in PLACES:
        raise AttributeError(f"module 'karat' has no attribute {name!r}")
    from importlib import import_module

    found = getattr(import_module(PLACES[name]), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return __all__
