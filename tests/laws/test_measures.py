"""What must hold for every measure in the registry, whatever its family."""

from __future__ import annotations

import re
from math import inf, isfinite, isnan
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import heldout
from heldout.assess.results import Result
from heldout.measures.registry import Measure, find, measures
from heldout.measures.spec import parse_request
from heldout.tally.confusion import Binary, Confusion
from heldout.tally.moments import Moments
from tests.laws.problems import TASKS, Problem, problems, solved

ALL = measures()
Key = tuple[str, str]


def values(problem: Problem, **more: Any) -> dict[Key, Result]:
    """Every measure's result by name and class."""
    kind = len(problem["labels"]) if "labels" in problem else 0
    extra = {"profit": np.arange(kind * kind).reshape(kind, kind)} if kind else {}
    card = heldout.score(**problem, **extra, intervals=False, **more)
    return {(r.measure, r.class_): r for r in card.results(everything=True, per_class=True)}


def declared(result: Result) -> Measure:
    return parse_request(re.sub(r"\[.*\]", "", result.measure)).measure


def same(one: dict[Key, Result], other: dict[Key, Result], keys: Any = None) -> None:
    for key in keys if keys is not None else one:
        a, b = one[key].value, other[key].value
        assert a == pytest.approx(b, rel=1e-7, abs=1e-9, nan_ok=True), key


@pytest.mark.parametrize("task", TASKS)
@given(data=st.data())
def test_value_is_within_declared_bounds_or_undefined_with_a_reason(task: str, data: Any) -> None:
    for key, result in values(data.draw(problems(task))).items():
        low, high = declared(result).bounds
        if isnan(result.value):
            assert result.note, key
        else:
            assert low - 1e-9 <= result.value <= high + 1e-9, (key, result.value)


@pytest.mark.parametrize("task", TASKS)
@given(data=st.data())
def test_order_of_rows_does_not_matter(task: str, data: Any) -> None:
    problem = data.draw(problems(task))
    n = len(problem["y_true"])
    order = np.random.default_rng(data.draw(st.integers(0, 99))).permutation(n)
    shuffled = {
        key: value[order] if isinstance(value, np.ndarray) else value
        for key, value in problem.items()
    }
    same(values(problem), values(shuffled))


@pytest.mark.parametrize("task", TASKS)
@given(data=st.data())
def test_integer_weight_is_repetition_of_the_row(task: str, data: Any) -> None:
    problem = data.draw(problems(task))
    weight = problem.pop("sample_weight", np.ones(len(problem["y_true"])))
    count = weight.astype(int)
    repeated = {
        key: np.repeat(value, count, axis=0) if isinstance(value, np.ndarray) else value
        for key, value in problem.items()
    }
    weighted = values({**problem, "sample_weight": weight})
    # a test takes a weight for something else than a count of rows, and has no result
    kept = [k for k, r in weighted.items() if not (declared(r).by_rows or declared(r).is_test)]
    same(weighted, values(repeated), kept)


@pytest.mark.parametrize("task", TASKS)
@given(data=st.data())
def test_unit_of_weight_does_not_matter_unless_declared(task: str, data: Any) -> None:
    problem = data.draw(problems(task))
    weight = problem.pop("sample_weight", np.ones(len(problem["y_true"])))
    # not powers of two only, which round nothing
    unit = data.draw(st.sampled_from([8.0, 0.1, 1 / 3, 7e-5]))
    one = values({**problem, "sample_weight": weight})
    ten = values({**problem, "sample_weight": weight * unit})
    # the tallies of a test have a scale, but its result has none
    kept = [k for k, r in one.items() if not declared(r).weight_scale or declared(r).is_test]
    same(one, ten, kept)


