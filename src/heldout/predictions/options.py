"""What a reader may say of the columns of a table: of predictions, and of a data set."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from heldout.core.options import again, option

if TYPE_CHECKING:
    from collections.abc import Mapping

    from heldout.tables.column import Label

__all__ = ["DataOptions", "RoleOptions"]


@dataclass(frozen=True, slots=True)
class RoleOptions:
    """What may be said of the columns of predictions; ``Roles`` says how each is recognised."""

    truth: str | None = option("--truth COLUMN", "The true class or value.")
    predicted: str | None = option("--predicted COLUMN", "The predicted class or value.")
    score: str | None = option("--score COLUMN", "Score or probability of the positive class.")
    score_prefix: str | None = option(
        "--score-prefix TEXT", "Start of a probability column per class."
    )
    scores: Mapping[Label, str] | None = option(
        "--scores CLASS=COLUMN,...", "The probability column of each class."
    )
    weight: str | None = option("--weight COLUMN", "Weight of each row.")
    group: str | None = option("--group COLUMN", "Rows that belong together (a patient, a user).")
    fold: str | None = option("--fold COLUMN", "Fold of a cross-validation.")
    repeat: str | None = option("--repeat COLUMN", "Run of a repeated cross-validation.")
    model: str | None = option("--model COLUMN", "Which model made the prediction.")
    id: str | None = option("--id COLUMN", "Name of the row.")
    by: tuple[str, ...] = option("--by COLUMN", "Judge slices of the rows too.", many=True)
    naive: str | None = option("--naive COLUMN", "Regression: a naive forecast.")
    train_mean: str | float | None = option(
        "--train-mean COLUMN|NUMBER", "Regression: mean of training part."
    )
    train_count_prefix: str | None = option(
        "--train-count-prefix TEXT", "Start of training counts per class."
    )
    positive: Label | None = option("--positive CLASS", "The class of interest, of two.")
    labels: tuple[Label, ...] | None = option("--labels A,B,...", "All classes, in their order.")
    prior: Any = option("--prior CLASS=SHARE,...", "Class probabilities before predicting.")
    threshold: float | None = option(
        "--threshold T", "Positive where the score >= T [0.5].", type=float
    )
    task: str | None = option(
        "--task",
        "The kind of problem, where the values leave it open.",
        choices=("classification", "regression"),
    )
    normalise: bool = option(
        "--normalise", "Divide the probabilities of each row by their sum (rounded digits)."
    )


@dataclass(frozen=True, slots=True)
class DataOptions:
    """What is said of a data set: its columns (in Python beside X: their values), its classes."""

    target: str | None = option("--target COLUMN", "What is predicted [the last column].")
    positive: Any = again(RoleOptions, "positive", keyword="pos_label")
    labels: Any = again(RoleOptions, "labels")
    group: Any = again(
        RoleOptions, "group", keyword="groups", help="Rows that belong together, never parted."
    )
    time: Any = option("--time COLUMN", "What orders the rows in time.")
    fold: Any = again(
        RoleOptions, "fold", keyword="folds", help="The fold of each row (procedure: column)."
    )
    weight: Any = again(
        RoleOptions, "weight", keyword="sample_weight", help="Weight of each row in measures."
    )
    id: str | None = again(RoleOptions, "id")
    ignore: Any = option("--ignore A,B,...", "Columns to leave out.", many=True)
    task: str | None = again(
        RoleOptions, "task", help="The kind of problem, where the target leaves it open."
    )
    drop_missing_target: bool = option(
        "--drop-missing-target", "Leave out rows without a target instead of refusing them."
    )
    drop_missing_time: bool = option(
        "--drop-missing-time", "Leave out rows without a time instead of refusing them."
    )
    by: Any = again(RoleOptions, "by")
