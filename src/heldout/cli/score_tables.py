"""What ``heldout score`` was asked for beside measures: decisions, slices, points of curves."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.cli.screen import say
from heldout.core.errors import InputError
from heldout.core.specs import name_of, words
from heldout.measures.kinds import Share

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from heldout.assess.scorecard import Scorecard
    from heldout.curves.columns import Columns
    from heldout.curves.curve import Curve

#: tables by name, a record a line
Tables = dict[str, list[dict[str, Any]]]

#: shares of the ROC plane: which of its two axes, and whether the share is 1 less that axis
RATES = {
    Share("tp", "positives"): ("sensitivity", False),
    Share("fn", "positives"): ("sensitivity", True),
    Share("tn", "negatives"): ("fpr", True),
    Share("fp", "negatives"): ("fpr", False),
}


def tables_of(card: Scorecard, given: Mapping[str, Any]) -> Tables:
    """The tables by name; only those that were asked for."""
    tables: Tables = {}
    lack = _lack_of_classes(card)
    shares = [_share(text) for many in given["prevalence"] for text in words(many) or ()]
    if given["by"]:
        tables["slices"] = card.slices(*given["measures"])
    if given["rank"] is not None:
        tables["ranking"] = card.ranking(given["rank"])
    if given["best"]:
        tables["thresholds"] = card.thresholds(*given["best"])
        if not lack and (tosses := _tosses(card, given["best"])):
            tables["mixtures"] = tosses
    if given["every_threshold"] is not None:
        tables["every_threshold"] = card.every_threshold(
            corners=given["every_threshold"] == "corners"
        )
    if card.profit is not None or card.cost is not None:
        scored = all(t.has_scores for t in card.tallies)
        if scored and card.task == "binary" and not lack:
            tables["operating_point"] = card.operating_point(None, *shares)
        elif scored and lack:
            say(given, (f"the best point on the ROC hull is not given: {lack}",))
        if scored and not any(p.score_problem for p in card.predictions):
            tables["expected_profit"] = card.expected_profit()
    if shares and lack:
        raise InputError(f"--prevalence: {lack}, so the rates of the other are not known")
    if shares:
        tables["prevalence"] = card.at_prevalence(*shares)
    return tables


def _lack_of_classes(card: Scorecard) -> str:
    """Whose rows are all of one of two classes, and of which; empty where none are."""
    if card.task != "binary":
        return ""
    for tallies in card.tallies:
        present, p = np.flatnonzero(tallies.class_weights), tallies.predictions
        if len(present) == 1:
            whose = f" of {p.source or p.model}" if p.source or p.model else ""
            return f"the rows{whose} are all of class {p.classes[int(present[0])]!r}"
    return ""


def _tosses(card: Scorecard, rules: Sequence[str]) -> list[dict[str, Any]]:
    """For each rule that keeps a rate of the ROC plane, the coin toss that reaches it."""
    from heldout.decisions.rules import parse_rule
    from heldout.measures.spec import parse_request

    by_condition: Tables = {}  # whatever is made best, the toss is the same
    for text in rules:
        condition = parse_rule(text, profit=card.profit, cost=card.cost).condition
        share = None if condition is None else parse_request(condition.goal.name).measure.share
        if condition is None or share not in RATES:
            continue
        rate, is_complement = RATES[share]
        wanted = 1 - condition.bound if is_complement else condition.bound
        # the rule's own words, not a difference's last digits
        tosses = card.mixture(**{rate: wanted})
        by_condition[condition.name] = [{"rule": condition.name, **toss} for toss in tosses]
    return [toss for tosses in by_condition.values() for toss in tosses]


def _share(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise InputError(f"--prevalence {text!r} is not a number between 0 and 1") from None


def curve_of(text: str) -> tuple[str, dict[str, Any], Path]:
    """The curve, its options and the file of one ``--curve``, checked before any row is read.

    Examples
    --------
    >>> curve_of("roc[band=simultaneous]=points.csv")
    ('roc', {'band': 'simultaneous'}, PosixPath('points.csv'))
    """
    from heldout.cli.charts import name_and_file
    from heldout.curves.named import THRESHOLDS, checked_name
    from heldout.report.plots.plot import parse_chart

    name, path = name_and_file(text, "--curve", "csv")
    if name.lower() in ("all", "thresholds"):
        raise InputError(f"--curve {text!r}: name one curve, such as roc or thresholds:f_score")
    is_measure = name.lower().startswith(THRESHOLDS)
    checked_name(name if is_measure else name_of(name))
    known, options = parse_chart(name)
    return checked_name(known), options, _csv_path("--curve", text, path)


def rows_of(text: str) -> tuple[str, Path]:
    """The measure by which rows are sorted (or none) and the file of one ``--rows``.

    Examples
    --------
    >>> rows_of("rows.csv"), rows_of("log_loss=worst.csv")
    (('', PosixPath('rows.csv')), ('log_loss', PosixPath('worst.csv')))
    """
    from heldout.cli.charts import name_and_file
    from heldout.measures.spec import parse_request

    if "=" not in text:
        return "", _csv_path("--rows", text, Path(text))
    name, path = name_and_file(text, "--rows", "csv")
    parse_request(name)
    return name, _csv_path("--rows", text, path)


def _csv_path(flag: str, text: str, path: Path) -> Path:
    """A file that CSV is written to, or standard output."""
    from heldout.report.output import STDOUT, refuse_unwritable

    if path == STDOUT:
        return path
    if path.suffix.lower() != ".csv":
        raise InputError(f"{flag} {text!r}: CSV is written; end the name with .csv, or give -")
    refuse_unwritable(path)
    return path


def row_text(card: Scorecard, measures: Sequence[str], worst_by: str) -> str:
    """The rows as CSV, with those of the measures that a single row has."""
    from heldout.assess.row_table import has_row_value
    from heldout.measures.spec import parse_request

    own = [name for name in measures if has_row_value(parse_request(name))]
    return _text(card.by_row(*own, worst_by=worst_by))


def _text(table: Columns) -> str:
    from heldout.report.data_text import csv_text
    from heldout.report.table import Rows

    return csv_text(Rows(table.names, tuple(table)))


@dataclass(frozen=True, slots=True)
class Points:
    """The points of some curves as CSV, and what is missing in it."""

    text: str
    #: what is missing, and whose curve lacks it
    absent: dict[str, list[str]]

    def lacks(self, path: Path) -> Iterator[str]:
        """A line for each reason why a file has no points, or no limits beside them."""
        for what, names in self.absent.items():
            whose = f" of {', '.join(filter(None, names))}" if any(names) else ""
            yield f"{path}{whose}: {what}"


def points_of(card: Scorecard, name: str, options: dict[str, Any]) -> Points:
    """The points of every model, and of every class where there are several, below each other."""
    from heldout.curves.columns import Columns
    from heldout.curves.hull import JOINT

    drawing = dict(options)
    label = drawing.pop("class_", None)
    if drawing.get("model"):
        card = card.only(str(drawing["model"]))
    drawing.pop("model", None)
    labels = card.classes if card.task == "multiclass" and label is None else (label,)
    parts = []
    absent: dict[str, list[str]] = {}
    for model in card.models if name != JOINT else ("",):
        for class_ in labels:
            words = {"model": model} if len(card.models) > 1 and model else {}
            if class_ is not None:
                words["class"] = str(class_)
            curve = _curve(card, name, model=model, class_=class_, **drawing)
            parts.append((words, curve.table()))
            what = f"no points, as {curve.reason}" if curve.is_empty else ""
            if not what and curve.band_reason:
                what = f"no band (low and high are empty): {curve.band_reason}"
            if what:
                absent.setdefault(what, []).append(" ".join(words.values()))
    table = Columns.stacked(parts)
    return Points(_text(table), absent)


def _curve(card: Scorecard, name: str, **options: Any) -> Curve:
    """The curve, or an error that says how to leave a model out which has none."""
    from heldout.curves.sources import lack_of_scores

    lacking = [t.predictions.model for t in card.tallies if lack_of_scores(t)]
    known = [model for model in card.models if model not in lacking]
    if options["model"] in lacking and known:
        raise InputError(
            f"a {name} curve of model {options['model']!r} needs scores, which it has not: name "
            f'one that has them, such as --curve "{name}[model={known[0]}]=FILE"'
        )
    return card.curve(name, **options)
