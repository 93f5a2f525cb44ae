"""The table of tests: the first that holds is taken, and every other has a reason."""

from __future__ import annotations

from typing import Any, get_args

import pytest

from heldout.comparison.compare import compare
from heldout.comparison.design import ComparisonDesign, Kind
from heldout.comparison.methods import METHODS, admit
from heldout.core.errors import InputError
from tests.comparison.test_laws import PAIRS

KINDS = get_args(Kind)


def design(kind: Any, *, is_cut: bool = False) -> ComparisonDesign:
    return ComparisonDesign(kind, 100, 5, 2, groups=10 * is_cut, cuts_groups=is_cut)


@pytest.mark.parametrize("name", METHODS)
def test_a_test_holds_for_a_design_or_says_why_not(name: str) -> None:
    method = METHODS[name]
    assert all((method.title, method.reference, method.judges))
    for kind in KINDS:
        for is_cut in (False, True):
            known = design(kind, is_cut=is_cut)
            reasons = method.missing(known), method.why_invalid(None, known)
            assert method.holds_for(known) != any(reasons)
            if method.holds_for(known):
                assert not admit(name, known).is_forced
            else:
                with pytest.raises(InputError, match="is not admissible"):
                    admit(name, known)


def test_every_design_has_a_test() -> None:
    for kind in KINDS:
        assert any(method.holds_for(design(kind)) for method in METHODS.values())


@pytest.mark.parametrize(
    ("pair", "measure", "test"),
    [
        ("binary", "accuracy", "mcnemar-midp"),
        ("binary", "recall", "mcnemar-midp"),
        ("binary", "auc", "delong"),
        ("binary", "log_loss", "loss-t"),
        ("binary", "precision", "delta"),
        ("numbers", "median_absolute_error", "bootstrap"),
        ("groups", "accuracy", "loss-t"),
        ("weights", "accuracy", "loss-t"),
        ("folds", "accuracy", "corrected-t"),
        ("repeats", "auc", "corrected-t"),
        ("5x2", "accuracy", "5x2-f"),
    ],
)
def test_the_first_test_that_holds_is_the_default(pair: str, measure: str, test: str) -> None:
    made = compare(*PAIRS[pair], measures=measure, replicates=100, permutations=100)
    assert made[measure].test.name == test
    method = METHODS[test]
    assert f"significant means that {method.judges} ({method.reference})" in made.explanation
