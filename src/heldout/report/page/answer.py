"""The answer in plain words, which a page starts with, and pictures of it and what it rests on."""

from __future__ import annotations

from dataclasses import dataclass
from math import isnan
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.assess.headline import chosen_results
from heldout.assess.remarks import is_had
from heldout.comparison.of_scorecard import compare_scorecard, is_quick
from heldout.core.errors import InputError
from heldout.core.wording import plural
from heldout.measures.spec import parse_request
from heldout.report.names import bare_title, label_text, noun_of
from heldout.report.numbers import number_text
from heldout.report.plots.chart import Axis, Bars, Chart, Layout, Panel
from heldout.report.plots.intervals import height_of, rows_panel
from heldout.report.plots.looks import OKABE_ITO, shorten
from heldout.report.verdict import against_first, best_by

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from heldout.assess.results import Result
    from heldout.assess.scorecard import Scorecard
    from heldout.comparison.comparison import Comparison
    from heldout.comparison.difference import Difference

    #: the results of each model by measure, best model first
    Standing = Mapping[str, Mapping[str, Result]]


@dataclass(frozen=True, slots=True)
class Question:
    """What a reader asks of a model: the measure that answers, and its values in plain words."""

    measure: str
    #: what stands above a picture of the values
    phrase: str
    sentence: str
    #: shares are read as per cent
    is_share: bool = True


#: of each kind of problem; the last one of two classes ranks models that nobody compared
QUESTIONS = {
    "binary": (
        Question(
            "recall",
            "share of {case} cases found",
            "{name} finds {value} of the {case} cases{limits}.",
        ),
        Question(
            "precision",
            "share of alarms that are true",
            "{value} of its alarms are true{limits}.",
        ),
        Question(
            "auc",
            "area under the ROC curve",
            "Its area under the ROC curve is {value}{limits}.",
            is_share=False,
        ),
    ),
    "multiclass": (
        Question(
            "accuracy",
            "share of rows predicted correctly",
            "{name} is right on {value} of rows{limits}.",
        ),
    ),
    "regression": (
        Question(
            "mae",
            "mean absolute error",
            "{name} is off by {value} on average{limits}.",
            is_share=False,
        ),
        Question(
            "r2",
            "share of the variance explained",
            "It explains {value} of the variance{limits}.",
        ),
    ),
}
#: what stands behind a difference by the measures that decide
UNITS = {"auc": " AUC", "accuracy": " in accuracy", "rmse": " in root mean squared error"}
#: models that are drawn, best first, and those that are named in a sentence with their numbers
MOST_DRAWN, FEW = 10, 3
#: inches of the axis of a picture of intervals, which stand beside each other
WIDTH = 1.4
#: folds that can be told apart in a small picture, the longest name of a class
MOST_FOLDS, LONGEST = 20, 40
#: inches of a bar of that picture and across it, and the colour of training rows
BAR, ACROSS, TRAINED = 0.13, 3.3, "#E6E6E6"


def standing_of(card: Scorecard, judged: Any) -> Standing:
    """What is said first of each model, best first; empty where there is nothing to say.

    ``judged`` gives the results that the tables show: the scorecard, or the evaluation it is of.
    """
    names = [question.measure for question in _questions(card)]
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


def _questions(card: Scorecard) -> list[Question]:
    """What can be asked of these predictions."""
    every = QUESTIONS[card.task]
    return [q for q in every if is_had(parse_request(q.measure), card.tallies)]


def answer_lines(card: Scorecard, standing: Standing, compared: Comparison | str) -> Iterator[str]:
    """What the best model does, and whether it beats the others; see ``page_comparison``."""
    for model in list(standing)[:1]:
        own = card.only(model) if len(card.models) > 1 else card
        yield " ".join(_sentences(own, model, standing[model]))
    if beside := compared if isinstance(compared, str) else " ".join(lead_in_words(compared)):
        yield beside


def best_first(standing: Standing, compared: Comparison | str) -> Standing:
    """The models in the order of their comparison, where there is one."""
    if isinstance(compared, str):
        return standing
    order = compared.order(compared.measures[0])
    return {model: standing[model] for model in order if model in standing}


