"""``heldout score``: score a table of predictions."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from heldout.cli.command import DATA, Answer, Asked, asked_of, call_of, finish
from heldout.cli.groups import (
    BINS,
    COLUMNS,
    COST,
    ENGINE,
    GUESSED,
    MASTER,
    MEMORY,
    POOL,
    PROFIT,
    RUNS,
    STORE,
    TRAIN_COLUMNS,
    Matrices,
    Output,
    Shown,
)
from heldout.cli.options import SectionedCommand, flag_of, flags_of, options
from heldout.core.options import declare
from heldout.predictions.options import Roles
from heldout.uncertainty.options import NO_INTERVALS, IntervalOptions

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from heldout.assess.results import Result
    from heldout.assess.scorecard import Scorecard
    from heldout.cli.score_tables import Tables
    from heldout.predictions.table import Predictions
    from heldout.report.table import Block, Document

EPILOG = """\b
Examples:
  heldout score predictions.csv --truth label --score p_spam --positive spam
  heldout score a.csv b.csv --measure auc --measure "f_score[beta=2]"
  heldout score example:iris_predictions --all
  heldout score --matrix "50,10;5,35" --orientation truth-rows \\
      --positive first
  heldout score predictions.csv --require "auc >= 0.8" --output scores.json"""

HINT = "All measures: --all. Some: --measure NAME. Explain one: heldout measures NAME"


@click.command(cls=SectionedCommand, epilog=EPILOG)
@click.argument("files", nargs=-1)
@options(GUESSED, *flags_of(Roles, *COLUMNS, "id", "by", "naive", *TRAIN_COLUMNS))
@options(
    "Classes and probabilities",
    *flags_of(Roles, "positive", "labels", "prior", "threshold", "task", "normalise"),
    POOL,
)
@options("Large files", ENGINE, MASTER, MEMORY, BINS)
@options("Stored runs", RUNS, STORE)
@options(
    "Matrices",
    declare(
        "--matrix [NAME=]TEXT|FILE",
        'Confusion matrix instead of FILES: "50,10;5,35" or a CSV file; several need names.',
        many=True,
    ),
    *flags_of(
        Matrices,
        orientation="What the rows of confusion matrices are, given (required with --matrix) and "
        "shown [truth-rows].",
    ),
    PROFIT,
    COST,
)
@options(
    "Measures",
    *flags_of(
        Shown,
        measures='Measures to show: auc, "f_score[beta=2]", precision_macro, "recall[class=a]".',
        per_class="Show values of single classes [for up to 50 classes].",
        per_fold="Show values of single folds.",
    ),
)
@options(
    "Decisions",
    declare(
        "--best RULE",
        'Find the best threshold: youden, "f_score[beta=2]", profit, "recall >= 0.9".',
        many=True,
    ),
    declare(
        "--thresholds",
        "Show the counts and rates at every threshold, or where the ROC curve turns.",
        name="every_threshold",
        choices=("corners", "all"),
    ),
    declare(
        "--prevalence P,...",
        "Show precision, NPV and profit at other shares of positives.",
        many=True,
    ),
    declare("--rank SPEC", "Rank the models by a measure."),
)
@options(
    "Intervals",
    *flags_of(
        IntervalOptions,
        method="Interval method. Proportions: wilson, wilson-cc, clopper-pearson, jeffreys, "
        "agresti-coull, wald, wald-cc, mid-p, likelihood; AUC: delong, delong-plain, newcombe; "
        "bootstrap: bayesian, percentile, basic, bca [chosen by measure and design].",
        replicates="Number of bootstrap replicates [2000 for counts, 400 for rows and scores, 100 "
        "for long rankings].",
    ),
    NO_INTERVALS,
    declare("--explain", "Explain each interval: method, reference, assumptions, alternatives."),
)
@options(
    "Output",
    *flags_of(Output, "form", "output", "report", "digits", "methods"),
    flag_of(
        Output,
        "charts",
        "Draw a chart: roc.png, pr.svg, roc=figure1.pdf, thresholds:f_score=f.png, all=FOLDER.",
    ),
    declare(
        "--curve NAME=FILE",
        'Write the points of a curve: roc=points.csv, "pr[band=pointwise]=pr.csv".',
        name="curves",
        many=True,
    ),
    declare(
        "--rows [MEASURE=]FILE",
        "Write a table of the rows: outcome, rank, losses; worst first by MEASURE.",
        name="row_files",
        many=True,
    ),
    *flags_of(Output, "no_audit", "quiet"),
)
@click.pass_context
def command(ctx: click.Context, /, **given: Any) -> int:
    """Score predictions: every measure, with a confidence interval.

    FILES hold predictions as CSV, TSV, Parquet, Arrow or JSON Lines, also compressed; globs work,
    "-" reads standard input, and example:NAME is data that ships with heldout. Each file is one
    model. Options marked * may be given more than once.
    """
    return score_files(ctx, given)


def score_files(ctx: click.Context, given: Mapping[str, Any]) -> int:
    """All that is asked of predictions, where it belongs; the exit code."""
    from heldout.cli.charts import missing_lines
    from heldout.cli.findings import audit_card, notes_on
    from heldout.cli.inputs import shown_matrices
    from heldout.cli.requirements import verdicts_of
    from heldout.cli.score_tables import curve_of, points_of, row_text, rows_of, tables_of
    from heldout.cli.screen import say
    from heldout.report.decisions import decision_rows, result_rows
    from heldout.report.scorecard import scorecard_record

    curves = [curve_of(text) for text in given["curves"]]
    paths = [
        (f"--curve {text}", path) for text, (*_, path) in zip(given["curves"], curves, strict=True)
    ]
    row_files = [rows_of(text) for text in given["row_files"]]
    paths += [
        (f"--rows {text}", path)
        for text, (_, path) in zip(given["row_files"], row_files, strict=True)
    ]
    asked = asked_of(given, given["files"], also=paths)
    card = _card(given)
    results = _results(card, given, asked)
    verdicts = verdicts_of(card, asked.requirements)
    is_stated = given["labels"] is not None or bool(given["matrix"])
    say(given, (*card.notes, *notes_on(card, results, given, asked, is_ordered=is_stated)))
    tables = tables_of(card, given)
    points = {path: points_of(card, name, drawing) for name, drawing, path in curves}
    say(given, (line for path, of_curve in points.items() for line in of_curve.lacks(path)))
    say(given, missing_lines(card, asked.charts))
    level = None if card.intervals is None else card.intervals.level
    judged = {t.predictions.model: t.rows for t in card.tallies}
    return finish(
        given,
        asked,
        Answer(
            document=lambda: _document(given, asked, card, results, tables),
            page=lambda: _document(given, asked, card, results, tables, has_letters=True),
            record=lambda: {
                "call": call_of(ctx, files=list(given["files"])),
                **scorecard_record(card, results, tables, matrices=shown_matrices(given)),
            },
            rows=lambda: result_rows([*results, *decision_rows(tables, level=level, rows=judged)]),
            audit=lambda: audit_card(given, card, results),
            files={path: of_curve.text for path, of_curve in points.items()}
            | {path: row_text(card, given["measures"], worst) for worst, path in row_files},
            verdicts=verdicts,
            charted=card,
            card=card,
            results=results,
        ),
    )


def _card(given: Mapping[str, Any]) -> Scorecard:
    """What the files (or the matrix) say, ready to be measured."""
    from heldout.assess.scorecard import score_matrix, score_predictions
    from heldout.cli.inputs import (
        ROLES,
        cells_of,
        first_flag_of,
        refuse,
        refuse_contradictions,
        refuse_without_classes,
    )
    from heldout.core.specs import words
    from heldout.uncertainty.options import interval_options

    refuse_contradictions(given)
    names = ("level", "method", "replicates", "seed", "stratified")
    options = interval_options(**{name: given[name] for name in names})
    intervals = None if given["no_intervals"] else options
    if not given["matrix"]:
        predictions = _predictions(given)
        refuse_without_classes(given, predictions[0].classes)
        cells = cells_of(given, predictions[0].classes)
        return score_predictions(predictions, intervals=intervals, **cells)
    from heldout.predictions.matrix import read_matrices

    # counts have no columns, so nothing may be said of columns
    of_rows = first_flag_of(given, (*ROLES, "pool", "runs"), but=("positive", "labels"))
    other = of_rows or ("the files" if given["files"] else "")
    refuse(other, f"--matrix gives counts, not rows: leave out {other}")
    counts = read_matrices(
        _matrices_by_name(given["matrix"]),
        orientation=given["orientation"],
        labels=words(given["labels"]),
        positive=given["positive"],
    )
    return score_matrix(*counts, intervals=intervals, **cells_of(given, counts[0].classes))


def _matrices_by_name(texts: Sequence[str]) -> dict[str, str]:
    """The confusion matrices by the names of their models; one alone needs none."""
    from heldout.cli.inputs import refuse

    matrices: dict[str, str] = {}
    for text in texts:
        name, sign, matrix = text.partition("=")
        if not sign or Path(text).exists():
            name, matrix = "", text
        refuse(
            not name and len(texts) > 1,
            f"--matrix {text}: name each of several matrices, such as --matrix knn={text}",
        )
        refuse(name in matrices, f"--matrix {text}: another matrix has the name {name!r}")
        matrices[name] = matrix
    return matrices


def _predictions(given: Mapping[str, Any]) -> tuple[Predictions, ...]:
    from heldout.cli.inputs import read_files, refuse, stored_predictions
    from heldout.cli.screen import say

    refuse(
        not given["files"],
        "give a file of predictions, - for standard input, or --matrix; "
        "heldout score example:spam --positive spam shows an example",
    )
    if given["runs"]:
        notes: list[str] = []
        predictions = stored_predictions(given, notes)
        say(given, notes)
        return predictions
    return read_files(given["files"], given, pool=given["pool"])


def _results(card: Scorecard, given: Mapping[str, Any], asked: Asked) -> tuple[Result, ...]:
    from heldout.cli.inputs import shown_values

    how = shown_values(given, card, is_data=asked.form in DATA)
    results = card.results(given["measures"] or None, **how)
    if not how.pop("everything") and not given["measures"]:
        # a matrix that was given is asked about
        for name in ("profit", "cost"):
            if given[name] is not None:
                results += card.results((name, f"{name}_per_row"), **how)
    return results


def _document(
    given: Mapping[str, Any],
    asked: Asked,
    card: Scorecard,
    results: Sequence[Result],
    tables: Tables,
    *,
    has_letters: bool = False,
) -> Document:
    from heldout.cli.inputs import shown_matrices
    from heldout.report.confusion_tables import matrix_blocks
    from heldout.report.decisions import tables_document
    from heldout.report.remarks import explain_intervals
    from heldout.report.scorecard import scorecard_document

    is_short = not given["everything"] and not given["measures"]
    matrices = shown_matrices(given)
    more: list[Block] = [*tables_document(tables, card.intervals)]
    more += matrix_blocks(card, **matrices)
    more += explain_intervals(card, results) if given["explain"] else ()
    return scorecard_document(
        card,
        results,
        is_short=is_short and given["per_class"] is not False,
        families=given["everything"] and not given["measures"],
        more=more,
        hint=HINT if asked.form == "table" and is_short else "",
        view=matrices["view"],
        letters_by=next(iter(given["measures"]), "") if has_letters else None,
    )
