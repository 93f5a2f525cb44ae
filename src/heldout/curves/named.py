"""A curve by its name: of a scorecard or of tallies, of a model and a class, with a band."""

from __future__ import annotations

from dataclasses import replace
from inspect import signature
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.core.errors import InputError
from heldout.core.nearest import no_option, no_such
from heldout.curves.bands import band_of
from heldout.curves.calibration import calibration
from heldout.curves.curve import absent_band
from heldout.curves.cuts import measure_by_threshold
from heldout.curves.decision import decision
from heldout.curves.folds import FoldRows, average_band, vertical_average
from heldout.curves.hull import JOINT, cost, hull_curve, joint_hull
from heldout.curves.points import drawing_of
from heldout.curves.ranking import det, gain, lift, precision_recall, roc
from heldout.curves.sources import (
    RANKED,
    class_index,
    counts_of,
    fold_positions,
    folds_of,
    lack_of_folds,
    lack_of_scores,
    ranks_folds,
    tallies_of,
    unit_rows,
    units_of,
)
from heldout.measures.spec import parse_request

if TYPE_CHECKING:
    from heldout.core.arrays import Floats
    from heldout.curves.curve import Band, Curve
    from heldout.curves.points import Corners
    from heldout.curves.sources import Card
    from heldout.engines.memory import Tallies
    from heldout.measures.spec import Request
    from heldout.predictions.table import Predictions
    from heldout.tables.column import Label

#: how often the worst point between two limits has limits of its own made
ROUNDS = 3


def holding(band: Band, x: Floats, y: Floats) -> Band:
    """The band, wide enough for all points of its curve, which are in the order of x.

    Limits are made for the height that a curve has reached at each x of a grid. Where it
    climbs straight up (at a false positive rate of 1, say) its lower points would lie below
    them, and where it bends between two x of the grid it may lie above.

    Examples
    --------
    >>> from heldout.curves.curve import Band
    >>> ends = np.array([0.0, 1.0])
    >>> band = Band(ends, np.array([0.0, 1.0]), np.ones(2), 0.95, "pointwise", "")
    >>> holding(band, np.array([0.0, 1.0, 1.0]), np.array([0.5, 0.9, 1.0])).low
    array([0. , 0.9])
    """
    if band.is_absent:
        return band
    for _ in range(ROUNDS):
        beyond = _beyond(band, x, y)
        out = np.flatnonzero(beyond > 0)
        if not len(out):
            return band
        # of each stretch of the grid, and of each x on it, the point that is farthest out
        stretch = np.searchsorted(band.x, x[out], "left") + np.searchsorted(band.x, x[out], "right")
        order = np.lexsort((-beyond[out], stretch))
        worst = out[order[np.append(True, np.diff(stretch[order]) > 0)]]
        grid = np.union1d(band.x, x[worst])
        low, high = band.at(grid)
        at = np.searchsorted(grid, x[worst])
        np.minimum.at(low, at, y[worst])
        np.maximum.at(high, at, y[worst])
        band = replace(band, x=grid, low=low, high=high)
    return _levelled(band, x, y)


def _levelled(band: Band, x: Floats, y: Floats) -> Band:
    """The limits on either side of points that are still out, moved to the height of these."""
    out = np.flatnonzero(_beyond(band, x, y) > 0)
    low, high = band.low.copy(), band.high.copy()
    left, right = np.searchsorted(band.x, x[out]), np.searchsorted(band.x, x[out], "right")
    for at in (left, right - 1):
        np.minimum.at(low, at, y[out])
        np.maximum.at(high, at, y[out])
    return replace(band, low=low, high=high)


def _beyond(band: Band, x: Floats, y: Floats) -> Floats:
    """How far points lie out of the band; NaN where it has no limits."""
    low, high = band.at(x)
    return np.maximum(low - y, y - high)


#: the curves of score counts alone
CURVES: dict[str, Any] = {
    "roc": roc,
    "pr": precision_recall,
    "hull": hull_curve,
    "cost": cost,
    "calibration": calibration,
    "gain": gain,
    "lift": lift,
    "det": det,
    "decision": decision,
}