def page_comparison(card: Scorecard, measure: str) -> Comparison | str:
    """The comparison of several models, or why there is none; empty for a single model."""
    count = len(card.models)
    if count < 2:
        return ""
    if not is_quick(card):
        pairs = plural(count * (count - 1) // 2, "pair")
        return (
            f"Whether these {count} models differ by more than chance was not tested: {pairs} of "
            f"{card.rows:,} rows take longer than a page may. heldout compare tests them."
        )
    comparison = compare_scorecard(card, measure)
    if isinstance(comparison, InputError):
        return f"No comparison of the models: {comparison}"
    return comparison


def lead_in_words(comparison: Comparison, subject: str = "It") -> Iterator[str]:
    """By how much the best model beats the others, and whether chance explains it.

    ``subject`` is what the sentence before calls the best model.

    Examples
    --------
    >>> import heldout
    >>> card = heldout.score(heldout.example("models"), pos_label="spam")
    >>> next(lead_in_words(compare_scorecard(card, "auc"))).split(" (")[0]
    'It beats logistic by 0.0313 AUC'
    """
    (measure,) = comparison.measures
    own = comparison.differences
    if own[0].direction not in {"up", "down"}:
        yield f"{best_by(comparison, measure)}."
        return
    order, equal = comparison.order(measure), comparison.equal_best(measure)
    unit = UNITS.get(measure) or f" in {bare_title(measure)}"
    beats, is_ahead = f"{subject} beats", f"{subject} is ahead of"
    if len(equal) > 1:
        yield f"{_names(equal)} are equal{unit if unit != ' AUC' else ' in AUC'}."
        beats, is_ahead = "They beat", "They are ahead of"
    others = [d for d in against_first(own, order) if d.second not in equal]
    tested = [d for d in others if not isnan(d.p_value)]
    if apart := [d for d in tested if d.is_significant]:
        yield f"{beats} {_by_sizes(apart, unit)}, more than chance explains."
    if close := [d for d in tested if not d.is_significant]:
        yield f"{is_ahead} {_by_sizes(close, unit)}, which chance can explain."
    if untested := [d.second for d in others if isnan(d.p_value)]:
        yield f"No test was possible against {_names(untested)}."
    if len(own) > 1:
        pairs = plural(len(own), "pair")
        yield f"The tests are corrected for {pairs} of models; the intervals are of single pairs."


def _by_sizes(differences: Sequence[Difference], unit: str) -> str:
    """The second models and by how much they are beaten: each of a few, all of many at once."""
    if len(differences) <= FEW:
        return _listed([f"{label_text(d.second)} by {_size(d, unit)}" for d in differences])
    sizes = sorted(abs(d.value) for d in differences)
    low, high = (number_text(size, digits=3) for size in (sizes[0], sizes[-1]))
    return f"{_names([d.second for d in differences])} by {low} to {high}{unit}"


def _size(d: Difference, unit: str) -> str:
    """A difference with its interval, as seen from the better model."""
    size = f"{number_text(abs(d.value), digits=3)}{unit}"
    if d.interval.is_absent:
        return size
    sign = 1 if d.value >= 0 else -1
    low, high = sorted((sign * d.interval.low, sign * d.interval.high))
    limits = f"{number_text(low, digits=3)} to {number_text(high, digits=3)}"
    return f"{size} ({100 * d.interval.level:g}% CI {limits})"


def _names(models: Sequence[str]) -> str:
    shown = [label_text(model) for model in models[:FEW]]
    rest = len(models) - len(shown)
    return _listed([*shown, f"{rest} more"] if rest else shown)


def _listed(parts: Sequence[str]) -> str:
    return " and ".join(filter(None, (", ".join(parts[:-1]), parts[-1])))


def answer_chart(card: Scorecard, standing: Standing) -> Chart | None:
    """The values and intervals of the models, a panel for each question."""
    case = shorten(_case(card), LONGEST)
    shown = list(standing.items())[:MOST_DRAWN]
    panels = []
    for question in QUESTIONS[card.task]:
        known = [(model, own[question.measure]) for model, own in shown if question.measure in own]
        if known:
            rows = [(_row(card, model, r, is_share=question.is_share), r) for model, r in known]
            title = question.phrase.format(case=case)
            panels.append(rows_panel(rows, title=title, is_share=question.is_share))
    most = max((len(panel.y.ticks) for panel in panels), default=0)
    if len(panels) * most < 2:
        return None
    rest = len(standing) - len(shown)
    best = f"the best {MOST_DRAWN} of {len(standing)} models" if rest else ""
    words = "; ".join(filter(None, (panels[0].name if len(panels) == 1 else "", best)))
    return Chart("Values and intervals", words, tuple(panels), Layout((WIDTH, height_of(most))))


def _case(card: Scorecard) -> str:
    """What cases of interest are called."""
    return "" if card.positive is None else noun_of(label_text(card.positive))


def _row(card: Scorecard, model: str, result: Result, *, is_share: bool) -> str:
    """A row of the picture: which of several models it is of, and its value with the interval."""
    value, limits = _with_limits(result, is_share=is_share, head="")
    name = f"{shorten(label_text(model), LONGEST)}: " if len(card.models) > 1 else ""
    return f"{name}{value}{limits}"


def _sentences(card: Scorecard, model: str, values: Mapping[str, Result]) -> Iterator[str]:
    """What one model does, in whole sentences; last what of it is unknown, and why."""
    name, case = label_text(model) if model else "The model", _case(card)
    unknown = []
    for question in _questions(card):
        if question.measure in values:
            result = values[question.measure]
            value, limits = _with_limits(result, is_share=question.is_share)
            yield question.sentence.format(name=name, case=case, value=value, limits=limits)
        elif reason := card[question.measure].note:
            unknown.append(f"Unknown: {question.phrase.format(case=case)} ({reason}).")
    yield from unknown
    if card.task == "multiclass" and values:
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
    value, limits = _with_limits(card["recall", label], is_share=True)
    yield f"It is weakest on {label_text(label)}, of which it finds {value}{limits}."


def _with_limits(
    result: Result, *, is_share: bool, head: str = "{level:g}% CI "
) -> tuple[str, str]:
    """A value in words, a share in per cent, and its interval in parentheses after a ``head``.

    Examples
    --------
    >>> from heldout.assess.results import Result
    >>> result = Result("recall", 0.912, 50, low=0.861, high=0.944, level=0.95)
    >>> _with_limits(result, is_share=True)
    ('91.2%', ' (95% CI 86.1% to 94.4%)')
    """

    def text_of(value: float) -> str:
        return f"{100 * value:.1f}%" if is_share else number_text(value, digits=3)

    value = text_of(result.value)
    if result.low is None or result.high is None or result.level is None:
        return value, ""
    limits = f"{text_of(result.low)} to {text_of(result.high)}"
    return value, f" ({head.format(level=100 * result.level)}{limits})"


def fold_diagram(card: Scorecard) -> Chart | None:
    """The folds as bars, the test part of each dark; None where rows were judged at once."""
    design = card.tallies[0].design
    folds, repeats = design.folds, design.repeats
    if card.tallies[0].is_counted or not 1 < folds <= MOST_FOLDS:
        return None
    panel = Panel(x=Axis(low=0, high=folds), y=Axis(low=folds, high=0), is_bare=True)
    for fold in range(folds):
        base, height = np.array([float(fold)]), np.array([0.75])
        panel.add(Bars(np.array([0, folds]), height, TRAINED, base))
        panel.add(Bars(np.array([fold, fold + 1]), height, OKABE_ITO[0], base))
    times = f", {repeats} times with other folds" if repeats > 1 else ""
    who = f"{plural(folds, 'model')}, each"
    if len(card.tallies) > 1:
        who = f"each model was trained {folds} times and"
    panel.notes.append(
        f"{who} judged on the rows that it was not trained on{times} "
        "(dark: judged on; light: trained on)"
    )
    return Chart("Folds", "", (panel,), Layout((ACROSS, folds * BAR)))
