"""What checks need to look at, and how its absence is said."""

from __future__ import annotations

from typing import TYPE_CHECKING

from heldout.auditing.finding import ForSize

if TYPE_CHECKING:
    from heldout.auditing.material import Material

__all__ = [
    "SIDES",
    "features",
    "folds",
    "groups",
    "identified",
    "models",
    "ranking",
    "scores",
    "sides",
    "time",
    "too_large",
    "truth",
]

SIDES = "needs training and test rows: two tables, or data with a procedure or splits"


def sides(material: Material) -> str:
    """Rows that train and rows that test."""
    return "" if material.sides or material.parts else SIDES


def identified(material: Material) -> bool:
    """Whether training rows and predictions both have names of rows."""
    known = material.train is not None and material.train.identifier is not None
    return known and any(p.identifier is not None for p in material.predictions)


def features(material: Material) -> str:
    """Columns beside the target."""
    data = material.train if material.train is not None else material.data
    if data is None:
        return "needs data: the columns that models are trained on"
    return "" if data.features else "the data have no columns of numbers or names"


def groups(material: Material) -> str:
    """Training and test rows with groups."""
    if sides(material):
        return SIDES
    if material.sides is not None and all(side.group is not None for side in material.sides):
        return ""
    known = material.parts is not None and material.parts[0].group is not None
    return "" if known else "needs a group column (a patient, a user)"


def time(material: Material) -> str:
    """Training and test rows with times."""
    if sides(material):
        return SIDES
    if material.sides is not None and all(side.time is not None for side in material.sides):
        return ""
    known = material.parts is not None and material.parts[0].time is not None
    return "" if known else "needs a time column"


def truth(material: Material) -> str:
    """Rows that judge, with classes."""
    if material.predictions:
        given = material.predictions[0].classes
    else:
        data = material.test if material.test is not None else material.data
        if data is None:
            return "needs rows that judge: a test set, data, or predictions"
        given = data.classes
    return "" if given else "is of classes, and this is regression"


def scores(material: Material) -> str:
    """Predictions with scores."""
    if not material.predictions:
        return "needs predictions"
    if any(p.scores is not None for p in material.predictions):
        return ""
    return "needs predictions with scores or probabilities"


def ranking(material: Material) -> str:
    """Scores of two classes."""
    lacking = scores(material)
    if not lacking and material.predictions[0].task != "binary":
        return "is of two classes"
    return lacking


def folds(material: Material) -> str:
    """Predictions of two classes with folds."""
    if not material.predictions:
        return "needs predictions"
    if any(p.design.fold is not None and p.task == "binary" for p in material.predictions):
        return ""
    return "needs predictions of two classes with a fold column"


def models(material: Material) -> str:
    """Predictions of several models."""
    return "" if len(material.predictions) > 1 else "needs predictions of several models"


def too_large(material: Material) -> str:
    """Why a check that goes through all values is left out, or nothing."""
    if material.most_values is None:
        return ""
    found = sum(
        len(data) * len(data.features)
        for data in (material.train, material.test, material.data)
        if data is not None
    )
    if found <= material.most_values:
        return ""
    return ForSize(f"left out for size ({found:,} values): heldout audit looks at any number")
