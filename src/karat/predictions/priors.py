"""Class probabilities before any prediction: as the reader gives them, or training counts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.core.errors import InputError
from karat.predictions.checks import training_counts
from karat.predictions.factorize import factorize
from karat.predictions.labels import in_family
from karat.predictions.part import listed
from karat.predictions.scores import by_prefix
from karat.predictions.table import Prior

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from karat.predictions.classes import Classes
    from karat.predictions.part import Part
    from karat.predictions.roles import Roles
    from karat.predictions.table import Label

__all__ = ["compressed", "count_labels", "given_prior", "guess_counts", "prior_from_counts"]

PREFIXES = ("train_n_", "train_count_")


def given_prior(part: Part, prior: str | Mapping[Label, float], classes: Classes) -> Prior:
    """The prior the reader states: above 0 for every class, with sum 1."""
    flag = part.flag("prior")
    shares: dict[int, float] = {}
    for label, share in _entries(flag, prior):
        found = classes.find(label)
        if found is None:
            raise InputError(f"{flag}: no class {label!r} (classes: {listed(classes.labels)})")
        if found in shares:
            raise InputError(f"{flag}: class {label!r} comes twice")
        if not (np.isfinite(share) and share > 0):
            raise InputError(f"{flag}: the share of class {label!r} is {share:g}, not above 0")
        shares[found] = share
    missing = [label for i, label in enumerate(classes.labels) if i not in shares]
    if missing:
        raise InputError(f"{flag}: no share for class {listed(missing)}; every class needs one")
    total = sum(shares.values())
    if abs(total - 1) > 1e-6:
        raise InputError(f"{flag}: the shares sum to {total:.9g}; they must sum to 1")
    return Prior("given", np.array([[shares[i] for i in range(len(classes))]]))


def _entries(flag: str, prior: str | Mapping[Label, float]) -> list[tuple[Label, float]]:
    if isinstance(prior, Mapping):
        return [(label, float(share)) for label, share in prior.items()]
    entries: list[tuple[Label, float]] = []
    for entry in prior.split(","):
        label, sign, share = entry.rpartition("=")
        try:
            entries.append((label.strip(), float(share)))
        except ValueError:
            sign = ""
        if not sign:
            raise InputError(f"{flag}: {entry.strip()!r} is not of the form class=share")
    return entries


def guess_counts(part: Part, classes: Classes, taken: set[str]) -> tuple[str | None, list[str]]:
    """The prefix of columns that look like training counts of exactly the classes, and a note."""
    for prefix in PREFIXES:
        starts = {name[: len(prefix)] for name in part.table.columns}
        for start in sorted(start for start in starts if start.casefold() == prefix):
            columns = by_prefix(part, start, taken)
            found = {classes.find(label) for label in columns}
            if None not in found and len(found) == len(classes) == len(columns):
                return start, [f"training counts: columns {start}* (guessed by their names)"]
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
        found = classes.find(label)
        read = in_family(label, classes.family) if found is None else classes.labels[found]
        if read is None or (found is None and roles.labels is not None):
            raise InputError(
                f"{part.table.source}: column {name!r} counts class {label!r}, which is none of "
                f"the labels ({listed(classes.labels)}); rename it or add the class to "
                f"{part.flag('labels')}"
            )
        labels.append(read)
    return labels


def prior_from_counts(part: Part, prefix: str, classes: Classes, taken: set[str]) -> Prior:
    """The training counts of each row's model, a column a class."""
    names: dict[int, str] = {}
    for label, name in by_prefix(part, prefix, taken).items():
        found = classes.find(label)
        assert found is not None
        names[found] = name
    for i, label in enumerate(classes.labels):
        if i not in names:
            raise InputError(
                f"{part.table.source}: no column {f'{prefix}{label}'!r} with the training count of "
                f"class {label!r} ({part.flag('train_count_prefix', prefix)})"
            )
    ordered = tuple(names[i] for i in range(len(classes)))
    return compressed(training_counts(part, ordered))


def compressed(columns: list[NDArray[np.float64]]) -> Prior:
    """The distinct rows of training counts, and which of them each row has."""
    codes: NDArray[Any] = np.zeros(len(columns[0]), np.int64)
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
