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
        "--score-prefix TEXT", "Common prefix of the probability columns, one per class."
    )
    scores: Mapping[Label, str] | None = option(
        "--scores CLASS=COLUMN,...", "The probability column of each class."
    )
    weight: str | None = option("--weight COLUMN", "Weight of each row.")
    group: str | None = option("--group COLUMN", "Group of dependent rows (a patient, a user).")
    fold: str | None = option("--fold COLUMN", "Cross-validation fold of each row.")
    repeat: str | None = option(
        "--repeat COLUMN", "Repeat of each row, for repeated cross-validation."
    )
    model: str | None = option("--model COLUMN", "Model that made each prediction.")
    id: str | None = option("--id COLUMN", "Identifier of each row.")
    by: tuple[str, ...] = option(
        "--by COLUMN", "Also score slices of the rows by this column.", many=True
    )
    naive: str | None = option("--naive COLUMN", "Regression: predictions of a naive forecast.")
    train_mean: str | float | None = option(
        "--train-mean COLUMN|NUMBER", "Regression: mean target of the training data."
    )
    train_count_prefix: str | None = option(
        "--train-count-prefix TEXT", "Common prefix of the class counts in the training data."
    )
    positive: Label | None = option("--positive CLASS", "Positive class (two classes).")
    labels: tuple[Label, ...] | None = option("--labels A,B,...", "All classes, in order.")
    prior: Any = option("--prior CLASS=SHARE,...", "Prior probability of each class.")
    threshold: float | None = option(
        "--threshold T", "Predict positive where score >= T [0.5].", type=float
    )
    task: str | None = option(
        "--task",
        "Type of problem, if the values are ambiguous.",
        choices=("classification", "regression"),
    )
    normalise: bool = option("--normalise", "Rescale the probabilities of each row to sum to 1.")


@dataclass(frozen=True, slots=True)
class DataOptions:
    """What is said of a data set: its columns (in Python beside X: their values), its classes."""

    target: str | None = option("--target COLUMN", "Column to predict [the last column].")
    positive: Any = again(RoleOptions, "positive", keyword="pos_label")
    labels: Any = again(RoleOptions, "labels")
    group: Any = again(
        RoleOptions,
        "group",
        keyword="groups",
        help="Group of dependent rows; groups are never split.",
    )
    time: Any = option("--time COLUMN", "Time of each row.")
    fold: Any = again(RoleOptions, "fold", keyword="folds", help="Predefined fold of each row.")
    weight: Any = again(
        RoleOptions, "weight", keyword="sample_weight", help="Weight of each row in the measures."
    )
    id: str | None = again(RoleOptions, "id")
    ignore: Any = option("--ignore A,B,...", "Columns to ignore.", many=True)
    task: str | None = again(
        RoleOptions, "task", help="Type of problem, if the target is ambiguous."
    )
    drop_missing_target: bool = option(
        "--drop-missing-target", "Drop rows with a missing target instead of stopping."
    )
    drop_missing_time: bool = option(
        "--drop-missing-time", "Drop rows with a missing time instead of stopping."
    )
    by: Any = again(RoleOptions, "by")
