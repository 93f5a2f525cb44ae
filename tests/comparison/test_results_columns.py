"""Columns of a table of results: which are models, which may be none, which cells are bad."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import heldout
from heldout.comparison.over_sets.results import read_results
from heldout.core.errors import InputError
from tests.comparison.tables import longer, table


def with_columns(**more: Any) -> dict[str, Any]:
    return {**table(3), **more}


def test_columns_taken_as_models_are_named() -> None:
    notes = heldout.compare_results(table(3), datasets="set").notes
    assert any(note.startswith("columns taken as models: a, b, c (") for note in notes)
    listed = heldout.compare_results(table(3), datasets="set", models="a,b,c")
    assert not any("taken as models" in note for note in listed.notes)
    long = heldout.compare_results(longer(table(3)), datasets="set", models="model", value="value")
    assert not any("taken as models" in note for note in long.notes)


@pytest.mark.parametrize(
    "column",
    [
        [150 + 97 * i for i in range(12)],
        [2, 3, 2, 2, 5, 7, 2, 3, 2, 4, 2, 6],
        list(range(12)),
        [0.01 * i + 40 for i in range(12)],
    ],
)
def test_columns_of_another_scale_are_doubted_with_the_fix(column: list[float]) -> None:
    notes = read_results(with_columns(extra=column), datasets="set").notes
    assert "WARNING: is 'extra' (" in notes[-1]
    assert notes[-1].endswith("say models='a,b,c'")


def test_several_counts_are_doubted_together() -> None:
    rows = [100 * 3**i for i in range(12)]
    notes = read_results(with_columns(rows=rows, features=list(range(4, 16))), datasets="set").notes
    assert "are 'rows' (" in notes[-1]
    assert "'features' (4 to 15) models?" in notes[-1]


@pytest.mark.parametrize(
    "column",
    [
        np.random.default_rng(1).uniform(0.3, 0.9, 12).tolist(),
        [1.0] * 12,
        [0.12 + 0.01 * i for i in range(12)],
        np.random.default_rng(1).uniform(0.2, 0.5, 12).tolist(),
    ],
)
def test_models_that_are_only_better_or_worse_are_not_doubted(column: list[float]) -> None:
    notes = read_results(with_columns(extra=column), datasets="set").notes
    assert len(notes) == 1


def test_percentages_and_whole_numbers_alone_are_not_doubted() -> None:
    rng = np.random.default_rng(2)
    wide = {"set": list(range(12)), "a": rng.integers(60, 99, 12), "b": rng.integers(60, 99, 12)}
    assert len(read_results(wide, datasets="set").notes) == 1
    errors = {"set": list(range(12)), "a": rng.uniform(1, 900, 12), "b": rng.uniform(1, 900, 12)}
    assert len(read_results(errors, datasets="set").notes) == 1


@pytest.mark.parametrize(
    ("cell", "words"),
    [
        ("?", r"column 'b': no number \('\?'\) in 1 row \(first: line 4 of results.csv\)"),
        ("81.5%", r"no number \('81.5%'\).*write 35.6% as 0.356"),
        ("n. a.", "every column is taken as a model, unless models='A,B,C'"),
    ],
)
def test_bad_cells_are_named(
    cell: str, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    lines = ["name,a,b", *(f"s{i},0.{i + 1},0.{i + 2}" for i in range(8))]
    lines[3] = f"s2,0.3,{cell}"
    Path("results.csv").write_text("\n".join(lines))
    with pytest.raises(InputError, match=words):
        read_results("results.csv", datasets="name")
    with pytest.raises(InputError, match=r"column 'b': no number .* line 4 of results\.csv"):
        read_results("results.csv", datasets="name", models="a,b")


def test_bad_cell_of_a_long_table_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    lines = ["name;model;x", *(f"s{i};{m};0.{i + 1}" for i in range(8) for m in "ab")]
    lines[6] = lines[6].replace("0.", "0,")
    Path("long.csv").write_text("\n".join(lines))
    with pytest.raises(InputError, match=r"'x': no number \('0,3'\).*line 7 .*with a point"):
        read_results("long.csv", datasets="name", models="model", value="x")
    with pytest.raises(InputError, match=r"column 'model': no number \('a'\) in 16 rows"):
        read_results("long.csv", datasets="name", models="name", value="model")


def test_an_infinite_value_is_named_by_its_place_with_the_fix(tmp_path: Path) -> None:
    (path := tmp_path / "r.csv").write_text("set,a,b\nd0,0.1,0.2\nd1,0.3,inf\nd2,0.2,0.1\n")
    with pytest.raises(InputError) as caught:
        read_results(path, datasets="set")
    said = str(caught.value)
    assert f"column 'b': infinite in 1 row (first: line 3 of {path})" in said
    assert said.endswith("write a finite value, or leave the data set out")
