"""``--curve roc=points.csv``: the points of a curve with their thresholds, as a file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from heldout.core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from heldout.assess.scorecard import Scorecard
    from heldout.curves.curve import Curve

    Asked = tuple[str, dict[str, Any], Path]

__all__ = ["Points", "curve_of", "points_of"]


def curve_of(text: str) -> Asked:
    """The curve, its options and the file of one ``--curve``, checked before any row is read.

    Examples
    --------
    >>> curve_of("roc[band=simultaneous]=points.csv")
    ('roc', {'band': 'simultaneous'}, PosixPath('points.csv'))
    """
    from heldout.cli.charts import parted
    from heldout.curves.named import THRESHOLDS, checked_name
    from heldout.report.output import refuse_unwritable
    from heldout.report.plots.asked import named_chart

    name, path = parted(text, "--curve", "csv")
    if name.lower() in ("all", "thresholds"):
        raise InputError(f"--curve {text!r}: name one curve, such as roc or thresholds:f_score")
    is_measure = name.lower().startswith(THRESHOLDS)
    checked_name(name if is_measure else name.partition("[")[0])
    known, options = named_chart(name)
    if path.suffix.lower() != ".csv":
        raise InputError(f"--curve {text!r}: points are written as CSV; end the name with .csv")
    refuse_unwritable(path)
    return checked_name(known), options, path


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
    from heldout.curves.several import JOINT
    from heldout.report.csv_text import csv_table

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
            made = _curve(card, name, model=model, class_=class_, **drawing)
            parts.append((words, made.table()))
            what = f"no points, as {made.reason}" if made.is_empty else ""
            if not what and made.band_reason:
                what = f"no band (low and high are empty): {made.band_reason}"
            if what:
                absent.setdefault(what, []).append(" ".join(words.values()))
    table = Columns.stacked(parts)
    return Points(csv_table(table.names, table), absent)


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
