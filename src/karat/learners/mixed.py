"""Models whose scores are of one kind in some splits and of another kind in others."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from karat.learners.outcome import Outcome

__all__ = ["why_mixed"]

#: how messages call the kinds of scores
KINDS = {"probability": "probabilities", "decision": "decision values", "": "no scores"}


def why_mixed(model: str, outcome: Outcome) -> str:
    """That the scores of a model are of several kinds; empty where they are not.

    Examples
    --------
    >>> from dataclasses import replace
    >>> from karat.runner.join import nothing
    >>> why_mixed("svm", replace(nothing(), mixed_kinds=("", "decision")))
    'svm gave decision values in some splits and no scores in others: only its classes count'
    """
    if not outcome.mixed_kinds:
        return ""
    *some, other = (KINDS.get(kind, kind) for kind in reversed(outcome.mixed_kinds))
    listed = " and ".join(some)
    return f"{model} gave {listed} in some splits and {other} in others: only its classes count"
