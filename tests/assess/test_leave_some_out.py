"""Leave-p-out: pooled values are those of all rows alike; areas are those of each pair."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import heldout
from heldout.core.codes import dense_codes
from heldout.measures.parts import areas_of_parts
from heldout.predictions.table import Design
from heldout.tally.scores import ScoreParts
from tests.runner.making import some_data

DATA = some_data(rows=18)
X, Y = DATA.matrix, (DATA.truth == 0).astype(int)


def of(made: Any, **more: Any) -> dict[str, Any]:
    rows = made.results(everything=True, **more)
    return {r.measure: r for r in rows if not (r.fold or r.repeat or r.class_)}


@given(
    st.lists(
        st.tuples(st.integers(0, 3), st.booleans(), st.sampled_from([-np.inf, 0.0, 0.5, 1.0])),
        min_size=1,
        max_size=30,
    )
)
def test_area_of_each_part_is_that_of_its_rows(rows: list[tuple[int, bool, float]]) -> None:
    codes, positive, scores = (np.array(column) for column in zip(*rows, strict=True))
    parts, codes = dense_codes(codes)
    made = areas_of_parts(ScoreParts.of(positive, scores, codes, parts))
    for part in range(parts):
        here = codes == part
        one, other = scores[here & positive], scores[here & ~positive]
        if not len(one) or not len(other):
            assert np.isnan(made[part])
            continue
        wins = (one[:, None] > other).sum() + 0.5 * (one[:, None] == other).sum()
        assert made[part] == pytest.approx(wins / (len(one) * len(other)))


def test_values_are_of_all_splits_pooled_and_areas_of_pairs() -> None:
    made = heldout.evaluate("lda", X, Y, procedure="leave-2-out", pos_label=1)
    (p,) = made.predictions
    plain = of(heldout.score(replace(p, design=Design())))
    found = of(made)
    assert found.keys() == plain.keys()
    for name in ("accuracy", "mcc", "f_score", "log_loss", "brier"):
        assert found[name].value == pytest.approx(plain[name].value)
        assert found[name].note.startswith("all 153 splits pooled; no interval: test parts of")
        assert found[name].low is None
    scores: Any = p.scores
    first, second = scores.reshape(-1, 2).T
    one, other = p.truth.reshape(-1, 2).T
    right = (np.where(one > other, first - second, second - first) > 0)[one != other]
    assert found["auc"].value == pytest.approx(right.mean())
    assert found["auc"].note.startswith("mean of 72 of 153 splits: the others test")


def test_single_splits_are_given_on_request() -> None:
    made = heldout.evaluate("lda", X[:8], Y[:8], procedure="leave-2-out", pos_label=1)
    rows = made.results(["accuracy"], per_fold=True)
    assert len([r for r in rows if r.repeat]) == 28
    assert [r.value for r in rows if not r.repeat] == [of(made)["accuracy"].value]
