"""The audit inside of other commands: made of what they have, said in short lines."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from heldout.cli.screen import takes_color
from heldout.core.shown import visible

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    import click

    from heldout.assess.results import Result
    from heldout.assess.scorecard import Scorecard
    from heldout.auditing.audit import Audit
    from heldout.evaluation.evaluation import Evaluation
    from heldout.predictions.table import Predictions
    from heldout.selection.selection import Selection

__all__ = [
    "audit_card",
    "audit_evaluation",
    "audit_models",
    "audit_selection",
    "say_audit",
    "with_audit",
]

#: values that a costly check may go through beside the command's own work
MOST_VALUES = 2_000_000
KEY = "heldout.audit"
COLORS = {"error": "\x1b[1;31m", "warning": "\x1b[33m", "note": "\x1b[2m"}


def audit_card(ctx: click.Context, card: Scorecard, results: Iterable[Result]) -> None:
    """Audit what ``heldout score`` judged and shows, if that is wanted."""
    given = ctx.params
    if given["no_audit"] or any(tallies.is_counted for tallies in card.tallies):
        return
    from heldout.auditing.audit import audited
    from heldout.auditing.material import material_of_scorecard
    from heldout.runner.looks import looks_at_rows
    from heldout.runner.store import chosen_store

    material = material_of_scorecard(
        card,
        chosen_threshold=", ".join(given["best"]),
        ranked_by=given["rank"] or "",
        looks=looks_at_rows(chosen_store(), card.predictions),
        measures=_measures(results),
        most_values=MOST_VALUES,
    )
    ctx.meta[KEY] = audited(material)


def audit_evaluation(ctx: click.Context, evaluation: Evaluation, results: Iterable[Result]) -> None:
    """Audit what ``heldout evaluate`` ran and shows, if that is wanted."""
    given = ctx.params
    if given["no_audit"]:
        return
    from heldout.auditing.audit import audited
    from heldout.auditing.material import material_of_evaluation
    from heldout.runner.looks import looks_at_data

    here = evaluation.dataset.fingerprint, evaluation.splits.fingerprint
    looks = looks_at_data(_store(given), *here)
    known: dict[str, Any] = {"measures": _measures(results)}
    if looks is not None:
        known |= {"looks": looks[0], "looks_elsewhere": looks[1]}
    material = material_of_evaluation(evaluation, most_values=MOST_VALUES, **known)
    ctx.meta[KEY] = audited(material)


def audit_selection(ctx: click.Context, selection: Selection) -> None:
    """Audit the data and splits of ``heldout select``, if that is wanted.

    That many settings were looked at is what its estimate is corrected for.
    """
    if ctx.params["no_audit"]:
        return
    from heldout.auditing.audit import audited
    from heldout.auditing.material import Material

    ctx.meta[KEY] = audited(
        Material(
            data=selection.dataset,
            splits=selection.splits,
            measures=(selection.criterion.name,),
            is_run=True,
            most_values=MOST_VALUES,
        )
    )


def audit_models(
    ctx: click.Context, predictions: Sequence[Predictions], measures: tuple[str, ...]
) -> None:
    """Audit what ``heldout compare`` compares, if that is wanted."""
    given = ctx.params
    if given["no_audit"]:
        return
    from heldout.auditing.audit import audited
    from heldout.auditing.material import Material

    material = Material(predictions=tuple(predictions), measures=measures, most_values=MOST_VALUES)
    # models that are said to be judged on different rows need not be told
    is_known = given["unpaired"] or given["shared"]
    ctx.meta[KEY] = audited(material, skip=("K14",) if is_known else ())


def _measures(results: Iterable[Result]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(result.measure for result in results))


def _store(given: Mapping[str, Any]) -> Any:
    from heldout.runner.store import chosen_store

    return chosen_store(False if given["no_store"] else given["store"])


def with_audit(text: str, ctx: click.Context) -> str:
    """A JSON object with the findings added, where an audit was made."""
    audit = ctx.meta.get(KEY)
    if audit is None:
        return text
    from heldout.report.audit_text import json_with_audit

    return json_with_audit(text, audit)


def say_audit(ctx: click.Context) -> None:
    """The findings in short lines on standard error, gravest first; what was left out for size."""
    audit = ctx.meta.get(KEY)
    if audit is None or ctx.params["quiet"]:
        return
    for severity, line in _lines(audit):
        head = f"{COLORS[severity]}audit:\x1b[0m" if takes_color(sys.stderr) else "audit:"
        encoding = sys.stderr.encoding or "utf-8"
        shown = visible(line).encode(encoding, "backslashreplace").decode(encoding)
        try:
            sys.stderr.write(f"{head} {shown}\n")
            sys.stderr.flush()
        except OSError:  # nobody hears
            return


def _lines(audit: Audit) -> Iterator[tuple[str, str]]:
    for finding in audit.findings:
        yield finding.severity, f"{finding.severity} {finding.line}"
    by_reason: dict[str, list[str]] = {}
    for one in audit.unchecked:
        if one.is_for_size:
            by_reason.setdefault(one.reason, []).append(one.code)
    for reason, codes in by_reason.items():
        yield "note", f"{', '.join(codes)} {reason}"
    if audit.findings:
        yield "note", f"why and what to do: heldout audit --explain {audit.findings[0].code}"
