"""The splits of a procedure as a chart: a bar a split, in which every row has its place."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.core.wording import plural
from heldout.procedures.apply import splits_of
from heldout.report.plots.book import ALL, Book
from heldout.report.plots.chart import LIGHT, Chart, Heat, Layout, Panel, cells_axis, swatch

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from heldout.datasets.dataset import Dataset
    from heldout.procedures.splits import Split, Splits
    from heldout.report.plots.book import Options

NAME = "splits"
#: how rows stand beside each other: those tested together, or as the data has them
ORDERS = ("tested", "data")
#: bars that are drawn, and places across: of more rows only so many are looked at
MOST_SPLITS, MOST_PLACES = 25, 2000
#: shades of training rows drawn once and more often, validation rows, and test rows
TRAIN, MORE, VALIDATION, TEST = 0.16, 0.1, 0.62, 0.95
#: shades of grey of the first and the last class, and classes up to which the legend names them
FIRST_CLASS, LAST_CLASS, MOST_NAMED = 0.15, 0.8, 6
#: inches: the width of a bar, its height, and that of the strips of classes and groups
WIDTH, HEIGHT, STRIP = 6.4, 0.24, 0.26


def splits_chart(
    parts: tuple[Dataset, Splits],
    name: str,
    *,
    is_inside: bool = False,
    order: str = ORDERS[0],
    inner: str = "",
) -> Chart:
    """The rows of each split: which train, which validate and which test.

    ``order``: rows that are tested together stand together, within them those of one class and
    one group (``tested``); or all stand as in the data. ``inner``: the procedure of nested
    cross-validation that parts the training rows of the first split once more.
    """
    dataset, splits = parts
    shown = [*splits[:1], *_inner_splits(dataset, splits, inner)] if inner else splits[:MOST_SPLITS]
    # of very many rows the bars show some, evenly chosen from the sorted ones
    rows = _arrangement(dataset, shown) if order == ORDERS[0] else np.arange(splits.rows)
    places = np.linspace(0, len(rows) - 1, min(len(rows), MOST_PLACES)).round().astype(int)
    cells = np.array([_shades(split, splits.rows)[rows[places]] for split in shown])
    count = len(shown)
    numbers = [f"1.{n}" if n else "1" for n in range(count)] if inner else range(1, count + 1)
    names = tuple(map(str, reversed(numbers)))
    panel = Panel(x=cells_axis(len(places)), y=cells_axis(count, "Split", names))
    panel.add(Heat(cells[::-1], "", ends=(0.0, 1.0), has_bar=False))
    _explain(panel, cells)
    _explain_classes(panel, dataset)
    panel.below = _strips(dataset, rows[places])
    if inner:
        panel.notes.append("1.1, 1.2 ...: inner splits of the training rows of split 1")
    elif len(splits) > count:
        panel.notes.append(f"the first {count} of {len(splits):,} splits")
    if len(places) < len(rows):
        panel.notes.append(f"every {len(rows) / len(places):.3g}th of {len(rows):,} rows is drawn")
    standing = {
        "tested": "rows that are tested together stand together",
        "data": "rows stand as in the data",
    }
    words = f"{dataset.name} · {plural(splits.rows, 'row')} · {standing[order]}"
    size = (WIDTH, max(count, 2) * HEIGHT)
    lower = 0.0 if panel.below is None else STRIP * len(panel.below.y.ticks)
    within = f", within it {inner}" if inner else ""
    return Chart(f"Splits: {splits.procedure}{within}", words, (panel,), Layout(size, lower))


def _inner_splits(dataset: Dataset, splits: Splits, inner: str) -> list[Split]:
    """The splits of the first training part, whose test rows validate; rows as in the data."""
    train = splits[0].train
    within = splits_of(inner, dataset.take(train), seed=splits.seed)[: MOST_SPLITS - 1]
    nobody = train[:0]
    return [replace(s, train=train[s.train], validation=train[s.test], test=nobody) for s in within]


def _arrangement(dataset: Dataset, splits: Sequence[Split]) -> NDArray[Any]:
    """The rows by the first split that tests them, then by class and group.

    Rows that no split tests come first: they are the earliest in time, or for training alone.
    """
    first = np.full(len(dataset), -1)
    for index in range(len(splits) - 1, -1, -1):
        first[splits[index].test] = index
    groups = np.zeros(len(dataset)) if dataset.group is None else dataset.group.codes
    classes = dataset.truth if dataset.classes else np.zeros(len(dataset))
    validated = np.zeros(len(dataset))
    for index, split in enumerate(splits):
        if split.validation is not None:
            validated[split.validation] = index + 1
    return np.lexsort((groups, classes, validated, first))


def _shades(split: Split, rows: int) -> NDArray[Any]:
    """How dark each row is: by its part, and a training row by how often it was drawn."""
    shades = np.full(rows, np.nan)
    often = np.bincount(split.train, minlength=rows)
    shades[often > 0] = TRAIN + MORE * np.minimum(often[often > 0] - 1, 3)
    if split.validation is not None:
        shades[split.validation] = VALIDATION
    shades[split.test] = TEST
    return shades


def _explain(panel: Panel, cells: NDArray[Any]) -> None:
    """The legend: what each shade that is there means."""
    often = ", darker where drawn more often" if np.isclose(cells, TRAIN + MORE).any() else ""
    texts = {TRAIN: f"training{often}", VALIDATION: "validation", TEST: "test"}
    for shade, text in texts.items():
        if np.isclose(cells, shade).any():
            panel.explain(swatch(_colour("Blues", shade)), text)
    if np.isnan(cells).any():
        panel.explain(swatch("#FFFFFF", edge=LIGHT), "not used")


def _colour(scale: str, shade: float) -> str:
    from matplotlib import colormaps
    from matplotlib.colors import to_hex

    return to_hex(colormaps[scale](shade))


def _shade_of_class(codes: Any, count: int) -> Any:
    """How dark classes are in their strip."""
    return FIRST_CLASS + (LAST_CLASS - FIRST_CLASS) * codes / max(count - 1, 1)


def _explain_classes(panel: Panel, dataset: Dataset) -> None:
    """The legend: which grey is which class, unless there are many."""
    count = len(dataset.classes)
    for code, name in enumerate(dataset.classes if count <= MOST_NAMED else ()):
        colour = _colour("Greys", _shade_of_class(code, count))
        panel.explain(swatch(colour), f"class {name}")


def _strips(dataset: Dataset, rows: NDArray[Any]) -> Panel | None:
    """The class and the group of each row, below the bars; None where there are neither."""
    strips = {}
    if dataset.group is not None:
        # neighbours differ, however many groups there are
        strips["group"] = 0.2 + 0.3 * (dataset.group.codes[rows] % 3)
    if dataset.classes:
        strips["class"] = _shade_of_class(dataset.truth[rows], len(dataset.classes))
    if not strips:
        return None
    cells = np.array(list(strips.values()))
    heat = Heat(cells, "", ends=(0.0, 1.0), has_bar=False, is_grey=True)
    across, up = cells_axis(len(rows), "Rows"), cells_axis(len(strips), labels=tuple(strips))
    panel = Panel(x=across, y=up)
    panel.add(heat)
    return panel


OPTIONS: Options = {key: {"order": ORDERS, "inner": ()} for key in (NAME, ALL)}
BOOK = Book((NAME,), splits_chart, OPTIONS, "of splits")
