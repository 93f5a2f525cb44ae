"""The example tables: they are what they say, and the script in tools/ makes the long ones."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest
from sklearn.metrics import accuracy_score, roc_auc_score

import heldout
from heldout.core.errors import InputError
from heldout.data import example
from tools import make_examples


def column(table: list[dict[str, str]], name: str) -> np.ndarray:
    values = [row[name] for row in table]
    try:
        return np.array(values, dtype=float)
    except ValueError:
        return np.array(values)


def table(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("made")
    make_examples.main(folder)
    return folder


#: the tables that are too long to be typed
WRITTEN = ("diabetes_predictions", "iris_predictions", "models", "spam")


@pytest.mark.parametrize("name", WRITTEN)
def test_script_makes_what_ships(name: str, made: Path) -> None:
    shipped, again = table(example(name)), table(made / f"{name}.csv")
    assert list(shipped[0]) == list(again[0])
    for field in shipped[0]:
        here, there = column(shipped, field), column(again, field)
        if here.dtype.kind == "f":
            # A solver's last digit may differ from one machine to another.
            np.testing.assert_allclose(here, there, atol=1.1e-3)
        else:
            assert here.tolist() == there.tolist()


def test_spam_filter_is_good_but_not_perfect() -> None:
    spam = table(example("spam"))
    truth, score = column(spam, "label") == "spam", column(spam, "p_spam")
    assert 0.87 < roc_auc_score(truth, score) < 0.93
    assert len({row["id"] for row in spam}) == len(spam) == 400
    assert (column(spam, "predicted") == np.where(score >= 0.5, "spam", "ham")).all()
    assert score.min() > 0
    assert score.max() < 1


def test_model_that_ranks_best_is_not_the_most_accurate() -> None:
    rows = table(example("models"))
    area, accuracy = {}, {}
    for model in ("forest", "logistic", "rules"):
        part = [row for row in rows if row["model"] == model]
        truth, score = column(part, "label") == "spam", column(part, "p_spam")
        area[model] = roc_auc_score(truth, score)
        accuracy[model] = accuracy_score(truth, score >= 0.5)
    assert max(area, key=area.__getitem__) == "forest"
    assert max(accuracy, key=accuracy.__getitem__) == "logistic"


def test_iris_rows_hold_probabilities_and_the_counts_of_their_training_part() -> None:
    rows = table(example("iris_predictions"))
    classes = ("setosa", "versicolor", "virginica")
    total = sum(column(rows, f"p_{name}") for name in classes)
    np.testing.assert_allclose(total, 1, atol=1e-12)
    truth, fold = column(rows, "truth"), column(rows, "fold")
    for part in range(1, 11):
        for name in classes:
            counts = column(rows, f"train_n_{name}")[fold == part]
            assert set(counts) == {np.sum((truth == name) & (fold != part))}


def test_diabetes_rows_hold_the_mean_of_their_training_part() -> None:
    rows = table(example("diabetes_predictions"))
    truth, fold, mean = (column(rows, name) for name in ("truth", "fold", "train_mean"))
    for part in range(1, 11):
        np.testing.assert_allclose(mean[fold == part], truth[fold != part].mean(), atol=1e-4)


def test_unknown_example_names_the_nearest() -> None:
    with pytest.raises(InputError, match="no example is called 'span'; did you mean spam"):
        example("span")


def test_example_has_the_same_name_in_python_as_on_the_command_line() -> None:
    by_name = heldout.score("example:mails", positive="spam")
    assert by_name["auc"].value == heldout.score(example("mails"), positive="spam")["auc"].value
    assert len(heldout.read_predictions("example:mails", positive="spam")[0]) == 20
    assert heldout.compare("example:models", positive="spam").models
    with pytest.raises(InputError, match="no example is called 'mail'; did you mean mails"):
        heldout.score("example:mail")
