"""``heldout compare`` and ``heldout power`` refuse what cannot be compared, and name it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.running import call

Capture = pytest.CaptureFixture[str]
EXAMPLE = ("compare", "example:models", "--positive", "spam")
RESULTS = ("compare", "results.csv", "--datasets", "name", "--models", "model", "--value", "x")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("HELDOUT_STORE", raising=False)
    return tmp_path


def refused(capsys: Capture, *arguments: str) -> str:
    """What is said on standard error; nothing is on standard output."""
    done = call(capsys, *arguments)
    assert done.code == 2, done
    assert done.out == ""
    return done.err


def rows(path: str, *lines: str) -> None:
    Path(path).write_text("\n".join(lines))


def models(first: list[int], second: list[int], *, other_truth: bool = False) -> tuple[str, ...]:
    for name, ids in (("a", first), ("b", second)):
        turn = other_truth and name == "b"
        lines = [f"{i},{(i + (turn and i == 3)) % 2},{i % 2}" for i in ids]
        rows(f"{name}.csv", "id,y,label", *lines)
    return ("compare", "a.csv", "b.csv", "--truth", "y", "--predicted", "label", "--positive", "1")


def test_one_model_only(capsys: Capture) -> None:
    rows("one.csv", "id,y,p", "1,0,0.2", "2,1,0.7")
    said = refused(capsys, "compare", "one.csv", "--truth", "y", "--score", "p", "--positive", "1")
    assert "one model only" in said
    assert "--model" in said


def test_ids_that_do_not_match_are_named_ten_at_most(capsys: Capture) -> None:
    said = refused(capsys, *models(list(range(30)), list(range(12, 42))), "--id", "id")
    assert "12 ids of 'a' are not in 'b'" in said
    assert "0, 1, 2, 3, 4, 5, 6, 7, 8, 9;" in said
    assert "10," not in said.split(";")[1].split(":")[1]
    assert "Both scored 18 of 30 rows" in said
    assert "--shared" in said


def test_ids_that_occur_twice_are_named(capsys: Capture) -> None:
    said = refused(capsys, *models(list(range(9)), [*range(8), 7]), "--id", "id")
    assert "id 7 comes twice" in said


def test_another_truth_is_named(capsys: Capture) -> None:
    ask = models(list(range(9)), list(range(9)), other_truth=True)
    said = refused(capsys, *ask, "--id", "id")
    assert "id 3 has two truths: 1 for model 'a'" in said


def test_different_rows_without_ids_are_refused(capsys: Capture) -> None:
    for name, count in (("a", 9), ("b", 8)):
        lines = [f"{i % 2},{i % 2}" for i in range(count)]
        rows(f"{name}.csv", "y,label", *lines)
    ask = ("--truth", "y", "--predicted", "label", "--positive", "1")
    said = refused(capsys, "compare", "a.csv", "b.csv", *ask)
    assert "9 and 8 rows" in said


def test_runs_of_different_data_and_splits_are_refused(capsys: Capture) -> None:
    for data, procedure in (("iris", "3-fold"), ("wine", "3-fold"), ("iris", "4-fold")):
        ask = ("--models", "nb", "--procedure", procedure, "--quiet")
        assert call(capsys, "evaluate", data, *ask).code == 0
    said = refused(capsys, "compare", "--runs", "1", "2")
    assert "different data (fingerprints" in said
    assert "iris, 150 rows" in said
    assert "different splits" in refused(capsys, "compare", "--runs", "1", "3")
    assert "no run has the number 9" in refused(capsys, "compare", "--runs", "1", "9")
    assert "at least two models" in refused(capsys, "compare", "--runs", "1")
    assert "it has nb" in refused(capsys, "compare", "--runs", "1:tree", "2")
    assert "holds no runs" in refused(capsys, "compare", "--runs", "1", "--store", "none")


def results(*lines: str) -> None:
    rows("results.csv", "name,model,x", *lines)


def test_missing_values_of_a_results_table_are_named(capsys: Capture) -> None:
    results(*[f"s{i},{m},{'' if (i, m) == (2, 'b') else i}" for i in range(8) for m in "ab"])
    assert "b on s2" in refused(capsys, *RESULTS)
    results(*[f"s{i},{m},{'nan' if (i, m) == (2, 'b') else i}" for i in range(8) for m in "ab"])
    assert "b on s2" in refused(capsys, *RESULTS)


def test_too_few_data_sets_one_model_and_t_tests_are_refused(capsys: Capture) -> None:
    results(*[f"s{i},{m},{i}" for i in range(4) for m in "ab"])
    assert "4 data sets are too few for wilcoxon" in refused(capsys, *RESULTS)
    results(*[f"s{i},a,{i}" for i in range(9)])
    assert "one model only" in refused(capsys, *RESULTS)
    results(*[f"s{i},{m},{i}" for i in range(9) for m in "ab"])
    said = refused(capsys, *RESULTS, "--test", "t-over-sets")
    assert "no common scale" in said
    assert "--force" in said


def test_zero_variance_is_no_error_and_no_nan(capsys: Capture) -> None:
    results(*[f"s{i},{m},{0.5}" for i in range(9) for m in "ab"])
    done = call(capsys, *RESULTS)
    assert done.code == 0
    assert "do not differ on any of 9 data sets" in done.out
    done = call(capsys, *models(list(range(9)), list(range(9))), "--id", "id")
    assert "are equal on these 9 rows" in done.out
    assert "nan" not in done.out.lower()


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (("--test", "corrected-t"), "only one split"),
        (("--test", "plain-t"), "not admissible"),
        (("--test", "mcnemarr"), "did you mean mcnemar"),
        (("--measure", "acuracy"), "did you mean accuracy"),
        (("--level", "95"), "between 0 and 1"),
        (("--margin", "-1"), "above 0"),
        (("--permutations", "3"), "3 permutations: give a whole number from 100 to 1,000,000"),
        (("--permutations", "100000000000"), "from 100 to 1,000,000"),
        (("--correction", "tukey"), "holm or none"),
        (("--plot", "florest.png"), "did you mean forest"),
        (("--plot", "forest.docx"), "must end in"),
        (("--value", "x"), "--datasets"),
        (("--output", "out.xyz"), "cannot tell the format"),
    ],
)
def test_wrong_options_are_refused(capsys: Capture, more: tuple[str, ...], words: str) -> None:
    assert words in refused(capsys, *EXAMPLE, *more, "--quiet")


@pytest.mark.parametrize(
    ("chart", "words"), [("ranks", "many data sets"), ("posterior", "needs cross-validation")]
)
def test_chart_that_cannot_be_costs_no_comparison(capsys: Capture, chart: str, words: str) -> None:
    done = call(capsys, *EXAMPLE, "--plot", f"{chart}.png", "--quiet")
    assert done.code == 2
    assert f"{chart}.png is not drawn: a {chart} chart needs" in done.err
    assert words in done.err
    assert "\nModels" in done.out


def test_options_that_do_not_go_together_are_refused(capsys: Capture) -> None:
    assert "give files" in refused(capsys, "compare")
    said = refused(capsys, "compare", "x.csv", "--datasets", "d", "--truth", "y")
    assert "--truth is for predictions" in said
    assert "give one" in refused(capsys, "compare", "--runs", "1", "--datasets", "d")
    assert "runs know" in refused(capsys, "compare", "--runs", "1", "--truth", "y")


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ((), "give files, or one of"),
        (("--discordance", "0.1"), "give --rows, --difference"),
        (("--discordance", "0.1", "--difference", "0.2"), "at least as large"),
        (("--auc", "0.8", "--rows", "100"), "--prevalence"),
        (("--discordance", "0.1", "--folds", "5"), "--spread"),
        (("--spread", "1", "--rows", "10", "--difference", "-1"), "above 0"),
        (("example:models", "--positive", "spam", "--rows", "9"), "cannot be used with files"),
    ],
)
def test_power_refuses_numbers_that_make_no_sense(
    capsys: Capture, more: tuple[str, ...], words: str
) -> None:
    assert words in refused(capsys, "power", *more)
