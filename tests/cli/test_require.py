"""Requirements: parsed before any computing, checked for every model, exit 3 when not met."""

from __future__ import annotations

from math import inf, nan
from pathlib import Path

import pytest

from heldout.cli.requirements import parse_requirement
from heldout.core.errors import InputError
from tests.cli.running import call

SPAM = ("score", "example:spam", "--positive", "spam", "--quiet")
IRIS = ("score", "example:iris_predictions", "--quiet")


@pytest.mark.parametrize(
    ("text", "meets", "fails"),
    [
        ("auc >= 0.8", 0.8, 0.7999),
        ("auc>0.8", 0.8001, 0.8),
        ("log_loss <= .5", 0.5, 0.51),
        ("log_loss < 5e-1", 0.49, 0.5),
        ("accuracy == 1", 1.0, 0.999),
        ("f_score[beta=2] > 0.5", 0.6, 0.4),
        ("precision_macro >= .7", 0.7, 0.6),
        ("macro_precision >= .7", 0.7, 0.6),
        ("recall[class=a>b] >= -1", inf, -2.0),
        (" auc  >=  0 ", 0.0, -0.1),
        # what sums of 0.1 and 0.2 leave is no difference
        ("accuracy <= 0.3", 0.1 + 0.2, 0.30001),
        ("accuracy == 0.3", 0.1 + 0.2, 0.30001),
        ("accuracy > 0.3", 0.30001, 0.1 + 0.2),
        ("accuracy >= 0.7", 1 - 0.1 - 0.2, 0.69999),
        ("mae <= 1e-19", 1e-19, 1.01e-19),
        ("log_loss <= 0.5", -inf, inf),
    ],
)
def test_expression_means_what_it_says(text: str, meets: float, fails: float) -> None:
    requirement = parse_requirement(text)
    assert requirement.holds(meets)
    assert not requirement.holds(fails)
    assert not requirement.holds(nan)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("auc", "not understood"),
        ("auc => 0.8", "not understood"),
        ("auc != 0.8", "not understood"),
        (">= 0.8", "not understood"),
        ("auc >= ", "not understood"),
        ("auc >= 0.8 and f1 > 0.5", "one comparison in each --require"),
        ("auc >= high", "'high' is not a number"),
        ("auc >= nan", "nothing compares with nan"),
        ("auk >= 0.8", "no measure is called 'auk'; did you mean auc"),
        ("f_score[gamma=2] > 0", "no parameter 'gamma'"),
        ("lower(auk) >= 0.75", "no measure is called 'auk'"),
    ],
)
def test_malformed_requirement_is_2_before_anything_is_read(
    capsys: pytest.CaptureFixture[str], text: str, message: str
) -> None:
    with pytest.raises(InputError, match=message.replace("(", r"\(")):
        parse_requirement(text)
    done = call(capsys, "score", "there-is-no-such-file.csv", "--require", text)
    assert (done.code, done.out) == (2, "")
    assert message in done.err


def test_all_failed_requirements_are_listed_and_the_output_is_still_written(
    capsys: pytest.CaptureFixture[str],
) -> None:
    bounds = ("auc >= 0.95", "accuracy > 0.1", "f_score <= 0.1")
    asked = [word for bound in bounds for word in ("--require", bound)]
    done = call(capsys, *SPAM, "--measure", "accuracy", *asked)
    assert done.code == 3
    assert "0.8525" in done.out
    assert done.err.splitlines() == [
        "heldout: auc is 0.902223, required: auc >= 0.95",
        "heldout: f_score is 0.717703, required: f_score <= 0.1",
    ]


def test_met_requirements_are_silent(capsys: pytest.CaptureFixture[str]) -> None:
    done = call(capsys, *SPAM, "--require", "auc >= 0.89", "--require", "recall[class=ham] > 0.9")
    assert (done.code, done.err) == (0, "")


def test_requirement_holds_for_every_model_and_names_the_one_that_fails(
    capsys: pytest.CaptureFixture[str],
) -> None:
    models = ("score", "example:models", "--positive", "spam", "--quiet")
    done = call(capsys, *models, "--require", "auc >= 0.9")
    assert done.code == 3
    assert done.err == "heldout: auc of rules is 0.858399, required: auc >= 0.9\n"


def test_undefined_value_never_meets_a_requirement(capsys: pytest.CaptureFixture[str]) -> None:
    matrix = ("score", "--matrix", "5,0;3,0", "--orientation", "truth-rows", "--quiet")
    done = call(capsys, *matrix, "--positive", "second", "--require", "precision <= 1")
    assert done.code == 3
    assert "precision is undefined: no row is predicted positive, required" in done.err


def test_measure_with_a_value_for_each_class_must_say_which(
    capsys: pytest.CaptureFixture[str],
) -> None:
    done = call(capsys, *IRIS, "--require", "recall >= 0.5")
    assert (done.code, done.out) == (2, "")
    assert "say recall_macro or recall_micro or recall_weighted or recall[class=setosa]" in done.err
    assert call(capsys, *IRIS, "--require", "recall[class=setosa] == 1").code == 0
    assert call(capsys, *IRIS, "--require", "recall_macro >= 0.96").code == 3


