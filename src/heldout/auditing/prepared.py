"""K06: preparation (scaling, filling in, encoding) that was fitted on all rows, test rows too."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from heldout.auditing.check import Seen, Unseen, check, some, too_large
from heldout.core.wording import plural

if TYPE_CHECKING:
    from collections.abc import Iterator

    from heldout.auditing.material import Material
    from heldout.core.arrays import Array, Floats
    from heldout.datasets.dataset import Dataset

    Pair = tuple[str, Array, Array]

#: predictions of fewer rows may be right by chance
FEW_PREDICTIONS = 20


def _needs(material: Material) -> str:
    if material.sides or material.data is not None or material.predictions:
        return ""
    return "needs training and test tables, data, or predictions"


@check(
    "K06",
    "preprocessing used the test rows",
    "warning",
    why=(
        "Means, ranges or imputed values computed from all rows carry the test rows into training; "
        "computed from the test rows alone, they are not those the model was trained with."
    ),
    fix=(
        "Give raw columns and let the pipeline preprocess them, fitted on the training rows only."
    ),
    needs=_needs,
)
def seen_by_preparation(material: Material) -> Iterator[Seen | Unseen]:
    """Columns scaled, filled in or encoded by test rows, or predictions right on every row."""
    if large := too_large(material, is_all=not material.predictions):
        yield large
    elif material.sides is not None:
        yield from _prepared_tables(*material.sides)
    if material.data is not None and not large:
        yield from _prepared_data(material.data)
    for p in material.predictions:
        if p.task == "regression" and p.predicted is not None and len(p) >= FEW_PREDICTIONS:
            exact = int((p.predicted == p.truth).sum())
            if exact == len(p) and len(np.unique(p.truth[:1000])) > 10:
                yield Seen(
                    f"all {exact:,} predictions equal the truth to the last digit, as if the "
                    "model had been trained on these rows",
                    p.model,
                )


#: of one column a scaling may be a coincidence
FEW_COLUMNS = 2
#: scalings that the test rows cannot show by chance, whatever the training rows do
SURE = ("standard", "centred", "robust")
#: scalings that show by both ends of the values
ENDS = ("range",)


def _prepared_tables(train: Dataset, test: Dataset) -> Iterator[Seen | Unseen]:
    """What the columns of two tables show of preparation that has seen the test rows."""
    theirs = {f.name: np.asarray(f.values, float) for f in test.features if not f.is_nominal}
    pairs: list[Pair] = [
        (f.name, np.asarray(f.values, float), theirs[f.name])
        for f in train.features
        if not f.is_nominal and f.name in theirs
    ]
    other = [f for f in train.features if not f.is_nominal and f.name not in theirs]
    if other and not pairs:
        yield Unseen("no column holds numbers on both sides", is_all=True)
        return
    if other:
        names = [feature.name for feature in other]
        yield Unseen(f"{plural(len(other), 'column')} of training rows only: {some(names)}")
    yield from _scaled(pairs)
    yield from _filled(pairs)
    yield from _encoded(pairs, train, test)


def _prepared_data(data: Dataset) -> Iterator[Seen]:
    """What one table shows that was prepared before any split: mild, but for the target."""
    numbers = [f for f in data.features if not f.is_nominal]
    scalings = [(f.name, scaling_of(f.values)) for f in numbers]
    for kind, words in SCALINGS.items():
        names = [name for name, scaling in scalings if scaling == kind]
        if len(names) >= FEW_COLUMNS:
            yield Seen(
                f"{len(names)} columns have {words} over all rows ({some(names)}): they were "
                "scaled before any split",
                severity="note",
                columns=names,
            )
    fillings = [filling for f in numbers for filling in filled_values(f.name, f.values)]
    if fillings:
        yield Seen(
            f"{_fillings(fillings)}, of all rows: missing values were filled in before any split",
            severity="note",
            columns=_names(fillings),
        )
    target = _target(data)
    if target is not None:
        names = [f.name for f in numbers if are_target_means(np.asarray(f.values, float), target)]
        if names:
            yield Seen(
                f"each value of {plural(len(names), 'column')} is the mean of the target over "
                f"the rows that have it ({some(names)}): the target was encoded over all rows",
                columns=names,
            )


def _scaled(pairs: list[Pair]) -> Iterator[Seen]:
    both: dict[str, list[str]] = {}
    alone: dict[str, list[str]] = {}
    ours: dict[str, int] = {}
    for name, train, test in pairs:
        joint, single = scaling_of(np.concatenate([train, test])), scaling_of(test)
        trained = scaling_of(train)
        if joint:
            both.setdefault(joint, []).append(name)
            # a training side that holds one end of a range has a largest value of 1 as well
            is_trained = trained == joint if joint in ENDS else bool(trained)
            ours[joint] = ours.get(joint, 0) + is_trained
        # of a range over both sides each side may have one end
        is_own = single in SURE or (single == trained and not joint)
        if single and is_own and not _is_same(train, test):
            alone.setdefault(single, []).append(name)
    for kind, names in both.items():
        # what the training rows show by themselves was fitted on them, as it should be
        if len(names) >= FEW_COLUMNS and ours[kind] < len(names):
            yield Seen(
                f"{len(names)} columns have {SCALINGS[kind]} over training and test rows together, "
                f"{len(names) - ours[kind]} of them not over the training rows ({some(names)})",
                columns=names,
            )
    for kind, names in alone.items():
        if len(names) >= FEW_COLUMNS:
            yield Seen(
                f"{len(names)} columns have {SCALINGS[kind]} over the test rows by themselves "
                f"({some(names)}): each side was scaled by its own rows",
                columns=names,
            )


def _is_same(train: Array, test: Array) -> bool:
    """Whether both sides have the same values, which is another fault."""
    return len(train) == len(test) and bool(np.array_equal(np.sort(train), np.sort(test), True))


def _filled(pairs: list[Pair]) -> Iterator[Seen]:
    joint: list[Filling] = []
    alone: list[Filling] = []
    for name, train, test in pairs:
        joint += _not_of(train, name, np.concatenate([train, test]))
        known = {filling.value for filling in joint}
        own = [filling for filling in _not_of(train, name, test) if filling.value not in known]
        alone += own if own and not _is_same(train, test) else []
    if joint:
        yield Seen(
            f"{_fillings(joint)}, of training and test rows together and not of the training "
            "rows: missing values were filled in from all rows",
            columns=_names(joint),
        )
    if alone:
        yield Seen(
            f"{_fillings(alone)}, of the test rows by themselves: missing "
            f"values were filled in from the test rows",
            columns=_names(alone),
        )


def _not_of(train: Array, name: str, values: Array) -> list[Filling]:
    """What some values were filled with that is no middle of the training rows, of any kind."""
    # a mean may well have as many values below it as above, in one side or another
    return [
        filling
        for filling in filled_values(name, values)
        if not any(is_middle(filling.value, train, kind) for kind in KINDS)
    ]


def _names(fillings: list[Filling]) -> list[str]:
    return list(dict.fromkeys(filling.column for filling in fillings))


def _fillings(fillings: list[Filling]) -> str:
    texts = [f"{f.column}: {f.value:.6g}, {f.count:,} times, the {f.kind}" for f in fillings]
    many = f"{len(fillings)} values repeat and are" if len(texts) > 1 else "a value repeats and is"
    return f"{many} the middle of the others ({some(texts)})"


def _encoded(pairs: list[Pair], train: Dataset, test: Dataset) -> Iterator[Seen]:
    ours, theirs = _target(train), _target(test)
    if ours is None or theirs is None or train.classes != test.classes:
        return
    joint = np.concatenate([ours, theirs])
    names = [
        name
        for name, first, other in pairs
        if are_target_means(np.concatenate([first, other]), joint)
        and not are_target_means(first, ours)
    ]
    if names:
        yield Seen(
            f"each value of {plural(len(names), 'column')} is the mean of the target over the "
            f"training and test rows that have it ({some(names)}): the target of the test rows was "
            "encoded",
            columns=names,
            severity="error",
        )


def _target(data: Dataset) -> Floats | None:
    """The target as a number: itself, or whether it is the second of two classes."""
    if data.task == "regression":
        return np.asarray(data.truth, float)
    return np.asarray(data.truth, float) if len(data.classes) == 2 else None


#: distinct values that must all be means, and rows a value on average
FEW_LEVELS, A_LEVEL = 4, 3
#: rows by which columns that are no such means are told at once
FIRST = 1000


def are_target_means(values: Array, target: Floats) -> bool:
    """Whether each value of a column is the mean of the target over the rows that have it.

    The mean may be smoothed: as if some more rows of each value had the mean of all rows.

    Examples
    --------
    >>> target = np.array([0, 0, 1, 0, 0, 0, 1, 1, 0, 0, 1, 1, 1, 1.0])
    >>> are_target_means(np.repeat([1 / 3, 0, 2 / 3, 0.8], [3, 3, 3, 5]), target)
    True
    >>> are_target_means(np.repeat([1 / 3, 0, 2 / 3, 0.7], [3, 3, 3, 5]), target)
    False
    """
    if len(np.unique(values[:FIRST])) * A_LEVEL > min(len(values), FIRST):
        return False
    known = ~np.isnan(values)
    distinct, codes, counts = np.unique(values[known], return_inverse=True, return_counts=True)
    spread = float(target.std())
    if len(distinct) < FEW_LEVELS or len(distinct) * A_LEVEL > known.sum() or not spread:
        return False
    # a copy of the target is its own mean
    if np.isin(distinct, (target.min(), target.max())).all():
        return False
    # of two classes either may have been counted
    turned = target.min() + target.max() - target if len(np.unique(target)) == 2 else target
    for own in (target, turned):
        above = np.bincount(codes, own[known]) / counts - distinct
        # smoothed by so many rows that have the mean of all, which draw each level there
        pull = (distinct - own.mean()) / counts
        added = max(float(above @ pull / (pull @ pull)), 0.0)
        if (np.abs(above - added * pull) <= EXACT * spread).all():
            return True
    return False


#: the kinds of scaling and how they show
SCALINGS = {
    "standard": "mean 0 and a fixed spread, to the sixth digit,",
    "centred": "mean 0, to the ninth digit,",
    "range": "a range of exactly 0 to 1 (or -1 to 1), each end once,",
    "robust": "median 0 and a middle half of width 1, to the sixth digit,",
    "largest": "a largest absolute value of exactly 1, once,",
}
#: with fewer rows, or so few distinct values, a range of 0 to 1 is what many columns have
FEW_ROWS, FEW_VALUES = 20, 20
#: how exactly a mean and a spread must be met to be no chance
EXACT, VERY_EXACT = 1e-6, 1e-9
#: what the scaling of a value rounds off at most
ROUNDED = 1e-12
#: of very many rows some say roughly where the quartiles are
SOME = 10_000
#: how far the median and the middle half of some rows may be off those of all
ROUGHLY = 0.2


def _is(value: float, end: float) -> bool:
    """Whether an end is met, but for what scaling rounds."""
    return abs(value - end) < ROUNDED


def _nearly_robust(values: Array) -> bool:
    """Whether median and quartiles of some rows are such that those of all may be 0 and 1 apart."""
    few = values[:: max(1, len(values) // SOME)]
    few = few[~np.isnan(few)]
    if len(few) < SOME // 2:
        # of few rows the whole may be quite another
        return True
    low, middle, high = np.quantile(few, (0.25, 0.5, 0.75))
    return bool(abs(middle) < ROUGHLY and abs(high - low - 1) < ROUGHLY)


def scaling_of(values: Array) -> str:
    """The kind of scaling that a column shows, or nothing."""
    known = np.asarray(values, float)
    known = known[~np.isnan(known)]
    rows = len(known)
    if rows < FEW_ROWS or len(np.unique(known[:1000])) <= FEW_VALUES:
        return ""
    low, high = float(known.min()), float(known.max())
    if _is(high, 1) and (_is(low, 0) or _is(low, -1)):
        once = all(int((np.abs(known - end) < ROUNDED).sum()) == 1 for end in (low, high))
        return "range" if once and not _is_coarse(known) else ""
    mean, spread = float(known.mean()), float(known.std())
    if abs(mean) <= EXACT * spread and _is_fixed(spread, rows):
        return "standard"
    # whole numbers may well add up to 0
    if abs(mean) <= VERY_EXACT * spread and not (known == np.floor(known)).all():
        return "centred"
    if _is_robust(known):
        return "robust"
    if _is(max(-low, high), 1) and int((np.abs(known) > 1 - ROUNDED).sum()) == 1:
        return "" if _is_coarse(known) else "largest"
    return ""


def _is_robust(values: Array) -> bool:
    """Whether the median is 0 and the quartiles are 1 apart, of values that are not coarse."""
    if not _nearly_robust(values):
        return False
    low, middle, high = np.quantile(values, (0.25, 0.5, 0.75))
    return bool(abs(middle) < EXACT and abs(high - low - 1) < EXACT and not _is_coarse(values))


def _is_coarse(values: Array) -> bool:
    """Whether values are whole thousandths, as shares are that somebody wrote down."""
    thousandths = 1000 * values
    return bool((np.abs(thousandths - np.rint(thousandths)) < 1e-9).all())


def _is_fixed(spread: float, rows: int) -> bool:
    """Whether the spread is 1 by either divisor, or the column has length 1."""
    sizes = (1.0, np.sqrt((rows - 1) / rows), 1 / np.sqrt(rows))
    return any(abs(spread - size) < EXACT * size for size in sizes)


#: what missing values are filled with
KINDS = ("mean", "median")

#: times that a value must occur to be suspect
FEW = 3
#: values looked at in a column, the most frequent first, and rows in which they are looked for
MOST, LOOKED_AT = 3, 50_000
#: how exactly a mean must be met, in spreads: as written, but not worse than the second
AS_MEANT, AS_WRITTEN = 1e-7, 1e-4
#: share of the other values that may repeat in a column of measured values
REPEATED = 0.2
#: distinct values up to which the one of the most digits is looked at too
COARSE_VALUES = 100
#: digits of values that are measured, and of values that somebody may have chosen
DIGITS, ROUND = 6, 2


@dataclass(frozen=True, slots=True)
class Filling:
    """A value of a column, how often it occurs, and what it is of the others: mean or median."""

    column: str
    value: float
    count: int
    kind: str


def filled_values(column: str, values: Array) -> list[Filling]:
    """Values that stand out by repeating, or by digits that no other has, and are a middle.

    Where others repeat too, the commonest is often the median, and a mean of coarse values may
    well be one of them: so a value has to be off the grid of the others, or the only one that
    is frequent among measured values.
    """
    values = np.asarray(values, float)
    # of very many rows every so manieth shows what is frequent
    step = max(-(-len(values) // LOOKED_AT), 1)
    some = values[::step]
    some = some[~np.isnan(some)]
    distinct, counts = np.unique(some, return_counts=True)
    fillings: list[Filling] = []
    for index in _suspects(distinct, counts):
        if counts[index] < (FEW if step == 1 else 2) or len(distinct) < FEW:
            continue
        value, others = float(distinct[index]), np.delete(distinct, index)
        # values near the middle are those that repeat most often by themselves
        second = int(np.delete(counts, index).max(initial=0))
        is_measured = len(others) >= (1 - REPEATED) * (len(some) - counts[index])
        is_alone = is_measured and counts[index] > 2 * second + 1
        for kind in KINDS:
            stands_out = is_alone or (kind == "mean" and _is_off_grid(value, others))
            if stands_out and is_middle(value, values, kind):
                fillings.append(Filling(column, value, int((values == value).sum()), kind))
                break
    return fillings


def _suspects(distinct: Array, counts: Array) -> list[int]:
    """The places of the most frequent values, and of the one that has the most digits."""
    places: list[int] = np.argsort(-counts, kind="stable")[:MOST].tolist()
    if len(distinct) <= COARSE_VALUES:
        places.append(
            max(range(len(distinct)), key=lambda i: _digits(float(distinct[i])), default=0)
        )
    return [index for index in dict.fromkeys(places) if index < len(distinct)]


def is_middle(value: float, values: Array, kind: str) -> bool:
    """Whether a value is the mean (or median) of the others among some values."""
    others = values[~np.isnan(values) & (values != value)]
    if len(others) < FEW:
        return False
    digits = _digits(value)
    spread = float(others.std())
    written = 0.51 * 10.0**-digits if digits > ROUND else 0.0
    close = max(AS_MEANT * spread, min(written, AS_WRITTEN * spread))
    if kind == "mean":
        return bool(spread > 0 and abs(float(others.mean()) - value) <= close)
    below = others < value
    if 2 * int(below.sum()) != len(others):
        return False
    # of an even number the median lies half way; of an odd number it was one of the values, and
    # then only its digits tell it from a value that somebody chose, such as 0
    half = (float(others[below].max()) + float(others[~below].min())) / 2
    return digits > ROUND or abs(half - value) <= AS_MEANT * spread


def _digits(value: float) -> int:
    """How many decimal digits a value was written with, up to 15."""
    text = np.format_float_positional(value, trim="-")
    return min(len(text.partition(".")[2]), 15)


def _is_off_grid(value: float, others: Array) -> bool:
    """Whether a value has more decimal digits than any of the others, which have few."""
    for digits in range(DIGITS):
        scaled = others * 10.0**digits
        if (np.abs(scaled - np.rint(scaled)) <= 1e-9 * np.maximum(np.abs(scaled), 1)).all():
            return _digits(value) > digits
    return False