def _taking(option: str) -> tuple[str, ...]:
    return tuple(name for name, make in CURVES.items() if option in signature(make).parameters)


#: those that are made of probabilities, and have intervals unasked
OF_PROBABILITIES = _taking("rows")
FOLDS = "roc_average"
THRESHOLDS = "thresholds:"
ALIASES = {"precision_recall": "pr", "reliability": "calibration", "roc_hull": "hull"}
#: those that can leave out points in the midst of a line
WITH_CORNERS = _taking("corners")
WITH_BAND = ("roc", "pr", FOLDS)


def curve(
    source: Card | Tallies,
    name: str,
    *,
    model: str = "",
    class_: Label | None = None,
    corners: Corners = False,
    band: str | None = None,
    level: float | None = None,
    replicates: int | None = None,
    seed: int | None = None,
    **options: Any,
) -> Curve:
    """The points of a curve with their thresholds; ``.table()`` gives them as columns.

    Parameters
    ----------
    source
        A scorecard, or the tallies of one model.
    name
        ``roc``, ``pr``, ``hull``, ``cost``, ``calibration``, ``gain``, ``lift``, ``det``,
        ``decision``, ``roc_average`` (of folds), ``joint_hull`` (over all models), or
        ``thresholds:`` with a measure of confusion counts.
    model, class_
        Which model, where there are several; which class against the rest (the positive
        one of two).
    corners
        Leave out points in the midst of straight lines; ``"seen"``: of long curves those that a
        chart cannot show.
    band
        ``pointwise`` or ``simultaneous``, for ``roc``, ``pr`` and ``roc_average``, which can
        also have the ``spread`` of the folds. Calibration and decision curves always have
        their intervals.
    level, replicates, seed
        Of the band; those of the scorecard where they are not given. Without either 0.95,
        2,000 draws and 1.
    options
        What the curve itself takes: ``bins`` and ``strategy`` of a calibration curve (without
        either isotonic regression, with a consistency band),
        ``first`` and ``steps`` of a precision-recall curve, ``method`` of a band.

    Examples
    --------
    >>> import heldout
    >>> card = heldout.score([1, 0, 1, 1], y_score=[0.9, 0.4, 0.8, 0.3])
    >>> points = curve(card, "roc", corners=True)
    >>> points.x.tolist(), points.threshold.tolist()
    ([0.0, 0.0, 1.0, 1.0], [inf, 0.8, 0.4, 0.3])
    """
    known = checked_name(name)
    if known == JOINT:
        _refuse_for_joint(model=model, corners=corners, band=band, **options)
        return joint_hull(source, class_)
    tallies = _own_tallies(source, known, model)
    p = tallies.predictions
    lack = lack_of_scores(tallies)
    if not lack and known in OF_PROBABILITIES and p.score_problem:
        lack = f"needs probabilities: {p.score_problem}"
    if not lack and known == FOLDS:
        lack = lack_of_folds(p)
    if lack:
        whose = f" of model {p.model!r}" if len(getattr(source, "tallies", ())) > 1 else ""
        raise InputError(f"a {known} curve{whose} {lack}")
    if band is not None and known not in WITH_BAND:
        raise InputError(f"a {known} curve has no band: roc, pr and {FOLDS} have")
    if band is None and "method" in options:
        raise InputError("method is that of a band: ask for band='simultaneous' too")
    method = options.pop("method", "bootstrap")
    _refuse_unknown(known, options)
    drawing = drawing_of(
        getattr(source, "intervals", None),
        band=band,
        is_of_folds=known == FOLDS,
        level=level,
        replicates=replicates,
        seed=seed,
    )
    if known == FOLDS:
        line = vertical_average(folds_of(tallies, class_))
    elif known.startswith(THRESHOLDS):
        request = _with_matrix(parse_request(known.removeprefix(THRESHOLDS)), source)
        line = measure_by_threshold(
            counts_of(tallies, class_), request, corners=corners, positive=_place(p, class_)
        )
    else:
        if known in WITH_CORNERS:
            options["corners"] = corners
        if known in OF_PROBABILITIES:
            options |= _limiting(tallies, known, class_, drawing)
        line = CURVES[known](counts_of(tallies, class_), **options)
    if band is not None:
        own = _band(tallies, known, class_, method, drawing)
        line = replace(line, band=holding(own, line.x, line.y))
    return replace(line, model=p.model, class_="" if class_ is None else str(class_))


