"""Above the engines nothing reads arrays of rows: what is needed of them is asked of an engine.

An engine over files or a cluster has no such arrays, so every place that reads one is a place
where only the engine in memory serves. The places that are left are counted by folder; the
numbers may only shrink.
"""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import heldout

PACKAGE = Path(heldout.__file__).parent
#: arrays with an element a row that predictions, and the tallies that join rows, have
ARRAYS = {"truth", "predicted", "scores", "weight", "identifier", "codes", "naive", "train_mean"}
#: what the engine in memory gives that are rows
ROWS = {"error_rows", "is_right", "probability_rows", "value_rows"}
#: what predictions are called
NAMES = {"p", "predictions", "part", "whole", "first", "second", "mine", "other", "training"}
#: modules that read rows: in how many places, and why no tally can take their place
LISTED = {
    "assess/cases.py": (3, "quantiles of errors; rows left out one by one, with their weights"),
    "assess/count_cases.py": (2, "cells of groups, of which few are equal; kinds of weighted rows"),
    "assess/forms.py": (2, "priors of single rows; whether each row is right, for its own loss"),
    "assess/influences.py": (1, "influences of several rankings, which no loss of a row gives"),
    "assess/label_draws.py": (1, "rows that random labels of slices fall on"),
    "assess/resampled_decisions.py": (5, "decisions by the probabilities of single rows"),
    "assess/resampling.py": (1, "true classes within which rows are drawn"),
    "assess/slice_rests.py": (1, "rests of slices of measures that do not add up"),
    "assess/split_cases.py": (1, "repeats of a row, which count once"),
    "uncertainty/sample.py": (
        2,
        "the order of rows by what they hold, so that theirs in a file is none",
    ),
    "curves/sources.py": (8, "rankings of single classes and folds, with the units of their rows"),
    "comparison/chance.py": (3, "truth dealt out to other rows, and groups of the data"),
    "comparison/compare.py": (1, "who is right on each row, for Cochran's Q"),
    "comparison/long_rankings.py": (1, "two rankings of the same rows on one scale of ranks"),
    "comparison/paired_roc.py": (3, "two rankings of the same rows, drawn together"),
    "comparison/pairs.py": (4, "labels of two models side by side; placements of paired rows"),
    "comparison/split_influence.py": (3, "what a row adds to a split's value, fold by fold"),
    "selection/bias_corrected.py": (2, "groups of the data; rows drawn and left out, in pairs"),
    "selection/optimism.py": (1, "rows drawn alike for the search and the nested folds"),
    "evaluation/estimates.py": (2, "each truth beside every prediction, for no information"),
    "evaluation/evaluation.py": (1, "slices of the data, which predictions do not carry"),
    "evaluation/predictions.py": (1, "groups of the data, where predictions are made of them"),
}
#: how many other places a folder may have, and why it has them
ALLOWED = {
    "auditing": (22, "checks of raw data"),
    "report": (7, "points of charts, rows of the data that are split"),
}


def is_predictions(node: ast.expr) -> bool:
    """Whether an expression is called as predictions are: ``p``, ``tallies.predictions``."""
    if isinstance(node, ast.Name):
        return node.id in NAMES
    return isinstance(node, ast.Attribute) and node.attr in {"predictions", "ordered"}


def is_column(node: ast.expr) -> bool:
    """Whether an expression is called as a column of the design or of slices is."""
    if isinstance(node, ast.Name):
        return node.id in {"fold", "repeat", "group", "column"}
    return isinstance(node, ast.Attribute) and node.attr in {"fold", "repeat", "group"}


def readings(tree: ast.AST) -> list[int]:
    """The lines that read an array of rows; to ask whether there is one reads nothing."""
    lines = []
    compared = (node for node in ast.walk(tree) if isinstance(node, ast.Compare))
    asked = {node.left for node in compared if isinstance(node.ops[0], ast.Is | ast.IsNot)}
    for node in ast.walk(tree):
        if not isinstance(node, ast.Attribute) or node in asked:
            continue
        is_array = node.attr in ARRAYS - {"codes"} and is_predictions(node.value)
        is_code = node.attr == "codes" and is_column(node.value)
        is_taken = node.attr == "take" and (is_predictions(node.value) or is_column(node.value))
        if is_array or is_code or is_taken or node.attr in ROWS:
            lines.append(node.lineno)
    return sorted(set(lines))


def places(folder: Path) -> list[str]:
    """Where a folder's modules read arrays of rows."""
    return [
        f"{path.relative_to(PACKAGE).as_posix()}:{line}"
        for path in sorted(folder.rglob("*.py"))
        for line in readings(ast.parse(path.read_text(encoding="utf-8")))
    ]


ABOVE = ["uncertainty", "curves", "decisions", "assess", "evaluation", "comparison", "selection"]
ABOVE += ["auditing", "report", "cli"]


@pytest.mark.parametrize("name", ABOVE)
def test_folders_above_the_engines_read_no_more_rows_than_they_did(name: str) -> None:
    found = [where for where in places(PACKAGE / name) if where.partition(":")[0] not in LISTED]
    allowed, reason = ALLOWED.get(name, (0, "nothing"))
    assert len(found) <= allowed, f"ask the engine (engines/protocol), but for {reason}: {found}"


@pytest.mark.parametrize("name", LISTED)
def test_modules_read_rows_in_just_so_many_places(name: str) -> None:
    lines = readings(ast.parse((PACKAGE / name).read_text(encoding="utf-8")))
    allowed, reason = LISTED[name]
    assert len(lines) == allowed, f"ask the engine (engines/protocol), but for {reason}: {lines}"


@pytest.mark.parametrize(
    "source", ["p.truth == 1", "tallies.predictions.take(rows)", "design.fold.codes", "p.weight[0]"]
)
def test_law_notices_rows(source: str) -> None:
    assert readings(ast.parse(source))


@pytest.mark.parametrize(
    "source", ["moments.weight", "counts.truth", "p.classes", "keys.take(1)", "p.weight is None"]
)
def test_law_leaves_tallies_alone(source: str) -> None:
    assert not readings(ast.parse(source))
