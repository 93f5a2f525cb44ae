"""The classes of a problem in order, found by any way of writing them; and the positive one."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.core.errors import InputError
from heldout.predictions.label_values import in_family, value_of
from heldout.predictions.labels import common_family
from heldout.predictions.part import listed
from heldout.predictions.stray_labels import bare

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from heldout.predictions.label_values import Family
    from heldout.predictions.labels import LabelColumn
    from heldout.predictions.table import Label

__all__ = ["Classes", "lookalikes", "paired", "positive_of", "refuse_disjoint", "unify"]

#: two classes of which the second is positive without anybody saying so
CLEAR_PAIRS: tuple[tuple[Label, Label], ...] = (
    (0, 1),
    (-1, 1),
    ("0", "1"),
    ("-1", "1"),
    ("0.0", "1.0"),
    ("-1.0", "1.0"),
    ("false", "true"),
    ("False", "True"),
    ("FALSE", "TRUE"),
)


@dataclass(frozen=True)
class Classes:
    """The classes in order."""

    labels: tuple[Label, ...]
    family: Family

    def __len__(self) -> int:
        return len(self.labels)

    @cached_property
    def _index(self) -> dict[Label, int]:
        return {label: i for i, label in enumerate(self.labels)}

    @cached_property
    def _by_value(self) -> dict[Label, int | None]:
        """The class of each value; None where two texts spell it."""
        found: dict[Label, int | None] = {}
        for i, label in enumerate(self.labels):
            value = value_of(label)
            found[value] = None if value in found else i
        return found

    def find(self, label: Label) -> int | None:
        """The position of a class, however it is written; None if there is none such."""
        if self.family == "text" and isinstance(label, str) and label in self._index:
            return self._index[label]
        return self._by_value.get(value_of(label))

    def extended(self, labels: Iterable[Label]) -> Classes:
        """With further classes in their place, or sorted at the end of a declared order."""
        new: list[Any] = [label for label in dict.fromkeys(labels) if label not in self._index]
        if not new:
            return self
        old: list[Any] = list(self.labels)
        joined = sorted(old + new) if old == sorted(old) else old + sorted(new)
        return Classes(tuple(joined), self.family)

    def code(self, column: LabelColumn) -> NDArray[np.signedinteger[Any]]:
        """The position of each row's class, in the smallest type that holds it."""
        size = len(self.labels)
        small = np.int8 if size <= 2**7 else np.int16 if size <= 2**15 else np.int32
        # a declared level that no row has may be no class at all
        read = (in_family(level, self.family) for level in column.levels)
        places = [-1 if label is None else self._index.get(label, -1) for label in read]
        if places == list(range(len(places))):
            return column.codes.astype(small, copy=False)
        return np.array(places, small)[column.codes]


def unify(
    columns: Sequence[LabelColumn], labels: Sequence[Label] | None
) -> tuple[Classes, list[str]]:
    """The classes of the label columns (the first is a truth), and notes on unused ones.

    The order is the declared one, else that of a category, else sorted.
    """
    family = common_family(columns)
    read = {in_family(level, family) for column in columns for level in column.occurring}
    occurring: list[Any] = sorted(read)
    if labels is not None:
        return _declared(columns, Classes(tuple(occurring), family), labels), []
    order: list[Label | None] = []
    category = next((column for column in columns if column.declared), None)
    if category is not None:
        order = [in_family(level, family) for level in category.declared]
    rest = [False, True] if family == "boolean" else occurring
    joined = tuple(label for label in dict.fromkeys([*order, *rest]) if label is not None)
    unused = [label for label in joined if label not in read] if category is not None else []
    if category is None or not unused:
        return Classes(joined, family), []
    note = f"classes without rows: {listed(unused)} (levels of {category.called})"
    return Classes(joined, family), [note]


