"""``heldout compare``: whether models differ by more than chance."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from heldout.cli.command import Answer, asked_of, call_of, finish
from heldout.cli.groups import (
    COLUMNS,
    COST,
    ENGINE,
    GUESSED,
    MASTER,
    MEMORY,
    PROFIT,
    RUNS,
    STORE,
    TRAIN_COLUMNS,
    Output,
    Shown,
)
from heldout.cli.options import SectionedCommand, flag_of, flags_of, options
from heldout.cli.screen import note, say
from heldout.comparison.options import CompareOptions
from heldout.core.errors import InputError
from heldout.core.options import declare, from_flags
from heldout.predictions.options import Roles

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from heldout.assess.results import Result
    from heldout.cli.command import Asked
    from heldout.predictions.table import Predictions

EPILOG = """\b
Examples:
  heldout compare a.csv b.csv --truth y --score p --id row_id --measure auc
  heldout compare example:models --positive spam --explain
  heldout compare out_of_fold.csv --positive malignant --rope 0.01 \\
      --plot posterior.png
  heldout compare --runs 1 2
  heldout compare example:models --positive spam --control rules
  heldout compare results.csv --datasets name --models model \\
      --value accuracy --plot ranks.png
\b
Tests by name (--test): mcnemar-midp, mcnemar, mcnemar-normal,
  mcnemar-corrected, delong, loss-t, delta, bootstrap, permutation;
  independent; corrected-t, 5x2-t, 5x2-f, group-t; wilcoxon, sign, friedman,
  quade, aligned-ranks. The design of the predictions decides which tests are
  valid (--explain); plain-t and t-over-sets never are, and need --force."""


#: options that only a table of results knows, and those that it does not beside columns
OF_RESULTS = ("models", "value", "lower_is_better")
NOT_OF_RESULTS = ("measures", "primary", "profit", "cost", "margin", "simultaneous", "requirements")


@click.command(cls=SectionedCommand, epilog=EPILOG, short_help="Test whether models differ.")
@click.argument("files", nargs=-1)
@options(
    GUESSED,
    *flags_of(Roles, *COLUMNS),
    flag_of(Roles, "id", "Identifier of each row, by which models are paired."),
    flag_of(Roles, "by", "Also compare in slices of the rows by this column."),
    *flags_of(Roles, *TRAIN_COLUMNS),
)
@options("Large files", ENGINE, MASTER, MEMORY)
@options(
    "Classes and probabilities",
    *flags_of(Roles, "positive", "labels", "threshold", "task", "normalise"),
)
@options(
    "Comparison",
    flag_of(Shown, "measures", 'Measures to compare: auc, "auc,brier", "f_score[beta=2]".'),
    flag_of(CompareOptions, "primary"),
    PROFIT,
    COST,
    RUNS,
    STORE,
    declare("--unpaired", "The models were tested on different rows."),
    declare("--shared", "Compare only on the rows that all models have in common."),
    flag_of(CompareOptions, "control"),
    declare("--chance", "Also test each model against chance."),
)
@options(
    "Many data sets",
    declare("--datasets COLUMN", "Column of data sets; FILE is a table of results."),
    declare("--models COLUMN|A,B,...", "Column of models; in a wide table, the columns of models."),
    declare("--value COLUMN", "Column of values; without it, the table has one column per model."),
    declare("--lower-is-better", "Smaller values are better."),
)
@options(
    "Tests and intervals",
    *flags_of(
        CompareOptions,
        "test",
        "force",
        "alternative",
        "alpha",
        "margin",
        "rope",
        "level",
        "simultaneous",
    ),
    *flags_of(CompareOptions, "correction", "interval", "replicates", "permutations", "seed"),
)
@options(
    "Output",
    declare("--explain", "Explain why these tests were chosen."),
    declare(
        "--pairs",
        "Show all pairs, or only those with the best model [all up to six models].",
        choices=("all", "best"),
    ),
    *flags_of(Output, "form", "output", "report"),
    flag_of(
        Output,
        "charts",
        "Draw a chart: forest.png, posterior.svg, ranks.pdf, roc.png, decision.png, all=FOLDER.",
    ),
    flag_of(Output, "digits", type=click.IntRange(2, 17)),
    flag_of(
        Shown,
        "requirements",
        'Exit with code 3 unless all models and pairs meet it: "auc >= 0.8", '
        '"lower(difference) >= -0.02", "upper(difference(auc, a, b)) <= 0".',
    ),
    *flags_of(Output, "methods", "no_audit", "quiet"),
)
@click.pass_context
def command(ctx: click.Context, /, **given: Any) -> int:
    """Compare models: is the difference real, by a test that is valid for the design.

    FILES are predictions as for heldout score: one model per file, or one file with a column of
    models. With --runs they are stored runs; with --datasets, one table of results on many data
    sets. Options marked * may be given more than once.
    """
    _refuse_usage(given)
    asked = asked_of(given, given["files"], book="comparison")
    how = from_flags(
        CompareOptions,
        given,
        correction="holm" if given["datasets"] else given["correction"] or "holm",
        primary=given["primary"] or "",
        control=given["control"] or "",
    )
    return (_compare_results if given["datasets"] else _compare)(ctx, asked, how)


def _refuse_usage(given: Mapping[str, Any]) -> None:
    """An error where options do not go together."""
    from heldout.cli.inputs import ROLES, first_flag_of, refuse

    refuse(
        given["runs"] and given["datasets"],
        "--runs and --datasets exclude each other: give one of them",
    )
    refuse(
        not given["files"],
        "give files of predictions, or --runs with runs, or a table of results with "
        "--datasets; heldout compare example:models --positive spam shows an example",
    )
    refuse(
        given["control"] and given["pairs"] == "best",
        "--control already limits the pairs: leave out --pairs best",
    )
    if given["datasets"]:
        other = first_flag_of(given, (*ROLES, *NOT_OF_RESULTS))
        refuse(other, f"{other} is for predictions, not for a table of results (--datasets)")
        for name in ("chance", "unpaired", "shared"):
            refuse(given[name], f"--{name} is for predictions, not for results")
        refuse(len(given["files"]) > 1, "a table of results is one file")
    else:
        other = first_flag_of(given, OF_RESULTS)
        refuse(
            other,
            f"{other} is for a table of results: name its column of data sets (--datasets)",
        )


def _compare(ctx: click.Context, asked: Asked, how: CompareOptions) -> int:
    from heldout.assess.scorecard import score_predictions
    from heldout.cli.findings import audit_models
    from heldout.cli.inputs import cells_of
    from heldout.cli.requirements import difference_verdicts, verdicts_of
    from heldout.comparison.compare import compare_predictions
    from heldout.report.comparison import comparison_document, further_notes
    from heldout.report.comparison_record import comparison_record
    from heldout.report.table import Rows

    given = ctx.params
    notes: list[str] = []
    predictions = predictions_of(given, notes)
    comparison = compare_predictions(
        predictions,
        given["measures"] or None,
        how,
        unpaired=given["unpaired"],
        shared=given["shared"],
        **cells_of(given, predictions[0].classes),
    )
    chance: Sequence[Result] = ()
    if given["chance"]:
        from heldout.comparison.chance import against_chance

        chance = against_chance(
            comparison.predictions,
            comparison.requests,
            permutations=how.row_draws[1],
            seed=given["seed"],
        )
    # the same values as those that heldout score holds to them
    verdicts = verdicts_of(
        score_predictions(predictions), [r for r in asked.requirements if not r.is_difference]
    )
    verdicts += difference_verdicts(comparison, [r for r in asked.requirements if r.is_difference])
    say(given, notes)
    _say_notes(
        further_notes(comparison) if asked.form == "table" else comparison.notes, given, asked
    )
    return finish(
        given,
        asked,
        Answer(
            document=lambda: comparison_document(
                comparison, chance=chance, **_layout(given, asked)
            ),
            page=lambda: comparison_document(
                comparison, chance=chance, has_limits=True, **_layout(given, asked)
            ),
            record=lambda: {"call": call_of(ctx), **comparison_record(comparison, chance)},
            rows=lambda: Rows.of(comparison.table),
            audit=lambda: audit_models(given, predictions, comparison.measures),
            verdicts=verdicts,
            charted=comparison,
        ),
    )


def _compare_results(ctx: click.Context, asked: Asked, how: CompareOptions) -> int:
    from heldout.comparison.over_sets.compare_results import compare_results_table
    from heldout.comparison.over_sets.results import read_results
    from heldout.report.comparison import results_document
    from heldout.report.comparison_record import results_record
    from heldout.report.table import Rows

    given = ctx.params
    names = ("datasets", "models", "value")
    comparison = compare_results_table(
        read_results(given["files"][0], **{name: given[name] for name in names}),
        how,
        correction=given["correction"] or "",
        higher_is_better=not given["lower_is_better"],
    )
    _say_notes(comparison.notes, given, asked)
    return finish(
        given,
        asked,
        Answer(
            document=lambda: results_document(comparison, **_layout(given, asked)),
            record=lambda: {"call": call_of(ctx), **results_record(comparison)},
            rows=lambda: Rows.of(comparison.table),
            charted=comparison,
        ),
    )


def predictions_of(given: Mapping[str, Any], notes: list[str]) -> tuple[Predictions, ...]:
    """The predictions of all models; ``notes`` gets what is to be known about them."""
    from heldout.cli.inputs import read_files, stored_predictions
    from heldout.predictions.aligned import OF_COUNTS

    files = given["files"]
    if given.get("runs"):  # heldout power has files only
        return stored_predictions(given, notes)
    predictions = read_files(files, given, is_paired=True)
    notes += dict.fromkeys(note for p in predictions for note in p.notes)
    if any(p.is_unordered and p.identifier is None for p in predictions):
        raise InputError(OF_COUNTS)
    if len(predictions) < 2:
        what = f"{files[0]} has one model only" if len(files) == 1 else "one model only"
        raise InputError(
            f"{what}: a comparison needs two; give a second file, or name the column of models "
            "(--model)"
        )
    return predictions


def _say_notes(notes: Iterable[str], given: Mapping[str, Any], asked: Asked) -> None:
    """Notes that a page or JSON holds are said aloud on a screen, and where they have no place."""
    if asked.form in ("csv", "table") and not given["quiet"]:
        for line in notes:
            note(line)


def _layout(given: Mapping[str, Any], asked: Asked) -> dict[str, Any]:
    return {
        "explain": given["explain"],
        "pairs": given["pairs"] or "",
        # on a screen they are said beside, as those of other commands
        "has_notes": asked.form != "table",
    }
