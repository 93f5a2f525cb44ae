"""Models' predictions put on the same rows in the same order, or why that cannot be done."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import reduce
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.core.dialect import argument, worded
from heldout.core.errors import InputError
from heldout.core.notes import Line, Topic
from heldout.core.wording import plural
from heldout.predictions.split_design import SplitDesign

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from heldout.predictions.table import Predictions
    from heldout.tables.column import Column, Label

BY_ID = Line("rows are matched by id", Topic.MATCHING)
UNPAIRED = Line("rows are assumed to be different: the comparison is unpaired", Topic.MATCHING)
#: ids that a message names
NAMED = 10
#: share of the smaller model's ids in the other, and of equal truth there: the same rows
MOST_SHARED = 0.5
SAME_TRUTH = 0.95
OVERLAP = (
    "rows that both models scored are treated as different too, which loses "
    "power (to compare only those rows, paired: {shared=True})"
)


@dataclass(frozen=True, slots=True, eq=False)
class Aligned:
    """Predictions of several models, row by row the same where ``is_paired``."""

    predictions: tuple[Predictions, ...]
    is_paired: bool
    #: how rows were matched, and what to know about it
    note: str
    #: whether rows that are the same were taken as different by force
    is_forced: bool = False

    def __len__(self) -> int:
        return len(self.predictions[0])


#: said of tally files
OF_COUNTS = "tallies hold counts, not rows, and cannot be compared: give the files with the rows"


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
            f"give a second file, or a column of models ({argument('model')})"
        )
    tasks = {p.task for p in predictions}
    if len(tasks) > 1:
        raise InputError(f"the models solve different problems ({', '.join(sorted(tasks))})")
    same = _same_classes(predictions)
    if unpaired and shared:
        raise InputError(
            worded("{shared=True} compares the same rows and {unpaired=True} other ones: give one")
        )
    note: str = BY_ID
    if shared:
        same, left_out = _shared_rows(same)
        note = f"{note}; {left_out}" if left_out else note
    if unpaired:
        if repeated := [p.model for p in same if p.design.repeat is not None]:
            raise InputError(
                f"model {repeated[0]!r} predicted its rows in several "
                f"repeats: its rows are not independent and cannot be compared unpaired; "
                f"evaluate both models on the same splits"
            )
        return Aligned(same, False, *_unpaired_note(same, force=force))
    _refuse_other_procedures(same)
    known = [p.identifier is not None for p in same]
    if all(known):
        return Aligned(_alike(_by_identifier(same)), True, note)
    if any(known):
        lacking = next(p.model for p in same if p.identifier is None)
        raise InputError(
            f"model {lacking!r} has no ids, but others have: name its column ({argument('id')})"
        )
    if any(p.is_unordered for p in same):
        raise InputError(OF_COUNTS)
    for other in same[1:]:
        _refuse_other_order(same[0], other)
    return Aligned(_alike(same), True, "rows are matched by position (no id column)")


def _refuse_other_order(first: Predictions, other: Predictions) -> None:
    """An error where rows without ids cannot be the same."""
    if len(other) != len(first):
        where = f"{len(first):,} and {len(other):,} rows"
    elif (differs := other.truth != first.truth).any():
        where = f"truth differs in row {int(np.argmax(differs)) + 1:,}"
    else:
        return
    raise InputError(
        f"models {first.model!r} and {other.model!r} were evaluated on different rows ({where}): "
        f"name a column of ids ({argument('id')}), or say {argument('unpaired', True)}"
    )


def _refuse_other_procedures(predictions: Sequence[Predictions]) -> None:
    """An error where models were judged in other numbers of repeats or folds."""
    first = predictions[0]
    for other in predictions[1:]:
        if (first.design.fold is None) != (other.design.fold is None):
            continue  # a column that nobody named, which is said where splits are compared
        mine, theirs = _procedure(first), _procedure(other)
        if mine != theirs:
            raise InputError(
                f"models {first.model!r} and {other.model!r} were evaluated "
                f"by different procedures "
                f"({mine}; {theirs}): evaluate both with the same procedure and seed"
            )


def _procedure(p: Predictions) -> str:
    """How often a model's rows were split, and into how many folds."""
    known = SplitDesign(p)
    parts = "one test set" if p.design.fold is None else plural(known.folds, "fold")
    return f"{plural(known.repeats, 'repeat')} of {parts}" if known.repeats > 1 else parts


