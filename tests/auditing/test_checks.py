"""Every check finds the fault that was planted for it, and is silent where there is none."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import heldout
from heldout.auditing.check import all_checks
from heldout.auditing.material import Material
from heldout.cli.main import main
from heldout.datasets.dataset import Dataset, Feature
from heldout.procedures.splits import PartitionSplits
from heldout.tables.column import Column

RNG = np.random.default_rng


def data(rows: int = 200, columns: int = 6, seed: int = 1, **how: Any) -> Dataset:
    """Two classes, features that know a little of them."""
    rng = RNG(seed)
    truth = rng.permutation(np.arange(rows) % 2)
    features = tuple(Feature(f"x{i}", rng.normal(size=rows) + 0.5 * truth) for i in range(columns))
    return replace(Dataset("made", "binary", truth, features, classes=("no", "yes")), **how)


def rows_of(given: Dataset, rows: Any) -> Dataset:
    features = tuple(replace(f, values=f.values[rows]) for f in given.features)
    group = None if given.group is None else given.group.take(rows)
    time = None if given.time is None else given.time[rows]
    return replace(given, truth=given.truth[rows], features=features, group=group, time=time)


def folds(given: Dataset, assignment: Any) -> PartitionSplits:
    places = np.asarray(assignment, np.int32)
    return PartitionSplits("made", len(given), 1, (), places[None], int(places.max()) + 1)


def dealt(given: Dataset, count: int = 5) -> PartitionSplits:
    """Stratified by hand: rows of each class are dealt in turn."""
    assignment = np.zeros(len(given), np.int32)
    for code in range(len(given.classes)):
        rows = np.flatnonzero(given.truth == code)
        assignment[rows] = np.arange(len(rows)) % count
    return folds(given, assignment)


def predicted(rows: int = 200, seed: int = 1, **how: Any) -> Any:
    rng = RNG(seed)
    truth = rng.permutation(np.arange(rows) % 2)
    score = 1 / (1 + np.exp(-(2 * truth - 1 + rng.normal(size=rows))))
    return replace(heldout.from_arrays(truth, y_score=score, pos_label=1, model="m"), **how)


def halves(given: Dataset) -> Material:
    half = len(given) // 2
    return Material(
        train=rows_of(given, np.arange(half)), test=rows_of(given, np.arange(half, len(given)))
    )


def clean() -> Material:
    """Data, splits, two tables and predictions without a fault."""
    whole = data(400, time=np.arange(400), group=Column("g", np.arange(400), tuple(range(400))))
    made = halves(whole)
    plain = replace(whole, time=None)
    return replace(made, data=plain, splits=dealt(plain), predictions=(predicted(),))


def with_copies() -> Material:
    made = halves(data())
    assert made.train is not None
    copies = rows_of(made.train, np.arange(7))
    assert made.test is not None
    features = tuple(
        replace(f, values=np.concatenate([f.values, c.values]))
        for f, c in zip(made.test.features, copies.features, strict=True)
    )
    truth = np.concatenate([made.test.truth, copies.truth])
    return replace(made, test=replace(made.test, features=features, truth=truth))


def with_near_copies() -> Material:
    made = with_copies()
    assert made.test is not None
    features = tuple(
        replace(f, values=np.where(np.arange(len(f.values)) >= 100, f.values + 1e-4, f.values))
        for f in made.test.features
    )
    return replace(made, test=replace(made.test, features=features))


def with_shared_groups() -> Material:
    return halves(data(group=Column("patient", np.arange(200) % 150, tuple(range(150)))))


def backwards() -> Material:
    return halves(data(time=np.arange(200)[::-1]))


def telling() -> Material:
    given = data()
    told = Feature("outcome_date", given.truth * 2.0 + RNG(2).random(200))
    return Material(data=replace(given, features=(*given.features, told)))


def scaled() -> Material:
    given = data()
    features = tuple(
        replace(f, values=(f.values - f.values.mean()) / f.values.std()) for f in given.features
    )
    return halves(replace(given, features=features))


def untrained() -> Material:
    given = data()
    return Material(data=given, splits=folds(given, given.truth))


def off() -> Material:
    given = data()
    order = np.argsort(given.truth, kind="stable")
    assignment = np.empty(200, np.int32)
    assignment[order] = np.concatenate([np.zeros(90), np.arange(110) % 4 + 1])
    return Material(data=given, splits=folds(given, assignment))


def few() -> Material:
    truth = np.r_[np.ones(4), np.zeros(96)].astype(int)
    return Material(
        predictions=(heldout.from_arrays(truth, y_score=RNG(1).random(100), pos_label=1),)
    )


def undefined() -> Material:
    truth = np.r_[np.zeros(20), np.arange(80) % 2].astype(int)
    made = heldout.from_arrays(
        truth, y_score=RNG(1).random(100), pos_label=1, folds=np.arange(100) // 20
    )
    return Material(predictions=(made,))


def test_undefined_folds_are_told_where_a_measure_that_is_shown_is_undefined_there() -> None:
    scores = RNG(1).random(100)
    scores[20:40] *= 0.4
    truth = np.r_[np.zeros(20), np.arange(80) % 2].astype(int)
    p = heldout.from_arrays(truth, y_score=scores, pos_label=1, folds=np.arange(100) // 20)
    (check,) = (check for check in all_checks() if check.code == "K10")

    def seen(*measures: str) -> str:
        findings = check.findings(Material(predictions=(p,), measures=measures))
        return "; ".join(finding.seen for finding in findings)

    assert "AUC and the like" in seen("auc")
    assert "precision" not in seen("auc")
    assert "precision is" in seen("precision", "brier")
    assert not seen("brier")


def hard() -> Material:
    made = predicted()
    return Material(predictions=(replace(made, scores=(made.scores > 0.5).astype(float)),))


def margins() -> Material:
    truth = np.arange(100) % 2
    made = heldout.from_arrays(truth, y_score=RNG(1).normal(size=100), pos_label=1)
    return Material(predictions=(made,))


def turned() -> Material:
    made = predicted()
    return Material(predictions=(replace(made, scores=1 - made.scores),))


def elsewhere() -> Material:
    return Material(predictions=(predicted(), replace(predicted(seed=2), model="n")))


def unequal() -> Material:
    truth = np.r_[np.ones(20), np.zeros(180)].astype(int)
    return Material(
        predictions=(heldout.from_arrays(truth, y_score=RNG(1).random(200), pos_label=1),)
    )


def one_sided() -> Material:
    made = halves(data())
    assert made.test is not None
    return replace(made, test=replace(made.test, features=made.test.features[1:]))


def numbered() -> Material:
    given = data()
    number = Feature("number", np.arange(200) + 1000)
    return Material(data=replace(given, features=(number, *given.features)))


PLANTED: dict[str, Callable[[], Material]] = {
    "K01": with_copies,
    "K02": with_near_copies,
    "K03": with_shared_groups,
    "K04": backwards,
    "K05": telling,
    "K06": scaled,
    "K07": untrained,
    "K08": off,
    "K09": few,
    "K10": undefined,
    "K11": hard,
    "K12": margins,
    "K13": turned,
    "K14": elsewhere,
    "K15": lambda: Material(chosen_threshold="youden"),
    "K16": lambda: Material(looks=25),
    "K17": unequal,
    "K18": one_sided,
    "K19": numbered,
}


def test_every_check_has_a_planted_fault() -> None:
    assert [check.code for check in all_checks()] == sorted(PLANTED)


@pytest.mark.parametrize("code", PLANTED)
def test_planted_fault_is_found(code: str) -> None:
    check = next(c for c in all_checks() if c.code == code)
    found = check.findings(PLANTED[code]())
    assert found
    for finding in found:
        assert finding.code == code
        assert any(character.isdigit() for character in finding.seen) or code == "K15"


@pytest.mark.parametrize("code", PLANTED)
def test_clean_material_raises_no_alarm(code: str) -> None:
    check = next(c for c in all_checks() if c.code == code)
    assert not [finding.words for finding in check.findings(clean())]


def test_copies_within_one_table_are_found_across_its_splits() -> None:
    given = data()
    twice = rows_of(given, np.r_[np.arange(200), np.arange(10)])
    check = next(c for c in all_checks() if c.code == "K01")
    (found,) = check.findings(Material(data=twice, splits=folds(twice, np.arange(210) % 7)))
    assert "20 of 210 rows" in found.seen


def rare_class(tmp_path: Path) -> list[str]:
    """Command line arguments for two models of a class of one row in ten."""
    rng = np.random.default_rng(0)
    truth = np.where(np.arange(200) % 10 == 0, "yes", "no")
    files = []
    for name in ("one", "two"):
        files.append(str(tmp_path / f"{name}.csv"))
        score = np.clip(0.3 * (truth == "yes") + rng.random(200) * 0.6, 0, 1)
        pd.DataFrame({"id": range(200), "truth": truth, "score": score}).to_csv(files[-1])
    return [*files, "--truth", "truth", "--score", "score", "--positive", "yes", "--id", "id"]


@pytest.mark.parametrize("command", ["score", "compare"])
@pytest.mark.parametrize(
    ("measures", "times"),
    [([], 1), (["--measure", "auc"], 0), (["--measure", "auc,acc"], 1), (["--measure", "ce"], 1)],
)
def test_accuracy_is_doubted_once_and_where_it_is_shown(
    command: str,
    measures: list[str],
    times: int,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main([command, *rare_class(tmp_path), *measures]) == 0
    said = [line for line in capsys.readouterr().err.splitlines() if "K17" in line]
    assert len([line for line in said if "accuracy is not informative here" in line]) == times
    assert all("the accuracy of one" in line and "of two" in line for line in said[:times])
