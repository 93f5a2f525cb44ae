"""Weka's own ARFF files: rows, types, declared values, counts and missing values as known."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from heldout.datasets.read import read_dataset
from heldout.tables.arff import read_arff

NAMES = [
    *("breast-cancer", "contact-lenses", "cpu", "credit-g", "diabetes", "glass", "ionosphere"),
    *("iris", "labor", "soybean", "vote", "weather.nominal", "weather.numeric"),
]


@pytest.fixture(scope="module")
def known(reference: Path) -> dict[str, Any]:
    told = json.loads((reference / "uci_arff" / "expected.json").read_text(encoding="utf-8"))
    return {value["name"]: value["value"] for value in told["values"]}


@pytest.mark.parametrize("name", NAMES)
def test_file_is_read_as_weka_reads_it(name: str, reference: Path, known: dict[str, Any]) -> None:
    arff = read_arff(reference / "uci_arff" / f"{name}.arff")
    assert arff.table.rows == known[f"{name}.rows"]
    assert arff.relation == known[f"{name}.relation"]
    facts = known[f"{name}.attributes"]
    assert [fact["name"] for fact in facts] == list(arff.table.columns)
    for fact, column in zip(facts, arff.table.columns.values(), strict=True):
        if fact["type"] == "nominal":
            gone = np.zeros(len(column), bool) if column.missing is None else column.missing
            counts = np.bincount(column.values[~gone], minlength=len(column.levels))
            assert column.levels == tuple(fact["values"])
            assert counts.tolist() == fact["counts"]
            assert int(gone.sum()) == fact["missing"]
        else:
            values = column.values
            assert int(np.isnan(values).sum()) == fact["missing"]
            assert float(np.nanmean(values)) == pytest.approx(fact["mean"], abs=1e-9)
            assert (np.nanmin(values), np.nanmax(values)) == (fact["min"], fact["max"])


def test_data_set_has_declared_classes_and_their_counts(
    reference: Path, known: dict[str, Any]
) -> None:
    data = read_dataset(reference / "uci_arff" / "glass.arff")
    counts = np.bincount(data.truth, minlength=len(data.classes))
    assert dict(zip(data.classes, counts.tolist(), strict=True)) == known["glass.class_counts"]
    assert data.target == "Type"
    assert any("classes without rows: 'vehic wind non-float'" in note for note in data.notes)


def test_numeric_class_is_a_regression(reference: Path) -> None:
    data = read_dataset(reference / "uci_arff" / "cpu.arff")
    assert data.task == "regression"
    assert len(data.features) == 6
