"""What a page is made of: one file that loads nothing, holds no rows, and says how it was made."""

from __future__ import annotations

import json
import re
from base64 import b64decode, b64encode
from hashlib import sha256
from typing import TYPE_CHECKING

import numpy as np
import pytest

from heldout.cli.main import main
from heldout.report.page.axes import scales_of
from heldout.report.page.page import MOST_CUTS, Page, Thresholds, page_text
from heldout.report.page.svg import chart_figures
from heldout.report.plots.chart import Axis, Chart, Heat, Line, Panel, Single
from heldout.report.table import Column, Estimate, Table, Text
from heldout.tally.scores import ScoreCounts

if TYPE_CHECKING:
    from pathlib import Path


def test_page_is_bound_by_hashes_to_its_own_style_and_script() -> None:
    text = page_text(Page("A title", (Text("An answer"),)))
    for kind in ("style", "script"):
        (body,) = re.findall(f"<{kind}>(.*?)</{kind}>", text, re.DOTALL)
        digest = b64encode(sha256(body.encode()).digest()).decode()
        assert f"{kind}-src 'sha256-{digest}'" in text
    assert "default-src 'none'" in text
    assert not re.search(r"(src|href)=\"(?!#|data:)", text)


def test_cells_say_how_their_numbers_were_made() -> None:
    cell = Estimate(0.9, 0.8, 0.95, "both", n=50, level=0.95, method="Wilson")
    table = Table(
        "Measures", (Column("measure"), Column("value", "decimal")), (("Accuracy", cell),)
    )
    text = page_text(Page("A title", (table,)))
    assert 'title="n = 50; 95% interval: Wilson"' in text
    assert 'data-value="0.9"' in text


def test_slider_has_few_steps_however_many_scores_there_are() -> None:
    rng = np.random.default_rng(1)
    truth = rng.random(200_000) < 0.2
    counts = ScoreCounts.of(truth, rng.normal(size=200_000) + truth)
    page = Page("A title", (), thresholds=Thresholds("yes", "no", {"a": (counts, 0.5)}))
    text = page_text(page)
    (data,) = re.findall(r'id="threshold-data">(.*?)</script>', text)
    (model,) = json.loads(data)
    assert len(model["tp"]) <= MOST_CUTS + 3
    assert (model["tp"][0], model["fp"][0]) == (0, 0)
    assert (model["tp"][-1], model["fp"][-1]) == (truth.sum(), (~truth).sum())
    assert model["threshold"][model["start"]] >= 0.5
    steps = np.diff(np.array(model["tp"]) / truth.sum() + np.array(model["fp"]) / (~truth).sum())
    assert steps.max() < 0.01
    assert len(text) < 60_000


def test_downloads_are_the_results_in_full(tmp_path: Path) -> None:
    target = tmp_path / "page.html"
    assert main(["report", "example:spam", "--positive", "spam", "--output", str(target)]) == 0
    text = target.read_text(encoding="utf-8")
    (link,) = re.findall(r'download="results.json" href="data:[^,]*,([^"]*)"', text)
    record = json.loads(b64decode(link))
    assert record["call"]["command"] == "report"
    assert any(row["measure"] == "auc" for row in record["results"])
    assert "heldout report example:spam --positive spam" in text


def test_page_that_cannot_be_written_is_refused_before_anything_is_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    target = tmp_path / "no" / "page.html"
    assert main(["score", "example:spam", "--positive", "spam", "--report", str(target)]) == 2
    said = capsys.readouterr()
    assert str(target) in said.err
    assert not said.out


def test_axis_may_run_downwards_and_ticks_are_round() -> None:
    panel = Panel(x=Axis(low=0, high=1), y=Axis(low=3, high=0))
    panel.add(Line([0, 1], [0, 3]))
    x, y = scales_of(panel, (10, 20, 100, 60))
    assert (x.at(0), x.at(1)) == (10, 110)
    assert (y.at(0), y.at(3)) == (20, 80)
    assert x.labels == ("0.0", "0.2", "0.4", "0.6", "0.8", "1.0")


def test_lines_break_where_a_point_is_undefined() -> None:
    panel = Panel(x=Axis(low=0, high=3), y=Axis(low=0, high=1))
    panel.add(Line([0, 1, 2, 3], [0, np.nan, 1, 1]), "a <line>")
    text = chart_figures(Chart("Title", "", (panel,), Single()), "c")
    path = re.findall(r'<path d="(M[^"]*)" fill="none" stroke="var\(--ink\)"', text)[0]
    assert path.count("M") == 2
    assert "a &lt;line&gt;" in text


def test_better_cells_are_darker() -> None:
    cells = np.array([[0.1, 0.9]])
    shades = {}
    for is_up in (True, False):
        panel = Panel()
        panel.add(Heat(cells, "value", is_up, (0, 0), "#000000"))
        text = chart_figures(Chart("Title", "", (panel,), Single()), "c")
        shades[is_up] = [float(s) for s in re.findall(r'class="heat" fill-opacity="([^"]*)"', text)]
    assert shades[True] == [0.12, 0.9]
    assert shades[False] == [0.9, 0.12]


def test_report_is_printed_or_reduced_to_markdown(
    tmp_path: Path, browser: object, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["score", "example:spam", "--positive", "spam", "--quiet", "--report"]
    assert main([*command, str(tmp_path / "page.pdf")]) == 0
    assert (tmp_path / "page.pdf").read_bytes().startswith(b"%PDF")
    assert main([*command, str(tmp_path / "page.md")]) == 0
    assert "| Accuracy" in (tmp_path / "page.md").read_text(encoding="utf-8")
    capsys.readouterr()
    assert main([*command, str(tmp_path / "page.doc")]) == 2
    assert "end the name with .html" in capsys.readouterr().err


def test_pdf_without_a_browser_is_refused_in_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("HELDOUT_BROWSER", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    target = tmp_path / "page.pdf"
    assert main(["score", "example:spam", "--positive", "spam", "--report", str(target)]) == 2
    assert "none is installed" in capsys.readouterr().err
    assert not target.exists()
