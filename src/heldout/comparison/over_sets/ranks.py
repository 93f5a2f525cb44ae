"""Ranks of models over many data sets, and the tests of all models at once."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import permutations
from math import factorial, inf, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.comparison.over_sets.post_hoc import rank_error
from heldout.core.errors import InputError
from heldout.core.random import stream
from heldout.core.significance import Test

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: chi squared is said to be good for more data sets than that (Demšar 2006)
FEW_SETS = 10
#: sums of ranks times orders of a row that are still counted in a third of a second
MOST_WORK = 2_000_000
#: orders of this many models alone are too many to list
MOST_MODELS = 8
DRAWS = 100_000


def without_noise(values: NDArray[Any]) -> NDArray[np.float64]:
    """The values rounded so that 0.1 + 0.2 and 0.3 tie, at ten digits of the largest.

    Examples
    --------
    >>> rounded = without_noise(np.array([0.1 + 0.2, 0.3]))
    >>> bool(rounded[0] == rounded[1])
    True
    """
    table = np.asarray(values, float)
    largest = float(np.nanmax(np.abs(table), initial=0.0))
    if largest == 0 or not np.isfinite(largest):
        return table
    digits = 10 - int(np.ceil(np.log10(largest)))
    return np.round(table, digits)


def ranks(values: NDArray[Any]) -> NDArray[np.float64]:
    """The rank of each model (column) on each data set (row): 1 is best, ties share.

    Examples
    --------
    >>> ranks(np.array([[0.9, 0.8, 0.9], [0.5, 0.6, 0.7]]))
    array([[1.5, 3. , 1.5],
           [3. , 2. , 1. ]])
    """
    from scipy.stats import rankdata

    return rankdata(-_checked(values), axis=1)


def average_ranks(values: NDArray[Any]) -> NDArray[np.float64]:
    """The mean rank of each model over the data sets."""
    return ranks(values).mean(axis=0)


def friedman(values: NDArray[Any], *, ties: bool = True) -> Test:
    """Whether all models (columns) rank alike over the data sets (rows).

    Parameters
    ----------
    ties
        Whether the statistic is corrected for ties within data sets, as R and SciPy do.
        Demšar (2006) and his followers do not; without ties both are the same.

    Notes
    -----
    Friedman (1937), J. Am. Stat. Assoc. 32:675; Demšar (2006), J. Mach. Learn. Res. 7:1.

    Examples
    --------
    >>> friedman(np.array([[1, 2, 3], [1, 3, 2], [1, 2, 3], [1, 2, 3]])).statistic
    6.5
    """
    table = ranks(values)
    method = "Friedman test" + (" (corrected for ties)" if ties else " (without tie correction)")
    return _chi_squared_test(method, _chi_squared(table, ties=ties), table.shape[1])


def iman_davenport(values: NDArray[Any], *, ties: bool = False) -> Test:
    """Friedman's question by an F statistic, which is less conservative.

    Iman and Davenport (1980), Commun. Stat. A9:571.

    Examples
    --------
    >>> iman_davenport(np.array([[1, 2, 3], [1, 3, 2], [1, 2, 3], [1, 2, 3]])).statistic
    13.0
    """
    table = ranks(values)
    method = "Iman-Davenport test" + (" (corrected for ties)" if ties else "")
    return _f_test(method, _chi_squared(table, ties=ties), table.shape)


def _chi_squared(table: NDArray[np.float64], *, ties: bool = True) -> float:
    """How far the columns' sums of scores are apart, over what exchanging within rows gives.

    ``ties``: by the scores that there are; else by the ranks that there were without ties.
    """
    sets, models = table.shape
    between = float((_centred(table).sum(axis=0) ** 2).sum())
    within = _within(table) if ties else sets * models * (models**2 - 1) / 12
    return (models - 1) * between / within if between else 0.0


def _centred(table: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(table - table.mean(axis=1, keepdims=True))


def _within(table: NDArray[np.float64]) -> float:
    """The sum of squares of scores about the means of their rows."""
    return float((_centred(table) ** 2).sum())


def _chi_squared_test(method: str, statistic: float, models: int) -> Test:
    from scipy.stats import chi2

    degrees = models - 1
    return Test(method, statistic, float(chi2.sf(statistic, degrees)), degrees=(degrees,))


def _f_test(method: str, chi: float, shape: tuple[int, ...]) -> Test:
    """The test of two-way analysis of variance that is a function of chi squared."""
    from scipy.stats import f

    sets, models = shape
    degrees = (models - 1.0, (models - 1.0) * (sets - 1.0))
    room = sets * (models - 1) - chi
    if room <= 1e-12 * sets * models:
        note = "every data set ranks the models alike"
        return Test(method, inf, 0.0, degrees=degrees).noted(note)
    statistic = (sets - 1) * chi / room
    return Test(method, statistic, float(f.sf(statistic, *degrees)), degrees=degrees)


def _checked(values: NDArray[Any]) -> NDArray[np.float64]:
    table = np.asarray(values, float)
    if table.ndim != 2 or table.shape[1] < 2 or len(table) < 2:
        raise InputError("ranks need at least two models (columns) and two data sets (rows)")
    if np.isnan(table).any():
        row, column = (int(i) + 1 for i in np.argwhere(np.isnan(table))[0])
        raise InputError(
            f"data set {row} has no value for model {column}: leave out the "
            f"data set, or evaluate the model on it"
        )
    return without_noise(table)


def least_p(models: int, sets: int) -> float:
    """The smallest p-value that Friedman's test can give: every data set ranks alike.

    Examples
    --------
    >>> least_p(3, 3)
    0.0277
    """
    return (1.0 / factorial(models)) ** (sets - 1)


def exact_friedman(values: NDArray[Any], *, seed: int = 1) -> Test | None:
    """Whether all models (columns) rank alike, by the distribution of the ranks that were seen.

    Where no model is better, every order of the ranks within a data set is as likely as any
    other. All of them are counted in small tables; up to ten data sets with too many models
    for that, 100,000 of them are drawn. None in larger tables, for which approximations are
    good. Ties are kept as they are: the ranks of each data set are reordered, ties and all.

    Notes
    -----
    Friedman (1937), J. Am. Stat. Assoc. 32:675, tabled it for three and four columns. Chi
    squared and Iman and Davenport's F are both rising functions of the sum of squares that
    is counted here, so this is the exact p-value of either.

    Examples
    --------
    >>> exact_friedman(np.array([[1, 2, 3], [1, 2, 3], [1, 2, 3]])).p_value
    0.0277
    """
    table = ranks(values)
    sets, models = table.shape
    # twice the ranks are whole numbers even where two models share one
    whole = np.rint(2 * table).astype(np.int64) - (models + 1)
    seen = int((whole.sum(axis=0) ** 2).sum())
    statistic = friedman(values).statistic
    # neither the order of data sets nor that of models changes what is drawn
    rows = tuple(sorted(tuple(sorted(row)) for row in whole.tolist()))
    null = _null(rows)
    if null is not None:
        sums, shares = null
        p_value = float(shares[sums >= seen].sum())
        return Test("Friedman test (exact)", statistic, min(p_value, 1.0), is_signed=False)
    if sets > FEW_SETS:
        return None
    method = f"Friedman test ({DRAWS:,} orders of the ranks drawn, seed {seed})"
    as_far = 1 + _drawn(np.array(rows), seen, seed)
    return Test(method, statistic, as_far / (1 + DRAWS), is_signed=False)


@lru_cache(maxsize=64)
def _null(rows: tuple[tuple[int, ...], ...]) -> tuple[NDArray[Any], NDArray[Any]] | None:
    """Each sum of squares that reordered rows can give, and its probability; None if too many.

    Only the sizes of the models' sums matter, not whose they are, so sums are kept sorted.
    """
    if len(rows[0]) > MOST_MODELS:
        return None
    work = 0
    states = np.zeros((1, len(rows[0])), np.int64)
    shares: NDArray[Any] = np.ones(1)
    for row in rows:
        orders = np.array(sorted(set(permutations(row))), np.int64)
        if len(orders) == 1:
            continue  # all tie: whatever the order, nothing is added
        work += len(states) * len(orders)
        if work > MOST_WORK:
            return None
        grown = (states[:, None, :] + orders[None, :, :]).reshape(-1, len(row))
        grown.sort(axis=1)
        weight = np.repeat(shares / len(orders), len(orders))
        states, codes = _distinct(grown)
        shares = np.bincount(codes, weight)
    sums = (states**2).sum(axis=1)
    return sums, shares


def _distinct(states: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """The distinct rows, and which of them each row is, by one number a row."""
    low = states.min()
    base = int(states.max() - low) + 1
    # the last of the sums follows from the others, for their total is known
    code = np.zeros(len(states), np.int64)
    for column in (states - low).T[:-1]:
        code = code * base + column
    _, first, codes = np.unique(code, return_index=True, return_inverse=True)
    return states[first], codes


def _drawn(whole: NDArray[Any], seen: int, seed: int) -> int:
    """How often randomly reordered ranks give at least the sum of squares that was seen."""
    rng = stream(seed, "friedman")
    count, block = 0, max(1, 2_000_000 // whole.size)
    for start in range(0, DRAWS, block):
        size = min(block, DRAWS - start)
        shuffled = rng.permuted(np.broadcast_to(whole, (size, *whole.shape)), axis=2)
        count += int(((shuffled.sum(axis=1) ** 2).sum(axis=1) >= seen).sum())
    return count


def quade(values: NDArray[Any]) -> Test:
    """Friedman's question, where a data set counts by how far apart its models are.

    Quade (1979), J. Am. Stat. Assoc. 74:680.

    Examples
    --------
    >>> quade(np.array([[1, 2, 3], [1, 4, 9], [2, 5, 3], [1, 2, 4.0]])).degrees
    (2.0, 6.0)
    """
    table = quade_table(values)
    return _f_test("Quade test", _chi_squared(table), table.shape)


def quade_table(values: NDArray[Any]) -> NDArray[np.float64]:
    """Ranks within data sets, weighted so that their means are mean ranks (1 is best)."""
    weights = _weights(values)
    return np.asarray(ranks(values) * (weights / weights.mean())[:, None], float)


def aligned_ranks(values: NDArray[Any]) -> Test:
    """Friedman's question by one ranking of all values, each less its data set's mean.

    Hodges and Lehmann (1962), Ann. Math. Stat. 33:482; García, Fernández, Luengo and Herrera
    (2010), Inf. Sci. 180:2044, whose sum of squares is that of ranks without ties.
    """
    ranked = _aligned(values)
    cells = ranked.size
    untied = cells * (cells + 1) * (2 * cells + 1) / 6 - float((ranked**2).sum())
    within = _within(ranked)
    chi = _chi_squared(ranked) * within / (within + untied) if within else 0.0
    return _chi_squared_test("Friedman aligned ranks test", chi, ranked.shape[1])


def aligned_table(values: NDArray[Any]) -> NDArray[np.float64]:
    """Aligned ranks brought from 1 to the number of cells to 1 to the number of models."""
    ranked = _aligned(values)
    return 1 + (ranked - 1) * (ranked.shape[1] - 1) / (ranked.size - 1)


def exchange_error(table: NDArray[Any]) -> float:
    """The standard error of a difference of two models' means, were values exchanged at random.

    Under no difference every order of a data set's values is as likely. For plain ranks this
    is the error of Friedman's test; for others it is exact where published ones are not.

    Examples
    --------
    >>> exchange_error(np.array([[1, 2, 3], [3, 1, 2], [2, 1, 3], [1, 3, 2.0]])) ** 2
    0.5
    """
    sets, models = table.shape
    return sqrt(2 * _within(table) / (models - 1)) / sets


def _weights(values: NDArray[Any]) -> NDArray[np.float64]:
    """The rank of each data set by how far apart its models are."""
    from scipy.stats import rankdata

    given = without_noise(values)
    return np.asarray(rankdata(without_noise(given.max(axis=1) - given.min(axis=1))), float)


def _aligned(values: NDArray[Any]) -> NDArray[np.float64]:
    from scipy.stats import rankdata

    ranks(values)  # refuses what cannot be ranked
    table = np.asarray(values, float)
    aligned = without_noise(table - table.mean(axis=1, keepdims=True))
    return np.asarray(rankdata(-aligned).reshape(aligned.shape), float)


@dataclass(frozen=True, slots=True, eq=False)
class Ranked:
    """Mean ranks (1 is best), the error of a difference of two of them, the tests of all."""

    mean: NDArray[Any]
    error: float
    tests: tuple[Test, ...]
    #: Friedman's test by counting, where the table is small enough
    exact: Test | None = None
    #: how pairs are tested
    method: str = "z of mean ranks"


def by_friedman(signed: NDArray[Any], *, seed: int = 1) -> Ranked:
    """Models (columns) ranked within data sets (rows) of values of which the larger is better.

    Examples
    --------
    >>> table = np.array([[3, 2, 1], [3, 1, 2], [3, 2, 1], [3, 2, 1.0]])
    >>> by_friedman(table).mean
    array([1.  , 2.25, 2.75])
    """
    exact = exact_friedman(signed, seed=seed)
    tests: tuple[Test, ...] = (friedman(signed), iman_davenport(signed, ties=True))
    tests += () if exact is None else (exact,)
    sets, models = signed.shape
    return Ranked(average_ranks(signed), rank_error(models, sets), tests, exact)


def by_quade(signed: NDArray[Any], *, seed: int = 1) -> Ranked:
    """The same with ranks weighted by how far apart the models of a data set are."""
    table, method = quade_table(signed), "z of mean ranks weighted after Quade"
    return Ranked(table.mean(axis=0), exchange_error(table), (quade(signed),), method=method)


def by_aligned_ranks(signed: NDArray[Any], *, seed: int = 1) -> Ranked:
    """The same with one ranking of all values, each less the mean of its data set."""
    table, tests = aligned_table(signed), (aligned_ranks(signed),)
    method = "z of mean aligned ranks"
    return Ranked(table.mean(axis=0), exchange_error(table), tests, method=method)
