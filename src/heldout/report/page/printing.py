"""A page printed as PDF by a browser that is installed."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory

from heldout.core.errors import InputError

#: what Chromium and its kin are called
BROWSERS = (
    "chromium",
    "chromium-browser",
    "chromium-headless-shell",
    "google-chrome",
    "google-chrome-stable",
    "microsoft-edge",
)
#: seconds until a browser that prints is given up
PATIENCE = 120


def browser_path() -> str:
    """The browser that prints, or an error where none is installed."""
    named = os.environ.get("HELDOUT_BROWSER")
    found = named or next(filter(None, map(shutil.which, BROWSERS)), None)
    if found is None:
        raise InputError(
            "a PDF is printed by Chromium or Chrome, and none is installed: install one, name one "
            "in the variable HELDOUT_BROWSER, or write .html and print it from any browser"
        )
    return found


def printed(page: str) -> bytes:
    """The page as PDF; nothing of it leaves this machine."""
    with TemporaryDirectory(prefix="heldout-") as folder:
        source, target = Path(folder) / "page.html", Path(folder) / "page.pdf"
        source.write_text(page, encoding="utf-8")
        command = [
            browser_path(),
            "--headless",
            "--disable-gpu",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--no-pdf-header-footer",
            f"--user-data-dir={folder}/profile",
            f"--print-to-pdf={target}",
            # containers and root have no sandbox to offer; the page is heldout's own
            "--no-sandbox",
            source.as_uri(),
        ]
        try:
            subprocess.run(command, check=True, capture_output=True, timeout=PATIENCE)  # noqa: S603  a browser of the user's
            return target.read_bytes()
        except (OSError, subprocess.SubprocessError) as error:
            raise InputError(f"{command[0]} could not print the page: {error}") from error
