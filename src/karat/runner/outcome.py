"""What models predicted, under the runner's name for it."""

from __future__ import annotations

from karat.learners.outcome import Outcome, Part, ScoreKind

__all__ = ["Outcome", "Part", "ScoreKind"]
