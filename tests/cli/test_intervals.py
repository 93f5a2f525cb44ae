"""Intervals on the command line: level, method, seed, and requirements of their limits."""

from __future__ import annotations

import json

import pytest

from tests.cli.running import call

SPAM = ("score", "example:spam", "--truth", "label", "--score", "p_spam", "--positive", "spam")


def rows(capsys: pytest.CaptureFixture[str], *more: str) -> dict[str, dict[str, object]]:
    done = call(capsys, *SPAM, "--format", "json", *more)
    assert done.code == 0, done.err
    found = json.loads(done.out)["results"]
    return {r["measure"]: r for r in found if not r["fold"]}


def test_every_value_has_an_interval_and_its_method_by_default(
    capsys: pytest.CaptureFixture[str],
) -> None:
    found = rows(capsys, "--measure", "accuracy", "--measure", "auc", "--measure", "kappa")
    assert found["accuracy"]["method"] == "Wilson, folds pooled (Bayle et al. 2020)"
    assert found["auc"]["method"] == ""
    assert "ranked together: see the mean of the folds" in str(found["auc"]["note"])
    assert "2000 draws of cells, seed 1" in str(found["kappa"]["method"])
    assert found["accuracy"]["low"] == pytest.approx(0.8143999, abs=1e-6)


def test_level_and_method_are_taken(capsys: pytest.CaptureFixture[str]) -> None:
    exact = rows(capsys, "--measure", "recall", "--interval", "clopper-pearson", "--level", "0.9")
    assert (
        exact["recall"]["method"] == "Clopper-Pearson on 105 rows, folds pooled (Bayle et al. 2020)"
    )
    assert exact["recall"]["level"] == 0.9
    drawn = rows(capsys, "--measure", "recall", "--interval", "percentile", "--seed", "7")
    assert "percentile" in str(drawn["recall"]["method"])
    assert "seed 7" in str(drawn["recall"]["method"])


def test_no_intervals_leaves_the_columns_empty(capsys: pytest.CaptureFixture[str]) -> None:
    assert rows(capsys, "--measure", "auc", "--no-intervals")["auc"]["low"] is None


@pytest.mark.parametrize(("bound", "code"), [("0.85", 0), ("0.87", 3)])
def test_requirement_of_a_lower_limit(
    capsys: pytest.CaptureFixture[str], bound: str, code: int
) -> None:
    done = call(capsys, *SPAM, "--measure", "auc", "--require", f"lower(auc) >= {bound}")
    assert done.code == code
    if code:
        assert "lower limit of auc is 0.857906, required: lower(auc) >= 0.87" in done.err


@pytest.mark.parametrize(
    ("option", "value", "message"),
    [
        ("--level", "95", "write 95% as 0.95"),
        ("--interval", "wilsen", "did you mean wilson"),
        ("--replicates", "3", "give a whole number from 20"),
    ],
)
def test_bad_interval_options_are_2(
    capsys: pytest.CaptureFixture[str], option: str, value: str, message: str
) -> None:
    done = call(capsys, *SPAM, option, value)
    assert done.code == 2
    assert message in done.err


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--measure", "auc", "--interval", "wilson"), "--interval wilson is for shares of rows"),
        (("--measure", "accuracy", "--interval", "newcombe"), "--interval newcombe is for areas"),
        (
            ("--measure", "auc", "--group", "country", "--interval", "delong"),
            "none of the intervals shown is made by it",
        ),
        (("--measure", "auc", "--interval", "delong-plain"), ""),
        (("--measure", "auc", "--measure", "recall", "--interval", "mid-p"), ""),
        (("--measure", "auc", "--interval", "percentile"), ""),
    ],
)
def test_method_that_made_none_of_the_intervals_is_told(
    capsys: pytest.CaptureFixture[str], options: tuple[str, ...], said: str
) -> None:
    done = call(capsys, *SPAM, *options, "--no-audit")
    assert done.code == 0
    assert said in done.err
    assert ("note: --interval" in done.err) == bool(said)
