"""Bayesian sign and signed-rank tests: two models on many data sets, with equivalence."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.comparison.posterior import Posterior
from heldout.core.errors import InputError
from heldout.core.random import stream

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

#: weights that are drawn at once
NUMBERS = 4_000_000
SIGN, SIGNED_RANK = "Bayesian sign test", "Bayesian signed-rank test"


def bayesian_signed_rank(differences: NDArray[Any], rope: float = 0.0, **drawn: Any) -> Posterior:
    """How probable it is that one model is better over data sets like these.

    Parameters are those of ``posterior_shares``.

    Notes
    -----
    The distribution of data sets has a Dirichlet process prior. Each draw weighs the data sets
    (and the prior's), and asks which of three shares is largest: pairs of data sets whose mean
    difference favours the first model, neither, or the second. Benavoli, Corani, Mangili,
    Zaffalon and Ruggeri (2014), ICML; Benavoli, Corani, Demšar and Zaffalon (2017), J. Mach.
    Learn. Res. 18:77. Without a region of equivalence a data set without a difference, and the
    prior's, is half a smallest win of each model: else a single win among draws would be certain
    to recur.

    Examples
    --------
    >>> found = bayesian_signed_rank(np.array([0.02, 0.03, 0.01, 0.04, 0.02]), rope=0.005)
    >>> found.first_better > 0.95
    True
    """
    return _posterior(SIGNED_RANK, differences, rope, **drawn)


def bayesian_sign(differences: NDArray[Any], rope: float = 0.0, **drawn: Any) -> Posterior:
    """How probable it is that one model wins most data sets like these, whatever the margin.

    Parameters are those of ``posterior_shares``; the papers of the signed-rank test describe it.

    Examples
    --------
    >>> bayesian_sign(np.array([0.02, 0.03, 0.01, 0.04, 0.02]), rope=0.005).first_better > 0.9
    True
    """
    return _posterior(SIGN, differences, rope, **drawn)


def posterior_shares(
    test: str,
    differences: NDArray[Any],
    rope: float = 0.0,
    *,
    prior: float = 1.0,
    draws: int = 50_000,
    seed: int = 1,
) -> NDArray[np.float64]:
    """The draws behind a test: of each, what favours the first model, neither, the second.

    Parameters
    ----------
    test
        ``Bayesian sign test`` (shares of data sets) or ``Bayesian signed-rank test`` (of pairs).
    differences
        First minus second model's value on each data set.
    rope
        Differences up to this size (both ways) count as equivalent.
    prior
        Weight of one more data set without a difference, which the prior adds.

    Examples
    --------
    >>> posterior_shares("Bayesian sign test", np.array([0.02, 0.03]), 0.005, draws=100).shape
    (100, 3)
    """
    # an order and a side of their own, so that exchanging the models mirrors every draw
    values = np.sort(_checked(differences, rope, prior))
    turned = -values[::-1]
    is_turned = turned.tolist() > values.tolist()
    values = turned if is_turned else values
    if test == SIGN:
        shares = _signs(values, rope, prior, draws, seed)
    else:
        shares = np.concatenate(list(_drawn(values, rope, prior, draws, seed)))
    return shares[:, ::-1] if is_turned else shares


def _posterior(
    test: str, differences: NDArray[Any], rope: float, *, seed: int = 1, **drawn: Any
) -> Posterior:
    shares = posterior_shares(test, differences, rope, seed=seed, **drawn)
    first, equal, second = _winners(shares, rope) / len(shares)
    method = f"{test} ({len(shares):,} draws, seed {seed})"
    return Posterior(method, float(first), float(equal), float(second), rope, test=test)


def _signs(
    values: NDArray[np.float64], rope: float, prior: float, draws: int, seed: int
) -> NDArray[np.float64]:
    """Weights of the data sets for the first model, for neither and for the second."""
    limit = _limit(values, rope)
    wins, losses = int((values > limit).sum()), int((values < -limit).sum())
    counts = np.array([wins, len(values) - wins - losses + prior, losses], float)
    if rope == 0:
        counts = np.array([wins + counts[1] / 2, 0.0, losses + counts[1] / 2])
    weights = stream(seed, "bayesian sign").standard_gamma(counts, size=(draws, 3))
    return np.asarray(weights / weights.sum(axis=1, keepdims=True), float)


def _drawn(
    differences: NDArray[np.float64], rope: float, prior: float, draws: int, seed: int
) -> Iterator[NDArray[Any]]:
    """Shares of weighted pairs for the first model, for neither and for the second, by block."""
    values = np.concatenate([[0.0], differences])
    shape = np.concatenate([[prior], np.ones(len(differences))])
    limit = 2 * _limit(values, rope)
    if rope == 0:
        # half a smallest win of each model, which any other difference outweighs: two of them are
        # a win, one and its opposite are none
        none, win = values == 0, 0.75 * limit
        wins = np.repeat([win, -win], int(none.sum()))
        shape = np.concatenate([shape[~none], shape[none] / 2, shape[none] / 2])
        values = np.concatenate([values[~none], wins])
    # with values in order, the partners with which one makes a win are all from some place on
    order = np.argsort(values, kind="stable")
    ordered = values[order]
    above = np.searchsorted(ordered, limit - values, "right")
    below = np.searchsorted(ordered, -limit - values, "left")
    generator, block = stream(seed, "bayesian signed rank"), max(NUMBERS // len(values), 1)
    for start in range(0, draws, block):
        size = min(block, draws - start)
        weights = generator.standard_gamma(shape, size=(size, len(values)))
        weights /= weights.sum(axis=1, keepdims=True)
        before = np.zeros((size, len(values) + 1))
        np.cumsum(weights[:, order], axis=1, out=before[:, 1:])
        first = ((before[:, -1:] - before[:, above]) * weights).sum(axis=1)
        second = (before[:, below] * weights).sum(axis=1)
        yield np.stack([first, 1 - first - second, second], axis=1)


def _limit(values: NDArray[Any], rope: float) -> float:
    """The size beyond which a difference counts; float noise does not carry one across it."""
    return rope + 1e-10 * max(rope, float(np.abs(values).max()))


def _checked(differences: NDArray[Any], rope: float, prior: float) -> NDArray[np.float64]:
    values = np.asarray(differences, float).ravel()
    if not len(values) or np.isnan(values).any():
        raise InputError("Bayesian tests over data sets need a difference for every data set")
    if rope < 0 or prior <= 0:
        raise InputError("the region of equivalence is a size from 0, and the prior is above 0")
    return values


def _winners(shares: NDArray[np.float64], rope: float) -> NDArray[np.float64]:
    """In how many draws each of the three shares is the largest; draws that tie are halved."""
    first, equal, second = shares.T
    is_even = (equal >= first) & (equal >= second) if rope else np.zeros(len(first), bool)
    wins = float((~is_even & (first > second)).sum()) + (~is_even & (first == second)).sum() / 2
    even = float(is_even.sum())
    return np.array([wins, even, len(first) - wins - even])
