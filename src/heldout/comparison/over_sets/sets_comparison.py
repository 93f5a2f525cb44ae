"""A comparison over many data sets: ranks, tests, every pair, and the verdict."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.comparison.over_sets.sets_difference import sets_against_interval, sets_in_words
from heldout.comparison.standing import Compared, as_pair
from heldout.comparison.words import FORCED
from heldout.core.errors import InputError
from heldout.core.shown import first_lines, p_in_words
from heldout.evaluation.tables import Frame

if TYPE_CHECKING:
    from heldout.comparison.options import CompareOptions
    from heldout.comparison.over_sets.results import ResultsTable
    from heldout.comparison.over_sets.sets_difference import SetsDifference
    from heldout.core.significance import Test


@dataclass(frozen=True, eq=False, repr=False)
class ResultsComparison(Compared):
    """Models over many data sets.

    Attributes
    ----------
    results
        The values: a row per data set, a column per model.
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
        for difference in self.differences:
            if (known := as_pair(difference, pair)) is not None:
                return known
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
            raise InputError(f"letters need every pair{self._only}")
        return self.standing

    @property
    def standing(self) -> dict[str, str]:
        """How each model stands, best first: its letters, or how it is beside the control."""
        return self._marks(self.differences, self.models)

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
                "middle": d.value,
                "low": d.low,
                "high": d.high,
                "level": d.level,
                "ranks": d.ranks,
                "test": d.test.method,
                "statistic": d.test.statistic,
                "p_value": d.test.p_value,
                "corrected": d.p_value,
                "correction": d.correction,
                "better": d.better if d.is_significant else "",
                "n": d.n,
                "note": "; ".join(filter(None, (*d.remark_lines, sets_against_interval(d)))),
            }
            for d in self.differences
        ]
        return Frame.of(rows)

    @property
    def of_all(self) -> list[str]:
        """Whether all models rank alike, in plain words; nothing of two models."""
        lines = [FORCED] if self.is_forced else []
        if self.omnibus:
            last = self.omnibus[-1]
            models = f"the {len(self.ranks)} models"
            sentence = f"no evidence that {models} rank differently"
            if last.p_value <= self.options.alpha:
                sentence = f"{models} do not all rank alike"
            lines.append(
                f"{sentence} over {len(self.results.sets)} data sets "
                f"({last.method}: p {p_in_words(last.p_value)})"
            )
        return lines

    @property
    def verdict(self) -> str:
        """The comparison in plain words: of all models, then a line per pair."""
        return "\n".join([*self.of_all, *(sets_in_words(self._named(d)) for d in self.differences)])

    def gaps(self, first: str, second: str) -> Any:
        """First minus second model's value on each data set."""
        names = self.results.models
        values = self.results.values
        return np.asarray(values[:, names.index(first)] - values[:, names.index(second)])

    def posterior_draws(self, first: str, second: str, draws: int) -> Any:
        """Draws behind the posterior of a pair: what favours the first, neither, the second."""
        from heldout.comparison.over_sets.bayesian import posterior_shares

        posterior = self[first, second].posterior
        assert posterior is not None
        gains = self.gaps(first, second) * (1 if self.higher_is_better else -1)
        how: Any = {"draws": draws, "seed": self.options.seed}
        return posterior_shares(posterior.test, gains, posterior.rope, **how)

    def posterior_bars(self, first: str, second: str, draws: int) -> tuple[Any, Any, Any]:
        """Those draws by the share that favours the first of what favours one: edges of bars.

        Behind the edges the draws that favour the second model in each bar, then the others.
        """
        shares = self.posterior_draws(first, second, draws)
        total = shares[:, 0] + shares[:, 2]
        of_first = shares[:, 0] / np.where(total > 0, total, 1)
        edges = np.linspace(0, 1, 51)
        parts = of_first[of_first < 0.5], of_first[of_first >= 0.5]
        of_second, rest = (np.histogram(part, edges)[0] for part in parts)
        return edges, of_second, rest

    def plot(self, name: str = "ranks", *, path: Any = None, **options: Any) -> Any:
        """A chart as a matplotlib figure, as ``Comparison.plot``: ranks, forest, posterior, all."""
        return self._plot(name, path=path, **options)

    def __repr__(self) -> str:
        counts = f"{len(self.ranks)} models on {len(self.results.sets)} data sets\n"
        doubt = f"WARNING: {self.results.doubt}\n" if self.results.doubt else ""
        return first_lines(f"{counts}{doubt}{self.verdict}")
