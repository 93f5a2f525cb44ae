"""Class probabilities before any prediction: as the reader gives them, or training counts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.core.errors import InputError
from heldout.core.wording import Guess, listed, plural, shown
from heldout.predictions.scores import are_classes, by_prefix, refuse_unclear_order
from heldout.predictions.table import Prior
from heldout.tables.checks import finite, numbers
from heldout.tables.column import factorize
from heldout.tables.labels import number_or_none, plain_label

if TYPE_CHECKING:
    from heldout.core.arrays import Array, Floats
    from heldout.predictions.classes import Classes
    from heldout.predictions.options import Roles
    from heldout.predictions.sheet import Sheet
    from heldout.tables.column import Label
    from heldout.tables.table import Part

PREFIXES = ("train_n_", "train_count_")


def given_prior(part: Part, prior: Any, classes: Classes, positive: int | None) -> Prior:
    """The prior the reader states: above 0 for every class, with sum 1."""
    flag = part.flag("prior")
    shares: dict[int, float] = {}
    for label, share in _entries(flag, prior, classes, positive):
        position = classes.find(label)
        if position is None:
            raise InputError(f"{flag}: no class {label!r} (classes: {listed(classes.labels)})")
        if position in shares:
            raise InputError(f"{flag}: class {label!r} comes twice")
        if not (np.isfinite(share) and share > 0):
            raise InputError(f"{flag}: the share of class {label!r} is {share:g}, not above 0")
        shares[position] = share
    missing = [label for i, label in enumerate(classes.labels) if i not in shares]
    if missing:
        raise InputError(f"{flag}: no share for class {listed(missing)}; every class needs one")
    total = sum(shares.values())
    if abs(total - 1) > 1e-6:
        raise InputError(f"{flag}: the shares sum to {total:.9g}; they must sum to 1")
    return Prior("given", np.array([[shares[i] for i in range(len(classes))]]))


def _entries(
    flag: str, prior: Any, classes: Classes, positive: int | None
) -> list[tuple[Label, float]]:
    """The share of each class, in whatever form it was given."""
    if isinstance(prior, Mapping):
        return [(_label(flag, label), _share(flag, share)) for label, share in prior.items()]
    if isinstance(prior, str) and any(_number(text) is None for text in prior.split(",")):
        return _written(flag, prior)
    single = _number(prior)
    if single is not None:
        if positive is None or len(classes) != 2:
            raise InputError(
                f"{flag}: one share is for the positive of two classes, and there are "
                f"{len(classes):,} ({listed(classes.labels, most=5)}); give a share for each"
            )
        if not 0 < single < 1:
            raise InputError(
                f"{flag}: the share of the positive class is {single:g}, not in (0, 1)"
            )
        return [(classes.labels[positive], single), (classes.labels[1 - positive], 1 - single)]
    shares = prior.split(",") if isinstance(prior, str) else prior
    if isinstance(shares, bytes | set | frozenset) or not hasattr(shares, "__iter__"):
        raise InputError(_forms(flag, prior, classes))
    values = [_share(flag, share) for share in shares]
    if len(values) != len(classes):
        raise InputError(
            f"{flag}: {plural(len(values), 'share')} for {len(classes):,} classes; give one for "
            f"each, in the order {listed(classes.labels, most=5)}"
        )
    return list(zip(classes.labels, values, strict=True))


def _written(flag: str, prior: str) -> list[tuple[Label, float]]:
    """Shares written ``spam=0.4,ham=0.6``."""
    entries: list[tuple[Label, float]] = []
    for entry in prior.split(","):
        label, sign, share = entry.rpartition("=")
        number = _number(share)
        if not sign or number is None:
            raise InputError(f"{flag}: {entry.strip()!r} is not of the form class=share")
        entries.append((label.strip(), number))
    return entries


def _forms(flag: str, prior: Any, classes: Classes) -> str:
    first = classes.labels[0]
    return (
        f"{flag}: {shown(prior)} states no prior; give a share for each class, such as "
        f"{{{first!r}: 0.4, ...}}, or the shares as a list in the order "
        f"{listed(classes.labels, most=5)}"
    )


def _label(flag: str, label: Any) -> Label:
    try:
        return plain_label(label)
    except InputError as error:
        raise InputError(f"{flag}: {error}") from None


def _number(value: Any) -> float | None:
    return None if isinstance(value, bool | np.bool_) else number_or_none(value)


def _share(flag: str, share: Any) -> float:
    number = _number(share)
    if number is None:
        raise InputError(f"{flag}: {shown(share)} is not a share; a share is a number from 0 to 1")
    return number


def guess_counts(part: Part, classes: Classes, taken: set[str]) -> tuple[str | None, list[str]]:
    """The prefix of columns that look like training counts of exactly the classes, and a note."""
    for prefix in PREFIXES:
        starts = {name[: len(prefix)] for name in part.table.columns}
        for start in sorted(start for start in starts if start.casefold() == prefix):
            columns = by_prefix(part, start, taken)
            positions = {classes.find(label) for label in columns}
            if None not in positions and len(positions) == len(classes) == len(columns):
                return start, [Guess("training counts", start=start)]
            if columns:
                note = (
                    f"training counts: columns {start}* do not fit the classes and are not used "
                    f"({part.flag('train_count_prefix', start)} to insist)"
                )
                return None, [note]
    return None, []


def count_labels(part: Part, roles: Roles, classes: Classes, taken: set[str]) -> list[Label]:
    """The classes that the training counts the reader named speak of."""
    if roles.train_count_prefix is None:
        return []
    labels: list[Label] = []
    for label, name in by_prefix(part, roles.train_count_prefix, taken).items():
        read = classes.read(label)
        if read is None or (read not in classes.labels and roles.labels is not None):
            raise InputError(
                f"{part.table.source}: column {name!r} counts class {label!r}, which is none of "
                f"the labels ({listed(classes.labels)}); rename it or add the class to "
                f"{part.flag('labels')}"
            )
        labels.append(read)
    return labels


def prior_from_counts(part: Part, prefix: str, classes: Classes, taken: set[str]) -> Prior:
    """The training counts of each row's model, a column per class."""
    names: dict[int, str] = {}
    for label, name in by_prefix(part, prefix, taken).items():
        position = classes.find(label)
        assert position is not None
        names[position] = name
    for i, label in enumerate(classes.labels):
        if i not in names:
            raise InputError(
                f"{part.table.source}: no column {f'{prefix}{label}'!r} with the training count of "
                f"class {label!r} ({part.flag('train_count_prefix', prefix)})"
            )
    ordered = tuple(names[i] for i in range(len(classes)))
    return _compress(_training_counts(part, ordered))


