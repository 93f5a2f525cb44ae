"""How a selection is asked for: what is tried, what decides, and what is shown of the choice."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from heldout.core.options import again, option
from heldout.evaluation.running import EvaluateOptions, RunKeywords
from heldout.uncertainty.options import IntervalOptions, interval_options

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True, slots=True)
class SelectOptions:
    """The options of a selection, checked when made."""

    random: int | None = option("--random N", "Draw N settings at random from the grid.", type=int)
    nested: Any = option(
        "--nested OUTERxINNER",
        'Nested cross-validation: 5x5-fold, or "10-fold / 5-fold" (outer folds / inner folds).',
    )
    seed: int = again(EvaluateOptions, "seed", help="Random seed for splits, draws and models [0].")
    yes: bool = option("--yes", "Allow more than 100,000 fits.")
    measure: Any = option("--measure SPEC", "Measure that decides [accuracy; for regression rmse].")
    aggregate: str | None = option(
        "--aggregate",
        "Mean over folds, or the value of all folds pooled [as in evaluate].",
        choices=("folds", "pooled"),
    )
    rule: str = option(
        "--rule",
        "Choose the best setting, or the simplest within one standard error of it [best].",
        choices=("best", "one-se"),
        default="best",
    )
    simpler: Any = option(
        "--simpler NAME:up|down",
        'Which values are simpler: "k:up", "kernel:linear,rbf" (known for common parameters).',
        many=True,
        default=None,
    )
    race: bool = option("--race", "Drop clearly inferior settings after each split.")
    training_error: bool = again(EvaluateOptions, "training_error")
    level: float = again(IntervalOptions, "level")
    draws: int | None = option(
        "--draws N", "Number of bootstrap draws of the bias-corrected estimate [1000].", type=int
    )

    def __post_init__(self) -> None:
        interval_options(level=self.level)

    @property
    def limits(self) -> IntervalOptions:
        """The options of the intervals."""
        return interval_options(level=self.level)


class SelectKeywords(RunKeywords, total=False):
    """The keywords of ``heldout.select`` as type checkers and editors read them."""

    random: int | None
    nested: Any
    random_state: int
    yes: bool
    measure: Any
    aggregate: str | None
    rule: str
    simpler: Sequence[str] | str | None
    race: bool
    training_error: bool
    level: float
    draws: int | None
