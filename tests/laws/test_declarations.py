"""What a measure declares of itself holds, whatever the rows; a false declaration is noticed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from math import isnan
from typing import Any

import numpy as np
import pytest

import heldout
from heldout.assess.forms import of_share_right
from heldout.assess.values import losses_of
from heldout.engines.memory import Tallies
from heldout.measures.kinds import COMPLEMENT, ROOT, SAME, Area, Maximum, Mean, Share, Sum, line
from heldout.measures.registry import Measure, find, measures
from heldout.measures.spec import Request, range_of
from heldout.predictions.table import Predictions
from heldout.tally.confusion import Binary, Confusion
from heldout.tally.errors import Errors
from heldout.tally.moments import Moments
from heldout.tally.rows import ProbabilityRows
from heldout.tally.scores import ScoreCounts

RANDOM = np.random.default_rng(7)
CLASSES = 4
MATRIX = ((3.0, -1.0), (-2.0, 0.5))
SPAN = 0.75
#: a law says whether the declaration of a measure holds
Law = Callable[[Measure], bool]


@pytest.fixture(autouse=True)
def same_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every test has the same rows, in whatever order tests are run."""
    monkeypatch.setattr(f"{__name__}.RANDOM", np.random.default_rng(7))


def given(measure: Measure) -> dict[str, Any]:
    """Parameters as declared; those without a default as they may be."""
    required = {"matrix": MATRIX, "span": SPAN}
    return {
        p.name: required.get(p.name) if p.is_required else p.default for p in measure.parameters
    }


def changed(measure: Measure) -> Iterator[dict[str, Any]]:
    """Parameters with one switch or number of them other than declared."""
    for p in measure.parameters:
        if isinstance(p.default, bool | float):
            other = not p.default if isinstance(p.default, bool) else (p.default + 1) / 2.5
            yield given(measure) | {p.name: other}


def same(one: Any, other: Any) -> bool:
    return bool(np.allclose(one, other, rtol=1e-12, atol=1e-14, equal_nan=True))


def table(positive: int | None = None) -> Confusion:
    return Confusion.from_matrix(RANDOM.integers(1, 30, (2, 2)), positive=positive)


def of_counts(measure: Measure, counts: Confusion) -> Any:
    return counts.binary if measure.needs == (Binary,) else counts


def ranking(positives: int = 12, negatives: int = 17) -> ScoreCounts:
    truth = np.repeat([True, False], [positives, negatives])
    return ScoreCounts.of(truth, np.round(RANDOM.random(positives + negatives), 1) * 0.9 + 0.05)


def follows_from_its_mean(measure: Measure) -> bool:
    losses = RANDOM.random(9) + 0.1
    transform, value = measure.transform, measure(Moments.of(losses), **given(measure))
    assert transform is not None
    # intervals are those of the mean: parameters are the losses' own
    if any(measure(Moments.of(losses), **other) != value for other in changed(measure)):
        return False
    near = losses.mean() * (1 + np.array([-1e-6, 1e-6]))
    slope = np.diff(transform(near))[0] / np.diff(near)[0]
    is_slope = np.allclose(transform.slope(losses.mean()), slope, rtol=1e-6)
    return same(transform(losses.mean()), value) and bool(is_slope)


def is_the_mean_of_its_parts(measure: Measure) -> bool:
    """Of a mean over rows of counts: the whole is the mean of two parts by their rows."""
    first, second = table(1), table(1)
    values = [measure(of_counts(measure, c), **given(measure)) for c in (first, second)]
    rows = [first.total, second.total]
    return same(np.average(values, weights=rows), measure(first + second, **given(measure)))


def follows_from_the_area(measure: Measure) -> bool:
    assert measure.area is not None
    counts = ranking()
    return same(measure.area(find("auc")(counts)), measure(counts, **given(measure)))


def is_its_share(measure: Measure) -> bool:
    assert measure.share is not None
    tally = of_counts(measure, table(1))
    part, whole = measure.share.of(tally)
    return same(part / whole, measure(tally))


