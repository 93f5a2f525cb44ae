"""Models' predictions put on the same rows in the same order, or why that cannot be done."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.comparison.row_keys import by_name, row_keys, shown_key
from heldout.comparison.same_rows import refuse_other_columns, unpaired_note
from heldout.comparison.shared_rows import refuse_other_rows, shared_rows
from heldout.core.errors import InputError
from heldout.core.wording import plural

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from heldout.predictions.table import Label, Predictions

__all__ = ["Aligned", "align"]

NAMED = 10


@dataclass(frozen=True, slots=True, eq=False)
class Aligned:
    """Predictions of several models, row by row the same where ``is_paired``."""

    predictions: tuple[Predictions, ...]
    is_paired: bool
    #: how rows were matched, and what to know about it
    note: str

    def __len__(self) -> int:
        return len(self.predictions[0])


def align(
    predictions: Sequence[Predictions],
    *,
    unpaired: bool = False,
    shared: bool = False,
    force: bool = False,
) -> Aligned:
    """The same rows of every model, matched by id (with repeat and fold where there are any).

    Rows with ids come out in the order of the ids, so that no draw depends on that of a file.

    Parameters
    ----------
    unpaired
        Take the rows as different.
    shared
        Keep only the rows that all models judged.
    force
        Do so even where their ids say that they are the same.

    Raises
    ------
    InputError
        Where ids occur twice, are missing from a model, or have another truth, weight, group or
        slice there.
    """
    if len(predictions) < 2:
        raise InputError(
            f"a comparison needs at least two models; there is {len(predictions) or 'none'}: "
            "give a second file, or a column of models (--model)"
        )
    tasks = {p.task for p in predictions}
    if len(tasks) > 1:
        raise InputError(f"the models solve different problems ({', '.join(sorted(tasks))})")
    same = _same_classes(predictions)
    if unpaired and shared:
        raise InputError("--shared compares the same rows and --unpaired other ones: give one")
    said = "rows are matched by id"
    if shared:
        same, left_out = shared_rows(same)
        said = "; ".join(filter(None, (said, left_out)))
    if unpaired:
        _refuse_repeats(same)
        return Aligned(same, False, unpaired_note(same, force=force))
    _refuse_other_procedures(same)
    known = [p.identifier is not None for p in same]
    if all(known):
        matched = _by_identifier(same)
        _refuse_other_weights(matched)
        refuse_other_columns(matched)
        return Aligned(matched, True, said)
    if any(known):
        lacking = next(p.model for p in same if p.identifier is None)
        raise InputError(f"model {lacking!r} has no id, others have: name its column (--id)")
    first = same[0]
    for other in same[1:]:
        if len(other) != len(first) or not np.array_equal(other.truth, first.truth):
            where = (
                f"{len(first):,} and {len(other):,} rows"
                if len(other) != len(first)
                else f"truth differs in row {int(np.argmax(other.truth != first.truth)) + 1:,}"
            )
            raise InputError(
                f"models {first.model!r} and {other.model!r} were judged on different rows "
                f"({where}): name a column of ids (--id), or say --unpaired"
            )
    _refuse_other_weights(same)
    refuse_other_columns(same)
    return Aligned(same, True, "rows are matched by their order, for there is no id")


def _refuse_other_procedures(predictions: Sequence[Predictions]) -> None:
    """An error where models were judged in other numbers of repeats or folds."""
    first = predictions[0]
    for other in predictions[1:]:
        if (first.design.fold is None) != (other.design.fold is None):
            continue  # a column that nobody named, which is said where splits are compared
        mine, theirs = _procedure(first), _procedure(other)
        if mine != theirs:
            raise InputError(
                f"models {first.model!r} and {other.model!r} were judged by different procedures "
                f"({mine}; {theirs}): evaluate both with the same procedure and seed"
            )


def _procedure(p: Predictions) -> str:
    """How often a model's rows were split, and into how many folds."""
    repeats, folds = (
        0 if column is None else len(np.unique(column.codes))
        for column in (p.design.repeat, p.design.fold)
    )
    parts = plural(folds, "fold") if folds else "one test set"
    return f"{plural(repeats, 'repeat')} of {parts}" if repeats > 1 else parts


def _refuse_repeats(predictions: Sequence[Predictions]) -> None:
    for p in predictions:
        if p.design.repeat is not None:
            raise InputError(
                f"model {p.model!r} predicted its rows in several repeats: they are no independent "
                "rows, so they cannot be compared unpaired; judge both models on the same splits"
            )


