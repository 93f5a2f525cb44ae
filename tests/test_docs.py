"""The reference page of the measures says what the registry says."""

from __future__ import annotations

import re
from pathlib import Path

from heldout.cli.compare import EPILOG
from heldout.comparison.methods import METHODS
from heldout.measures.registry import measures
from tools import build_docs


def test_reference_page_is_what_make_docs_writes(root: Path) -> None:
    written = (root / "docs" / "measures.md").read_text(encoding="utf-8")
    assert written == build_docs.page(measures()), "run `make docs`"


def test_reference_page_has_a_section_for_every_measure() -> None:
    page = build_docs.page(measures())
    assert [m.name for m in measures() if f"\n### `{m.name}`: {m.title}\n" not in page] == []


def test_tests_of_the_page_on_comparisons_are_those_of_the_table(root: Path) -> None:
    written = (root / "docs" / "compare.md").read_text(encoding="utf-8")
    assert written == build_docs.compare_page(written), "run `make docs`"


def test_help_of_compare_names_every_test_that_holds_for_a_design() -> None:
    named = set(re.findall(r"[\w-]+", EPILOG.split("(--test):")[1]))
    assert {name for name, method in METHODS.items() if method.designs} <= named


def test_options_are_code(root: Path) -> None:
    """Else a site makes one dash of the two, and who copies the option is refused."""
    for page in (root / "docs").rglob("*.md"):
        prose = re.sub(
            r"```.*?```|<!--.*?-->", "", page.read_text(encoding="utf-8"), flags=re.DOTALL
        )
        prose = re.sub(r"(`+).+?\1", "", prose, flags=re.DOTALL)
        assert re.findall(r"(?<![\w-])--[a-z]+", prose) == [], page.name
