"""Columns that must agree between models, ids that must not, and orders that decide nothing."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import heldout
from heldout.comparison.compare import compare
from heldout.core.errors import InputError
from heldout.predictions.aligned import align
from tests.comparison.models import binary

ROWS = 40
IDS = np.array([f"r{i:02d}" for i in range(ROWS)])


def written(folder: Path, name: str, *, seed: int, order: Any = None, wards: str = "xyz") -> str:
    """A file of predictions with ids and wards, its rows in an order."""
    rng = np.random.default_rng(seed)
    lines = []
    for i in range(ROWS):
        score = np.clip(0.5 + (i % 2 - 0.5) * 0.4 + rng.normal(0, 0.3), 0.01, 0.99)
        lines.append(f"{IDS[i]},{i % 2},{score:.4f},{wards[i % 3]}")
    kept = lines if order is None else [lines[i] for i in order]
    path = folder / f"{name}.csv"
    path.write_text("\n".join(["id,y,p,ward", *kept]))
    return str(path)


@pytest.mark.parametrize("role", ["group", "by"])
def test_another_group_or_slice_of_the_same_id_is_refused(tmp_path: Path, role: str) -> None:
    one = written(tmp_path, "a", seed=1)
    other = written(tmp_path, "b", seed=2, wards="xyx")
    with pytest.raises(InputError) as caught:
        compare(one, other, truth="y", score="p", id="id", measures="auc", **{role: "ward"})
    said = str(caught.value)
    assert "id r02" in said
    assert "ward=z in 'a'" in said
    assert "ward=x in 'b'" in said
    assert "a.csv" in said
    assert "b.csv" in said


def test_groups_written_as_numbers_or_texts_agree() -> None:
    groups = np.arange(ROWS) % 5
    one = binary("a", 1.0, seed=1, rows=ROWS, ids=IDS, groups=groups)
    other = binary("b", 0.5, seed=2, rows=ROWS, ids=IDS, groups=[str(g) for g in groups])
    assert align([one, other]).is_paired


@pytest.mark.parametrize("how", [{}, {"group": "ward"}])
def test_no_order_of_rows_or_files_changes_a_result(tmp_path: Path, how: dict[str, str]) -> None:
    ask: dict[str, Any] = {"truth": "y", "score": "p", "id": "id", "permutations": 100, **how}
    ask |= {"measures": ["pr_auc"], "test": "permutation", "replicates": 100}
    plain = compare(written(tmp_path, "a", seed=1), written(tmp_path, "b", seed=2), **ask)
    rng = np.random.default_rng(5)
    one = written(tmp_path, "a", seed=1, order=rng.permutation(ROWS))
    other = written(tmp_path, "b", seed=2, order=rng.permutation(ROWS))
    for name in ask["measures"]:
        d = plain[name]
        shuffled = compare(one, other, **ask)[name]
        swapped = compare(other, one, **ask)[name, "a", "b"]
        for found in (shuffled, swapped):
            assert found.p_value == d.p_value
            assert found.interval.low == pytest.approx(d.interval.low, rel=1e-12)
            assert found.interval.high == pytest.approx(d.interval.high, rel=1e-12)


def test_unpaired_models_on_the_same_ids_are_refused_and_forced() -> None:
    one = binary("a", 1.0, seed=1, rows=ROWS, ids=IDS)
    other = binary("b", 0.5, seed=2, rows=ROWS, ids=IDS)
    with pytest.raises(InputError, match=r"judged on the same rows.*leave unpaired=True out"):
        compare(one, other, measures="accuracy", unpaired=True)
    made = compare(one, other, measures="accuracy", unpaired=True, force=True)
    assert made.verdict.startswith("NOT VALID")
    assert any("judged on the same rows" in note for note in made.notes)


def test_ids_that_count_other_rows_may_be_unpaired() -> None:
    one = binary("a", 1.0, seed=1, rows=ROWS, ids=IDS)
    other = replace(binary("b", 0.5, seed=2, rows=ROWS, ids=IDS), truth=1 - one.truth)
    assert not align([one, other], unpaired=True).is_paired


def test_rows_that_some_models_share_are_told_where_taken_as_different() -> None:
    one = binary("a", 1.0, seed=1, rows=ROWS, ids=IDS)
    other = replace(
        binary("b", 0.5, seed=2, rows=ROWS, ids=np.array([f"r{i}" for i in range(30, 70)])),
        truth=np.roll(one.truth, -30),
    )
    note = align([one, other], unpaired=True).note
    assert "10 ids of 'a' and 'b' are the same: rows that both models scored" in note
    apart = replace(other, identifier=np.array([f"s{i}" for i in range(ROWS)]))
    assert align([one, apart], unpaired=True).note.endswith("the comparison is unpaired")


@pytest.mark.parametrize("name", ["margin", "rope"])
def test_sizes_as_large_as_the_range_are_refused(name: str) -> None:
    pair = binary("a", 1.0, seed=1), binary("b", 0.5, seed=2)
    for measure, size in (("accuracy", 5), ("auc", 1)):
        with pytest.raises(InputError, match=rf"{name}={size} .*{measure}.*{size / 100:g} for"):
            compare(*pair, measures=measure, **{name: size})
    assert compare(*pair, measures="mcc", **{name: 1.5})["mcc"].n
    assert compare(*pair, measures="log_loss", **{name: 5})["log_loss"].n


def test_errors_of_python_name_arguments() -> None:
    one = binary("a", 1.0, seed=1, rows=ROWS, ids=IDS)
    with pytest.raises(InputError, match=r"'b' has no id.*\(id=\)"):
        compare(one, binary("b", 0.5, seed=2, rows=ROWS))
    with pytest.raises(InputError, match="1 id of 'a' is not in 'b': r00"):
        align([one, binary("b", 0.5, seed=2, rows=ROWS, ids=IDS).take(np.arange(1, ROWS))])


def equal_models() -> list[Any]:
    """Two models of the same accuracy on other rows, and a poorer one."""
    truth = np.arange(ROWS) % 2
    wrong = {"b": [0, 1], "a": [2, 3], "c": range(20)}
    made = []
    for name, rows in wrong.items():
        predicted = truth.copy()
        predicted[list(rows)] = 1 - predicted[list(rows)]
        made.append(heldout.from_arrays(truth, predicted, pos_label=1, model=name))
    return made


def test_equal_models_have_no_best_in_any_order_of_files() -> None:
    models = equal_models()
    for given in (models, models[::-1]):
        made = compare(*given, measures=["accuracy", "precision"])
        assert made.order("accuracy") == ["a", "b", "c"]
        assert made.equal_best("accuracy") == ["a", "b"]
        assert "disagree" not in made.verdict
        assert "are equal on these 40 rows" in made.verdict


def test_a_short_verdict_calls_ties_equal() -> None:
    from heldout.report.verdict import verdict

    made = compare(*equal_models(), measures="accuracy")
    assert verdict(made)[0].startswith("a and b are equal by accuracy")


def test_undecided_intervals_keep_the_signs_of_the_table() -> None:
    models = [
        binary(name, signal, seed=k)
        for k, (name, signal) in enumerate(
            (("a", 0.4), ("b", 0.8), ("c", 0.75), ("d", 0.7), ("e", 0.72)), 1
        )
    ]
    made = compare(*models, measures=["accuracy", "auc", "brier_score"])
    seen = 0
    for d in made.differences:
        said = made.in_words(d)
        if not d.is_significant:
            scale = 100 if d.is_share else 1
            low, high = scale * d.interval.low, scale * d.interval.high
            assert f"{d.first} minus {d.second}: 95% CI {low:+.3g} to {high:+.3g}" in said
            seen += "not significant after correcting for 30 comparisons" in said
    assert seen


def test_what_is_better_is_not_also_said_to_be_not_worse() -> None:
    pair = binary("a", 1.5, seed=1), binary("b", 0.2, seed=2)
    said = compare(*pair, measures="accuracy", margin=0.05).verdict
    assert "a is better than b" in said
    assert "non-inferior" not in said
