"""A chart as plain data: panels of marks on axes, legends and words, before anything draws them.

Lengths on paper are inches, letters and widths of lines points. Marks stand in the order in
which they are drawn, unless their ``order`` says otherwise.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

INK, GREY, LIGHT = "#333333", "#666666", "#BBBBBB"

#: room beside axes for the bar that says what colours mean
BAR = 1.05

#: solid, none, or where it starts and the lengths of its dashes and gaps
Dash = Literal["-", "none"] | tuple[float, tuple[float, ...]]


@dataclass(frozen=True, slots=True, eq=False)
class Line:
    """Points, joined by a line unless its dash is ``none``, marked where there is a marker.

    ``reach`` is how far bars of error go below and above each point; ``shift``, in points of
    paper, moves all of it sideways, so that no series hides the bars of another.
    """

    x: Any
    y: Any
    colour: str = INK
    dash: Dash = "-"
    width: float = 1.7
    marker: str = ""
    size: float = 6.0
    #: of markers: empty is the colour of the line
    face: str = ""
    edge: str = ""
    edge_width: float = 1.0
    alpha: float | None = None
    order: float = 2
    is_clipped: bool = True
    shift: float | None = None
    reach: NDArray[Any] | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Band:
    """The area between two lines."""

    x: Any
    low: Any
    high: Any
    colour: str
    alpha: float
    order: float = 1


@dataclass(frozen=True, slots=True, eq=False)
class Bars:
    """Bars between edges, on the heights of others where they are stacked."""

    edges: NDArray[Any]
    heights: NDArray[Any]
    colour: str
    base: NDArray[Any] | None = None
    alpha: float | None = None
    #: colour of the lines around them
    edge: str = ""


def swatch(colour: str, *, edge: str = "") -> Bars:
    """What a legend shows of areas of a colour that no bars of the panel have."""
    return Bars(np.empty(0), np.empty(0), colour, edge=edge)


@dataclass(frozen=True, slots=True, eq=False)
class Rule:
    """A straight line across a panel at a value of one of its axes."""

    at: float
    axis: Literal["x", "y"] = "x"
    colour: str = INK
    width: float = 1.7
    dash: Dash = "-"
    order: float = 2


@dataclass(frozen=True, slots=True, eq=False)
class Dots:
    """Many points, in one colour or each in its own."""

    x: Any
    y: Any
    colour: Any
    size: float
    alpha: float
    order: float = 3
    #: drawn as pixels in files of vectors
    is_raster: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Density:
    """More points than can be seen, counted by cell, with a bar that says what colours mean."""

    x: Any
    y: Any
    extent: tuple[float, float, float, float]
    label: str


@dataclass(frozen=True, slots=True, eq=False)
class Heat:
    """Values by two axes, dark where they are better, with a bar; NaN shows what is below."""

    cells: NDArray[Any]
    label: str
    is_up: bool = True
    #: row and column of a cell with a frame, and its colour
    framed: tuple[float, float] | None = None
    frame: str = ""
    #: values of the lightest and the darkest cell, where they are not those of the cells
    ends: tuple[float, float] | None = None
    has_bar: bool = True
    #: in shades of grey rather than of blue
    is_grey: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Words:
    """Text at a place.

    ``unit``: values of both axes, shares of the panel, or ``row``: a share across and a value up.
    """

    x: float
    y: float
    text: str
    unit: Literal["value", "share", "row"] = "value"
    size: float | None = None
    colour: str = ""
    across: Literal["left", "center", "right"] = "left"
    up: Literal["top", "center", "bottom", "baseline"] = "baseline"
    #: points away from the place, on a white ground
    offset: tuple[float, float] | None = None


Mark = Line | Band | Bars | Rule | Dots | Density | Heat | Words


@dataclass(frozen=True, slots=True)
class Axis:
    """An axis of a panel: its name, ends, ticks, and how numbers beside them are written.

    Ends that are None are those of the marks, with a share of ``margin`` around them.
    """

    label: str = ""
    low: float | None = None
    high: float | None = None
    ticks: Any = None
    labels: tuple[str, ...] | None = None
    scale: Literal["plain", "log"] = "plain"
    #: so many ticks at most, and only at whole numbers
    most: int = 0
    is_whole: bool | None = None
    format: Callable[[float], str] | None = None
    margin: float | None = None
    is_turned: bool = False
    has_labels: bool = True
    has_line: bool = True
    has_grid: bool = True


#: shares from 0 to 1
SHARES = Axis(low=0, high=1, ticks=(0, 0.2, 0.4, 0.6, 0.8, 1))


def cell_words(texts: Sequence[Sequence[str]], is_dark: NDArray[np.bool_]) -> Iterator[Words]:
    """A text in the middle of each cell, in letters that its shade lets be read; empty: none."""
    for row, line in enumerate(texts):
        for column, text in enumerate(line):
            if text:
                colour = "white" if is_dark[row, column] else "#111111"
                yield Words(column, row, text, "value", 8, colour, "center", "center")


def cells_axis(count: int, label: str = "", labels: tuple[str, ...] = (), **more: Any) -> Axis:
    """An axis of so many cells beside each other, and their names where they have any."""
    ticks = tuple(range(len(labels)))
    return Axis(label, -0.5, count - 0.5, ticks, labels or None, has_grid=False, **more)


@dataclass(frozen=True, slots=True)
class Entry:
    """A line of a legend: a mark of the panel, or one like those meant; None: words alone."""

    mark: Line | Band | Bars | Rule | Heat | None
    text: str


@dataclass(slots=True, eq=False)
class Panel:
    """Marks on a pair of axes, and the legend that explains them."""

    #: what stands above it where there are several
    name: str = ""
    x: Axis = Axis()
    y: Axis = Axis()
    marks: list[Any] = field(default_factory=list)
    legend: list[Entry] = field(default_factory=list)
    #: both axes have the same scale
    is_square: bool = False
    #: nothing but marks: no axes
    is_bare: bool = False
    ground: str = ""
    #: another of the same width and horizontal axis under it
    below: Panel | None = None
    #: words below the legend: what its numbers are, and what is not drawn
    notes: list[str] = field(default_factory=list)

    def add(self, mark: Any, text: str = "") -> Any:
        """A mark, named in the legend where there is text for it."""
        self.marks.append(mark)
        self.explain(mark, text)
        return mark

    @property
    def footnotes(self) -> list[Entry]:
        """The notes as entries of a legend."""
        return [Entry(None, text) for text in self.notes]

    def explain(self, mark: Any, text: str) -> None:
        """A line of the legend; none without text."""
        if text:
            self.legend.append(Entry(mark, text))


@dataclass(frozen=True, slots=True)
class Layout:
    """Panels in rows, each with its legend below; room for letters is measured when drawn.

    ``size`` is that of a panel, ``lower`` the height of those below them, ``right`` the room
    beside each; ``across`` says how many stand in a row, where it is not as many as fit.
    """

    size: tuple[float, float]
    lower: float = 0.0
    right: float = 0.22
    across: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class Chart:
    """A chart: its title, the words that say what it is of, and its panels."""

    title: str
    words: str
    panels: tuple[Panel, ...]
    layout: Layout
