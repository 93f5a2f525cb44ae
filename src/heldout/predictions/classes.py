"""Columns of labels, the classes of a problem in order, and the positive one."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from heldout.core.errors import InputError
from heldout.core.wording import listed, plural
from heldout.tables.factorize import factorize
from heldout.tables.labels import EXACT, NUMBER, WORDS, in_family, value_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from heldout.tables.column import Label, RawColumn
    from heldout.tables.labels import Family
    from heldout.tables.table import Part


__all__ = [
    "Classes",
    "LabelColumn",
    "bare",
    "common_family",
    "lookalikes",
    "many_numbers",
    "only_predicted",
    "paired",
    "positive_of",
    "refuse_disjoint",
    "refuse_spelled_missing",
    "stray_label",
    "unify",
]


@dataclass(frozen=True, eq=False)
class LabelColumn:
    """A column of labels: codes into the values as they were read."""

    part: Part
    name: str
    codes: NDArray[Any]
    levels: Sequence[Label]
    #: the levels that at least one row has
    occurring: Sequence[Label]
    #: the classes in order, where the source declares them
    declared: tuple[Label, ...] = ()

    @classmethod
    def of(cls, part: Part, name: str) -> LabelColumn:
        """The labels of a column without missing values."""
        column = part.column(name)
        if column.held == "durations":
            raise InputError(
                f"{part.called(name)} holds durations, which are no labels; give texts or numbers"
            )
        if column.kind == "category":
            return _category(part, column)
        few = _two_values(column.values)
        if column.kind == "float":
            _refuse_fractions(part, name, column.values, () if few is None else few[1])
        codes: NDArray[Any]
        codes, levels = factorize(column.values) if few is None else few
        if column.kind == "float":
            levels = tuple(int(level) for level in levels)
        return cls(part, name, codes, levels, levels)

    @cached_property
    def family(self) -> Family | Literal["numeric text", "boolean text"]:
        """What kind of labels these are, texts told apart by what they spell."""
        labels = self.declared or self.occurring
        kinds = {type(label) for label in labels}
        if kinds == {bool}:
            return "boolean"
        if kinds <= {int, float}:
            return "number"
        if kinds != {str}:
            raise InputError(
                f"{self.called} mixes texts with numbers ({listed(labels, most=5)}); "
                "write all labels in one way"
            )
        if all(NUMBER.fullmatch(str(label)) for label in labels):
            return "numeric text"
        if all(str(label).strip().casefold() in WORDS for label in labels):
            return "boolean text"
        return "text"

    @property
    def called(self) -> str:
        """How a message names the column."""
        if self.part.dialect == "arrays":
            return self.name
        return f"column {self.name!r} of {self.part.table.source}"

    def place(self, level: Label) -> str:
        """The first row that has a level."""
        return self.part.place(int(np.argmax(self.codes == list(self.levels).index(level))))


def _category(part: Part, column: RawColumn) -> LabelColumn:
    """The labels of a category.

    Plain texts come as categories too, with all their levels in ascending order; what no
    row of the table has, or is in another order, somebody declared.
    """
    levels = column.levels
    used = np.bincount(column.values, minlength=len(levels)) > 0
    occurring = [level for level, is_used in zip(levels, used, strict=True) if is_used]
    classes: list[Label] = list(levels)
    if _is_sorted(levels) and part.rows is not None:
        # rows that were left out leave no trace among the classes
        whole = part.table.columns[column.name]
        codes = whole.values if whole.missing is None else whole.values[~whole.missing]
        left_out = (np.bincount(codes, minlength=len(levels)) > 0) & ~used
        classes = [level for level, gone in zip(levels, left_out, strict=True) if not gone]
    is_declared = classes != occurring or not _is_sorted(levels)
    declared = tuple(classes) if is_declared else ()
    return LabelColumn(part, column.name, column.values, levels, occurring, declared)


def _is_sorted(levels: Sequence[Any]) -> bool:
    if len({type(level) for level in levels}) > 1:
        return False
    return all(a < b for a, b in pairwise(levels))


def _two_values(values: NDArray[Any]) -> tuple[NDArray[np.int8], tuple[Label, ...]] | None:
    """The codes of one or two numbers or truth values, the usual case, in a few quick passes."""
    if values.dtype.kind == "b":
        levels = (False,) * (not values.all()) + (True,) * bool(values.any())
        return (values if len(levels) == 2 else np.zeros_like(values)).view(np.int8), levels
    if values.dtype.kind not in "if":
        return None
    low, high = values.min().item(), values.max().item()
    if low == high:
        return np.zeros(len(values), np.int8), (low,)
    above = values != low
    none_between = values.dtype.kind == "i" and high - low == 1
    if not none_between and np.count_nonzero(above) != np.count_nonzero(values == high):
        return None
    return above.view(np.int8), (low, high)


def _refuse_fractions(
    part: Part, name: str, values: NDArray[np.float64], levels: tuple[Label, ...]
) -> None:
    if levels and all(float(x).is_integer() and abs(float(x)) <= EXACT for x in levels):
        return
    part.refuse(
        name,
        (values != np.floor(values)) | (np.abs(values) > EXACT),
        "no whole number, so no class label,",
        f"a score goes to {part.flag('score', None if part.dialect == 'arrays' else name)}, "
        f"a numeric target needs {part.flag('task', 'regression')}",
    )


def common_family(columns: Sequence[LabelColumn]) -> Family:
    """The one family all label columns can be read in; the first column is the truth."""
    if all(column.family in ("text", "numeric text", "boolean text") for column in columns):
        _refuse_lookalikes(columns)
        return "text"
    plain = next(column for column in columns if column.family in ("boolean", "number"))
    for column in columns:
        if column.family == "text":
            raise _mismatch(plain, column)
    truths = [column for column in columns if column.family in ("boolean", "boolean text")]
    if not truths:
        return "number"
    for column in columns:
        if any(value_of(level) not in (0, 1) for level in column.occurring):
            raise _mismatch(truths[0], column)
    return "boolean" if columns[0] in truths else "number"


def _mismatch(one: LabelColumn, other: LabelColumn) -> InputError:
    return InputError(
        f"the labels of {one.called} ({listed(one.occurring, most=4)}) and of {other.called} "
        f"({listed(other.occurring, most=4)}) are of different kinds; write both in one way"
    )


def _refuse_lookalikes(columns: Sequence[LabelColumn]) -> None:
    """Texts that spell one number or truth value in two ways would be two silent classes."""
    if any(column.family == "text" for column in columns):
        return
    seen: dict[tuple[str, Label], tuple[Label, LabelColumn]] = {}
    for column in columns:
        for level in column.occurring:
            first, owner = seen.setdefault((column.family, value_of(level)), (level, column))
            if first != level:
                raise InputError(
                    f"{first!r} ({owner.called}, {owner.place(first)}) and {level!r} "
                    f"({column.called}, {column.place(level)}) say the same in two ways; "
                    "write them alike"
                )


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


#: a label of one in so many rows may be a slip
RARE = 20

#: so many are named
MOST = 3


def bare(label: Label | None) -> str:
    """A label without its spaces and capitals.

    Examples
    --------
    >>> bare("Yes ")
    'yes'
    """
    return "".join(str(label).split()).casefold()


def stray_label(
    classes: Classes, truths: Sequence[LabelColumn], chosen: Sequence[LabelColumn]
) -> str:
    """The label of several that is most likely a slip, with its rows, as a clause; or nothing."""
    true, predicted = _counts(classes, truths), _counts(classes, chosen)
    both = true + predicted
    if len(both) < 3:
        return ""
    seen: dict[str, Label] = {}
    for label in sorted(both, key=lambda one: -both[one]):
        first = seen.setdefault(bare(label), label)
        if first != label:
            where = _first(classes, label, [*truths, *chosen])
            rows = plural(both[label], "row")
            return f"; {label!r}, of {rows} ({where}), is {first!r} but for case or spaces"
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
    never_true = _occurring(classes, chosen) - _occurring(classes, truths)
    untrue = [label for label in classes.labels if label in never_true]
    if not untrue:
        return []
    predicted = _counts(classes, chosen)
    said = [
        f"{label!r} in {plural(predicted[label], 'row')} ({_first(classes, label, chosen)})"
        for label in untrue[:MOST]
    ]
    more = f" and {len(untrue) - MOST:,} more" if len(untrue) > MOST else ""
    return [f"predicted, and the truth of no row: {', '.join(said)}{more}"]


def _occurring(classes: Classes, columns: Sequence[LabelColumn]) -> set[Label | None]:
    return {in_family(level, classes.family) for column in columns for level in column.occurring}


def _counts(classes: Classes, columns: Sequence[LabelColumn]) -> Counter[Label]:
    """How many rows have each label, over all tables."""
    found: Counter[Label] = Counter()
    for column in columns:
        counts = np.bincount(column.codes, minlength=len(column.levels)).tolist()
        for level, count in zip(column.levels, counts, strict=False):
            label = in_family(level, classes.family)
            if count and label is not None:
                found[label] += count
    return found


def _first(classes: Classes, label: Label, columns: Sequence[LabelColumn]) -> str:
    """The first row that has a label, in whichever table, and its table's name among several."""
    for column in columns:
        for level in column.occurring:
            if in_family(level, classes.family) == label:
                return f"first: {column.place(level)}"
    return ""


