"""Columns that are not features by a guess are looked at for leaks, and listed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import heldout
from heldout.report.audit_text import audit_record

ROWS = 400
WORDS = ["red", "green", "blue", "old", "new"]


def table(seed: int = 0, **columns: Any) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, ROWS)
    made = pd.DataFrame({"a": rng.normal(size=ROWS) + y, "b": rng.normal(size=ROWS)})
    for name, make in columns.items():
        made[name] = make(y, rng)
    return made.assign(y=y)


def found(data: pd.DataFrame) -> list[Any]:
    return [f for f in heldout.audit(data=data, target="y").findings if f.code == "K05"]


def telling(y: Any, rng: Any) -> Any:
    return 1000 * y + rng.permutation(ROWS)


@pytest.mark.parametrize("name", ["id", "row", "index", "row_id", "visit_id"])
def test_number_of_the_rows_that_tells_the_class_is_a_warning(name: str) -> None:
    (finding,) = found(table(**{name: telling}))
    assert (finding.severity, finding.columns) == ("warning", (name,))
    assert "the class in 100% of 400 rows" in finding.seen
    assert "not used as a feature" in finding.seen


def test_number_of_the_rows_that_tells_nothing_is_no_finding() -> None:
    for seed in range(3):
        assert not found(table(seed, id=lambda y, rng: rng.permutation(ROWS)))
        assert not found(table(seed, id=lambda y, rng: np.arange(ROWS)))


def test_count_of_sorted_rows_is_a_note() -> None:
    data = table().sort_values("y").assign(id=np.arange(ROWS))
    (finding,) = found(data[["a", "b", "id", "y"]])
    assert finding.severity == "note"
    assert "it counts the rows, which are sorted by the target" in finding.seen


def test_number_in_the_order_of_a_numeric_target_is_a_warning() -> None:
    data = table()
    data["y"] = np.random.default_rng(1).normal(size=ROWS)
    (finding,) = found(data.assign(id=data["y"].rank().astype(int)))
    assert (finding.severity, finding.columns) == ("warning", ("id",))


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("{y}/{i:06d}.png", "the first word"),
        ("img{i:06d}_{y}.png", "the second-to-last word"),
        ("{i:06d}{y}", "the last word"),
        ("{n:06d}.png", "the first number"),
    ],
)
def test_part_of_a_text_that_tells_the_class_is_named(text: str, part: str) -> None:
    def files(y: Any, rng: Any) -> list[str]:
        order = rng.permutation(ROWS)
        return [
            text.format(i=i, y="yes" if c else "no", n=1000 * c + i)
            for i, c in zip(order, y, strict=True)
        ]

    (finding,) = found(table(file=files))
    assert (finding.severity, finding.columns) == ("warning", ("file",))
    assert f"{part} of 'file'" in finding.seen


def test_text_with_a_number_that_is_the_target_is_found() -> None:
    data = table()
    data["y"] = np.random.default_rng(1).normal(size=ROWS).round(3)
    (finding,) = found(data.assign(file=[f"s{i}_{v:.3f}" for i, v in enumerate(data["y"])]))
    assert finding.columns == ("file",)


def test_texts_that_tell_nothing_are_no_finding() -> None:
    for seed in range(3):
        assert not found(table(seed, file=lambda y, rng: [f"img{i:05d}.png" for i in range(ROWS)]))
        assert not found(
            table(
                seed,
                said=lambda y, rng: [
                    f"{' '.join(rng.choice(WORDS, 3))} {i}" for i in rng.permutation(ROWS)
                ],
            )
        )


def test_names_of_many_levels_are_taken_apart_as_well() -> None:
    data = table(file=lambda y, rng: [f"{'yn'[c]}/{i // 2}" for i, c in enumerate(y)])
    assert [f.columns for f in found(data)] == [("file",)]


def test_columns_that_are_no_features_are_listed_with_the_reason() -> None:
    data = table(id=telling, file=lambda y, rng: [f"f{i}" for i in range(ROWS)])
    audit = heldout.audit(data=data, target="y", ignore=["b"])
    assert {(one.name, one.where) for one in audit.left_out} == {
        ("b", "data"),
        ("id", "data"),
        ("file", "data"),
    }
    read = audit_record(audit)
    assert {one["name"]: one["reason"] for one in read["left_out"]}[
        "b"
    ] == "to be ignored, as asked"
    assert any("'id' is not used as a feature" in note for note in read["notes"])
    assert audit.notes == tuple(read["notes"])
    assert "Columns that are not features" in repr(audit)
    assert "'id' is not used as a feature" in " ".join(repr(audit).split())


def test_arrays_list_columns_too() -> None:
    data = table(file=lambda y, rng: [f"{'yn'[c]}{i}" for i, c in enumerate(y)])
    audit = heldout.audit(X=data.drop(columns="y"), y=data["y"])
    assert [one.name for one in audit.left_out] == ["file"]
    assert ("K05", ("file",)) in {(f.code, f.columns) for f in audit.findings}
    values = data[["a", "file"]].to_numpy(object)
    assert [one.name for one in heldout.audit(X=values, y=data["y"]).left_out] == ["x1"]
