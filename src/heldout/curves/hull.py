"""The convex hull of the ROC curve, of one model or of several, and what its points cost."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from math import inf, lcm, nan
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.core.errors import InputError
from heldout.curves.curve import Axis, CurveKind
from heldout.curves.points import ONE_CLASS
from heldout.curves.ranking import FALSE_POSITIVE_RATE, SENSITIVITY
from heldout.curves.sources import counts_of, lack_of_scores
from heldout.engines.memory import Tallies
from heldout.tally.hull import hull
from heldout.tally.scores import ScoreCounts

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from heldout.core.arrays import Array, Floats
    from heldout.curves.curve import Curve
    from heldout.curves.sources import Card
    from heldout.tables.column import Label
    from heldout.tally.confusion import Binary

HULL = CurveKind("hull", "Convex hull of the ROC curve", FALSE_POSITIVE_RATE, SENSITIVITY)


@dataclass(frozen=True, slots=True)
class Mixture:
    """Two thresholds and how often to take each.

    A row is called positive if its score reaches ``lower``, with probability ``share``
    (tossed anew for each row), and else if it reaches ``upper``.
    """

    upper: float
    lower: float
    share: float
    false_positive_rate: float
    sensitivity: float
    #: whose thresholds they are, where the hull is over several models
    upper_model: str = ""
    lower_model: str = ""

    @property
    def is_single(self) -> bool:
        """Whether one threshold alone reaches the point."""
        return self.share in (0.0, 1.0)


def hull_curve(counts: ScoreCounts) -> Curve:
    """The upper convex hull of the ROC curve: its vertices are best for some pair of costs.

    Every point of the ROC curve lies on the hull or below it. A point of the hull between two
    vertices is reached by tossing a coin between their thresholds: see ``mixture``.

    Notes
    -----
    Exact in integers for plain counts. Provost & Fawcett (2001), Mach. Learn. 42:203.

    Examples
    --------
    >>> from heldout.tally.scores import ScoreCounts
    >>> truth, score = np.array([True, False, True, False]), np.array([0.9, 0.5, 0.3, 0.1])
    >>> curve = hull_curve(ScoreCounts.of(truth, score))
    >>> curve.x, curve.y, curve.threshold
    (array([0. , 0. , 0.5, 1. ]), array([0. , 0.5, 1. , 1. ]), array([inf, 0.9, 0.3, 0.1]))
    >>> curve.area
    0.875
    """
    if not counts.has_both:
        return HULL.empty(counts, ONE_CLASS)
    vertex = hull(counts)
    x, y = vertex.fp / counts.total_negatives, vertex.tp / counts.total_positives
    threshold = np.where(vertex.position < 0, counts.above_all, counts.score[vertex.position])
    columns = {"tp": vertex.tp, "fp": vertex.fp}
    return HULL.of(counts, x, y, threshold, area=min(trapezoids(x, y), 1.0), columns=columns)


def trapezoids(x: Array, y: Array) -> float:
    """The area under straight lines through points.

    Examples
    --------
    >>> trapezoids(np.array([0.0, 1.0, 3.0]), np.array([0.0, 1.0, 1.0]))
    2.5
    """
    return float(np.einsum("i,i->", np.diff(x), y[1:] + y[:-1]) / 2)


def slopes(curve: Curve) -> Floats:
    """The slope of each edge of a hull, falling; infinite for a vertical one."""
    run, rise = np.diff(curve.x), np.diff(curve.y)
    return np.divide(rise, run, out=np.full(len(run), inf), where=run > 0)


def mixture(
    curve: Curve, false_positive_rate: float | None = None, *, sensitivity: float | None = None
) -> Mixture:
    """The coin toss between two thresholds of a hull that reaches a rate.

    Give the one rate or the other; the best value of the other comes with it.

    Examples
    --------
    >>> from heldout.tally.scores import ScoreCounts
    >>> truth, score = np.array([True, False, True, False]), np.array([0.9, 0.5, 0.3, 0.1])
    >>> toss = mixture(hull_curve(ScoreCounts.of(truth, score)), 0.125)
    >>> toss.upper, toss.lower, toss.share, toss.sensitivity
    (0.9, 0.3, 0.25, 0.625)
    """
    if (false_positive_rate is None) == (sensitivity is None):
        raise InputError("a mixture needs one rate: false_positive_rate or sensitivity")
    if curve.is_empty:
        raise InputError(f"there is no hull to mix on: {curve.reason}")
    # one of the two is there
    rate: float = sensitivity if false_positive_rate is None else false_positive_rate  # type: ignore[assignment]
    if not 0 <= rate <= 1:
        raise InputError(f"a rate must be between 0 and 1, not {rate!r}")
    known, other = (curve.x, curve.y) if sensitivity is None else (curve.y, curve.x)
    # of several vertices with the same rate the best: the last along x, the first along y
    if sensitivity is None:
        left = int(np.searchsorted(known, rate, side="right")) - 1
        right = min(left + 1, len(known) - 1)
        share = 0.0 if known[left] == rate else (rate - known[left]) / (known[right] - known[left])
    else:
        right = int(np.searchsorted(known, rate, side="left"))
        left = max(right - 1, 0)
        share = 1.0 if known[right] == rate else (rate - known[left]) / (known[right] - known[left])
    reached = float(other[left] + share * (other[right] - other[left]))
    models = curve.columns.get("model")
    return Mixture(
        float(curve.threshold[left]),
        float(curve.threshold[right]),
        float(share),
        rate if sensitivity is None else reached,
        reached if sensitivity is None else rate,
        *((str(models[left]), str(models[right])) if models is not None else ()),
    )


PROBABILITY_COST = Axis("probability_cost", "Probability cost of the positive class")
EXPECTED_COST = Axis("expected_cost", "Normalised expected cost")
COST = CurveKind("cost", "Cost curve", PROBABILITY_COST, EXPECTED_COST)
LINE = CurveKind("cost", "Cost line", PROBABILITY_COST, EXPECTED_COST)


def cost(counts: ScoreCounts) -> Curve:
    """The lowest expected cost that any threshold reaches, against the probability cost.

    The probability cost is p c / (p c + (1 - p) d), where p is the share of positives where
    the model is used, c the cost of a false negative and d that of a false positive. The
    expected cost is relative to that of getting every row wrong. Each threshold is a straight
    line, from its false positive rate at 0 to its false negative rate at 1; the curve is the
    lower envelope of all of them, and ``threshold`` is the best one from each point on to the
    next. Calling no row, or every row, positive costs min(x, 1 - x).

    Notes
    -----
    Drummond & Holte (2006), Mach. Learn. 65:95. The lines are the vertices of the ROC hull.

    Examples
    --------
    >>> from heldout.tally.scores import ScoreCounts
    >>> truth, score = np.array([True, False, True, False]), np.array([0.9, 0.5, 0.3, 0.1])
    >>> curve = cost(ScoreCounts.of(truth, score))
    >>> list(curve.table())
    [(0.0, 0.0, 0.9), (0.5, 0.25, 0.3), (1.0, 0.0, 0.1)]
    """
    if not counts.has_both:
        return COST.empty(counts, ONE_CLASS)
    vertex = hull_curve(counts)
    run, rise = np.diff(vertex.x), np.diff(vertex.y)
    # neighbours on the hull cost the same at one probability cost, which rises along the hull
    x = np.concatenate([[0.0], run / (run + rise), [1.0]])
    best = np.concatenate([np.arange(len(vertex)), [len(vertex) - 1]])
    y = (1 - vertex.y[best]) * x + vertex.x[best] * (1 - x)
    kept = np.append(np.diff(x) > 0, True)  # the last of several at one x is best from there
    x, y = x[kept], y[kept]
    return COST.of(counts, x, y, vertex.threshold[best][kept], area=trapezoids(x, y))


def cost_line(binary: Binary) -> Curve:
    """The straight line of one classifier: its false positive rate at 0, its misses at 1.

    Examples
    --------
    >>> from heldout.tally.confusion import Binary
    >>> cost_line(Binary(tp=3, fp=1, fn=1, tn=1)).y.tolist()
    [0.5, 0.25]
    """
    if not binary.positives or not binary.negatives:
        return LINE.empty(ScoreCounts(), ONE_CLASS)
    ends = np.array([binary.fp / binary.negatives, binary.fn / binary.positives])
    return LINE.of(ScoreCounts(), np.array([0.0, 1.0]), ends, area=float(ends.mean()))


def probability_cost(
    prevalence: float, false_negative: float = 1, false_positive: float = 1
) -> float:
    """Where on the cost curve a prevalence and the costs of the two errors lie.

    Examples
    --------
    >>> probability_cost(0.1, false_negative=9, false_positive=1)
    0.5
    """
    if not 0 <= prevalence <= 1 or false_negative < 0 or false_positive < 0:
        raise InputError("a prevalence must be between 0 and 1, and costs must not be negative")
    missed, called = prevalence * false_negative, (1 - prevalence) * false_positive
    if not missed + called:
        raise InputError("no error costs anything there: no cost curve says what is best")
    return missed / (missed + called)


#: rates of weighted rows are equal when only rounding parts them
ROUNDING = 1e-12


@dataclass(frozen=True, slots=True)
class Stretch:
    """A stretch of the hull and the models that hold it.

    ``steepest`` and ``flattest`` are the slopes of its edges: the stretch is best where
    (cost of a false positive x negatives) / (cost of a false negative x positives) lies
    between them. With two models it is a mixture of a threshold of each.
    """

    models: tuple[str, ...]
    start: float
    stop: float
    steepest: float
    flattest: float
    #: whether it is reached only by tossing a coin between two models
    is_mixture: bool = False


def hull_of_models(models: Mapping[str, ScoreCounts]) -> Curve:
    """The convex hull over the ROC curves of several models; each vertex names its model.

    A model of which no vertex is on the hull is never the best choice, whatever the costs.
    Where two models share a vertex the first one given has its name on it. The ends, where no
    row or every row is called positive, every model has: each is that of the model next to it
    on the hull, with that model's threshold.

    Notes
    -----
    Models must be judged on the same classes; in rates, so their numbers of rows may differ.
    Provost & Fawcett (2001), Mach. Learn. 42:203.

    Examples
    --------
    >>> from heldout.tally.scores import ScoreCounts
    >>> truth = np.array([True, True, False, False])
    >>> cautious = ScoreCounts.of(truth, np.array([0.9, 0.1, 0.2, 0.3]))
    >>> lavish = ScoreCounts.of(truth, np.array([0.7, 0.8, 0.9, 0.1]))
    >>> curve = hull_of_models({"cautious": cautious, "lavish": lavish})
    >>> list(zip(curve.x.tolist(), curve.y.tolist(), curve.columns["model"].tolist()))
    [(0.0, 0.0, 'cautious'), (0.0, 0.5, 'cautious'), (0.5, 1.0, 'lavish'), (1.0, 1.0, 'lavish')]
    """
    if not models:
        raise InputError("there are no models to draw a hull over")
    curves = {name: hull_curve(counts) for name, counts in models.items()}
    for name, curve in curves.items():
        if curve.is_empty:
            reason = f"{name}: {curve.reason}" if name else curve.reason
            return HULL.empty(ScoreCounts(), reason)
    x, y, threshold = (
        np.concatenate([getattr(curve, part) for curve in curves.values()])
        for part in ("x", "y", "threshold")
    )
    owner = np.repeat(np.array(list(curves), object), [len(c) for c in curves.values()])
    across, up, rounding = _comparable(list(curves.values()), x, y)
    kept: list[int] = []
    # the sort is stable, so of equal points the first model's comes first, and is kept
    for i in sorted(range(len(across)), key=lambda i: (across[i], up[i])):
        if kept and across[i] == across[kept[-1]] and up[i] == up[kept[-1]]:
            continue
        while len(kept) > 1:
            before, middle = kept[-2:]
            rise = (up[middle] - up[before]) * (across[i] - across[middle])
            if rise > (up[i] - up[middle]) * (across[middle] - across[before]) + rounding:
                break
            kept.pop()
        kept.append(i)
    held, thresholds = owner[kept], threshold[kept]
    if len(kept) > 2:
        for end, beside in ((0, 1), (-1, -2)):
            held[end] = held[beside]
            thresholds[end] = curves[held[end]].threshold[end]
    first, area = next(iter(models.values())), min(trapezoids(x[kept], y[kept]), 1.0)
    return HULL.of(first, x[kept], y[kept], thresholds, area=area, columns={"model": held})


def _comparable(curves: Sequence[Curve], x: Array, y: Array) -> tuple[list[Any], list[Any], float]:
    """The vertices as whole numbers of one unit where counts allow, and what rounding may do."""
    if any(c.columns[part].dtype.kind == "f" for c in curves for part in ("tp", "fp")):
        return x.tolist(), y.tolist(), ROUNDING

    def scaled(part: str) -> list[int]:
        totals = [int(curve.columns[part][-1]) for curve in curves]
        unit = lcm(*totals)
        return [
            count * (unit // total)
            for curve, total in zip(curves, totals, strict=True)
            for count in curve.columns[part].tolist()
        ]

    return scaled("fp"), scaled("tp"), 0.0


def stretches(curve: Curve) -> tuple[Stretch, ...]:
    """Which model holds which stretch of a hull over several models, from left to right.

    A hull that is no better than chance is held by none.

    Examples
    --------
    >>> from heldout.tally.scores import ScoreCounts
    >>> truth = np.array([True, True, False, False])
    >>> cautious = ScoreCounts.of(truth, np.array([0.9, 0.1, 0.2, 0.3]))
    >>> lavish = ScoreCounts.of(truth, np.array([0.7, 0.8, 0.9, 0.1]))
    >>> held = stretches(hull_of_models({"cautious": cautious, "lavish": lavish}))
    >>> [(s.models, s.start, s.stop) for s in held]
    [(('cautious',), 0.0, 0.0), (('cautious', 'lavish'), 0.0, 0.5), (('lavish',), 0.5, 1.0)]
    """
    if curve.is_empty:
        return ()
    names = curve.columns["model"].tolist()
    steep = slopes(curve).tolist()
    held: list[Stretch] = []
    for i, slope in enumerate(steep):
        models = tuple(dict.fromkeys(names[i : i + 2])) if len(names) > 2 else ()
        start, stop = float(curve.x[i]), float(curve.x[i + 1])
        if held and held[-1].models == models:
            held[-1] = replace(held[-1], stop=stop, flattest=slope)
        else:
            held.append(Stretch(models, start, stop, slope, slope, len(models) > 1))
    return tuple(held)


JOINT = "joint_hull"
JOINT_TITLE = "Convex hull over the ROC curves of all models"
#: between the two models of a stretch that is reached by tossing a coin between them
TOSS = " / "


def joint_hull(source: Card | Tallies, class_: Label | None = None) -> Curve:
    """The ROC hull over all models, with the model that holds each point and each stretch.

    Of each point the table has its threshold and the ``model`` whose threshold it is (at the
    ends, where no row or every row is called positive, the model next to them); of the stretch
    from it to the next point the ``stretch``, its model or the two between which a coin is
    tossed, and the ``slope``: the stretch is best where (cost of a false positive x negatives)
    / (cost of a false negative x positives) equals it, the point between that slope and the
    one before.

    Examples
    --------
    >>> import heldout
    >>> truth = [1, 1, 0, 0]
    >>> cautious = heldout.from_arrays(truth, y_score=[0.9, 0.1, 0.2, 0.3], model="cautious")
    >>> lavish = heldout.from_arrays(truth, y_score=[0.7, 0.8, 0.9, 0.1], model="lavish")
    >>> table = joint_hull(heldout.score([cautious, lavish])).table()
    >>> table["model"].tolist(), table["stretch"].tolist()
    (['cautious', 'cautious', 'lavish', 'lavish'], ['cautious', 'cautious / lavish', 'lavish', ''])
    """
    models = (source,) if isinstance(source, Tallies) else source.tallies
    for tallies in models:
        if lack := lack_of_scores(tallies):
            whose = f" of model {tallies.predictions.model!r}" if len(models) > 1 else ""
            raise InputError(f"a {JOINT} curve{whose} {lack}")
    hull = hull_of_models({t.predictions.model: counts_of(t, class_) for t in models})
    more: dict[str, Any] = {"model": np.zeros(0, object), "stretch": np.zeros(0, object)}
    more["slope"] = np.zeros(0)
    if not hull.is_empty:
        names = hull.columns["model"].tolist()
        held = [TOSS.join(dict.fromkeys(pair)) for pair in pairwise(names)]
        more = {
            "model": hull.columns["model"],
            "stretch": np.array([*held, ""], object),
            "slope": np.append(slopes(hull), nan),
        }
    label = "" if class_ is None else str(class_)
    return replace(hull, name=JOINT, title=JOINT_TITLE, columns=more, class_=label)
