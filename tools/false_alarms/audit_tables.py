"""Real tables with mixed, coarse and repeated columns, for the audit, and copies put in them."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from heldout.auditing.check import all_checks
from heldout.auditing.material import Material
from heldout.auditing.public import read_either, splits_with_shared

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

#: copies that are planted, and rows of a table that are looked at
COPIES, MOST_ROWS = (0, 5, 20, 60), 6000
#: tables of statsmodels with their target
STATSMODELS = {
    "anes96": "vote",
    "cancer": "cancer",
    "ccard": "AVGEXP",
    "committee": "BILLS104",
    "copper": "TIME",
    "cpunish": "EXECUTIONS",
    "engel": "foodexp",
    "fair": "affairs",
    "grunfeld": "invest",
    "heart": "censors",
    "modechoice": "choice",
    "randhie": "mdvis",
    "scotland": "YES",
    "spector": "GRADE",
    "star98": "NABOVE",
    "statecrime": "murder",
    "strikes": "duration",
}
SCIKIT = ("iris", "wine", "breast_cancer", "digits", "diabetes", "linnerud")
ROWS = 2000


def _scikit(name: str) -> tuple[pd.DataFrame, str]:
    from sklearn import datasets

    X, y = getattr(datasets, f"load_{name}")(return_X_y=True)
    frame = pd.DataFrame(X).add_prefix("x")
    return frame.assign(target=y if y.ndim == 1 else y[:, 0]), "target"


def _statsmodels(name: str) -> tuple[pd.DataFrame, str]:
    import statsmodels.api as sm

    return getattr(sm.datasets, name).load_pandas().data, STATSMODELS[name]


def _visits(rng: Any) -> pd.DataFrame:
    """Two rows a person: most columns the same, few values."""
    person = np.repeat(np.arange(ROWS // 2), 2)
    fixed = {f"a{i}": rng.integers(0, 5, ROWS // 2)[person] for i in range(8)}
    return pd.DataFrame({**fixed, "age": rng.integers(20, 80, ROWS // 2)[person]}).assign(
        dose=rng.normal(20, 5, ROWS).round(), y=rng.normal(size=ROWS)
    )


def _mixed(rng: Any) -> pd.DataFrame:
    """Four measured columns beside five coarse ones."""
    fine = {f"m{i}": rng.lognormal(size=ROWS).round(3) for i in range(4)}
    coarse = {f"c{i}": rng.integers(0, 3, ROWS) for i in range(5)}
    return pd.DataFrame({**fine, **coarse, "y": rng.integers(0, 2, ROWS)})


def _survey(rng: Any) -> pd.DataFrame:
    """Twelve answers from 1 to 5 that go together."""
    mood = rng.normal(size=(ROWS, 1))
    answers = np.clip((mood + 0.7 * rng.normal(size=(ROWS, 12)) + 3).round(), 1, 5)
    return pd.DataFrame(answers).add_prefix("q").assign(y=rng.integers(0, 2, ROWS))


def _idle(rng: Any) -> pd.DataFrame:
    """Readings of a machine that often stands still, with the same readings."""
    runs = rng.random((ROWS, 1)) < 0.6
    readings = np.where(runs, rng.normal(50, 9, (ROWS, 6)).round(1), [20, 0, 0, 1, 0, 35])
    return pd.DataFrame(readings).add_prefix("s").assign(y=rng.normal(size=ROWS))


SIMULATED: dict[str, Callable[[Any], pd.DataFrame]] = {
    "4 measured and 5 coarse columns": _mixed,
    "12 answers from 1 to 5": _survey,
    "two visits per person, coarse values": _visits,
    "a machine that is often idle": _idle,
}


def _tables() -> Iterator[tuple[str, pd.DataFrame, str]]:
    for name in SCIKIT:
        yield name, *_scikit(name)
    for name in STATSMODELS:
        yield name, *_statsmodels(name)
    for name, make in SIMULATED.items():
        yield name, make(np.random.default_rng(0)), "y"


def _copied(frame: pd.DataFrame, target: str, copies: int, seed: int) -> str:
    """How grave K01 is where so many training rows stand in the test part too."""
    order = np.random.default_rng(seed).permutation(len(frame))
    train, test = np.split(order, [int(0.7 * len(frame))])
    test = np.append(test, train[:copies])
    sides = [read_either(frame.iloc[rows], target=target) for rows in (train, test)]
    return _severity(Material(train=sides[0], test=sides[1]))


def _severity(material: Material) -> str:
    (check,) = (check for check in all_checks() if check.code == "K01")
    return next((finding.severity for finding in check.findings(material)), "nothing")


def copies_section(simulations: int) -> Iterator[str]:
    """A table of what K01 says of copies in real tables, and of the tables as they are."""
    yield (
        "What K01 reports for test parts (30%) to which training rows were appended, as a "
        f"percentage of {simulations} random splits (errors / notes), and for the unchanged table "
        "with 5-fold:\n"
    )
    yield "| table | rows | columns | duplicated rows | none | 5 | 20 | 60 | 5-fold |"
    yield "|---|---:|---:|---:|---|---|---|---|---|"
    for name, frame, target in _tables():
        frame = frame.dropna(subset=[target])
        frame = frame.sample(min(len(frame), MOST_ROWS), random_state=0).reset_index(drop=True)
        features = frame.drop(columns=[target])
        cells = [name, f"{len(frame):,}", str(features.shape[1])]
        cells.append(f"{int(features.duplicated(keep=False).sum()):,}")
        for copies in COPIES:
            if copies > 0.7 * len(frame):
                cells.append("")
                continue
            said = Counter(_copied(frame, target, copies, seed) for seed in range(simulations))
            shares = [100 * said[severity] / simulations for severity in ("error", "note")]
            cells.append(" / ".join(f"{share:.3g}" for share in shares))
        data = read_either(frame, target=target)
        cells.append(
            _severity(Material(data=data, splits=splits_with_shared("5-fold unstratified", data)))
        )
        yield f"| {' | '.join(cells)} |"
