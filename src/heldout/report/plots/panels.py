"""What goes on a chart: a line a model or a class, and a panel a model where both are several."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.curves.named import curve
from heldout.curves.sources import class_index, counts_of
from heldout.measures.spec import parse_request
from heldout.report.names import label_text
from heldout.report.plots.style import MOST_SERIES, look_of
from heldout.tally.confusion import Binary

if TYPE_CHECKING:
    from heldout.assess.scorecard import Scorecard
    from heldout.curves.curve import Curve
    from heldout.engines.memory import Tallies
    from heldout.report.plots.style import Look
    from heldout.tally.scores import ScoreCounts

__all__ = ["MOST_PANELS", "Panel", "Series", "panels_of"]

#: more panels of classes in one figure cannot be read
MOST_PANELS = 6


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
class Panel:
    """The lines of one pair of axes, and what was left out of it."""

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
) -> tuple[Panel, ...]:
    """The panels of a chart: two classes give one line a model, several give one a class.

    With ``class_`` that class alone, a line a model. Of more models than lines can be told
    apart, those with the best value of ``best_by`` are drawn.
    """

    def made(tallies: Tallies, label: Any, number: int) -> Series:
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
        panel = Panel("", tuple(made(t, class_, i) for i, t in enumerate(chosen)), note)
        words = f"{label_text(class_)} against the rest"
        return (Panel(panel.name, panel.series, ", ".join(filter(None, (words, panel.note)))),)
    if card.task != "multiclass":
        chosen, note = _models_shown(card, None, best_by)
        return (Panel("", tuple(made(t, None, i) for i, t in enumerate(chosen)), note),)
    found = []
    for tallies in card.tallies[:MOST_PANELS]:
        labels, note = _classes_shown(tallies)
        series = tuple(made(tallies, label, i) for i, label in enumerate(labels))
        found.append(Panel(tallies.predictions.model, series, note))
    if len(card.tallies) > MOST_PANELS:
        note = f"the first {MOST_PANELS} of {len(card.tallies)} models"
        found[0] = Panel(
            found[0].name, found[0].series, ", ".join(filter(None, (found[0].note, note)))
        )
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
    """Up to ten classes in their order; of more, those with most rows."""
    p = tallies.predictions
    if len(p.classes) <= MOST_SERIES:
        return list(p.classes), ""
    support = np.bincount(p.truth, p.weight, minlength=len(p.classes))
    largest = np.sort(np.argsort(-support, kind="stable")[:MOST_SERIES])
    note = f"the {MOST_SERIES} of {len(p.classes)} classes with most rows"
    return [p.classes[i] for i in largest], note


def _predicted(tallies: Tallies, label: Any) -> Binary | None:
    """The counts of the labels that were predicted, for a mark on the curve."""
    if not tallies.has_labels:
        return None
    one = tallies.confusion.one_vs_rest
    index = class_index(tallies.predictions, label)
    return Binary(*(field[index].item() for field in (one.tp, one.fp, one.fn, one.tn)))
