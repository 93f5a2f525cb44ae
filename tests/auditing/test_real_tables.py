"""Copies in tables of mixed, coarse and repeated columns are reported, whatever else agrees."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import pytest

import heldout

if TYPE_CHECKING:
    from pathlib import Path

ROWS = 3000


def blood(seed: int = 0) -> pd.DataFrame:
    """Four columns that hardly repeat beside coarse ones that depend on them."""
    rng = np.random.default_rng(seed)
    kappa, lam = rng.lognormal(0.2, 0.5, ROWS), rng.lognormal(0.4, 0.5, ROWS)
    return pd.DataFrame(
        {
            "age": rng.integers(50, 100, ROWS),
            "sex": rng.choice(["F", "M"], ROWS),
            "year": rng.integers(1995, 2004, ROWS),
            "kappa": kappa.round(3),
            "lambda": lam.round(3),
            "group": pd.qcut(kappa + lam, 10, labels=False),
            "creatinine": rng.lognormal(0, 0.3, ROWS).round(3),
            "mgus": (rng.random(ROWS) < 0.02).astype(int),
            "bmi": rng.normal(27, 4, ROWS).round(2),
            "death": rng.choice(["alive", "dead"], ROWS, p=[0.7, 0.3]),
        }
    )


def halves(table: pd.DataFrame, copies: int, seed: int = 1) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Seven rows in ten train; so many of them stand in the test part too."""
    order = np.random.default_rng(seed).permutation(len(table))
    train, test = (table.iloc[rows] for rows in np.split(order, [int(0.7 * len(table))]))
    return train, pd.concat([test, train.head(copies)])


def copies_in(train: Any, test: Any, target: str, **how: Any) -> list[Any]:
    audit = heldout.audit(train=train, test=test, target=target, **how)
    return [finding for finding in audit.findings if finding.code == "K01"]


@pytest.mark.parametrize("copies", [1, 5, 20, 60])
def test_copies_with_columns_that_hardly_repeat_are_errors(copies: int) -> None:
    table = blood()
    assert not copies_in(*halves(table, 0), "death")
    (finding,) = copies_in(*halves(table, copies), "death")
    assert finding.severity == "error"
    assert finding.seen.startswith(f"{copies} of {900 + copies} test rows have an exact copy")


def test_more_columns_do_not_hide_copies() -> None:
    table = blood()
    for name in ("kappa", "lambda", "group", "creatinine", "bmi"):
        (finding,) = copies_in(*halves(table.drop(columns=name), 20), "death")
        assert finding.severity == "error"


def test_coarse_rows_that_are_equal_are_a_note_with_their_number() -> None:
    rng = np.random.default_rng(2)
    table = pd.DataFrame(rng.integers(0, 4, (ROWS, 5)), columns=list("abcde"))
    train, test = halves(table.assign(y=rng.integers(0, 2, ROWS)), 20)
    (finding,) = copies_in(train, test, "y")
    features = list("abcde")
    equal = test[features].merge(train[features].drop_duplicates(), how="inner")
    assert finding.severity == "note"
    assert finding.seen.startswith(f"{len(equal)} of 920 test rows equal a training row, over 5")
    assert finding.seen.endswith("coarse values may explain this (coincidence cannot be excluded)")


def test_copies_among_coarse_features_are_known_by_their_target() -> None:
    rng = np.random.default_rng(3)
    table = pd.DataFrame(rng.integers(0, 5, (ROWS, 5)), columns=list("abcde"))
    table["price"] = rng.lognormal(7, 1, ROWS).round()
    assert [f.severity for f in copies_in(*halves(table, 0), "price")] == ["note"]
    assert [f.severity for f in copies_in(*halves(table, 60), "price")] == ["error"]


def test_copies_with_another_target_are_errors_that_say_so() -> None:
    train, test = halves(blood(), 20)
    test["death"] = np.where(test["death"] == "dead", "alive", "dead")
    (finding,) = copies_in(train, test, "death")
    assert finding.severity == "error"
    assert "20 of them contradict their copy (another label)" in finding.seen


def grades(rng: Any) -> pd.DataFrame:
    """Few rows: a mean grade, a score that follows it, a flag and a class."""
    grade = rng.uniform(2, 4, 32).round(2)
    score = (6 * grade + rng.normal(size=32)).round()
    return pd.DataFrame({"grade": grade, "score": score, "flag": rng.integers(0, 2, 32)})


