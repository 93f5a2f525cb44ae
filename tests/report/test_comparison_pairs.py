"""Charts and documents of many models: every pair is shown, or it is said which are not."""

from __future__ import annotations

import re
from typing import Any

import pytest
from matplotlib.colors import to_rgb

from heldout.core.errors import InputError
from heldout.report.comparison import comparison_document, results_document
from heldout.report.plots.comparison import every_chart
from heldout.report.plots.pair_charts import choose_pairs
from heldout.report.terminal import terminal_text
from tests.report.test_comparison_plots import FOLDS, compared, sets, words_of

MANY = "abcdefgh"


def pairs_in(figure: Any) -> set[tuple[str, str]]:
    """The pairs named below the panels of a posterior."""
    labels = [axes.get_xlabel() for axes in figure.axes]
    halves = [label.rpartition(": ")[2].partition(" - ") for label in labels]
    return {(first, second) for first, _, second in halves}


def test_posterior_has_a_panel_for_every_pair_and_measure() -> None:
    figure = compared(**FOLDS).plot("posterior")
    assert len(figure.axes) == 6
    assert pairs_in(figure) == {("a", "b"), ("a", "c"), ("b", "c")}
    assert "5 folds, 120 rows" in words_of(figure)
    assert "Corani" in words_of(figure)


def test_colours_of_a_posterior_are_the_models_whatever_is_better() -> None:
    figure = compared("ab", **FOLDS).plot("posterior")
    colours = [
        {
            text.get_text().split()[0]: text.get_color()
            for text in axes.texts
            if "better" in str(text)
        }
        for axes in figure.axes
    ]
    assert colours[0] == colours[1]
    assert len(set(colours[0].values())) == 2
    for axes in figure.axes:
        left, _, right = (part.get_facecolor()[0][:3] for part in axes.collections[:3])
        labels = [to_rgb(text.get_color()) for text in axes.texts[:2]]
        assert [tuple(left), tuple(right)] == [pytest.approx(rgb) for rgb in labels]


def test_charts_without_room_for_all_pairs_say_which_they_show() -> None:
    made = compared(MANY, **FOLDS)
    for name in ("posterior", "roc"):
        words = words_of(made.plot(name))
        assert "of 28 pairs: the best against the next" in words
        assert "[first=A,second=B]" in words
    assert "auc is 1 of 2 measures" in words_of(made.plot("posterior"))
    forest = made.plot("forest")
    assert "the best against each other model; all 56 rows: forest[pairs=all]" in words_of(forest)
    assert sum(len(axes.get_yticks()) for axes in forest.axes) == 14
    whole = made.plot("forest[pairs=all]")
    assert sum(len(axes.get_yticks()) for axes in whole.axes) == 56


def test_pages_of_all_charts_show_every_pair_once() -> None:
    made = compared("abcdef", **FOLDS)
    charts = made.plot("all")
    for measure in ("auc", "log_loss"):
        shown = [pairs_in(charts[f"posterior-{measure}-{page}"]) for page in (1, 2)]
        assert set.union(*shown) == set(made.pairs)
        assert sum(map(len, shown)) == 15
    roc = [figure for name, figure in charts.items() if name.startswith("roc-")]
    assert sum(len(figure.axes) for figure in roc) == 2 * 15
    assert "pairs 13 to 15 of 15" in words_of(roc[-1])
    assert len(charts["forest"].axes) == 2


def test_files_of_all_charts_have_names_that_sort() -> None:
    made = compared("abcdefghijkl", **FOLDS)
    names = {
        kind: [title for title, name, _ in every_chart(made) if name == kind]
        for kind in ("forest", "roc", "decision")
    }
    assert names["forest"] == ["forest-auc", "forest-log_loss"]
    for kind in ("roc", "decision"):
        assert (names[kind][0], names[kind][-1]) == (f"{kind}-01", f"{kind}-11")
        assert names[kind] == sorted(names[kind])


def test_options_in_brackets_choose_measure_and_models() -> None:
    made = compared(MANY, **FOLDS)
    figure = made.plot("posterior[measure=log_loss, first=c, second=a]")
    assert pairs_in(figure) == {("c", "a")}
    assert figure.axes[0].get_xlabel().startswith("Log loss")
    assert len(made.plot("roc[first=b]").axes) == 12
    for name, words in (
        ("posterior[measure=recall]", "was not compared"),
        ("posterior[first=z]", "no model is called 'z'"),
        ("roc[first=a,second=a]", "two models"),
        ("roc[measure=auc]", "no option 'measure'"),
        ("roc[page=9]", "this chart has 5 pages"),
        ("roc[page=two]", "a page is a number"),
        ("roc[first]", "option=value"),
        ("roc[first=a", "is not closed"),
        ("forest[pairs=some]", "one of all, best"),
    ):
        with pytest.raises(InputError, match=words):
            made.plot(name)


def test_posterior_over_data_sets_has_a_panel_a_pair() -> None:
    figure = sets(rope=0.01).plot("posterior")
    assert len(figure.axes) == 6
    assert "12 data sets; Bayesian signed-rank test" in words_of(figure)
    many = sets("abcde", rope=0.01)
    assert "4 of 10 pairs: the best against the next" in words_of(many.plot("posterior"))
    assert set(many.plot("all")) == {"forest", "posterior-1", "posterior-2", "ranks"}


def test_chosen_pairs_are_the_best_models() -> None:
    made = sets(MANY)
    found = choose_pairs(made, made.models, most=3)
    assert found.pairs == tuple((made.models[0], other) for other in made.models[1:4])
    assert len(choose_pairs(made, made.models, most=28).pairs) == 28


@pytest.mark.parametrize("width", [80, 100])
def test_documents_of_many_models_are_short_and_narrow(width: int) -> None:
    made = compared("abcdefghijklmno")
    text = terminal_text(comparison_document(made), width=width)
    lines = text.splitlines()
    assert max(map(len, lines)) <= width
    assert len(lines) < 130
    assert "are shown, of 105; --pairs all shows all" in " ".join(text.split())
    best = next(iter(made.letters("auc")))
    said = rf"{best}, .* are equal by area under .*; \d+ of 105 pairs differ significantly"
    assert re.search(said, " ".join(lines))
    every = terminal_text(comparison_document(made, pairs="all"), width=width)
    assert len(every.splitlines()) > 300
    assert "a - b" in every


def test_documents_of_many_models_over_sets_are_short() -> None:
    made = sets("abcdefghijklmno")
    text = terminal_text(results_document(made), width=80)
    assert len(text.splitlines()) < 60
    assert "p (all): corrected for all pairs, Shaffer" in text
    told = sum(d.is_significant for d in made.differences)
    assert f"{told} of 105 pairs differ significantly (Shaffer)" in " ".join(text.split())
    assert "interval and verdict disagree" in " ".join(text.split())
