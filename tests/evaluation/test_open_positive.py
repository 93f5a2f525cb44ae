"""Two classes of which none is called positive: what does not depend on it is still judged."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import heldout
from heldout.assess.scorecard import score_predictions
from heldout.core.errors import InputError
from heldout.evaluation.evaluation import Evaluation
from heldout.measures.registry import measures
from heldout.measures.spec import Request

RNG = np.random.default_rng(8)
X = RNG.normal(size=(90, 2))
Y = np.where(X[:, 0] + RNG.normal(size=90) > 0.6, "dead", "alive")
EITHER = [one.name for one in measures("binary") if not Request(one).depends_on_positive]


@cache
def opened() -> Evaluation:
    return heldout.evaluate("lda", X, Y, procedure="3-fold")


@pytest.mark.parametrize("name", EITHER)
def test_measures_that_need_no_positive_class_are_the_same_for_either(name: str) -> None:
    (p,) = opened().predictions
    assert p.scores is not None
    coarse = np.round(p.scores, 1)  # ties, and probabilities of 0 and 1
    for scores in (p.scores, coarse):
        values = [
            score_predictions([one], intervals=None)[name].value
            for one in (
                replace(p, scores=scores, is_open=False),
                replace(p, scores=1 - scores, against=None, positive=0, is_open=False),
            )
        ]
        np.testing.assert_allclose(values[0], values[1], rtol=1e-9)


def test_auc_and_accuracy_are_those_of_a_class_that_is_called_positive() -> None:
    made = opened()
    for label in Y[0], "dead", "alive":
        known = heldout.evaluate("lda", X, Y, procedure="3-fold", pos_label=label)
        for name in ("accuracy", "mcc", "auc", "brier", "recall_macro"):
            assert made[name].value == pytest.approx(known[name].value, rel=1e-12)


def test_no_class_is_called_positive_where_nobody_said_which() -> None:
    made = opened()
    assert made.scorecard.positive is None
    assert "; positive: " not in repr(made)
    assert "no positive class is named, so measures and curves" in repr(made).replace("\n", " ")
    assert "positive_class" not in made.predictions.frame.data
    assert not {"recall", "precision", "f_score"} & {r.measure for r in made.results()}
    assert {"accuracy", "mcc", "auc"} <= {r.measure for r in made.results()}


@pytest.mark.parametrize(
    "ask",
    [
        lambda made: made["recall"],
        lambda made: made.results(["accuracy", "f_score"]),
        lambda made: made.curve("roc"),
        lambda made: made.plot("pr"),
        lambda made: made.scorecard.thresholds("f_score"),
        lambda made: made.scorecard.at_prevalence(0.1),
        lambda made: heldout.compare(replace(made, outcomes=_two(made)), measures=["recall"]),
    ],
)
def test_what_depends_on_the_positive_class_asks_for_it(ask: Any) -> None:
    with pytest.raises(InputError, match=r"which class is positive: say 'alive' or 'dead' \("):
        ask(opened())


def _two(made: Evaluation) -> dict[str, Any]:
    (outcome,) = made.outcomes.values()
    return {"lda": outcome, "again": outcome}


def test_a_class_may_be_called_positive_later_without_a_fit(monkeypatch: Any) -> None:
    made = opened()
    assert made["recall", "dead"].value == pytest.approx(np.mean(_right(made)[Y == "dead"]))
    monkeypatch.setattr("heldout.runner.run.run", None)
    for label in ("dead", "alive"):
        later = made.with_positive(label)
        assert later["recall"].value == made["recall", label].value
        assert later.scorecard.positive == label
        assert set(later.predictions.frame["positive_class"]) == {label}
    with pytest.raises(InputError, match=r"name one of two classes \('alive', 'dead'\)"):
        made.with_positive("gone")


def _right(made: Evaluation) -> Any:
    (p,) = made.predictions
    order = np.argsort(p.identifier)
    assert p.predicted is not None
    return (p.truth == p.predicted)[order]


def test_labels_that_tell_are_asked_for_nothing() -> None:
    made = heldout.evaluate("lda", X, (Y == "dead").astype(int), procedure="3-fold")
    assert made.scorecard.positive == 1
    assert made["recall"].value == opened()["recall", "dead"].value


def test_a_run_is_reused_whichever_class_is_called_positive(tmp_path: Path) -> None:
    folder = tmp_path / "store"
    how: Any = {"procedure": "3-fold", "store": folder}
    first: Any = heldout.evaluate("lda", X, Y, **how).outcomes
    assert first.fitted == 3
    for label in ("dead", "alive"):
        again: Any = heldout.evaluate("lda", X, Y, pos_label=label, **how).outcomes
        assert again.fitted == 0
        assert _exported(folder, tmp_path / f"{label}.csv") == {label}
    # a look that leaves it open does not unsay it
    heldout.evaluate("lda", X, Y, **how)
    assert _exported(folder, tmp_path / "last.csv") == {"alive"}


def _exported(folder: Path, path: Path) -> set[str]:
    from heldout.cli.main import main

    assert main(["runs", "export", "1", "--store", str(folder), "--output", str(path)]) == 0
    head, *rows = path.read_text().splitlines()
    place = head.split(",").index("positive_class")
    return {row.split(",")[place] for row in rows}
