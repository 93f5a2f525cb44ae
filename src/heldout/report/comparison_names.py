"""What models are called in tables of pairs: by name, or by number where names are long."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from heldout.report.names import label_text

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["PairNames"]

#: letters that a row of a table of pairs needs beside its three names
BESIDE = 44


class PairNames:
    """The models of a comparison as its tables of pairs have them.

    ``room``: letters in a line; 0: no end.

    Examples
    --------
    >>> names = PairNames(["logistic-regression", "random-forest"], 80)
    >>> names.of("random-forest"), names.note
    ('2', 'models are numbered as in the first table')
    """

    def __init__(self, models: Sequence[str], room: int = 0) -> None:
        longest = max(len(label_text(m)) for m in models)
        self.is_numbered = bool(room) and 3 * longest > room - BESIDE
        self._names = {m: label_text(m) for m in models}
        if self.is_numbered:
            self._names = {m: str(number) for number, m in enumerate(models, 1)}

    def of(self, model: str) -> str:
        """One model; nothing where there is none."""
        return self._names.get(model, label_text(model) if model else "")

    def pair(self, difference: Any) -> str:
        """The pair in the order in which it is subtracted."""
        return f"{self.of(difference.first)} - {self.of(difference.second)}"

    @property
    def note(self) -> str:
        """What a table says of it; empty where names are names."""
        return "models are numbered as in the first table" if self.is_numbered else ""