def test_single_folds_do_not_decide(capsys: pytest.CaptureFixture[str]) -> None:
    # no fold has just this accuracy; all rows together have
    done = call(capsys, *SPAM, "--per-fold", "--require", "accuracy == 0.8525")
    assert done.code == 0


def test_every_slice_that_is_shown_must_meet_a_requirement(
    capsys: pytest.CaptureFixture[str],
) -> None:
    asked = ("--measure", "accuracy", "--require", "accuracy >= 0.85")
    assert call(capsys, *SPAM, *asked).code == 0
    done = call(capsys, *SPAM, "--by", "country", *asked)
    assert done.code == 3
    failed = [line for line in done.err.splitlines() if "required" in line]
    assert failed
    for line in failed:
        assert line.startswith("heldout: accuracy in the slice country=")
    limit = call(capsys, *SPAM, "--by", "country", "--require", "lower(accuracy) >= 0.8")
    assert limit.code == 3
    assert "lower limit of accuracy in the slice country=" in limit.err


@pytest.mark.parametrize("bound", ["0.9", "0.999"])
def test_an_evaluation_its_file_and_its_folds_pass_the_same_gate(
    bound: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "out.csv"
    gate = ("--require", f"lower(auc) >= {bound}", "--quiet", "--no-audit")
    run = ("evaluate", "wdbc", "--models", "nb", "--procedure", "5-fold", "--no-store")
    codes = [call(capsys, *run, "--predictions", str(path), *gate).code]
    codes.append(call(capsys, "score", str(path), *gate).code)
    lines = path.read_text().splitlines()
    place = lines[0].split(",").index("procedure")
    bare = [",".join(c for i, c in enumerate(r.split(",")) if i != place) for r in lines]
    path.write_text("\n".join(bare) + "\n")
    codes.append(call(capsys, "score", str(path), "--fold", "fold", *gate).code)
    assert codes == [0 if bound == "0.9" else 3] * 3


@pytest.mark.parametrize("command", [SPAM, ("evaluate", "wdbc", "--models", "nb")])
def test_limit_and_no_intervals_contradict_each_other(
    capsys: pytest.CaptureFixture[str], command: tuple[str, ...]
) -> None:
    done = call(capsys, *command, "--require", "lower(auc) >= 0.7", "--no-intervals")
    assert (done.code, done.out) == (2, "")
    assert "--require 'lower(auc) >= 0.7' asks for a limit, and --no-intervals" in done.err
    assert call(capsys, *SPAM, "--require", "auc >= 0.7", "--no-intervals").code == 0


MODELS = ("compare", "example:models", "--positive", "spam", "--quiet", "--no-audit")


@pytest.mark.parametrize(
    ("text", "code", "line"),
    [
        ("lower(difference(auc)) >= 0", 0, ""),
        ("difference(auc, logistic, forest) >= -0.04", 0, ""),
        (
            "difference(auc, logistic, forest) >= -0.03",
            3,
            "heldout: auc difference of logistic minus forest is -0.0312719, required: ",
        ),
        (
            "lower(difference) >= -0.05",
            3,
            "heldout: lower limit of accuracy difference of forest minus logistic is -0.08725",
        ),
        ("difference(auc, forest) > 0", 2, "with the two models difference(auc, first, second)"),
        ("difference(auc, a, b) > 0", 2, "no such pair of models: 'a' and 'b'"),
        ("difference(brier) > 0", 2, "'brier' was not compared"),
    ],
)
def test_differences_meet_requirements(
    text: str, code: int, line: str, capsys: pytest.CaptureFixture[str]
) -> None:
    done = call(capsys, *MODELS, "--measure", "accuracy,auc", "--require", text)
    assert done.code == code
    assert line in done.err


def test_difference_in_every_slice_meets_a_requirement(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [(t, s, g) for g in "ab" for t in (0, 1) for s in (0.2, 0.4, 0.6, 0.9)]
    rows += [(1, 0.7, "c")] * 3
    for name, turn in (("new", 1), ("old", -1)):
        lines = [
            f"{n},{t},{1 - s if t == 0 else 0.5 + turn * s / 3},{g}"
            for n, (t, s, g) in enumerate(rows)
        ]
        (tmp_path / f"{name}.csv").write_text("\n".join(["id,y,p,g", *lines]) + "\n")
    files = [str(tmp_path / f"{name}.csv") for name in ("new", "old")]
    roles = ("--truth", "y", "--score", "p", "--id", "id", "--positive", "1", "--by", "g")
    gate = ("--measure", "auc", "--require", "difference(auc, new, old) >= 0.1")
    done = call(capsys, "compare", *files, *roles, *gate, "--quiet", "--no-audit")
    assert done.code == 3
    (line,) = [line for line in done.err.splitlines() if "required" in line]
    assert line.startswith("heldout: auc difference of new minus old in the slice g=c is undefined")


def test_score_has_no_differences(capsys: pytest.CaptureFixture[str]) -> None:
    done = call(capsys, *SPAM, "--require", "difference > 0")
    assert (done.code, done.out) == (2, "")
    assert "a difference is one of two models; heldout compare has them" in done.err
