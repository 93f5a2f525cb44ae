"""Why intervals are made as they are, in words: what ``--explain`` shows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from heldout.assess.results import Of
from heldout.assess.uncertainty import explanations
from heldout.measures.spec import parse_request
from heldout.report.table import Text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from heldout.assess.results import Result
    from heldout.assess.scorecard import Scorecard
    from heldout.report.table import Block


def explained_intervals(card: Scorecard, results: Sequence[Result]) -> list[Block]:
    """Why each interval is made as it is; what several models share is said once."""
    if card.intervals is None:
        return []
    lines: dict[str, None] = {}
    for tallies in card.tallies:
        values = dict.fromkeys(
            (r.measure, r.of)
            for of in (Of.POOLED, Of.MEAN_OF_FOLDS)
            for r in results
            if r.low is not None
            and r.of is of
            and not (r.class_ or r.slice or r.repeat)
            and r.model == tallies.predictions.model
        )
        asked = [(parse_request(name), of) for name, of in values]
        for e in explanations(tallies, card.intervals, asked):
            others = f" Others (--interval): {', '.join(e.others)}." if e.others else ""
            line = f"{', '.join(e.names)} ({e.form}; independent: {e.unit}): {e.title}. "
            lines[f"{line}Assumes that {e.assumes}.{others} Reference: {e.reference}."] = None
    return [Text("Intervals", "strong"), *(Text(f"- {line}") for line in lines)]
