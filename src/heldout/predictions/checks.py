"""What the values of each role must be, or the error that says where they are not."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from heldout.core.errors import InputError
from heldout.predictions.factorize import factorize
from heldout.predictions.part import plural

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from heldout.predictions.part import Part
    from heldout.predictions.table import Column

__all__ = [
    "Improper",
    "ROUNDING",
    "SUM_SLACK",
    "complete",
    "finite",
    "first_no_number",
    "improper",
    "numbers",
    "probability_problem",
    "ranking",
    "row_sums",
    "training_counts",
    "unique",
    "weights",
    "within_numbers",
    "within_unit",
]

#: how far from 1 the probabilities of a row may add up, and how far one may lie outside [0, 1],
#: relative to the largest: what float32 and printed digits leave
SUM_TOLERANCE = 1e-6
#: a little above, since 0.636962 + 0.363039 is off by a hair more than 1e-6
SUM_SLACK = SUM_TOLERANCE * (1 + 1e-6)
#: up to this deviation of a sum, rounded digits are the likely reason
ROUNDING = 0.05
#: sums of squares of squares of such weights, and their inverse, are still numbers
LARGEST_WEIGHT = 1e60
#: differences and ratios of such values are still numbers
LARGEST_VALUE = 1e300
#: what is wrong with a text that a reader takes for a number
SPELLINGS = (
    (r"[-+\d.,\s]+%", "write 35.6% as 0.356"),
    (r"[-+\d.]+,[-+\d.,]*", "write decimals with a point, and thousands without a sign: 1234.5"),
    (r"(?s)\[.*\]", "a list is no number; give a column for each class"),
)


def complete(part: Part, name: str, role: str) -> None:
    """Every row has a value in this role."""
    column = part.column(name)
    fix = f"fill in the {role} of these rows or remove them"
    if column.missing is not None:
        part.refuse(name, column.missing, "no value", fix)
    if column.kind == "float" and np.isnan(np.min(column.values, initial=np.inf)):
        part.refuse(name, np.isnan(column.values), "NaN", fix)


def numbers(part: Part, name: str, role: str) -> NDArray[np.float64]:
    """The column as floats, if every row has a number (texts that spell numbers included)."""
    column = part.column(name)
    if column.held == "durations":
        raise InputError(
            f"{part.called(name)} holds durations; give the {role} as numbers, of seconds or days"
        )
    fix = f"the {role} must be a number in every row"
    if column.missing is not None:
        part.refuse(name, column.missing, "no value", fix)
    if column.kind in ("boolean", "integer", "float"):
        return column.values.astype(np.float64, copy=False)
    codes, levels, spelled = _spelled(column)
    bad = np.array([value is None for value in spelled])[codes]
    if bad.any():
        example = levels[int(codes[int(np.argmax(bad))])]
        said = (words for pattern, words in SPELLINGS if re.fullmatch(pattern, str(example)))
        hint = next(said, fix)
        raise InputError(f"{part.complaint(name, bad, f'no number ({example!r})')}; {hint}")
    return np.array([np.nan if value is None else value for value in spelled])[codes]


def first_no_number(part: Part, name: str) -> str:
    """Which row of a column of texts is the first without a number; empty where all or none are.

    A column of numbers with a slip in it reads as texts.
    """
    column = part.column(name)
    codes, levels, spelled = _spelled(column)
    bad = np.array([value is None for value in spelled], bool)[codes]
    if column.missing is not None:
        bad &= ~column.missing
    if not bad.any() or bad.all():
        return ""
    example = levels[int(codes[int(np.argmax(bad))])]
    return part.complaint(name, bad, f"no number ({example!r})")


def _spelled(column: Any) -> tuple[NDArray[Any], Any, list[float | None]]:
    """The code of each row, the texts of codes, and the numbers that these spell."""
    codes, levels = (
        (column.values, column.levels)
        if column.kind == "category"
        else (np.arange(len(column)), column.values.tolist())
    )
    return codes, levels, [_number(level) for level in levels]


def _number(value: Any) -> float | None:
    try:
        return float(value)
    except (TypeError, ValueError):
        return None


def finite(part: Part, name: str, values: NDArray[np.float64], role: str) -> tuple[float, float]:
    """The smallest and the largest value, if none is NaN or infinite."""
    low, high = float(np.min(values)), float(np.max(values))
    if not (np.isfinite(low) and np.isfinite(high)):
        fix = f"the {role} must be finite in every row"
        part.refuse(name, ~np.isfinite(values), "NaN or infinite", fix)
    return low, high


def within_numbers(part: Part, name: str, values: NDArray[np.float64], role: str) -> None:
    """Values that are finite, and whose differences are."""
    low, high = finite(part, name, values, role)
    if max(-low, high) > LARGEST_VALUE:
        fix = f"the {role} must lie within {LARGEST_VALUE:g} of 0: choose a larger unit"
        part.refuse(name, np.abs(values) > LARGEST_VALUE, "too large to be subtracted", fix)


def ranking(part: Part, names: tuple[str, ...], scores: NDArray[np.float64]) -> tuple[float, float]:
    """The smallest and the largest score, if none is NaN.

    An infinite one is above or below all others, and is no probability: what needs
    probabilities says so, whatever the other rows are.
    """
    low, high = float(np.min(scores)), float(np.max(scores))
    if np.isnan(low):
        bad = np.isnan(scores)
        column = int(np.argmax(bad.any(axis=0))) if scores.ndim == 2 else 0
        fix = "the score must be a number in every row (inf and -inf are above and below all)"
        part.refuse(names[column], bad if bad.ndim == 1 else bad[:, column], "NaN", fix)
    return low, high


def weights(part: Part, name: str) -> NDArray[np.float64]:
    """The weights: finite, none negative, not all zero."""
    values = numbers(part, name, "weight")
    low, high = finite(part, name, values, "weight")
    if low < 0:
        fix = "a weight must be 0 or more"
        part.refuse(name, values < 0, "negative", fix)
    if not high < LARGEST_WEIGHT or (values[values < 1 / LARGEST_WEIGHT] > 0).any():
        far = (values >= LARGEST_WEIGHT) | ((values > 0) & (values < 1 / LARGEST_WEIGHT))
        example = f"{values[int(np.argmax(far))]:g}"
        fix = "the unit of weights is free: divide them all by the same number"
        part.refuse(name, far, f"{example} is too far from 1 to be added and squared", fix)
    if high == 0:
        where = part.table.source if part.dialect != "arrays" else "the arrays"
        raise InputError(
            f"{part.called(name)}: all {plural(len(part), 'row')} of {where} have weight 0; "
            "at least one needs a weight above 0"
        )
    return values


def unique(part: Part, name: str, values: NDArray[Any], repeat: Column | None) -> None:
    """No row comes twice (in one repeat)."""
    codes, levels = factorize(values)
    key = codes.astype(np.int64)
    if repeat is not None:
        key = key * len(repeat.levels) + repeat.codes
    if len(levels) == len(values) or len(np.unique(key)) == len(key):
        return
    order = np.argsort(key, kind="stable")
    again = order[1:][key[order[1:]] == key[order[:-1]]]
    second = int(again.min())
    first = int(np.argmax(key == key[second]))
    if repeat is None:
        within, other = "", f" or say {part.flag('repeat')}"
    else:
        within, other = f" of repeat {repeat.levels[int(repeat.codes[second])]!r}", ""
    # a plain value, not NumPy's, whose repr names its type
    value = values[second : second + 1].tolist()[0]
    raise InputError(
        f"{part.called(name)}: id {value!r}{within} comes twice ({part.place(first)} and "
        f"{part.place(second)}; {plural(len(again), 'row')} too many); remove the copies{other}, "
        f"or say {part.flag('group', name if part.dialect != 'arrays' else None)} if rows of one "
        "id are different cases"
    )


def probability_problem(
    part: Part, names: tuple[str, ...], scores: NDArray[np.float64], low: float, high: float
) -> str:
    """Why finite scores are no probabilities, or nothing: the measures that need them ask."""
    found = improper(scores, low, high)
    if found is None:
        return ""
    if found.column is None:
        problem = part.complaint(names, found.bad, f"probabilities {found.what}")
    else:
        name = names[found.column] if found.column < len(names) else names[0]
        problem = part.complaint(name, found.bad, f"score {found.what}")
    if found.is_rounded:
        problem += (
            f"; the largest deviation, {found.worst:.2g}, looks like rounding: write more digits, "
            f"or say {part.flag('normalise', True)} to divide each row by its sum"
        )
    return problem


def within_unit(
    scores: NDArray[np.float64], low: float, high: float
) -> tuple[NDArray[np.float64], str]:
    """Scores that rounding took out of [0, 1] moved to its border, and a note that says so.

    Others stay as they are: they rank, and are no probabilities.

    Examples
    --------
    >>> within_unit(np.array([0.5, 1.0000000000000002]), 0.5, 1.0000000000000002)[0].tolist()
    [0.5, 1.0]
    """
    beyond = max(-low, high - 1.0)
    if not 0 < beyond <= SUM_SLACK * min(max(-low, high), 1.0):
        return scores, ""
    inside = np.clip(scores, 0.0, 1.0)
    moved = inside != scores
    rows = int(np.count_nonzero(moved if moved.ndim == 1 else moved.any(axis=1)))
    return inside, (
        f"probabilities of {plural(rows, 'row')} lie outside [0, 1] by rounding, at most by "
        f"{beyond:.2g}: taken as 0 or 1"
    )


class Improper(NamedTuple):
    """What keeps scores from being probabilities, and in which rows."""

    what: str
    bad: NDArray[np.bool_]
    #: the column of values outside 0 to 1; None where the sums of rows are wrong
    column: int | None = None
    #: how far the sums are from 1 at most
    worst: float = 0.0

    @property
    def is_rounded(self) -> bool:
        """Whether sums are off by so little that rounded digits are the likely reason."""
        return self.column is None and self.worst <= ROUNDING


def improper(scores: NDArray[np.float64], low: float, high: float) -> Improper | None:
    """What keeps finite scores between ``low`` and ``high`` from being probabilities, if any.

    Examples
    --------
    >>> improper(np.array([[0.5, 0.5], [0.9, 0.9]]), 0.5, 0.9).what
    'do not sum to 1 (1.8)'
    """
    if low < 0 or high > 1:
        bad = (scores < 0) | (scores > 1)
        column = int(np.argmax(bad.any(axis=0))) if scores.ndim == 2 else 0
        if scores.ndim == 2:
            bad, scores = bad[:, column], scores[:, column]
        value = float(scores[int(np.argmax(bad))])
        return Improper(f"outside [0, 1] ({_beyond(value)})", bad, column)
    if scores.ndim == 1:
        return None
    sums = row_sums(scores)
    if float(sums.min()) >= 1 - SUM_SLACK and float(sums.max()) <= 1 + SUM_SLACK:
        return None
    deviation = np.abs(sums - 1)
    bad = deviation > SUM_SLACK
    total = float(sums[int(np.argmax(bad))])
    return Improper(f"do not sum to 1 ({total:.9g})", bad, worst=float(deviation.max()))


def _beyond(value: float) -> str:
    """A number outside 0 to 1 with digits enough to show that it is.

    Examples
    --------
    >>> _beyond(1.5), _beyond(1 + 1e-7), _beyond(-1e-20)
    ('1.5', '1.0000001', '-1e-20')
    """
    texts = (f"{value:.{digits}g}" for digits in range(6, 18))
    return next(text for text in texts if not 0 <= float(text) <= 1)


def row_sums(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """What the scores of each row add up to."""
    if scores.shape[1] > 8:
        return scores.sum(axis=1)
    # NumPy is slow at many short sums
    sums = scores[:, 0].copy()
    for i in range(1, scores.shape[1]):
        sums += scores[:, i]
    return sums


def training_counts(part: Part, names: tuple[str, ...]) -> list[NDArray[np.float64]]:
    """The class counts of each row's training part, a column a class."""
    columns = []
    total = np.zeros(len(part))
    for name in names:
        values = numbers(part, name, "training count")
        low, _ = finite(part, name, values, "training count")
        if low < 0:
            part.refuse(name, values < 0, "negative", "a training count must be 0 or more")
        columns.append(values)
        total += values
    fix = "a training part has at least one row"
    part.refuse(names, total == 0, "training counts of all classes are 0", fix)
    return columns
