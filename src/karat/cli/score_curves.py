"""``--curve roc=points.csv``: the points of a curve with their thresholds, as a file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from karat.core.errors import InputError

if TYPE_CHECKING:
    from pathlib import Path

    from karat.assess.scorecard import Scorecard

    Asked = tuple[str, dict[str, Any], Path]

__all__ = ["curve_of", "curve_text"]


def curve_of(text: str) -> Asked:
    """The curve, its options and the file of one ``--curve``, checked before any row is read.

    Examples
    --------
    >>> curve_of("roc[band=simultaneous]=points.csv")
    ('roc', {'band': 'simultaneous'}, PosixPath('points.csv'))
    """
    from karat.cli.charts import parted
    from karat.curves.named import checked_name
    from karat.report.output import refuse_unwritable
    from karat.report.plots.asked import named_chart

    name, path = parted(text, "--curve", "csv")
    if name.lower() in ("all", "thresholds"):
        raise InputError(f"--curve {text!r}: name one curve, such as roc or thresholds:f_score")
    known, options = named_chart(name)
    if path.suffix.lower() != ".csv":
        raise InputError(f"--curve {text!r}: points are written as CSV; end the name with .csv")
    refuse_unwritable(path)
    return checked_name(known), options, path


def curve_text(card: Scorecard, name: str, options: dict[str, Any]) -> str:
    """The points of every model, and of every class where there are several, below each other."""
    from karat.curves.columns import Columns
    from karat.report.csv_text import csv_table

    drawing = dict(options)
    label = drawing.pop("class_", None)
    labels = card.classes if card.task == "multiclass" and label is None else (label,)
    if drawing.get("band") and card.intervals is not None:
        drawing = {"level": card.intervals.level, "seed": card.intervals.seed} | drawing
        if card.intervals.replicates:
            drawing.setdefault("replicates", card.intervals.replicates)
    parts = []
    for model in card.models:
        for class_ in labels:
            words = {"model": model} if len(card.models) > 1 else {}
            if class_ is not None:
                words["class"] = str(class_)
            made = card.curve(name, model=model, class_=class_, **drawing)
            parts.append((words, made.table()))
    table = Columns.stacked(parts)
    return csv_table(table.names, table)
