"""The rows of a model as decisions resample them: alone, in groups, or with all their repeats."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from heldout.curves.design import units_of
from heldout.engines.memory import Tallies
from heldout.predictions.table import Column, Design

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from heldout.decisions.records import Record

__all__ = ["DrawnRows", "drawn_rows"]

ONE_UNIT = "one group says nothing of the spread"
LIMITS = ("low", "high", "threshold_low", "threshold_high")


@dataclass(frozen=True, slots=True, eq=False)
class DrawnRows:
    """The rows of a model as they may be resampled.

    Parameters
    ----------
    tallies
        Those of the model. Where a row is judged several times its group (or else its
        identifier) is all that the design says.
    lack
        Why nothing may be drawn; empty where something may.
    is_hopeless
        Whether the design allows no interval of any kind.
    words
        What the groups are called.
    """

    tallies: Tallies
    lack: str = ""
    is_hopeless: bool = False
    words: str = "groups"

    @property
    def groups(self) -> NDArray[Any] | None:
        """The group of each row; None where rows stand alone."""
        group = self.tallies.predictions.design.group
        return None if group is None else group.codes

    def said(self, records: Sequence[Record], *, asked: bool) -> list[Record]:
        """The records with the reason why they have no limits, or with what their groups are."""
        made = [dict(record) for record in records]
        for record in made if asked else ():
            if self.lack:
                ends = (key for key in record if key in LIMITS)
                record.update(dict.fromkeys(ends, float("nan")))
                lacks = "not corrected, no interval" if "corrected" in record else "no interval"
                said = (record["note"], f"{lacks}: {self.lack}")
                record["note"] = "; ".join(filter(None, said))
            else:
                record["method"] = record["method"].replace(" groups", f" {self.words}")
        return made


def drawn_rows(tallies: Tallies) -> DrawnRows:
    """The rows of a model as they may be resampled, found once.

    Groups are drawn whole. A row that is judged in several repeats or folds is one row: its
    identifier makes it a group, and without identifiers nothing can be drawn.
    """
    memory = tallies.memory
    if "drawn rows" not in memory:
        memory["drawn rows"] = _drawn_rows(tallies)
    made: DrawnRows = memory["drawn rows"]
    return made


def _drawn_rows(tallies: Tallies) -> DrawnRows:
    p, design = tallies.predictions, tallies.design
    units = units_of(p)
    if units.reason:
        return DrawnRows(tallies, units.reason, units.is_hopeless)
    if units.codes is not None and units.groups < 2:
        return DrawnRows(tallies, ONE_UNIT)
    if design.repeats == 1 and not design.is_often:
        return DrawnRows(tallies)
    # measures of all repeats are refused: of a plain table with these groups they are not
    group = None if units.codes is None else Column(units.words, units.codes, ())
    return DrawnRows(Tallies(replace(p, design=Design(group=group))), words=units.words)
