"""The measures that answer a question where none is named."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Usual:
    """The measures of one kind of problem.

    Parameters
    ----------
    deciding
        Says which of several models is best.
    chosen_by
        Chooses settings, compares models over data sets, and is tested against permuted labels.
        Every model has it, those that only give classes too.
    compared
        The measures by which models are compared, those that a model lacks left out.
    sliced
        The measures by which slices are compared with the other rows.
    """

    deciding: str
    chosen_by: str
    compared: tuple[str, ...]
    sliced: tuple[str, ...]


USUAL = {
    "binary": Usual("auc", "accuracy", ("accuracy", "auc", "log_loss"), ("accuracy", "auc")),
    "multiclass": Usual("accuracy", "accuracy", ("accuracy", "log_loss"), ("accuracy",)),
    "regression": Usual("rmse", "rmse", ("rmse", "mae"), ("rmse",)),
}