def functions(rng: Any) -> pd.DataFrame:
    """A whole number and what follows from it: rows that agree in it agree in all."""
    number = rng.integers(0, 60, 60)
    return pd.DataFrame({"n": number, "square": number**2, "five": number // 5, "rest": number % 3})


def test_copies_in_a_table_of_few_rows_are_errors_and_coincidences_are_none() -> None:
    for seed in range(5):
        rng = np.random.default_rng(seed)
        table = grades(rng).assign(y=rng.permutation(["no", "yes"] * 16))
        assert [f.severity for f in copies_in(*halves(table, 16, seed), "y")] == ["error"]
        assert "error" not in [f.severity for f in copies_in(*halves(table, 0, seed), "y")]
        table = functions(rng).assign(y=rng.permutation(["no", "yes"] * 30))
        assert [f.severity for f in copies_in(*halves(table, 0, seed), "y")] == ["note"]


def test_texts_that_are_no_features_tell_copies_from_coincidences() -> None:
    rng = np.random.default_rng(4)
    words = np.array([f"word{i}" for i in range(300)])
    texts = [" ".join(rng.choice(words, 8)) for _ in range(ROWS)]
    table = pd.DataFrame(rng.integers(0, 2, (ROWS, 2)), columns=["a", "b"])
    table["review"] = [texts[i % (ROWS - 900)] for i in rng.permutation(ROWS)]
    table = table.drop_duplicates("review").assign(y=lambda t: rng.integers(0, 2, len(t)))
    assert [f.severity for f in copies_in(*halves(table, 0), "y")] == ["note"]
    assert [f.severity for f in copies_in(*halves(table, 20), "y")] == ["error"]


def test_order_of_columns_and_how_numbers_are_written_do_not_matter(tmp_path: Path) -> None:
    train, test = halves(blood(), 20)
    test = test[test.columns[::-1]].astype({"age": float, "year": float})
    train.to_csv(tmp_path / "train.csv", index=False)
    test.to_csv(tmp_path / "test.csv", index=False)
    (finding,) = copies_in(tmp_path / "train.csv", tmp_path / "test.csv", "death")
    assert (finding.severity, len(finding.rows)) == ("error", 20)
    assert "over 9 columns" in finding.seen


@pytest.mark.parametrize("side", [0, 1])
def test_numbers_kept_in_32_bits_are_the_same_numbers(side: int) -> None:
    sides = list(halves(blood(), 20))
    fine = ["kappa", "lambda", "creatinine", "bmi"]
    sides[side] = sides[side].astype(dict.fromkeys(fine, "float32"))
    (finding,) = copies_in(sides[0], sides[1], "death")
    assert (finding.severity, len(finding.rows)) == ("error", 20)


def test_rows_that_repeat_by_nature_are_a_note_and_copies_beside_them_an_error() -> None:
    # some records stand twice in the whole table, before any split
    table = pd.concat([blood(), blood().head(12)])
    for seed in range(5):
        (finding,) = copies_in(*halves(table, 0, seed), "death")
        assert finding.severity == "note"
        (finding,) = copies_in(*halves(table, 20, seed), "death")
        assert finding.severity == "error"


def test_rows_multiplied_before_the_split_are_an_error() -> None:
    dead = blood().query("death == 'dead'").head(100)
    (finding,) = copies_in(*halves(pd.concat([blood(), dead, dead, dead]), 0), "death")
    assert finding.severity == "error"


def test_state_of_rest_is_a_note() -> None:
    rng = np.random.default_rng(5)
    rests = rng.random((ROWS, 1)) < 0.3
    readings = np.where(rests, 0.0, rng.normal(50, 9, (ROWS, 6)).round(1))
    table = pd.DataFrame(readings).add_prefix("s").assign(y=rng.normal(size=ROWS))
    assert [f.severity for f in copies_in(*halves(table, 0), "y")] == ["note"]
    assert [f.severity for f in copies_in(*halves(table, 5), "y")] == ["error"]
    # each class has the state, so that it is more than one row with the target
    classes = table.assign(y=rng.choice(["no", "yes"], ROWS))
    assert [f.severity for f in copies_in(*halves(classes, 0), "y")] == ["note"]


def test_duplicates_in_one_table_are_reported_across_folds() -> None:
    table = pd.concat([blood(), blood().head(20)])
    audit = heldout.audit(data=table, target="death", procedure="10-fold")
    (finding,) = (f for f in audit.findings if f.code == "K01")
    assert finding.severity == "error"
    assert finding.seen.startswith("40 of 3,020 rows occur more than once")
    coarse = table[["sex", "year", "group", "death"]]
    audit = heldout.audit(data=coarse, target="death", procedure="10-fold")
    (finding,) = (f for f in audit.findings if f.code == "K01")
    assert finding.severity == "note"


def test_column_that_is_left_out_is_not_said_to_be_used() -> None:
    rng = np.random.default_rng(7)
    texts = [f"record {i} of {'abc'[i % 3]}{rng.integers(0, 10**6)} {i * i}" for i in range(1500)]
    table = pd.DataFrame({"x": rng.normal(size=1501), "y": rng.integers(0, 2, 1501)})
    notes = heldout.audit(data=table.assign(**{"record id": [*texts, texts[0]]}), target="y").notes
    said = [note for note in notes if "record id" in note]
    assert len(said) == 1
    assert "is not used: free text" in said[0]
