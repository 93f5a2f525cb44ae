"""Two models over many data sets in plain words, and why interval and verdict may differ."""

from __future__ import annotations

from typing import TYPE_CHECKING

from heldout.core.shown import p_in_words

if TYPE_CHECKING:
    from heldout.comparison.results_comparison import SetsDifference

__all__ = ["against_interval", "sets_in_words"]


def sets_in_words(d: SetsDifference, sets: int, *, is_different: bool) -> str:
    """One sentence on a pair of models."""
    if d.wins == d.losses == 0:
        return f"{d.first} and {d.second} do not differ on any of {sets} data sets"
    limits = ""
    if not d.interval.is_absent:
        limits = f", {_limits(d)}"
    score = f"{d.first} wins {d.wins}, draws {d.draws}, loses {d.losses}"
    middle = f"middle of {d.first} - {d.second} {d.middle:+.3g}{limits}"
    if is_different and d.better:
        worse = d.second if d.better == d.first else d.first
        said = f"{d.better} is better than {worse} over {sets} data sets"
        won = d.wins - d.losses if d.better == d.first else d.losses - d.wins
        said += ", by larger differences on fewer of them" if won < 0 else ""
    elif d.evidence.alternative == "two-sided":
        said = f"{d.first} and {d.second} cannot be told apart by {sets} data sets"
    else:
        is_first = (d.evidence.alternative == "greater") == d.higher_is_better
        one, other = (d.first, d.second) if is_first else (d.second, d.first)
        said = f"it is not shown by {sets} data sets that {one} is better than {other}"
    p = f"p {p_in_words(d.corrected)}" + (f" ({d.correction})" if d.correction else "")
    made = f"{said} ({score}; {middle}), {p}"
    doubt = against_interval(d, is_different=is_different)
    return f"{made}{_posterior(d)}" + (f"; {doubt}" if doubt else "")


def against_interval(d: SetsDifference, *, is_different: bool) -> str:
    """Why the interval of a pair and the verdict on it say different things; empty: they agree.

    The interval is that of Wilcoxon's signed ranks of this pair alone. The verdict may be of
    another test, of ranks among all models, or corrected.
    """
    if d.interval.is_absent or d.wins == d.losses == 0:
        return ""
    excludes = d.interval.low > 0 or d.interval.high < 0
    if excludes == is_different:
        return ""
    seen = (
        "the interval leaves 0 out, the test does not tell them apart"
        if excludes
        else "the test tells them apart, the interval holds 0"
    )
    return f"{seen}: {_reason(d)}"


def _reason(d: SetsDifference) -> str:
    if d.correction:
        corrected = "" if d.correction == "none" else ", and corrected for all pairs"
        return (
            "the interval is of how much this pair differs, on its own; the test is of their ranks "
            f"among all models{corrected}"
        )
    method = d.evidence.method
    if "t test" in method:
        return "the interval is of signed ranks, the test of the mean difference"
    if method.startswith("sign test"):
        return "the interval weighs how much the models differ, the sign test only who wins"
    return (
        "with ties or draws the interval, which ranks anew for each of its values, is wider than "
        "its level says; the test ranks the differences as they are"
    )


def _limits(d: SetsDifference) -> str:
    level = f"{100 * d.interval.level:g}%"
    if d.evidence.alternative == "greater":
        return f"at least {d.interval.low:+.3g} (one-sided {level})"
    if d.evidence.alternative == "less":
        return f"at most {d.interval.high:+.3g} (one-sided {level})"
    return f"{level} {d.interval.low:+.3g} to {d.interval.high:+.3g}"


def _posterior(d: SetsDifference) -> str:
    if d.posterior is None:
        return ""
    q = d.posterior
    made = f"; probability that {d.first} is better {_chance(q.first_better)}, "
    made += f"that {d.second} is {_chance(q.second_better)}"
    if q.rope:
        made += f", that they are equivalent within {q.rope:g} {_chance(q.equivalent)}"
    return made


def _chance(share: float) -> str:
    """A probability from draws, which are never certain."""
    return ">0.999" if share > 0.9995 else "<0.001" if share < 0.0005 else f"{share:.3f}"
