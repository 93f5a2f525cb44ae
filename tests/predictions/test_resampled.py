"""Measures that count rows are resampled with rows written out, not weighted."""

from __future__ import annotations

import numpy as np
import pytest

from heldout.assess.values import overall
from heldout.comparison.compare import compare
from heldout.engines.memory import Tallies
from heldout.measures.spec import parse_request
from heldout.predictions.arrays import from_arrays
from heldout.predictions.resampled import drawn_rows

RNG = np.random.default_rng(7)
TRUTH = RNG.integers(0, 2, 60)
ONE, TWO = (
    from_arrays(TRUTH, y_score=0.3 * TRUTH + 0.6 * RNG.random(60), pos_label=1) for _ in range(2)
)


@pytest.mark.parametrize("name", ["spiegelhalter_z", "discrimination_index", "brier"])
def test_a_row_drawn_twice_counts_as_two(name: str) -> None:
    request = parse_request(name)
    times = RNG.multinomial(60, np.full(60, 1 / 60))
    repeated = ONE.take(np.repeat(np.arange(60), times))
    drawn = overall(
        request, Tallies(drawn_rows(ONE, times, is_written_out=request.counts_rows))
    ).value
    assert drawn == pytest.approx(overall(request, Tallies(repeated)).value)


@pytest.mark.parametrize("name", ["spiegelhalter_z", "discrimination_index"])
def test_differences_of_what_counts_rows_have_an_interval(name: str) -> None:
    found = compare({"a": ONE, "b": TWO}, measures=name, replicates=100)[name]
    assert "paired bootstrap (100 draws of rows" in found.test.method
    assert found.interval.low < found.value < found.interval.high
