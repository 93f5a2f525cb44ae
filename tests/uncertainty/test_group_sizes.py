"""Groups of unequal size, counted for what they are worth."""

from __future__ import annotations

import numpy as np
import pytest

import heldout
from heldout.tally.confusion import Confusion
from heldout.uncertainty.cells import ConfusionBootstrap, GroupCells
from heldout.uncertainty.interval import Interval
from heldout.uncertainty.limits import for_few_groups
from heldout.uncertainty.means import group_mean_interval
from heldout.uncertainty.proportions import group_share_interval
from heldout.uncertainty.sample import Sample
from heldout.uncertainty.worth import GroupSizes

PLAIN = Interval(0.7, 0.9, 0.95, "bootstrap")


def test_groups_of_one_size_are_worth_their_number() -> None:
    for size in (1, 7, 0.1, 1e-200, 1e200):
        made = GroupSizes.of(np.full(30, size))
        assert (made.count, made.worth, made.is_unequal) == (30, 30.0, False)
        assert made.largest == pytest.approx(1 / 30)
        assert not made.remark
    assert GroupSizes.of(np.array([3.0]), np.array([30])) == GroupSizes.of(np.full(30, 3.0))


def test_one_large_group_leaves_little() -> None:
    made = GroupSizes.of(np.array([80] + [1] * 20))
    assert made.worth == pytest.approx(100**2 / (80**2 + 20))
    assert made.remark.startswith("21 groups are worth 1.56, as the largest makes up 80 %")
    few = GroupSizes.of(np.array([80, 10, 10]))
    assert few.remark.startswith("only 3 groups: ")
    lone = GroupSizes.of(np.array([80, 5, 5, 5, 5]))
    assert lone.remark.startswith("only 5 groups worth 1.54, as the largest makes up 80 %: ")


def test_unequal_groups_are_stretched_as_fewer_groups() -> None:
    unequal = for_few_groups(PLAIN, 0.8, GroupSizes(40, 12.0, 0.2))
    fewer = for_few_groups(PLAIN, 0.8, GroupSizes.equal(12))
    assert (unequal.low, unequal.high) == (fewer.low, fewer.high)
    assert unequal.method.endswith("stretched for 40 groups worth 12")
    # so that a group with nearly all rows does not leave a Cauchy distribution
    widest = for_few_groups(PLAIN, 0.8, GroupSizes(40, 1.0, 1.0))
    assert widest.width < 10


@pytest.mark.parametrize("measure", ["f_score", "phi_coefficient", "auc", "accuracy", "brier"])
def test_a_group_with_most_rows_is_told(measure: str) -> None:
    rng = np.random.default_rng(3)
    group = np.concatenate([np.zeros(400, int), np.repeat(np.arange(1, 21), 5)])
    truth = rng.integers(0, 2, 500)
    score = np.clip(0.5 + 0.3 * (truth - 0.5) + 0.2 * rng.normal(size=500), 0.01, 0.99)
    made = heldout.score(truth, y_score=score, pos_label=1, groups=group)[measure]
    assert "21 groups are worth 1.56, as the largest makes up 80 %" in made.note
    even = heldout.score(truth, y_score=score, pos_label=1, groups=np.arange(500) % 21)[measure]
    assert "worth" not in even.note


def test_shares_and_means_tell_too() -> None:
    table = np.array([[70.0, 80.0], [0.5, 1.0]])
    sums = Sample(table, np.array([1, 20]))
    for made in (group_share_interval(sums), group_mean_interval(sums, least_error=0.03)):
        assert "as the largest makes up 80 %" in made.note


def test_a_dominant_group_is_covered() -> None:
    """Twenty groups of which one has 80 % of rows, and recall and specificity of their own."""
    rng, hits = np.random.default_rng(4), 0
    sizes = np.array([160] + [2] * 20)
    cells = np.array([[0.63, 0.07], [0.06, 0.24]]).ravel()
    exact = Confusion.from_matrix(cells.reshape(2, 2), positive=1)

    def f_score(c: Confusion) -> object:
        return 2 * c.binary.tp / (2 * c.binary.tp + c.binary.fp + c.binary.fn)

    for seed in range(150):
        table = np.array([rng.multinomial(size, cells) for size in sizes])
        whole = Confusion(2, np.arange(4), table.sum(axis=0), 1)
        sums = Sample(*np.unique(table, axis=0, return_counts=True))
        bootstrap = ConfusionBootstrap(GroupCells(whole, sums), replicates=400, seed=seed)
        made = bootstrap.interval(f_score, kind="percentile", bounds=(0, 1))
        hits += made.contains(float(f_score(exact)))
    assert hits >= 136


def test_rare_errors_that_bunch_in_few_groups_are_told() -> None:
    bunched = np.array([[10.0, 20.0]] * 2 + [[20.0, 20.0]] * 38)
    spread = np.array([[19.0, 20.0]] * 20 + [[20.0, 20.0]] * 20)
    made = [group_share_interval(Sample(t, np.ones(40, int))) for t in (bunched, spread)]
    told = (
        "what the share does not count lies in groups worth 2 of 40: its frequency in other groups"
    )
    assert told in made[0].note
    assert "lies in groups" not in made[1].note
    mirrored = np.column_stack([bunched[:, 1] - bunched[:, 0], bunched[:, 1]])
    other = group_share_interval(Sample(mirrored, np.ones(40, int)))
    assert "what the share counts lies in groups worth 2 of 40" in other.note
    assert (1 - other.high, 1 - other.low) == pytest.approx((made[0].low, made[0].high))
