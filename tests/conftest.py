"""What all tests share: Hypothesis profiles, and the reference answers of other tools."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

ROOT = Path(__file__).resolve().parent.parent
REFERENCE = ROOT.parent / "shared" / "reference"

# Deadlines measure the machine, and a busy one is no defect of heldout's.
common = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("dev", common, max_examples=25)
settings.register_profile("ci", common, max_examples=60, derandomize=True)
settings.register_profile("nightly", common, max_examples=5000)
settings.load_profile(
    os.environ.get("HYPOTHESIS_PROFILE") or ("ci" if os.environ.get("CI") else "dev")
)


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
