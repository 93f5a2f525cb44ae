"""The page of differences from other tools says what is so, today, of the tools installed."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from math import isclose, isnan
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score, roc_curve
from statsmodels.stats.proportion import proportion_confint

import heldout
from heldout.measures.spec import parse_request
from tests.measures.differences import REFUSES, Claim
from tests.measures.differences_of_choice import OTHERS, SCIKIT_LEARN

CLAIMS = [*SCIKIT_LEARN, *OTHERS]


def asked(question: Callable[[], Any]) -> float | str:
    """The answer as a number, or that the input is refused."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # scikit-learn's; heldout gives none, as other tests show
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
    assert same(ours, claim.heldout_says), ours
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


def limits(right: int, method: str) -> tuple[float | None, float | None]:
    """The limits of the accuracy of 20 rows of which so many are right."""
    predicted = [1] * right + [0] * (20 - right)
    found = heldout.score([1] * 20, predicted, labels=[0, 1], interval=method)["accuracy"]
    return found.low, found.high


def test_limits_of_shares_are_as_the_page_says() -> None:
    jeffreys = [proportion_confint(right, 20, method="jeffreys") for right in (0, 20)]
    assert jeffreys[0] == pytest.approx((0.0000242, 0.11663898), abs=1e-7)
    assert jeffreys[1] == pytest.approx((0.88336102, 0.9999758), abs=1e-7)
    assert limits(0, "jeffreys") == pytest.approx((0, jeffreys[0][1]))
    assert limits(20, "jeffreys") == pytest.approx((jeffreys[1][0], 1))
    half = 1.959964 * (0.05 * 0.95 / 20) ** 0.5
    assert 0.05 - half == pytest.approx(-0.0455, abs=5e-5)
    assert limits(1, "wald") == pytest.approx((0, 0.05 + half))
    rows, middle = 20 + 1.959964**2, (1 + 1.959964**2 / 2) / (20 + 1.959964**2)
    half = 1.959964 * (middle * (1 - middle) / rows) ** 0.5
    assert middle - half == pytest.approx(-0.0091, abs=5e-5)
    assert limits(1, "agresti-coull") == pytest.approx((0, middle + half))
    assert proportion_confint(0, 20, method="normal") == (0, 0)
    assert limits(0, "wald") == (None, None)
    assert limits(0, "wilson") == pytest.approx((0, 0.161), abs=5e-4)


def test_rates_and_areas_are_as_the_page_says() -> None:
    truth, scores = np.array([1, 0, 1, 0, 0]), [0.9, 0.8, 0.7, 0.6, 0.1]
    false, true, _ = roc_curve(truth, scores, drop_intermediate=False)
    nearest = int(np.argmin(np.abs(false - (1 - true))))
    assert (false[nearest] + 1 - true[nearest]) / 2 == pytest.approx(0.4167, abs=5e-5)
    assert heldout.score(truth, y_score=scores)["eer"].value == pytest.approx(1 / 3)
    backwards = np.array([0, 0, 0, 0, 1, 1, 1, 1]), np.arange(8)[::-1] / 10
    below = heldout.score(backwards[0], y_score=backwards[1])["pauc[high=0.5, mcclish]"].value
    assert below == pytest.approx(roc_auc_score(*backwards, max_fpr=0.5))
    assert below < 0.5


@pytest.mark.parametrize("share", [0.6, 0.9])
def test_an_overconfident_answer_gains_by_the_information_score(share: float) -> None:
    positives = round(1000 * share)
    truth = np.repeat([1, 0], [positives, 1000 - positives])
    values = {}
    for answer in (share, 0.999):
        card = heldout.score(truth, y_score=np.full(1000, answer), prior=0.5, intervals=False)
        values[answer] = card["information_score"].value
        expected = (2 * share - 1) * np.log2(answer / 0.5)
        assert values[answer] == pytest.approx(expected)
    assert values[0.999] > values[share]


def test_every_spec_on_the_page_is_one_that_heldout_reads(root: Path) -> None:
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
    assert asked(lambda: heldout.score([0, 1], [0])["accuracy"]) == REFUSES
