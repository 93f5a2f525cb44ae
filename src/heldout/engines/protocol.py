"""What every engine answers: the tally of some kind, of each part of the rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from heldout.core.notes import Lack

#: a loss of rows with the parameters it takes: its tally is ``Moments``
Loss = tuple["Callable[..., Any]", dict[str, Any]]
#: a type of ``heldout.tally``, or a loss
TallyKind = type | Loss

#: what rows are grouped by: ``slice:NAME`` is the column of slices of that name
By = Literal["model", "repeat", "fold", "class", "group"] | str
SLICE = "slice:"


def slice_by(column: str) -> str:
    """How rows are grouped by a column of slices.

    Examples
    --------
    >>> slice_by("country")
    'slice:country'
    """
    return f"{SLICE}{column}"


class NotScanned(Exception):
    """Why files cannot be scanned, and have to be read into memory."""


class Parts(Protocol):
    """The tallies of one kind of each part, keyed by what the rows were grouped by.

    A mapping from keys to tallies, in the order of the keys; ``stacked`` holds all of them in
    one value, so that a measure of counts or moments is evaluated for all parts at once.
    """

    @property
    def stacked(self) -> Any:
        """All tallies in one: ``Confusion``, ``Moments`` and ``Errors`` with a leading axis.

        Of scores ``ScoreParts``, where parts are small; None where tallies are kept one by one.
        """
        ...

    def __len__(self) -> int: ...

    def __iter__(self) -> Iterator[tuple[str, ...]]: ...

    def __getitem__(self, key: tuple[str, ...]) -> Any: ...

    def at(self, place: int) -> Any:
        """The tally of the part at a place."""
        ...


class Engine(Protocol):
    """Where predictions of one model lie, and what makes tallies of them.

    The law of every engine: the tally of two sets of rows is the sum of their tallies, whatever
    the order of rows and the number of batches they come in; counts are equal to those of the
    engine in memory exactly, moments to a relative 1e-12. An answer holds no rows: what only
    rows can tell (``ClassScores``, ``ErrorRows``) an engine may refuse by ``lack``.

    A kernel over batches of rows therefore implements it as: codes of the parts from the
    columns of ``by``, ``of_parts`` of the tally on each batch, and the sum over batches.

    Parts by slice, class and group are populations of their own: where no prior is given they
    are judged against their own class shares (or mean). Folds and repeats are samples of one
    population and share the prior of all rows.
    """

    def tally(self, kind: TallyKind, by: tuple[By, ...] = ()) -> Mapping[tuple[str, ...], Any]:
        """The tally of each part that has rows; without ``by`` of all rows, under ``()``."""
        ...

    def lack(self, kind: TallyKind, by: tuple[By, ...] = ()) -> Lack | None:
        """Why the engine cannot make such tallies; None where it can."""
        ...
