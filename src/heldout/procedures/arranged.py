"""Procedures that draw rows at random, and may keep class shares even and groups whole."""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any, Literal

from heldout.core.errors import InputError
from heldout.procedures.procedure import Grouping, Procedure, whole
from heldout.procedures.rows import bin_codes, class_name, codes_in_order, first_rows, small_classes

if TYPE_CHECKING:
    from heldout.core.arrays import Integers
    from heldout.procedures.rows import Rows

#: what is made many times over, of which one time tells whether rows allow it
COUNTS = ("repeats", "samples")


def offered(rows: Rows, *offers: tuple[Procedure, str]) -> str:
    """The end of a refusal that offers procedures, each in some words ({} is its text).

    Those that would be refused too are left out; empty where none is left.
    """
    texts = [
        words.format(procedure) for procedure, words in offers if _once(procedure).allows(rows)
    ]
    if not texts:
        return ""
    return f"; use {', '.join(texts[:-1])}{' or ' * (len(texts) > 1)}{texts[-1]}"


def _once(procedure: Procedure) -> Procedure:
    counts: dict[str, Any] = {f.name: 1 for f in fields(procedure) if f.name in COUNTS}
    return replace(procedure, **counts)


#: quantile bins of a regression target where no number is given
BINS = 10


@dataclass(frozen=True, repr=False)
class Arranged(Grouping):
    """A random procedure, stratified and grouped where that is asked for or fits the data."""

    #: None: by class in classification, not in regression; classes with fewer rows than parts are
    #: spread, and with True they are refused ("loosely" spreads small bins of a regression, too)
    stratify: bool | Literal["loosely"] | None = field(default=None, kw_only=True)
    #: regression: so many bins of equal size take the place of classes
    bins: int | None = field(default=None, kw_only=True, metadata=whole("bins", 2))
    #: goes before the seed of the evaluation
    random_state: int | None = field(default=None, kw_only=True, metadata=whole("random_state", 0))

    def __post_init__(self) -> None:
        if self.stratify not in (None, True, False, "loosely"):
            raise InputError(f"stratify is True, False, 'loosely' or None, not {self.stratify!r}")
        super().__post_init__()
        if self.bins is not None:
            if self.stratify is False:
                raise InputError("bins stratify: they cannot be had unstratified")
            if self.stratify is None:
                object.__setattr__(self, "stratify", True)

    def _modifiers(self) -> tuple[str, ...]:
        words = []
        if self.stratify is not None:
            words.append("stratified" if self.stratify else "unstratified")
        if self.stratify == "loosely":
            words.append("loosely")
        if self.bins is not None:
            words.append(f"by bins {self.bins}")
        words.extend(super()._modifiers())
        if self.random_state is not None:
            words.append(f"seed {self.random_state}")
        return tuple(words)

    def _strata(self, rows: Rows, parts: int, offers: tuple[Procedure, ...]) -> Integers | None:
        """The stratum of each row, None where rows are not stratified; or a refusal.

        ``parts`` says how many parts each class must reach, ``offers`` what else to try.
        """
        if not self.stratify and (self.stratify is False or not rows.is_classification):
            return None
        if rows.truth is None:
            if self.stratify:
                raise InputError(f"{self}: there is no target to stratify by")
            return None
        if not rows.is_classification:
            return self._bins(rows, parts)
        if self.bins is not None:
            raise InputError(f"{self}: bins are for a regression target; this one has classes")
        codes = codes_in_order(rows.truth)
        if self.stratify is True:
            self._refuse_small(rows, codes, parts, offers)
        return codes

    def _most_parts(self, rows: Rows, groups: Integers | None) -> tuple[int, str]:
        """In how many parts the rows can be, and the class that allows no more, if one does."""
        most = rows.count if groups is None else rows.group_count
        if rows.truth is None or self.stratify is not True:
            return most, ""
        if not rows.is_classification:
            return (most if self.bins is None else min(most, rows.count // self.bins)), ""
        codes = codes_in_order(rows.truth)
        small = small_classes(codes, groups, most)
        if not small:
            return most, ""
        smallest, count = small[0]
        return count, class_name(rows, int(first_rows(codes)[smallest]))

    def _bins(self, rows: Rows, parts: int) -> Integers:
        most = max(rows.count // parts, 1)
        if self.bins is not None and self.bins > most and self.stratify != "loosely":
            instead = offered(
                rows,
                *(((replace(self, bins=most), "at most {}"),) if most > 1 else ()),
                (replace(self, stratify="loosely"), "{}"),
            )
            raise InputError(
                f"{self}: {self.bins} bins of {rows.count} rows would be smaller than {parts} "
                f"parts{instead}"
            )
        assert rows.truth is not None
        return bin_codes(rows.truth, self.bins or min(BINS, most))

    def _refuse_small(
        self, rows: Rows, codes: Integers, parts: int, offers: tuple[Procedure, ...]
    ) -> None:
        count, complaint = self._rare(rows, codes, parts)
        if not complaint:
            return
        instead = offered(
            rows,
            *(self._fewer(count) if count >= 2 else ()),
            (replace(self, stratify="loosely"), "{}"),
            (replace(self, stratify=False), "{}"),
            *((offer, "{}") for offer in offers),
        )
        raise InputError(f"{complaint}, too few to be in each of {parts} parts{instead}")

    def _rare(self, rows: Rows, codes: Integers, parts: int) -> tuple[int, str]:
        """How many rows or groups the smallest class has where it cannot be in every part."""
        groups = self._groups(rows)
        small = small_classes(codes, groups, parts)
        if not small:
            return parts, ""
        worst, count = small[0]
        held, unit = ("is in", "group") if groups is not None else ("has", "row")
        more = len(small) - 1
        others = f" (and {more} more such class{'es' * (more > 1)})" if more else ""
        name = class_name(rows, int(first_rows(codes)[worst]))
        return count, f"{self}: class {name} {held} {count} {unit}{'s' * (count != 1)}{others}"

    def _fewer(self, most: int) -> tuple[tuple[Procedure, str], ...]:
        """The same procedure with as many parts, and how to offer it, where that can be had."""
        return ()
