"""What intervals cover after cross-validation: expected values, and the models that were fitted."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

import heldout
from heldout.core.random import stream
from tools.coverage.cells import SEED, counted, shown, table

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.random import Generator

    Array = np.ndarray[Any, Any]

MEASURES = (
    "accuracy",
    "balanced_accuracy",
    "f_score",
    "mcc",
    "auc",
    "average_precision",
    "brier",
    "log_loss",
    "expected_calibration_error",
)
SAMPLES, NEW_ROWS = 200, 2000


@dataclass(frozen=True, slots=True)
class Study:
    """A learner, data to learn from, and a procedure."""

    name: str
    learner: Callable[[], Any]
    draw: Callable[[Generator, int], tuple[Array, Array]]
    rows: int
    folds: int
    repeats: int


def _normal_classes(rng: Generator, n: int) -> tuple[Array, Array]:
    y = (rng.random(n) < 0.3).astype(int)
    return rng.normal(size=(n, 5)) + 0.6 * y[:, None], y


def _curved_classes(rng: Generator, n: int) -> tuple[Array, Array]:
    """A curved border between classes, two columns of noise, one in eight labels at random."""
    X = rng.uniform(-1, 1, (n, 4))
    y = X[:, 0] ** 2 + 0.6 * X[:, 1] > 0.3
    return X, np.where(rng.random(n) < 0.125, rng.random(n) < 0.5, y).astype(int)


def _logistic() -> Any:
    from sklearn.linear_model import LogisticRegression

    return LogisticRegression()


def _neighbours(count: int) -> Any:
    from sklearn.neighbors import KNeighborsClassifier

    return KNeighborsClassifier(count)


def _tree() -> Any:
    from sklearn.tree import DecisionTreeClassifier

    return DecisionTreeClassifier(max_depth=4, min_samples_leaf=5, random_state=0)


def _bayes() -> Any:
    from sklearn.naive_bayes import GaussianNB

    return GaussianNB()


TUNING = tuple(
    Study(f"{name}, 100 rows, {repeats}x10-fold", learner, _normal_classes, 100, 10, repeats)
    for repeats in (1, 10)
    for name, learner in (("logistic", _logistic), ("7 nearest", partial(_neighbours, 7)))
)
#: frozen on 2026-11-18
JUDGING = tuple(
    Study(f"{name}, 120 rows, {repeats}x5-fold", learner, _curved_classes, 120, 5, repeats)
    for repeats in (1, 10)
    for name, learner in (
        ("naive Bayes", _bayes),
        ("3 nearest", partial(_neighbours, 3)),
        ("tree", _tree),
    )
)


@dataclass(frozen=True, slots=True)
class Sample:
    """The results on one data set, and the mean values of its models on new rows."""

    limits: dict[str, tuple[float, float] | None]
    fitted: dict[str, float]


def fold_section(share: float) -> str:
    """Both sets of studies."""
    samples = max(10, int(share * SAMPLES))
    text = (
        "## After cross-validation\n\nStratified folds. *Expected*: the value of models of so many "
        "training rows on new rows, over all data sets. *Fitted*: the mean value of the models "
        "that were fitted on these data, which is what an interval of pooled rows is of: how much "
        "a learner varies from one data set to the next, rows of one data set do not show. None: "
        f"heldout gives no interval, and says why. {counted(samples, SAMPLES, 'data sets each')}.\n"
    )
    for title, studies in (
        ("Tuning set", TUNING),
        ("Judging set: frozen, with other learners and data", JUDGING),
    ):
        rows = [row for study in studies for row in _rows(study, samples)]
        text += f"\n### {title}\n\n"
        text += table(["study", "measure", "expected", "covers expected", "covers fitted"], rows)
    return text


def _rows(study: Study, samples: int) -> list[list[str]]:
    rng = stream(SEED, "coverage", "folds", study.name)
    drawn = [_sample(study, rng) for _ in range(samples)]
    rows = []
    for measure in MEASURES:
        expected = float(np.mean([sample.fitted[measure] for sample in drawn]))
        cells = [
            _cell([(s.limits[measure], expected) for s in drawn]),
            _cell([(s.limits[measure], s.fitted[measure]) for s in drawn]),
        ]
        rows.append([study.name, measure, f"{expected:.3f}", *cells])
    return rows


def _cell(pairs: Sequence[tuple[tuple[float, float] | None, float]]) -> str:
    known = [(low, high, truth) for limits, truth in pairs if limits for low, high in [limits]]
    if not known:
        return "none"
    held = np.mean([low <= truth <= high for low, high, truth in known])
    width = np.mean([high - low for low, high, _ in known])
    return shown(float(held), float(width), len(known) / len(pairs))


def _sample(study: Study, rng: Generator) -> Sample:
    from sklearn.model_selection import StratifiedKFold

    X, y = study.draw(rng, study.rows)
    new, truth = study.draw(rng, NEW_ROWS)
    columns: dict[str, list[Array]] = {name: [] for name in ("id", "y", "p", "fold", "repeat")}
    values: list[dict[str, float]] = []
    for repeat in range(study.repeats):
        splitter = StratifiedKFold(study.folds, shuffle=True, random_state=int(rng.integers(2**31)))
        for fold, (train, test) in enumerate(splitter.split(X, y)):
            model = study.learner().fit(X[train], y[train])
            parts = test, y[test], model.predict_proba(X[test])[:, 1], fold, repeat
            for column, part in zip(columns.values(), parts, strict=True):
                column.append(np.broadcast_to(part, len(test)))
            if not repeat:
                card = heldout.score(
                    truth, y_score=model.predict_proba(new)[:, 1], pos_label=1, intervals=False
                )
                values.append({measure: card[measure].value for measure in MEASURES})
    named = {name: np.concatenate(parts) for name, parts in columns.items()}
    if study.repeats == 1:
        del named["repeat"], named["id"]
    roles: dict[str, Any] = {name: name for name in named if name not in ("y", "p")}
    card = heldout.score(named, truth="y", score="p", positive=1, **roles)
    results = {measure: card[measure] for measure in MEASURES}
    return Sample(
        {
            measure: None if r.low is None or r.high is None else (r.low, r.high)
            for measure, r in results.items()
        },
        {measure: float(np.mean([v[measure] for v in values])) for measure in MEASURES},
    )
