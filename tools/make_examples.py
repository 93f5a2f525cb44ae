"""Make the example tables in src/heldout/data: the same numbers on every machine, no network."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.datasets import load_diabetes, load_iris
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import KFold

if TYPE_CHECKING:
    from numpy.typing import NDArray

FOLDER = Path(__file__).resolve().parent.parent / "src" / "heldout" / "data"
COUNTRIES = {"DE": 0.34, "FR": 0.22, "PL": 0.18, "NL": 0.15, "PT": 0.09, "LU": 0.02}

Table = tuple[list[str], list[list[Any]]]


def probability(logit: NDArray[Any]) -> NDArray[Any]:
    """Logits as probabilities of three decimals, never 0 or 1, so that log scores are finite."""
    return np.round(np.clip(1 / (1 + np.exp(-logit)), 0.002, 0.998), 3)


def evidence_of(rng: np.random.Generator, truth: NDArray[Any]) -> NDArray[Any]:
    """How spam-like each message looks, as a logit."""
    return rng.normal(np.where(truth, 1.4, -2.0), np.where(truth, 2.1, 1.6))


def names(spam: NDArray[Any]) -> list[str]:
    """The labels as the mail provider writes them."""
    return ["spam" if is_spam else "ham" for is_spam in spam]


def spam() -> Table:
    """One filter on 400 messages: senders repeat, one country is tiny, scores have ties."""
    rng = np.random.default_rng(20)
    count = 400
    # Senders differ in how much they write and how much of it is spam, so that the rows of
    # one sender depend on each other.
    sender = (150 * rng.random(count) ** 2).astype(int)
    truth = rng.random(count) < rng.beta(0.6, 1.4, 150)[sender]
    score = probability(evidence_of(rng, truth))
    predicted = names(score >= 0.5)
    country = rng.choice(list(COUNTRIES), count, p=list(COUNTRIES.values()))
    fold = rng.permutation(np.arange(count) % 5 + 1)
    header = ["id", "sender", "country", "fold", "label", "predicted", "p_spam"]
    columns = zip(sender, country, fold, names(truth), predicted, score, strict=True)
    rows = [
        [f"m{number:04d}", f"s{who:03d}", where, part, label, guess, value]
        for number, (who, where, part, label, guess, value) in enumerate(columns, start=1)
    ]
    return header, rows


def models() -> Table:
    """Three filters on the same 300 messages; the one that ranks best is not the most accurate."""
    # The seed was picked for a plain example: this is a lesson in reading tables, not evidence.
    rng = np.random.default_rng(7)
    count = 300
    truth = rng.random(count) < 0.3
    evidence = evidence_of(rng, truth)
    scores = {
        # The best ranking, but too shy: many spam messages stay below one half.
        "forest": probability(0.8 * (evidence + rng.normal(0, 0.2, count)) - 1.6),
        "logistic": probability(evidence + rng.normal(0, 0.9, count)),
        # A handful of rules gives a handful of scores.
        "rules": np.select(
            [evidence + rng.normal(0, 1.6, count) > cut for cut in (2.5, 0.8, -1.2)],
            [0.95, 0.7, 0.3],
            0.05,
        ),
    }
    labels = names(truth)
    rows = [
        [model, f"m{number:04d}", label, value]
        for model, score in scores.items()
        for number, (label, value) in enumerate(zip(labels, score, strict=True), start=1)
    ]
    return ["model", "id", "label", "p_spam"], rows


def iris() -> Table:
    """Logistic regression on iris by 10-fold cross-validation, with training class counts."""
    data = load_iris()
    classes = [str(name) for name in data.target_names]
    header = ["row", "fold", "truth", "predicted"]
    header += [f"p_{name}" for name in classes] + [f"train_n_{name}" for name in classes]
    rows = []
    # Unstratified on purpose: the training counts then differ from fold to fold.
    folds = KFold(10, shuffle=True, random_state=1).split(data.data)
    for fold, (train, test) in enumerate(folds, start=1):
        model = LogisticRegression(max_iter=2000).fit(data.data[train], data.target[train])
        counts = np.bincount(data.target[train], minlength=len(classes))
        for row, chances in zip(test, model.predict_proba(data.data[test]), strict=True):
            guess = int(np.argmax(chances))
            rounded = [round(float(chance), 5) for chance in chances]
            rounded[guess] = round(1 - sum(rounded[:guess] + rounded[guess + 1 :]), 5)
            truth = classes[data.target[row]]
            rows.append([int(row) + 1, fold, truth, classes[guess], *rounded, *counts])
    return header, sorted(rows)


def diabetes() -> Table:
    """Linear regression on diabetes by 10-fold cross-validation, with training means."""
    data = load_diabetes()
    rows = []
    folds = KFold(10, shuffle=True, random_state=1).split(data.data)
    for fold, (train, test) in enumerate(folds, start=1):
        model = LinearRegression().fit(data.data[train], data.target[train])
        mean = round(float(data.target[train].mean()), 4)
        for row, guess in zip(test, model.predict(data.data[test]), strict=True):
            rows.append([int(row) + 1, fold, float(data.target[row]), round(float(guess), 3), mean])
    return ["row", "fold", "truth", "predicted", "train_mean"], sorted(rows)


def write(path: Path, table: Table) -> None:
    """The table as CSV with Unix line ends."""
    header, rows = table
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(rows)


def main(folder: Path = FOLDER) -> None:
    """All example tables, written to a folder."""
    write(folder / "spam.csv", spam())
    write(folder / "models.csv", models())
    write(folder / "iris_predictions.csv", iris())
    write(folder / "diabetes_predictions.csv", diabetes())


if __name__ == "__main__":
    main()
