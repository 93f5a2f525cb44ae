"""``heldout compare``: whether models differ by more than noise."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from heldout.cli import data_options as data
from heldout.cli import output_options as shown
from heldout.cli import prediction_options as files
from heldout.cli.options import SectionedCommand, flag, options
from heldout.cli.output import format_of, refuse_shared

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

__all__ = ["command"]

EPILOG = """\b
Examples:
  heldout compare a.csv b.csv --truth y --score p --id row_id --measure auc
  heldout compare example:models --positive spam --explain
  heldout compare out_of_fold.csv --positive malignant --rope 0.01 --plot posterior.png
  heldout compare --runs 1 2
  heldout compare example:models --positive spam --control rules
  heldout compare results.csv --datasets name --models model --value accuracy --plot ranks.png
\b
Tests by name (--test): mcnemar, mcnemar-midp, mcnemar-normal, mcnemar-corrected, delong, loss-t,
  gaps, delta, bootstrap, permutation; independent; corrected-t, 5x2-t, 5x2-f, group-t; wilcoxon,
  sign, friedman, quade, aligned-ranks. The design of the predictions decides which are admissible
  (--explain)."""


@click.command(cls=SectionedCommand, epilog=EPILOG)
@click.argument("files", nargs=-1)
@options(
    files.GUESSED,
    *files.SCORE_COLUMNS,
    *files.DESIGN_COLUMNS,
    data.ID.but(help="Name of the row, by which models are paired."),
    data.BY.but(help="Compare in slices too. *"),
    *files.TRAIN_COLUMNS,
)
@options(
    "Classes and probabilities",
    data.POSITIVE,
    data.LABELS,
    files.THRESHOLD,
    files.TASK,
    files.NORMALISE,
)
@options(
    "What is compared",
    shown.MEASURES,
    files.PROFIT,
    files.COST,
    flag("--runs", is_flag=True, help="FILES are runs: 3, 3:knn or wdbc-knn."),
    flag("--store", metavar="FOLDER", help="Where the runs are [HELDOUT_STORE, or .heldout]."),
    flag("--unpaired", is_flag=True, help="The models were judged on different rows."),
    flag("--shared", is_flag=True, help="Compare only the rows that all models judged."),
    flag("--control", metavar="MODEL", help="Compare each other model with this one only."),
    flag("--chance", is_flag=True, help="Also each model against chance."),
)
@options(
    "Many data sets",
    flag("--datasets", metavar="COLUMN", help="FILE is a table of results: the data sets."),
    flag("--models", metavar="COLUMN|A,B,...", help="Column of models; wide: their columns."),
    flag("--value", metavar="COLUMN", help="Column of values; left out: a column a model."),
    flag("--lower-is-better", is_flag=True, help="Smaller values are better."),
)
@options(
    "Tests and intervals",
    flag("--test", default="", metavar="NAME", help="A test by name [by design and measure]."),
    flag("--force", is_flag=True, help="Run a test that is not valid, and say so."),
    flag(
        "--alternative",
        type=click.Choice(["two-sided", "greater", "less"]),
        default="two-sided",
        help="Of the first model's value against the second's [two-sided].",
    ),
    flag("--margin", type=float, metavar="D", help="Equivalence and non-inferiority within D."),
    flag("--rope", type=float, metavar="D", help="Bayesian: up to D is equivalent."),
    shown.LEVEL,
    flag(
        "--correction",
        metavar="NAME",
        help="holm, none; many data sets: bergmann_hommel, shaffer, nemenyi, holm, bonferroni, "
        "none; beside a control: holm, hochberg, bonferroni, none.",
    ),
    flag(
        "--interval",
        type=click.Choice(["newcombe", "tango"]),
        default="newcombe",
        help="Of paired shares [newcombe].",
    ),
    shown.REPLICATES.but(help="Of bootstrap and posterior [1000; of counts 2000]."),
    flag("--permutations", type=int, metavar="N", help="Exchanges [10000; of rows 1000]."),
    data.SEED.but(default=1, help="Of both [1]."),
)
@options(
    "Output",
    flag("--explain", is_flag=True, help="Say why these tests were made."),
    flag(
        "--pairs",
        type=click.Choice(["all", "best"]),
        help="Pairs shown: all, or the best model's [all up to six models].",
    ),
    shown.FORMAT,
    shown.OUTPUT,
    shown.PLOT.but(help="A chart: forest.png, posterior.svg, ranks.pdf, roc.png, all=FOLDER. *"),
    shown.DIGITS.but(type=click.IntRange(2, 17)),
    shown.REQUIRE,
    shown.NO_AUDIT,
    shown.QUIET,
)
@click.pass_context
def command(ctx: click.Context, /, **given: Any) -> int:
    """Whether models differ by more than noise, by the tests that their design admits.

    FILES are predictions as heldout score and heldout evaluate have them: a file a model, or one
    file with a column of models; with --runs, runs of the store; with --datasets, one table of
    results on many data sets. Options marked * may be given more than once.
    """
    from heldout.cli.charts import chart_of, targets_of
    from heldout.cli.compare_input import options_of, refuse_usage
    from heldout.measures.spec import parse_request
    from heldout.report.plots.comparison import CHARTS, checked_chart

    refuse_usage(ctx, given)
    form = format_of(given, given["files"])
    for spec in given["measures"]:
        parse_request(spec)
    charts = [chart_of(text, checked_chart) for text in given["charts"]]
    refuse_shared([("--output", given["output"]), *targets_of(charts, CHARTS)])
    how = options_of(given)
    if given["datasets"]:
        return _results(ctx, how, charts, form)
    return _predictions(ctx, how, charts, form)


def _results(ctx: click.Context, how: Any, charts: Any, form: str) -> int:
    from heldout.cli.chart_files import draw_charts
    from heldout.cli.compare_input import results_of
    from heldout.cli.compare_output import write_results
    from heldout.comparison.compare_results import compare_results_table
    from heldout.report.plots.comparison import every_chart

    given = ctx.params
    comparison = compare_results_table(
        results_of(given),
        how,
        correction=given["correction"] or "",
        higher_is_better=not given["lower_is_better"],
    )
    _say_notes(comparison.notes, given, form)
    write_results(ctx, comparison, form)
    return draw_charts(comparison.plot, charts, lambda _: every_chart(comparison))


def _say_notes(notes: Iterable[str], given: Mapping[str, Any], form: str) -> None:
    """Notes that a page or JSON holds are said aloud on a screen, and where they have no place."""
    from heldout.cli.screen import note

    if form in ("csv", "table") and not given["quiet"]:
        for line in notes:
            note(line)


def _predictions(ctx: click.Context, how: Any, charts: Any, form: str) -> int:
    from heldout.assess.scorecard import score_predictions
    from heldout.cli.audit_lines import audit_models, say_audit
    from heldout.cli.chart_files import draw_charts
    from heldout.cli.compare_input import predictions_of
    from heldout.cli.compare_output import write
    from heldout.cli.prediction_input import cells_of
    from heldout.cli.requirements import requirements_of, unmet
    from heldout.cli.screen import complain, gathered, note
    from heldout.comparison.compare import compare_predictions
    from heldout.report.comparison import told_notes
    from heldout.report.plots.comparison import every_chart

    given = ctx.params
    notes: list[str] = []
    requirements = requirements_of(given)
    predictions = predictions_of(given, notes)
    comparison = compare_predictions(
        predictions,
        given["measures"] or None,
        how,
        unpaired=given["unpaired"],
        shared=given["shared"],
        **cells_of(given, predictions[0].classes),
    )
    chance: Any = ()
    if given["chance"]:
        from heldout.comparison.chance import against_chance

        chance = against_chance(
            comparison.predictions,
            comparison.requests,
            permutations=how.row_draws[1],
            seed=given["seed"],
        )
    # the same values as those that heldout score holds to them
    failures = unmet(score_predictions(predictions), requirements)
    if not given["quiet"]:
        for line in gathered(notes):
            note(line)
    _say_notes(told_notes(comparison) if form == "table" else comparison.notes, given, form)
    audit_models(ctx, predictions, comparison.measures)
    write(ctx, comparison, chance, form)
    say_audit(ctx)
    for line in failures:
        complain(line)
    code = draw_charts(comparison.plot, charts, lambda _: every_chart(comparison))
    return code or (3 if failures else 0)
