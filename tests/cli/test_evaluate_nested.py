"""``--interval nested``: where another interval stands, it is said."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from tests.cli.running import call

RUN = ("evaluate", "iris", "--models", "lda", "--procedure", "3-fold", "--no-store", "--no-audit")
NESTED = ("--interval", "nested", "--quiet")
SAID = "not from nested cross-validation, which is for means over all rows"


def test_classes_say_that_their_intervals_are_not_nested(
    capsys: pytest.CaptureFixture[str],
) -> None:
    asked = ("--measure", "recall", "--measure", "accuracy", "--per-class", "--format", "csv")
    rows = [*csv.DictReader(io.StringIO(call(capsys, *RUN, *NESTED, *asked).out))]
    of_class = [row for row in rows if row["class"] and row["low"]]
    assert len(of_class) == 3
    assert all(SAID in row["note"] for row in of_class)
    (nested,) = [row for row in rows if row["fold"] == "nested" and row["measure"] == "accuracy"]
    assert SAID not in nested["note"]
    assert nested["method"].startswith("nested cross-validation")
    plain = call(capsys, *RUN, "--quiet", *asked).out
    assert SAID not in plain


def test_table_of_classes_says_it_below(capsys: pytest.CaptureFixture[str]) -> None:
    below = call(capsys, *RUN, *NESTED).out.partition("Each class vs. rest")[2]
    assert SAID in " ".join(below.split())
    assert SAID not in " ".join(call(capsys, *RUN, "--quiet").out.split())


def test_slices_say_it_too(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "data.csv"
    lines = [f"{i % 7},{'uv'[i % 2]},{'no' if i % 3 else 'yes'}" for i in range(60)]
    path.write_text("\n".join(["a,site,y", *lines]), encoding="utf-8")
    run = ("evaluate", str(path), "--by", "site", "--positive", "yes", *RUN[2:])
    done = call(capsys, *run, *NESTED, "--measure", "accuracy", "--format", "json")
    rows = [r for r in json.loads(done.out)["results"] if r["slice"] and r["low"] is not None]
    assert rows
    assert all(SAID in row["note"] for row in rows)


def test_more_pairs_of_folds_than_anybody_waits_for_are_refused(
    capsys: pytest.CaptureFixture[str],
) -> None:
    done = call(capsys, *RUN[:5], "loo", *RUN[6:], *NESTED)
    assert done.code == 2
    assert "every pair of folds, which are 11,325 fits of each model along loo" in done.err