def _compress(columns: list[Floats]) -> Prior:
    """The distinct rows of training counts, and which of them each row has."""
    codes: Array = np.zeros(len(columns[0]), np.int64)
    for values in columns:
        if values[0] == values[-1] and (values == values[0]).all():
            continue
        more, levels = factorize(values)
        codes, _ = factorize(codes.astype(np.int64) * len(levels) + more)
    count = int(codes.max()) + 1
    # any row will do as an example: rows of one code are equal
    example = np.empty(count, np.int64)
    example[codes] = np.arange(len(codes))
    table = np.column_stack([values[example] for values in columns])
    return Prior("training counts", table, codes if count > 1 else None)


def _training_counts(part: Part, names: tuple[str, ...]) -> list[Floats]:
    """The class counts of each row's training part, a column per class."""
    columns = []
    total = np.zeros(len(part))
    for name in names:
        values = numbers(part, name, "training count")
        low, _ = finite(part, name, values, "training count")
        if low < 0:
            part.refuse(name, values < 0, "negative", "a training count must be 0 or more")
        columns.append(values)
        total += values
    fix = "a training part has at least one row"
    part.refuse(names, total == 0, "training counts of all classes are 0", fix)
    return columns


def wide_counts(sheet: Sheet, counts: Floats, classes: Classes) -> Prior:
    """The training counts of the kept rows; one line of counts holds for all of them."""
    if counts.shape[1] != len(classes):
        raise InputError(
            f"train_counts has {plural(counts.shape[1], 'column')}, and there "
            f"{are_classes(classes)}; give a count for each, in the order of labels="
        )
    refuse_unclear_order(sheet, classes, "the columns of train_counts")
    if sheet.part.rows is not None and len(counts) > 1:
        counts = counts[sheet.part.rows]
    bad = ~np.isfinite(counts).all(axis=1) | (counts < 0).any(axis=1) | (counts.sum(axis=1) == 0)
    fix = "counts must be finite, 0 or more, and above 0 for some class"
    if len(counts) == len(sheet.part):
        sheet.part.refuse("train_counts", bad, "no counts of a training part", fix)
    elif bad.any():
        raise InputError(f"train_counts: {fix}")
    return _compress(list(counts.T))
