"""A row with a count stands for so many equal rows, in values and in intervals."""

from __future__ import annotations

from math import isnan
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import heldout
from heldout.core.errors import InputError
from tests.cli.running import call


@pytest.fixture
def counted() -> pd.DataFrame:
    rng = np.random.default_rng(3)
    return pd.DataFrame(
        {
            "truth": rng.choice(["no", "yes"], 40),
            "score": rng.random(40).round(2),
            "fold": np.arange(40) % 4,
            "n": rng.integers(0, 6, 40),
        }
    )


@pytest.mark.parametrize("roles", [{}, {"fold": "fold"}])
def test_counts_give_what_the_rows_they_stand_for_give(
    counted: pd.DataFrame, roles: dict[str, str]
) -> None:
    columns = counted if roles else counted.drop(columns="fold")
    rows = columns.loc[columns.index.repeat(counted["n"])].drop(columns="n")
    by_count = heldout.score(columns, count="n", positive="yes", **roles).results(everything=True)
    by_row = heldout.score(rows, positive="yes", **roles).results(everything=True)
    assert len(by_count) == len(by_row)
    for own, other in zip(by_count, by_row, strict=True):
        pairs = [(own.value, other.value), (own.low, other.low), (own.high, other.high)]
        assert own.n == other.n
        for left, right in pairs:
            same = left is right or left == right or (isnan(left) and isnan(right))
            assert same, (own.measure, left, right)


def test_note_says_how_many_rows_counts_stand_for(counted: pd.DataFrame) -> None:
    (predictions,) = heldout.read_predictions(counted, count="n", positive="yes")
    total = int(counted["n"].sum())
    assert f"40 rows stand for {total} (column 'n')" in predictions.notes
    assert len(predictions) == total


@pytest.mark.parametrize(
    ("counts", "message"),
    [
        ([1.5, 2], "not a count in 1 row .*a count is a whole number of rows, 0 or more"),
        ([-1, 2], "not a count in 1 row"),
        ([0, 0], "add up to 0 rows"),
        ([10**12, 1], "add up to 1,000,000,000,001 rows; 1 to 100,000,000 can be held in memory"),
        (["a", "b"], "column 'n'"),
    ],
)
def test_bad_counts_are_refused(counts: list[object], message: str) -> None:
    table = {"truth": ["a", "b"], "predicted": ["a", "a"], "n": counts}
    with pytest.raises(InputError, match=message):
        heldout.score(table, count="n", positive="a")


def test_rows_that_counts_stand_for_have_no_identifiers(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "counts.csv"
    path.write_text("id,truth,predicted,n\n1,a,a,3\n2,b,a,1\n3,b,b,6\n")
    asked = ("score", str(path), "--count=n", "--positive=a", "--measure=accuracy", "--quiet")
    done = call(capsys, *asked, "--format=csv")
    assert done.code == 0, done.err
    assert ",accuracy,0.9," in done.out
    assert ",Wilson,10," in done.out
    done = call(capsys, *asked, "--id=id")
    assert (done.code, done.out) == (2, "")
    assert "equal rows have no identifiers: give --count or --id, not both" in done.err


def test_counts_of_two_models_are_compared_as_their_rows(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    # 10 rows that only the second has right, 5 that only the first has
    for name, rows in {"a": "x,x,80\nx,y,10\ny,y,5\n", "b": "x,x,80\nx,x,10\ny,x,5\n"}.items():
        (tmp_path / f"{name}.csv").write_text(f"truth,predicted,n\n{rows}")
    files = (str(tmp_path / "a.csv"), str(tmp_path / "b.csv"))
    asked = ("--count=n", "--positive=y", "--measure=accuracy", "--test=mcnemar", "--quiet")
    done = call(capsys, "compare", *files, *asked, "--format=csv")
    assert done.code == 0, done.err
    # the exact two-sided binomial test of 5 among 15
    assert f"{0.30175781:.5f}"[:6] in done.out