def _refuse_other_weights(predictions: Sequence[Predictions]) -> None:
    """An error where the same rows have other weights, or some have groups and some have not."""
    first = predictions[0]
    for other in predictions[1:]:
        mine, theirs = first.weight, other.weight
        if (mine is None) != (theirs is None) or (
            mine is not None and theirs is not None and not np.array_equal(mine, theirs)
        ):
            raise InputError(
                f"models {first.model!r} and {other.model!r} give the same rows other weights: "
                "give all models the same, or none"
            )
        if (first.design.group is None) != (other.design.group is None):
            lacking = first if first.design.group is None else other
            raise InputError(f"model {lacking.model!r} has no groups, the other has: give --group")


def _same_classes(predictions: Sequence[Predictions]) -> tuple[Predictions, ...]:
    """The same predictions with one order of classes for all."""
    first = predictions[0]
    if first.task == "regression":
        return tuple(predictions)
    classes: dict[str, Label] = {}
    for p in predictions:
        classes.update((str(c), c) for c in p.classes if str(c) not in classes)
    if all(p.classes == first.classes for p in predictions):
        return tuple(predictions)
    names = list(classes)
    positives = {str(p.classes[p.positive]) for p in predictions if p.positive is not None}
    if first.task == "binary" and (len(names) > 2 or len(positives) > 1):
        raise InputError(
            f"the models do not have the same classes ({', '.join(names[:NAMED])}) or positive "
            "class: give --labels and --positive"
        )
    return tuple(_with_classes(p, names, tuple(classes.values())) for p in predictions)


def _with_classes(p: Predictions, names: list[str], classes: tuple[Label, ...]) -> Predictions:
    place = np.array([names.index(str(c)) for c in p.classes])
    scores = p.scores
    if scores is not None and scores.ndim == 2:
        wide = np.zeros((len(p), len(names)))
        wide[:, place] = scores
        scores = wide
    return replace(
        p,
        classes=classes,
        truth=place[p.truth].astype(p.truth.dtype),
        predicted=None if p.predicted is None else place[p.predicted].astype(p.predicted.dtype),
        scores=scores,
        positive=None if p.positive is None else int(place[p.positive]),
    )


def _by_identifier(predictions: Sequence[Predictions]) -> tuple[Predictions, ...]:
    keys = row_keys(predictions)
    first_order = _order(keys[0], predictions[0].model)
    ordered = keys[0][first_order]
    made = [_in_order(predictions[0], first_order)]
    for p, key in zip(predictions[1:], keys[1:], strict=True):
        is_same = np.array_equal(key, keys[0])
        order = first_order if is_same else _order(key, p.model)
        if not is_same:
            refuse_other_rows(predictions[0], keys[0], p, key)
        made.append(_same_truth(made[0], _in_order(p, order), ordered))
    return tuple(made)


def _in_order(p: Predictions, order: NDArray[Any]) -> Predictions:
    """The rows in an order, and groups numbered by their names rather than as they came."""
    moved = p if np.array_equal(order, np.arange(len(order))) else p.take(order)
    group = moved.design.group
    return (
        moved
        if group is None
        else replace(moved, design=replace(moved.design, group=by_name(group)))
    )


def _same_truth(first: Predictions, other: Predictions, keys: NDArray[Any]) -> Predictions:
    differs = other.truth != first.truth
    if differs.any():
        rows = np.flatnonzero(differs)
        names = ", ".join(shown_key(keys[row]) for row in rows[:NAMED])
        raise InputError(
            f"{plural(len(rows), 'id')} {'has' if len(rows) == 1 else 'have'} another truth in "
            f"model {other.model!r} than in {first.model!r}, first: {names}; "
            "mend the truth in one of the files"
        )
    return other


def _order(keys: NDArray[Any], model: str) -> NDArray[Any]:
    order = np.argsort(keys, kind="stable")
    ordered = keys[order]
    twice = ordered[1:] == ordered[:-1]
    if twice.any():
        names = ", ".join(shown_key(key) for key in np.unique(ordered[1:][twice])[:NAMED])
        raise InputError(
            f"{plural(int(twice.sum()), 'id')} {'occurs' if twice.sum() == 1 else 'occur'} more "
            f"than once in model {model!r}, first: {names}"
        )
    return order
