"""What commands say beside their results: the audit of what they have, and what is not shown."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from heldout.cli.command import DATA
from heldout.cli.screen import write_line
from heldout.core.shown import visible

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from heldout.assess.results import Result
    from heldout.assess.scorecard import Scorecard
    from heldout.auditing.audit import Audit
    from heldout.cli.command import Asked
    from heldout.evaluation.evaluation import Evaluation
    from heldout.predictions.table import Predictions
    from heldout.selection.selection import Selection

#: values that a costly check may go through beside the command's own work
MOST_VALUES = 2_000_000
COLORS = {"error": "\x1b[1;31m", "warning": "\x1b[33m", "note": "\x1b[2m"}


def audit_card(
    given: Mapping[str, Any], card: Scorecard, results: Iterable[Result]
) -> Audit | None:
    """The audit of what ``heldout score`` judged and shows."""
    if any(tallies.is_counted for tallies in card.tallies):
        return None
    from heldout.auditing.audit import audited
    from heldout.auditing.material import material_of_scorecard
    from heldout.runner.store import chosen_store

    looks, store = None, chosen_store()
    if store is not None and store.path.is_file():
        from heldout.runner.earlier_looks import looks_at_rows

        looks = looks_at_rows(store, card.predictions)
    material = material_of_scorecard(
        card,
        chosen_threshold=", ".join(given["best"]),
        ranked_by=given["rank"] or "",
        looks=looks,
        measures=_measures(results),
        most_values=MOST_VALUES,
    )
    return audited(material, is_beside=True)


def audit_evaluation(
    given: Mapping[str, Any], evaluation: Evaluation, results: Iterable[Result]
) -> Audit:
    """The audit of what ``heldout evaluate`` ran and shows."""
    from heldout.auditing.audit import audited
    from heldout.auditing.material import material_of_evaluation
    from heldout.runner.earlier_looks import looks_at_data
    from heldout.runner.store import chosen_store

    store = chosen_store(False if given["no_store"] else given["store"])
    looks = looks_at_data(store, evaluation.dataset.fingerprint, evaluation.splits.fingerprint)
    known: dict[str, Any] = {"measures": _measures(results)}
    if looks is not None:
        known |= {"looks": looks[0], "looks_elsewhere": looks[1]}
    return audited(material_of_evaluation(evaluation, most_values=MOST_VALUES, **known))


def audit_selection(selection: Selection) -> Audit:
    """The audit of the data and splits of ``heldout select``.

    That many settings were looked at is what its estimate is corrected for.
    """
    from heldout.auditing.audit import audited
    from heldout.auditing.material import Material

    return audited(
        Material(
            data=selection.dataset,
            splits=selection.splits,
            measures=(selection.criterion.name,),
            is_run=True,
            most_values=MOST_VALUES,
        )
    )


def audit_models(
    given: Mapping[str, Any], predictions: Sequence[Predictions], measures: tuple[str, ...]
) -> Audit:
    """The audit of what ``heldout compare`` compares."""
    from heldout.auditing.audit import audited
    from heldout.auditing.material import Material

    material = Material(predictions=tuple(predictions), measures=measures, most_values=MOST_VALUES)
    # models that are said to be judged on different rows need not be told
    is_known = given["unpaired"] or given["shared"]
    return audited(material, skip=("K14",) if is_known else (), is_beside=True)


def notes_on(
    card: Scorecard,
    results: Sequence[Result],
    given: Mapping[str, Any],
    asked: Asked,
    *,
    is_ordered: bool,
) -> Iterator[str]:
    """What is not shown and why, and the order of the classes where nobody stated it."""
    from heldout.assess.remarks import unused_method
    from heldout.report.names import order_note

    everything = given["everything"] or asked.form in DATA
    if everything and not given["measures"] and card.left_out:
        yield card.left_out
    if unused := unused_method(card.intervals, results, card.tallies):
        yield unused
    if not is_ordered and (order := order_note(card.classes, (r.measure for r in results))):
        yield order


def _measures(results: Iterable[Result]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(result.measure for result in results))


def say_findings(audit: Audit) -> None:
    """The findings in short lines on standard error, gravest first; what was skipped for size."""
    for severity, line in _lines(audit):
        write_line("audit:", f" {visible(line)}", COLORS[severity])


#: findings of one check that a command other than the audit shows
MOST_FINDINGS = 5


def _lines(audit: Audit) -> Iterator[tuple[str, str]]:
    seen = Counter((finding.severity, finding.code) for finding in audit.findings)
    shown: Counter[tuple[str, str]] = Counter()
    for finding in audit.findings:
        kind = finding.severity, finding.code
        shown[kind] += 1
        if shown[kind] <= MOST_FINDINGS:
            yield finding.severity, f"{finding.severity} {finding.line}"
        elif shown[kind] == MOST_FINDINGS + 1:
            more = seen[kind] - MOST_FINDINGS
            yield finding.severity, f"{finding.severity} {finding.code} {more:,} more like these"
    by_reason: dict[str, list[str]] = {}
    for unchecked in audit.unchecked:
        if unchecked.is_for_size:
            by_reason.setdefault(unchecked.reason, []).append(unchecked.code)
    for reason, codes in by_reason.items():
        yield "note", f"{', '.join(codes)} {reason}"
    if audit.findings:
        yield "note", f"details: heldout audit --explain {audit.findings[0].code}"
