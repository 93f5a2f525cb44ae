"""The page of the audit says what the register says."""

from __future__ import annotations

from pathlib import Path

from heldout.auditing.check import all_checks
from tools import build_docs


def test_page_is_what_make_docs_writes(root: Path) -> None:
    written = (root / "docs" / "audit.md").read_text(encoding="utf-8")
    assert written == build_docs.audit_page(written), "run `make docs`"
    assert [c.code for c in all_checks() if f"| `{c.code}` | {c.title} |" not in written] == []


def test_every_check_says_what_why_and_how_to_mend() -> None:
    for check in all_checks():
        for text in (check.why, check.fix, check.look.__doc__ or ""):
            assert text.strip().split("\n")[0].endswith("."), check.code
        assert not check.title.endswith(".")
