"""What a page is made of: one file that loads nothing, holds no rows, and says how it was made."""

from __future__ import annotations

import json
import re
from base64 import b64encode
from hashlib import sha256
from html import unescape
from typing import TYPE_CHECKING

import numpy as np
import pytest

import heldout
from heldout.cli.main import main
from heldout.report.page.axes import scales_of
from heldout.report.page.page import Page, page_text
from heldout.report.page.svg import chart_figures
from heldout.report.page.threshold import MOST_CUTS, Thresholds
from heldout.report.plots.chart import Axis, Chart, Entry, Heat, Layout, Line, Panel
from heldout.report.table import Column, Estimate, Table, Text
from heldout.tally.scores import ScoreCounts
from tests.report.page.pages import downloaded, header_of

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
    record = json.loads(downloaded("results.json", text))
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
    text = chart_figures(Chart("Title", "", (panel,), Layout((6.4, 3.6))), "c")
    path = re.findall(r'<path d="(M[^"]*)" fill="none" stroke="var\(--ink\)"', text)[0]
    assert path.count("M") == 2
    assert "a &lt;line&gt;" in text


def test_better_cells_are_darker() -> None:
    cells = np.array([[0.1, 0.9]])
    shades = {}
    for is_up in (True, False):
        panel = Panel()
        panel.add(Heat(cells, "value", is_up, (0, 0), "#000000"))
        text = chart_figures(Chart("Title", "", (panel,), Layout((6.4, 3.6))), "c")
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


def test_markdown_says_what_the_page_says(tmp_path: Path) -> None:
    command = ["score", "example:spam", "--positive", "spam", "--quiet", "--report"]
    for name in ("page.html", "page.md"):
        assert main([*command, str(tmp_path / name)]) == 0
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    text = (tmp_path / "page.md").read_text(encoding="utf-8")
    heads = set(re.findall(r"<h2>(.*?)</h2>", page)) - {"Threshold", "Confusion matrix"}
    assert heads == set(re.findall(r"^## (.*)$", text, re.MULTILINE))
    assert "The model finds 71.4%" in text
    assert "Confusion matrix" in text
    assert "    heldout score example:spam --positive spam" in text
    for chart in re.findall(r"<h3>(.*?)</h3>", page):
        assert f"### {unescape(chart)}" in text


def test_references_of_what_was_used_are_bibtex(tmp_path: Path) -> None:
    target = tmp_path / "page.html"
    known = {"score example:spam": "Wilson (1927)", "compare example:models": "McNemar"}
    for command, reference in known.items():
        words = [*command.split(), "--positive", "spam", "--quiet", "--report", str(target)]
        assert main(words) == 0
        text = target.read_text(encoding="utf-8")
        entries = downloaded("references.bib", text)
        assert reference in entries
        assert entries.count("@misc{") == len(entries.splitlines())


def test_notebook_gets_text_markdown_and_html_with_a_chart_and_no_script() -> None:
    card = heldout.score(["a", "b", "a", "b"] * 9, y_score=[0.1, 0.8, 0.6, 0.4] * 9, pos_label="b")
    bundle = card._repr_mimebundle_()
    assert bundle["text/plain"] == repr(card)
    assert "| Accuracy" in bundle["text/markdown"]
    html = bundle["text/html"]
    assert html.startswith(card._repr_html_())
    assert "<svg" in html
    assert "<script" not in html
    assert not re.search(r"(src|href)=", html)
    # only what stands in the chart itself is styled
    (style,) = re.findall(r"<style>(.*?)</style>", html, re.DOTALL)
    assert style.startswith(".heldout-chart{")
    assert ":root" not in style


