"""The page of coverages: what can be computed again is what it says."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools.coverage.__main__ import INTRODUCTION, SECTIONS, sections_of, titles
from tools.coverage.cells import Tally, shown, table
from tools.coverage.defaults import below_floor, covered
from tools.coverage.processes import JUDGING, TUNING, Process
from tools.coverage.shares import share_section


def test_page_has_the_exact_coverage_of_shares_and_the_command(root: Path) -> None:
    page = (root / "docs" / "coverage.md").read_text(encoding="utf-8")
    assert share_section() in page, "run `python -m tools.coverage`"
    assert "`python -m tools.coverage`" in page


def test_tally_counts_hits_widths_and_samples_without_an_interval() -> None:
    tally = Tally()
    tally.add("x", (0.0, 1.0), 0.5)
    tally.add("x", (0.0, 0.4), 0.5)
    tally.add("x", None, 0.5)
    tally.add("y", None, 0.5)
    assert tally.text("x") == "**50.0** / 0.700 (67%)"
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
    assert titles(["after", "Sh"]) == ["After cross-validation", "Shares"]
    assert titles([]) == list(SECTIONS)
    with pytest.raises(SystemExit, match="no section starts with 'x'"):
        titles(["x"])


def test_floor_sees_intervals_that_are_too_narrow() -> None:
    # limits of level 0.5 cover half of the time, which the floor of 0.9 must notice
    process = TUNING[2]
    low = below_floor([process], 60, level=0.5, interval="wald")
    assert "accuracy" in {cell.measure for cell in low}
    assert not below_floor([process], 60, level=0.999)


def test_both_sets_are_of_processes_with_names_of_their_own() -> None:
    names = [process.name for process in (*TUNING, *JUDGING)]
    assert len(set(names)) == len(names)


@pytest.mark.parametrize("process", [*TUNING, *JUDGING], ids=lambda process: process.name)
def test_every_process_can_be_scored(process: Process, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tools.coverage.defaults.LARGE", 5_000)
    cells = covered(process, 2)
    assert any(cell.intervals for cell in cells)
    assert all(cell.samples == 2 for cell in cells)
