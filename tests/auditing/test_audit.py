"""The audit as a whole: what it takes, what it says it did, and what it leaves out."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_matrix

import heldout
from heldout.auditing.audit import audited
from heldout.auditing.check import all_checks
from heldout.auditing.material import Material, material_of_scorecard


def arrays(rows: int = 120, seed: int = 1) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.arange(rows) % 2)
    return rng.normal(size=(rows, 4)) + y[:, None], y


def scored(seed: int = 1, **how: Any) -> Any:
    X, y = arrays()
    rng = np.random.default_rng(seed)
    score = 1 / (1 + np.exp(-X[:, 0] - rng.normal(size=120)))
    return heldout.from_arrays(y, y_score=score, pos_label=1, **how)


def test_every_check_is_made_or_said_not_to_be() -> None:
    X, y = arrays()
    for audit in (
        heldout.audit(X=X, y=y),
        heldout.audit(X=X, y=y, procedure="5-fold"),
        heldout.audit(train=(X, y), test=arrays(seed=2)),
        heldout.audit(predictions=scored()),
    ):
        assert audit.is_clean
        said = {*audit.checked, *(u.code for u in audit.unchecked)}
        assert said == {check.code for check in all_checks()}
        assert all(u.reason for u in audit.unchecked)
        assert "no findings" in repr(audit)


def test_leak_between_two_tables_is_found_first() -> None:
    X, y = arrays()
    audit = heldout.audit(train=(X, y), test=(X[:30], y[:30]))
    assert [f.code for f in audit.findings][:1] == ["K01"]
    assert audit.findings[0].rows[:3] == (1, 2, 3)
    assert not audit.is_clean
    assert bool(audit)
    assert list(audit.table["code"]) == [f.code for f in audit.findings]
    for finding in audit.findings:
        for text in (finding.seen, finding.why, finding.fix):
            assert text in audit._repr_html_().replace("&#x27;", "'")


def test_ignored_check_is_neither_made_nor_missed() -> None:
    X, y = arrays()
    audit = heldout.audit(train=(X, y), test=(X, y), skip=["k01"])
    assert "K01" not in {f.code for f in audit.findings} | set(audit.checked)
    assert audit.skipped == ("K01",)


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ({}, "there is nothing to audit"),
        ({"train": "iris"}, "give both train= and test="),
        ({"procedure": "5-fold"}, "procedure= splits data"),
        ({"data": "iris", "skip": ["K99"]}, "no check is called 'K99'"),
        ({"X": [[1.0]]}, "give X and y"),
        ({"train": "iris", "test": "diabetes"}, "regression problem in the test set"),
    ],
)
def test_bad_input_is_named(how: dict[str, Any], said: str) -> None:
    with pytest.raises(heldout.InputError, match=said):
        heldout.audit(**how)


def test_evaluation_and_scorecard_are_taken_as_they_are() -> None:
    X, y = arrays()
    evaluation = heldout.evaluate("lda", X, y, procedure="5-fold", intervals=False)
    of_evaluation = heldout.audit(evaluation)
    assert {"K01", "K08", "K13"} <= set(of_evaluation.checked)
    of_card = heldout.audit(evaluation.scorecard)
    assert "K13" in of_card.checked
    assert "K01" not in of_card.checked


def test_groups_and_time_are_looked_at_over_all_splits() -> None:
    X, y = arrays()
    how = {"X": X, "y": y, "procedure": "5-fold ungrouped"}
    audit = heldout.audit(**how, groups=np.arange(120) // 2, time=np.arange(120))
    seen = {f.code: f.seen for f in audit.findings}
    assert "in 5 of 5 splits" in seen["K03"]
    assert "in 5 of 5 splits" in seen["K04"]
    kept = heldout.audit(X=X, y=y, procedure="time 5", time=np.arange(120))
    assert "K04" not in {f.code for f in kept.findings}
    assert "K04" in kept.checked


def test_costly_checks_are_left_out_above_a_size_and_say_so() -> None:
    X, y = arrays()
    whole = heldout.evaluate("lda", X, y, procedure="5-fold", intervals=False)
    small = Material(data=whole.dataset, splits=whole.splits, most_values=100)
    reasons = {u.code: u.reason for u in audited(small).unchecked}
    costly = {"K01", "K02", "K05", "K06"}
    assert {code for code, reason in reasons.items() if "for size" in reason} == costly
    large = replace(small, most_values=1000)
    assert costly <= set(audited(large).checked)


def test_splits_that_were_not_gone_through_are_said() -> None:
    X, y = arrays()
    whole = heldout.evaluate("lda", X, y, procedure="loo", intervals=False)
    audit = audited(Material(data=whole.dataset, splits=whole.splits, most_values=1200))
    reasons = {u.code: u.reason for u in audit.unchecked if u.is_partial}
    assert reasons["K07"] == "10 of 120 splits were gone through"
    assert "K07" in audit.checked


def test_data_without_columns_are_audited_as_far_as_possible() -> None:
    X, y = arrays()
    audit = heldout.audit(X=csr_matrix(X), y=y, procedure="5-fold")
    assert "K08" in audit.checked
    assert "no columns" in {u.code: u.reason for u in audit.unchecked}["K05"]


def test_ranking_is_not_sorted_again_if_nobody_asked_for_one() -> None:
    card = heldout.score(scored())
    audit = audited(material_of_scorecard(card, most_values=20))
    assert "for size" in {u.code: u.reason for u in audit.unchecked}["K13"]
    card.results(["auc"])
    assert "K13" in audited(material_of_scorecard(card, most_values=20)).checked


def test_chance_below_one_half_is_a_note_and_a_turned_score_a_warning() -> None:
    truth = np.arange(200) % 2
    for seed in range(20):
        score = np.random.default_rng(seed).random(200)
        made = heldout.from_arrays(truth, y_score=score, pos_label=1)
        found = [f.severity for f in heldout.audit(predictions=made).findings if f.code == "K13"]
        assert found in ([], ["note"])
    noise = np.random.default_rng(1).random(200)
    turned = heldout.from_arrays(truth, y_score=1 - 0.2 * truth - 0.8 * noise, pos_label=1)
    assert {f.severity for f in heldout.audit(predictions=turned).findings} == {"warning"}


def test_repeats_of_a_row_are_one_row() -> None:
    truth = np.tile(np.arange(8) % 2, 5)
    made = heldout.from_arrays(
        truth, y_score=np.random.default_rng(1).random(40), pos_label=1, repeats=np.arange(40) // 8
    )
    found = {f.code: f.seen for f in heldout.audit(predictions=made).findings}
    assert "0: 4, 1: 4" in found["K09"]


def test_importing_heldout_does_not_load_the_audit() -> None:
    code = "import sys, heldout; print([m for m in sys.modules if 'auditing' in m])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_infinite_and_missing_values_do_not_stop_the_audit() -> None:
    X, y = arrays()
    X[3, 1], X[4, 1], X[5, 2] = np.inf, -np.inf, np.nan
    for scale in (1.0, 1e300, 1e-300):
        sides = {"train": (X[:80] * scale, y[:80]), "test": (X[80:] * scale, y[80:])}
        assert heldout.audit(**sides).is_clean
    X[:, 3] = np.nan
    assert heldout.audit(X=X, y=y, procedure="5-fold").is_clean


def test_truth_of_the_training_rows_in_their_order_is_found_without_ids() -> None:
    X, y = arrays()
    judged = heldout.from_arrays(y, y_score=X[:, 0], pos_label=1, model="m")
    audit = heldout.audit(train=(X, y), predictions=judged)
    first = audit.findings[0]
    assert (first.code, first.severity, "in the same order" in first.seen) == ("K01", "error", True)
    other = heldout.audit(train=arrays(seed=2), predictions=judged)
    assert "K01" not in {f.code for f in other.findings}
    assert "no ids" in {u.code: u.reason for u in other.unchecked}["K01"]


def test_either_of_two_named_classes_may_be_positive() -> None:
    X, y = arrays()
    named = np.where(y == 1, "sick", "well")
    assert heldout.audit(train=(X[:80], named[:80]), test=(X[80:], named[80:])).is_clean


@pytest.mark.parametrize("bad", [None, 3, [3], {"K01": 1}])
def test_what_is_no_name_is_refused_in_words(bad: Any) -> None:
    X, y = np.arange(40.0).reshape(20, 2), [0, 1] * 10
    for argument in ("ignore", "skip"):
        if bad is None:
            assert heldout.audit(X=X, y=y, **{argument: None}).checked
        else:
            with pytest.raises(heldout.InputError, match=f"{argument}=.*list of names"):
                heldout.audit(X=X, y=y, **{argument: bad})


def test_classes_of_a_row_each_are_no_reason_to_warn() -> None:
    X, y = np.random.default_rng(0).normal(size=(40, 2)), [f"class {i}" for i in range(40)]
    assert "K05" in heldout.audit(X=X, y=y).checked
