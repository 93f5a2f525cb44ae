"""Options of the commands that fit models or split data: columns, procedure, models, the run."""

from __future__ import annotations

import click

from heldout.cli.options import flag

__all__ = [
    "BY",
    "DATA_COLUMNS",
    "DROP_MISSING_TARGET",
    "DROP_MISSING_TIME",
    "FOLD",
    "GROUP",
    "ID",
    "IGNORE",
    "LABELS",
    "MODELS",
    "POSITIVE",
    "PROCEDURE",
    "RUN",
    "SEED",
    "SPLITS",
    "TARGET",
    "TASK",
    "TIME",
    "TRAINING_ERROR",
    "WEIGHT",
]

BACKENDS = ("loky", "threading", "sequential", "dask", "ray", "spark")

TARGET = flag("--target", metavar="COLUMN", help="What is predicted [the last column].")
POSITIVE = flag("--positive", metavar="CLASS", help="The class of interest, of two.")
LABELS = flag("--labels", metavar="A,B,...", help="All classes, in their order.")
GROUP = flag("--group", metavar="COLUMN", help="Rows that belong together, never parted.")
TIME = flag("--time", metavar="COLUMN", help="What orders the rows in time.")
FOLD = flag("--fold", metavar="COLUMN", help="The fold of each row (procedure: column).")
WEIGHT = flag("--weight", metavar="COLUMN", help="Weight of each row in measures.")
ID = flag("--id", metavar="COLUMN", help="Name of the row.")
BY = flag("--by", metavar="COLUMN", multiple=True, help="Judge slices of the rows too. *")
IGNORE = flag("--ignore", metavar="A,B,...", multiple=True, help="Columns to leave out. *")
TASK = flag(
    "--task",
    type=click.Choice(["classification", "regression"]),
    help="The kind of problem, where the target leaves it open.",
)
DROP_MISSING_TARGET = flag(
    "--drop-missing-target",
    is_flag=True,
    help="Leave out rows without a target instead of refusing them.",
)
DROP_MISSING_TIME = flag(
    "--drop-missing-time",
    is_flag=True,
    help="Leave out rows without a time instead of refusing them.",
)

#: which column of the data is what, where models are fitted
DATA_COLUMNS = (
    TARGET,
    POSITIVE,
    LABELS,
    GROUP,
    TIME,
    FOLD,
    WEIGHT,
    ID,
    IGNORE,
    TASK,
    DROP_MISSING_TARGET,
    DROP_MISSING_TIME,
)

PROCEDURE = flag("--procedure", metavar="TEXT", help="How rows are split [10-fold].")
SPLITS = flag("--splits", metavar="FILE", help="Splits that heldout split wrote.")
SEED = flag("--seed", type=int, default=0, metavar="N", help="Of splits and models [0].")
MODELS = flag(
    "--models",
    metavar="A,B,...",
    multiple=True,
    help='Names ("knn[n_neighbors=3]"; heldout models lists them), or package.module:name. *',
)
TRAINING_ERROR = flag(
    "--training-error",
    is_flag=True,
    help="Also judge on the training rows: optimistic, and labelled so.",
)

#: how fits are run and kept
RUN = (
    flag("--jobs", type=int, default=1, metavar="N", help="Workers; -1: all cores [1]."),
    flag("--backend", type=click.Choice(BACKENDS), default="loky", help="Of joblib [loky]."),
    flag("--scheduler", metavar="ADDRESS", help="Of a Dask, Ray or Spark cluster."),
    flag("--timeout", type=float, metavar="SECONDS", help="For a fit; then it failed."),
    flag("--store", metavar="FOLDER", help="Of finished folds [.heldout]."),
    flag("--no-store", is_flag=True, help="Keep nothing: a broken run starts anew."),
    flag("--retry-failed", is_flag=True, help="Try folds again that failed before."),
    flag("--no-exact", is_flag=True, help="Refit where an exact shortcut exists."),
)
