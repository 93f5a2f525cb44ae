"""What a page says first: the best model in words, and whether chance explains its lead."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import pytest

import heldout
from heldout.cli.main import main
from heldout.comparison.of_scorecard import compare_scorecard
from heldout.core.errors import InputError
from heldout.report.page.answer import fold_diagram, lead_in_words
from tests.report.page.pages import downloaded, header_of

if TYPE_CHECKING:
    from pathlib import Path


def test_page_of_several_models_says_what_the_best_does_and_whom_it_beats(tmp_path: Path) -> None:
    header = header_of(tmp_path, "score", "example:models", "--positive", "spam")
    comparison = heldout.compare(heldout.example("models"), measures="auc", positive="spam")
    pair = comparison["auc", "forest", "logistic"]
    assert pair.is_significant
    assert f"It beats logistic by {pair.value:.3g} AUC" in header
    assert f"(95% CI {pair.low:.3g} to {pair.high:.3g})" in header
    assert "more than chance explains" in header
    assert "corrected for 3 pairs of models" in header
    card = heldout.score(heldout.example("models"), positive="spam").only("forest")
    recall = card["recall"]
    assert recall.low is not None
    assert f"forest finds {100 * recall.value:.1f}% of the spam cases" in header
    assert f"(95% CI {100 * recall.low:.1f}% to" in header
    # the intervals of the others are drawn
    for model in ("forest", "logistic", "rules"):
        assert header.count(f"{model}: ") == 3
    assert header.index("forest: ") < header.index("logistic: ") < header.index("rules: ")


def write_models(path: Path, count: int, rows: int = 200) -> None:
    rng = np.random.default_rng(3)
    truth = rng.integers(0, 2, rows)
    lines = [
        f"m{m:02d},{i},{t},{(3 * t + rng.normal() * (1 + m)) / 999 + 0.5:.6f}"
        for m in range(count)
        for i, t in enumerate(truth)
    ]
    path.write_text("\n".join(["model,id,truth,score", *lines]) + "\n")


def test_many_models_are_compared_and_those_alike_share_letters(tmp_path: Path) -> None:
    data = tmp_path / "many.csv"
    write_models(data, 20)
    header = header_of(tmp_path, "score", str(data), "--positive", "1", "--truth", "truth")
    assert "m00 finds" in header
    comparison = heldout.compare(data, measures="auc", positive="1", truth="truth")
    beaten = [d for d in comparison.differences if d.is_significant and d.better == "m00"]
    assert f"and {len(beaten) - 3} more by" in header
    assert "corrected for 190 pairs of models" in header
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    row, *_ = re.findall(r"<tr><th[^>]*>m19.*?</tr>", page)
    letters = comparison.letters("auc")["m19"]
    assert re.search(rf">{comparison.values['auc']['m19']:.4f} {letters} \[", row)
    assert "models that share a letter do not differ significantly at 5%" in page


def test_the_only_measure_that_models_are_compared_by_comes_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = tmp_path / "many.csv"
    write_models(data, 20)
    monkeypatch.setattr("heldout.comparison.of_scorecard.MOST_WORK", 1_000_000)
    header_of(tmp_path, "score", str(data), "--positive", "1", "--truth", "truth")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    table = page.split("<caption>Measures by model")[1]
    assert re.findall(r'data-title="([^"]*)"', table)[0] == "Area under the ROC curve"
    assert re.search(r"<th[^>]*>m00</th><td[^>]*>\d\.\d+ a \[", table)


def test_page_without_a_comparison_says_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = tmp_path / "many.csv"
    write_models(data, 5)
    command = ("score", str(data), "--positive", "1", "--truth", "truth")
    monkeypatch.setattr("heldout.comparison.of_scorecard.MOST_WORK", 1000)
    header = header_of(tmp_path, *command)
    assert "Whether these 5 models differ by more than chance was not tested" in header
    assert "10 pairs of 200 rows" in header
    monkeypatch.undo()
    # other rows: nothing to compare
    (tmp_path / "a.csv").write_text(
        "id,truth,score\n" + "".join(f"a{i},1,.{i}\n" for i in range(9))
    )
    (tmp_path / "b.csv").write_text(
        "id,truth,score\n" + "".join(f"b{i},1,.{i}\n" for i in range(9))
    )
    files = (str(tmp_path / "a.csv"), str(tmp_path / "b.csv"))
    header = header_of(tmp_path, "score", *files, "--positive", "1", "--labels", "0,1")
    assert header.count("No comparison of the models:") == 1


def test_equal_models_are_called_equal() -> None:
    truth, score = [0, 1] * 30, np.linspace(0, 1, 60)
    scores = {"a": score, "b": score, "c": score[::-1]}
    rows = [
        {"model": model, "id": i, "truth": t, "score": s}
        for model, own in scores.items()
        for i, (t, s) in enumerate(zip(truth, own, strict=True))
    ]
    card = heldout.score(pd.DataFrame(rows), truth="truth", pos_label=1)
    comparison = compare_scorecard(card)
    assert not isinstance(comparison, InputError)
    first, second, *_ = lead_in_words(comparison)
    assert first == "a and b are equal in AUC."
    assert second.startswith("They ")


def test_selection_says_what_to_expect_on_new_rows(tmp_path: Path) -> None:
    header = header_of(
        tmp_path, "select", "iris", "--model", "knn", "--grid", "n_neighbors=1,5", "--no-store"
    )
    selection = heldout.select("knn", {"n_neighbors": [1, 5]}, data="iris")
    assert f"Accuracy to expect on new rows: {selection.estimate.value:.4f} (95% CI" in header
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "What the measures mean" in page


def test_page_of_an_audit_says_in_words_what_was_checked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # a store in the working folder is checked too
    header = header_of(tmp_path, "audit", "wdbc", "--target", "diagnosis")
    assert "5 checks found no sign of leakage" in header
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "<caption>Checked</caption>" in page
    assert "Data were checked with heldout" in page


def test_markdown_has_the_methods_and_where_they_were_published(tmp_path: Path) -> None:
    target = tmp_path / "page.md"
    command = ["score", "example:models", "--positive", "spam", "--quiet", "--report", str(target)]
    assert main(command) == 0
    text = target.read_text(encoding="utf-8")
    assert "The methods, to be quoted: Performance was assessed with heldout" in text
    assert "95% intervals by measure: Accuracy" in text
    assert "Differences were tested by: Area under the ROC curve: paired DeLong test" in text
    assert "\n- DeLong, DeLong and Clarke-Pearson (1988)" in text


def test_page_of_one_class_says_what_cannot_be_known(tmp_path: Path) -> None:
    data = tmp_path / "a.csv"
    data.write_text("truth,score\n" + "no,0.2\nno,0.7\n" * 20)
    header = header_of(tmp_path, "score", str(data), "--positive", "yes", "--labels", "no,yes")
    card = heldout.score(str(data), positive="yes", labels=["no", "yes"])
    assert "0.0% of its alarms are true" in header
    assert f"Unknown: share of yes cases found ({card['recall'].note})." in header
    assert f"Unknown: area under the ROC curve ({card['auc'].note})." in header


def test_page_of_classes_names_the_one_that_is_found_least(tmp_path: Path) -> None:
    header = header_of(tmp_path, "score", "example:iris_predictions")
    card = heldout.score(heldout.example("iris_predictions"))
    recalls = {label: card["recall", label] for label in card.classes}
    worst = min(recalls, key=lambda label: recalls[label].value)
    assert f"weakest on {worst}, of which it finds {100 * recalls[worst].value:.1f}%" in header


def test_first_values_are_those_of_the_estimate_that_was_asked_for(tmp_path: Path) -> None:
    """Not of the pooled rows, which the bootstrap has beside it."""
    target = tmp_path / "page.html"
    command = ["evaluate", "iris", "--models", "tree", "--procedure", ".632+ 10", "--no-store"]
    header = header_of(tmp_path, *command, "--seed", "1")
    page = target.read_text(encoding="utf-8")
    rows = [line.split(",") for line in downloaded("results.csv", page).splitlines()]
    fold, measure, value = (rows[0].index(name) for name in ("fold", "measure", "value"))
    values = {row[fold]: float(row[value]) for row in rows[1:] if row[measure] == "accuracy"}
    assert f"{values['.632+']:.4f}" != f"{values['']:.4f}"
    assert f"right on {100 * values['.632+']:.1f}%" in header


@pytest.mark.parametrize(
    ("models", "words"),
    [(1, "5 models, each judged on"), (2, "each model was trained 5 times and judged on")],
)
def test_picture_of_the_folds_says_how_many_models_there_are(models: int, words: str) -> None:
    rows = pd.DataFrame({"truth": np.arange(20) % 2, "fold": np.arange(20) // 4, "score": 0.5})
    named = pd.concat([rows.assign(model=f"m{i}") for i in range(models)])
    diagram = fold_diagram(heldout.score(named, fold="fold", model="model", intervals=False))
    assert diagram is not None
    assert words in diagram.panels[0].notes[0]
