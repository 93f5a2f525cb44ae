"""The page of coverages: what can be computed again is what it says."""

from __future__ import annotations

from pathlib import Path

import pytest

from heldout.uncertainty.interval import Interval, absent
from tools.coverage.__main__ import INTRODUCTION, SECTIONS, sections_of, titles
from tools.coverage.cells import Tally, shown, table
from tools.coverage.shares import share_section


def test_page_has_the_exact_coverage_of_shares_and_the_command(root: Path) -> None:
    page = (root / "docs" / "coverage.md").read_text(encoding="utf-8")
    assert share_section() in page, "run `python -m tools.coverage`"
    assert "`python -m tools.coverage`" in page


def test_tally_counts_hits_widths_and_samples_without_an_interval() -> None:
    tally = Tally()
    tally.add("x", Interval(0.0, 1.0, 0.95, ""), 0.5)
    tally.add("x", Interval(0.0, 0.4, 0.95, ""), 0.5)
    tally.add("x", absent("none", level=0.95), 0.5)
    tally.add("y", absent("none", level=0.95), 0.5)
    assert tally.text("x") == "**50.0** / 0.700 (67 %)"
    assert tally.text("y") == "none"
    assert tally.text("z") == ""
    assert shown(0.95, 0.1) == "95.0 / 0.100"


def test_table_is_markdown() -> None:
    assert table(["a", "b"], [["1", "2"]]) == "| a | b |\n|---|---|\n| 1 | 2 |\n"


def test_sections_can_be_made_anew_one_by_one(root: Path) -> None:
    page = (root / "docs" / "coverage.md").read_text(encoding="utf-8")
    standing = sections_of(page)
    assert list(standing) == list(SECTIONS)
    assert "\n".join([INTRODUCTION, *standing.values()]) == page
    assert titles(["calibration e", "Rows in"]) == ["Calibration errors", "Rows in groups"]
    assert titles([]) == list(SECTIONS)
    with pytest.raises(SystemExit, match="no section starts with 'x'"):
        titles(["x"])
