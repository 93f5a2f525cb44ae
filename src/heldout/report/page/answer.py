"""The answer in plain words, which a page starts with, and a picture of what it rests on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from heldout.core.wording import plural
from heldout.report.names import label_text
from heldout.report.numbers import number_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from heldout.assess.results import Result
    from heldout.assess.scorecard import Scorecard

#: models that are answered for one by one
MOST_MODELS = 3
#: folds that can be told apart in a small picture
MOST_FOLDS = 20
#: the height of a bar
BAR = 9.0


def answer_lines(card: Scorecard) -> tuple[str, ...]:
    """A sentence a model: what it finds, what its alarms are worth, how it ranks."""
    models = card.models[:MOST_MODELS]
    lines = [
        " ".join(_sentences(card.only(m) if len(card.models) > 1 else card, m)) for m in models
    ]
    rest = len(card.models) - len(models)
    more = f"{plural(rest, 'more model')} {'is' if rest == 1 else 'are'} in the table."
    return (*filter(None, lines), *([more] if rest else []))


def _sentences(card: Scorecard, model: str) -> Iterator[str]:
    name = label_text(model) if model else "The model"
    if card.task == "regression":
        error = card["mae"]
        if error.is_defined:
            yield f"{name} is off by {_number(error)} on average."
        if (explained := card["r2"]).is_defined:
            yield f"It explains {_percent(explained)} of the variance."
        return
    if not card.tallies[0].has_labels:
        return
    if card.positive is None:
        accuracy = card["accuracy"]
        yield f"{name} is right on {_percent(accuracy)} of rows."
        return
    positive = label_text(card.positive)
    recall, precision = card["recall"], card["precision"]
    if recall.is_defined:
        yield f"{name} finds {_percent(recall)} of the {positive} cases."
    if precision.is_defined:
        yield f"{_percent(precision)} of the cases it calls {positive} are {positive}."
    if card.tallies[0].has_scores and (area := card["auc"]).is_defined:
        yield f"Its area under the ROC curve is {_number(area)}."


def _percent(result: Result) -> str:
    """A share with its interval.

    Examples
    --------
    >>> from heldout.assess.results import Result
    >>> _percent(Result("recall", 0.912, 50, low=0.861, high=0.944, level=0.95))
    '91.2% (95% interval 86.1% to 94.4%)'
    """
    text = f"{100 * result.value:.1f}%"
    if result.low is None or result.high is None or result.level is None:
        return text
    limits = f"{100 * result.low:.1f}% to {100 * result.high:.1f}%"
    return f"{text} ({100 * result.level:g}% interval {limits})"


def _number(result: Result) -> str:
    text = number_text(result.value, digits=3)
    if result.low is None or result.high is None or result.level is None:
        return text
    limits = " to ".join(number_text(limit, digits=3) for limit in (result.low, result.high))
    return f"{text} ({100 * result.level:g}% interval {limits})"


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