def _alike(predictions: tuple[Predictions, ...]) -> tuple[Predictions, ...]:
    """The same predictions; an error where a row has another weight, group, slice or split."""
    first = predictions[0]
    for other in predictions[1:]:
        _refuse_other_weights(first, other)
        if (first.design.group is None) != (other.design.group is None):
            lacking = first if first.design.group is None else other
            raise InputError(
                f"model {lacking.model!r} has no groups, the other has: give {argument('group')}"
            )
        _refuse_other_values(first, first.design.group, other, other.design.group, "group")
        for mine in first.slices:
            theirs = next((c for c in other.slices if c.name == mine.name), None)
            _refuse_other_values(first, mine, other, theirs, "slice")
        _refuse_other_splits(first, other)
    return predictions


def _refuse_other_weights(first: Predictions, other: Predictions) -> None:
    """An error where the same rows have other weights, or some have none."""
    mine, theirs = first.weight, other.weight
    if mine is not theirs and (mine is None or not np.array_equal(mine, np.asarray(theirs))):
        raise InputError(
            f"models {first.model!r} and {other.model!r} give the same rows other weights: "
            "give all models the same, or none"
        )


def _refuse_other_splits(first: Predictions, other: Predictions) -> None:
    """An error where the same row was judged in another fold or repeat."""
    for word in ("fold", "repeat"):
        mine, theirs = getattr(first.design, word), getattr(other.design, word)
        if (mine is None) != (theirs is None):
            lacking, known = (first, other) if mine is None else (other, first)
            raise InputError(
                f"model {lacking.model!r} has no {word}, {known.model!r} has: give both their "
                f"{word}s ({argument(word)}), or take all rows as one test set "
                f"({argument(word, 'none')})"
            )
        if (row := _first_unlike(mine, theirs)[0]) is not None:
            raise InputError(
                f"models {first.model!r} and {other.model!r} were evaluated on different splits "
                f"({word} of row {row + 1:,} is {_value(mine, row)} and {_value(theirs, row)}): "
                "evaluate both with the same procedure and seed"
            )


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
            f"class: give {argument('labels')} and {argument('positive')}"
        )
    return tuple(_with_classes(p, names, tuple(classes.values())) for p in predictions)


