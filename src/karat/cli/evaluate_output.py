"""The results of ``karat evaluate`` in the format asked for, and what is required of them."""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from karat.cli.score_output import DATA, PAGE
from karat.cli.screen import screen_width, takes_color

if TYPE_CHECKING:
    from collections.abc import Sequence

    import click

    from karat.assess.results import Result
    from karat.evaluation.evaluation import Evaluation
    from karat.report.document import Document

__all__ = ["Judged", "drawn", "write"]

HINT = "All measures: --all. Some: --measure NAME. Single folds: --per-fold"


def write(ctx: click.Context, evaluation: Evaluation, results: Sequence[Result], form: str) -> None:
    """The results where they belong, whole or not at all."""
    from karat.cli.audit_lines import with_audit
    from karat.report.csv_text import csv_text
    from karat.report.evaluation import evaluation_document, evaluation_json
    from karat.report.output import write_stdout, write_whole

    given = ctx.params
    if form == "csv":
        text = csv_text(results)
    elif form == "json":
        text = evaluation_json(evaluation, results, _call(ctx), folds=given["per_fold"])
        text = with_audit(text, ctx)
    else:
        is_short = not given["everything"] and not given["measures"]
        document = evaluation_document(
            evaluation,
            results,
            digits=given["digits"],
            width=screen_width() if form == "table" else PAGE,
            hint=HINT if form == "table" and is_short else "",
        )
        if given["timings"]:
            from karat.cli.evaluate_timings import timings_grid

            document = (*document, timings_grid(evaluation))
        text = drawn(document, form, output=given["output"])
    if given["output"] is not None:
        write_whole(given["output"], text)
    else:
        write_stdout(text, is_data=form in DATA)


def drawn(document: Document, form: str, *, output: Any = None) -> str:
    """A document for people in one of the formats."""
    from karat.report.latex import latex_text
    from karat.report.markdown import markdown_text
    from karat.report.terminal import terminal_text

    if form == "markdown":
        return markdown_text(document)
    if form == "latex":
        return latex_text(document)
    is_colored = output is None and takes_color(sys.stdout)
    return terminal_text(document, width=screen_width(), color=is_colored)


def _call(ctx: click.Context) -> dict[str, Any]:
    """The command and the options that were given, by their long names."""
    call: dict[str, Any] = {"command": "evaluate", "data": ctx.params["data"]}
    for parameter in ctx.command.params:
        name = parameter.name or ""
        source = ctx.get_parameter_source(name)
        if name == "data" or source is None or source.name != "COMMANDLINE":
            continue
        value = ctx.params[name]
        key = parameter.opts[0].removeprefix("--").replace("-", "_")
        plain = list(value) if isinstance(value, tuple) else value
        call[key] = plain if isinstance(plain, str | int | float | bool | list) else str(plain)
    return call


@dataclass(frozen=True, slots=True)
class Judged:
    """An evaluation as ``--require`` looks at it: the values that the table shows."""

    evaluation: Evaluation

    @property
    def classes(self) -> tuple[Any, ...]:
        """The classes in their order."""
        return self.evaluation.dataset.classes

    def results(self, measures: Sequence[str], *, per_class: bool | None) -> list[Result]:
        """The value of each model that has an interval: pooled, or of the mean of folds."""
        from karat.report.evaluation_grids import chosen_results

        made = self.evaluation.results(measures, per_class=per_class)
        found = [chosen.result for chosen in chosen_results(made).values()]
        labelled = [r for r in made if r.class_ and not r.fold and not r.repeat]
        return [*(replace(result, fold="") for result in found), *labelled]
