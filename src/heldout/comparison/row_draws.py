"""Draws of rows, or of groups: bootstraps of two models, and exchanges of their predictions."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from heldout.assess.values import overall
from heldout.comparison.limits_and_test import drawn_test, permutation_p_value
from heldout.comparison.long_rankings import LongRankings, is_long_ranking, is_of_rankings
from heldout.core.random import stream
from heldout.engines.memory import Tallies
from heldout.predictions.resampled import drawn_rows, exchanged_rows, with_ranks
from heldout.uncertainty.sample import RowSampler, in_blocks, row_order

if TYPE_CHECKING:
    from numpy.random import Generator
    from numpy.typing import NDArray

    from heldout.comparison.limits_and_test import Finding
    from heldout.comparison.pairs import Pair, Side
    from heldout.core.significance import Test
    from heldout.measures.spec import Request
    from heldout.predictions.table import Predictions


def drawn_difference(pair: Pair) -> Finding:
    """Interval and test by the standard error of a paired bootstrap.

    Both models see the same resampled rows, so what they share cancels. Efron and Tibshirani
    (1993), chapter 6; pROC's bootstrap test of two curves divides by the same error.
    """
    request, predictions = pair.request, pair.predictions
    replicates, seed = pair.options.row_draws[0], pair.options.seed
    sampler, joined = _sampler(*predictions), _joined(pair)

    def resampled(rng: Generator) -> float:
        times = sampler.multiplicities(rng)
        if joined is not None:
            return joined.difference(times)
        first, second = (_drawn_value(request, p, times) for p in predictions)
        return first - second

    rng = stream(seed, "paired rows", request.name)
    drawn = in_blocks(resampled, replicates=replicates, rng=rng, size=len(predictions[0]))
    method = f"paired bootstrap ({replicates:,} draws of {pair.unit}, seed {seed})"
    return drawn_test(method, drawn, pair.pooled, pair.count - 1, **pair.how)


def swapped_predictions(pair: Pair) -> Test:
    """Whether the models' predictions can be exchanged, which is more than equal values.

    Labels of rows that count alike are exchanged in their joint cells, others row by row, or
    in all rows of a group. For a measure of rankings a row's rank is, since scores of two
    models have no common scale; in long rankings the row's place, which is a run of ranks.
    """
    options, request = pair.options, pair.request
    name = "paired permutation test ({:,} exchanges of {}, seed {})"
    if pair.is_of_counts:
        cells, permutations = pair.cells, options.count_draws[1]
        rng = stream(options.seed, "exchanged cells", request.name)
        observed = float(cells.differences(pair.statistics, iter([cells.counts[None]]))[0])
        swapped = cells.differences(pair.statistics, cells.exchanged(permutations, rng))
        method = name.format(permutations, "labels", options.seed)
        return permutation_p_value(swapped, observed, method, options.alternative)
    permutations = options.row_draws[1]
    first, second = pair.predictions
    sampler, joined = _sampler(first, second), _joined(pair)
    what: str = pair.unit
    if joined is not None:
        what = f"{joined.levels:,} places in {what}"
    elif is_of_rankings(request):
        first, second, what = with_ranks(first), with_ranks(second), f"ranks in {what}"

    def exchanged(rng: Generator) -> float:
        swap = sampler.of_rows(rng.random(sampler.units) < 0.5)
        if joined is not None:
            return joined.exchanged(swap)
        mine, theirs = (_value(request, p) for p in exchanged_rows(first, second, swap))
        return mine - theirs

    rng = stream(options.seed, "exchanged", request.name)
    swapped = in_blocks(exchanged, replicates=permutations, rng=rng, size=len(first))
    method = name.format(permutations, what, options.seed)
    # what is exchanged is compared with its like
    observed = pair.pooled if joined is None else joined.difference()
    evidence = permutation_p_value(swapped, observed, method, options.alternative)
    return evidence if joined is None else replace(evidence, statistic=pair.pooled)


def _sampler(*predictions: Predictions) -> RowSampler:
    """What draws rows, or groups, in an order that does not depend on the file's."""
    groups = predictions[0].design.groups
    return RowSampler(len(predictions[0]), groups=groups, order=partial(row_order, *predictions))


def _joined(pair: Pair) -> LongRankings | None:
    is_long = all(is_long_ranking(pair.request, p) for p in pair.predictions)
    return LongRankings(pair.request, pair.predictions) if is_long else None


def _drawn_value(request: Request, p: Predictions, times: NDArray[Any]) -> float:
    return _value(request, drawn_rows(p, times, is_written_out=request.counts_rows))


def _value(request: Request, p: Predictions) -> float:
    return overall(request, Tallies(p)).value


def drawn_values(side: Side, pair: Pair, number: int) -> NDArray[Any]:
    """The values of a model whose rows, or groups, are drawn again and again."""
    request, options, p = side.request, pair.options, side.predictions
    rng = stream(options.seed, "unpaired", str(number), request.name)
    sampler = _sampler(p)

    def value(own: Generator) -> float:
        return _drawn_value(request, p, sampler.multiplicities(own))

    return in_blocks(value, replicates=options.row_draws[0], rng=rng, size=len(p))
