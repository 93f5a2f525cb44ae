"""The common form of all procedures: splits out of rows, a short text, and scikit-learn's way."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from heldout.core.dialect import argument
from heldout.core.errors import InputError
from heldout.core.notes import Line, Topic
from heldout.core.random import is_whole
from heldout.datasets.dataset import row_count
from heldout.procedures.rows import Rows

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from heldout.core.arrays import Array, Integers
    from heldout.procedures.splits import About, Splits

#: numbers beyond this count nothing that a table could have
LARGEST = 1_000_000_000_000
#: more fits than this are refused
MOST_SPLITS = 1_000_000
#: whole numbers with at most this many distinct values are taken for classes by ``split``
MOST_CLASSES = 20


#: parts of the texts of several procedures
TIMES = r"(?:(?P<repeats>\d+) ?(?:x|×|times) ?(?:repeated )?)?"
CV = r"(?: ?(?:cv|cross[- ]?validation))?"
#: how messages call the settings that modifiers make
SETTINGS = {
    "stratify": "stratified",
    "bins": "binned",
    "grouped": "grouped",
    "random_state": "given a seed",
}
COUNTED = "heldout.counted"


def whole(what: str, least: int) -> dict[str, tuple[str, int]]:
    """What is known of a field that is a whole number: how messages call it, and its least value.

    One whose default is None may be None.
    """
    return {COUNTED: (what, least)}


@dataclass(frozen=True, repr=False)
class Procedure:
    """A rule that says which rows train and which rows test.

    ``str`` gives the short text that ``parse_procedure`` reads. Any function of
    scikit-learn takes a procedure as ``cv=``.
    """

    #: whether a time column makes this procedure look into the future
    mixes_time: ClassVar[bool] = True
    #: patterns of its text in small letters, without modifiers; what they name are its fields
    written: ClassVar[tuple[str, ...]] = ()

    def __post_init__(self) -> None:
        for own in fields(self):
            value, counted = getattr(self, own.name), own.metadata.get(COUNTED)
            if counted and not (value is None and own.default is None):
                whole_number(value, *counted)
        if (count := self.split_count) > MOST_SPLITS:
            raise InputError(
                f"{self} has {count:,} splits, and each is a fit; at most {MOST_SPLITS:,} are made"
            )

    @classmethod
    def read(cls, given: str, found: Mapping[str, str], said: Mapping[str, Any]) -> Procedure:
        """The procedure of a text: of what a pattern found in it and what modifiers say."""
        known = {own.name for own in fields(cls)}
        if refused := [SETTINGS[name] for name in said if name not in known]:
            raise InputError(f"procedure {given!r} cannot be {' or '.join(refused)}")
        return cls(**cls._values(given, found), **said)

    @classmethod
    def _values(cls, given: str, found: Mapping[str, str]) -> dict[str, Any]:
        """Fields by what a pattern found: numbers, unless the procedure knows better."""
        return {name: int(value) for name, value in found.items() if value.isdigit()}

    @property
    def split_count(self) -> int:
        """How many splits there are, where the procedure alone says it; else 0."""
        return 0

    def splits(
        self,
        n: int,
        *,
        truth: Any = None,
        is_classification: bool = True,
        groups: Any = None,
        time: Any = None,
        folds: Any = None,
        classes: Sequence[Any] | None = None,
        identifiers: Any = None,
        seed: int = 0,
    ) -> Splits:
        """The splits of ``n`` rows.

        ``truth`` holds codes (or labels), or floats in regression; ``groups`` and ``folds``
        a value per row, or a column of codes and levels; ``classes`` the labels behind the
        codes, for messages; ``identifiers`` what names each row in a file of splits. A
        ``random_state`` of the procedure goes before ``seed``.
        """
        own = getattr(self, "random_state", None)
        seed = seed if own is None else own
        about = (truth, is_classification, classes, groups, time, folds, identifiers)
        return self._splits_of(Rows(int(n), seed, *about))

    def split(
        self, X: Any, y: Any = None, groups: Any = None
    ) -> Iterator[tuple[Integers, Integers]]:
        """Training and test rows of each split, as scikit-learn's functions ask for them.

        Without ``random_state`` the seed is 0. What a procedure stratifies by default are
        labels, and whole numbers with at most 20 distinct values.
        """
        for split in self._splits_for(X, y, groups):
            yield split.train, split.test

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """How many splits there are; some procedures need the rows to say."""
        return self.split_count or len(self._splits_for(X, y, groups))

    def _splits_for(self, X: Any, y: Any, groups: Any) -> Splits:
        """The splits of what scikit-learn's functions hand over."""
        if X is None and y is None:
            raise InputError(f"{self}: how many splits there are depends on X")
        truth, is_classification = _target(y)
        count = row_count(y if X is None else X)
        return self.splits(count, truth=truth, is_classification=is_classification, groups=groups)

    def get_metadata_routing(self) -> Any:
        """What scikit-learn's routing of metadata asks: groups are wanted."""
        from sklearn.utils.metadata_routing import MetadataRequest

        request = MetadataRequest(owner=self)
        request.split.add_request(param="groups", alias=True)
        return request

    def __str__(self) -> str:
        return " ".join((self._head(), *self._modifiers()))

    def __repr__(self) -> str:
        named = sorted(fields(self), key=lambda f: bool(f.kw_only))
        arguments = [
            f"{f.name}={value!r}"
            for f in named
            if (value := getattr(self, f.name)) != f.default or not f.kw_only
        ]
        return f"{type(self).__name__}({', '.join(arguments)})"

    def _head(self) -> str:
        raise NotImplementedError

    def _modifiers(self) -> tuple[str, ...]:
        return ()

    def _splits_of(self, rows: Rows) -> Splits:
        raise NotImplementedError

    def allows(self, rows: Rows) -> bool:
        """Whether rows can be split so."""
        try:
            self._splits_of(rows)
        except InputError:
            return False
        return True

    def _about(self, rows: Rows, *notes: str) -> About:
        """What all splits have to say of themselves, with notes of a procedure's own."""
        return str(self), rows.count, rows.seed, (*self._notes(rows), *notes)

    def _notes(self, rows: Rows) -> tuple[str, ...]:
        """What every procedure has to say of such rows."""
        notes: tuple[str, ...] = ()
        if rows.time is not None and self.mixes_time:
            mixed = f"{self} trains on rows later than its test rows; time 5 keeps the time order"
            notes += (Line(mixed, Topic.MIXED_TIME),)
        is_parted = getattr(self, "grouped", None) is False and rows.group_count < rows.count
        if is_parted and rows.groups is not None:
            notes += (f"{self} splits groups: their rows are in both training and test parts",)
        return notes


