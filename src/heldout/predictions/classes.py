"""The classes of a problem in order, found by any way of writing them; and the positive one."""

from __future__ import annotations

import unicodedata
from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.core.errors import InputError
from heldout.core.wording import listed, plural
from heldout.predictions.labels import LabelColumn, common_family
from heldout.tables.labels import in_family, small_code, value_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from heldout.core.arrays import Array
    from heldout.tables.column import Label
    from heldout.tables.labels import Family

#: in what labels may differ that are likely one, and the kinds of characters that nobody sees
SLIGHT = "case, spaces or invisible characters"
HIDDEN = ("Cf", "Cc")
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
        position_of: dict[Label, int | None] = {}
        for i, label in enumerate(self.labels):
            value = value_of(label)
            position_of[value] = None if value in position_of else i
        return position_of

    def find(self, label: Label) -> int | None:
        """The position of a class, however it is written; None if there is none such."""
        if self.family == "text" and isinstance(label, str) and label in self._index:
            return self._index[label]
        return self._by_value.get(value_of(label))

    def read(self, label: Label) -> Label | None:
        """The class that a label means, which may be a further one; None if it can be none."""
        position = self.find(label)
        return in_family(label, self.family) if position is None else self.labels[position]

    def extend(self, labels: Iterable[Label]) -> Classes:
        """With further classes in their place, or sorted at the end of a declared order."""
        new: list[Any] = [label for label in dict.fromkeys(labels) if label not in self._index]
        if not new:
            return self
        old: list[Any] = list(self.labels)
        joined = sorted(old + new) if old == sorted(old) else old + sorted(new)
        return Classes(tuple(joined), self.family)

    def among(self, columns: Iterable[LabelColumn]) -> set[Label | None]:
        """The labels that rows of some columns have, as classes of this kind."""
        return {in_family(level, self.family) for column in columns for level in column.occurring}

    def code(self, column: LabelColumn) -> Array:
        """The position of each row's class, in the smallest type that holds it."""
        small = small_code(len(self.labels))
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
        return _in_declared_order(columns, Classes(tuple(occurring), family), labels), []
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


def _in_declared_order(
    columns: Sequence[LabelColumn], occurring: Classes, labels: Sequence[Label]
) -> Classes:
    """The classes as the reader declares them, which must hold every label of the data."""
    part = columns[0].part
    order: dict[Label, None] = {}
    for label in labels:
        known = occurring.read(label)
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
    true, others = classes.among([truth]), classes.among([predicted])
    if true & others or any(true | others <= set(pair) for pair in CLEAR_PAIRS):
        return
    if truth.declared and others <= {in_family(x, classes.family) for x in truth.declared}:
        return
    alike = {_bare(label) for label in true} & {_bare(label) for label in others}
    fix = (
        f"they differ only in {SLIGHT}, so write them alike"
        if alike
        else f"if they belong together, declare all classes with {truth.part.flag('labels')}"
    )
    raise InputError(
        f"the labels of {truth.called} ({listed(truth.occurring, most=5)}) and of "
        f"{predicted.called} ({listed(predicted.occurring, most=5)}) have none in common; {fix}"
    )


def lookalikes(classes: Classes) -> list[str]:
    """A note where two classes look the same but for case: likely one class, written twice."""
    if classes.family != "text":
        return []
    pair = _alike(classes.labels)
    if pair is None:
        return []
    first, label = pair
    return [f"classes {first!r} and {label!r} differ only in {SLIGHT}, and are counted as two"]


def with_other_class(classes: Classes, positive: Label | None) -> Classes:
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


def usual_positive(labels: Iterable[Label]) -> Label | None:
    """The label that is positive though nobody says so: 1, where the other one is 0 or -1.

    Examples
    --------
    >>> usual_positive(["0", "1"]), usual_positive(["True", "False"]), usual_positive(["a", "b"])
    ('1', 'True', None)
    """
    known = {value_of(label): label for label in labels}
    return known[1] if set(known) in ({0, 1}, {-1, 1}) else None


