"""The hull over all models of a scorecard as a table: whose each point is, and each stretch."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from math import nan
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.core.errors import InputError
from heldout.curves.hull import slopes
from heldout.curves.several import hull_of_models
from heldout.curves.sources import counts_of, lack_of_scores
from heldout.engines.memory import Tallies

if TYPE_CHECKING:
    from heldout.curves.curve import Curve
    from heldout.curves.sources import Card
    from heldout.predictions.table import Label

__all__ = ["JOINT", "joint_hull"]

JOINT = "joint_hull"
TITLE = "Convex hull over the ROC curves of all models"
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
    made = hull_of_models({t.predictions.model: counts_of(t, class_) for t in models})
    more: dict[str, Any] = {"model": np.zeros(0, object), "stretch": np.zeros(0, object)}
    more["slope"] = np.zeros(0)
    if not made.is_empty:
        names = made.columns["model"].tolist()
        held = [TOSS.join(dict.fromkeys(pair)) for pair in pairwise(names)]
        more = {
            "model": made.columns["model"],
            "stretch": np.array([*held, ""], object),
            "slope": np.append(slopes(made), nan),
        }
    label = "" if class_ is None else str(class_)
    return replace(made, name=JOINT, title=TITLE, columns=more, class_=label)