def follows_from_right_answers(measure: Measure) -> bool:
    """Weighted by the rows of the classes, it is a function of the share of right rows."""
    share = measure.share
    if share is None or share.of_right is None:
        return True
    counts = Confusion.from_matrix(RANDOM.integers(1, 30, (3, 3)))
    is_of_classes = measure.needs == (Binary,)
    each = measure(counts.one_vs_rest if is_of_classes else counts)
    value = np.average(each, weights=counts.actual) if is_of_classes else each
    return same(share.of_right(counts.correct / counts.total), value)


def is_a_sum_of_its_mean(measure: Measure) -> bool:
    """Twice the rows double it; and what it names as its mean has the order of the sums."""
    assert isinstance(measure.kind, Sum)
    tallies = [_tally(measure, RANDOM) for _ in range(6)]
    values = [measure(*t, **given(measure)) for t in tallies]
    doubled = [measure(*(one + one for one in t), **given(measure)) for t in tallies]
    if not same(np.multiply(2, values), doubled):
        return False
    if not measure.kind.mean:
        return True
    mean = find(measure.kind.mean)
    means = [mean(*t, **given(mean)) for t in tallies]
    orders = [
        np.argsort(np.multiply(each, -1 if m.direction == "up" else 1))
        for m, each in ((measure, values), (mean, means))
    ]
    return bool((orders[0] == orders[1]).all())


def _tally(measure: Measure, rng: Any) -> tuple[Any, ...]:
    """Tallies of ten rows each."""
    if measure.needs == (Confusion,):
        cells = rng.multinomial(10, [0.3, 0.2, 0.1, 0.4]).reshape(2, 2)
        return (Confusion.from_matrix(cells, positive=1),)
    return tuple(Moments.of(rng.random(10) + 0.1) for _ in measure.needs)


def is_the_same_for_either_class(measure: Measure) -> bool:
    if not measure.symmetric:
        return True
    counts, other = table(1), ranking()
    if measure.needs == (Binary,):
        one = counts.binary
        tallies: Any = one, Binary(one.tn, one.fn, one.fp, one.tp)
    elif measure.needs == (Confusion,) and not measure.cells:
        tallies = counts, replace(counts, positive=0)
    elif measure.needs == (ScoreCounts,):
        turned = ScoreCounts((1 - other.score)[::-1], other.negatives[::-1], other.positives[::-1])
        tallies = other, replace(turned, rows=other.rows)
    else:
        return True
    one, two = (measure(t, **given(measure)) for t in tallies)
    return bool(np.allclose(one, two, rtol=1e-6, equal_nan=True))


def needs_its_classes(measure: Measure) -> bool:
    """A ranking is undefined exactly where a class that it needs has no rows."""
    tallies = {0: ranking(positives=0), 1: ranking(negatives=0)}
    for alone, counts in tallies.items():
        with np.errstate(all="ignore"):
            value = float(measure(counts, **given(measure)))
        if isnan(value) != bool(set(measure.needs_classes) - {alone}):
            return False
    return True


def heeds_order_only_if_declared(measure: Measure) -> bool:
    """Other names for the classes, in another order, change an ordered measure alone."""
    request = Request(measure)
    if measure.needs == (Confusion,):
        cells = RANDOM.integers(1, 30, (CLASSES, CLASSES))
        order = [2, 0, 3, 1]
        tables = (Confusion.from_matrix(m) for m in (cells, cells[np.ix_(order, order)]))
        one, other = (measure(t, **given(measure)) for t in tables)
        return same(one, other) != request.is_ordered
    pairs = np.divmod(np.arange(CLASSES**2), CLASSES)
    rows = ProbabilityRows(pairs[0], None, pairs[1], classes=CLASSES)
    ((loss, known),) = losses_of(request)
    with np.errstate(all="ignore"):
        each = np.asarray(loss(rows, **known), float)
    is_right = pairs[0] == pairs[1]
    kinds = [len(np.unique(each[part])) for part in (is_right, ~is_right)]
    return (kinds == [1, 1]) != request.is_ordered


def moves_with_right_answers(measure: Measure) -> bool:
    """The micro average of what judges rises or falls with the share of right rows."""
    for classes in (2, 3, 10):
        value = of_share_right(Request(measure, average="micro"), classes)
        if value is None:
            return measure.direction == "none"
        steps = np.diff([value(right) for right in np.linspace(0.005, 0.995, 100)])
        if not ((steps > 0).all() or (steps < 0).all()):
            return False
    return True


