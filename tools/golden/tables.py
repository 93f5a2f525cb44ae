"""The small files that golden commands read, the same bytes on every machine."""

from __future__ import annotations

import csv
import gzip
import json
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

ROWS = 120


def write_tables(folder: Path) -> None:
    """Write every file that a golden command names into a folder."""
    rng = np.random.default_rng(20)
    _write_predictions(folder, rng)
    _write_data(folder, rng)
    _write_broken(folder)
    _write_text(folder)


def _write_predictions(folder: Path, rng: np.random.Generator) -> None:
    row = np.arange(ROWS)
    truth = np.where(rng.random(ROWS) < 0.4, "yes", "no")
    signal = np.where(truth == "yes", 1.0, 0.0)
    scores = {
        name: _logistic(slope * (signal - 0.5) + rng.normal(0, 1, ROWS))
        for name, slope in (("a", 2.0), ("b", 1.4))
    }
    group = row // 4
    weight = np.round(0.5 + rng.random(ROWS), 3)
    site = np.array(["north", "south", "west"])[row % 3]
    head = ["id", "truth", "p", "fold", "repeat", "patient", "w", "site"]
    for name, score in scores.items():
        columns = (row, truth, np.round(score, 4), row % 5, 0 * row, group, weight, site)
        _write_csv(folder / f"{name}.csv", head, zip(*columns, strict=True))
    repeated = [
        (i, truth[i], round(float(scores["a"][i] * 0.98 + 0.01 * k), 4), (i + 7 * k) % 5, k)
        for k in range(3)
        for i in row
    ]
    _write_csv(folder / "repeats.csv", ["id", "truth", "p", "fold", "repeat"], repeated)
    labels = np.where(scores["a"] > 0.5, "yes", "no")
    _write_csv(folder / "labels.csv", ["truth", "predicted"], zip(truth, labels, strict=True))
    levels = np.array(["red", "green", "blue", "grey"])
    colour = levels[rng.integers(0, 4, ROWS)]
    raw = rng.gamma(1.0, 1.0, (ROWS, 4)) + 2.0 * (colour[:, None] == levels)
    shares = np.round(raw / raw.sum(axis=1, keepdims=True), 6)
    shares[:, 0] += np.round(1 - shares.sum(axis=1), 6)
    _write_csv(
        folder / "classes.csv",
        ["truth", *(f"p_{level}" for level in levels)],
        ([c, *(f"{x:.6f}" for x in p)] for c, p in zip(colour, shares, strict=True)),
    )
    value = np.round(rng.gamma(3.0, 10.0, ROWS), 2)
    guess = np.round(value * np.exp(rng.normal(0, 0.2, ROWS)), 2)
    naive = np.round(np.full(ROWS, value.mean()), 2)
    _write_csv(
        folder / "prices.csv",
        ["price", "predicted", "naive", "fold"],
        zip(value, guess, naive, row % 4, strict=True),
    )
    with (folder / "a.jsonl").open("w", encoding="utf-8") as file:
        for t, p in zip(truth, scores["a"], strict=True):
            file.write(json.dumps({"truth": str(t), "p": round(float(p), 4)}) + "\n")
    with gzip.GzipFile(folder / "a.csv.gz", "wb", mtime=0) as packed:
        packed.write((folder / "a.csv").read_bytes())
    sets = [
        (f"set{i}", model, round(float(0.7 + 0.02 * j + rng.normal(0, 0.03)), 4))
        for i in range(12)
        for j, model in enumerate(("knn", "nb", "svm", "tree"))
    ]
    _write_csv(folder / "results.csv", ["name", "model", "accuracy"], sets)


def _write_data(folder: Path, rng: np.random.Generator) -> None:
    row = np.arange(ROWS)
    age = np.round(rng.normal(50, 12, ROWS), 1)
    dose = np.round(rng.exponential(2, ROWS), 2)
    site = np.array(["north", "south", "west"])[rng.integers(0, 3, ROWS)]
    chance = _logistic((age - 50) / 12 + 0.4 * (dose - 2))
    outcome = np.where(rng.random(ROWS) < chance, "dead", "alive")
    date = [f"2024-{1 + i // 28:02d}-{1 + i % 28:02d}" for i in row]
    cost = np.round(100 + 3 * age + 20 * dose + rng.normal(0, 15, ROWS), 1)
    head = ["patient", "day", "age", "dose", "site", "weight", "outcome"]
    weight = np.round(0.5 + rng.random(ROWS), 2)
    columns = (row // 3, date, age, dose, site, weight, outcome)
    _write_csv(folder / "patients.csv", head, zip(*columns, strict=True))
    _write_csv(folder / "costs.csv", ["age", "dose", "cost"], zip(age, dose, cost, strict=True))
    order = rng.permutation(ROWS)
    rows = list(zip(age, dose, site, outcome, strict=True))
    clean = ["age", "dose", "site", "outcome"]
    _write_csv(folder / "train.csv", clean, (rows[i] for i in order[:80]))
    _write_csv(folder / "test.csv", clean, (rows[i] for i in order[80:]))
    _write_csv(folder / "copies.csv", clean, (rows[i] for i in order[60:]))


def _write_broken(folder: Path) -> None:
    texts = {
        "empty.csv": "",
        "header.csv": "truth,p\n",
        "ragged.csv": "truth,p\nyes,0.5\nno\n",
        "range.csv": "truth,p\nyes,1.5\nno,0.2\n",
        "missing.csv": "truth,p\nyes,\nno,0.2\n",
        "words.csv": "truth,p\nyes,high\nno,0.2\n",
        "one_class.csv": "truth,p\nyes,0.9\nyes,0.4\n",
        "nothing_there.txt": "some words\n",
    }
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")


def _write_text(folder: Path) -> None:
    (folder / "mine.py").write_text(
        "from sklearn.tree import DecisionTreeClassifier\n\n\n"
        "def shallow():\n    return DecisionTreeClassifier(max_depth=1, random_state=0)\n\n\n"
        "class Failing(DecisionTreeClassifier):\n    def fit(self, X, y):\n"
        '        raise ValueError("no fit today")\n',
        encoding="utf-8",
    )
    (folder / "matrix.csv").write_text(
        "truth,a,b,c\na,20,3,1\nb,2,30,4\nc,0,5,25\n", encoding="utf-8"
    )


def _write_csv(path: Path, head: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(head)
        writer.writerows(rows)


def _logistic(x: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-x))