@given(
    value=st.floats(-1e9, 1e9).filter(bool),
    n=st.integers(2, 40),
    weighted=st.booleans(),
    seed=st.integers(0, 99),
)
def test_a_truth_without_spread_leaves_relative_errors_undefined(
    value: float, n: int, weighted: bool, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    problem: Problem = {
        "y_true": np.full(n, value),
        "y_pred": value * (1.5 + rng.random(n)),
        "sample_weight": rng.random(n) + 0.1 if weighted else None,
        "naive": np.full(n, value) * (1 + 2**-52),
        "task": "regression",
    }
    known = values(problem)
    for name in (
        *("relative_absolute_error", "relative_squared_error", "root_relative_squared_error"),
        *("r2", "explained_variance", "correlation", "squared_correlation", "mase"),
    ):
        assert isnan(known[name, ""].value), name
        assert known[name, ""].note.startswith("undefined: "), name


@pytest.mark.parametrize("task", TASKS)
def test_right_predictions_reach_the_best_value(task: str) -> None:
    for key, result in values(solved(task)).items():
        measure = declared(result)
        if (
            measure.direction in ("up", "down")
            and measure.best is not None
            and isfinite(measure.best)
        ):
            if measure.reaches_best:
                assert result.value == pytest.approx(measure.best, abs=1e-9), key
            else:
                assert measure.direction == "up" or result.value >= measure.best, key


@pytest.mark.parametrize("task", TASKS)
@settings(deadline=None)
@given(data=st.data())
def test_nothing_beats_right_predictions(task: str, data: Any) -> None:
    best = values(solved(task))
    for key, result in values(data.draw(problems(task))).items():
        measure = declared(result)
        if key not in best or isnan(result.value) or not measure.reaches_best:
            continue
        if measure.direction == "up":
            assert result.value <= best[key].value + 1e-9, key
        if measure.direction == "down":
            assert result.value >= best[key].value - 1e-9, key


@pytest.mark.parametrize("measure", ALL, ids=lambda m: m.name)
def test_declaration_is_whole(measure: Measure) -> None:
    assert all((measure.title, measure.formula, measure.reference))
    assert measure.summary.endswith("."), "the first line of the docstring is a sentence"
    assert measure.formula.count("{") == measure.formula.count("}")
    assert measure.bounds[0] < measure.bounds[1]
    assert not measure.undefined.endswith(".")
    assert not measure.undefined[:1].isupper()
    documented = f"{measure.function.__doc__} {getattr(measure.loss, '__doc__', '')}"
    assert measure.example or ">>>" in documented, "it has an example"
    if measure.direction == "target":
        assert measure.best is not None


@pytest.mark.parametrize("measure", [m for m in ALL if m.example], ids=lambda m: m.name)
def test_the_example_of_a_declaration_has_its_value(measure: Measure) -> None:
    assert measure.example is not None
    cells, value = measure.example
    first, *others = measure.needs
    if first is Moments:
        parts: list[Any] = [Moments.of(np.array(c)) for c in (cells if others else [cells])]
    else:
        parts = [Binary(*cells) if first is Binary else Confusion.from_matrix(cells)]
    assert float(measure(*parts)) == pytest.approx(value, abs=1e-6)


@pytest.mark.parametrize("measure", ALL, ids=lambda m: m.name)
def test_every_name_and_alias_finds_the_measure(measure: Measure) -> None:
    for name in (measure.name, *measure.aliases):
        assert find(name) is measure
        assert find(name.upper().replace("_", "-")) is measure


def test_every_tally_of_two_cells_gives_arrays_the_same_values_as_numbers() -> None:
    rng = np.random.default_rng(2)
    counts = rng.integers(0, 4, (4, 40)).astype(float)
    for measure in ALL:
        if measure.needs != (Binary,):
            continue
        defaults = {p.name: p.default for p in measure.parameters}
        together = measure(Binary(*counts), **defaults)
        alone = [measure(Binary(*map(int, column)), **defaults) for column in counts.T]
        np.testing.assert_allclose(together, alone, rtol=1e-12, err_msg=measure.name)


def test_bounds_law_notices_a_measure_out_of_bounds() -> None:
    wrong = Result("accuracy", 1.5, 10)
    low, high = declared(wrong).bounds
    assert not low <= wrong.value <= high


def test_there_are_measures_of_every_task() -> None:
    for task in TASKS:
        assert len(measures(task)) >= 25
        assert 3 <= sum(task in m.headline for m in ALL) <= 20
    assert all(
        m.bounds != (-inf, inf) or m.direction != "up" for m in ALL if m.family == "confusion"
    )
