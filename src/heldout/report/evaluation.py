"""An evaluation as a document: what was run, the models side by side, what is beside them."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

from heldout.assess.headline import NESTED, OF_SAMPLES
from heldout.core.errors import InputError
from heldout.core.notes import Kind
from heldout.core.wording import plural
from heldout.evaluation.estimates import NOT_NESTED
from heldout.evaluation.evaluation import possible
from heldout.report.class_grids import below_classes, class_grid, confusion_grid
from heldout.report.decision_rows import result_rows
from heldout.report.document import Text
from heldout.report.evaluation_grids import (
    BESIDE,
    averages_left_out,
    beside_grid,
    chosen_results,
    detail_grid,
    model_grids,
)
from heldout.report.formats import ENDINGS, FORMATS
from heldout.report.measure_grids import side_by_side
from heldout.report.names import label_text
from heldout.report.numbers import DIGITS
from heldout.report.remarks import notes_block
from heldout.report.scorecard import subject_lines

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from heldout.assess.results import Result
    from heldout.comparison.chance import ChanceResult
    from heldout.evaluation.evaluation import Evaluation
    from heldout.report.document import Block, Document, Grid
    from heldout.report.evaluation_grids import Chosen

__all__ = [
    "evaluation_document",
    "evaluation_page",
    "evaluation_record",
    "main_results",
    "saved_text",
]

PAGE = 120
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
    digits: int = DIGITS,
    width: int | None = None,
    asked: Sequence[str] = (),
    hint: str = "",
) -> Document:
    """The results of an evaluation, laid out for a page of some width (None: any).

    ``asked`` are the measures that the reader named: none of them is left out.
    """
    card = evaluation.scorecard
    blocks: list[Block] = [_run(evaluation), *subject_lines(card, {r.measure for r in results})]
    found = chosen_results(results)
    if len(evaluation.models) > 1:
        found = averages_left_out(found, asked)
        blocks += model_grids(found, digits=digits, width=width)
    else:
        blocks += _one(evaluation, results, found, digits=digits, width=width)
    blocks += beside_grid(results, found, digits=digits)
    blocks += _by_fold(results, digits=digits, width=width)
    blocks += _by_slice(results, found, digits=digits, width=width)
    blocks += _failures(evaluation)
    if hint:
        blocks.append(Text(hint, "quiet"))
    return tuple(blocks)


def _one(
    evaluation: Evaluation,
    results: Sequence[Result],
    found: dict[tuple[str, str], Chosen],
    *,
    digits: int,
    width: int | None,
) -> Iterator[Block]:
    """One model in detail: its confusion matrix, measures, classes."""
    card = evaluation.scorecard
    confusion = card.confusion()
    plain = [r for r in results if r.fold not in BESIDE and not r.repeat and r.fold != "mean"]
    classes: list[Grid] = []
    if confusion is not None:
        made = confusion_grid(confusion, card.classes, width=width)
        repeats = card.predictions[0].design.repeat
        if repeats is not None:
            made = replace(made, title=f"{made.title}, {len(repeats.levels)} repeats in sum")
        yield made
        support = dict(zip(map(str, card.classes), confusion.actual.tolist(), strict=True))
        title = "Each class against the rest"
        others = any(r.has(Kind.NOT_NESTED) for r in plain if r.class_)
        notes = (f"these intervals are {NOT_NESTED}",) if others else ()
        how: Any = {"digits": digits, "width": width, "notes": notes}
        classes = class_grid(title, plain, support, **how)
    if classes:
        shown = below_classes(plain)
        found = {k: c for k, c in found.items() if k[1] not in shown}
    if found:
        yield detail_grid(results, found, digits=digits)
    yield from classes


def _by_fold(results: Sequence[Result], *, digits: int, width: int | None) -> Iterator[Grid]:
    """Single folds and repeats, where they were asked for."""
    plain = [r for r in results if r.fold not in ("", "mean", *BESIDE) and not r.class_]
    models = dict.fromkeys(r.model for r in plain)
    for model in models:
        rows = [r for r in plain if r.model == model]
        title = f"By fold: {label_text(model)}" if len(models) > 1 else "By fold"
        yield from side_by_side(title, "fold", rows, _place, digits=digits, width=width)


def _by_slice(
    results: Sequence[Result],
    found: dict[tuple[str, str], Chosen],
    *,
    digits: int,
    width: int | None,
) -> Iterator[Grid]:
    """The slices of each model beside all of its rows, all folds pooled."""
    # a measure that the table above shows another value of says which one this is
    other = {name: c.of for (_, name), c in found.items() if c.of not in ("pooled", OF_SAMPLES)}
    of = {
        name: "pooled" if kind in ("mean of folds", NESTED) else OF_SAMPLES
        for name, kind in other.items()
    }
    plain = [r for r in results if not (r.fold or r.repeat or r.class_)]
    models = dict.fromkeys(r.model for r in plain if r.slice)
    for model in models:
        rows = [r for r in plain if r.model == model]
        title = f"By slice: {label_text(model)}" if len(models) > 1 else "By slice"
        yield from side_by_side(
            title, "slice", rows, _slice, has_counts=True, of=of, digits=digits, width=width
        )


def _slice(result: Result) -> str:
    return result.slice or "all rows"


def _place(result: Result) -> str:
    """Repeat and fold in a word or two."""
    fold = "all folds" if result.fold == "all" else result.fold
    return f"{result.repeat}, {fold}" if result.repeat else fold


def _run(evaluation: Evaluation) -> Text:
    """The line that says what was run."""
    data, splits = evaluation.dataset, evaluation.splits
    count = f"{len(splits):,} split{'s' if len(splits) != 1 else ''}"
    return Text(
        f"{data.source or data.name}: {plural(len(data), 'row')}, "
        f"{plural(data.feature_count, 'feature')}, "
        f"target {data.target}; {splits.procedure} ({count}), seed {splits.seed}"
    )


def _failures(evaluation: Evaluation) -> Iterator[Text]:
    for name, outcome in evaluation.outcomes.items():
        if outcome.failures and not len(outcome.rows):
            yield Text(f"{name} failed in every split: {outcome.failures[0][1]}")


def evaluation_page(evaluation: Evaluation, width: int) -> Document:
    """The headline measures and the notes of the run, as an evaluation in Python shows itself."""
    document = evaluation_document(evaluation, main_results(evaluation), width=width)
    return (*document, *notes_block(evaluation.notes))


def saved_text(evaluation: Evaluation, path: Path) -> str:
    """All results in the format that a file's ending names."""
    form = FORMATS.get(ENDINGS.get(path.suffix, ""))
    if form is None or form.name == "table":
        raise InputError(f"cannot write {path}: results are saved as .json, .csv, .md or .tex")
    if form.of == "rows":
        return form.text(result_rows(evaluation.table))
    if form.of == "record":
        record = evaluation_record(evaluation, list(evaluation.table))
        return form.text({"call": {"command": "evaluate"}, **record})
    return form.text(evaluation_document(evaluation, evaluation.results(), width=PAGE))


def evaluation_record(
    evaluation: Evaluation,
    results: Sequence[Result],
    *,
    folds: bool = True,
    chance: Sequence[ChanceResult] = (),
) -> dict[str, Any]:
    """The same record as that of a scorecard, with the run, its folds, failures and warnings."""
    from heldout.report.json_text import scorecard_record

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
    if chance:
        tables["chance"] = [asdict(one) for one in chance]
    return scorecard_record(evaluation.scorecard, results, tables)
