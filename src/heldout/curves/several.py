"""Several models or classes: the ROC hull over them, whose stretches it has, the best of many."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from math import lcm, nan
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.core.errors import InputError
from heldout.curves.hull import HULL, hull_curve, slopes, trapezoids
from heldout.curves.sources import counts_of, lack_of_scores
from heldout.engines.memory import Tallies
from heldout.tally.scores import ScoreCounts

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from heldout.curves.curve import Curve
    from heldout.curves.sources import Card
    from heldout.measures.spec import Request
    from heldout.tables.column import Label

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


def _comparable(
    curves: Sequence[Curve], x: NDArray[Any], y: NDArray[Any]
) -> tuple[list[Any], list[Any], float]:
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


def best_models(
    card: Card, request: Request, class_: Label | None = None, *, most: int
) -> list[Tallies]:
    """The models with the best values of a measure of scores, in the order of the card."""
    goodness = np.array(
        [
            request.measure.goodness(request.measure(counts_of(t, class_), **request.values))
            for t in card.tallies
        ],
        float,
    )
    # undefined values sort last
    best = np.sort(np.argsort(-goodness, kind="stable")[:most])
    return [card.tallies[i] for i in best]


def largest_classes(tallies: Tallies, *, most: int) -> list[Label]:
    """The classes with most rows, the largest first."""
    order = np.argsort(-tallies.class_weights, kind="stable")[:most]
    return [tallies.predictions.classes[i] for i in order]
