"""What must hold for every tally: parts add to the whole, order does not matter."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from heldout.tally.class_scores import ClassScores
from heldout.tally.confusion import Binary, Confusion
from heldout.tally.errors import ErrorRows, Errors
from heldout.tally.moments import Moments
from heldout.tally.scores import ScoreCounts

Rows = tuple[Any, Any, Any]  # two columns and a weight


def confusion(rows: Rows) -> Confusion:
    return Confusion.of(rows[0] % 3, rows[1] % 3, rows[2], classes=3)


def scores(rows: Rows) -> ScoreCounts:
    return ScoreCounts.of(rows[0] % 2 == 1, rows[1] / 4.0 - 1.0, rows[2])


def class_scores(rows: Rows) -> ClassScores:
    columns = np.stack([rows[1] / 8, 1 - rows[1] / 8, rows[1] % 3 / 2], axis=1).reshape(-1, 3)
    return ClassScores.of(rows[0] % 3, columns, rows[2])


def moments(rows: Rows) -> Moments:
    return Moments.of(np.where(rows[1] == 7, np.inf, rows[0] / 3.0), rows[2])


def errors(rows: Rows) -> Errors:
    return Errors.of(rows[0] * 1.5, rows[1] / 3.0, rows[2])


def error_rows(rows: Rows) -> ErrorRows:
    return ErrorRows.of(rows[0] * 1.5, rows[1] / 3.0, rows[2])


KINDS: dict[str, Callable[[Rows], Any]] = {
    f.__name__: f for f in (confusion, scores, class_scores, moments, errors, error_rows)
}
EMPTY = {
    "confusion": Confusion(),
    "scores": ScoreCounts(),
    "class_scores": ClassScores(),
    "moments": Moments(),
    "errors": Errors(),
    "error_rows": ErrorRows(),
}


def plain(tally: Any) -> list[float]:
    """A tally as numbers that do not depend on the order in which rows came."""
    if isinstance(tally, Confusion):
        return [*tally.matrix().ravel(), tally.rows] if tally.classes else [0.0]
    if isinstance(tally, ScoreCounts):
        return [*tally.score, *tally.positives, *tally.negatives, tally.rows]
    if isinstance(tally, ClassScores):
        return (
            [*np.nan_to_num(tally.pairwise).ravel(), *tally.actual, tally.rows]
            if tally.rows
            else []
        )
    if isinstance(tally, ErrorRows):
        return sorted(tally.error) if tally.weight is None else sorted(tally.error * tally.weight)
    return [float(getattr(tally, name)) for name in tally.__slots__]


weights = st.one_of(st.none(), st.just("weighted"))


@st.composite
def tables(draw: st.DrawFn, low: int = 1) -> Rows:
    n = draw(st.integers(low, 12))
    column = st.lists(st.integers(0, 8), min_size=n, max_size=n)
    first, second = np.array(draw(column), np.int64), np.array(draw(column), np.int64)
    weight = None
    if draw(weights):
        weight = np.array(draw(st.lists(st.integers(1, 4), min_size=n, max_size=n)), float)
    return first, second, weight


def part(rows: Rows, where: Any) -> Rows:
    return rows[0][where], rows[1][where], None if rows[2] is None else rows[2][where]


@pytest.mark.parametrize("kind", KINDS)
@given(rows=tables(), cut=st.integers(0, 12))
def test_tally_of_parts_adds_to_tally_of_whole(kind: str, rows: Rows, cut: int) -> None:
    make = KINDS[kind]
    first, rest = part(rows, slice(0, cut)), part(rows, slice(cut, None))
    parts = [make(p) for p in (first, rest) if len(p[0])]
    total = sum(parts[1:], start=parts[0])
    np.testing.assert_allclose(plain(total), plain(make(rows)), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("kind", KINDS)
@given(rows=tables())
def test_empty_tally_is_neutral(kind: str, rows: Rows) -> None:
    tally = KINDS[kind](rows)
    for total in (tally + EMPTY[kind], EMPTY[kind] + tally):
        np.testing.assert_array_equal(plain(total), plain(tally))


@pytest.mark.parametrize("kind", KINDS)
@given(rows=tables(), seed=st.integers(0, 99))
def test_order_of_rows_does_not_matter(kind: str, rows: Rows, seed: int) -> None:
    shuffled = part(rows, np.random.default_rng(seed).permutation(len(rows[0])))
    np.testing.assert_allclose(
        plain(KINDS[kind](shuffled)), plain(KINDS[kind](rows)), rtol=1e-12, atol=1e-12
    )


@pytest.mark.parametrize("kind", ["confusion", "scores", "class_scores", "moments", "errors"])
@given(rows=tables())
def test_integer_weight_is_repetition(kind: str, rows: Rows) -> None:
    count = np.ones(len(rows[0]), int) if rows[2] is None else rows[2].astype(int)
    repeated = (np.repeat(rows[0], count), np.repeat(rows[1], count), None)
    weighted = (rows[0], rows[1], count.astype(float))
    one, other = KINDS[kind](weighted), KINDS[kind](repeated)
    if kind == "moments":
        known = ("weight", "finite_mean", "deviations", "finite_weight")
        pairs = [(getattr(one, name), getattr(other, name)) for name in known]
    elif kind == "class_scores":
        pairs = list(
            zip(
                np.nan_to_num(one.pairwise).ravel(),
                np.nan_to_num(other.pairwise).ravel(),
                strict=True,
            )
        )
    else:
        one, other = replace(one, rows=0), replace(other, rows=0)
        pairs = list(zip(plain(one), plain(other), strict=True))
    first, second = np.array(pairs, float).reshape(-1, 2).T
    np.testing.assert_allclose(first, second, rtol=1e-12, atol=1e-12)


@given(rows=tables())
def test_counts_stay_integers_without_weights(rows: Rows) -> None:
    unweighted = (rows[0], rows[1], None)
    assert confusion(unweighted).counts.dtype.kind == "i"
    assert scores(unweighted).tp.dtype == np.int64


@given(rows=tables())
def test_score_counts_agree_with_the_definition(rows: Rows) -> None:
    tally = scores((rows[0], rows[1], None))
    score, positive = rows[1] / 4.0 - 1.0, rows[0] % 2 == 1
    assert list(tally.score) == sorted(set(score), reverse=True)
    for i, threshold in enumerate(tally.score):
        assert tally.tp[i] == np.sum(positive & (score >= threshold))
        assert tally.fp[i] == np.sum(~positive & (score >= threshold))


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=30))
def test_any_finite_scores_are_kept_exactly(values: list[float]) -> None:
    score = np.array(values)
    tally = ScoreCounts.of(np.arange(len(score)) % 2 == 0, score)
    np.testing.assert_array_equal(tally.score, np.unique(score + 0.0)[::-1])
    assert tally.tp[-1] + tally.fp[-1] == len(score)


def test_many_scores_go_through_threads_and_stay_exact() -> None:
    rng = np.random.default_rng(3)
    score = np.concatenate([rng.normal(size=400_000), rng.integers(-3, 3, 100_000) / 7.0])
    positive = rng.random(len(score)) < 0.2
    tally = ScoreCounts.of(positive, score)
    level, where = np.unique(score, return_inverse=True)
    np.testing.assert_array_equal(tally.score, level[::-1])
    np.testing.assert_array_equal(tally.positives, np.bincount(where, positive)[::-1])
    np.testing.assert_array_equal(tally.negatives, np.bincount(where, ~positive)[::-1])


def test_counts_above_two_to_the_24th_are_exact() -> None:
    n = 2**24 + 1
    tally = ScoreCounts.of(np.ones(n, bool), np.full(n, 0.25, np.float32))
    assert tally.total_positives == n


def test_hundred_thousand_classes_cost_their_rows_not_their_square() -> None:
    codes = np.arange(100_000)
    tally = Confusion.of(codes, codes[::-1].copy(), classes=100_000)
    assert len(tally.cells) == 100_000
    assert tally.one_vs_rest.fp.sum() == 100_000


def test_the_laws_catch_a_tally_that_forgets_weights() -> None:
    rows = (np.array([1, 0]), np.array([1, 1]), np.array([2.0, 1.0]))
    forgetful = Confusion.of(rows[0], rows[1], None, classes=3)
    assert plain(forgetful) != plain(confusion(rows))


def test_binary_of_two_classes_names_its_cells() -> None:
    tally = Confusion.from_matrix([[9, 2], [3, 6]], positive=1)
    assert tally.binary == Binary(tp=6, fp=2, fn=3, tn=9)
    assert tally.binary + tally.binary == Binary(12, 4, 6, 18)


def test_tallies_of_different_classes_do_not_add() -> None:
    with pytest.raises(ValueError, match="different classes"):
        Confusion.from_matrix([[1, 0], [0, 1]]) + Confusion.from_matrix(np.eye(3))
