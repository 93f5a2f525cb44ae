"""Splits of others as a procedure: a splitter of scikit-learn, or listed rows."""

from __future__ import annotations

import warnings
from copy import deepcopy
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.core.errors import InputError
from heldout.core.wording import shown
from heldout.procedures.balance import parted_groups
from heldout.procedures.procedure import Procedure
from heldout.procedures.structure import arranged_splits, numbered, recognised

if TYPE_CHECKING:
    from heldout.procedures.rows import Rows
    from heldout.procedures.splits import Splits


@dataclass(frozen=True, repr=False)
class FromSplitter(Procedure):
    """A splitter with scikit-learn's ``split``, or pairs of training and test rows.

    A splitter that shuffles and has no ``random_state`` of its own is given the seed.
    """

    splitter: Any

    def __post_init__(self) -> None:
        if isinstance(self.splitter, type):
            name = self.splitter.__name__
            raise InputError(f"{name} is a class, and no procedure; give one of its kind: {name}()")
        if hasattr(self.splitter, "split") and not isinstance(self.splitter, str):
            return
        try:
            pairs = tuple((np.asarray(train), np.asarray(test)) for train, test in self.splitter)
        except (TypeError, ValueError):
            raise InputError(
                f"{shown(self.splitter)} is not a procedure: it has no split(X, y, groups), and is "
                "no list of training and test rows"
            ) from None
        object.__setattr__(self, "splitter", tuple((_numbers(a), _numbers(b)) for a, b in pairs))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, FromSplitter) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """How many splits there are."""
        if isinstance(self.splitter, tuple):
            return len(self.splitter)
        return int(self.splitter.get_n_splits(X, y, groups))

    def _key(self) -> Any:
        if not isinstance(self.splitter, tuple):
            return repr(self.splitter)
        return tuple((train.tobytes(), test.tobytes()) for train, test in self.splitter)

    def _head(self) -> str:
        if isinstance(self.splitter, tuple):
            return f"{len(self.splitter)} given splits"
        return " ".join(repr(self.splitter).split())

    def _splits_of(self, rows: Rows) -> Splits:
        notes = self._notes(rows)
        pairs = self.splitter
        if not isinstance(pairs, tuple):
            splitter, is_seeded = _with_seed(self.splitter, rows.seed)
            notes += (f"{self} was given the seed {rows.seed}",) if is_seeded else ()
            pairs, warned = self._pairs(splitter, rows)
            notes += warned
        about = (str(self), rows.count, rows.seed, notes)
        limit = max((int(part.max(initial=-1)) for pair in pairs for part in pair), default=-1)
        if limit >= rows.count:
            raise InputError(f"{self}: row {limit + 1} is asked for, of {rows.count} rows")
        splits = arranged_splits(about, numbered(pairs, rows.count))
        seen = recognised(splits, rows.time, rows.groups)
        # scikit-learn's own says by its name what it is
        if seen and type(self.splitter).__name__ != "TimeSeriesSplit":
            splits = replace(splits, procedure=f"{seen} ({splits.procedure})")
            notes += (f"{self}: taken for {seen}, as the rows show",)
        if rows.groups is not None and (count := parted_groups(splits, rows.groups)):
            notes += (f"{self} trains on and tests the same group {count:,} times",)
        return replace(splits, notes=notes)

    def _pairs(self, splitter: Any, rows: Rows) -> tuple[list[Any], tuple[str, ...]]:
        """Training and test rows of a splitter, and what it warned of."""
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                splits = splitter.split(np.zeros((rows.count, 1)), rows.truth, rows.groups)
                pairs = [(_numbers(train), _numbers(test)) for train, test in splits]
            except InputError:
                raise
            except (TypeError, ValueError) as error:
                raise InputError(f"{self} cannot split these rows: {error}") from error
        messages = dict.fromkeys(" ".join(str(warning.message).split()) for warning in caught)
        return pairs, tuple(messages)


def _numbers(rows: Any) -> Any:
    """Row numbers; a mask is turned into them."""
    array = np.asarray(rows)
    if array.dtype == bool and array.ndim == 1:
        return np.flatnonzero(array)
    if array.ndim != 1 or (array.dtype.kind not in "iu" and len(array)):
        what = array.dtype if array.ndim == 1 else shown(rows)
        raise InputError(f"rows of a split are whole numbers or a mask, not {what}")
    return array.astype(np.int64)


def _with_seed(splitter: Any, seed: int) -> tuple[Any, bool]:
    """A copy that will split alike each time."""
    copied = deepcopy(splitter)
    is_random = hasattr(copied, "random_state") and getattr(copied, "shuffle", True)
    if is_random and copied.random_state is None:
        copied.random_state = seed
        return copied, True
    return copied, False
