"""How large a difference a design can show, and how many rows or repeats a wanted one needs."""

from __future__ import annotations

from math import ceil, inf, sqrt
from typing import TYPE_CHECKING, Any

from karat.core.errors import InputError
from karat.intervals.interval import checked_level
from karat.intervals.quantiles import normal_quantile, two_sided_student

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = [
    "POWER",
    "area_detectable",
    "area_rows",
    "least_repeats",
    "mean_detectable",
    "mean_rows",
    "normal_points",
    "paired_share_detectable",
    "paired_share_rows",
    "repeats_needed",
    "split_points",
    "splits_detectable",
]

POWER = 0.8
#: more repeats than anybody runs count as none
MOST_REPEATS = 2**40


def paired_share_rows(
    difference: float,
    discordance: float,
    *,
    level: float = 0.95,
    power: float = POWER,
    one_sided: bool = False,
) -> int:
    """Rows that show a difference of two shares of the same rows (accuracies).

    Parameters
    ----------
    difference
        The wanted difference, above 0.
    discordance
        The share of rows on which just one of the models is right; at least the difference.

    Notes
    -----
    Connor (1987), Biometrics 43:207, for McNemar's test.

    Examples
    --------
    >>> paired_share_rows(0.05, 0.15)
    469
    """
    _checked_difference(difference)
    if not difference <= discordance <= 1:
        raise InputError(
            f"the discordance ({discordance:g}) is a share of rows, at least as large as the "
            f"difference ({difference:g})"
        )
    alpha, beta = normal_points(level, power, one_sided=one_sided)
    root = alpha * sqrt(discordance) + beta * sqrt(max(discordance - difference**2, 0.0))
    return ceil((root / difference) ** 2 - 1e-9)


def paired_share_detectable(
    rows: float,
    discordance: float,
    *,
    level: float = 0.95,
    power: float = POWER,
    one_sided: bool = False,
) -> float:
    """The least difference of two shares that so many rows show; infinite where none can.

    Examples
    --------
    >>> paired_share_detectable(469, 0.15)
    0.05
    """
    _checked_count(rows, "rows")
    if not 0 < discordance <= 1:
        raise InputError(f"the discordance is a share of rows above 0, not {discordance!r}")
    alpha, beta = normal_points(level, power, one_sided=one_sided)
    # the formula above solved for the difference
    whole = rows + beta * beta
    inner = beta * beta * discordance * (whole - alpha * alpha) / rows
    root = alpha * sqrt(discordance * rows) + sqrt(max(inner * rows, 0.0))
    found = root / whole
    return found if found <= discordance else inf


def mean_rows(
    difference: float,
    spread: float,
    *,
    level: float = 0.95,
    power: float = POWER,
    one_sided: bool = False,
) -> int:
    """Rows that show a difference of mean losses whose row differences have a spread.

    ``spread`` is the standard deviation of the rows' differences.

    Examples
    --------
    >>> mean_rows(0.1, 1.0)
    785
    """
    _checked_difference(difference)
    _checked_spread(spread)
    alpha, beta = normal_points(level, power, one_sided=one_sided)
    return ceil(((alpha + beta) * spread / difference) ** 2 - 1e-9)


def mean_detectable(
    rows: float,
    spread: float,
    *,
    level: float = 0.95,
    power: float = POWER,
    one_sided: bool = False,
) -> float:
    """The least difference of mean losses that so many rows show.

    Examples
    --------
    >>> mean_detectable(785, 1.0)
    0.1
    """
    _checked_count(rows, "rows")
    _checked_spread(spread)
    alpha, beta = normal_points(level, power, one_sided=one_sided)
    return (alpha + beta) * spread / sqrt(rows)


def area_rows(
    difference: float,
    area: float,
    prevalence: float,
    *,
    correlation: float = 0.5,
    level: float = 0.95,
    power: float = POWER,
    one_sided: bool = False,
) -> int:
    """Rows that show a difference of two areas under the ROC curve of the same rows.

    Parameters
    ----------
    area
        The area of the poorer model.
    prevalence
        Share of positive rows.
    correlation
        Of the two areas' errors; models that rank rows alike have more of it.

    Notes
    -----
    Variances after Hanley and McNeil (1982), Radiology 143:29, who assume exponential scores.

    Examples
    --------
    >>> area_rows(0.05, 0.8, 0.3)
    840
    """
    _checked_difference(difference)
    if area + difference > 1:
        raise InputError(f"an area of {area:g} cannot be better by {difference:g}: 1 is the most")
    low, high = 2, 4
    given: dict[str, Any] = {
        "correlation": correlation,
        "level": level,
        "power": power,
        "one_sided": one_sided,
    }

    def shows(rows: int) -> bool:
        return _area_error(rows, area, difference, prevalence, **given) <= difference

    while not shows(high):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if shows(middle) else (middle, high)
    return high


def area_detectable(
    rows: float,
    area: float,
    prevalence: float,
    *,
    correlation: float = 0.5,
    level: float = 0.95,
    power: float = POWER,
    one_sided: bool = False,
) -> float:
    """The least difference of two areas that so many rows show; infinite where none can.

    Examples
    --------
    >>> area_detectable(840, 0.8, 0.3)
    0.05
    """
    _checked_count(rows, "rows")
    given: dict[str, Any] = {
        "correlation": correlation,
        "level": level,
        "power": power,
        "one_sided": one_sided,
    }
    low, high = 0.0, 1 - area
    if _area_error(rows, area, high, prevalence, **given) > high:
        return inf
    for _ in range(60):
        middle = (low + high) / 2
        if _area_error(rows, area, middle, prevalence, **given) <= middle:
            high = middle
        else:
            low = middle
    return high


