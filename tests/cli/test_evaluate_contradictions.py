"""Options of ``heldout evaluate`` that say several things, or things that do not go together."""

from __future__ import annotations

import json

import pytest

from tests.cli.running import call

HOW = ("--procedure", "3-fold", "--no-store", "--no-audit")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("iris", "--models", "lda", "--all", "--measure", "auc_macro"), "--all shows every"),
        (
            ("iris", "--models", "lda", "--interval", "Nested", "--no-intervals"),
            "--interval nested and --no-intervals contradict each other",
        ),
        (("diabetes", "--models", "ridge", "--per-class"), "--per-class is for classification"),
        (("wdbc", "--models", "lda", "--measure", " "), "' ' is not a measure: write it as"),
        (
            ("iris", "--models", "lab", "--measure", "accuracy, acuracy"),
            "no measure is called 'acuracy'; did you mean accuracy",
        ),
    ],
)
def test_what_does_not_go_together_is_refused(
    capsys: pytest.CaptureFixture[str], words: tuple[str, ...], said: str
) -> None:
    done = call(capsys, "evaluate", *words, *HOW)
    assert done.code == 2
    assert said in done.err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            ("--all", "--measure", "auc"),
            "--measure some: give one of them",
        ),
        (
            ("--no-intervals", "--interval", "wilson"),
            "--interval wilson and --no-intervals contradict each other",
        ),
    ],
)
def test_score_refuses_them_as_well(
    capsys: pytest.CaptureFixture[str], words: tuple[str, ...], said: str
) -> None:
    done = call(capsys, "score", "example:spam", "--positive", "spam", *words)
    assert done.code == 2
    assert said in done.err


def test_measures_may_stand_between_commas(capsys: pytest.CaptureFixture[str]) -> None:
    one = ("--measure", "accuracy", "--measure", "f_score[beta=2]", "--measure", "mcc")
    both = ("--measure", "accuracy, f_score[beta=2],mcc")
    start = ("evaluate", "wdbc", "--models", "lda", *HOW, "--format", "json")
    apart, listed = (json.loads(call(capsys, *start, *words).out) for words in (one, both))
    assert apart["results"] == listed["results"]
    assert {row["measure"] for row in listed["results"]} == {"accuracy", "f_score[beta=2]", "mcc"}


def test_measures_that_need_a_parameter_are_named_as_in_score(
    capsys: pytest.CaptureFixture[str],
) -> None:
    start = ("evaluate", "wdbc", "--models", "lda", *HOW, "--no-intervals")
    said = "note: not shown because they need a parameter: integrated_calibration_index"
    assert said in call(capsys, *start, "--all").err
    assert said in call(capsys, *start, "--format", "csv").err
    assert said not in call(capsys, *start, "--format", "csv", "--measure", "auc").err
    assert said not in call(capsys, *start).err