def _with_classes(p: Predictions, names: list[str], classes: tuple[Label, ...]) -> Predictions:
    codes = np.array([names.index(str(c)) for c in p.classes])
    scores = p.scores
    if scores is not None and scores.ndim == 2:
        wide = np.zeros((len(p), len(names)))
        wide[:, codes] = scores
        scores = wide
    return replace(
        p,
        classes=classes,
        truth=codes[p.truth].astype(p.truth.dtype),
        predicted=None if p.predicted is None else codes[p.predicted].astype(p.predicted.dtype),
        scores=scores,
        positive=None if p.positive is None else int(codes[p.positive]),
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Keyed:
    """A model with what names each of its rows."""

    p: Predictions
    keys: NDArray[Any]

    def shared_with(self, other: _Keyed) -> NDArray[Any]:
        """The names of rows that both models judged; none where the truth there differs.

        Ids that count rows from 1 in every file may be the same by chance: the truth tells.
        """
        both, mine, theirs = np.intersect1d(self.keys, other.keys, return_indices=True)
        is_same = len(both) and np.mean(self.p.truth[mine] == other.p.truth[theirs]) >= SAME_TRUTH
        return both if is_same else both[:0]

    def is_mostly(self, shared: NDArray[Any], other: _Keyed) -> bool:
        """Whether shared rows are so many that the two models were judged on the same."""
        return len(shared) > MOST_SHARED * min(len(self.p), len(other.p))

    @property
    def order(self) -> NDArray[Any]:
        """That of the names; an error where one comes twice."""
        order = np.argsort(self.keys, kind="stable")
        ordered = self.keys[order]
        twice = ordered[1:] == ordered[:-1]
        if twice.any():
            names = ", ".join(_shown_key(key) for key in np.unique(ordered[1:][twice])[:NAMED])
            raise InputError(
                f"{plural(int(twice.sum()), 'id')} {'occurs' if twice.sum() == 1 else 'occur'} "
                f"more than once in model {self.p.model!r}, first: {names}"
            )
        return order


def _by_identifier(predictions: Sequence[Predictions]) -> tuple[Predictions, ...]:
    first, *others = _keyed(predictions)
    first_order = first.order
    names = first.keys[first_order]
    matched = [_in_order(first.p, first_order)]
    for other in others:
        order = first_order
        if not np.array_equal(other.keys, first.keys):
            order = other.order
            _refuse_other_rows(first, other)
        matched.append(_in_order(other.p, order))
        _refuse_other_truth(matched[0], matched[-1], names)
    return tuple(matched)


def _in_order(p: Predictions, order: NDArray[Any]) -> Predictions:
    """The rows in an order, and groups numbered by their names rather than as they came."""
    moved = p if np.array_equal(order, np.arange(len(order))) else p.take(order)
    group = moved.design.group
    if group is None:
        return moved
    return replace(moved, design=replace(moved.design, group=_by_name(group)))


def _refuse_other_truth(first: Predictions, other: Predictions, names: NDArray[Any]) -> None:
    rows = np.flatnonzero(other.truth != first.truth)
    if len(rows):
        listed = ", ".join(_shown_key(names[row]) for row in rows[:NAMED])
        raise InputError(
            f"{plural(len(rows), 'id')} {'has' if len(rows) == 1 else 'have'} another truth in "
            f"model {other.model!r} than in {first.model!r}, first: {listed}; "
            "correct the truth in one of the files"
        )


def _refuse_other_values(
    first: Predictions, mine: Column | None, other: Predictions, theirs: Column | None, role: str
) -> None:
    """An error where the same row is of another group or slice in another model."""
    row, count = _first_unlike(mine, theirs)
    if row is None or mine is None or theirs is None:
        return
    where = f"row {row + 1:,}"
    if first.identifier is not None:
        where = f"id {_shown_key(_keyed([first])[0].keys[row])}"
    more = f" ({plural(count, 'row')} in all)" if count > 1 else ""
    raise InputError(
        f"{where} is of {role} {mine.name}={_value(mine, row)} in {_called(first)} and "
        f"{theirs.name}={_value(theirs, row)} in {_called(other)}{more}: "
        f"correct the {role} in one of "
        "them"
    )


def _first_unlike(mine: Column | None, theirs: Column | None) -> tuple[int | None, int]:
    """The first row at which two columns differ, and how many do; None where none does."""
    if mine is None or theirs is None:
        return None, 0
    names = {_level_text(level) for column in (mine, theirs) for level in column.levels}
    codes = {name: number for number, name in enumerate(sorted(names))}
    here, there = (
        np.array([codes[_level_text(level)] for level in column.levels], int)[column.codes]
        for column in (mine, theirs)
    )
    differs = here != there
    return (int(np.argmax(differs)) if differs.any() else None), int(differs.sum())


def _value(column: Column, row: int) -> str:
    """What a column has at a row, as messages have it."""
    return _level_text(column.levels[column.codes[row]])


def _called(p: Predictions) -> str:
    """A model with the file it came from."""
    return f"{p.model!r} ({p.source})" if p.source and p.source != p.model else repr(p.model)


def _unpaired_note(predictions: Sequence[Predictions], *, force: bool) -> tuple[str, bool]:
    """What to know of rows that are taken as different, and whether by force.

    An error where they are the same, and nobody forces it.
    """
    note: str = UNPAIRED
    if any(p.identifier is None for p in predictions):
        return note, False
    models = _keyed(predictions)
    for number, other in enumerate(models):
        for first in models[:number]:
            both = first.shared_with(other)
            if not len(both):
                continue
            names = f"{first.p.model!r} and {other.p.model!r}"
            shared = f"{plural(len(both), 'id')} of {names}"
            if not first.is_mostly(both, other):
                note += (
                    f"; {shared} {'is' if len(both) == 1 else 'are'} the same: {worded(OVERLAP)}"
                )
                continue
            is_all = len(both) == len(first.p) == len(other.p)
            rows = "on the same rows" if is_all else "partly on the same rows"
            if force:
                note = (
                    f"NOT VALID for this design (the same rows), run by force: the models were "
                    f"judged {rows} ({shared} are the same), and what they share does not cancel"
                )
                return note, True
            fix = "leave {unpaired=True} out"
            if not is_all:
                fix = "compare these alone ({shared=True} instead of {unpaired=True})"
            raise InputError(
                f"the models were judged {rows} ({shared} are the same, with the same truth), "
                f"which are paired: {worded(fix)}, or say {argument('force', True)}"
            )
    return note, False


def _shared_rows(predictions: Sequence[Predictions]) -> tuple[tuple[Predictions, ...], str]:
    """The rows that all models judged, by their ids, and how many are left out."""
    lacking = [p.model for p in predictions if p.identifier is None]
    if lacking:
        raise InputError(
            f"model {lacking[0]!r} has no ids, so the rows that all models "
            f"scored are unknown: name the column ({argument('id')}), or leave "
            f"{argument('shared', True)} out"
        )
    models = _keyed(predictions)
    common = reduce(np.intersect1d, (model.keys for model in models))
    if not len(common):
        raise InputError(
            worded("no row was scored by all models ({shared=True}): there is nothing to compare")
        )
    kept = tuple(m.p.take(np.flatnonzero(np.isin(m.keys, common))) for m in models)
    left = [
        f"{len(whole) - len(part):,} of {whole.model!r}"
        for whole, part in zip(predictions, kept, strict=True)
        if len(part) < len(whole)
    ]
    if not left:
        return tuple(predictions), ""
    return kept, f"only rows that all models scored are compared; left out: {', '.join(left)}"


def _refuse_other_rows(first: _Keyed, other: _Keyed) -> None:
    """An error where a model was judged on other rows, with how many both judged."""
    parts = []
    for here, there in ((first, other), (other, first)):
        lost = np.setdiff1d(here.keys, there.keys)
        if len(lost):
            names = ", ".join(_shown_key(key) for key in lost[:NAMED])
            count, verb = plural(len(lost), "id"), "is" if len(lost) == 1 else "are"
            parts.append(f"{count} of {here.p.model!r} {verb} not in {there.p.model!r}: {names}")
    if not parts:
        return
    fix = "Evaluate both on the same rows, or"
    both = first.shared_with(other)
    if not len(both):
        fix = f"{fix} say {argument('unpaired', True)}"
    else:
        count = f"{len(both):,} of {plural(max(len(first.p), len(other.p)), 'row')}"
        fix = f"Both scored {count}. {fix} compare these alone ({argument('shared', True)})"
        if not first.is_mostly(both, other):
            fix = f"{fix}, or all as different ones ({argument('unpaired', True)})"
    raise InputError(f"the models were evaluated on different rows; {'; '.join(parts)}. {fix}")


def _keyed(predictions: Sequence[Predictions]) -> list[_Keyed]:
    """Models with what names each row: its id, with the repeat where the design has repeats."""
    ids = [np.asarray(p.identifier) for p in predictions]
    if not all(np.issubdtype(own.dtype, np.integer) for own in ids):
        ids = [own.astype(str) for own in ids]
    if any(p.design.repeat is not None for p in predictions):
        for number, p in enumerate(predictions):
            column = p.design.repeat
            repeat = "" if column is None else np.array(list(map(str, column.levels)))[column.codes]
            # a separator that no text has, so that two parts cannot run together
            ids[number] = np.char.add(np.char.add(ids[number].astype(str), "\x1f"), repeat)
    return [_Keyed(p, own) for p, own in zip(predictions, ids, strict=True)]


def _shown_key(key: Any) -> str:
    r"""A row's name as messages have it.

    Examples
    --------
    >>> _shown_key("17\x1f2")
    '17 in repeat 2'
    """
    return " in repeat ".join(str(key).split("\x1f"))


def _level_text(level: Label) -> str:
    """The value of a column as text, the same whether a file's reader took it as 1 or as 1.0.

    Examples
    --------
    >>> _level_text(1.0), _level_text(1), _level_text("1")
    ('1', '1', '1')
    """
    return str(int(level)) if isinstance(level, float) and level.is_integer() else str(level)


def _by_name(column: Column) -> Column:
    """The same column with its values numbered in the order of their names.

    Examples
    --------
    >>> from heldout.tables.column import Column
    >>> _by_name(Column("ward", np.array([0, 1, 0]), ("z", "a"))).codes
    array([1, 0, 1])
    """
    order = sorted(range(len(column.levels)), key=lambda code: _level_text(column.levels[code]))
    codes = np.empty(len(order), int)
    codes[order] = np.arange(len(order))
    return replace(
        column, codes=codes[column.codes], levels=tuple(column.levels[code] for code in order)
    )
