"""An evaluation as a document: what was run, the models side by side, what is beside them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from heldout.assess.headline import chosen_results
from heldout.core.notes import Kind
from heldout.evaluation.estimates import NOT_NESTED
from heldout.evaluation.evaluation import possible
from heldout.report import formats
from heldout.report.confusion_tables import PLAIN, parts_table
from heldout.report.decisions import result_rows
from heldout.report.measure_tables import beside_table, model_table, without_averages
from heldout.report.names import features_text
from heldout.report.remarks import notes_block, run_line
from heldout.report.scorecard import by_fold, by_slice, one_model, scorecard_record, subject_lines
from heldout.report.table import Text
from heldout.report.verdict import verdict_on, with_letters

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from heldout.assess.results import Result
    from heldout.evaluation.evaluation import Evaluation
    from heldout.report.confusion_tables import View
    from heldout.report.table import Block, Document

#: what several models are shown by where nobody asks for more
MAIN = {
    "binary": ("accuracy", "balanced_accuracy", "auc", "f_score", "brier"),
    "multiclass": ("accuracy", "balanced_accuracy", "log_loss", "brier"),
    "regression": ("rmse", "mae", "bias", "r2"),
}


def main_results(evaluation: Evaluation, **how: Any) -> tuple[Result, ...]:
    """What is shown where nobody asks for more: of several models, few measures."""
    card = evaluation.scorecard
    if len(evaluation.models) == 1:
        return evaluation.results(**how)
    return evaluation.results(possible(card, MAIN[card.task]), **how)


def evaluation_document(
    evaluation: Evaluation,
    results: Sequence[Result],
    *,
    asked: Sequence[str] = (),
    view: View = PLAIN,
    hint: str = "",
) -> Document:
    """The results of an evaluation.

    ``asked`` are the measures that the reader named: none of them is left out; ``view`` is
    how the confusion matrix is shown.
    """
    card = evaluation.scorecard
    measures = {r.measure for r in results}
    trained = _training_rows(evaluation)
    features = features_text(evaluation.dataset, evaluation.models)
    blocks: list[Block] = [run_line(evaluation.dataset, evaluation.splits, features)]
    blocks += subject_lines(card, measures, trained=trained)
    standing = chosen_results(results)
    if len(evaluation.models) > 1:
        standing = without_averages(standing, asked)
        blocks.append(with_letters(model_table(standing), card, asked[0] if asked else ""))
    else:
        others = any(r.has(Kind.NOT_NESTED) for r in results if r.class_)
        notes = (f"these intervals are {NOT_NESTED}",) if others else ()
        blocks += one_model(card, results, standing, notes=notes, view=view)
    blocks += beside_table(results, standing)
    blocks += by_fold(results)
    blocks += by_slice(results, standing)
    for name, outcome in evaluation.outcomes.items():
        if outcome.failures and not len(outcome.rows):
            blocks.append(Text(f"{name} failed in every split: {outcome.failures[0][1]}"))
    if len(evaluation.models) > 1:
        blocks.append(verdict_on(card, asked[0] if asked else ""))
    if hint:
        blocks.append(Text(hint, "hint"))
    return tuple(blocks)


def _training_rows(evaluation: Evaluation) -> str:
    """How many rows the models were trained on."""
    sizes = sorted({len(split.train) for split in (evaluation.splits[0], evaluation.splits[-1])})
    # the last fold may be a row larger or smaller
    is_about = sizes[-1] - sizes[0] <= max(1, sizes[-1] // 50)
    rows = f"{sizes[-1]:,}" if is_about else f"{sizes[0]:,} to {sizes[-1]:,}"
    return f"{'about ' if len(evaluation.splits) > 1 else ''}{rows} rows"


def evaluation_page(evaluation: Evaluation) -> Document:
    """The headline measures and the notes of the run, as an evaluation in Python shows itself."""
    document = evaluation_document(evaluation, main_results(evaluation))
    return (*document, *notes_block(evaluation.notes))


def saved_text(evaluation: Evaluation, path: Path) -> str:
    """All results in the format that a file's ending names."""
    return formats.saved_text(
        path,
        "results are saved as .json, .csv, .md or .tex",
        {
            "rows": lambda: result_rows(evaluation.table),
            "record": lambda: {
                "call": {"command": "evaluate"},
                **evaluation_record(evaluation, list(evaluation.table)),
            },
            "document": lambda: evaluation_document(evaluation, evaluation.results()),
        },
    )


def training_block(evaluation: Evaluation, view: View) -> tuple[Block, ...]:
    """Those matrices as a table."""
    named = [(matrix.model, matrix) for matrix in evaluation.training_matrices]
    if not named:
        return ()
    title = "Confusion matrix of the training rows, optimistic"
    return (parts_table(title, "model", named, evaluation.scorecard.classes, view),)


def evaluation_record(
    evaluation: Evaluation,
    results: Sequence[Result],
    *,
    folds: bool = True,
    chance: Sequence[Result] = (),
    slices: Sequence[Mapping[str, Any]] = (),
    matrices: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """The same record as that of a scorecard, with the run, its folds, failures and warnings."""
    data, splits = evaluation.dataset, evaluation.splits
    run = {
        "data": data.source or data.name,
        "rows": len(data),
        "target": data.target,
        "positive": evaluation.scorecard.positive,
        "procedure": splits.procedure,
        "seed": splits.seed,
        "splits": len(splits),
        "data_fingerprint": data.fingerprint,
        "splits_fingerprint": splits.fingerprint,
    }
    models = [
        {"model": m.name, "path": evaluation.outcomes[m.name].path, "fingerprint": m.fingerprint}
        for m in evaluation.models
    ]
    tables: dict[str, Any] = {"run": [run], "models": models}
    tables["failures"] = list(evaluation.failures)
    tables["warnings"] = list(evaluation.warnings)
    if folds:
        tables["folds"] = list(evaluation.folds)
    if slices:
        tables["slices"] = slices
    if chance:
        from heldout.report.comparison_record import chance_record

        tables["chance"] = [chance_record(result) for result in chance]
    if matrices and matrices["is_asked"] and evaluation.training:
        tables["training_confusion"] = [
            {"model": m.model, "matrix": matrices["view"].turned(m.counts.matrix()).tolist()}
            for m in evaluation.training_matrices
        ]
    return scorecard_record(evaluation.scorecard, results, tables, matrices=matrices)
