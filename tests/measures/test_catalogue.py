"""The catalogue of all measures."""

from __future__ import annotations

import subprocess
import sys

from heldout.measures.registry import measures


def test_the_order_does_not_depend_on_what_was_imported_before() -> None:
    code = (
        "import heldout.measures.calibration_tests, heldout.measures.confusion\n"
        "from heldout.measures.registry import measures\n"
        "print(*(m.name for m in measures()))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == [m.name for m in measures()]
