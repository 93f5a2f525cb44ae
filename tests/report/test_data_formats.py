"""CSV and JSON: the long table, exact numbers, any label, nothing that JSON does not have."""

from __future__ import annotations

import csv
import io
import json
from math import inf, nan

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import heldout
from heldout.assess.results import COLUMNS, Result
from heldout.core.notes import as_notes
from heldout.core.shown import visible
from heldout.report.data_text import csv_text, json_text, plain
from heldout.report.decisions import result_rows
from heldout.report.formats import ENDINGS, FORMATS
from heldout.report.scorecard import scorecard_record
from heldout.report.table import Rows, Text
from tests.report.cards import card, predictions


def csv_text_of(results: list[Result]) -> str:
    return csv_text(result_rows(results))


# control characters are escaped, and what starts like a formula gets an apostrophe
TEXT = st.text(st.characters(blacklist_categories=("Cc", "Cs"))).filter(
    lambda text: not text.startswith(("=", "+", "-", "@"))
)


@given(TEXT, TEXT, st.floats(allow_nan=False, allow_infinity=False))
def test_csv_gives_back_what_went_in(label: str, note: str, value: float) -> None:
    made = csv_text_of([Result("recall", value, 7, as_notes(note), class_=label, level=0.95)])
    head, row = csv.reader(io.StringIO(made, newline=""))
    read = dict(zip(head, row, strict=True))
    assert tuple(head) == COLUMNS
    # invisible characters are escaped: what is seen is what there is
    assert (read["class"], read["note"]) == (visible(label), visible(note))
    assert float(read["value"]) == value
    assert (read["n"], read["low"], read["level"]) == ("7", "", "0.95")


def test_csv_leaves_undefined_empty_and_spells_infinity() -> None:
    made = csv_text_of(
        [Result("a", nan, 1, as_notes("why")), Result("b", inf, 1), Result("c", -inf, 1)]
    )
    values = [row["value"] for row in csv.DictReader(io.StringIO(made))]
    assert values == ["", "Infinity", "-Infinity"]


def test_numpy_numbers_are_written_as_numbers() -> None:
    made = csv_text_of([Result("a", np.float64(0.1), np.int64(3))])
    assert made.splitlines()[1] == ",,,,,,a,0.1,,,,,3,,False"
    assert plain(np.float64(0.5)) == 0.5
    assert type(plain(np.int64(5))) is int


@given(TEXT)
def test_json_holds_any_text(label: str) -> None:
    assert visible(json_text({"label": label}), keep="\n") == json_text({"label": label})
    read = json.loads(json_text({"call": {"label": label}, "results": [label], "none": []}))
    assert read["call"]["label"] == read["results"][0] == label
    assert list(read) == ["heldout", "call", "results", "none"]


def test_json_of_a_card_is_one_line_a_result() -> None:
    made = card([0, 1, 1], [0, 0, 1])
    text = json_text(
        {
            "call": {"command": "score"},
            **scorecard_record(made, made.results(("recall", "precision"))),
        }
    )
    assert sum('"measure":' in line for line in text.splitlines()) == 2
    read = json.loads(text)
    assert [row["value"] for row in read["results"]] == [0.5, 1.0]
    assert read["confusion"]["matrix"] == [[1, 0], [1, 1]]


def test_labels_keep_their_type() -> None:
    made = card([0, 1], [0, 1], (0, 1))
    assert scorecard_record(made, ())["confusion"]["labels"] == [0, 1]
    made = card([0, 1], [0, 1], (False, True))
    assert scorecard_record(made, ())["confusion"]["labels"] == [False, True]


def test_several_models_have_their_confusions_by_name() -> None:
    from heldout.assess.scorecard import score_predictions

    both = [predictions([0, 1], [0, 1], model="a"), predictions([0, 1], [1, 1], model="b")]
    read = scorecard_record(score_predictions(both), ())
    assert {name: part["matrix"] for name, part in read["confusion"]["models"].items()} == {
        "a": [[1, 0], [0, 1]],
        "b": [[0, 1], [0, 1]],
    }


def test_very_many_classes_are_given_as_cells() -> None:
    classes = [f"c{i}" for i in range(2001)]
    truth, predicted = ["c0", "c0", "c2000"], ["c0", "c5", "c2000"]
    made = scorecard_record(heldout.score(truth, predicted, labels=classes), ())["confusion"]
    assert "matrix" not in made
    assert made["cells"] == [["c0", "c0", 1], ["c0", "c5", 1], ["c2000", "c2000", 1]]
    small = heldout.score(["c0"], ["c1"], labels=classes[:2000])
    assert "cells" not in scorecard_record(small, ())["confusion"]


def test_every_format_is_known_by_its_name_and_its_ending_and_can_be_written() -> None:
    assert list(FORMATS) == ["table", "json", "csv", "markdown", "latex"]
    assert list(ENDINGS) == [".json", ".csv", ".md", ".tex", ".txt"]
    content = {
        "document": (Text("words"),),
        "record": {"words": "words"},
        "rows": Rows.of([{"words": "words"}]),
    }
    for form in FORMATS.values():
        assert "words" in form.text(content[form.of])
        assert form.is_data == (form.name in ("json", "csv"))
