"""What all tests share: Hypothesis profiles, a browser, the reference answers of other tools."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import HealthCheck, settings

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parent.parent
REFERENCE = ROOT.parent / "shared" / "reference"

#: Debian's Chromium and its kin; HELDOUT_BROWSER names another one
BROWSERS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")

# Deadlines measure the machine, and a busy one is no defect of heldout's.
common = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("dev", common, max_examples=25)
settings.register_profile("ci", common, max_examples=60, derandomize=True)
settings.register_profile("nightly", common, max_examples=5000)
settings.load_profile(
    os.environ.get("HYPOTHESIS_PROFILE") or ("ci" if os.environ.get("CI") else "dev")
)


#: the first state of each generator that a module of tests has
STATES: dict[int, Any] = {}


@pytest.fixture(autouse=True)
def fresh_generators(request: pytest.FixtureRequest) -> None:
    """Generators of a module start anew in each test, whose data then hang on no other test."""
    for value in vars(getattr(request.node, "module", object)).values():
        if isinstance(value, np.random.Generator):
            generator = value.bit_generator
            generator.state = STATES.setdefault(id(value), generator.state)


@pytest.fixture(scope="session")
def root() -> Path:
    """The folder of the repository."""
    return ROOT


@pytest.fixture(scope="session")
def reference() -> Path:
    """The folder of reference cases; without it the test is skipped and says so."""
    if not REFERENCE.is_dir():
        pytest.skip("no reference cases: the folder ../shared/reference is not there")
    return REFERENCE


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """A browser without a screen; the tests that need one are skipped where there is none."""
    path = os.environ.get("HELDOUT_BROWSER") or next(
        filter(None, map(shutil.which, BROWSERS)), None
    )
    if path is None:
        pytest.skip("no Chromium is installed (Debian: apt-get install chromium-headless-shell)")
    playwright = pytest.importorskip("playwright.sync_api")
    with playwright.sync_playwright() as tool:
        started = tool.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield started
        started.close()
