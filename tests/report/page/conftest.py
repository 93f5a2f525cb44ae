"""A real browser for the pages: Debian's Chromium, or the one that HELDOUT_BROWSER names."""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """A browser without a screen; the tests that need one are skipped where there is none."""
    path = os.environ.get("HELDOUT_BROWSER") or next(filter(None, map(shutil.which, NAMES)), None)
    if path is None:
        pytest.skip("no Chromium is installed (Debian: apt-get install chromium-headless-shell)")
    playwright = pytest.importorskip("playwright.sync_api")
    with playwright.sync_playwright() as tool:
        started = tool.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield started
        started.close()
