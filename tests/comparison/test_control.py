"""Every model against one control: pairs, corrections, words, tables and charts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import heldout
from heldout import compare, compare_results
from heldout.comparison.over_sets.post_hoc import rank_differences
from heldout.comparison.over_sets.results import read_results
from heldout.core.errors import InputError
from heldout.core.significance import holm
from heldout.report.comparison import comparison_document, results_document
from heldout.report.terminal import terminal_text
from tests.comparison.models import binary, numbers
from tests.comparison.tables import table
from tests.comparison.test_laws import repeated

NAMES = "abcd"


def three(**design: Any) -> list[Any]:
    return [binary(m, 0.3 + 0.9 * k, seed=k + 1, **design) for k, m in enumerate("abc")]


def in_folds(repeats: int, count: int) -> list[Any]:
    return [repeated(m, 0.3 + 0.9 * k, k, repeats, count) for k, m in enumerate("abc")]


DESIGNS: dict[str, tuple[Any, dict[str, Any]]] = {
    "one test set": (three(), {}),
    "groups": (three(groups=np.arange(120) % 15), {}),
    "different rows": (three(), {"unpaired": True}),
    "folds": (in_folds(1, 5), {}),
    "5x2": (in_folds(5, 2), {}),
    "numbers": ([numbers(m, 1 + k, seed=k) for k, m in enumerate("abc")], {}),
}


@pytest.mark.parametrize("design", DESIGNS)
def test_pairs_are_the_control_with_each_other_in_every_design(design: str) -> None:
    models, how = DESIGNS[design]
    measures = ["mse", "mae"] if design == "numbers" else ["accuracy", "auc"]
    whole = compare(*models, measures=measures, correction="none", **how)
    made = compare(*models, measures=measures, control="b", **how)
    assert made.pairs == [("b", "a"), ("b", "c")]
    assert len(made.differences) == 4
    for d in made.differences:
        same = whole[d.measure, d.first, d.second]
        assert d.value == same.value
        assert d.test.p_value == same.test.p_value
    alone = [d.test.p_value for d in made.differences]
    assert [d.corrected for d in made.differences] == pytest.approx(list(holm(alone)))


def test_words_and_tables_speak_of_the_control() -> None:
    made = compare(*three(), measures="auc", control="b")
    assert "auc: the control b is better than a by" in made.verdict
    assert "auc: c is better than the control b by" in made.verdict
    assert made.standing("auc") == {"c": "better", "b": "control", "a": "worse"}
    text = terminal_text(comparison_document(made, explain=True), width=80)
    assert "control minus" in text
    assert "control: b" in text
    assert "better, worse: than the control at 5%" in text
    assert "Each model is compared with the control b only" in " ".join(text.split())
    assert "share a letter" not in text
    with pytest.raises(InputError, match=r"letters need every pair; .* the control 'b'"):
        made.letters("auc")
    with pytest.raises(InputError, match="'a' and 'c'; each model is compared with the control"):
        made["auc", "a", "c"]


def test_slices_have_the_same_pairs() -> None:
    region = np.where(np.arange(120) % 2, "north", "south")
    made = compare(*three(slices={"region": region}), measures="accuracy", control="c")
    assert {(d.first, d.second) for d in made.slices} == {("c", "a"), ("c", "b")}
    assert len(made.slices) == 4
    text = terminal_text(comparison_document(made), width=80)
    assert "control is" in text


def test_unknown_controls_are_refused_with_the_nearest() -> None:
    models = [binary(m, 0.5, seed=k) for k, m in enumerate(("forest", "tree"))]
    with pytest.raises(
        InputError, match=r"'forst', so it cannot be the control; did you mean fore"
    ):
        compare(*models, control="forst")
    with pytest.raises(InputError, match="cannot be the control; there are a, b, c"):
        compare_results(table(3), datasets="set", control="zzzz")


@pytest.mark.parametrize("correction", ["holm", "hochberg", "bonferroni", "none"])
def test_over_data_sets_the_control_tests_are_made(correction: str) -> None:
    wide = table(4)
    made = compare_results(wide, datasets="set", control="c", correction=correction)
    whole = compare_results(wide, datasets="set", correction="none")
    assert made.pairs == [("c", "a"), ("c", "b"), ("c", "d")]
    assert made.ranks == pytest.approx(whole.ranks)
    assert made.omnibus[-1].p_value == whole.omnibus[-1].p_value
    ranks = np.array([whole.ranks[m] for m in NAMES])
    sets = len(read_results(wide, datasets="set").sets)
    expected = rank_differences(ranks, sets, correction=correction, control=2)
    assert [d.corrected for d in made.differences] == pytest.approx([e.corrected for e in expected])
    for d in made.differences:
        assert d.test.p_value == pytest.approx(whole[d.first, d.second].test.p_value)
        assert d.wins == whole[d.first, d.second].wins


def test_over_data_sets_words_and_tables_speak_of_the_control() -> None:
    made = compare_results(table(5, 20, step=0.03), datasets="set", control="c")
    assert "the control c is better than a over 20 data sets" in made.verdict
    assert "e is better than the control c over 20 data sets" in made.verdict
    assert "against the control c by mean ranks, corrected for 4 pairs (Holm)" in made.explanation
    assert made.standing["a"] == "worse"
    assert made.standing["e"] == "better"
    text = terminal_text(results_document(made), width=80)
    assert "(Bonferroni and Dunn)" not in text
    assert "control: c" in text
    with pytest.raises(InputError, match="letters need every pair"):
        _ = made.letters
    with pytest.raises(InputError, match="no correction beside a control is called 'shaffer'"):
        compare_results(table(5), datasets="set", control="c", correction="shaffer")


def test_of_two_models_the_control_is_the_first() -> None:
    made = compare_results(table(2), datasets="set", control="b")
    assert made.pairs == [("b", "a")]
    other = compare_results(table(2), datasets="set")
    assert made["a", "b"].test.p_value == pytest.approx(other["a", "b"].test.p_value)
    assert "the control b" in made.verdict


def test_many_models_are_summed_up_beside_the_control() -> None:
    made = compare_results(table(18, 30, step=0.01), datasets="set", control="i")
    text = " ".join(terminal_text(results_document(made), width=80).split())
    assert "of 17 models are better than the control i:" in text
    assert "of 17 models are worse than the control i:" in text
    assert "do not clearly differ from it (Holm)" in text
    models = [binary(f"m{k:02d}", 0.1 * k, seed=k) for k in range(18)]
    found = compare(*models, measures="accuracy", control="m05")
    text = " ".join(terminal_text(comparison_document(found), width=80).split())
    assert "models are better than the control m05: " in text
    assert "best" not in text.split("Models")[0]


def test_charts_show_the_pairs_of_the_control() -> None:
    made = compare(*three(), measures="auc", control="b", rope=0.02)
    forest = made.plot("forest")
    labels = [label.get_text() for label in forest.axes[0].get_yticklabels()]
    assert labels == ["b - a", "b - c"]
    assert "control better" in forest.axes[0].get_xlabel()
    assert len(made.plot("posterior").axes) == 2
    assert len(made.plot("posterior", first="a").axes) == 1
    with pytest.raises(InputError, match="'a' and 'c' were not compared"):
        made.plot("roc", first="a", second="c")
    with pytest.raises(InputError, match="with a control"):
        made.plot("forest", pairs="best")
    sets = compare_results(table(4), datasets="set", control="c")
    texts = " ".join(text.get_text() for text in sets.plot("ranks").axes[0].texts)
    assert "c (control)" in texts
    assert "Bonferroni and Dunn" not in texts
    dunn = compare_results(table(4), datasets="set", control="c", correction="bonferroni")
    texts = " ".join(text.get_text() for text in dunn.plot("ranks").axes[0].texts)
    assert "Bonferroni and Dunn" in texts
    assert "no significant difference from the control" in " ".join(texts.split())


def test_the_best_and_what_is_not_told_from_it_lead() -> None:
    path = Path(heldout.__file__).parent / "data" / "models.csv"
    comparison = heldout.compare(path, positive="spam", measures=["accuracy", "auc"])
    assert comparison.leading("auc") == ["forest"]
    # no two models differ: none of them leads
    assert comparison.leading("accuracy") == []
