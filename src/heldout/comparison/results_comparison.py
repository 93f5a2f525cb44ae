"""A comparison over many data sets: ranks, tests, every pair, and the verdict."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import isnan
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.comparison.standing import Compared, find_pair
from heldout.comparison.words import FORCED, against_interval, sets_in_words
from heldout.core.errors import InputError
from heldout.core.shown import Shown, first_lines, p_in_words, visible
from heldout.evaluation.tables import Frame

if TYPE_CHECKING:
    from heldout.comparison.options import CompareOptions
    from heldout.comparison.results_table import ResultsTable
    from heldout.comparison.split_tests import Posterior
    from heldout.core.significance import Test
    from heldout.uncertainty.interval import Interval

__all__ = ["ResultsComparison", "SetsDifference"]

#: tests of how much models differ, not only of who wins
OF_SIZES = ("wilcoxon", "t-over-sets")


@dataclass(frozen=True, slots=True, repr=False)
class SetsDifference(Shown):
    """Two models over the data sets: who wins how often, the middle difference, the test."""

    first: str
    second: str
    #: data sets on which the first model is better, neither is, the second is
    wins: int
    draws: int
    losses: int
    #: the middle of first minus second (Hodges and Lehmann), and its interval
    middle: float
    interval: Interval
    #: difference of mean ranks, negative where the first is better
    ranks: float
    test: Test
    #: the p-value corrected for the number of pairs
    corrected: float
    correction: str = ""
    posterior: Posterior | None = None
    higher_is_better: bool = True
    #: the test by its name, as ``methods.METHODS`` has it
    test_name: str = ""
    #: whether the design does not admit the test, and only force did
    is_forced: bool = False

    def __repr__(self) -> str:
        """One line: the pair, the middle difference and its interval, the p-value."""
        limits = f" {self.interval}" if not self.interval.is_absent else ""
        wins = f"{self.wins} wins, {self.draws} draws, {self.losses} losses"
        text = f"{self.first} - {self.second} {self.middle:.4g}{limits}, {wins}"
        return visible(f"<{text}, p {p_in_words(self.corrected)}>")

    @property
    def p_value(self) -> float:
        """The p-value, corrected for the number of pairs."""
        return self.corrected

    @property
    def mirrored(self) -> SetsDifference:
        """The same difference seen from the second model."""
        return replace(
            self,
            first=self.second,
            second=self.first,
            wins=self.losses,
            losses=self.wins,
            middle=-self.middle,
            interval=self.interval.mirrored,
            ranks=-self.ranks,
            test=replace(self.test.mirrored(), statistic=self._turned()),
            posterior=None if self.posterior is None else self.posterior.mirrored,
        )

    def _turned(self) -> float:
        """The statistic with the models exchanged: a rank sum is taken from the sum of all."""
        statistic = self.test.statistic
        if self.wins == self.losses == 0:
            return statistic
        if self.test_name != "wilcoxon":
            return -statistic
        sets = self.wins + self.draws + self.losses
        return sets * (sets + 1) / 2 - statistic

    @property
    def better(self) -> str:
        """The model that the test favours; empty where they are alike.

        That is the one with the better mean rank; where sizes of differences were tested
        (Wilcoxon), the one with the better middle, which may win on fewer data sets.
        """
        lead = -self.ranks
        if self.test_name in OF_SIZES:
            lead = self.middle if self.higher_is_better else -self.middle
        return "" if not lead else self.first if lead > 0 else self.second


@dataclass(frozen=True, eq=False, repr=False)
class ResultsComparison(Compared):
    """Models over many data sets.

    Attributes
    ----------
    results
        The values: a row a data set, a column a model.
    ranks
        The mean rank of each model (1 is best; ties share).
    omnibus
        Tests of all models at once (more than two models).
    differences
        Every pair of models, or the control with each other one.
    critical
        Nemenyi's critical difference of mean ranks at the level, or Bonferroni and Dunn's from
        the control; NaN for two models.
    """

    results: ResultsTable
    ranks: dict[str, float]
    omnibus: tuple[Test, ...]
    differences: tuple[SetsDifference, ...]
    critical: float
    options: CompareOptions
    higher_is_better: bool = True
    reasoning: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def models(self) -> tuple[str, ...]:
        """The models, the best mean rank first."""
        return tuple(sorted(self.ranks, key=lambda m: (self.ranks[m], m)))

    def __getitem__(self, pair: tuple[str, str]) -> SetsDifference:
        """The difference of two models; named the other way round, it is mirrored."""
        found = find_pair(self.differences, pair)
        if found is not None:
            return found
        there = f"the models are {', '.join(self.results.models)}"
        if self.control:
            there += f", each compared with the control {self.control!r}"
        raise InputError(f"no such pair of models: {tuple(pair)!r}; {there}")

    @property
    def means(self) -> dict[str, float]:
        """The mean over data sets of each model's values."""
        means = self.results.values.mean(axis=0).tolist()
        return dict(zip(self.results.models, means, strict=True))

    @property
    def has_critical(self) -> bool:
        """Whether pairs are told apart by the critical difference, not by another correction."""
        chosen = self.differences[0].correction
        return chosen == ("bonferroni" if self.control else "nemenyi")

    @property
    def letters(self) -> dict[str, str]:
        """Letters by model, best first: models that share one were not told apart.

        Beside a control there are none, for the other models were not compared: ``standing``.
        """
        if self.control:
            raise InputError(
                f"letters need every pair; each model is compared with the control {self.control!r}"
            )
        return self._letters(self.differences, self.models)

    @property
    def standing(self) -> dict[str, str]:
        """How each model stands, best first: its letters, or how it is beside the control."""
        if not self.control:
            return self.letters
        return self._beside_control(self.differences, self.models)

    @property
    def table(self) -> Frame:
        """A row for each pair of models."""
        rows = [
            {
                "measure": self.results.measure,
                "first": d.first,
                "second": d.second,
                "wins": d.wins,
                "draws": d.draws,
                "losses": d.losses,
                "middle": d.middle,
                "low": None if d.interval.is_absent else d.interval.low,
                "high": None if d.interval.is_absent else d.interval.high,
                "level": d.interval.level,
                "ranks": d.ranks,
                "test": d.test.method,
                "statistic": d.test.statistic,
                "p_value": d.test.p_value,
                "corrected": d.corrected,
                "correction": d.correction,
                "better": d.better if self.is_different(d) else "",
                "n": len(self.results.sets),
                "note": "; ".join(
                    filter(None, (d.test.note, d.interval.note, self.against_interval(d)))
                ),
            }
            for d in self.differences
        ]
        return Frame({name: [row[name] for row in rows] for name in rows[0]})

    @property
    def verdict(self) -> str:
        """The comparison in plain words."""
        lines = [FORCED] if self.is_forced else []
        if self.omnibus:
            last = self.omnibus[-1]
            apart = not isnan(last.p_value) and last.p_value <= self.options.alpha
            models = f"the {len(self.ranks)} models"
            sentence = f"{models} do not all rank alike"
            sentence = sentence if apart else f"no evidence that {models} rank differently"
            lines.append(
                f"{sentence} over {len(self.results.sets)} data sets "
                f"({last.method}: p {p_in_words(last.p_value)})"
            )
        lines += [
            sets_in_words(
                self._named(d),
                len(self.results.sets),
                is_different=self.is_different(d),
                alpha=self.options.alpha,
            )
            for d in self.differences
        ]
        return "\n".join(lines)

    def against_interval(self, difference: SetsDifference) -> str:
        """Why the interval of a pair and the verdict on it differ; empty where they agree."""
        apart = self.is_different(difference)
        return against_interval(difference, is_different=apart, alpha=self.options.alpha)

    def gaps(self, first: str, second: str) -> Any:
        """First minus second model's value on each data set."""
        names = self.results.models
        values = self.results.values
        return np.asarray(values[:, names.index(first)] - values[:, names.index(second)])

    def posterior_draws(self, first: str, second: str, draws: int) -> Any:
        """Draws behind the posterior of a pair: what favours the first, neither, the second."""
        from heldout.comparison.bayesian_signed_rank import posterior_shares

        posterior = self[first, second].posterior
        assert posterior is not None
        gains = self.gaps(first, second) * (1 if self.higher_is_better else -1)
        how: Any = {"draws": draws, "seed": self.options.seed}
        return posterior_shares(posterior.test, gains, posterior.rope, **how)

    def plot(self, name: str = "ranks", *, path: Any = None, **options: Any) -> Any:
        """A chart as a matplotlib figure, as ``Comparison.plot``: ranks, forest, posterior, all."""
        return self._plot(name, path=path, **options)

    def __repr__(self) -> str:
        counts = f"{len(self.ranks)} models on {len(self.results.sets)} data sets\n"
        doubt = f"WARNING: {self.results.doubt}\n" if self.results.doubt else ""
        return first_lines(f"{counts}{doubt}{self.verdict}")
