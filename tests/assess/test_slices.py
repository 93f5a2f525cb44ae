"""Measures by slice: values, order, tests, sums, too small slices."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from heldout.assess.slices import SliceTable, slice_tables
from heldout.assess.uncertainty import Uncertainty
from heldout.assess.values import losses_of, overall
from heldout.engines.memory import Tallies
from heldout.measures.spec import Request, parse_request
from heldout.predictions.table import Design, Predictions
from heldout.tables.column import Column
from heldout.tally.confusion import Confusion
from heldout.tally.errors import Errors
from heldout.tally.moments import Moments
from heldout.tally.scores import ScoreCounts
from heldout.uncertainty.options import IntervalOptions
from tests.assess.sliced import binary_rows, its_test, multiclass_rows, regression_rows

BINARY = ["accuracy", "recall", "f_score", "mcc", "auc", "average_precision", "log_loss"]


def requests(*names: str) -> list[Request]:
    return [parse_request(name) for name in names]


def tables(predictions: Predictions, *names: str, **options: Any) -> dict[str, SliceTable]:
    made = slice_tables(Tallies(predictions), requests(*names), **options)
    return {table.measure: table for table in made}


codes = st.lists(st.integers(0, 4), min_size=1, max_size=60).map(np.array)


@given(codes=codes, seed=st.integers(0, 100), weighted=st.booleans())
def test_tallies_of_slices_add_to_the_whole(
    codes: np.ndarray[Any, Any], seed: int, weighted: bool
) -> None:
    weight = np.random.default_rng(seed).integers(0, 4, len(codes)) * 1.0 if weighted else None
    whole = Tallies(binary_rows(codes, seed=seed, weight=weight))
    slices = whole.parts("slice:site")
    (loss,) = losses_of(parse_request("brier"))
    assert sum((t.confusion for t in slices), start=Confusion()) == whole.confusion
    assert sum((t.scores for t in slices), start=ScoreCounts()) == whole.scores
    moments = sum((t.moments(*loss) for t in slices), start=Moments())
    assert moments.rows == whole.moments(*loss).rows
    assert moments.mean == pytest.approx(whole.moments(*loss).mean, nan_ok=True)
    assert moments.deviations == pytest.approx(whole.moments(*loss).deviations, abs=1e-12)
    assert [level for (level,) in slices.keys] == sorted({"abcde"[c] for c in codes.tolist()})


@given(codes=codes)
def test_errors_of_slices_add_to_the_whole(codes: np.ndarray[Any, Any]) -> None:
    tallies = Tallies(regression_rows(codes))
    whole = tallies.errors
    summed = sum((rows.errors for rows in tallies.parts("slice:site")), start=Errors())
    assert summed.rows == whole.rows
    assert summed.error_deviations == pytest.approx(whole.error_deviations)
    assert summed.largest == whole.largest


def test_values_are_those_of_each_slice_alone() -> None:
    where = np.random.default_rng(1).integers(0, 3, 300)
    p = binary_rows(where)
    for name, table in tables(p, *BINARY).items():
        assert {r.slice for r in table.results} == {"a", "b", "c"}
        for result in table.results:
            alone = Tallies(p.take(where == "abc".index(result.slice)))
            assert result.value == pytest.approx(overall(parse_request(name), alone).value)
            assert result.n == len(alone.predictions)
        assert table.macro == pytest.approx(np.mean([r.value for r in table.results]))
        assert table.whole.value == overall(parse_request(name), Tallies(p)).value


def test_worst_slice_stands_first_whichever_way_the_measure_is_good() -> None:
    where = np.random.default_rng(2).integers(0, 4, 4000)
    made = tables(binary_rows(where, worse=0.7), *BINARY)
    for name, table in made.items():
        assert table.results[0].slice == "a", name
        values = [r.value for r in table.results]
        assert values == sorted(values, reverse=name == "log_loss")


def test_slice_that_is_worse_is_flagged_and_others_are_not_called_worse() -> None:
    where = np.random.default_rng(3).integers(0, 5, 6000)
    for name, table in tables(binary_rows(where, worse=0.8), *BINARY).items():
        assert [r.slice for r in table.differing if table.verdict(r) == "worse"] == ["a"], name
        worst = table.results[0]
        assert its_test(worst).corrected < 1e-3
        assert its_test(worst).corrected >= its_test(worst).p_value


def test_alike_slices_are_rarely_flagged() -> None:
    alarms: dict[str, list[bool]] = {}
    for seed in range(15):
        where = np.random.default_rng(seed).integers(0, 5, 400)
        p = binary_rows(where, seed=100 + seed)
        for name, table in tables(p, *BINARY, "expected_calibration_error", seed=seed).items():
            alarms.setdefault(name, []).append(bool(table.differing))
    # of 15 tables 5% give an alarm where all is well; six or more have a chance of 0.00005
    assert max(sum(found) for found in alarms.values()) <= 5
    assert np.mean([np.mean(found) for found in alarms.values()]) < 0.12


def test_a_slice_without_a_clear_difference_is_not_called_alike() -> None:
    where = np.random.default_rng(5).integers(0, 3, 300)
    (table,) = tables(binary_rows(where), "accuracy").values()
    assert {table.verdict(r) for r in table.results} == {"no clear difference"}
    assert table.differing == ()


def test_small_slices_are_said_to_be_small_and_stand_after_the_judged() -> None:
    where = np.concatenate([np.zeros(7, int), np.repeat([1, 2], 100)])
    p = binary_rows(where)
    made = tables(p, "accuracy", "auc")
    small = made["accuracy"].results[-1]
    assert (small.slice, small.n, made["accuracy"].verdict(small)) == ("a", 7, "")
    assert small.note == "too small to judge: 7 rows"
    assert not its_test(small).is_given


def test_macro_note_names_small_slices_and_not_those_whose_rest_is_small() -> None:
    where = np.concatenate([np.zeros(7, int), np.ones(200, int)])
    table = tables(binary_rows(where), "accuracy")["accuracy"]
    notes = {r.slice: r.note for r in table.results}
    assert notes == {"a": "too small to judge: 7 rows", "b": "the rest is too small: 7 rows"}
    assert table.note == "weights slices that are too small to test like the others: a"


def test_few_rows_of_a_class_are_too_few_where_the_class_matters() -> None:
    where = np.repeat([0, 1], 100)
    p = binary_rows(where)
    truth = p.truth.copy()
    truth[:100] = np.arange(100) < 4
    made = tables(
        Predictions("binary", truth, p.predicted, p.scores, ("no", "yes"), 1, slices=p.slices),
        "accuracy",
        "recall",
        "auc",
        "brier",
    )
    notes = {name: {r.slice: r.note for r in table.results}["a"] for name, table in made.items()}
    assert notes["accuracy"] == notes["brier"] == ""
    assert notes["recall"] == "too small to judge: 4 rows of a kind it depends on"
    assert notes["auc"] == notes["recall"]


def test_only_slice_has_no_rest() -> None:
    table = tables(binary_rows(np.zeros(50, int)), "accuracy")["accuracy"]
    assert table.results[0].note == "the only slice"
    assert table.macro == table.whole.value


def test_undefined_slice_is_last_and_left_out_of_the_mean_by_name() -> None:
    where = np.repeat([0, 1, 2], 40)
    p = binary_rows(where)
    predicted = p.predicted.copy()  # type: ignore[union-attr]  # labels were given
    predicted[:40] = 0
    p = Predictions("binary", p.truth, predicted, None, p.classes, 1, slices=p.slices)
    table = tables(p, "precision")["precision"]
    assert table.results[-1].slice == "a"
    assert np.isnan(table.results[-1].value)
    assert table.note == "mean of 2 of 3 slices; undefined in a"


def test_p_values_are_corrected_over_the_slices_of_all_columns() -> None:
    where = np.random.default_rng(5).integers(0, 3, 900)
    p = binary_rows(where)
    twice = replace(p, slices=(p.slices[0], replace(p.slices[0], name="again")))
    once = tables(p, "accuracy")["accuracy"]
    both = slice_tables(Tallies(twice), requests("accuracy"))
    assert [t.column for t in both] == ["site", "again"]
    least = min(its_test(r).p_value for r in once.results)
    assert min(its_test(r).corrected for r in once.results) == pytest.approx(min(3 * least, 1.0))
    assert min(its_test(r).corrected for r in both[0].results) == pytest.approx(min(6 * least, 1.0))


def test_p_values_are_corrected_over_measures_too() -> None:
    where = np.random.default_rng(5).integers(0, 3, 900)
    p = binary_rows(where)
    alone, beside = tables(p, "accuracy"), tables(p, "accuracy", "recall", "brier")
    each = [its_test(r).p_value for table in beside.values() for r in table.results]
    assert len(each) == 9
    assert min(each) in {its_test(r).p_value for table in beside.values() for r in table.results}
    lowest = min(its_test(r).corrected for table in beside.values() for r in table.results)
    assert lowest == pytest.approx(min(9 * min(each), 1.0))
    pairs = zip(alone["accuracy"].results, beside["accuracy"].results, strict=True)
    assert all(its_test(one).corrected <= its_test(other).corrected for one, other in pairs)


def test_two_slices_are_one_test() -> None:
    where = np.repeat([0, 1], [300, 500])
    for name in ("accuracy", "auc", "mcc"):
        table = tables(binary_rows(where, worse=0.3), name)[name]
        one, other = table.results
        assert its_test(one).corrected == its_test(other).corrected, name
        assert its_test(one).corrected == pytest.approx(
            max(its_test(one).p_value, its_test(other).p_value), rel=1e-12
        ), name


def test_intervals_are_those_of_each_slice_alone() -> None:
    where = np.random.default_rng(6).integers(0, 3, 90)
    p, options, request = binary_rows(where), IntervalOptions(), parse_request("accuracy")
    table = tables(p, "accuracy", intervals=options)["accuracy"]
    for result in table.results:
        alone = Tallies(p.take(where == "abc".index(result.slice)))
        interval = Uncertainty(alone, options).of(request, result.value)
        assert (result.low, result.high) == (interval.low, interval.high)


def test_grouped_rows_are_judged_by_their_groups() -> None:
    # each row twenty times says no more than once, if the copies are known to be copies
    where = np.random.default_rng(11).integers(0, 2, 100)
    p = binary_rows(where, seed=0, worse=0.9)
    often = np.repeat(np.arange(100), 20)
    rows = p.take(often)
    groups = Column("patient", often, tuple(range(100)))
    grouped = replace(rows, design=Design(group=groups))
    for name in ("accuracy", "auc", "brier", "f_score"):
        once, alone, whole = (tables(some, name)[name].results[0] for some in (p, rows, grouped))
        assert its_test(alone).p_value < 1e-6 < 1e-4 < its_test(whole).p_value, name
        assert its_test(whole).p_value == pytest.approx(its_test(once).p_value, abs=0.1), name
        assert its_test(whole).method == "Welch's t and permutation of labels, influences of groups"


@pytest.mark.parametrize("weighted", [False, True])
def test_difference_is_that_of_the_slice_and_all_other_rows(weighted: bool) -> None:
    where = np.random.default_rng(13).integers(0, 4, 400)
    weight = np.random.default_rng(14).integers(1, 4, 400) * 1.0 if weighted else None
    sources = [
        (binary_rows(where, weight=weight), [*BINARY, "brier", "expected_calibration_error"]),
        (multiclass_rows(where), ["accuracy", "recall_macro", "hand_till", "information_score"]),
        (regression_rows(where), ["rmse", "r2", "median_absolute_error", "bias"]),
    ]
    for p, names in sources:
        if p.task == "binary":  # so few scores that none are joined
            p = replace(p, scores=np.round(np.asarray(p.scores) * 64) / 64)
        for name, table in tables(p, *names).items():
            for result in table.results:
                inside = where == "abcd".index(result.slice)
                some, rest = (
                    overall(parse_request(name), Tallies(p.take(part))).value
                    for part in (inside, ~inside)
                )
                assert its_test(result).estimate == pytest.approx(some - rest), name


def test_weights_are_heeded() -> None:
    where = np.random.default_rng(8).integers(0, 3, 2400)
    weight = np.random.default_rng(9).integers(1, 4, 2400) * 1.0
    names = [name for name in BINARY if name != "recall"]
    for name, table in tables(binary_rows(where, weight=weight, worse=0.9), *names).items():
        assert table.results[0].slice == "a", name
        assert its_test(table.results[0]).is_given, name
        assert table.verdict(table.results[0]) == "worse", name


def test_regression_and_several_classes_have_slices_too() -> None:
    where = np.random.default_rng(10).integers(0, 4, 2000)
    for name, table in tables(
        regression_rows(where, worse=1.0), "rmse", "mae", "r2", "median_absolute_error"
    ).items():
        assert table.results[0].slice == "a", name
        assert table.verdict(table.results[0]) == "worse", name
    made = tables(
        multiclass_rows(where[:1200]), "accuracy", "recall", "kappa", "top_label_calibration_error"
    )
    assert {"recall_macro", "recall_micro", "recall_weighted"} <= set(made)
    assert all(its_test(r).is_given for table in made.values() for r in table.results)


def test_sums_over_different_numbers_of_rows_are_not_compared() -> None:
    where = np.random.default_rng(12).integers(0, 2, 200)
    table = tables(binary_rows(where), "log_score")["log_score"]
    assert {r.note for r in table.results} == {
        "sums over different numbers of rows are not comparable"
    }