def test_pdf_without_a_browser_is_refused_in_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("HELDOUT_BROWSER", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    target = tmp_path / "page.pdf"
    assert main(["score", "example:spam", "--positive", "spam", "--report", str(target)]) == 2
    assert "none is installed" in capsys.readouterr().err
    assert not target.exists()


def test_few_warnings_stand_first_and_the_rest_is_counted() -> None:
    text = page_text(Page("A title", (), warnings=[f"warning {i}" for i in range(30)]))
    assert text.count('class="warning"') == 6
    assert "25 more are listed under Audit." in text


def test_page_of_a_single_row_is_written(tmp_path: Path) -> None:
    data, target = tmp_path / "one row.csv", tmp_path / "page.html"
    data.write_text("truth,score\nyes,0.5\n")
    command = ["score", str(data), "--positive", "yes", "--labels", "no,yes", "--quiet"]
    assert main([*command, "--report", str(target)]) == 0
    assert "The model finds 100.0%" in target.read_text(encoding="utf-8")


def test_large_page_says_why() -> None:
    long = Table("Many", (Column("name"),), tuple((f"row {i} {'x' * 300}",) for i in range(11_000)))
    text = page_text(Page("A title", (long,)))
    assert re.search(r"It is large: [3-9]\.\d MB of it are 'Results'".replace("'", "&#39;"), text)
    assert "It is large" not in page_text(Page("A title", ()))


def test_thresholds_are_short_and_part_the_same_rows() -> None:
    from heldout.report.page.threshold import threshold_data

    rng = np.random.default_rng(7)
    for scale in (1e-12, 1.0, 1e9):
        truth, score = rng.random(3000) < 0.4, rng.normal(size=3000) * scale
        counts = ScoreCounts.of(truth, score)
        text = threshold_data(Thresholds("yes", "no", {"a": (counts, None)}))
        (model,) = json.loads(text)
        for threshold, tp, fp in zip(model["threshold"], model["tp"], model["fp"], strict=True):
            called = np.zeros(3000, bool) if threshold is None else score >= threshold
            assert (tp, fp) == (np.sum(called & truth), np.sum(called & ~truth))
        lengths = [len(repr(t)) for t in model["threshold"][1:]]
        assert np.mean(lengths) < 13


def test_few_models_stand_beside_each_other_and_many_below(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    for count in (2, 12):
        truth = rng.integers(0, 2, 40)
        lines = [f"m{m:02d},{t},{rng.random():.3f}" for m in range(count) for t in truth]
        data, target = tmp_path / "a.csv", tmp_path / "page.html"
        data.write_text("\n".join(["model,truth,score", *lines]))
        command = ["score", str(data), "--model", "model", "--quiet", "--report", str(target)]
        assert main(command) == 0
        page = target.read_text(encoding="utf-8")
        head = re.search(r"<caption>Measures by model</caption><thead>(.*?)</thead>", page)
        assert head is not None
        assert ("m01" in head[1]) == (count == 2)


def test_a_thousand_classes_take_no_more_than_their_table(tmp_path: Path) -> None:
    """No interval is made for a page that the table does not show."""
    rng = np.random.default_rng(1)
    truth = rng.integers(0, 1000, 5000)
    predicted = np.where(rng.random(5000) < 0.8, truth, (truth + 1) % 1000)
    data = tmp_path / "many.csv"
    pairs = zip(truth.tolist(), predicted.tolist(), strict=True)
    data.write_text("\n".join(["truth,predicted", *(f"c{t},c{p}" for t, p in pairs)]))
    header = header_of(tmp_path, "score", str(data))
    assert "The model is right on" in header


def test_written_page_is_told_with_its_size(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    target = tmp_path / "page.html"
    assert main(["score", "example:spam", "--positive", "spam", "--report", str(target)]) == 0
    size = f"{target.stat().st_size / 1000:,.0f} KB"
    assert f"{target} is the page for people ({size})" in capsys.readouterr().err


def test_bars_of_scores_are_shares_of_each_class() -> None:
    rng = np.random.default_rng(9)
    truth, score = rng.random(500) < 0.3, np.append(rng.random(496), [0.0, 1.0, np.inf, -np.inf])
    (panel,) = heldout.score(truth, y_score=score).plot("scores", as_data=True).panels
    for bars, own in zip(panel.marks, (score[~truth], score[truth]), strict=False):
        counts, _ = np.histogram(own[np.isfinite(own)], len(bars.heights), (0, 1))
        assert bars.heights == pytest.approx(100 * counts / len(own))


def test_values_over_data_sets_need_not_be_of_a_measure(tmp_path: Path) -> None:
    rows = [f"set {i},{0.7 + i / 100},{0.72 + i / 90}" for i in range(8)]
    (tmp_path / "wide.csv").write_text("\n".join(["set,a,b", *rows]) + "\n")
    target = tmp_path / "page.html"
    call = ["compare", str(tmp_path / "wide.csv"), "--datasets", "set", "--report", str(target)]
    assert main([*call, "--quiet"]) == 0
    assert "Differences were tested by: value: " in target.read_text()


def test_page_of_a_comparison_shows_the_intervals_that_score_gives(tmp_path: Path) -> None:
    target = tmp_path / "page.html"
    main(["compare", "example:models", "--positive", "spam", "--quiet", "--report", str(target)])
    models = unescape(target.read_text("utf-8")).split("<caption>Models")[1].split("</table>")[0]
    card = heldout.score("example:models", pos_label="spam")
    for own in map(card.only, card.models):
        result = own["accuracy"]
        assert f"[{result.low:.3f}, {result.high:.3f}]" in models


def test_page_says_once_what_all_panels_of_a_chart_mean() -> None:
    mark = Line([0, 1], [0, 1])
    same = [Panel("a", marks=[mark], legend=[Entry(mark, "chance")]) for _ in range(3)]
    assert chart_figures(Chart("t", "", tuple(same), Layout((2, 2))), "t").count("chance") == 1
    other = Panel("b", marks=[mark], legend=[Entry(mark, "hull")])
    text = chart_figures(Chart("t", "", (*same, other), Layout((2, 2))), "t")
    assert (text.count("chance"), text.count("hull")) == (3, 1)
