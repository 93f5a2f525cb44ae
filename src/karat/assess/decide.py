"""Decisions and slices of a scorecard, as tables of records with the model's name in each."""

from __future__ import annotations

from math import isnan
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.assess.slices import slice_tables
from karat.assess.uncertainty import Uncertainty
from karat.assess.values import lacking
from karat.core.errors import InputError
from karat.curves.hull import hull_curve, mixture
from karat.curves.several import hull_of_models
from karat.decisions.expected_profit import expected_profit
from karat.decisions.operating_point import operating_point
from karat.decisions.prevalence import prevalence_table
from karat.decisions.ranking import ranking
from karat.decisions.rules import parse_rule
from karat.decisions.thresholds import best_thresholds
from karat.intervals.interval import Interval
from karat.intervals.score_rows import ScoreRows

if TYPE_CHECKING:
    from collections.abc import Sequence

    from karat.assess.scorecard import Scorecard
    from karat.curves.hull import Mixture
    from karat.decisions.records import Record
    from karat.engines.memory import Tallies
    from karat.measures.spec import Request

__all__ = [
    "at_prevalences",
    "chosen_thresholds",
    "expected_profits",
    "mixtures",
    "operating_points",
    "ranked",
    "sliced",
]

#: the measures by which slices are compared where none is named
OF_SLICES = {"binary": ("accuracy", "auc"), "multiclass": ("accuracy",), "regression": ("rmse",)}


def chosen_thresholds(card: Scorecard, rules: Sequence[str]) -> list[Record]:
    """The threshold each rule chooses, what it earns, and how optimistic that is."""
    _needs_scores(card, "a threshold is chosen")
    asked = [parse_rule(rule, profit=card.profit, cost=card.cost) for rule in rules]
    found: list[Record] = []
    for tallies in card.tallies:
        p = tallies.predictions
        group = p.design.group
        rows = None
        if p.weight is not None or group is not None:
            groups = None if group is None else group.codes
            rows = ScoreRows(p.truth == p.positive, np.asarray(p.scores), p.weight, groups=groups)
        made = best_thresholds(
            tallies.scores,
            asked,
            positive=p.positive or 0,
            rows=rows,
            **_draws(card, 1000),
        )
        found += [{"model": p.model, **record} for one in made for record in one.rows()]
    return found


def at_prevalences(card: Scorecard, shares: Sequence[float]) -> list[Record]:
    """Precision, NPV, accuracy and profit at other shares of positives."""
    for share in shares:
        if not 0 < share < 1:
            raise InputError(f"prevalence {share:g} is not between 0 and 1")
    if card.task != "binary":
        raise InputError("other prevalences are for two classes")
    found: list[Record] = []
    for tallies in card.tallies:
        if not tallies.has_labels:
            raise InputError(
                "other prevalences need predicted labels (--predicted, y_pred; or a threshold)"
            )
        options = card.intervals
        bootstrap = None
        if options is not None and tallies.predictions.weight is not None:
            bootstrap = Uncertainty(tallies, options).cells
        draws = _draws(card, 2000)
        draws.pop("stratified", None)
        table = prevalence_table(
            tallies.confusion,
            shares,
            profit=card.profit,
            cost=card.cost,
            bootstrap=bootstrap,
            **draws,
        )
        found += [{"model": tallies.predictions.model, **record} for record in table.rows()]
    return found


def operating_points(card: Scorecard, prevalences: Sequence[float | None] = ()) -> list[Record]:
    """The best point on the ROC hull of all models, for the profit or cost that was given.

    One for each prevalence; None (or nothing at all) is that of these rows.
    """
    _needs_scores(card, "an operating point is found")
    _needs_cells(card, "an operating point is the one that earns most")
    models = {t.predictions.model: t.scores for t in card.tallies}
    found: list[Record] = []
    for kind, cells in (("profit", card.profit), ("cost", card.cost)):
        if cells is None:
            continue
        for prevalence in prevalences or (None,):
            best = operating_point(
                models,
                cells,
                kind=kind,
                positive=card.predictions[0].positive or 0,
                prevalence=prevalence,
            )
            found += best.rows()
    return found


def mixtures(
    card: Scorecard, *, fpr: float | None = None, sensitivity: float | None = None
) -> list[Record]:
    """The coin toss between two thresholds that reaches a rate exactly, of each model.

    Of several models also the toss on the hull over all of them, which may take a threshold
    of each of two models.
    """
    _needs_scores(card, "a coin is tossed between thresholds")
    models = {t.predictions.model: t.scores for t in card.tallies}
    found = [
        _toss(name, mixture(hull_curve(counts), fpr, sensitivity=sensitivity))
        for name, counts in models.items()
    ]
    if len(models) > 1:
        best = mixture(hull_of_models(models), fpr, sensitivity=sensitivity)
        found.append(_toss("", best))
    return found


