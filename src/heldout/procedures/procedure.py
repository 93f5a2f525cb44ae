"""The common form of all procedures: splits out of rows, a short text, and scikit-learn's way."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from heldout.core.errors import InputError
from heldout.core.notes import Line, Topic
from heldout.datasets.dataset import row_count
from heldout.procedures.rows import Rows, rows_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from heldout.core.arrays import Array, Integers
    from heldout.procedures.splits import About, Splits

#: numbers beyond this count nothing that a table could have
LARGEST = 1_000_000_000_000
#: more fits than this are refused
MOST_SPLITS = 1_000_000
#: whole numbers with at most this many distinct values are taken for classes by ``split``
MOST_CLASSES = 20


@dataclass(frozen=True, repr=False)
class Procedure:
    """A rule that says which rows train and which rows test.

    ``str`` gives the short text that ``parse_procedure`` reads. Any function of
    scikit-learn takes a procedure as ``cv=``.
    """

    #: whether a time column makes this procedure look into the future
    mixes_time: ClassVar[bool] = True

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
        a value a row, or a column of codes and levels; ``classes`` the labels behind the
        codes, for messages; ``identifiers`` what names each row in a file of splits. A
        ``random_state`` of the procedure goes before ``seed``.
        """
        own = getattr(self, "random_state", None)
        return self._splits_of(
            rows_of(
                n,
                truth=truth,
                is_classification=is_classification,
                classes=classes,
                groups=groups,
                time=time,
                folds=folds,
                identifiers=identifiers,
                seed=seed if own is None else own,
            )
        )

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
        return len(self._splits_for(X, y, groups))

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

    def _refuse_many(self, splits: int) -> None:
        """An error where a procedure has more splits than anybody could fit a model in."""
        if splits > MOST_SPLITS:
            raise InputError(
                f"{self} has {splits:,} splits, and each is a fit; at most {MOST_SPLITS:,} are made"
            )

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


def whole_number(value: Any, name: str, least: int) -> int:
    """The value as an int, or an error that says what it should be."""
    is_whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    if not is_whole or not least <= value <= LARGEST:
        raise InputError(f"{name} is a whole number from {least} to {LARGEST:,}, not {value!r}")
    return int(value)


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
