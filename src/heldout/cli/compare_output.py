"""A comparison in the format asked for, on standard output or in a file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from heldout.cli.output import call_of, drawn, write_text
from heldout.cli.screen import screen_width

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import click

    from heldout.comparison.chance import ChanceResult
    from heldout.comparison.comparison import Comparison
    from heldout.comparison.results_comparison import ResultsComparison

__all__ = [
    "write",
    "write_results",
]


def write(
    ctx: click.Context, comparison: Comparison, chance: Sequence[ChanceResult], form: str
) -> None:
    """A comparison of predictions where it belongs."""
    given = ctx.params
    if form == "csv":
        from heldout.report.csv_text import records_csv

        text = records_csv(comparison.table)
    elif form == "json":
        from heldout.cli.audit_lines import with_audit

        text = with_audit(_json(ctx, comparison, chance), ctx)
    else:
        from heldout.report.comparison import comparison_document

        document = comparison_document(
            comparison,
            digits=given["digits"],
            explain=given["explain"],
            chance=chance,
            pairs=given["pairs"] or "",
            room=screen_width() if form == "table" else 0,
            # on a screen they are said beside, as those of other commands
            has_notes=form != "table",
        )
        text = drawn(document, form, given["output"])
    write_text(text, form, given["output"])


def write_results(ctx: click.Context, comparison: ResultsComparison, form: str) -> None:
    """A comparison over many data sets where it belongs."""
    given = ctx.params
    if form == "csv":
        from heldout.report.csv_text import records_csv

        text = records_csv(comparison.table)
    elif form == "json":
        from heldout.report.json_text import json_text, plain

        key = "standing" if comparison.control else "letters"
        content: dict[str, Any] = {
            "call": call_of(ctx, "compare"),
            "design": {"kind": "many data sets", "sets": list(comparison.results.sets)},
            "models": _records(
                {"model": m, "mean_rank": comparison.ranks[m], key: comparison.standing[m]}
                for m in comparison.models
            ),
            "tests": _records(
                {"test": e.method, "statistic": e.statistic, "p_value": e.p_value}
                for e in comparison.omnibus
            ),
            "critical_difference": plain(comparison.critical),
            "differences": _records(comparison.table),
            "posterior": _posteriors(comparison.differences),
            "verdict": comparison.verdict.splitlines(),
            "explanation": list(comparison.reasoning),
            "notes": list(comparison.notes),
        }
        text = json_text(content)
    else:
        from heldout.report.results_comparison import results_document

        document = results_document(
            comparison,
            digits=given["digits"],
            explain=given["explain"],
            pairs=given["pairs"] or "",
            room=screen_width() if form == "table" else 0,
            # on a screen they are said beside, as those of other commands
            has_notes=form != "table",
        )
        text = drawn(document, form, given["output"])
    write_text(text, form, given["output"])


def _json(ctx: click.Context, comparison: Comparison, chance: Sequence[ChanceResult]) -> str:
    from heldout.report.json_text import json_text, plain

    design = comparison.design
    standings = {m: comparison.standing(m) for m in comparison.measures}
    key = "standing" if comparison.control else "letters"
    content: dict[str, Any] = {
        "call": call_of(ctx, "compare"),
        "design": {
            "kind": design.kind,
            "words": design.words,
            "rows": design.rows,
            "repeats": design.repeats,
            "folds": design.folds,
            "groups": design.groups,
            "cuts_groups": design.cuts_groups,
            "test_share": plain(design.test_share),
            "values_are": comparison.of or "of all rows",
        },
        "models": [
            {
                "model": model,
                **{m: plain(comparison.values[m][model]) for m in comparison.measures},
                key: {m: standings[m][model] for m in comparison.measures},
            }
            for model in standings[comparison.measures[0]]
        ],
        "differences": _records(comparison.table),
        "posterior": _posteriors((*comparison.differences, *comparison.slices)),
        "tests_of_all": _records(
            {"measure": m, "test": e.method, "statistic": e.statistic, "p_value": e.p_value}
            for m, e in comparison.omnibus.items()
        ),
        "chance": _records(
            {name: getattr(r, name) for name in r.__dataclass_fields__} for r in chance
        ),
        "verdict": comparison.verdict.splitlines(),
        "explanation": list(comparison.reasoning),
        "notes": list(comparison.notes),
    }
    return json_text(content)


def _posteriors(differences: Iterable[Any]) -> list[dict[str, Any]]:
    made = []
    for d in differences:
        if d.posterior is None:
            continue
        q = d.posterior
        shares = q.first_better, q.second_better
        if getattr(d, "direction", "up") == "down":
            # the posterior is of values: greater is worse here
            shares = shares[1], shares[0]
        made.append(
            {
                "slice": getattr(d, "slice", ""),
                "measure": getattr(d, "measure", ""),
                "first": d.first,
                "second": d.second,
                "first_better": shares[0],
                "equivalent": q.equivalent,
                "second_better": shares[1],
                "rope": q.rope,
                "method": q.method,
            }
        )
    return _records(made)


def _records(rows: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    from heldout.report.json_text import plain

    return [{name: plain(value) for name, value in row.items()} for row in rows]
