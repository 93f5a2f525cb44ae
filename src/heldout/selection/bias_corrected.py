"""Bootstrap bias-corrected cross-validation: the cost of choosing, from predictions at hand."""

from __future__ import annotations

from dataclasses import dataclass
from math import nan
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.assess.forms import row_losses
from heldout.assess.remarks import NOT_GIVEN
from heldout.assess.values import overall
from heldout.core.random import stream
from heldout.engines.memory import Tallies
from heldout.selection.choice import no_test
from heldout.selection.estimate import Estimate
from heldout.selection.one_error_draws import one_error_in_draws
from heldout.selection.scoring import ROUNDING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.random import Generator
    from numpy.typing import NDArray

    from heldout.selection.scoring import Scored
    from heldout.selection.search import Search

__all__ = ["bias_corrected", "percentiles"]

METHOD = "bootstrap bias-corrected cross-validation (Tsamardinos et al. 2018)"
DRAWS = 1000
#: values of a measure that is no mean of rows are computed one by one: so many in all
VALUES = 10_000
LEAST = 40
#: counts of rows drawn that are held at once
BLOCK = 4_000_000
#: rows drawn in all, and products of rows drawn and settings, which bound the time
MOST_DRAWN = 400_000_000
MOST_PRODUCTS = 20_000_000_000


@dataclass(frozen=True, slots=True, eq=False)
class _Units:
    """What is drawn: rows of the data, or groups of them."""

    count: int
    #: the unit of each prediction
    of: NDArray[np.int64]
    word: str