def wrong_labels_reach_its_bound(measure: Measure) -> bool:
    """Of two classes and of three, rows that are surely wrong have the largest value."""
    for labels, positive in ((["a", "b"], "a"), (["a", "b", "c"], None)):
        turned = labels[1:] + labels[:1]
        card = heldout.score(labels, turned, pos_label=positive, intervals=False)
        most = range_of(Request(measure), len(labels))[1]
        if not same(card[measure.name].value, most):
            return False
    return True


def is_the_largest_error(measure: Measure) -> bool:
    truth, predicted = RANDOM.random(8), RANDOM.random(8)
    parts = [measure(Errors.of(truth[s], predicted[s])) for s in (slice(5), slice(5, 8))]
    return same(max(parts), measure(Errors.of(truth, predicted)))


ALL = measures()
CLASSIFIED = [m for m in ALL if "multiclass" in m.tasks]
LAWS: list[tuple[Law, list[Measure], Measure]] = [
    (
        follows_from_its_mean,
        [m for m in ALL if m.needs == (Moments,) and not m.is_sum],
        replace(find("rmse"), kind=Mean(SAME)),
    ),
    (
        is_the_mean_of_its_parts,
        [
            m
            for m in ALL
            if m.needs == (Confusion,) and (m.share is not None or m.transform is SAME)
        ],
        replace(find("balanced_accuracy"), kind=Mean()),
    ),
    (
        follows_from_the_area,
        [m for m in ALL if m.area is not None],
        replace(find("gini"), kind=Area(line(1, -2))),
    ),
    (
        is_its_share,
        [m for m in ALL if m.share is not None],
        replace(find("precision"), kind=Share("tp", "positives")),
    ),
    (
        follows_from_right_answers,
        [m for m in ALL if m.share is not None],
        replace(find("specificity"), kind=Share("tp", "positives")),
    ),
    (
        is_a_sum_of_its_mean,
        [m for m in ALL if isinstance(m.kind, Sum)],
        replace(find("mae"), kind=Sum("mae")),
    ),
    (
        is_the_same_for_either_class,
        [m for m in ALL if "binary" in m.tasks],
        replace(find("average_precision"), symmetric=True),
    ),
    (
        needs_its_classes,
        [m for m in ALL if m.needs == (ScoreCounts,)],
        replace(find("average_precision"), needs_classes=(0, 1)),
    ),
    (
        heeds_order_only_if_declared,
        [
            m
            for m in CLASSIFIED
            if m.needs in ((Confusion,), (Moments,)) and not m.cells and not m.uses_prior
        ],
        replace(find("ranked_probability_score"), ordered=False),
    ),
    (
        moves_with_right_answers,
        [m for m in ALL if m.needs == (Binary,) and m.averaged],
        replace(find("detection_prevalence"), direction="up"),
    ),
    (
        wrong_labels_reach_its_bound,
        [m for m in ALL if m.sums_columns],
        replace(find("brier"), sums_columns=False),
    ),
    (
        is_the_largest_error,
        [m for m in ALL if m.kind == Maximum("errors")],
        replace(find("concordance_correlation"), kind=Maximum("errors")),
    ),
]


@pytest.mark.parametrize(
    ("law", "measure"),
    [(law, m) for law, some, _ in LAWS for m in some],
    ids=lambda part: getattr(part, "name", "") or part.__name__,
)
def test_what_a_measure_declares_holds(law: Law, measure: Measure) -> None:
    assert law(measure)


@pytest.mark.parametrize(("law", "wrong"), [(law, wrong) for law, _, wrong in LAWS])
def test_a_false_declaration_is_noticed(law: Law, wrong: Measure) -> None:
    assert not law(wrong)


def test_transforms_are_told_apart() -> None:
    assert [t.is_line for t in (SAME, COMPLEMENT, ROOT, line(-1, 2))] == [True, True, False, True]


def test_only_one_prior_for_all_classes_makes_losses_of_labels_a_share() -> None:
    truth, predicted = np.array([0, 1, 0, 1, 1, 0]), np.array([0, 1, 1, 1, 0, 0])
    rows = Tallies(Predictions("binary", truth, predicted, None, ("a", "b"), 1)).probability_rows
    assert rows.prior is not None
    assert len(np.unique(rows.prior)) == 1
