"""How probable it is that one model is better, given a difference that does not matter."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from math import inf, nan
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.comparison.split_tests import SAME, checked_gaps, split_error
from heldout.core.errors import InputError

if TYPE_CHECKING:
    from numpy.random import Generator
    from numpy.typing import NDArray

#: parts of the distribution of the number of discordant rows that are summed over
PARTS = 4000
#: the same for a density, which is read at many places
FEWER_PARTS = 1000
#: draws that are kept for whoever wants some
SHOWN = 4000


@dataclass(frozen=True, slots=True)
class Posterior:
    """Probabilities that one model is better, that they are equivalent, that the other is.

    On one test set and after folds it is of values: "better" means greater there.
    """

    method: str
    first_better: float
    equivalent: float
    second_better: float
    rope: float
    note: str = ""
    #: where it is a t distribution (infinite freedom: normal): its middle, scale and freedom
    center: float = nan
    error: float = nan
    freedom: float = inf
    #: draws of the difference, where there are any
    draws: NDArray[Any] | None = field(default=None, compare=False, repr=False)
    #: where it is of shares: the Dirichlet parameters of only the first, only the second, the rest
    cells: tuple[float, float, float] | None = None
    #: the Bayesian test over data sets that it is of
    test: str = ""

    @property
    def mirrored(self) -> Posterior:
        """The same seen from the second model."""
        return replace(
            self,
            first_better=self.second_better,
            second_better=self.first_better,
            center=-self.center,
            draws=None if self.draws is None else -self.draws,
            cells=None if self.cells is None else (self.cells[1], self.cells[0], self.cells[2]),
        )

    def density(self, value: float, x: NDArray[Any]) -> NDArray[Any]:
        """How dense the difference is at even steps; ``value`` is its middle.

        Of shares it is integrated, of a mean a t distribution, else smoothed draws.
        """
        from scipy.stats import gaussian_kde, t

        if self.cells is not None:
            half = (x[1] - x[0]) / 2
            return share_density(self.cells, np.append(x - half, x[-1] + half))
        if self.draws is not None:
            return np.asarray(gaussian_kde(self.draws)(x))
        return np.asarray(t.pdf((x - value) / self.error, self.freedom) / self.error)


def student_posterior(
    method: str, center: float, error: float, rope: float, *, freedom: float = inf, note: str = ""
) -> Posterior:
    """A t distribution about the difference, read at a region of practical equivalence.

    That is the posterior of a mean with no prior knowledge; with infinite freedom it is normal.

    Examples
    --------
    >>> found = student_posterior("normal", 0.02, 0.01, 0.01)
    >>> found.first_better, found.equivalent, found.second_better
    (0.8413, 0.1573, 0.0013)
    """
    _checked(rope)
    if error == 0:
        if center == 0 and rope == 0:
            return Posterior(method, 0.5, 0.0, 0.5, rope, note)
        shares = float(center > rope), float(abs(center) <= rope), float(center < -rope)
        return Posterior(method, *shares, rope, note)
    from heldout.core.special import ndtr, stdtr

    def below(value: float) -> float:
        return float(ndtr(value) if freedom == inf else stdtr(freedom, value))

    less, more = below((-rope - center) / error), below((center - rope) / error)
    middle = max(0.0, 1 - more - less)
    return Posterior(method, more, middle, less, rope, note, center, error, freedom)


def correlated_t(differences: NDArray[Any], test_share: float, rope: float = 0.0) -> Posterior:
    """The posterior of the mean difference, read at a region of practical equivalence.

    With no prior knowledge it is a t distribution with the mean and the corrected standard
    error of ``corrected_t``. Corani and Benavoli (2015), Mach. Learn. 100:285.

    Parameters
    ----------
    rope
        Differences up to this size (both ways) count as equivalent.

    Examples
    --------
    >>> found = correlated_t(np.array([0.02, 0.01, 0.03, 0.0, 0.02]), 1 / 4, rope=0.01)
    >>> found.first_better, found.equivalent, found.second_better
    (0.7617, 0.2247, 0.0136)
    """
    gaps = checked_gaps(differences, test_share)
    mean, error = float(gaps.mean()), float(split_error(gaps, test_share))
    method = "Bayesian correlated t test (Corani and Benavoli)"
    note = "" if error else SAME
    return student_posterior(method, mean, error, rope, freedom=len(gaps) - 1, note=note)


def share_posterior(
    only_first: int, only_second: int, rest: int, rope: float, rng: Generator
) -> Posterior:
    """That of the difference of two shares of the same rows.

    The shares of the rows on which just one model is right have a Dirichlet distribution: the
    counts, and one pseudo-row spread over the four cells of two answers, so that either share
    alone has Jeffreys' prior. The probabilities are integrals, not draws.

    Parameters
    ----------
    only_first, only_second, rest
        Rows on which just that model is right, and all others.
    rng
        For the draws that are kept.

    Examples
    --------
    >>> found = share_posterior(12, 2, 36, 0.05, np.random.default_rng(1))
    >>> found.first_better, found.equivalent, found.second_better
    (0.9851, 0.0147, 0.0002)
    """
    from heldout.core.special import betainc, betaincc, betaincinv

    _checked(rope)
    first_mass, second_mass = only_first + 0.25, only_second + 0.25
    many, few = first_mass + second_mass, rest + 0.5
    # of rows told differently, in equally likely parts
    discordant = betaincinv(many, few, (np.arange(PARTS) + 0.5) / PARTS)
    with np.errstate(divide="ignore"):
        far = np.minimum(rope / discordant, 1.0) / 2 if rope else np.zeros(PARTS)
    first = float(np.mean(betaincc(first_mass, second_mass, 0.5 + far)))
    second = float(np.mean(betainc(first_mass, second_mass, 0.5 - far)))
    shown = rng.beta(many, few, SHOWN) * (2 * rng.beta(first_mass, second_mass, SHOWN) - 1)
    method = "Dirichlet posterior of the joint answers"
    even, cells = max(0.0, 1 - first - second), (first_mass, second_mass, few)
    return Posterior(method, first, even, second, rope, draws=shown, cells=cells)


def share_density(cells: tuple[float, float, float], edges: NDArray[Any]) -> NDArray[Any]:
    """The mean density of the difference of two shares between each two neighbouring edges.

    Integrated over the share of discordant rows as the probabilities are, so that what a chart
    shows is no matter of draws.

    Examples
    --------
    >>> edges = np.linspace(-1, 1, 201)
    >>> float((share_density((12.25, 2.25, 36.5), edges) * np.diff(edges)).sum())
    1.0
    """
    from heldout.core.special import betainc, betaincinv

    first_mass, second_mass, few = cells
    parts = (np.arange(FEWER_PARTS) + 0.5) / FEWER_PARTS
    discordant = np.maximum(betaincinv(first_mass + second_mass, few, parts), 1e-300)
    # a difference of x needs a share (1 + x / discordant) / 2 of discordant rows
    far = np.clip(np.asarray(edges, float)[:, None] / discordant, -1.0, 1.0)
    below = betainc(first_mass, second_mass, (1 + far) / 2).mean(axis=1)
    return np.asarray(np.diff(below) / np.diff(edges))


def drawn_posterior(method: str, draws: NDArray[Any], rope: float) -> Posterior:
    """The shares of draws of a difference; undefined ones are left out and counted.

    Examples
    --------
    >>> found = drawn_posterior("draws", np.array([-0.02, 0.0, 0.005, 0.03]), 0.01)
    >>> found.first_better, found.equivalent, found.second_better
    (0.25, 0.5, 0.25)
    """
    _checked(rope)
    known = draws[~np.isnan(draws)]
    lost = len(draws) - len(known)
    note = f"undefined in {lost:,} of {len(draws):,} draws" if lost else ""
    if not len(known):
        return Posterior(method, nan, nan, nan, rope, note)
    first, second = float(np.mean(known > rope)), float(np.mean(known < -rope))
    if not rope:
        even = (1 - first - second) / 2
        return Posterior(method, first + even, 0.0, second + even, rope, note, draws=known)
    return Posterior(method, first, 1 - first - second, second, rope, note, draws=known)


def _checked(rope: float) -> None:
    if rope < 0:
        raise InputError(f"a region of practical equivalence is a size from 0, not {rope!r}")
