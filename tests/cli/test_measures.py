"""``heldout measures``: every measure is listed, found by its names and words, and explained."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from heldout.measures.registry import known_names, measures
from tests.cli.running import call, run


def test_list_has_a_line_for_every_measure(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    done = call(capsys, "measures")
    assert done.code == 0
    starts = [line.split()[0] for line in done.out.splitlines() if line.strip()]
    missing = [measure.name for measure in measures() if starts.count(measure.name) != 1]
    assert not missing
    assert max(map(len, done.out.splitlines())) <= 80
    assert f"{len(measures())} measures." in done.out


def test_every_name_explains_its_measure(capsys: pytest.CaptureFixture[str]) -> None:
    from heldout.measures.registry import find

    for name in known_names():
        done = call(capsys, "measures", name)
        assert done.code == 0, name
        assert done.out.splitlines()[0].startswith(find(name).title.split()[0])


def test_explanation_says_all_that_is_declared(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    done = call(capsys, "measures", "tpr")
    assert (
        done.out
        == """\
Recall (sensitivity, true positive rate)
Share of the positives that are predicted positive.

  name             recall
  other names      tpr, true_positive_rate, sensitivity, sens, hit_rate, rec
  formula          TP / (TP + FN)
  range            [0, 1]
  direction        higher is better
  for              two classes, several classes
  several classes  a value for each class, and recall_macro, recall_micro,
                   recall_weighted
  undefined        if no row is positive
  reference        Altman and Bland (1994), BMJ 308:1552
  example          heldout score FILE --measure recall
  see also         precision_at_recall, recall_at_precision
"""
    )


def test_measures_with_the_word_in_their_name_are_named_too(
    capsys: pytest.CaptureFixture[str],
) -> None:
    last = call(capsys, "measures", "recall").out.splitlines()[-1]
    assert last.split()[:2] == ["see", "also"]
    assert "recall_at_precision" in last


def test_parameters_come_with_their_defaults_and_an_example(
    capsys: pytest.CaptureFixture[str],
) -> None:
    done = call(capsys, "measures", "f1")
    assert "beta = 1" in done.out
    assert '--measure "f_score[beta=1]"' in done.out
    assert "(1 + β²) TP" in done.out


def test_words_are_searched_in_names_titles_and_summaries(
    capsys: pytest.CaptureFixture[str],
) -> None:
    done = call(capsys, "measures", "likelihood")
    names = [line.split()[0] for line in done.out.splitlines() if line.startswith("  ")]
    assert {"positive_likelihood_ratio", "negative_likelihood_ratio"} <= set(names)
    assert "recall" not in names


def test_words_of_one_name_need_no_underscore(capsys: pytest.CaptureFixture[str]) -> None:
    assert call(capsys, "measures", "log", "loss").out == call(capsys, "measures", "log_loss").out


def test_json_is_strict_and_whole(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    def refuse(constant: str) -> None:
        raise AssertionError(constant)

    done = call(capsys, "measures", "--format", "json")
    read = json.loads(done.out, parse_constant=refuse)
    assert [entry["name"] for entry in read["measures"]] == [m.name for m in measures()]
    path = tmp_path / "recall.json"
    assert call(capsys, "measures", "recall", "--output", str(path)).out == ""
    (one,) = json.loads(path.read_text(encoding="utf-8"))["measures"]
    assert one["bounds"] == [0.0, 1.0]
    assert one["direction"] == "up"


def test_list_survives_a_terminal_without_unicode() -> None:
    done = run("measures", PYTHONIOENCODING="ascii")
    assert done.code == 0
    assert done.out.isascii()


def test_no_name_is_its_own_other_name() -> None:
    assert not [m.name for m in measures() if m.name in m.aliases]
    assert "matthews_correlation" in next(m for m in measures() if m.name == "mcc").aliases


def test_see_also_takes_whole_words(capsys: pytest.CaptureFixture[str]) -> None:
    done = call(capsys, "measures", "ici")
    assert done.out.startswith("Integrated calibration index")
    assert "specificity" not in done.out
    assert "average_precision" in call(capsys, "measures", "precision").out


def test_an_example_gives_the_parameter_that_must_be_given(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert '"integrated_calibration_index[span=NUMBER]"' in call(capsys, "measures", "ici").out


def test_an_ending_that_means_no_format_is_refused(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    done = call(capsys, "measures", "--output", str(tmp_path / "list.xyz"))
    assert done.code == 2
    assert "cannot tell the format from '.xyz'; end the name with .json, .txt, or give" in done.err
    assert not list(tmp_path.iterdir())


def test_an_improper_score_is_called_so_and_stands_in_no_default_table(
    capsys: pytest.CaptureFixture[str],
) -> None:
    page = " ".join(call(capsys, "measures", "information_score").out.split())
    assert "improper: overconfidence raises it" in page
    assert "largest at p = 1 wherever q is above one half" in page
    shown = ("score", "example:spam", "--positive", "spam")
    assert "Information score" not in call(capsys, *shown).out
    assert "Information score" in call(capsys, *shown, "--all").out
    assert "0.3428" in call(capsys, *shown, "--measure", "information_score").out
