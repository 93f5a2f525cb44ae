"""A document as LaTeX tables in the style of booktabs."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from heldout.report.layout import Grid, lay_out

if TYPE_CHECKING:
    from heldout.report.table import Document

SPECIAL = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "_": r"\_",
    "%": r"\%",
    "&": r"\&",
    "$": r"\$",
    "#": r"\#",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    "↑": r"$\uparrow$",
    "↓": r"$\downarrow$",
    "→": r"$\rightarrow$",
    "…": r"\dots{}",
}
NEGATIVE = re.compile(r"-[\d,.]+(?:e-?\d+)?")
#: both limits of an interval, of which either may be below 0
LIMITS = re.compile(r"\[(\S+), (\S+)\]")
#: characters of prose that still stand in one line, and how wide the box of longer prose is
PROSE, BOX = 40, r"0.4\textwidth"
#: a table with more rows runs over pages
PAGE = 40

HEAD = "% needs \\usepackage{booktabs}, \\usepackage{longtable} and \\usepackage[T1]{fontenc}\n"


def latex_text(document: Document, **how: Any) -> str:
    """The document as paragraphs and tables; ``how``: see ``lay_out``."""
    blocks = lay_out(document, **how)
    parts = [_grid(b) if isinstance(b, Grid) else f"\\noindent {escape(b.text)}" for b in blocks]
    return HEAD + "\n\n".join(parts) + "\n"


def escape(text: str) -> str:
    r"""The text with every character that LaTeX could take for its own escaped.

    Examples
    --------
    >>> print(escape("f_score 50% {a}"))
    f\_score 50\% \{a\}
    """
    return "".join(SPECIAL.get(c, c) for c in " ".join(text.splitlines()))


def _grid(grid: Grid) -> str:
    columns = "".join(_letter(grid, index) for index in range(len(grid.columns)))
    is_long = len(grid.rows) > PAGE
    caption = f"\\caption{{{escape(grid.title)}}}" if grid.title else ""
    body = _rows(grid)
    notes = [f"\n\n{{\\footnotesize {escape(note)}}}" for note in grid.notes]
    titles = " & ".join(escape(column.title) for column in grid.columns)
    head = ["\\toprule", rf"{titles} \\", "\\midrule"]
    if is_long:
        lines = [f"\\begin{{longtable}}{{{columns}}}"]
        lines += [f"{caption} \\\\"] if caption else []
        lines += [*head, "\\endhead", *body, "\\bottomrule", "\\end{longtable}"]
        return "\n".join(lines) + "".join(notes)
    lines = ["\\begin{table}[htbp]", "\\centering"]
    lines += [caption] if caption else []
    lines += [f"\\begin{{tabular}}{{{columns}}}", *head, *body, "\\bottomrule", "\\end{tabular}"]
    return "\n".join(lines) + "".join(notes) + "\n\\end{table}"


def _letter(grid: Grid, index: int) -> str:
    """How a column is set; prose that would run over the edge of the page in a box of its own."""
    column = grid.columns[index]
    longest = max((len(row[index]) for row in grid.rows), default=0)
    if column.align == "left" and column.excess == "wrap" and longest > PROSE:
        return f"p{{{BOX}}}"
    return "l" if column.align == "left" else "r"


def _rows(grid: Grid) -> list[str]:
    lines = []
    for number, row in enumerate(grid.rows):
        if number in grid.sections:
            lines += ["\\midrule"] if number else []
            if title := grid.sections[number]:
                lines.append(f"\\multicolumn{{{len(row)}}}{{l}}{{\\emph{{{escape(title)}}}}} \\\\")
        # braces keep a cell that starts with a bracket from being read as an option of \\
        cells = [f"{{{_cell(row[0])}}}" if row[0].startswith(("[", "*")) else _cell(row[0])]
        lines.append(" & ".join([*cells, *map(_cell, row[1:])]) + r" \\")
    return lines


def _cell(cell: str) -> str:
    if limits := LIMITS.fullmatch(cell):
        return f"[{_cell(limits[1])}, {_cell(limits[2])}]"
    return f"${cell}$" if NEGATIVE.fullmatch(cell) else escape(cell)