def _toss(model: str, toss: Mixture) -> Record:
    """A coin toss as a record; one threshold alone has probability 1."""
    upper, lower, share = toss.upper, toss.lower, toss.share
    if toss.is_single:
        upper = lower = toss.lower if share else toss.upper
        share = 1.0
    return {
        "model": model,
        "threshold": lower,
        "probability": share,
        "else_threshold": upper,
        "sensitivity": toss.sensitivity,
        "specificity": 1 - toss.false_positive_rate,
        "threshold_model": toss.lower_model or model,
        "else_model": toss.upper_model or model,
    }


def expected_profits(card: Scorecard) -> list[Record]:
    """What deciding by expected profit earns beside deciding for the likeliest class."""
    _needs_cells(card, "expected profit is that of a decision")
    found: list[Record] = []
    for tallies in card.tallies:
        p = tallies.predictions
        if p.scores is None or p.score_problem:
            raise InputError(
                f"expected profit needs probabilities: {p.score_problem or 'there are no scores'}"
            )
        for kind, cells in (("profit", card.profit), ("cost", card.cost)):
            if cells is None:
                continue
            draws = _draws(card, 2000)
            draws.pop("stratified", None)
            both = expected_profit(
                p.truth,
                p.scores,
                cells,
                kind=kind,
                weight=p.weight,
                positive=p.positive if p.scores.ndim == 1 else None,
                **draws,
            )
            found += [{"model": p.model, **record} for record in both.rows()]
    return found


def ranked(card: Scorecard, measure: str) -> list[Record]:
    """The models from best to worst by one measure, which may be profit."""
    (request,) = card.requests((measure,))
    _refuse_to_rank(request, card.tallies)
    values, intervals = {}, {}
    for model in card.models:
        result = card.only(model)[measure]
        values[model] = result.value
        if result.low is not None and result.high is not None and result.level is not None:
            intervals[model] = Interval(result.low, result.high, result.level, result.method)
    return ranking(values, request, intervals=intervals).rows()


def _refuse_to_rank(request: Request, models: Sequence[Tallies]) -> None:
    """An error that names the models which do not give what a measure needs, where some do."""
    reasons = {t.predictions.model: lacking(request, t) for t in models}
    lost = {model: reason for model, reason in reasons.items() if reason}
    if not lost or len(lost) == len(reasons):
        return  # of all models the measure itself says what it needs
    model, reason = next(iter(lost.items()))
    others = f", nor can {len(lost) - 1} more" if len(lost) > 1 else ""
    raise InputError(
        f"model {model!r} cannot be ranked by {request.name}{others}: it {reason}\n"
        "give that to every model, or rank by a measure that all of them have "
        "(--rank accuracy)"
    )


def sliced(card: Scorecard, measures: Sequence[str] | None) -> list[Record]:
    """Each measure on each slice, worst first, and whether the slice differs from the rest."""
    requests = card.requests(measures or OF_SLICES[card.task])
    options = card.intervals

    def intervals_of(tallies: Tallies, asked: Sequence[Request]) -> Any:
        assert options is not None
        return Uncertainty(tallies, options, tuple(asked), is_slice=True).of

    found: list[Record] = []
    for tallies in card.tallies:
        tables = slice_tables(
            tallies,
            requests,
            intervals_of=None if options is None else intervals_of,
            seed=1 if options is None else options.seed,
        )
        for table in tables:
            model = {"model": tallies.predictions.model}
            found += [{**model, **record} for record in table.rows()]
            found += [
                {**model, **_average(table.column, table.measure, word, value, table.note)}
                for word, value in (
                    ("all rows (micro)", table.micro),
                    ("mean (macro)", table.macro),
                )
            ]
    return found


def _average(column: str, measure: str, word: str, value: float, note: str) -> Record:
    empty = dict.fromkeys(("difference", "p_value", "corrected_p_value"), float("nan"))
    return {
        "slice": f"{column}: {word}",
        "n": None,
        "measure": measure,
        "value": value,
        "low": None,
        "high": None,
        **empty,
        "verdict": "",
        "method": "",
        "note": note if "macro" in word or isnan(value) else "",
    }


def _draws(card: Scorecard, default: int) -> dict[str, Any]:
    options = card.intervals
    if options is None:
        return {"replicates": 0}
    return {
        "replicates": default if options.replicates is None else options.replicates,
        "seed": options.seed,
        "level": options.level,
        "stratified": options.stratified,
    }


def _needs_cells(card: Scorecard, what: str) -> None:
    if card.profit is None and card.cost is None:
        raise InputError(
            f"{what}: give the value of each cell (--profit or --cost; profit= or cost=)"
        )


def _needs_scores(card: Scorecard, what: str) -> None:
    if card.task != "binary":
        raise InputError(f"{what} for two classes; this problem is {card.task}")
    for tallies in card.tallies:
        if not tallies.has_scores:
            why = tallies.predictions.why_no_scores or "there are none (--score, y_score)"
            raise InputError(f"{what} from scores: {why}")
