"""What a reader may say of the columns of a table: of predictions, and of a data set."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, get_args

from heldout.core.options import again, option
from heldout.tables.roles import column

if TYPE_CHECKING:
    from collections.abc import Mapping

    from heldout.tables.column import Label

#: what the rows of a confusion matrix are
Orientation = Literal["truth-rows", "prediction-rows"]
ORIENTATIONS: tuple[Orientation, ...] = get_args(Orientation)
#: what its cells are: rows, or shares of those of the true class, the predicted class, or all
Cells = Literal["counts", "truth", "predicted", "all"]
CELLS: tuple[Cells, ...] = get_args(Cells)


@dataclass(frozen=True, slots=True)
class Roles:
    """What the reader says of the columns of predictions; None is left to be guessed, or is absent.

    ``scores`` maps a class to its probability column, ``prior`` a class to its share
    (or says so as ``"spam=0.4,ham=0.6"``, as shares in the order of the classes, or as the
    share of the positive class of two), ``labels`` declares the classes in order,
    ``train_mean`` is a column or a number, ``normalise`` asks to divide probabilities by
    their sum. All others but ``positive``, ``threshold`` and ``task`` are names of columns.
    """

    truth: str | None = column(
        "--truth COLUMN",
        "The true class or value.",
        guesses="y_true,truth,true,true_label,true_class,true_value,target,label,actual,"
        "actual_class,class,observed,obs,y,y_test,outcome,ground_truth,gold,gold_label,reference",
    )
    predicted: str | None = column(
        "--predicted COLUMN",
        "The predicted class or value.",
        guesses="y_pred,predict,predicted,prediction,predictions,pred,response,yhat,y_hat,"
        "predicted_label,predicted_class,predicted_value,prediction_label,pred_label,pred_class,"
        "y_predicted,estimate,forecast",
    )
    score: str | None = column(
        "--score COLUMN",
        "Score or probability of the positive class.",
        guesses="y_score,score,scores,proba,probability,p,prob,y_proba,y_prob,p_hat,phat,"
        "predicted_probability,decision_function",
    )
    score_prefix: str | None = option(
        "--score-prefix TEXT", "Common prefix of the probability columns, one per class."
    )
    scores: Mapping[Label, str] | None = option(
        "--scores CLASS=COLUMN,...", "The probability column of each class."
    )
    # a column called weight may be a person's: only names that can mean nothing else are taken
    weight: str | None = column(
        "--weight COLUMN",
        "Weight of each row.",
        guesses="sample_weight,case_weight",
        is_optional=True,
    )
    # nor are counts guessed: as rows of their own, or as weights, they mean something else
    count: str | None = column(
        "--count COLUMN", "Number of equal rows that each row stands for.", is_optional=True
    )
    # groups are never guessed, because a wrong guess would change every interval; leaving groups
    # out makes a fold of each group
    group: str | None = column(
        "--group COLUMN",
        "Group of dependent rows (a patient, a user).",
        is_optional=True,
        shares=("fold", "repeat", "id"),
    )
    fold: str | None = column(
        "--fold COLUMN",
        "Cross-validation fold of each row.",
        guesses="fold,resample",
        is_optional=True,
    )
    repeat: str | None = column(
        "--repeat COLUMN",
        "Repeat of each row, for repeated cross-validation.",
        guesses="repeat",
        is_optional=True,
    )
    model: str | None = column(
        "--model COLUMN",
        "Model that made each prediction.",
        guesses="model,classifier",
        is_optional=True,
    )
    id: str | None = column(
        "--id COLUMN", "Identifier of each row.", guesses="id,row_id,row", is_optional=True
    )
    by: tuple[str, ...] = option(
        "--by COLUMN", "Also score slices of the rows by this column.", many=True
    )
    naive: str | None = column("--naive COLUMN", "Regression: predictions of a naive forecast.")
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

    @property
    def has_scores(self) -> bool:
        """Whether the reader named scores."""
        return not (self.score is None and self.score_prefix is None and self.scores is None)


@dataclass(frozen=True, slots=True)
class DataOptions:
    """What is said of a data set: its columns (in Python beside X: their values), its classes."""

    target: str | None = column("--target COLUMN", "Column to predict [the last column].")
    positive: Any = again(Roles, "positive", keyword="pos_label")
    labels: Any = again(Roles, "labels")
    group: Any = column(
        "--group COLUMN",
        "Group of dependent rows; groups are never split.",
        keyword="groups",
        shares=("id", "fold"),
    )
    time: Any = column("--time COLUMN", "Time of each row.", shares=("id",))
    fold: Any = column("--fold COLUMN", "Predefined fold of each row.", keyword="folds")
    weight: Any = column(
        "--weight COLUMN", "Weight of each row in the measures.", keyword="sample_weight"
    )
    # names of columns that number or name the rows
    id: str | None = column(
        "--id COLUMN",
        "Identifier of each row.",
        guesses="id,row,row_id,rowid,index,uuid,guid,unnamed_0,rownames",
    )
    ignore: Any = option("--ignore A,B,...", "Columns to ignore.", many=True)
    task: str | None = again(Roles, "task", help="Type of problem, if the target is ambiguous.")
    drop_missing_target: bool = option(
        "--drop-missing-target", "Drop rows with a missing target instead of stopping."
    )
    drop_missing_time: bool = option(
        "--drop-missing-time", "Drop rows with a missing time instead of stopping."
    )
    by: Any = again(Roles, "by")
