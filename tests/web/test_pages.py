"""The served pages in a real browser: files and roles, the report, runs, progress, errors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.report.page.pages import GRAVE, HOSTILE, watched, write_binary
from tests.web.serving import Server, served

if TYPE_CHECKING:
    from pathlib import Path


def visited(browser: Any, server: Server, **settings: Any) -> Any:
    """The first page of a server."""
    return watched(browser, server.address, (server.origin, "data:"), **settings)


def upload(page: Any, *paths: Path) -> None:
    page.set_input_files("input[type=file]", [str(path) for path in paths])
    page.click("form.drop button")


def submit(page: Any, button: str) -> None:
    """Press a button that leads to another page, and wait until that page is there."""
    with page.expect_navigation():
        page.click(button)


def report_of(page: Any) -> Any:
    page.wait_for_selector("iframe", timeout=60_000)
    frame = page.frame_locator("iframe")
    frame.locator("h1").wait_for()
    return frame


def test_file_is_uploaded_corrected_and_judged(
    tmp_path: Path, browser: Any, server: Server
) -> None:
    data = tmp_path / "my model.csv"
    lines = [f"{'yn'[i % 2]},{(i * 7) % 10 / 10},{'yn'[i % 3 == 0]}" for i in range(60)]
    data.write_text("\n".join(["real,number,truth", *lines]))
    with visited(browser, server) as page:
        upload(page, data)
        assert "60 rows" in page.inner_text("#preview")
        # the guess is wrong, and without a positive class the browser asks for one
        assert page.locator("#predictions-truth option:checked").inner_text() == "truth"
        page.select_option("#predictions-truth", label="real")
        page.select_option("#predictions-predicted", label="truth")
        page.click("button[value=score]")
        assert page.locator("#predictions-positive:invalid").count() == 1
        page.fill("#predictions-positive", "q")
        submit(page, "button[value=score]")
        page.wait_for_selector("[role=alert]", timeout=60_000)
        assert "no such label" in page.inner_text("main")
        page.click("text=Change what the columns are")
        assert page.locator("#predictions-truth option:checked").inner_text() == "real"
        assert page.get_attribute("#predictions-positive", "list") == "levels-0"
        assert page.get_attribute("#predictions-positive", "placeholder") in ("y or n", "n or y")
        page.fill("#predictions-positive", "y")
        submit(page, "button[value=score]")
        frame = report_of(page)
        assert "of the y cases" in frame.locator("header").inner_text()
        call = frame.locator("#made pre").first.inner_text()
        assert call.startswith("heldout score my_model.csv")
        assert "--truth real" in call


def test_two_files_are_compared_and_the_slider_moves(
    tmp_path: Path, browser: Any, server: Server
) -> None:
    for i, name in enumerate("ab"):
        write_binary(tmp_path / f"{name}.csv", seed=i)
    write_binary(tmp_path / "b.csv")
    (tmp_path / "a.csv").write_text((tmp_path / "b.csv").read_text().replace(",0.", ",0.5"))
    with visited(browser, server) as page:
        upload(page, tmp_path / "a.csv", tmp_path / "b.csv")
        page.wait_for_selector("#predictions-positive")
        assert page.locator("#data").count() == 0
        page.fill("#predictions-positive", "yes")
        work = page.url
        submit(page, "button[value=compare]")
        assert "Is the difference real?" in report_of(page).locator("h1").inner_text()
        page.goto(work)
        submit(page, "button[value=score]")
        frame = report_of(page)
        before = frame.locator('[data-shows="tp"]').inner_text()
        frame.locator('input[name="cut"]').fill("0")
        assert frame.locator('[data-shows="tp"]').inner_text() != before
        with page.expect_download() as download:
            frame.locator("a[download='results.json']").click()
        assert download.value.suggested_filename == "results.json"


@pytest.mark.parametrize("text", HOSTILE[:4], ids=["image", "script", "emoji", "hebrew"])
def test_hostile_names_are_shown_as_text(
    tmp_path: Path, browser: Any, server: Server, text: str
) -> None:
    data = tmp_path / f"{text.replace('/', '')}.csv"
    write_binary(data, rows=60, label=text)
    content = data.read_text().replace("truth,score", f'truth,score,"{text}"')
    data.write_text(
        content.replace("\n", f',"{text}"\n').replace(f'"{text}","{text}"\n', f'"{text}"\n', 1)
    )
    with visited(browser, server) as page:
        upload(page, data)
        assert text in page.inner_text("#preview")
        page.fill("#predictions-positive", text)
        submit(page, "button[value=score]")
        assert text in report_of(page).locator("body").inner_text()


def test_evaluation_is_watched_stored_opened_and_compared(tmp_path: Path, browser: Any) -> None:
    with served(tmp_path) as server, visited(browser, server) as page:
        assert "holds no runs yet" in page.inner_text("#runs")
        page.check("input[value=wdbc]")
        submit(page, "form[action='/open'] button")
        page.check("input[name=models][value=nb]")
        page.fill("[name=other_models]", "forest[n_estimators=20]")
        page.fill("#data-procedure", "5x10-fold")
        submit(page, "button[value=evaluate]")
        page.wait_for_function(
            "() => /^[1-9]\\d* of 100/.test(document.querySelector('#job output')?.textContent)",
            timeout=60_000,
        )
        assert "forest" in report_of(page).locator("header").inner_text()
        for command, title in (("score", "How good"), ("compare", "Is the difference real?")):
            page.goto(server.origin)
            assert "5x10-fold" in page.inner_text("#runs")
            page.check("input[name=runs]")
            submit(page, f"button[value={command}]")
            assert title in report_of(page).locator("h1").inner_text()


def test_form_that_a_file_is_not_likely_for_is_folded_away(browser: Any, server: Server) -> None:
    with visited(browser, server) as page:
        page.check("input[value='example:models']")
        submit(page, "form[action='/open'] button")
        assert page.locator("button[value=score]").is_visible()
        assert not page.locator("button[value=evaluate]").is_visible()
        page.click("#data summary")
        assert page.locator("button[value=evaluate]").is_visible()


def test_evaluation_is_stopped(browser: Any, server: Server) -> None:
    with visited(browser, server) as page:
        page.check("input[value=digits]")
        submit(page, "form[action='/open'] button")
        page.check("input[name=models][value=boosting]")
        submit(page, "button[value=evaluate]")
        page.click("text=Stop")
        page.wait_for_selector("[role=alert]")
        assert "was stopped" in page.inner_text("main")


def test_wrong_files_are_refused_in_words(tmp_path: Path, browser: Any, server: Server) -> None:
    (tmp_path / "a.exe").write_bytes(b"MZ")
    (tmp_path / "b.parquet").write_bytes(b"truth,score\n1,0.5\n")
    (tmp_path / "c.csv").write_bytes(b"")
    (tmp_path / "e.parquet").write_bytes(b"PAR1" + bytes(8) + b"PAR1")
    (tmp_path / "d.csv").write_bytes(b"truth,score\n" + b"1,0.5\n" * 300_000)
    words = {
        "a.exe": "no table that heldout reads",
        "b.parquet": "is not a Parquet",
        "c.csv": "empty",
        "e.parquet": "e.parquet is damaged",
    }
    with visited(browser, server) as page:
        for name, why in words.items():
            page.goto(server.origin)
            upload(page, tmp_path / name)
            assert why in page.inner_text("[role=alert]")
            assert str(server.temporary) not in page.inner_text("[role=alert]")
        page.goto(server.origin)
        upload(page, tmp_path / "d.csv")
        assert "too large" in page.inner_text("[role=alert]")
        assert page.url.rstrip("/") == server.origin


def test_pages_work_without_scripts_and_on_phones(browser: Any, server: Server) -> None:
    narrow = {"width": 380, "height": 800}
    with visited(browser, server, java_script_enabled=False, viewport=narrow) as page:
        page.check("input[value='data/a.csv']")
        submit(page, "form[action='/open'] button")
        box = page.locator("body").bounding_box()
        assert box is not None
        assert box["width"] <= 380
        page.fill("#predictions-positive", "1")
        submit(page, "button[value=score]")
        for _ in range(100):
            if page.locator("iframe, [role=alert]").count():
                break
            page.wait_for_timeout(200)
            page.reload()
        # Playwright cannot look into a page that is both without scripts and on its own
        assert "of the class 1 cases" in page.request.get(f"{page.url}/report.html").text()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_audit_of_access_finds_nothing_grave(browser: Any, server: Server, scheme: str) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright")
    with visited(browser, server, color_scheme=scheme) as page:
        for step in ("home", "work", "job"):
            if step == "work":
                page.check("input[value='example:models']")
                submit(page, "form[action='/open'] button")
                page.evaluate("for (const d of document.querySelectorAll('details')) d.open = true")
            elif step == "job":
                page.fill("#predictions-positive", "spam")
                submit(page, "button[value=score]")
                report_of(page)
            violations = axe.Axe().run(page, options={"iframes": False}).response["violations"]
            assert not [
                (v["id"], v["nodes"][0]["html"]) for v in violations if v["impact"] in GRAVE
            ]
