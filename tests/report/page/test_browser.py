"""Pages in a real browser: nothing fails or is fetched, and everything can be reached."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import heldout
from tests.report.page.pages import GRAVE, HOSTILE, opened, report_of, shown, write_binary

if TYPE_CHECKING:
    from pathlib import Path


def test_measures_are_picked_in_rows_and_in_columns(tmp_path: Path, browser: Any) -> None:
    fitted = ("evaluate", "iris", "--models", "nb,lda", "--procedure", "3-fold", "--no-store")
    for command in (("score", "example:models", "--positive", "spam"), fitted):
        with opened(browser, report_of(tmp_path, *command)) as page:
            page.click("text=Choose measures")
            before = page.inner_text("#results table")
            page.uncheck('.pick input[value="accuracy"]')
            after = page.inner_text("#results table")
            assert "Accuracy ↑" in before
            assert "Accuracy ↑" not in after
            assert len(after.split("\n")) <= len(before.split("\n"))
            page.check('.pick input[value="accuracy"]')
            assert page.inner_text("#results table") == before


def test_folds_and_slices_are_drawn_with_the_counts_of_each_fold(
    tmp_path: Path, browser: Any
) -> None:
    command = ("score", "example:spam", "--positive", "spam", "--by", "country")
    rows = np.genfromtxt(heldout.example("spam"), str, delimiter=",", skip_header=1)
    own = rows[rows[:, 3] == "2"]
    with opened(browser, report_of(tmp_path, *command)) as page:
        page.click("text=Each fold")
        figure = page.locator("#confusion figure").nth(1)
        assert figure.locator("figcaption").inner_text() == "fold 2"
        cells = [int(text) for text in figure.locator("td").all_inner_texts()]
        pairs = [(t, p) for t in ("ham", "spam") for p in ("ham", "spam")]
        assert cells == [int(((own[:, 4] == t) & (own[:, 5] == p)).sum()) for t, p in pairs]
        slices = page.locator("#chart-slices-accuracy svg").first.inner_html()
        for country in np.unique(rows[:, 2]):
            assert f"country={country} (n = {(rows[:, 2] == country).sum()})" in slices
        # five folds, each a dot behind the value
        dots = page.locator('#chart-folds figure path[stroke-linecap="round"]').first
        assert dots.get_attribute("d").count("M") == 5


def test_keyboard_alone_moves_threshold_and_sorts(tmp_path: Path, browser: Any) -> None:
    data = tmp_path / "a.csv"
    write_binary(data)
    target = report_of(tmp_path, "score", str(data), "--positive", "yes")
    with opened(browser, target) as page:
        before = shown(page, "threshold")
        page.focus('input[name="cut"]')
        page.keyboard.press("ArrowRight")
        assert shown(page, "threshold") != before
        head = page.locator("table.sortable thead th button").nth(2)
        head.focus()
        page.keyboard.press("Enter")
        assert page.locator("th[aria-sort]").count() == 1


@pytest.mark.parametrize("label", HOSTILE, ids=["image", "script", "emoji", "hebrew", "long"])
def test_hostile_labels_are_shown_as_text(tmp_path: Path, browser: Any, label: str) -> None:
    data = tmp_path / "a.csv"
    write_binary(data, rows=60, label=label)
    target = report_of(tmp_path, "score", str(data), "--positive", label)
    with opened(browser, target) as page:
        assert label in page.inner_text("body")


def test_without_scripts_everything_but_interaction_is_there(tmp_path: Path, browser: Any) -> None:
    data = tmp_path / "a.csv"
    write_binary(data)
    target = report_of(tmp_path, "score", str(data), "--positive", "yes")
    with opened(browser, target, java_script_enabled=False) as page:
        assert page.locator("figure.panel svg").count() >= 5
        assert "Area under the ROC curve" in page.inner_text("main")
        assert page.locator("#threshold-tool svg").first.is_visible()
        assert not page.locator(".bar").is_visible()
        assert "Methods" in page.inner_text("#results")


def write_classes(path: Path, count: int, rows: int = 600, name: str = "class ") -> None:
    rng = np.random.default_rng(count)
    truth = rng.integers(0, count, rows)
    predicted = np.where(rng.random(rows) < 0.7, truth, rng.integers(0, count, rows))
    lines = [f"{name}{t:03d},{name}{p:03d}" for t, p in zip(truth, predicted, strict=True)]
    path.write_text("\n".join(["truth,predicted", *lines]) + "\n")


def write_sets(path: Path) -> None:
    rng = np.random.default_rng(5)
    lines = [
        f"set {i},{model},{0.7 + 0.02 * j + rng.normal() * 0.01:.4f}"
        for i in range(12)
        for j, model in enumerate(("a", "b", "c"))
    ]
    path.write_text("\n".join(["dataset,model,accuracy", *lines]) + "\n")


FITTED = ("--no-store", "--seed", "1")
PAGES = {
    "two models": ("score", "example:models", "--positive", "spam"),
    "three classes": ("score", "example:iris_predictions"),
    "10 classes": ("score", "ten.csv"),
    "100 classes": ("score", "hundred.csv"),
    "regression": ("score", "example:diabetes_predictions"),
    "matrix": (
        "score",
        "--matrix",
        "50,10;5,35",
        "--orientation",
        "truth-rows",
        "--positive",
        "first",
    ),
    "one class": ("score", "one.csv", "--positive", "yes", "--labels", "no,yes"),
    "slices": ("score", "example:spam", "--positive", "spam", "--by", "country"),
    "comparison": ("compare", "example:models", "--positive", "spam"),
    "data sets": (
        "compare",
        "sets.csv",
        "--datasets",
        "dataset",
        "--models",
        "model",
        "--value",
        "accuracy",
    ),
    "5x10-fold": ("evaluate", "wdbc", "--models", "nb,lda", "--procedure", "5x10-fold", *FITTED),
    "selection": ("select", "iris", "--model", "knn", "--grid", "n_neighbors=1,5", *FITTED),
    "audit": ("audit", "wdbc", "--target", "diagnosis"),
}


@pytest.mark.parametrize("name", PAGES)
def test_every_page_passes_an_audit_of_access_and_fits_a_phone_and_paper(
    tmp_path: Path, browser: Any, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright")
    monkeypatch.chdir(tmp_path)
    write_classes(tmp_path / "ten.csv", 10)
    write_classes(tmp_path / "hundred.csv", 100)
    write_sets(tmp_path / "sets.csv")
    write_binary(tmp_path / "one.csv", rows=30, share=1.0)
    target = report_of(tmp_path, *PAGES[name])
    assert target.stat().st_size < 300_000
    for scheme in ("light", "dark"):
        with opened(browser, target, color_scheme=scheme) as page:
            assert page.locator("h1").count() == 1
            page.evaluate("for (const d of document.querySelectorAll('details')) d.open = true")
            # the script that looks is not one that the page allows: it comes by the debugger
            found = axe.Axe().run(page).response["violations"]
            grave = [(v["id"], v["nodes"][0]["html"]) for v in found if v["impact"] in GRAVE]
            assert not grave
    with opened(browser, target, viewport={"width": 380, "height": 800}) as page:
        assert page.evaluate("document.documentElement.scrollWidth") <= 380
    # A4 between margins of a centimetre
    with opened(browser, target, viewport={"width": 718, "height": 1000}) as page:
        page.emulate_media(media="print")
        page.evaluate("dispatchEvent(new Event('beforeprint'))")
        assert page.evaluate("document.documentElement.scrollWidth") <= 718


@pytest.mark.parametrize("count", [12, 60])
def test_long_names_of_many_classes_are_whole_on_a_phone_and_on_paper(
    tmp_path: Path, browser: Any, count: int
) -> None:
    data = tmp_path / "a.csv"
    write_classes(data, count, rows=20 * count, name="dermatofibroma")
    target = report_of(tmp_path, "score", str(data))
    with opened(browser, target, viewport={"width": 380, "height": 800}) as page:
        assert page.evaluate("document.documentElement.scrollWidth") <= 380
        # words are not broken: what is too wide is scrolled
        names = page.locator(".matrix tbody th")
        assert max(names.nth(i).bounding_box()["height"] for i in range(count)) < 40
    with opened(browser, target, viewport={"width": 718, "height": 1000}) as page:
        page.emulate_media(media="print")
        assert page.evaluate("document.documentElement.scrollWidth") <= 718


def test_intervals_of_the_answer_are_in_sight_on_a_phone(tmp_path: Path, browser: Any) -> None:
    target = report_of(tmp_path, "score", "example:spam", "--positive", "spam")
    with opened(browser, target, viewport={"width": 380, "height": 800}) as page:
        drawings = page.locator("header .panels svg")
        boxes = [drawings.nth(i).bounding_box() for i in range(drawings.count())]
        assert len(boxes) == 3
        assert all(box["x"] + box["width"] <= 380 for box in boxes)


def test_marks_at_the_ends_of_an_axis_of_shares_are_whole(tmp_path: Path, browser: Any) -> None:
    # every alarm is true: the mark is at 100%
    target = report_of(tmp_path, "score", "example:models", "--positive", "spam")
    with opened(browser, target) as page:
        drawings = page.locator("header .panels svg")
        right = drawings.nth(1).evaluate(
            """svg => {
              const marks = [...svg.querySelectorAll("g[clip-path] *")].map((m) => m.getBBox());
              const clip = svg.querySelector("clipPath rect").getBBox();
              return clip.x + clip.width - Math.max(...marks.map((b) => b.x + b.width));
            }"""
        )
        assert right > 0.6  # half of the line around a mark


def test_notes_on_slices_with_long_names_fit_the_page(tmp_path: Path, browser: Any) -> None:
    data = tmp_path / "a.csv"
    lines = [f"{t},{s},{'x' * 300}" for t, s in (("yes", 1), ("no", 0), ("yes", 0.7)) * 20]
    data.write_text("\n".join(["truth,score,site", *lines]))
    target = report_of(tmp_path, "score", str(data), "--positive", "yes", "--by", "site")
    for width in (380, 1280):
        with opened(browser, target, viewport={"width": width, "height": 800}) as page:
            assert any("x" * 300 in text for text in page.locator(".notes").all_inner_texts())
            assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("width", [380, 1200])
def test_meaning_of_a_measure_is_there_on_hover_focus_and_tap(
    tmp_path: Path, browser: Any, width: int
) -> None:
    target = report_of(tmp_path, "score", "example:models", "--positive", "spam")
    view = {"width": width, "height": 800}
    with opened(browser, target, viewport=view, has_touch=True) as page:
        link = page.locator('a.what[href="#m-recall"]').first
        hint = page.locator("#hint")
        assert not hint.is_visible()
        for ask, leave in (
            (link.hover, lambda: page.mouse.move(0, 0)),
            (link.focus, lambda: page.keyboard.press("Escape")),
            (link.tap, lambda: page.keyboard.press("Escape")),
        ):
            ask()
            assert "TP / (TP + FN)" in hint.inner_text()
            assert "sensitivity" in hint.inner_text()
            box = hint.bounding_box()
            assert box is not None
            assert box["x"] >= 0
            assert box["x"] + box["width"] <= width
            leave()
            assert not hint.is_visible()


def test_cells_of_a_matrix_show_shares_and_turn(tmp_path: Path, browser: Any) -> None:
    target = report_of(tmp_path, *PAGES["matrix"])
    with opened(browser, target) as page:
        cells = page.locator("table.matrix td")
        known = {
            "count": ["50", "10", "5", "35"],
            "row": ["83.3%", "16.7%", "12.5%", "87.5%"],
            "column": ["90.9%", "22.2%", "9.1%", "77.8%"],
        }
        for way, texts in known.items():
            page.select_option("#cells", way)
            assert cells.all_inner_texts() == texts
        page.check("#turned")
        assert cells.all_inner_texts() == [known["column"][i] for i in (0, 2, 1, 3)]
        assert "rows: predicted" in page.inner_text("table.matrix caption")


def test_cells_of_a_matrix_show_what_they_cost_where_costs_are_known(
    tmp_path: Path, browser: Any
) -> None:
    command = ("score", "--matrix", "8,2,0;1,6,3;0,4,6", "--orientation", "truth-rows")
    target = report_of(tmp_path, *command, "--cost", "0,1,2;3,0,4;5,6,0")
    with opened(browser, target) as page:
        page.select_option("#cells", "worth")
        cells = page.locator("table.matrix td")
        assert cells.all_inner_texts() == ["0", "2", "0", "3", "0", "12", "0", "24", "0"]
        page.check("#turned")
        assert cells.all_inner_texts() == ["0", "3", "0", "2", "0", "24", "0", "12", "0"]


@pytest.mark.parametrize(("count", "is_first"), [(3, False), (30, True)])
def test_most_confused_pairs_come_first_of_many_classes(
    tmp_path: Path, browser: Any, count: int, is_first: bool
) -> None:
    data = tmp_path / "classes.csv"
    write_classes(data, count)
    with opened(browser, report_of(tmp_path, "score", str(data))) as page:
        tables = page.locator("#confusion table")
        captions = [tables.nth(i).locator("caption").inner_text() for i in range(2)]
        assert captions[0 if is_first else 1] == "Most frequent confusions"
        pairs = np.genfromtxt(data, str, delimiter=",", skip_header=1)
        names, counts = np.unique(pairs[pairs[:, 0] != pairs[:, 1]], axis=0, return_counts=True)
        cells = tables.nth(0 if is_first else 1).locator("tbody tr").first.locator("th, td")
        truth, predicted, rows, *_ = cells.all_inner_texts()
        assert int(rows) == counts.max()
        assert [truth, predicted] in names[counts == counts.max()].tolist()


def test_what_is_folded_away_is_printed(tmp_path: Path, browser: Any) -> None:
    target = report_of(tmp_path, "score", "example:spam", "--positive", "spam", "--by", "country")
    with opened(browser, target) as page:
        parts = page.locator("details.printed")
        assert not parts.first.evaluate("part => part.open")
        page.evaluate("dispatchEvent(new Event('beforeprint'))")
        assert all(parts.nth(i).evaluate("part => part.open") for i in range(parts.count()))
        page.emulate_media(media="print")
        assert not page.locator(".bar").is_visible()
        assert page.locator("#made pre").first.is_visible()


def test_numbers_methods_and_references_are_on_the_page(tmp_path: Path, browser: Any) -> None:
    target = report_of(tmp_path, "score", "example:spam", "--positive", "spam")
    card = heldout.score(heldout.example("spam"), positive="spam")
    with opened(browser, target) as page:
        words = page.locator("#made pre").nth(1).inner_text()
        assert f"heldout {heldout.__version__}" in words
        assert "Recall (sensitivity, true positive rate): Wilson on 105 rows" in words
        page.click("summary:text-is('References')")
        assert "Wilson (1927)" in page.inner_text("#made")
        page.click("summary:text-is('Every number')")
        rows = page.locator("#made table tbody tr")
        texts = [rows.nth(i).inner_text().split("\t") for i in range(rows.count())]
        assert any("recall" in r and f"{card['recall'].value:.6g}" in r for r in texts)
