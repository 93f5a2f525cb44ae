"""The page of differences from other tools says what is so, today, of the tools installed."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from math import isclose, isnan
from pathlib import Path
from typing import Any

import pytest

import karat
from karat.measures.spec import parse_request
from tests.measures.differences import REFUSES, Claim
from tests.measures.differences_of_choice import OTHERS, SCIKIT_LEARN

CLAIMS = [*SCIKIT_LEARN, *OTHERS]


def asked(question: Callable[[], Any]) -> float | str:
    """The answer as a number, or that the input is refused."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # scikit-learn's; karat gives none, as other tests show
        try:
            return float(question())
        except ValueError:
            return REFUSES


def same(one: float | str, other: float | str, tolerance: float = 1e-12) -> bool:
    if isinstance(one, str) or isinstance(other, str):
        return one == other
    return isclose(one, other, rel_tol=tolerance, abs_tol=1e-12) or (isnan(one) and isnan(other))


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.title)
def test_claim_is_true(claim: Claim) -> None:
    theirs = asked(claim.tool)
    assert same(theirs, claim.they_say, claim.tolerance), theirs
    ours = asked(lambda: claim.card()[claim.spec])
    assert same(ours, claim.karat_says), ours
    assert not same(theirs, ours, 1e-6), "no difference, so not for the page"
    if claim.their_number:
        number = asked(lambda: claim.card()[claim.their_number])
        assert same(number, theirs, claim.tolerance), number


def rows(page: str, heading: str) -> dict[str, str]:
    """The rows of the table under a heading, by their first cell."""
    section = page.split(f"\n## {heading}\n")[1].split("\n## ", maxsplit=1)[0]
    lines = [line for line in section.splitlines() if line.startswith("| ")]
    return {line[2:].split(" | ")[0]: line for line in lines[1:]}


@pytest.mark.parametrize(
    ("heading", "claims"),
    [("scikit-learn", SCIKIT_LEARN), ("SciPy and statsmodels", OTHERS)],
    ids=["scikit-learn", "others"],
)
def test_page_claims_what_is_tested(root: Path, heading: str, claims: list[Claim]) -> None:
    page = (root / "docs" / "differences.md").read_text(encoding="utf-8")
    written = rows(page, heading)
    assert list(written) == [claim.title for claim in claims]
    for claim in claims:
        last = written[claim.title].rstrip("| ").rsplit(" | ", 1)[1]
        named = re.findall(r"`([^`]+)`", last)
        assert claim.their_number in named or not claim.their_number, claim.title
        assert claim.their_number or not any("[" in spec for spec in named), claim.title


def test_every_spec_on_the_page_is_one_that_karat_reads(root: Path) -> None:
    page = (root / "docs" / "differences.md").read_text(encoding="utf-8")
    specs = set(re.findall(r"`(\w+\[[^`]+\])`", page))
    assert len(specs) > 20
    for spec in sorted(specs):
        parse_request(spec)


def test_tables_of_the_page_are_whole(root: Path) -> None:
    page = (root / "docs" / "differences.md").read_text(encoding="utf-8")
    lines = [line for line in page.splitlines() if line.startswith("|")]
    assert {line.count("|") for line in lines} == {6}


def test_comparison_of_claims_notices() -> None:
    assert not same(0.0, float("nan"))
    assert not same(REFUSES, 0.0)
    assert not same(1.0, 1.1)
    assert asked(lambda: karat.score([0, 1], [0])["accuracy"]) == REFUSES
