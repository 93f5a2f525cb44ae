"""SciPy's special functions: its own, loaded without the package around them."""

from __future__ import annotations

import subprocess
import sys

import scipy.special

from heldout.core import special


def test_functions_are_those_of_scipy() -> None:
    assert all(getattr(special, name) is getattr(scipy.special, name) for name in special.__all__)


def test_they_are_loaded_alone_and_the_package_can_follow() -> None:
    code = (
        "import sys; from heldout.core.special import betaincinv; "
        "print('scipy.special' in sys.modules); import scipy.special; "
        "print(scipy.special.betaincinv is betaincinv, scipy.special.logsumexp([0.0]))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout.splitlines() == ["False", "True 0.0"], done.stderr
