"""Two sides: values of the rows of each, columns that cannot be compared, rows in two parts."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import heldout
from heldout.core.errors import InputError

ROWS = 300


def sides(seed: int = 0) -> tuple[tuple[Any, Any], tuple[Any, Any]]:
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.normal(size=(ROWS, 4)), columns=list("abcd"))
    y = pd.Series(rng.integers(0, 2, ROWS), name="y")
    return (X[:200], y[:200]), (X[200:], y[200:])


def codes(audit: Any) -> set[str]:
    return {finding.code for finding in audit.findings}


def test_groups_and_times_of_each_side_are_a_pair() -> None:
    train, test = sides()
    groups = (np.arange(200) // 4, 1000 + np.arange(100) // 4)
    times = (np.arange(200), np.arange(200, 300))
    audit = heldout.audit(train=train, test=test, groups=groups, time=times)
    assert audit.is_clean
    assert {"K03", "K04"} <= set(audit.checked)
    shared = (groups[0], np.append(groups[1][1:], 7))
    assert codes(heldout.audit(train=train, test=test, groups=shared)) == {"K03"}
    backwards = (times[0], times[1] - 150)
    assert codes(heldout.audit(train=train, test=test, time=backwards)) == {"K04"}


@pytest.mark.parametrize("name", ["groups", "time"])
@pytest.mark.parametrize("values", [np.arange(200), list(range(100)), "a"])
def test_one_array_for_two_sides_is_refused(name: str, values: Any) -> None:
    train, test = sides()
    with pytest.raises(InputError, match=rf"give {name}=\(of train, of test\)"):
        heldout.audit(train=train, test=test, **{name: values})
    with pytest.raises(InputError, match=r"\(of train, of test\)"):
        heldout.audit(train=train, test=train, **{name: np.arange(200)})


def test_name_of_a_column_is_that_of_both_tables() -> None:
    (X, y), (Z, w) = sides()
    train = X.assign(y=y, g=np.arange(200))
    test = Z.assign(y=w, g=np.arange(200, 300))
    audit = heldout.audit(train=train, test=test, target="y", groups="g")
    assert "K03" in audit.checked
    assert audit.is_clean
    pair = heldout.audit(train=train, test=(Z, w), groups=("g", test["g"]), task="classification")
    assert "K03" in pair.checked


def test_data_beside_two_sides_is_refused() -> None:
    train, test = sides()
    with pytest.raises(InputError, match="not both"):
        heldout.audit(train=train, test=test, data="iris")


def test_checks_are_skipped_and_columns_ignored() -> None:
    train, test = sides()
    assert heldout.audit(train=train, test=train, skip="K01").skipped == ("K01",)
    with pytest.raises(InputError, match="say skip=\\['K01'\\]"):
        heldout.audit(train=train, test=train, ignore=["K01"])
    with pytest.raises(InputError, match="no column 'e'"):
        heldout.audit(train=train, test=train, ignore=["e"])
    leak = (train[0].assign(d=train[1]), train[1])
    assert "K05" in codes(heldout.audit(train=leak, test=test))
    assert "K05" not in codes(heldout.audit(train=leak, test=test, ignore=["d"]))


@pytest.mark.parametrize(
    "spoiled",
    [
        lambda X: X.astype(str),
        lambda X: X.round(1).astype(str),
        lambda X: X.round(1).astype(str).map(lambda text: text.replace(".", ",")),
    ],
)
def test_side_of_texts_is_a_warning_and_not_checked(spoiled: Any) -> None:
    train, (X, y) = sides()
    audit = heldout.audit(train=train, test=(spoiled(X), y))
    assert not audit.is_clean
    assert {(f.code, f.severity) for f in audit.findings} == {("K18", "warning")}
    assert "K06" not in audit.checked
    assert {"K06"} <= {one.code for one in audit.unchecked}


def test_decimal_commas_leave_nothing_to_compare() -> None:
    (X, y), (Z, w) = sides()
    commas = Z.round(1).astype(str).map(lambda text: text.replace(".", ","))
    audit = heldout.audit(train=(X.round(1), y), test=(commas, w))
    assert not {"K01", "K02", "K06"} & set(audit.checked)
    assert any("decimal commas" in note for note in audit.notes)


def test_one_column_of_another_type_is_a_note_and_said() -> None:
    train, (X, y) = sides()
    audit = heldout.audit(train=train, test=(X.assign(a="x"), y))
    assert [(f.code, f.severity) for f in audit.findings] == [("K18", "note")]
    partly = {one.code for one in audit.unchecked if one.is_partial}
    assert {"K01", "K06"} <= partly
    assert {"K01", "K06"} <= set(audit.checked)


def test_rows_in_two_parts_are_found_and_not_refused() -> None:
    (X, y), _ = sides()
    splits = [(np.arange(150), np.arange(149, 200)), (np.arange(100, 200), np.arange(100))]
    audit = heldout.audit(X=X, y=y, procedure=splits)
    (finding,) = audit.findings
    assert (finding.code, finding.severity, finding.rows) == ("K01", "error", (150,))
    assert "1 row (row 150) is in both the training and the test part" in finding.seen
    assert heldout.audit(X=X, y=y, procedure=[(np.arange(149), np.arange(149, 200))]).is_clean
    with pytest.raises(InputError, match="row 150 is in two parts"):
        heldout.evaluate("nb", X, y, procedure=splits)
