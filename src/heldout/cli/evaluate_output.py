"""The results of ``heldout evaluate`` in the format asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from heldout.cli.output import PAGE, call_of, drawn
from heldout.cli.screen import screen_width

if TYPE_CHECKING:
    from collections.abc import Sequence

    import click

    from heldout.assess.results import Result
    from heldout.comparison.chance import ChanceResult
    from heldout.evaluation.evaluation import Evaluation

__all__ = ["text_of"]

HINT = "All measures: --all. Some: --measure NAME. Single folds: --per-fold"


def text_of(
    ctx: click.Context,
    evaluation: Evaluation,
    results: Sequence[Result],
    form: str,
    chance: Sequence[ChanceResult] = (),
) -> str:
    """The results, and what chance gives, in the format asked for."""
    from heldout.cli.audit_lines import with_audit
    from heldout.report.csv_text import csv_text
    from heldout.report.evaluation import evaluation_document, evaluation_json

    given = ctx.params
    if form == "csv":
        return csv_text(results)
    if form == "json":
        call = call_of(ctx, "evaluate")
        how: Any = {"folds": given["per_fold"], "chance": chance}
        return with_audit(evaluation_json(evaluation, results, call, **how), ctx)
    is_short = not given["everything"] and not given["measures"]
    document = evaluation_document(
        evaluation,
        results,
        digits=given["digits"],
        width=screen_width() if form == "table" else PAGE,
        asked=given["measures"],
        hint=HINT if form == "table" and is_short else "",
    )
    if given["timings"]:
        from heldout.cli.evaluate_timings import timings_grid

        document = (*document, timings_grid(evaluation))
    if chance:
        from heldout.report.comparison import chance_grid

        document = (*document, chance_grid(chance, given["digits"]))
    return drawn(document, form, given["output"])