@dataclass(frozen=True, repr=False)
class Grouping(Procedure):
    """A procedure that may keep groups whole."""

    #: None: where groups are given
    grouped: bool | None = field(default=None, kw_only=True)

    def _modifiers(self) -> tuple[str, ...]:
        return () if self.grouped is None else ("grouped" if self.grouped else "ungrouped",)

    def _groups(self, rows: Rows) -> Integers | None:
        """The groups to keep whole: those given, unless they are not wanted."""
        if self.grouped and rows.groups is None:
            raise InputError(
                f"{self}: no groups are given; name their column or give them as "
                f"{argument('group')}"
            )
        return None if self.grouped is False else rows.groups

    def _units(self, rows: Rows) -> tuple[Integers, int, str]:
        """Contents whole: the unit of each row, how many units there are, and their word."""
        groups = self._groups(rows)
        if groups is None:
            return np.arange(rows.count), rows.count, "row"
        return groups, rows.group_count, "group"


def whole_number(value: Any, name: str, least: int) -> int:
    """The value as an int, or an error that says what it should be."""
    if not is_whole(value, least, LARGEST):
        raise InputError(f"{name} is a whole number from {least} to {LARGEST:,}, not {value!r}")
    return int(value)


def given_name(value: Any, what: str) -> str:
    """The name of a column or file, or an error where it is empty."""
    if not (name := str(value).strip()):
        raise InputError(f"{what} has a name")
    return name


def _target(y: Any) -> tuple[Array | None, bool]:
    """The target of scikit-learn's ``split``, and whether it looks like classes."""
    if y is None:
        return None, True
    truth = np.asarray(y)
    if truth.ndim == 2 and truth.shape[1] == 1:
        truth = truth[:, 0]
    if truth.ndim != 1:
        return None, False
    if truth.dtype.kind not in "iuf":
        return truth, True
    is_whole = truth.dtype.kind != "f" or bool((np.floor(truth) == truth).all())
    return truth, is_whole and len(np.unique(truth)) <= MOST_CLASSES
