"""What a slice's value differs by from that of all other rows, to the digits shown."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from heldout.assess.slice_rests import Rests, SliceRests
from heldout.assess.slices import slice_tables
from heldout.assess.values import lacking, overall
from heldout.engines.memory import Tallies
from heldout.measures.registry import measures
from heldout.measures.spec import Request, parse_request
from heldout.predictions.table import Predictions
from heldout.tally.errors import Errors
from heldout.tally.scores import ScoreCounts, TopLabel
from tests.assess.sliced import binary_rows, its_test, multiclass_rows, regression_rows

#: curves fitted to all rows, with a test that fits 60 of them a slice
SLOW = {m.name for m in measures("binary") if "smooth" in m.name or m.name.startswith("integrated")}
ROWS = 800
OF_SCORES = ("auc", "average_precision", "ece", "calibration_slope", "ks", "pauc", "h_measure")


def rows_of(kind: str, count: int) -> tuple[np.ndarray[Any, Any], Predictions]:
    """Rows in slices of different sizes; more scores than any test keeps apart."""
    rng = np.random.default_rng(7)
    where = np.minimum(rng.geometric(0.5, ROWS) - 1, count - 1)
    if kind == "multiclass":
        return where, multiclass_rows(where)
    if kind == "regression":
        return where, regression_rows(where)
    weight = rng.gamma(1, 1, ROWS) if "weighted" in kind else None
    groups = rng.integers(0, 150, ROWS) if "grouped" in kind else None
    return where, binary_rows(where, worse=0.4, weight=weight, groups=groups)


@pytest.mark.parametrize(
    ("kind", "count"),
    [
        ("plain", 4),
        ("weighted", 2),
        ("weighted", 4),
        ("grouped", 4),
        ("weighted, grouped", 4),
        ("multiclass", 4),
        ("regression", 4),
    ],
)
def test_difference_of_every_measure_is_exact(kind: str, count: int) -> None:
    where, p = rows_of(kind, count)
    whole = Tallies(p)
    asked = [Request(m) for m in measures(p.task) if m.name not in SLOW]
    if kind != "plain":
        asked = [r for r in asked if set(r.measure.needs) <= {ScoreCounts, TopLabel, Errors}]
    if kind == "multiclass":
        asked = [r for r in asked if r.measure.needs == (TopLabel,)]
    asked = [r for r in asked if not lacking(r, whole)]
    compared = 0
    for table in slice_tables(whole, asked):
        request = parse_request(table.measure)
        for result in table.results:
            if np.isnan(its_test(result).estimate):
                assert not its_test(result).is_given
                continue
            own = where == "abcd".index(result.slice)
            some, rest = (overall(request, Tallies(p.take(kept))).value for kept in (own, ~own))
            scale = max(abs(some), abs(rest), 1e-6)
            assert result.value == pytest.approx(some, abs=1e-10 * scale), table.measure
            assert its_test(result).estimate == pytest.approx(some - rest, abs=1e-9 * scale), (
                table.measure
            )
            compared += 1
    assert compared >= len(asked)


def joined(p: Predictions, names: tuple[str, ...]) -> list[tuple[Any, Rests]]:
    """The differences where no rest is judged row by row, and the rests."""
    whole = Tallies(p)
    slices = whole.parts("slice:site")
    asked = [parse_request(name) for name in names]
    values = [np.array([overall(r, t).value for t in slices]) for r in asked]
    everything = [overall(r, whole).value for r in asked]
    rests = SliceRests(whole, "site", 0).of(asked, values, everything)
    pairs = zip(values, rests, strict=True)
    return [(rest.differences(own), rest) for own, rest in pairs]


@pytest.mark.parametrize("weighted", [False, True])
def test_joined_rests_are_good_to_the_decimals_given(weighted: bool) -> None:
    rng = np.random.default_rng(8)
    where = rng.integers(0, 26, 60_000)
    weight = rng.gamma(1, 1, len(where)) if weighted else None
    p = binary_rows(where, weight=weight)
    made = joined(p, OF_SCORES)
    for name, (gaps, rests) in zip(OF_SCORES, made, strict=True):
        request = parse_request(name)
        for s in (0, 25):
            own = where == s
            some, rest = (overall(request, Tallies(p.take(k))).value for k in (own, ~own))
            if name in ("auc", "gini"):
                assert gaps[s] == pytest.approx(some - rest, abs=1e-9), name
            else:
                assert gaps[s] == pytest.approx(some - rest, abs=1.1e-4), name
                assert gaps[s] == round(gaps[s], 4)
                assert "the rest's scores joined to " in rests.note


def test_many_rows_and_slices_of_measures_without_scores_need_no_rest() -> None:
    where = np.random.default_rng(9).integers(0, 26, 20_000)
    p = binary_rows(where)
    names = ("accuracy", "brier", "f_score", "auc")
    for name, (gaps, rests) in zip(names, joined(p, names), strict=True):
        own = where == 3
        request = parse_request(name)
        some, rest = (overall(request, Tallies(p.take(kept))).value for kept in (own, ~own))
        assert gaps[3] == pytest.approx(some - rest, abs=1e-12), name
        assert rests.note == ""


def test_bins_of_single_scores_are_not_joined() -> None:
    where = np.random.default_rng(9).integers(0, 26, 100_000)
    ((gaps, _),) = joined(binary_rows(where), ("reliability",))
    assert np.isnan(gaps).all()


def test_few_scores_are_exact_where_rests_are_joined() -> None:
    where = np.random.default_rng(10).integers(0, 5, 3000)
    p = binary_rows(where)
    p = replace(p, scores=np.clip(np.round(p.scores, 2), 0.01, 0.99))
    for name, (gaps, rests) in zip(OF_SCORES, joined(p, OF_SCORES), strict=True):
        own = where == 3
        request = parse_request(name)
        some, rest = (overall(request, Tallies(p.take(kept))).value for kept in (own, ~own))
        assert gaps[3] == pytest.approx(some - rest, abs=1e-12), name
        assert not rests.note
