"""Models that ended a process: neither they nor their like are let into this one again."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from heldout.learners.model import Model

__all__ = ["Deadly", "kinds_of"]

#: packages of whose parts nearly every model has some
COMMON = ("heldout", "sklearn")


class Deadly:
    """The models of a run that are best fitted in processes of their own.

    A search has many settings of one estimator, and a nested one many runs of them all: what
    ends its process in one of them would end it in each. So what a run learns holds for the
    kind of the model, in all later runs of this process that use the same store.
    """

    def __init__(self, folder: Path, models: Sequence[Model] = ()) -> None:
        self._models = models
        self._known = _KNOWN.setdefault(str(folder.resolve()), set())
        #: those that ended a process themselves, in this run
        self.themselves: set[int] = set()

    def add(self, index: int) -> None:
        """A model ended a process."""
        self.themselves.add(index)
        self._known |= kinds_of(self._models[index].estimator)

    def __contains__(self, index: int) -> bool:
        # a search of many settings asks for each of them, and hardly any store knows one
        return bool(self._known) and not self._known.isdisjoint(
            kinds_of(self._models[index].estimator)
        )


#: by a store's folder, the kinds of models that ended a process
_KNOWN: dict[str, set[str]] = {}


def kinds_of(estimator: Any) -> frozenset[str]:
    """The types that an estimator is made of and others are not; where all are common, the last.

    Examples
    --------
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> kinds_of(make_pipeline(StandardScaler(), DecisionTreeClassifier()))
    frozenset({'sklearn.tree._classes.DecisionTreeClassifier'})
    """
    parts = [estimator]
    with suppress(Exception):  # what an estimator says of itself is its own code
        parts += [part for part in estimator.get_params().values() if hasattr(part, "fit")]
    rare = {_name(part) for part in parts if type(part).__module__.split(".")[0] not in COMMON}
    # a pipeline names its steps in their order
    return frozenset(rare or {_name(parts[-1])})


def _name(part: Any) -> str:
    return f"{type(part).__module__}.{type(part).__qualname__}"
