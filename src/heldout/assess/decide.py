"""Decisions and slices of a scorecard, as tables of records with the model's name in each."""

from __future__ import annotations

from math import inf, isclose, isnan
from typing import TYPE_CHECKING

from heldout.assess.slices import slice_tables
from heldout.assess.values import lacking
from heldout.core.dialect import argument
from heldout.core.errors import InputError
from heldout.curves.cuts import NO_ROW, UNREACHED, measure_by_threshold
from heldout.curves.hull import hull_curve, hull_of_models, mixture
from heldout.decisions.operating_point import operating_point
from heldout.decisions.ranking import ranking
from heldout.measures.usual import USUAL

if TYPE_CHECKING:
    from collections.abc import Sequence

    from heldout.assess.scorecard import Scorecard
    from heldout.curves.hull import Mixture
    from heldout.decisions.records import Record
    from heldout.engines.memory import Tallies
    from heldout.measures.spec import Request

#: rates that stand in a table of thresholds, and the most thresholds that it has
OF_CUTS = ("recall", "false_positive_rate", "precision", "f_score")
MOST_CUTS = 10_000


def operating_points(card: Scorecard, prevalences: Sequence[float | None] = ()) -> list[Record]:
    """The best point on the ROC hull of all models, for the profit or cost that was given.

    One for each different prevalence; None (or nothing at all) is that of these rows.
    """
    needs_scores(card, "an operating point is found")
    needs_cells(card, "an operating point is the one that earns most")
    models = {t.predictions.model: t.scores for t in card.tallies}
    records: list[Record] = []
    for kind, cells in (("profit", card.profit), ("cost", card.cost)):
        if cells is None:
            continue
        shares: list[float] = []
        for prevalence in prevalences or (None,):
            best = operating_point(
                models,
                cells,
                kind=kind,
                positive=card.predictions[0].positive or 0,
                prevalence=prevalence,
            )
            if not any(isclose(best.prevalence, share, rel_tol=1e-12) for share in shares):
                records += best.rows()
            shares.append(best.prevalence)
    return records


def cut_tables(card: Scorecard, *, every: bool = False) -> list[Record]:
    """The counts and rates at each threshold of each model, from the highest down.

    Only those at which the ROC curve turns, unless ``every`` one is asked for.
    """
    needs_scores(card, "a table of thresholds is made")
    earned = [kind for kind in ("profit", "cost") if getattr(card, kind) is not None]
    records: list[Record] = []
    for tallies in card.tallies:
        p = tallies.predictions
        lines = [
            measure_by_threshold(
                tallies.scores, request, corners=not every, positive=p.positive or 0
            )
            for request in card.requests((*OF_CUTS, *earned))
        ]
        columns = {"threshold": lines[0].x, **lines[0].columns}
        columns |= {line.y_axis.name: line.y for line in lines}
        if len(lines[0]) > MOST_CUTS:
            what = "distinct scores" if every else "points at which the ROC curve turns"
            raise InputError(
                f"{len(lines[0]):,} {what} are too many for a table of thresholds (at most "
                f"{MOST_CUTS:,}): {argument('curve')} thresholds:f_score=FILE.csv writes them all"
            )
        rows = zip(*(column.tolist() for column in columns.values()), strict=True)
        records += [{"model": p.model, **dict(zip(columns, row, strict=True))} for row in rows]
    return records


def mixtures(
    card: Scorecard, *, fpr: float | None = None, sensitivity: float | None = None
) -> list[Record]:
    """The coin toss between two thresholds that reaches a rate exactly, of each model.

    Of several models also the toss on the hull over all of them, which may take a threshold
    of each of two models.
    """
    if (fpr is None) == (sensitivity is None):
        raise InputError("a mixture needs one rate: fpr= or sensitivity=")
    needs_scores(card, "a coin is tossed between thresholds")
    models = {t.predictions.model: t.scores for t in card.tallies}
    infinite = {name: isnan(counts.above_all) for name, counts in models.items()}
    tosses = [
        _toss(
            name,
            mixture(hull_curve(counts), fpr, sensitivity=sensitivity),
            has_infinite=infinite[name],
        )
        for name, counts in models.items()
    ]
    if len(models) > 1:
        best = mixture(hull_of_models(models), fpr, sensitivity=sensitivity)
        tosses.append(_toss("", best, has_infinite=any(infinite.values())))
    return tosses


def _toss(model: str, toss: Mixture, *, has_infinite: bool) -> Record:
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
        "note": _of_ends((lower, upper), has_infinite=has_infinite),
    }


def _of_ends(thresholds: tuple[float, float], *, has_infinite: bool) -> str:
    """What a threshold above all scores means, where one of two is that."""
    if any(map(isnan, thresholds)):
        return f"no threshold: {UNREACHED}"
    return f"infinite threshold: {NO_ROW}" if inf in thresholds and not has_infinite else ""


def ranked(card: Scorecard, measure: str) -> list[Record]:
    """The models from best to worst by one measure, which may be profit."""
    (request,) = card.requests((measure,))
    _refuse_to_rank(request, card.tallies)
    values, intervals, notes = {}, {}, {}
    for model in card.models:
        result = card.only(model)[measure]
        values[model] = result.value
        if result.interval is not None:
            intervals[model] = result.interval
        elif result.is_defined:
            notes[model] = result.note
    return ranking(values, request, intervals=intervals, notes=notes).rows()


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
        f"({argument('rank', 'accuracy')})"
    )


def sliced(card: Scorecard, measures: Sequence[str] | None) -> list[Record]:
    """Each measure on each slice, worst first, and whether the slice differs from the rest."""
    requests = card.requests(measures or USUAL[card.task].sliced)
    options = card.intervals
    seed = 1 if options is None else options.seed
    records: list[Record] = []
    for tallies in card.tallies:
        for table in slice_tables(tallies, requests, intervals=options, seed=seed):
            model = {"model": tallies.predictions.model}
            records += [{**model, **record} for record in table.records()]
    return records


def needs_cells(card: Scorecard, what: str) -> None:
    """An error where no cell has a value."""
    if card.profit is None and card.cost is None:
        raise InputError(
            f"{what}: give the value of each cell ({argument('profit')} or {argument('cost')})"
        )


def needs_scores(card: Scorecard, what: str) -> None:
    """An error where there are not two classes, or a model has no scores."""
    if card.task != "binary":
        raise InputError(f"{what} for two classes; this problem is {card.task}")
    for tallies in card.tallies:
        if not tallies.has_scores:
            why = tallies.predictions.why_no_scores or _none_of(card, tallies.predictions.model)
            raise InputError(f"{what} from scores: {why}")


def _none_of(card: Scorecard, model: str) -> str:
    """That there are no scores, or that one of several models has none."""
    if len(card.models) == 1:
        return f"there are none ({argument('score')})"
    return f"model {model!r} has none ({argument('score')}): give them, or leave that model out"
