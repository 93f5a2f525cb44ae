"""Two models over data sets: their difference, who wins how often, and that in words."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import nan
from typing import Self

from heldout.comparison.difference import Difference
from heldout.comparison.words import contradiction, signed_limits
from heldout.core.shown import p_in_words, visible
from heldout.core.significance import correction_title

#: tests over data sets of how much models differ, not only of who wins
OF_SIZES = ("wilcoxon", "t-over-sets")


@dataclass(frozen=True, repr=False, kw_only=True)
class SetsDifference(Difference):
    """Two models over data sets: also who wins how often; the value is the middle difference."""

    #: data sets on which the first model is better, neither is, the second is
    wins: int = 0
    draws: int = 0
    losses: int = 0
    #: difference of mean ranks, negative where the first is better
    ranks: float = nan
    #: how p-values of several pairs are corrected
    correction: str = ""

    def __repr__(self) -> str:
        """One line: the pair, the middle difference and its interval, the p-value."""
        limits = f" {self.interval}" if not self.interval.is_absent else ""
        wins = f"{self.wins} wins, {self.draws} draws, {self.losses} losses"
        text = f"{self.first} - {self.second} {self.value:.4g}{limits}, {wins}"
        return visible(f"<{text}, p {p_in_words(self.p_value)}>")

    @property
    def mirrored(self) -> Self:
        """The same difference seen from the second model."""
        return replace(super().mirrored, wins=self.losses, losses=self.wins, ranks=-self.ranks)

    @property
    def lead(self) -> float:
        """By the mean rank; where sizes of differences were tested (Wilcoxon), by the middle,
        with which a model may be ahead that wins on fewer data sets.
        """
        return super().lead if self.test.name in OF_SIZES else -self.ranks

    @property
    def differing(self) -> int:
        """On how many data sets the models differ: only those can tell them apart."""
        return self.wins + self.losses


def sets_in_words(d: SetsDifference) -> str:
    """One sentence on a pair of models."""
    sets = d.n
    if not d.differing:
        return f"{d.first} and {d.second} do not differ on any of {sets} data sets"
    limits = "" if d.interval.is_absent else f", {signed_limits(d)}"
    score = f"{d.first} wins {d.wins}, draws {d.draws}, loses {d.losses}"
    middle = f"median difference {d.model}: {d.value:+.3g}{limits}"
    if d.is_significant and d.better:
        verdict = f"{d.better} is better than {d.worse} over {sets} data sets"
        won = d.wins - d.losses if d.better == d.first else d.losses - d.wins
        verdict += ", by larger differences on fewer of them" if won < 0 else ""
    elif d.test.alternative == "two-sided":
        verdict = f"no clear difference between {d.first} and {d.second} over {sets} data sets"
    else:
        is_first = (d.test.alternative == "greater") == (d.direction == "up")
        claimed, other = (d.first, d.second) if is_first else (d.second, d.first)
        verdict = f"no evidence over {sets} data sets that {claimed} is better than {other}"
    p = f"p {p_in_words(d.p_value)}" + (
        f" ({correction_title(d.correction)})" if d.correction else ""
    )
    sentence = f"{verdict} ({score}; {middle}), {p}"
    doubt = sets_against_interval(d)
    return f"{sentence}{_posterior(d)}" + (f"; {doubt}" if doubt else "")


def sets_against_interval(d: SetsDifference) -> str:
    """Why interval and verdict say different things; empty where they agree.

    The interval is that of Wilcoxon's signed ranks of this pair alone; the verdict may be of
    another test, of ranks among all models, or corrected.
    """
    seen = contradiction(d, d.p_value) if d.differing else ""
    return f"{seen}: {_reason(d)}" if seen else ""


def _reason(d: SetsDifference) -> str:
    if d.correction:
        corrected = "" if d.correction == "none" else ", and corrected for all pairs"
        return (
            "the interval is of how much this pair differs, on its own; the test is of their ranks "
            f"among all models{corrected}"
        )
    if d.test.name == "t-over-sets":
        return "the interval is of signed ranks, the test of the mean difference"
    if d.test.name == "sign":
        return "the interval weighs how much the models differ, the sign test only who wins"
    return (
        "with ties or draws the interval, which ranks anew for each of its values, is wider than "
        "its level says; the test ranks the differences as they are"
    )


def _posterior(d: SetsDifference) -> str:
    if d.posterior is None:
        return ""
    q = d.posterior
    sentence = f"; probability that {d.first} is better {_chance(q.first_better)}, "
    sentence += f"that {d.second} is {_chance(q.second_better)}"
    if q.rope:
        sentence += f", that they are equivalent within {q.rope:g} {_chance(q.equivalent)}"
    return sentence


def _chance(share: float) -> str:
    """A probability from draws, which are never certain."""
    return ">0.999" if share > 0.9995 else "<0.001" if share < 0.0005 else f"{share:.3f}"
