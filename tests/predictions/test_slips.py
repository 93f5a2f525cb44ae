"""A column of scores with a slip in it: the message shows the slip, not a good value."""

from __future__ import annotations

from pathlib import Path

import pytest

import heldout
from heldout.core.errors import InputError
from heldout.predictions.read import read_predictions


@pytest.mark.parametrize("name", ["p", "score"])
def test_first_value_that_is_no_number_is_shown_with_its_line(tmp_path: Path, name: str) -> None:
    path = tmp_path / "slip.csv"
    path.write_text(f"y,{name},w\n0,0.1,1\n1,abc,1\n0,0.3,1\n1,xyz,1\n")
    with pytest.raises(InputError) as caught:
        read_predictions(path, truth="y")
    message = str(caught.value)
    assert f"column '{name}': no number ('abc') in 2 rows (first: line 3 of " in message
    assert "0.1" not in message


def test_column_of_texts_is_called_so(tmp_path: Path) -> None:
    path = tmp_path / "texts.csv"
    path.write_text("y,p\n0,low\n1,high\n0,low\n1,high\n")
    with pytest.raises(InputError, match=r"holds texts \('high'\), so it is no score"):
        read_predictions(path, truth="y")


@pytest.mark.parametrize("name", ["p", "score", "p_1", "prob_1"])
def test_slip_is_named_where_labels_are_judged_and_scores_asked_for(
    tmp_path: Path, name: str
) -> None:
    path = tmp_path / "slip.csv"
    path.write_text(f"truth,predicted,{name}\n0,0,0.1\n1,1,abc\n0,1,0.3\n1,1,0.9\n")
    said = f"column '{name}': no number ('abc') in 1 row (first: line 3 of {path})"
    (rows,) = read_predictions(path)
    assert rows.lack_of_scores == f"needs scores: {said}"
    assert f"scores: {said}" in rows.notes
    with pytest.raises(InputError, match=r"auc needs scores: .*line 3 of"):
        heldout.score([rows])["auc"]


def test_slip_in_one_of_several_probabilities_is_named(tmp_path: Path) -> None:
    path = tmp_path / "slip.csv"
    rows = "a,a,.8,.1,.1\nb,b,.1,.8,.1\nc,c,.1,x,.8\n"
    path.write_text(f"truth,predicted,p_a,p_b,p_c\n{rows}")
    (made,) = read_predictions(path)
    assert "column 'p_b': no number ('x') in 1 row (first: line 4" in made.lack_of_scores
    assert not any("add 'p_b'" in note for note in made.notes)


def test_text_beside_labels_is_no_slip(tmp_path: Path) -> None:
    path = tmp_path / "words.csv"
    path.write_text("truth,predicted,score\n0,0,low\n1,1,high\n")
    (made,) = read_predictions(path)
    assert made.why_no_scores == ""
