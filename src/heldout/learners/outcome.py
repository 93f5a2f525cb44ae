"""Outcomes: what a model predicted in one or more splits, what that cost, and what failed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from heldout.core.shown import Brief

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from heldout.core.arrays import Array, Floats, Integers

Part = Literal["test", "train"]
ScoreKind = Literal["probability", "decision", ""]

#: how messages call the kinds of scores
KINDS = {"probability": "probabilities", "decision": "decision values", "": "no scores"}


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Outcome(Brief):
    """Predictions of one model in some splits (m of them), all rows below each other.

    A fit gives the outcome of one split; an exact path gives that of thousands at once. In
    classification ``predicted`` holds codes into the data set's classes and ``scores`` a
    column a class (probabilities, or decision values; a binary decision value is a single
    column: the score of ``classes[1]``). In regression ``predicted`` holds floats.
    """

    #: positions of the splits among all splits of the procedure, m values, rising
    splits: Integers
    #: of each row below: which of ``splits`` it was predicted in (0 to m - 1, rising)
    split_of: NDArray[np.int32]
    #: of each row below: its number in the data set
    rows: Integers
    predicted: Array
    scores: Floats | None = None
    score_kind: ScoreKind = ""
    #: rows of each class in the training parts, m by classes (classification)
    train_counts: Integers | None = None
    #: mean of the target in the training parts, m values (regression)
    train_mean: Floats | None = None
    #: size of the training parts, and seconds; m values each (NaN where not measured apart)
    train_rows: Integers | None = None
    fit_seconds: Floats | None = None
    predict_seconds: Floats | None = None
    #: "refit", or the name of the exact path that was taken
    path: str = "refit"
    #: position of a split that gave nothing, and why
    failures: tuple[tuple[int, str], ...] = ()
    #: "train" where the rows are the training rows themselves: optimistic
    part: Part = "test"
    #: position of a split whose fit warned, and of what; once a text
    warnings: tuple[tuple[int, str], ...] = ()
    #: the kinds of scores, sorted, where splits differ in them: then only classes are kept
    mixed_kinds: tuple[str, ...] = ()

    @property
    def seconds(self) -> tuple[int, float, float]:
        """How many fits were timed, and how long all of them and their predictions took."""
        both = self.fit_seconds, self.predict_seconds
        known = [np.empty(0) if each is None else each[~np.isnan(each)] for each in both]
        fit, predict = (float(each.sum()) for each in known)
        return len(known[0]), fit, predict


def why_mixed(model: str, outcome: Outcome) -> str:
    """That the scores of a model are of several kinds; empty where they are not.

    Examples
    --------
    >>> from dataclasses import replace
    >>> from heldout.runner.join import nothing
    >>> why_mixed("svm", replace(nothing(), mixed_kinds=("", "decision")))
    'svm gave decision values in some splits and no scores in others: only its classes count'
    """
    if not outcome.mixed_kinds:
        return ""
    *some, other = (KINDS.get(kind, kind) for kind in reversed(outcome.mixed_kinds))
    listed = " and ".join(some)
    return f"{model} gave {listed} in some splits and {other} in others: only its classes count"