#: how programs spell a missing value, without case; a class may be called so, but must be declared
MISSING = {"", "na", "n/a", "#n/a", "<na>", "nan", "null", "nil"}

#: more distinct whole numbers than this may be amounts rather than classes
MANY = 12


def refuse_spelled_missing(column: LabelColumn, role: str) -> None:
    """A label such as NA or nan is a missing value, unless the reader declares it a class."""
    for level in column.occurring:
        if not isinstance(level, str) or level.strip().casefold() not in MISSING:
            continue
        part = column.part
        bad = column.codes == list(column.levels).index(level)
        fix = f"fill in the {role} of these rows or remove them"
        raise InputError(
            f"{part.complaint(column.name, bad, f'{level!r}, which spells a missing value,')}; "
            f"{fix} (if it is a class, name all classes with {part.flag('labels')})"
        )


def many_numbers(truth: LabelColumn) -> str:
    """A note where the classes are so many whole numbers that they may be amounts."""
    count = len(truth.occurring)
    if count <= MANY or truth.family != "number":
        return ""
    part = truth.part
    return (
        f"task: classification (guessed: {part.called(truth.name)} has {count:,} distinct whole "
        f"numbers, each taken as a class; if they are amounts, say "
        f"{part.flag('task', 'regression')})"
    )
