"""Classification: classes over all tables, codes into them, scores and priors."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.core.errors import InputError
from heldout.core.wording import listed, shown
from heldout.predictions.classes import (
    lookalikes,
    only_predicted,
    positive_of,
    refuse_disjoint,
    stray_label,
    unify,
    with_other_class,
)
from heldout.predictions.dialects import stated_positive
from heldout.predictions.labels import LabelColumn, many_numbers, refuse_spelled_missing
from heldout.predictions.priors import (
    count_labels,
    given_prior,
    guess_counts,
    prior_from_counts,
    wide_counts,
)
from heldout.predictions.probabilities import finish, ranking
from heldout.predictions.roles import ROLES
from heldout.predictions.scores import (
    ScoreColumns,
    find_scores,
    refuse_unclear_order,
    refuse_width,
    score_of,
    score_values,
    slip_in_scores,
    wide_scores,
)
from heldout.predictions.table import Predictions
from heldout.tables.roles import candidates, refuse_of_other_task

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from heldout.core.arrays import Floats
    from heldout.predictions.classes import Classes
    from heldout.predictions.sheet import Sheet
    from heldout.predictions.table import Prior
    from heldout.tables.table import Part

    Finish = Callable[[Part, Predictions], Predictions]


def classify(sheets: Sequence[Sheet]) -> Iterator[tuple[Sheet, Predictions, Finish]]:
    """The rows of each table as codes into one set of classes, and what is left to do by model."""
    truths = [LabelColumn.of(sheet.part, sheet.truth) for sheet in sheets]
    chosen = [
        None if sheet.roles.predicted is None else LabelColumn.of(sheet.part, sheet.roles.predicted)
        for sheet in sheets
    ]
    labels = [column for column in chosen if column is not None]
    classes, notes = _classes(sheets, truths, chosen)
    positive, note = _positive(sheets[0], classes, truths, labels)
    notes += [note] if note else []
    for sheet, truth, predicted in zip(sheets, truths, chosen, strict=True):
        _doubt_task(sheet, truth)
        sheet.notes += notes
        slip = _last_scores(sheet, classes, positive)
        is_misfit = sheet.scores.single is not None and len(classes) > 2
        _refuse_misfits(sheet, classes, stray_label(classes, truths, labels) if is_misfit else "")
        if slip or sheet.scores.note:
            sheet.notes.append(f"scores: {slip}" if slip else sheet.scores.note)
        names, scores = _scores(sheet, classes)
        if scores is not None and sheet.roles.model is not None:
            # a complaint counts the rows of the table, not those of a model
            ranking(sheet.part, names, scores)
        prior = _prior(sheet, classes, positive)
        whole = Predictions(
            task="binary" if len(classes) == 2 else "multiclass",
            truth=classes.code(truth),
            predicted=None if predicted is None else classes.code(predicted),
            scores=scores,
            classes=classes.labels,
            positive=positive,
            prior=prior,
            why_no_scores=slip,
            notes=tuple(sheet.notes),
            **sheet.common_fields(),
        )
        yield sheet, whole, partial(finish, names, sheet.roles)


def _classes(
    sheets: Sequence[Sheet], truths: Sequence[LabelColumn], chosen: Sequence[LabelColumn | None]
) -> tuple[Classes, list[str]]:
    """The classes of all tables, and notes on them; labels are doubted unless all are declared."""
    labels = [column for column in chosen if column is not None]
    columns, declared = [*truths, *labels], sheets[0].roles.labels
    if declared is None:
        for i, column in enumerate(columns):
            refuse_spelled_missing(column, "truth" if i < len(truths) else "prediction")
    classes, notes = unify(columns, declared)
    classes = _with_scores(sheets, classes, truths[0])
    if declared is not None:
        return classes, notes
    if not any(sheet.scores.by_class for sheet in sheets):
        notes += _absent_classes(classes, columns)
    notes += lookalikes(classes)
    for sheet, truth, predicted in zip(sheets, truths, chosen, strict=True):
        if predicted is not None and not sheet.scores.by_class:
            refuse_disjoint(truth, predicted, classes)
    return classes, notes + only_predicted(classes, truths, labels)


def _last_scores(sheet: Sheet, classes: Classes, positive: int | None) -> str:
    """Take the column called like the positive class for scores; the slip that keeps one from it.

    Only where there are no scores, and the reader names none.
    """
    is_open = sheet.matrix is None and sheet.part.dialect != "arrays" and not sheet.roles.has_scores
    if is_open and not sheet.scores and positive is not None:
        sheet.scores = score_of(sheet.part, classes.labels[positive], sheet.taken)
    if not is_open or sheet.scores:
        return ""
    return slip_in_scores(sheet.part, classes, sheet.taken)


def _absent_classes(classes: Classes, columns: Sequence[LabelColumn]) -> list[str]:
    """That one of two classes is there only because labels of its kind come in pairs."""
    if len(classes) != 2 or any(column.declared for column in columns):
        return []
    absent = [label for label in classes.labels if label not in classes.among(columns)]
    return [
        f"classes: no row has the label {label!r}; it is counted as the other class of {rest!r}"
        for label in absent
        for rest in classes.labels
        if rest != label
    ]


def _positive(
    sheet: Sheet, classes: Classes, truths: Sequence[LabelColumn], labels: Sequence[LabelColumn]
) -> tuple[int | None, str]:
    """The positive class of two: as the reader says, as the table itself says, or as usual."""
    asked = sheet.roles.positive
    if asked is None and len(classes) == 2:
        stated: Any = stated_positive(sheet.part, sheet.taken)
        if stated is not None and (position := classes.find(stated)) is not None:
            return position, f"positive: {classes.labels[position]!r} (the table says so)"
    stray = stray_label(classes, truths, labels) if len(classes) > 2 else ""
    return positive_of(classes, asked, truths[0], sheet.roles.score, truths[1:], stray=stray)


def _doubt_task(sheet: Sheet, truth: LabelColumn) -> None:
    """Where the task was guessed, many whole numbers are said to be taken as classes."""
    if sheet.roles.task is None and sheet.roles.labels is None and (doubt := many_numbers(truth)):
        assert sheet.task_note is not None, "the task was guessed"
        sheet.notes[sheet.task_note] = doubt


def _with_scores(sheets: Sequence[Sheet], classes: Classes, truth: LabelColumn) -> Classes:
    """The classes with those that only columns of scores or training counts name."""
    further: list[Any] = []
    for sheet in sheets:
        if sheet.part.dialect == "arrays":
            sheet.scores = ScoreColumns(sheet.roles.score)
            continue
        sheet.scores = find_scores(sheet.part, sheet.roles, classes, sheet.taken)
        further += sheet.scores.by_class
        further += count_labels(sheet.part, sheet.roles, classes, sheet.taken)
    classes = classes.extend(further)
    roles = sheets[0].roles
    single = any(
        sheet.scores.single is not None or (sheet.matrix is not None and sheet.matrix.shape[1] <= 2)
        for sheet in sheets
    )
    if len(classes) == 1 and (single or roles.positive is not None):
        classes = with_other_class(classes, roles.positive)
        if len(classes) == 1 and single:
            raise InputError(
                f"{truth.called} has one class only, {classes.labels[0]!r}, and scores are of two; "
                f"name both with {sheets[0].part.flag('labels')}"
            )
    for sheet in sheets:
        if sheet.matrix is not None:
            refuse_width(sheet.matrix, classes)
    return classes


def _refuse_misfits(sheet: Sheet, classes: Classes, stray: str) -> None:
    """Roles that contradict each other, or the number of classes; ``stray``: a likely slip."""
    part, roles = sheet.part, sheet.roles
    others = {"naive": roles.naive, "train_mean": roles.train_mean}
    refuse_of_other_task(part, "classification", others)
    has_scores = bool(sheet.scores) or sheet.matrix is not None
    if sheet.scores.single is not None and len(classes) > 2:
        raise InputError(
            f"{part.called(sheet.scores.single)} is one score, but there are {len(classes):,} "
            f"classes ({listed(classes.labels, most=5)}); give a probability column for each, "
            f"with {part.flag('score_prefix')}{stray}"
        )
    if roles.predicted is None and not has_scores and roles.threshold is not None:
        flag = part.flag("threshold", f"{roles.threshold:g}")
        unused = candidates(part, ROLES["predicted"], sheet.taken)
        beside = f"; {part.called(*unused)} is not used beside it" if unused else ""
        raise InputError(
            f"{flag} makes labels from scores, and {part.table.source} has no column of scores "
            f"({part.flag('score')}){beside}: leave {part.flag('threshold')} out, or name the "
            f"scores (columns: {listed(part.table.columns, most=20)})"
        )
    if roles.predicted is None and not has_scores:
        raise InputError(
            f"{part.table.source}: no column of predictions was named or has a usual name; say "
            f"{part.flag('predicted')} or {part.flag('score')} "
            f"(columns: {listed(part.table.columns, most=20)})"
            + (f"\n{sheet.scores.note}" if sheet.scores.note else _text_scores(sheet, classes))
            if part.dialect != "arrays"
            else f"nothing to score: give {part.flag('predicted')} or {part.flag('score')}"
        )
    if roles.normalise and not has_scores:
        raise InputError(
            f"{part.flag('normalise')} is for a probability column of each class; give "
            f"{part.flag('score_prefix')} or leave it out"
        )
    if roles.threshold is None:
        return
    if roles.predicted is not None:
        raise InputError(
            f"{part.flag('threshold', roles.threshold)} makes labels from scores, and "
            f"{part.called(roles.predicted)} already gives labels; leave one of them out"
        )
    if len(classes) != 2 or not has_scores:
        raise InputError(f"{part.flag('threshold', roles.threshold)} is for scores of two classes")
    if not np.isfinite(roles.threshold):
        raise InputError(f"{part.flag('threshold', roles.threshold)}: must be a finite number")


def _text_scores(sheet: Sheet, classes: Classes) -> str:
    """That a column called like scores holds text, where it does."""
    part = sheet.part
    if slip := slip_in_scores(part, classes, sheet.taken):
        return f"\n{slip}, so it is not a score"
    for name in candidates(part, ROLES["score"], sheet.taken):
        column = part.column(name)
        if column.is_text:
            example = column.levels[0] if column.kind == "category" else column.values[0]
            return f"\n{part.called(name)} holds texts ({shown(example)}), so it is not a score"
    return ""


def _scores(sheet: Sheet, classes: Classes) -> tuple[tuple[str, ...], Floats | None]:
    """The scores, and what their columns are called."""
    if sheet.matrix is not None:
        return wide_scores(sheet, sheet.matrix, classes)
    if not sheet.scores:
        return (), None
    if sheet.scores.single is not None:
        return (sheet.scores.single,), score_values(sheet.part, sheet.scores, classes)
    for label in classes.labels:
        if label not in sheet.scores.by_class:
            raise InputError(
                f"{sheet.part.table.source}: no probability column for class {label!r}, which "
                "another table has; add one (0 in every row, if the model does not know the class)"
            )
    names = tuple(sheet.scores.by_class[label] for label in classes.labels)
    return names, score_values(sheet.part, sheet.scores, classes)


def _prior(sheet: Sheet, classes: Classes, positive: int | None) -> Prior | None:
    part, roles = sheet.part, sheet.roles
    prefix = roles.train_count_prefix
    if roles.prior is not None:
        if prefix is not None or sheet.counts is not None:
            raise InputError(
                f"{part.flag('prior')} and {part.flag('train_count_prefix')} both state a prior; "
                "give one of them"
            )
        if not isinstance(roles.prior, (str, Mapping)):
            refuse_unclear_order(sheet, classes, part.flag("prior"))
        return given_prior(part, roles.prior, classes, positive)
    if sheet.counts is not None:
        return wide_counts(sheet, sheet.counts, classes)
    if prefix is None and part.dialect != "arrays":
        prefix, notes = guess_counts(part, classes, sheet.taken)
        sheet.notes += notes
    return None if prefix is None else prior_from_counts(part, prefix, classes, sheet.taken)
