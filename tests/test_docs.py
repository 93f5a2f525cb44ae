"""The reference page of the measures says what the registry says."""

from __future__ import annotations

from pathlib import Path

from heldout.measures.spec import measures
from tools import build_docs


def test_reference_page_is_what_make_docs_writes(root: Path) -> None:
    written = (root / "docs" / "measures.md").read_text(encoding="utf-8")
    assert written == build_docs.page(measures()), "run `make docs`"


def test_reference_page_has_a_section_for_every_measure() -> None:
    page = build_docs.page(measures())
    assert [m.name for m in measures() if f"\n### `{m.name}`: {m.title}\n" not in page] == []