def splits_detectable(
    repeats: float,
    folds: int,
    spread: float,
    *,
    level: float = 0.95,
    power: float = POWER,
    one_sided: bool = False,
) -> float:
    """The least difference that repeated cross-validation shows; infinite repeats are allowed.

    ``spread`` is the standard deviation of the folds' differences. Repeats average the noise
    of splitting away, never that of the data: at infinite repeats a limit is left.

    Examples
    --------
    >>> splits_detectable(1, 10, 0.03), splits_detectable(float("inf"), 10, 0.03)
    (0.0386, 0.0280)
    """
    if folds < 2:
        raise InputError(f"cross-validation has at least 2 folds, not {folds!r}")
    _checked_count(repeats, "repeats")
    _checked_spread(spread)
    splits = repeats * folds
    alpha, beta = split_points(splits, level, power, one_sided=one_sided)
    return (alpha + beta) * spread * sqrt(1 / splits + 1 / (folds - 1))


def repeats_needed(
    difference: float,
    folds: int,
    spread: float,
    *,
    level: float = 0.95,
    power: float = POWER,
    one_sided: bool = False,
) -> int | None:
    """Repeats of cross-validation that show a wanted difference; None where no number does.

    Examples
    --------
    >>> repeats_needed(0.03, 10, 0.03), repeats_needed(0.02, 10, 0.03)
    (7, None)
    """
    _checked_difference(difference)
    given: dict[str, Any] = {"level": level, "power": power, "one_sided": one_sided}
    return least_repeats(
        lambda repeats: splits_detectable(repeats, folds, spread, **given) <= difference
    )


def least_repeats(shows: Callable[[float], bool]) -> int | None:
    """The least number of repeats that shows what is wanted; None where infinitely many do not.

    Examples
    --------
    >>> least_repeats(lambda repeats: repeats >= 37)
    37
    """
    if not shows(inf):
        return None
    low, high = 0, 1
    while not shows(high):
        low, high = high, 2 * high
        if high > MOST_REPEATS:
            return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if shows(middle) else (middle, high)
    return high


def _area_error(
    rows: float,
    area: float,
    difference: float,
    prevalence: float,
    *,
    correlation: float,
    level: float,
    power: float,
    one_sided: bool,
) -> float:
    """What a difference must reach at so many rows: its standard errors times the two points."""
    for name, value in (("area", area), ("prevalence", prevalence)):
        if not 0 < value < 1:
            raise InputError(f"the {name} lies between 0 and 1, unlike {value!r}")
    if not -1 < correlation < 1:
        raise InputError(f"a correlation lies between -1 and 1, unlike {correlation!r}")
    alpha, beta = normal_points(level, power, one_sided=one_sided)
    ones, zeros = rows * prevalence, rows * (1 - prevalence)
    errors = [sqrt(_hanley(value, ones, zeros)) for value in (area, min(area + difference, 1.0))]
    together = 2 * correlation * errors[0] * errors[1]
    varied = sqrt(max(errors[0] ** 2 + errors[1] ** 2 - together, 0.0))
    # under no difference both models have the poorer area
    alike = errors[0] * sqrt(2 * (1 - correlation))
    return alpha * alike + beta * varied


def _hanley(area: float, ones: float, zeros: float) -> float:
    first, second = area / (2 - area), 2 * area * area / (1 + area)
    spread = area * (1 - area) + (ones - 1) * (first - area * area)
    spread += (zeros - 1) * (second - area * area)
    return max(spread, 0.0) / (ones * zeros)


def normal_points(level: float, power: float, *, one_sided: bool) -> tuple[float, float]:
    """How many standard errors stand for the level, and how many for the power.

    Examples
    --------
    >>> normal_points(0.95, 0.8, one_sided=False)
    (1.96, 0.84)
    """
    share = 1 - checked_level(level)
    if not 0 < power < 1:
        raise InputError(f"the power lies between 0 and 1 (0.8), unlike {power!r}")
    return -normal_quantile(share if one_sided else share / 2), normal_quantile(power)


def split_points(
    splits: float, level: float, power: float, *, one_sided: bool = False
) -> tuple[float, float]:
    """The same by Student's distribution, whose freedom is the number of splits less one.

    Examples
    --------
    >>> split_points(5, 0.95, 0.8)
    (2.78, 0.94)
    """
    if splits == inf:
        return normal_points(level, power, one_sided=one_sided)
    share = 1 - checked_level(level)
    inside = 1 - 2 * share if one_sided else level
    if not 0.5 < power < 1 or not inside > 0:
        raise InputError(f"the power lies between 0.5 and 1 (0.8), unlike {power!r}")
    if splits < 2:
        raise InputError(f"a t test needs at least two splits, not {splits:g}")
    freedom = splits - 1
    return two_sided_student(inside, freedom), two_sided_student(2 * power - 1, freedom)


def _checked_difference(difference: float) -> None:
    if not 0 < difference < inf:
        raise InputError(f"a wanted difference is a size above 0, not {difference!r}")


def _checked_spread(spread: float) -> None:
    if not 0 < spread < inf:
        raise InputError(f"a spread is a standard deviation above 0, not {spread!r}")


def _checked_count(count: float, what: str) -> None:
    if not count >= 1:
        raise InputError(f"{what} are at least 1, not {count!r}")