def _declared(
    columns: Sequence[LabelColumn], occurring: Classes, labels: Sequence[Label]
) -> Classes:
    """The classes as the reader declares them, which must hold every label of the data."""
    part = columns[0].part
    order: dict[Label, None] = {}
    for label in labels:
        found = occurring.find(label)
        known = in_family(label, occurring.family) if found is None else occurring.labels[found]
        if known is None:
            raise InputError(
                f"{part.flag('labels')}: {label!r} is not of the kind of the labels of "
                f"{columns[0].called} ({listed(occurring.labels, most=5)})"
            )
        if known in order:
            raise InputError(f"{part.flag('labels')} names the class {label!r} twice")
        order[known] = None
    missing = set(occurring.labels) - order.keys()
    for column in columns if missing else ():
        for level in column.occurring:
            if in_family(level, occurring.family) in missing:
                raise InputError(
                    f"{column.called}: label {level!r} (first: {column.place(level)}) is not "
                    f"among {part.flag('labels')} {listed(labels)}; add it there"
                )
    return Classes(tuple(order), occurring.family)


def refuse_disjoint(truth: LabelColumn, predicted: LabelColumn, classes: Classes) -> None:
    """Truth and predictions that share no label speak of different things."""
    if classes.family == "boolean":
        return
    true = {in_family(level, classes.family) for level in truth.occurring}
    others = {in_family(level, classes.family) for level in predicted.occurring}
    if true & others or any(true | others <= set(pair) for pair in CLEAR_PAIRS):
        return
    if truth.declared and others <= {in_family(x, classes.family) for x in truth.declared}:
        return
    alike = {bare(label) for label in true} & {bare(label) for label in others}
    fix = (
        "they differ in case or spaces alone, so write them alike"
        if alike
        else f"if they belong together, declare all classes with {truth.part.flag('labels')}"
    )
    raise InputError(
        f"the labels of {truth.called} ({listed(truth.occurring, most=5)}) and of "
        f"{predicted.called} ({listed(predicted.occurring, most=5)}) have none in common; {fix}"
    )


def lookalikes(classes: Classes) -> list[str]:
    """A note where two classes differ in case or spaces alone: likely one class, written twice."""
    if classes.family != "text":
        return []
    seen: dict[str, Label] = {}
    for label in classes.labels:
        first = seen.setdefault(bare(label), label)
        if first != label:
            return [
                f"classes {first!r} and {label!r} differ in case or spaces alone, and are counted "
                "as two"
            ]
    return []


def paired(classes: Classes, positive: Label | None) -> Classes:
    """The only class with its natural other one: 0 with 1, -1 with 1, false with true."""
    for pair in CLEAR_PAIRS:
        if classes.labels[0] not in pair or isinstance(classes.labels[0], str) != isinstance(
            pair[0], str
        ):
            continue
        both = Classes(pair, classes.family)
        if positive is None or both.find(positive) is not None:
            return both
    return classes


def positive_of(
    classes: Classes,
    given: Label | None,
    truth: LabelColumn,
    score: str | None,
    others: Sequence[LabelColumn] = (),
    *,
    stray: str = "",
    is_needed: bool = True,
) -> tuple[int | None, str]:
    """The position of the positive class of two, and a note where nobody said which it is.

    ``others`` are the truths of further tables, ``stray`` says of a label that it may be a slip.
    Where it cannot be told that is an error, or, unless it ``is_needed``, None.
    """
    part = truth.part
    if given is not None:
        found = classes.find(given)
        if found is None:
            raise InputError(
                f"{part.flag('positive', given)}: no such label in {truth.called} "
                f"(labels: {listed(classes.labels)})"
            )
        if len(classes) != 2:
            raise InputError(
                f"{part.flag('positive', given)} is for two classes, and {truth.called}"
                f"{' has' if not others else ', with that of the other tables, has'} "
                f"{len(classes):,}: {listed(classes.labels)}{stray}"
                + (f"; declare both with {part.flag('labels')}" if len(classes) == 1 else "")
            )
        return found, ""
    if len(classes) != 2:
        return None, ""
    values = sorted(value_of(label) for label in classes.labels if value_of(label) in (-1, 0, 1))
    if values in ([0, 1], [-1, 1]):
        found = classes.find(1)
        assert found is not None
        low, high = sorted(classes.labels, key=value_of)
        return found, f"positive: {high!r} (the labels are {low!r} and {high!r})"
    if not is_needed:
        return None, ""
    # the class a score column is named after is the likely one, but not known to be
    choice = sorted(classes.labels, key=lambda label: not (score or "").endswith(str(label)))
    raise InputError(
        f"{truth.called} has two classes, {listed(classes.labels)}: say which one is positive, "
        f"{part.flag('positive', choice[0])} or {part.flag('positive', choice[1])}"
    )