def positive_of(
    classes: Classes,
    asked: Label | None,
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
    if asked is not None:
        position = classes.find(asked)
        if position is None:
            raise InputError(
                f"{part.flag('positive', asked)}: no such label in {truth.called} "
                f"(labels: {listed(classes.labels)})"
            )
        if len(classes) != 2:
            raise InputError(
                f"{part.flag('positive', asked)} is for two classes, and {truth.called}"
                f"{' has' if not others else ', with that of the other tables, has'} "
                f"{len(classes):,}: {listed(classes.labels)}{stray}"
                + (f"; declare both with {part.flag('labels')}" if len(classes) == 1 else "")
            )
        return position, ""
    if len(classes) != 2:
        return None, ""
    if usual_positive(classes.labels) is not None:
        position = classes.find(1)
        assert position is not None
        low, high = sorted(classes.labels, key=value_of)
        return position, f"positive: {high!r} (the labels are {low!r} and {high!r})"
    if not is_needed:
        return None, ""
    # the class a score column is named after is the likely one, but not known to be
    choice = sorted(classes.labels, key=lambda label: not (score or "").endswith(str(label)))
    raise InputError(
        f"{truth.called} has two classes, {listed(classes.labels)}: choose the positive one with "
        f"{part.flag('positive', choice[0])} or {part.flag('positive', choice[1])}"
    )


#: a label of one in so many rows may be a slip
RARE = 20
#: so many are named
MOST = 3


def _bare(label: Label | None) -> str:
    r"""A label without its spaces, capitals and invisible signs, and letters in one spelling.

    Examples
    --------
    >>> _bare("Yes "), _bare("e\u0301\u200b") == _bare("\u00e9")
    ('yes', True)
    """
    text = unicodedata.normalize("NFKC", str(label))
    seen = (c for c in text if not c.isspace() and unicodedata.category(c) not in HIDDEN)
    return "".join(seen).casefold()


def _alike(labels: Iterable[Label]) -> tuple[Label, Label] | None:
    """The first label that is another one but for what is slight, after that other one."""
    seen: dict[str, Label] = {}
    pairs = ((seen.setdefault(_bare(label), label), label) for label in labels)
    return next((pair for pair in pairs if pair[0] != pair[1]), None)


def stray_label(
    classes: Classes, truths: Sequence[LabelColumn], chosen: Sequence[LabelColumn]
) -> str:
    """The label of several that is most likely a slip, with its rows, as a clause; or nothing."""
    true, predicted = _counts(classes, truths), _counts(classes, chosen)
    both = true + predicted
    if len(both) < 3:
        return ""
    if pair := _alike(sorted(both, key=lambda label: -both[label])):
        first, label = pair
        where = _first(classes, label, [*truths, *chosen])
        rows = plural(both[label], "row")
        return f"; {label!r}, of {rows} ({where}), is {first!r} but for {SLIGHT}"
    untrue = [label for label in predicted if not true[label]]
    if untrue:
        rows = plural(predicted[untrue[0]], "row")
        where = _first(classes, untrue[0], chosen)
        return f"; {untrue[0]!r} is predicted in {rows} ({where}) and is the truth of none"
    rarest = min(true, key=lambda label: true[label])
    if RARE * true[rarest] > true.total():
        return ""
    where = _first(classes, rarest, truths)
    return f"; {rarest!r} is the truth of {plural(true[rarest], 'row')} only ({where})"


def only_predicted(
    classes: Classes, truths: Sequence[LabelColumn], chosen: Sequence[LabelColumn]
) -> list[str]:
    """A note on classes that are predicted and that no row truly has: slips, or rare ones."""
    never_true = classes.among(chosen) - classes.among(truths)
    untrue = [label for label in classes.labels if label in never_true]
    if not untrue:
        return []
    predicted = _counts(classes, chosen)
    examples = [
        f"{label!r} in {plural(predicted[label], 'row')} ({_first(classes, label, chosen)})"
        for label in untrue[:MOST]
    ]
    more = f" and {len(untrue) - MOST:,} more" if len(untrue) > MOST else ""
    return [f"predicted, but never the true class: {', '.join(examples)}{more}"]


def _counts(classes: Classes, columns: Sequence[LabelColumn]) -> Counter[Label]:
    """How many rows have each label, over all tables."""
    rows_of: Counter[Label] = Counter()
    for column in columns:
        counts = np.bincount(column.codes, minlength=len(column.levels)).tolist()
        for level, count in zip(column.levels, counts, strict=False):
            label = in_family(level, classes.family)
            if count and label is not None:
                rows_of[label] += count
    return rows_of


def _first(classes: Classes, label: Label, columns: Sequence[LabelColumn]) -> str:
    """The first row that has a label, in whichever table, and its table's name among several."""
    for column in columns:
        for level in column.occurring:
            if in_family(level, classes.family) == label:
                return f"first: {column.place(level)}"
    return ""
