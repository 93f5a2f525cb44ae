"""What a chart was asked for: its name, options in brackets, and what goes without saying."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from heldout.core.errors import InputError
from heldout.core.nearest import did_you_mean
from heldout.curves.named import CURVES, FOLDS, OF_PROBABILITIES, THRESHOLDS, checked_name
from heldout.curves.several import JOINT
from heldout.curves.thresholds import threshold_request
from heldout.report.plots.curve_panel import MOST_BANDS

if TYPE_CHECKING:
    from heldout.assess.scorecard import Scorecard
    from heldout.engines.memory import Tallies

__all__ = ["BANDED", "OF_REGRESSION", "PLOTS", "defaults_of", "named_chart"]

#: every chart that needs no measure named
PLOTS = (*CURVES, FOLDS, "thresholds")
#: charts of true and predicted values
OF_REGRESSION = ("predicted", "residuals")
#: charts of curves that have bands
BANDED = ("roc", "pr", FOLDS)
#: draws of a band that nobody asked for, folds it is still quick for, rows that must be drawn
DRAWS = 500
MOST_FOLDS = 20
MOST_ROWS = 200_000
#: a comma before the next ``option=``; others belong to the name of a class
NEXT = re.compile(r",(?=\s*[A-Za-z_]\w*\s*=|\s*$)")
QUOTED = re.compile(r"""\bclass\s*=\s*(["'])(.*?)\1\s*,?""")
WORDS: dict[str, Any] = {"true": True, "false": False, "none": None}


def named_chart(name: str) -> tuple[str, dict[str, Any]]:
    """The name of a chart and the options in its brackets, or an error with the nearest names.

    Examples
    --------
    >>> named_chart("ROC[band=simultaneous, level=0.9]")
    ('roc', {'band': 'simultaneous', 'level': 0.9})
    >>> named_chart("thresholds:f_score[beta=2]")
    ('thresholds:f_score[beta=2]', {})
    """
    text = name.strip()
    if text.lower().startswith(THRESHOLDS):
        known = checked_name(text)
        if not known.removeprefix(THRESHOLDS).startswith(("profit", "cost")):
            threshold_request(known.removeprefix(THRESHOLDS))  # those need their matrix first
        return known, {}
    word, bracket, rest = text.partition("[")
    options = _options(rest, name) if bracket else {}
    if word.strip().lower() in ("thresholds", "all", *OF_REGRESSION):
        return word.strip().lower(), options
    try:
        return checked_name(word), options
    except InputError:
        known_names = [*PLOTS, JOINT, f"{THRESHOLDS}f_score", *OF_REGRESSION, "all"]
        hint = did_you_mean(word, known_names) or f"; there are {', '.join(known_names)}"
        raise InputError(f"no chart is called {name!r}{hint}") from None


def _options(text: str, name: str) -> dict[str, Any]:
    if not text.rstrip().endswith("]"):
        raise InputError(f"{name!r} is not written NAME[option=value, ...]")
    made = {}
    inside = text.rstrip()[:-1]
    if quoted := QUOTED.search(inside):
        # a class whose name has commas or looks like a number is written between quotes
        made["class_"] = quoted[2]
        inside = QUOTED.sub("", inside)
    for part in filter(None, (p.strip() for p in NEXT.split(inside))):
        key, equals, value = part.partition("=")
        if not equals:
            raise InputError(f"{name!r}: {part!r} is not written option=value")
        key = key.strip()
        made["class_" if key == "class" else key] = _value(value.strip())
    return made


def _value(text: str) -> Any:
    if text.lower() in WORDS:
        return WORDS[text.lower()]
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def defaults_of(card: Scorecard, name: str, options: dict[str, Any]) -> dict[str, Any]:
    """The options with the scorecard's level and seed, and bands where lines have room for them.

    Bands of many curves would hide each other, so those are drawn only when asked for.
    """
    intervals = card.intervals
    made = dict(options)
    if intervals is not None and name in (*BANDED, *OF_PROBABILITIES):
        made.setdefault("level", intervals.level)
    if name == "calibration":
        made.setdefault("replicates", getattr(intervals, "replicates", None) or DRAWS)
    if name not in BANDED:
        return made
    each = len(card.classes) if card.task != "binary" and "class_" not in made else 1
    few = max(each, len(card.tallies)) <= MOST_BANDS
    lines = each * len(card.tallies)
    quick = few and all(_is_quick(tallies, name, lines) for tallies in card.tallies)
    if "band" not in made and intervals is not None and quick:
        made |= {"band": "pointwise", "replicates": intervals.replicates or DRAWS} | made
    if intervals is not None and made.get("band"):
        made.setdefault("seed", intervals.seed)
        if intervals.replicates:
            made.setdefault("replicates", intervals.replicates)
    return made


def _is_quick(tallies: Tallies, name: str, lines: int) -> bool:
    """Whether bands of so many lines can be had without being asked for."""
    p = tallies.predictions
    if name == FOLDS:
        count = lines
        for column in (p.design.fold, p.design.repeat):
            count *= 1 if column is None else len(column.levels)
        if count > MOST_FOLDS:
            return False
    must_draw_rows = (
        p.weight is not None or p.design.group is not None or p.design.repeat is not None
    )
    return not must_draw_rows or len(p) * lines <= MOST_ROWS
