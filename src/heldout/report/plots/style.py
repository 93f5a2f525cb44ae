"""How charts look: colours that colour-blind eyes, and line styles that print, tell apart."""

from __future__ import annotations

import os
import warnings
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from heldout.core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = [
    "GREY",
    "LIGHT",
    "Look",
    "MOST_SERIES",
    "OKABE_ITO",
    "look_of",
    "shortened",
    "styled",
]

#: Okabe & Ito (2008), without their yellow, which is lost on white
OKABE_ITO = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
#: solid, then patterns as unlike each other as a line can carry
LINE_STYLES: tuple[Any, ...] = (
    "-",
    (0, (5, 1.6)),
    (0, (1.2, 1.2)),
    (0, (6, 1.6, 1.2, 1.6)),
    (0, (3, 1.2, 1.2, 1.2, 1.2, 1.2)),
)
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
GREY = "#666666"
LIGHT = "#BBBBBB"
#: more lines on one chart cannot be told apart
MOST_SERIES = 10

#: comes with matplotlib, so a chart looks the same everywhere
FONT = "DejaVu Sans"
#: for what it lacks
OTHER_FONTS = (
    "Noto Sans CJK SC",
    "Noto Sans CJK JP",
    "Microsoft YaHei",
    "Hiragino Sans",
    "WenQuanYi Micro Hei",
    "Noto Sans Devanagari",
    "Noto Sans Thai",
)

SETTINGS: dict[str, Any] = {
    "font.size": 9.0,
    "axes.titlesize": 11.0,
    "axes.labelsize": 9.5,
    "axes.linewidth": 0.8,
    "axes.edgecolor": "#333333",
    "axes.labelcolor": "#111111",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "axes.formatter.use_mathtext": False,
    "axes.unicode_minus": True,
    "grid.color": "#E6E6E6",
    "grid.linewidth": 0.6,
    "lines.linewidth": 1.7,
    "lines.solid_joinstyle": "miter",
    "lines.dash_capstyle": "butt",
    "xtick.labelsize": 8.5,
    "ytick.labelsize": 8.5,
    "xtick.color": "#333333",
    "ytick.color": "#333333",
    "legend.fontsize": 8.5,
    "legend.frameon": False,
    "legend.handlelength": 3.4,
    "figure.facecolor": "white",
    "figure.dpi": 100.0,
    "savefig.facecolor": "white",
    "savefig.dpi": 200.0,
    # letters as outlines: a chart looks the same where its font is not installed
    "svg.fonttype": "path",
    "svg.hashsalt": "heldout",
    "pdf.fonttype": 42,
    "path.simplify": False,
    # a dollar sign in a name starts no formula
    "text.parse_math": False,
    "text.usetex": False,
}


@dataclass(frozen=True, slots=True)
class Look:
    """The colour, line style and marker of one series."""

    colour: str
    line: Any
    marker: str


def look_of(number: int) -> Look:
    """The look of the series of a number: no two of the first 35 share colour and line style.

    Examples
    --------
    >>> look_of(0).colour, look_of(7).colour, look_of(0).line == look_of(7).line
    ('#0072B2', '#0072B2', False)
    """
    return Look(
        OKABE_ITO[number % len(OKABE_ITO)],
        LINE_STYLES[number % len(LINE_STYLES)],
        MARKERS[number % len(MARKERS)],
    )


@contextmanager
def styled() -> Iterator[None]:
    """The settings of matplotlib while a chart is made or saved; the user's own come back after.

    Names in a script that the font lacks are drawn in another where one is installed, and
    else as boxes, which their reader can see: no warning is needed.
    """
    try:
        import matplotlib
    except ValueError as error:  # of what the environment asks for
        backend = os.environ.get("MPLBACKEND")
        raise InputError(f"MPLBACKEND: matplotlib has no backend {backend!r}; unset it") from error
    from matplotlib.font_manager import get_font_names

    installed = set(get_font_names())
    fonts = [FONT, *(name for name in OTHER_FONTS if name in installed)]
    settings: Any = {**SETTINGS, "font.family": fonts}
    with matplotlib.rc_context(settings), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*missing from font")
        yield


def shortened(text: str, most: int) -> str:
    """Text of at most so many characters, cut in its midst.

    Examples
    --------
    >>> shortened("predictions_of_march.csv", 13)
    'predic…ch.csv'
    """
    if len(text) <= most:
        return text
    end = (most - 1) // 2
    return f"{text[: most - 1 - end]}…{text[-end:]}"
