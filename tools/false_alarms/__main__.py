"""Measure false alarms and power of the tests, and write docs/false_alarms.md.

``python -m tools.false_alarms`` takes some minutes on one core; ``--simulations 100`` is quicker
and prints the page instead of writing it.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from tools.false_alarms.apart import apart_section
from tools.false_alarms.cut_groups import cut_section
from tools.false_alarms.groups import group_section, unequal_section
from tools.false_alarms.rows import row_section, unlike_section
from tools.false_alarms.sets import set_section
from tools.false_alarms.slices import slice_section
from tools.false_alarms.splits import neighbour_section, split_section

if TYPE_CHECKING:
    from collections.abc import Sequence

TARGET = Path(__file__).resolve().parent.parent.parent / "docs" / "false_alarms.md"
#: of the whole page; a share near 5% then has a standard error of half a point
SIMULATIONS = 2000
INTRODUCTION = """\
# False alarms and power of the tests

How often a test at 5% finds a difference where there is none (it should be 5% or less), and how
often it finds one that is there, in per cent. Written by `python -m tools.false_alarms` (fixed
seeds, {simulations:,} simulations each, so that a rate near 5 has a standard error of {error:.1f}
points; tests on one test set have half as many, those of unlike models, of groups, of different
rows and of nearest neighbours a quarter, those of splits that cut groups and of slices an
eighth). Tests marked *refused* are those that `heldout compare` does not run for the design
unless forced.
"""


def page(simulations: int) -> str:
    """The whole page."""
    error = 100 * (0.05 * 0.95 / simulations) ** 0.5
    parts = [INTRODUCTION.format(simulations=simulations, error=error)]
    parts += row_section(max(simulations // 2, 20))
    parts += unlike_section(max(simulations // 4, 20))
    parts += group_section(max(simulations // 4, 20))
    parts += unequal_section(max(simulations // 4, 20))
    parts += apart_section(max(simulations // 4, 20))
    parts += split_section(simulations)
    parts += neighbour_section(max(simulations // 4, 20))
    parts += cut_section(max(simulations // 8, 10))
    parts += set_section(simulations)
    parts += slice_section(max(simulations // 8, 10))
    return "\n".join(parts).rstrip() + "\n"


def main(arguments: Sequence[str] | None = None) -> None:
    """Write the page, or print it where fewer simulations are asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--simulations", type=int, default=SIMULATIONS)
    parser.add_argument("--write", action="store_true", help="write even a smaller page")
    given = parser.parse_args(arguments)
    text = page(given.simulations)
    if given.write or given.simulations >= SIMULATIONS:
        TARGET.write_text(text, encoding="utf-8")
    else:
        print(text)


if __name__ == "__main__":
    main()
