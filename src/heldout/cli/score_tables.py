"""The tables beside the measures that ``heldout score`` was asked for: decisions and slices."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from heldout.cli.screen import note
from heldout.cli.texts import words
from heldout.core.errors import InputError
from heldout.decisions.rules import parse_rule
from heldout.measures.kinds import Share
from heldout.measures.spec import parse_request

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from heldout.assess.scorecard import Scorecard

__all__ = ["TITLES", "tables_of"]

#: each table's name in JSON, and its title on a page
TITLES = {
    "slices": "worst slices first",
    "ranking": "Models, best first",
    "thresholds": "Thresholds (score >= threshold is positive)",
    "mixtures": "A wanted rate exactly, by tossing a coin between two thresholds",
    "operating_point": "Best point on the ROC hull",
    "expected_profit": "Deciding by expected profit",
    "prevalence": "At other prevalences (first: these rows)",
}

#: shares of the ROC plane: which of its two axes, and whether the share is 1 less that axis
RATES = {
    Share("tp", "positives"): ("sensitivity", False),
    Share("fn", "positives"): ("sensitivity", True),
    Share("tn", "negatives"): ("fpr", True),
    Share("fp", "negatives"): ("fpr", False),
}


def tables_of(card: Scorecard, given: Mapping[str, Any]) -> dict[str, list[dict[str, Any]]]:
    """The tables by name; only those that were asked for."""
    found: dict[str, list[dict[str, Any]]] = {}
    lack = _lack_of_classes(card)
    shares = [_share(text) for many in given["prevalence"] for text in words(many) or ()]
    if given["by"]:
        found["slices"] = card.slices(*given["measures"])
    if given["rank"] is not None:
        found["ranking"] = card.ranking(given["rank"])
    if given["best"]:
        found["thresholds"] = card.thresholds(*given["best"])
        if not lack and (tosses := _tosses(card, given["best"])):
            found["mixtures"] = tosses
    if card.profit is not None or card.cost is not None:
        scored = all(t.has_scores for t in card.tallies)
        if scored and card.task == "binary" and not lack:
            found["operating_point"] = card.operating_point(None, *shares)
        elif scored and lack and not given["quiet"]:
            note(f"the best point on the ROC hull is not given: {lack}")
        if scored and not any(p.score_problem for p in card.predictions):
            found["expected_profit"] = card.expected_profit()
    if shares and lack:
        raise InputError(f"--prevalence: {lack}, so the rates of the other are not known")
    if shares:
        found["prevalence"] = card.at_prevalence(*shares)
    return found


def _lack_of_classes(card: Scorecard) -> str:
    """Whose rows are all of one of two classes, and of which; empty where none are."""
    if card.task != "binary":
        return ""
    for p in card.predictions:
        if (p.truth == p.truth[0]).all():
            whose = f" of {p.source or p.model}" if p.source or p.model else ""
            return f"the rows{whose} are all of class {p.classes[int(p.truth[0])]!r}"
    return ""


def _tosses(card: Scorecard, rules: Sequence[str]) -> list[dict[str, Any]]:
    """For each rule that keeps a rate of the ROC plane, the coin toss that reaches it."""
    found: dict[str, list[dict[str, Any]]] = {}  # whatever is made best, the toss is the same
    for text in rules:
        condition = parse_rule(text, profit=card.profit, cost=card.cost).condition
        share = None if condition is None else parse_request(condition.goal.name).measure.share
        if condition is None or share not in RATES:
            continue
        rate, is_complement = RATES[share]
        wanted = 1 - condition.bound if is_complement else condition.bound
        # the rule's own words, not a difference's last digits
        tosses = card.mixture(**{rate: wanted})
        found[condition.name] = [{"rule": condition.name, **toss} for toss in tosses]
    return [toss for tosses in found.values() for toss in tosses]


def _share(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise InputError(f"--prevalence {text!r} is not a number between 0 and 1") from None
