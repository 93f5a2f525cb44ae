"""The answer in plain words, which a page starts with, and pictures of it and what it rests on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.assess.headline import chosen_results
from heldout.core.wording import plural
from heldout.measures.spec import parse_request
from heldout.report.names import label_text
from heldout.report.numbers import number_text
from heldout.report.page.interval_charts import rows_panel
from heldout.report.plots.chart import Chart, Measured
from heldout.report.plots.folds import height_of
from heldout.report.plots.looks import shortened
from heldout.report.verdict import best_by, verdict_on

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from heldout.assess.results import Result
    from heldout.assess.scorecard import Scorecard

    #: the results of each model by measure, best model first
    Standing = Mapping[str, Mapping[str, Result]]

#: what a reader asks of each kind of model: measures, and what their values are in plain words
QUESTIONS = {
    "binary": {
        "recall": "{positive} cases that are found",
        "precision": "right among cases called {positive}",
        "auc": "area under the ROC curve",
    },
    "multiclass": {"accuracy": "rows that are right"},
    "regression": {"mae": "mean absolute error", "r2": "share of the variance explained"},
}
#: measures whose values are shares, which are read as per cent
SHARES = ("recall", "precision", "accuracy", "r2")
#: models that are drawn, best first, and those whose differences are tested on this page
MOST_DRAWN, MOST_TESTED = 10, 12
#: rows of all pairs of models that a page has the time to compare
MOST_ROWS = 10_000_000
#: inches of the axis of a picture of intervals: of one model, and of several beside each other
WIDE, NARROW = 4.0, 1.7
#: folds that can be told apart in a small picture, the height of a bar, the longest name of a class
MOST_FOLDS, BAR, LONGEST = 20, 9.0, 40


def standing_of(card: Scorecard, judged: Any) -> Standing:
    """What is said first of each model, best first; empty where there is nothing to say.

    ``judged`` gives the results that the tables show: the scorecard, or the evaluation it is of.
    """
    tallies = card.tallies
    names = [
        name
        for name in QUESTIONS[card.task]
        if any(t.has_scores if name == "auc" else t.has_labels for t in tallies)
        or card.task == "regression"
    ]
    if not names:
        return {}
    of_models: dict[str, dict[str, Result]] = {}
    for (model, name), chosen in chosen_results(judged.results(names, per_class=False)).items():
        if chosen.result.is_defined:
            of_models.setdefault(model, {})[name] = chosen.result
    deciding = names[-1] if card.task == "binary" else names[0]
    goodness = parse_request(deciding).measure.goodness

    def place(model: str) -> tuple[bool, float]:
        own = of_models[model].get(deciding)
        return own is None, 0.0 if own is None else -goodness(own.value)

    return {model: of_models[model] for model in sorted(of_models, key=place)}


def answer_lines(card: Scorecard, standing: Standing, *, has_verdict: bool) -> Iterator[str]:
    """Whether models differ, where that is not said yet, and what the best one does."""
    count = len(card.models)
    pairs = count * (count - 1) // 2
    if not has_verdict and 1 < count <= MOST_TESTED and pairs * card.rows <= MOST_ROWS:
        has_scores = all(t.has_scores for t in card.tallies)
        measure = "accuracy" if card.task == "binary" and not has_scores else ""
        if (verdict := verdict_on(card, measure, words=best_by)).tone == "answer":
            yield verdict.text
    for model in list(standing)[:1]:
        own = card.only(model) if count > 1 else card
        yield " ".join(_sentences(own, model, standing[model]))


def answer_chart(card: Scorecard, standing: Standing) -> Chart | None:
    """The values and intervals of the models, a panel a question; of one model a row each."""
    positive = "" if card.positive is None else shortened(label_text(card.positive), LONGEST)
    phrases = {
        name: phrase.format(positive=positive) for name, phrase in QUESTIONS[card.task].items()
    }
    shown = list(standing.items())[:MOST_DRAWN]
    width = WIDE if len(card.models) == 1 else NARROW
    if len(card.models) == 1:
        rows = [
            (_row(phrases[name], r), r)
            for _, own in shown
            for name, r in own.items()
            if name != "mae"
        ]
        panels = [rows_panel(rows, is_share=True)]
    else:
        panels = []
        for name, phrase in phrases.items():
            rows = [(_row(label_text(m), own[name]), own[name]) for m, own in shown if name in own]
            if rows:
                is_share = name in SHARES
                panels.append(rows_panel(rows, title=phrase, is_share=is_share))
    most = max((len(panel.y.ticks) for panel in panels), default=0)
    if len(panels) * most < 2:
        return None
    rest = len(standing) - len(shown)
    words = f"the best {MOST_DRAWN} of {len(standing)} models" if rest else ""
    return Chart("Values and intervals", words, tuple(panels), Measured((width, height_of(most))))


def _row(name: str, result: Result) -> str:
    """A row of the picture: what it is of, and its value with the interval."""
    write = _percent if result.measure in SHARES else _number
    return f"{shortened(name, LONGEST)}: {write(result, is_brief=True)}"


def _sentences(card: Scorecard, model: str, values: Mapping[str, Result]) -> Iterator[str]:
    """What one model does, in whole sentences."""
    name = label_text(model) if model else "The model"
    positive = "" if card.positive is None else label_text(card.positive)
    said = {
        "recall": "{name} finds {percent} of the {positive} cases.",
        "precision": "{percent} of the cases it calls {positive} are {positive}.",
        "auc": "Its area under the ROC curve is {number}.",
        "accuracy": "{name} is right on {percent} of rows.",
        "mae": "{name} is off by {number} on average.",
        "r2": "It explains {percent} of the variance.",
    }
    for measure, result in values.items():
        yield said[measure].format(
            name=name, positive=positive, percent=_percent(result), number=_number(result)
        )
    if card.task == "multiclass" and "accuracy" in values:
        yield from _weakest(card)


def _weakest(card: Scorecard) -> Iterator[str]:
    """The class that is found least often."""
    confusion = card.confusion(card.models[0])
    if confusion is None:
        return
    counts = np.asarray(confusion.matrix(), float)
    rows = counts.sum(axis=1)
    if (rows > 0).sum() < 2:
        return
    shares = np.where(rows > 0, np.diag(counts) / np.maximum(rows, 1e-300), np.inf)
    label = card.classes[int(np.argmin(shares))]
    found = _percent(card["recall", label])
    yield f"It is weakest on {label_text(label)}, of which it finds {found}."


def _percent(result: Result, *, is_brief: bool = False) -> str:
    """A share with its interval.

    Examples
    --------
    >>> from heldout.assess.results import Result
    >>> _percent(Result("recall", 0.912, 50, low=0.861, high=0.944, level=0.95))
    '91.2% (95% interval 86.1% to 94.4%)'
    """
    return _with_limits(result, lambda value: f"{100 * value:.1f}%", is_brief)


def _number(result: Result, *, is_brief: bool = False) -> str:
    return _with_limits(result, lambda value: number_text(value, digits=3), is_brief)


def _with_limits(result: Result, write: Callable[[float], str], is_brief: bool) -> str:
    text = write(result.value)
    if result.low is None or result.high is None or result.level is None:
        return text
    level = "" if is_brief else f"{100 * result.level:g}% interval "
    return f"{text} ({level}{write(result.low)} to {write(result.high)})"


def fold_diagram(card: Scorecard) -> str:
    """The folds as bars, the test part of each filled; empty where rows were judged at once."""
    design = card.tallies[0].design
    folds, repeats = design.folds, design.repeats
    if card.tallies[0].is_counted or not 1 < folds <= MOST_FOLDS:
        return ""
    width, height, gap = 300.0, BAR, 3.0
    step = width / folds
    bars = "".join(
        _bar(0, i * (height + gap), width, "part")
        + _bar(i * step, i * (height + gap), step, "heat")
        for i in range(folds)
    )
    tall = folds * (height + gap)
    times = f", {repeats} times with other folds" if repeats > 1 else ""
    words = f"{plural(folds, 'model')}, each judged on the rows that it was not trained on{times}"
    return (
        f'<figure class="panel"><svg viewBox="0 0 {width:.0f} {tall:.0f}" width="{width:.0f}" '
        f'height="{tall:.0f}" role="img" aria-label="{words}">{bars}</svg>'
        f"<figcaption>{words} (filled: judged on; light: trained on)</figcaption></figure>"
    )


def _bar(left: float, top: float, width: float, kind: str) -> str:
    return f'<path d="M{left:.1f} {top:.1f}h{width:.1f}v{BAR:.0f}h{-width:.1f}Z" class="{kind}"/>'