def _own_tallies(source: Card | Tallies, name: str, model: str) -> Tallies:
    """The tallies of the model; of several a hull can also be had over all."""
    try:
        return tallies_of(source, model)
    except InputError as error:
        if name != "hull" or model:
            raise
        raise InputError(f"{error}, or take {JOINT!r}, the hull over all of them") from None


def _refuse_for_joint(**options: Any) -> None:
    for option, value in options.items():
        if value:
            raise InputError(f"a {JOINT} curve is over all models and has no option {option!r}")


def _limiting(
    tallies: Tallies, name: str, class_: Label | None, drawing: dict[str, Any]
) -> dict[str, Any]:
    """What limits of a curve of probabilities are made by."""
    takes = signature(CURVES[name]).parameters
    rows = unit_rows(tallies, class_)
    return {key: value for key, value in drawing.items() if key in takes} | {"rows": rows}


def _refuse_unknown(name: str, options: dict[str, Any]) -> None:
    takes = ["corners"] if name.startswith(THRESHOLDS) else []
    if name in CURVES:
        takes = [k for k in signature(CURVES[name]).parameters if k not in ("counts", "rows")]
    banded = ["band", "level", "replicates", "seed", "method"] if name in WITH_BAND else []
    for option in options:
        if option not in takes:
            raise no_option(f"a {name} curve", option, (*takes, *banded, "model", "class"))


def _place(predictions: Predictions, class_: Label | None) -> int:
    """Where the positive class stands among two, for a profit matrix; second against a rest."""
    return class_index(predictions, class_) if len(predictions.classes) == 2 else 1


def _band(
    tallies: Tallies, name: str, class_: Label | None, method: str, drawing: dict[str, Any]
) -> Band:
    p = tallies.predictions
    units = units_of(p)
    if units.reason and drawing["kind"] != "spread":
        return absent_band(units.reason, level=drawing["level"], kind=drawing["kind"])
    if name != FOLDS and ranks_folds(p):
        reason = f"{RANKED}: {FOLDS} has a band"
        return absent_band(reason, level=drawing["level"], kind=drawing["kind"])
    rows = unit_rows(tallies, class_)
    if name == FOLDS:
        if rows is not None:
            positive, folds = rows.positive, fold_positions(p).values()
            kept = tuple(f for f in folds if positive[f].any() and not positive[f].all())
            rows = FoldRows(positive, rows.score, rows.weight, rows.units, kept)
        return average_band(folds_of(tallies, class_), rows=rows, **drawing)
    return band_of(counts_of(tallies, class_), name, rows=rows, method=method, **drawing)


def _with_matrix(request: Request, source: Any) -> Request:
    """The request with the scorecard's profit or cost matrix, where it needs one."""
    if request.values.get("matrix", "") is not None:
        return request
    matrix = getattr(source, request.measure.cells or "profit", None)
    return request if matrix is None else request.with_parameter("matrix", matrix)


def checked_name(name: str) -> str:
    """The name of a curve, or an error with the nearest ones.

    Examples
    --------
    >>> checked_name("ROC"), checked_name("precision-recall")
    ('roc', 'pr')
    """
    text = name.strip()
    if text.lower().startswith(THRESHOLDS):
        return THRESHOLDS + text[len(THRESHOLDS) :].strip()
    known = text.lower().replace("-", "_").replace(" ", "_")
    known = ALIASES.get(known, known)
    if known not in CURVES and known not in (FOLDS, JOINT):
        names = [*CURVES, FOLDS, JOINT, f"{THRESHOLDS}f_score"]
        raise no_such("curve", name, names)
    return known
