"""K03 where no group is named: columns whose values repeat as those of patients do."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import pytest

import heldout
from heldout.cli.main import main

if TYPE_CHECKING:
    from pathlib import Path

ROWS = 1000


def halves(table: pd.DataFrame, seed: int = 0) -> tuple[pd.DataFrame, pd.DataFrame]:
    """A table whose rows were shuffled, in two parts."""
    order = np.random.default_rng(seed).permutation(len(table))
    cut = int(0.7 * len(table))
    return table.iloc[order[:cut]], table.iloc[order[cut:]]


def visits(persons: int = 400, rows: int = 2, name: str = "id") -> pd.DataFrame:
    rng = np.random.default_rng(6)
    person = np.repeat(np.arange(persons), rows)
    table = pd.DataFrame({name: person + 100, "age": rng.integers(20, 80, persons)[person]})
    table["dose"] = rng.normal(size=len(person)).round(2)
    return table.assign(y=rng.choice(["no", "yes"], len(person)))


def ids_in(table: pd.DataFrame, **how: Any) -> list[Any]:
    """What K03 says of both a split into two tables and a procedure."""
    train, test = halves(table)
    audits = [
        heldout.audit(train=train, test=test, target="y", **how),
        heldout.audit(data=table, target="y", procedure="5-fold", **how),
    ]
    return [f for audit in audits for f in audit.findings if f.code == "K03"]


@pytest.mark.parametrize("name", ["id", "patient", "patient_id", "PatientID", "Subject", "user"])
def test_ids_that_repeat_on_both_sides_are_a_warning(name: str) -> None:
    both = ids_in(visits(name=name))
    assert [(f.severity, f.columns) for f in both] == [("warning", (name,))] * 2
    assert f"give groups={name!r}" in both[0].seen
    train, test = halves(visits(name=name))
    share = 100 * test[name].isin(train[name]).mean()
    assert both[0].seen.startswith(f"{share:.3g}% of the test rows have a value of {name!r}")


def test_names_of_patients_are_ids_too() -> None:
    table = visits(name="patient")
    assert len(ids_in(table.assign(patient=[f"P{i:05}" for i in table["patient"]]))) == 2


def test_ids_that_are_groups_or_ignored_are_no_guess() -> None:
    assert not ids_in(visits(), ignore="id")
    named = ids_in(visits(), groups="id")
    assert [f.severity for f in named] == ["error"]


@pytest.mark.parametrize(
    "table",
    [
        visits(persons=12, rows=60, name="grid_id"),
        visits(persons=40, rows=50, name="store_id"),
        visits(persons=800, rows=1, name="id"),
        visits(persons=2, rows=300, name="patient"),
    ],
    ids=["grid", "stores", "rows", "yes or no"],
)
def test_kinds_and_row_numbers_are_no_ids_of_groups(table: pd.DataFrame) -> None:
    assert not ids_in(table)


def test_ids_that_each_table_counts_for_itself_are_not_shared() -> None:
    train, test = visits(400), visits(170)
    sides = [side.assign(id=side["id"] - 99) for side in (train, test)]
    audit = heldout.audit(train=sides[0], test=sides[1], target="y")
    assert not [f for f in audit.findings if f.code == "K03"]


def test_shared_ids_count_in_strict_quiet_and_written_audits(tmp_path: Path) -> None:
    for name, side in zip(("train", "test"), halves(visits()), strict=True):
        side.to_csv(tmp_path / f"{name}.csv", index=False)
    sides = ["--train", str(tmp_path / "train.csv"), "--test", str(tmp_path / "test.csv")]
    out = tmp_path / "audit.json"
    given = ["--target", "y", "--strict", "--quiet", "--output", str(out)]
    assert main(["audit", *sides, *given]) == 3
    assert "K03" in [finding["code"] for finding in json.loads(out.read_text())["findings"]]


@pytest.mark.parametrize("name", ["mrn", "case_no", "Pat. Nr", "Fallnummer", "x"])
def test_patients_are_told_by_what_their_rows_share_whatever_the_column_is_called(
    name: str,
) -> None:
    rng = np.random.default_rng(1)
    person = np.repeat(np.arange(ROWS // 2), 2)
    shared = {"age": (20, 80), "sex": (0, 2), "arm": (0, 3), "nodes": (0, 9)}
    table = pd.DataFrame(
        {name: rng.permutation(9 * ROWS)[: ROWS // 2][person]}
        | {column: rng.integers(*ends, ROWS // 2)[person] for column, ends in shared.items()}
        | {"dose": rng.normal(size=ROWS).round(2), "y": rng.choice(["no", "yes"], ROWS)}
    )
    for finding in (both := ids_in(table)):
        assert (finding.severity, finding.columns) == ("warning", (name,))
        assert "agree in 4 of 6 other columns (age, sex, arm, nodes)" in finding.seen
    assert len(both) == 2
    texts = table.assign(**{name: [f"A{number:05}/x" for number in table[name]]})
    assert [f.severity for f in ids_in(texts)] == ["warning"] * 2


@pytest.mark.parametrize(
    ("name", "severity"), [("mrn", "warning"), ("Pat. Nr", "warning"), ("x", "note")]
)
def test_equally_many_rows_of_each_value_are_evidence_and_so_is_the_name(
    name: str, severity: str
) -> None:
    table = visits(rows=3).drop(columns="age").rename(columns={"id": name})
    assert [f.severity for f in ids_in(table)] == [severity] * 2
    uneven = table.drop(index=np.flatnonzero(np.random.default_rng(2).random(len(table)) < 0.4))
    assert [f.severity for f in ids_in(uneven)] == ["note" if name != "x" else ""] * 2 * (
        name != "x"
    )


def quantities(rng: Any) -> pd.DataFrame:
    """Whole numbers that were measured, of which some follow others."""
    size = rng.normal(size=ROWS)
    table = pd.DataFrame({"age": rng.integers(18, 90, ROWS), "sex": rng.integers(0, 2, ROWS)})
    table["weight"] = (3000 + 500 * size + 200 * rng.normal(size=ROWS)).round()
    table["length"] = (500 + 30 * size + 10 * rng.normal(size=ROWS)).round()
    table["no_of_steps"] = rng.poisson(300, ROWS)
    table["pounds"] = (table["weight"] / 453.6).round(1)
    table["era"] = pd.cut(table["age"], [0, 30, 50, 70, 100]).astype(str)
    return table


def days(rng: Any) -> pd.DataFrame:
    """Days that share their weather, some rows each."""
    day = rng.integers(0, 250, ROWS)
    date = np.datetime64("2020-01-01") + day
    weather = {"wind": rng.normal(size=250).round(1)[day], "rain": rng.integers(0, 2, 250)[day]}
    return pd.DataFrame({"date": date.astype(str), **weather, "shop": rng.integers(0, 30, ROWS)})


def places(rng: Any) -> pd.DataFrame:
    """Houses in places with a zip code each, and what is known of the places."""
    at = rng.integers(0, 300, ROWS)
    zips = np.sort(rng.permutation(90_000)[:300] + 10_000)
    known = {"income": rng.normal(50, 10, 300).round(1)[at], "people": rng.permutation(9999)[at]}
    house = {"rooms": rng.integers(1, 8, ROWS), "area": rng.normal(99, 30, ROWS).round()}
    built = rng.integers(1950, 2020, ROWS)
    return pd.DataFrame(
        {"zip": zips[at], "state": zips[at] // 10_000, **known, **house, "b": built}
    )


@pytest.mark.parametrize(
    ("kind", "most"), [(quantities, []), (days, []), (places, ["note", "note"])]
)
def test_quantities_days_and_zip_codes_are_a_note_at_most(kind: Any, most: list[str]) -> None:
    for seed in range(3):
        rng = np.random.default_rng(seed)
        table = kind(rng).assign(y=rng.choice(["no", "yes"], ROWS))
        assert [f.severity for f in ids_in(table)] in ([], most)


def test_copies_among_the_rows_do_not_make_a_quantity_an_id() -> None:
    rng = np.random.default_rng(3)
    table = quantities(rng).assign(y=rng.choice(["no", "yes"], ROWS))
    assert not ids_in(pd.concat([table, table.head(200)], ignore_index=True))
