"""Where a data set comes from: a named set, an ARFF file, any other table, a data frame."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from glob import has_magic
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.core.disk import attempt
from heldout.core.errors import InputError
from heldout.core.nearest import did_you_mean
from heldout.tables.arff import is_arff_name, read_arff, read_arff_lines
from heldout.tables.column import RawColumn, coded_column
from heldout.tables.read import read_table
from heldout.tables.table import Part, RawTable

if TYPE_CHECKING:
    from heldout.core.arrays import Floats
    from heldout.tables.arff import Arff
    from heldout.tables.column import Label


@dataclass(frozen=True, slots=True)
class Bundled:
    """How a data set is loaded, and what its target is called."""

    loader: str
    target: str
    title: str
    positive: str = ""
    is_regression: bool = False


BUNDLED = {
    "iris": Bundled("load_iris", "species", "150 flowers, 4 measures, 3 species"),
    "wine": Bundled("load_wine", "cultivar", "178 wines, 13 measures, 3 cultivars"),
    "wdbc": Bundled(
        "load_breast_cancer",
        "diagnosis",
        "569 tumours, 30 measures, malignant or benign",
        positive="malignant",
    ),
    "digits": Bundled("load_digits", "digit", "1,797 images of 8 by 8 pixels, 10 digits"),
    "diabetes": Bundled(
        "load_diabetes",
        "progression",
        "442 patients, 10 measures, progression of the disease",
        is_regression=True,
    ),
}


def _bundled_table(name: str) -> RawTable:
    """A data set that ships with scikit-learn; the target is its last column."""
    from sklearn import datasets

    entry = BUNDLED[name]
    bunch: Any = getattr(datasets, entry.loader)()
    columns: dict[str, RawColumn] = {}
    for position, text in enumerate(bunch.feature_names):
        called = str(text).removesuffix(" (cm)")
        columns[called] = RawColumn(called, "float", bunch.data[:, position].astype(np.float64))
    if entry.is_regression:
        values = bunch.target.astype(np.float64)
        columns[entry.target] = RawColumn(entry.target, "float", values)
    else:
        classes = [label.item() for label in bunch.target_names]
        columns[entry.target] = coded_column(entry.target, bunch.target, classes)
    return RawTable(columns, name, len(bunch.target))


@dataclass(frozen=True, slots=True, eq=False)
class Origin:
    """A table as read, and what its source says of it."""

    name: str
    part: Part
    #: the data frame itself, for the caller's own estimators
    frame: Any = None
    #: columns that the source declares to be quantities
    numeric: frozenset[str] = frozenset()
    weight: Floats | None = None
    #: of a named set, where nothing else is said
    target: str | None = None
    positive: Label | None = None
    task: str | None = None
    #: columns that the source declares to be names, whatever their values look like
    nominal: frozenset[str] = frozenset()
    #: whether the source itself says what each column is and which values are missing
    is_declared: bool = False


def origin_of(source: Any) -> Origin:
    """The table behind a path, the name of a set, ``"-"``, or a Python object."""
    if not isinstance(source, (str, Path)):
        part = Part(read_table(source, name="the data"), "keywords")
        is_frame = hasattr(source, "iloc") or type(source).__module__.startswith("polars.dataframe")
        return Origin("data", part, frame=source if is_frame else None)
    text = str(source)
    if text in BUNDLED:
        entry = BUNDLED[text]
        part = Part(_bundled_table(text))
        task = "regression" if entry.is_regression else "classification"
        return Origin(
            text,
            part,
            target=entry.target,
            positive=entry.positive or None,
            task=task,
            is_declared=True,
        )
    if text == "-":
        # only the first bytes are looked at: the readers of other formats need them too
        with attempt("read standard input"):
            head = getattr(sys.stdin.buffer, "peek", bytes)(1 << 12).lstrip().lower()
        if head.startswith((b"%", b"@relation")):
            lines = (line.decode("utf-8", "replace") for line in sys.stdin.buffer)
            return _arff_origin("standard input", read_arff_lines(lines, "standard input"))
        return Origin("standard input", Part(read_table("-")))
    path = Path(text)
    if is_arff_name(path) and path.is_file():
        return _arff_origin(_stem(path), read_arff(path, text))
    if not path.exists() and not path.suffix and not has_magic(text):
        near = did_you_mean(text, BUNDLED)
        raise InputError(
            f"no file and no named data set {text!r}{near}\nnamed sets: {', '.join(BUNDLED)}"
        )
    return Origin(_stem(path), Part(read_table(source)))


def _stem(path: Path) -> str:
    return path.name.partition(".")[0] or path.name


def _arff_origin(name: str, arff: Arff) -> Origin:
    numeric, nominal = (
        frozenset(attribute.name for attribute in arff.attributes if attribute.kind == kind)
        for kind in ("numeric", "nominal")
    )
    return Origin(
        name,
        Part(arff.table),
        numeric=numeric,
        weight=arff.weight,
        nominal=nominal,
        is_declared=True,
    )
