"""Values of all parts made in the same passes are those of each part by itself, for any measure."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import heldout
from heldout.assess.part_values import values_by_part
from heldout.assess.values import averages_for, by_class, is_split, lacking, overall
from heldout.engines.memory import Tallies
from heldout.engines.parts import with_common_prior
from heldout.measures.registry import measures
from heldout.measures.spec import Request
from heldout.tally.confusion import Confusion
from heldout.tally.errors import Errors
from heldout.tally.moments import Moments
from heldout.tally.scores import ScoreCounts

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from heldout.engines.parts import Partition

ROWS = 240
WORTH = [[0, 1], [3, 0]]


@cache
def tallies_of(name: str) -> Tallies:
    """The tallies of a problem whose folds are so small that many measures lack something."""
    rng = np.random.default_rng(3)
    about: dict[str, Any] = {
        "folds": rng.integers(0, 30, ROWS),
        "slices": {"site": rng.choice(list("abc"), ROWS)},
    }
    if name.endswith("weighted"):
        about["sample_weight"] = rng.integers(1, 4, ROWS) / 3
    if name.startswith("binary"):
        truth = rng.integers(0, 2, ROWS)
        score = np.clip(rng.normal(0.3 + 0.4 * truth, 0.3), 0, 1)
        about |= {"y_score": np.round(score, 2), "pos_label": 1, "cost": WORTH, "profit": WORTH}
    elif name.startswith("several"):
        truth = rng.integers(0, 4, ROWS)
        about["y_score"] = rng.dirichlet(np.ones(4), ROWS)
    else:
        truth = np.exp(rng.normal(size=ROWS))
        about |= {"y_pred": truth * np.exp(rng.normal(size=ROWS)), "task": "regression"}
    return heldout.score(truth, **about).tallies[0]


PROBLEMS = ("binary", "binary weighted", "several", "several weighted", "values", "values weighted")


def each_part(whole: Tallies, parts: Partition) -> list[Tallies]:
    """The tallies of each part, made of its rows alone."""
    p = with_common_prior(whole.predictions) if parts.is_sample else whole.predictions
    return [Tallies(p.take(parts.order[parts.stretch(i)])) for i in range(len(parts))]


@pytest.mark.parametrize("by", ["fold", "slice:site"])
@pytest.mark.parametrize("problem", PROBLEMS)
def test_every_measure_has_the_value_and_the_notes_of_each_part_alone(
    problem: str, by: str
) -> None:
    whole = tallies_of(problem)
    parts = whole.parts(by)
    alone = each_part(whole, parts)
    asked = []
    for measure in measures(whole.predictions.task):
        request = Request(measure)
        if lacking(request, whole):
            continue
        if is_split(request, whole.predictions.task):
            asked += [(averaged, False) for averaged in averages_for(request)] + [(request, True)]
        else:
            asked.append((request, False))
    assert len(asked) > 25
    for (request, is_by_class), lines in zip(asked, values_by_part(parts, asked), strict=True):
        values = [by_class(request, t) if is_by_class else [overall(request, t)] for t in alone]
        for k, line in enumerate(lines):
            expected = np.array([of_part[k].value for of_part in values])
            np.testing.assert_allclose(
                line.values, expected, rtol=1e-12, atol=1e-12, err_msg=request.name
            )
            for place, of_part in enumerate(values):
                assert line.value(place).notes == of_part[k].notes, request.name


def total(parts: Any) -> Any:
    """The sum of the tallies of all parts."""
    first, *others = parts.values()
    return sum(others, start=first)


def loss(rows: Any) -> NDArray[Any]:
    """A loss that is infinite for some rows."""
    with np.errstate(divide="ignore"):
        return np.asarray(-np.log(np.round(rows.of_truth, 1)))


@pytest.mark.parametrize("by", [("fold",), ("slice:site", "fold"), ("class",), ("repeat",)])
@pytest.mark.parametrize("problem", ["binary", "binary weighted"])
def test_tallies_of_parts_add_to_that_of_all_rows(problem: str, by: tuple[str, ...]) -> None:
    whole = tallies_of(problem)
    counts, scores = (total(whole.tally(kind, by)) for kind in (Confusion, ScoreCounts))
    np.testing.assert_array_equal(counts.cells, whole.confusion.cells)
    np.testing.assert_allclose(counts.counts, whole.confusion.counts, rtol=1e-12)
    np.testing.assert_array_equal(scores.score, whole.scores.score)
    np.testing.assert_allclose(scores.positives, whole.scores.positives, rtol=1e-12)
    moments, alone = total(whole.tally((loss, {}), by)), whole.moments(loss, {})
    assert moments.infinite == alone.infinite > 0
    for name in ("rows", "weight", "finite_mean", "deviations", "weight_squares"):
        assert getattr(moments, name) == pytest.approx(getattr(alone, name), rel=1e-12)


def test_errors_of_parts_add_to_those_of_all_rows() -> None:
    whole = tallies_of("values weighted")
    made = total(whole.tally(Errors, ("fold",)))
    for name in ("rows", "weight", "truth_mean", "error_deviations", "co_deviations", "largest"):
        assert getattr(made, name) == pytest.approx(getattr(whole.errors, name), rel=1e-12)


def test_large_parts_which_are_tallied_one_by_one_give_the_same() -> None:
    rng = np.random.default_rng(1)
    truth = rng.integers(0, 2, 6_000)
    score = np.clip(rng.normal(0.3 + 0.4 * truth, 0.3), 0, 1)
    card = heldout.score(truth, y_score=score, folds=np.arange(6_000) % 2, pos_label=1)
    whole = card.tallies[0]
    parts = whole.parts("fold")
    assert not parts.is_small
    for rows, alone in zip(parts, each_part(whole, parts), strict=True):
        assert rows.scores == alone.scores
        assert rows.confusion == alone.confusion
        assert rows.moments(loss, {}).mean == pytest.approx(alone.moments(loss, {}).mean)


def test_keys_name_the_parts_in_the_order_of_the_columns() -> None:
    card = heldout.score(
        [1, 0, 1, 0], [1, 0, 0, 0], folds=["b", "a", "b", "a"], slices={"s": [2, 1, 1, 2]}
    )
    made = card.tallies[0].tally(Confusion, ("slice:s", "fold"))
    assert list(made) == [("1", "a"), ("1", "b"), ("2", "a"), ("2", "b")]
    assert made["1", "b"].wrong == 1
    assert list(card.tallies[0].tally(Confusion)) == [()]


def test_law_notices_moments_that_forget_infinite_rows() -> None:
    values = np.array([1.0, np.inf, 2.0, 3.0])
    made = Moments.of_parts(values, np.array([0, 2, 4]))
    assert made.mean.tolist() == [np.inf, 2.5]
    assert made.at(0) == Moments.of(values[:2])
    assert made.at(0) != Moments.of(values[:1])
