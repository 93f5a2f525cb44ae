"""Options of the commands that read predictions: which column is what, classes, probabilities."""

from __future__ import annotations

from heldout.cli import data_options as data
from heldout.cli.options import flag

__all__ = [
    "COST",
    "DESIGN_COLUMNS",
    "FOLD",
    "GROUP",
    "GUESSED",
    "MODEL",
    "NORMALISE",
    "POOL",
    "PREDICTED",
    "PROFIT",
    "REPEAT",
    "SCORE",
    "SCORE_COLUMNS",
    "TASK",
    "THRESHOLD",
    "TRAIN_COLUMNS",
    "TRUTH",
    "WEIGHT",
]

#: the heading of columns that need not be named
GUESSED = "Which column is what (guessed from usual names where not given)"

TRUTH = flag("--truth", metavar="COLUMN", help="The true class or value.")
PREDICTED = flag("--predicted", metavar="COLUMN", help="The predicted class or value.")
SCORE = flag("--score", metavar="COLUMN", help="Score or probability of the positive class.")

#: what was predicted
SCORE_COLUMNS = (
    TRUTH,
    PREDICTED,
    SCORE,
    flag("--score-prefix", metavar="TEXT", help="Start of a probability column per class."),
    flag("--scores", metavar="CLASS=COLUMN,...", help="The probability column of each class."),
)

WEIGHT = data.WEIGHT.but(help="Weight of each row.")
GROUP = data.GROUP.but(help="Rows that belong together (a patient, a user).")
FOLD = data.FOLD.but(help="Fold of a cross-validation.")
REPEAT = flag("--repeat", metavar="COLUMN", help="Run of a repeated cross-validation.")
MODEL = flag("--model", metavar="COLUMN", help="Which model made the prediction.")

#: how the predictions came about
DESIGN_COLUMNS = (WEIGHT, GROUP, FOLD, REPEAT, MODEL)

#: what was known of the training rows
TRAIN_COLUMNS = (
    flag("--train-mean", metavar="COLUMN|NUMBER", help="Regression: mean of training part."),
    flag("--train-count-prefix", metavar="TEXT", help="Start of training counts per class."),
)

THRESHOLD = flag(
    "--threshold", type=float, metavar="T", help="Positive where the score >= T [0.5]."
)
TASK = data.TASK.but(help="The kind of problem, where the values leave it open.")
NORMALISE = flag(
    "--normalise",
    is_flag=True,
    help="Divide the probabilities of each row by their sum (rounded digits).",
)
POOL = flag("--pool", is_flag=True, help="Several files are one model, not a model each.")

PROFIT = flag(
    "--profit",
    metavar="TEXT|FILE",
    help="Profit of each cell of the confusion matrix, rows: truth.",
)
COST = flag("--cost", metavar="TEXT|FILE", help="Cost of each cell, rows: truth.")