def bias_corrected(
    search: Search,
    *,
    level: float = 0.95,
    draws: int | None = None,
    seed: int = 0,
    rule: str = "best",
    simpler: Any = None,
) -> Estimate:
    """The value to expect of the chosen setting, and its interval, without a further fit.

    In each draw of rows (of whole groups, where rows are grouped) the setting that is best on
    the rows drawn is judged on the rows not drawn. The estimate is the mean over draws, its
    interval their percentiles, which is on the safe side: only about 37 % of the rows judge.

    Settings that failed somewhere, or that a race dropped, take no part. In each draw the
    ``rule`` chooses, where the measure follows from a mean of finite losses; else the best is
    taken, and the note says so.
    """
    scores = search.scores
    places = [at for at, one in enumerate(scores) if one.tallies is not None and one.is_whole]
    whole = [scores[at] for at in places]
    if len(whole) < 1:
        return Estimate.absent("no setting has predictions of all splits", level)
    units = _units_of(search, whole[0])
    if units.count < 10:
        return Estimate.absent(f"{units.count} {units.word} are too few to draw from", level)
    transform = search.criterion.of_means
    count = DRAWS if draws is None else draws
    if transform is not None:
        if draws is None:
            products = MOST_PRODUCTS // (units.count * len(whole))
            count = max(LEAST, min(count, MOST_DRAWN // units.count, products))
        chooser = None
        if rule != "best":
            chooser = one_error_in_draws(search, places, units.of, simpler)
        how = stream(seed, "bias corrected"), transform, chooser
        found = _of_means(search, whole, units, count, how)
    else:
        if draws is None:
            count = max(LEAST, min(count, VALUES // len(whole)))
        chooser = None
        found = _of_values(search, whole, units, count, stream(seed, "bias corrected"))
    pooled = ", folds pooled" if transform is None else ""
    note = f"{count:,} draws of {units.word}{pooled}"
    note += _left_out(found, [scores[at] for at in sorted({*range(len(scores))} - {*places})])
    if rule != "best" and chooser is None:
        note += f"; of the rule best, not {rule}"
    found = found[~np.isnan(found)]
    if len(found) < LEAST // 2:
        return Estimate.absent(f"the measure is undefined in nearly all draws ({note})", level)
    low, high = percentiles(found, level)
    if not np.isfinite([low, high]).any():
        low = high = nan
    if reason := no_test(search):
        low = high = nan
        note += f"; no interval: {reason}"
    return Estimate("bias-corrected", float(np.mean(found)), low, high, level, METHOD, note)


def _left_out(found: NDArray[np.float64], settings: Sequence[Scored]) -> str:
    """Settings and draws that take no part, and draws without a finite value."""
    words = ""
    if settings:
        word = "setting" if len(settings) == 1 else "settings"
        lacks = all(one.note.startswith(NOT_GIVEN) for one in settings)
        what = "a value" if lacks else "predictions of all splits"
        words += f"; left out: {len(settings):,} {word} without {what}"
    if lost := int(np.count_nonzero(np.isnan(found))):
        words += f"; undefined in {lost:,} draws"
    if endless := int(np.count_nonzero(np.isinf(found))):
        words += f"; infinite in {endless:,} draws, in which the loss of a row is infinite"
    return words


def _tallies(one: Any) -> Tallies:
    made: Tallies = one.tallies
    return made


def percentiles(values: NDArray[np.float64], level: float) -> tuple[float, float]:
    """The limits that hold the middle share of some values; infinite next to infinite ones.

    Examples
    --------
    >>> percentiles(np.array([1.0, 2.0, 3.0, np.inf]), 0.5)
    (1.75, inf)
    """
    half = (1 - level) / 2
    ordered = np.sort(values)
    places = np.array([half, 1 - half]) * (len(ordered) - 1)
    below, share = np.floor(places).astype(np.int64), places - np.floor(places)
    above = np.minimum(below + (share > 0), len(ordered) - 1)
    first, second = ordered[below], ordered[above]
    # the way from one infinite value on is no number
    is_level = np.isinf(first) | (share == 0)
    with np.errstate(invalid="ignore"):
        made = np.where(is_level, first, first + share * (second - first))
    return float(made[0]), float(made[1])


def _units_of(search: Search, first: Any) -> _Units:
    group = search.dataset.group
    rows = first.outcome.rows
    codes = rows if group is None else np.asarray(group.codes)[rows]
    _, of = np.unique(codes, return_inverse=True)
    return _Units(int(of.max(initial=-1)) + 1, of, "rows" if group is None else "groups")


def _of_means(
    search: Search, whole: list[Any], units: _Units, draws: int, how: tuple[Generator, Any, Any]
) -> NDArray[np.float64]:
    """Values of the chosen on rows not drawn, where the measure follows from a mean of losses."""
    request, goodness = search.criterion.request, search.criterion.goodness
    generator, transform, chooser = how
    weight = _tallies(whole[0]).predictions.weight
    weights = np.ones(len(units.of)) if weight is None else weight
    sums = np.empty((units.count, len(whole)))
    endless: NDArray[np.float64] | None = None
    for place, one in enumerate(whole):
        losses = row_losses(request, _tallies(one)) * weights
        is_endless = np.isinf(losses)
        if is_endless.any():
            # an infinite loss times no draw is no loss
            endless = np.zeros_like(sums) if endless is None else endless
            sign = np.sign(losses[is_endless][0])
            endless[:, place] = sign * np.bincount(units.of, is_endless, units.count)
            losses = np.where(is_endless, 0.0, losses)
        sums[:, place] = np.bincount(units.of, losses, units.count)
    total = np.asarray(np.bincount(units.of, weights, units.count), np.float64)
    made = np.empty(draws)
    size = max(1, BLOCK // max(units.count, len(whole)))
    for start in range(0, draws, size):
        stop = min(start + size, draws)
        counts = _counts(generator, stop - start, units.count)
        if chooser is None:
            best = _first_best(goodness(transform(_means(counts, sums, endless, total))))
        else:
            best = chooser.choose(counts)
        outside = (counts == 0).astype(np.float64)
        judged = _means(outside, sums, endless, total)
        made[start:stop] = transform(judged[np.arange(stop - start), best])
    return made


def _first_best(goodness: NDArray[np.float64]) -> NDArray[np.intp]:
    """The place of the best of each line, the first of those that rounding alone tells apart."""
    top = goodness.max(axis=1, keepdims=True)
    with np.errstate(invalid="ignore"):
        slack = np.where(np.isfinite(top), ROUNDING * np.abs(top), 0.0)
        return np.asarray(np.argmax(~(goodness < top - slack), axis=1))


def _means(
    counts: NDArray[np.float64],
    sums: NDArray[np.float64],
    endless: NDArray[np.float64] | None,
    total: NDArray[np.float64],
) -> NDArray[np.float64]:
    with np.errstate(divide="ignore", invalid="ignore"):
        made = (counts @ sums) / (counts @ total)[:, np.newaxis]
    if endless is not None:
        often = counts @ endless
        made = np.where(often != 0, np.copysign(np.inf, often), made)
    return np.asarray(made)


def _counts(generator: Generator, draws: int, count: int) -> NDArray[np.float64]:
    """How often each unit is drawn, a line a draw."""
    drawn = generator.integers(count, size=(draws, count), dtype=np.int32)
    flat = drawn + np.arange(draws, dtype=np.int64)[:, np.newaxis] * count
    counts = np.bincount(flat.ravel(), minlength=draws * count)
    return counts.reshape(draws, count).astype(np.float64)


def _of_values(
    search: Search, whole: list[Any], units: _Units, draws: int, generator: Generator
) -> NDArray[np.float64]:
    """The same for any measure: its value on the rows drawn, setting by setting."""
    order = np.argsort(units.of, kind="stable")
    edges = np.searchsorted(units.of[order], np.arange(units.count + 1))

    def rows_of(chosen: NDArray[Any]) -> NDArray[Any]:
        return np.concatenate([order[edges[one] : edges[one + 1]] for one in chosen.tolist()])

    def value_of(one: Any, rows: NDArray[Any]) -> float:
        return overall(
            search.criterion.request, Tallies(_tallies(one).predictions.take(rows))
        ).value

    return np.array(
        [_one_draw(search, whole, units, generator, rows_of, value_of) for _ in range(draws)]
    )


def _one_draw(
    search: Search,
    whole: list[Any],
    units: _Units,
    generator: Generator,
    rows_of: Callable[[NDArray[Any]], NDArray[Any]],
    value_of: Callable[[Any, NDArray[Any]], float],
) -> float:
    drawn = generator.integers(units.count, size=units.count)
    outside = np.setdiff1d(np.arange(units.count), drawn)
    if not len(outside):
        return float("nan")
    inside = rows_of(drawn)
    best = search.criterion.best([value_of(one, inside) for one in whole])
    return float("nan") if best < 0 else value_of(whole[best], rows_of(outside))
