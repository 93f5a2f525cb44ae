"""Small tables of predictions that ship with heldout, so that every example runs offline."""

from __future__ import annotations

from pathlib import Path

from heldout.core.nearest import no_such

FOLDER = Path(__file__).parent
#: tables of results over data sets, not of predictions
RESULTS = ("demsar",)


def example(name: str) -> Path:
    """The path of an example table, by the name of its file without the ending.

    Where a file of predictions is read, ``"example:spam"`` stands for ``example("spam")``, as on
    the command line.

    ``spam`` has one binary model; ``models`` three of them on the same rows;
    ``iris_predictions`` three classes, by 10-fold cross-validation, with the class counts
    of each training part; ``diabetes_predictions`` a regression, with the training means.
    The others are small enough to work out by hand: ``mails``, ``five``, ``roc10`` and
    ``roc-ties`` (scores of two classes), ``bacteria`` (four classes), ``doses`` (two
    regressions), and as counts ``churn``, ``loans`` (two models) and ``xrays`` (five folds).
    ``demsar`` holds results: AUC of four variants of C4.5 on 14 data sets (Demšar 2006,
    J. Mach. Learn. Res. 7:1).

    Examples
    --------
    >>> example("spam").name
    'spam.csv'
    """
    known = (*examples(), *RESULTS)
    if name not in known:
        raise no_such("example", name, known)
    return FOLDER / f"{name}.csv"


def examples() -> tuple[str, ...]:
    """The names of the example tables of predictions, in order.

    Examples
    --------
    >>> examples()[:4]
    ('bacteria', 'churn', 'diabetes_predictions', 'doses')
    """
    names = sorted(path.stem for path in FOLDER.glob("*.csv"))
    return tuple(name for name in names if name not in RESULTS)
