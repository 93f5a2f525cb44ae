"""What goes on a chart: a line a model or a class, and a panel a model where both are several."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.curves.named import THRESHOLDS, curve
from heldout.curves.sources import class_index, counts_of
from heldout.measures.spec import parse_request
from heldout.report.names import label_text
from heldout.report.plots.looks import MOST_SERIES, look_of
from heldout.tally.confusion import Binary

if TYPE_CHECKING:
    from heldout.assess.scorecard import Scorecard
    from heldout.curves.curve import Curve
    from heldout.engines.memory import Tallies
    from heldout.report.plots.looks import Look
    from heldout.tally.scores import ScoreCounts

__all__ = ["Lines", "MOST_PANELS", "Series", "panels_of", "threshold_panels"]

#: more panels of classes in one figure cannot be read
MOST_PANELS = 6
#: what is shown against the threshold where no measure is named
SHOWN = ("recall", "specificity", "precision", "f_score")


@dataclass(frozen=True, slots=True, eq=False)
class Series:
    """One line: its curve, the counts behind it, and the labels that were predicted."""

    name: str
    curve: Curve
    counts: ScoreCounts
    look: Look
    model: str
    class_: str
    predicted: Binary | None
    #: whether lines are several measures of the same model
    is_measure: bool = False

    @property
    def rows(self) -> int:
        """How many rows it was made of."""
        return self.counts.rows


@dataclass(frozen=True, slots=True, eq=False)
class Lines:
    """The lines of one panel, and what was left out of it."""

    name: str
    series: tuple[Series, ...]
    note: str = ""

    @property
    def drawn(self) -> tuple[Series, ...]:
        """The series that have a curve."""
        return tuple(series for series in self.series if not series.curve.is_empty)

    @property
    def several(self) -> bool:
        """Whether there is more than one line."""
        return len(self.series) > 1


def panels_of(
    card: Scorecard, name: str, *, class_: Any = None, best_by: str = "auc", **options: Any
) -> tuple[Lines, ...]:
    """The panels of a chart: two classes give one line a model, several give one a class.

    With ``class_`` that class alone, a line a model. Of more models than lines can be told
    apart, those with the best value of ``best_by`` are drawn.
    """

    def series_of(tallies: Tallies, label: Any, number: int) -> Series:
        p = tallies.predictions
        own = curve(card, name, model=p.model, class_=label, **options)
        text = label_text(p.model) if label is None or class_ is not None else label_text(label)
        counts, point = counts_of(tallies, label), _predicted(tallies, label)
        word = "" if label is None else str(label)
        return Series(
            text if text != "''" else "", own, counts, look_of(number), p.model, word, point
        )

    if class_ is not None:
        chosen, note = _models_shown(card, class_, best_by)
        words = f"{label_text(class_)} against the rest"
        note = ", ".join(filter(None, (words, note)))
        return (Lines("", tuple(series_of(t, class_, i) for i, t in enumerate(chosen)), note),)
    if card.task != "multiclass":
        chosen, note = _models_shown(card, None, best_by)
        return (Lines("", tuple(series_of(t, None, i) for i, t in enumerate(chosen)), note),)
    found = []
    for tallies in card.tallies[:MOST_PANELS]:
        labels, note = _classes_shown(tallies)
        series = tuple(series_of(tallies, label, i) for i, label in enumerate(labels))
        found.append(Lines(tallies.predictions.model, series, note))
    if len(card.tallies) > MOST_PANELS:
        note = f"the first {MOST_PANELS} of {len(card.tallies)} models"
        found[0] = replace(found[0], note=", ".join(filter(None, (found[0].note, note))))
    return tuple(found)


def _models_shown(card: Scorecard, label: Any, measure: str) -> tuple[list[Tallies], str]:
    """Up to ten models in their order; of more, those with the best value of a measure."""
    if len(card.tallies) <= MOST_SERIES:
        return list(card.tallies), ""
    request = parse_request(measure)
    values = np.array(
        [float(request.measure(counts_of(t, label), **request.values)) for t in card.tallies]
    )
    merit = -values if request.measure.direction == "down" else values
    # undefined values sort last either way
    best = np.sort(np.argsort(-merit, kind="stable")[:MOST_SERIES])
    word = "lowest" if request.measure.direction == "down" else "highest"
    title = request.measure.title
    plain = title if title[1:2].isupper() else title[:1].lower() + title[1:]
    note = f"the {MOST_SERIES} of {len(card.tallies)} models with the {word} {plain}"
    return [card.tallies[i] for i in best], note


def _classes_shown(tallies: Tallies) -> tuple[list[Any], str]:
    """A few classes in their order; of many the largest first, and no more than ten."""
    p = tallies.predictions
    if len(p.classes) <= MOST_PANELS:
        return list(p.classes), ""
    support = np.bincount(p.truth, p.weight, minlength=len(p.classes))
    largest = np.argsort(-support, kind="stable")[:MOST_SERIES]
    is_all = len(p.classes) <= MOST_SERIES
    note = "" if is_all else f"the {MOST_SERIES} of {len(p.classes)} classes with most rows"
    return [p.classes[i] for i in largest], note


def _predicted(tallies: Tallies, label: Any) -> Binary | None:
    """The counts of the labels that were predicted, for a mark on the curve."""
    if not tallies.has_labels:
        return None
    one = tallies.confusion.one_vs_rest
    index = class_index(tallies.predictions, label)
    return Binary(*(field[index].item() for field in (one.tp, one.fp, one.fn, one.tn)))


def threshold_panels(card: Scorecard, class_: Any) -> tuple[Lines, ...]:
    """A panel for each model (and class), a line for each of a few measures.

    Of more than have room, a class of each model comes before the next class of any.
    """
    found: list[tuple[int, Series]] = []
    first = replace(card, tallies=card.tallies[:MOST_PANELS])
    for panel in panels_of(first, f"{THRESHOLDS}{SHOWN[0]}", class_=class_):
        found.extend(enumerate(panel.series))
    each = len(card.classes) if card.task == "multiclass" and class_ is None else 1
    count = len(card.tallies) * each
    note = ""
    if count > len(found[:MOST_PANELS]):
        if each > 1:
            found.sort(key=lambda one: one[0])
        what = "models" if each == 1 else "classes"
        if each > 1 and len(card.tallies) > 1:
            what = "pairs of a model and a class"
        option = "class=NAME" if each > 1 else "model=NAME"
        note = f"{MOST_PANELS} of {count} {what}; others by name: thresholds[{option}]"
    shown = [_measures_of(card, series) for _, series in found[:MOST_PANELS]]
    return (replace(shown[0], note=note), *shown[1:])


def _measures_of(card: Scorecard, series: Series) -> Lines:
    """The few measures of one model and class."""
    lines = []
    for number, measure in enumerate(SHOWN):
        own = series.curve
        if number:  # the first is the series itself
            name, label = f"{THRESHOLDS}{measure}", series.class_ or None
            own = curve(card, name, model=series.model, class_=label)
        look = look_of(number)
        lines.append(replace(series, name=own.title, curve=own, look=look, is_measure=True))
    words = [label_text(w) for w in (series.model, series.class_) if w]
    return Lines(", ".join(words), tuple(lines))
