"""The threshold of a page in a real browser: what it moves is what Python gives for it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from scipy.stats import norm

import heldout
from tests.report.page.pages import opened, report_of, shown, write_binary

if TYPE_CHECKING:
    from pathlib import Path


def test_threshold_moves_counts_to_what_python_gives(tmp_path: Path, browser: Any) -> None:
    data = tmp_path / "a.csv"
    write_binary(data)
    target = report_of(tmp_path, "score", str(data), "--positive", "yes")
    with opened(browser, target) as page:
        slider = page.locator('input[name="cut"]')
        for cut in (0, 40, 150, int(slider.get_attribute("max"))):
            slider.evaluate(
                "(s, v) => {s.value = v; s.dispatchEvent(new Event('input'))}", str(cut)
            )
            # the threshold that a reader sees is the one that gives the counts
            text = shown(page, "threshold")
            card = heldout.score(
                str(data),
                truth="truth",
                score="score",
                positive="yes",
                threshold=2.0 if text == "above every score" else float(text),
                intervals=False,
            )
            counts = {name: float(shown(page, name).replace(",", "")) for name in ("tp", "fp")}
            assert counts["tp"] == card["true_positives"].value
            assert counts["fp"] == card["false_positives"].value
            assert shown(page, "recall") == f"{100 * card['recall'].value:.1f}%"


def test_cheapest_threshold_follows_costs_and_prevalence(tmp_path: Path, browser: Any) -> None:
    data = tmp_path / "a.csv"
    write_binary(data)
    target = report_of(tmp_path, "score", str(data), "--positive", "yes")
    with opened(browser, target) as page:
        page.fill('input[name="miss"]', "5")
        page.fill('input[name="alarm"]', "1")
        page.click("button[name=go]")
        truth, score = np.genfromtxt(data, str, delimiter=",", skip_header=1).T
        is_yes, scores = truth == '"yes"', score.astype(float)
        costs = [
            5 * np.mean(is_yes & (scores < cut)) + np.mean(~is_yes & (scores >= cut))
            for cut in [*scores, 2.0]
        ]
        assert float(shown(page, "worth")) == pytest.approx(min(costs), rel=1e-3)
        page.fill('input[name="prevalence"]', "1")
        assert float(shown(page, "precision").rstrip("%")) < 30


def test_line_of_equal_cost_touches_the_curve_at_the_cheapest_threshold(
    tmp_path: Path, browser: Any
) -> None:
    data = tmp_path / "a.csv"
    write_binary(data)
    target = report_of(tmp_path, "score", str(data), "--positive", "yes")
    truth, score = np.genfromtxt(data, str, delimiter=",", skip_header=1).T
    is_yes, scores = truth == '"yes"', score.astype(float)
    cuts = np.append(np.unique(scores), 2.0)
    recall = np.array([(scores[is_yes] >= cut).mean() for cut in cuts])
    alarms = np.array([(scores[~is_yes] >= cut).mean() for cut in cuts])
    with opened(browser, target) as page:
        for share, miss, alarm in ((0.3, 1, 1), (0.1, 5, 1), (0.6, 1, 4)):
            page.fill('input[name="prevalence"]', str(100 * share))
            page.fill('input[name="miss"]', str(miss))
            page.fill('input[name="alarm"]', str(alarm))
            costs = share * (1 - recall) * miss + (1 - share) * alarms * alarm
            best = int(np.argmin(costs))
            assert float(shown(page, "best-worth")) == pytest.approx(costs[best], rel=1e-3)
            assert float(shown(page, "best")) == pytest.approx(cuts[best], rel=1e-3)
            ends = page.evaluate(LINE)
            slope = (ends[1][1] - ends[0][1]) / (ends[1][0] - ends[0][0])
            assert slope == pytest.approx((1 - share) * alarm / (share * miss), rel=1e-3)
            over = ends[0][1] + slope * (alarms - ends[0][0]) - recall
            assert over.min() == pytest.approx(0, abs=1e-3)
            assert over[best] == pytest.approx(0, abs=1e-3)


#: the ends of the line on the ROC chart, as values of its axes
LINE = """() => {
  const panel = document.querySelector('g[data-chart="roc"]');
  const value = (text, place) => {
    const [low, high, start, stop] = text.split(" ").map(Number);
    return low + (place - start) / (stop - start) * (high - low);
  };
  return panel.querySelector(".equal-worth").getAttribute("d").slice(1).split("L").map((end) => {
    const [x, y] = end.split(" ").map(Number);
    return [value(panel.dataset.x, x), value(panel.dataset.y, y)];
  });
}"""


#: the values of the axes at which a mark lies, for each chart that has it
MARKS = """kind => Object.fromEntries(
[...document.querySelectorAll("g[data-chart]")].map((panel) => {
  const value = (text, place) => {
    const [low, high, start, stop] = text.split(" ").map(Number);
    return low + (place - start) / (stop - start) * (high - low);
  };
  const mark = panel.querySelector(kind);
  if (!mark) return [panel.dataset.chart, null];
  const points = mark.tagName === "circle"
    ? [[mark.getAttribute("cx"), mark.getAttribute("cy")]]
    : mark.getAttribute("d").slice(1).split("L").map((end) => end.split(" "));
  const places = points.map(([x, y]) => [value(panel.dataset.x, x), value(panel.dataset.y, y)]);
  return [panel.dataset.chart, places];
}))"""


def test_mark_lies_on_every_curve_where_python_has_the_threshold(
    tmp_path: Path, browser: Any
) -> None:
    data = tmp_path / "a.csv"
    write_binary(data)
    target = report_of(tmp_path, "score", str(data), "--positive", "yes")
    with opened(browser, target) as page:
        page.locator('input[name="cut"]').fill("90")
        cut = float(shown(page, "threshold"))
        card = heldout.score(str(data), positive="yes", threshold=cut, intervals=False)
        marks = page.evaluate(MARKS, ".moving")
    recall, alarms = card["recall"].value, 1 - card["specificity"].value
    called = (card["true_positives"].value + card["false_positives"].value) / 300
    places = {
        "roc": (alarms, recall),
        "hull": (alarms, recall),
        "pr": (recall, card["precision"].value),
        "gain": (called, recall),
        "lift": (called, recall / called),
        "det": tuple(norm.ppf([alarms, 1 - recall])),
    }
    for chart, place in places.items():
        assert marks[chart][0] == pytest.approx(place, abs=2e-3), chart
    for chart in ("calibration", "decision", "thresholds", "scores"):
        assert [x for x, _ in marks[chart]] == pytest.approx([cut, cut], abs=2e-3), chart
    assert marks["cost"] == [
        pytest.approx([0, alarms], abs=2e-3),
        pytest.approx([1, 1 - recall], abs=2e-3),
    ]


def test_profit_and_prevalence_of_the_page_are_those_of_python(
    tmp_path: Path, browser: Any
) -> None:
    data = tmp_path / "a.csv"
    write_binary(data)
    command = ("score", str(data), "--positive", "yes", "--labels", "no,yes")
    target = report_of(tmp_path, *command, "--profit", "0.5,-2;-7,10")
    how = {"positive": "yes", "labels": ["no", "yes"], "profit": [[0.5, -2], [-7, 10]]}
    best = heldout.score(str(data), intervals=False, **how).operating_point(None, 0.1)
    with opened(browser, target) as page:
        values = {n: page.input_value(f'[name="{n}"]') for n in ("hit", "miss", "alarm")}
        assert values == {"hit": "10", "miss": "7", "alarm": "2"}
        for point in best:
            page.fill('input[name="prevalence"]', str(100 * point["prevalence"]))
            page.click("button[name=go]")
            assert shown(page, "worth-name") == "profit"
            assert float(shown(page, "worth")) == pytest.approx(point["profit_per_row"], rel=1e-3)
            cut = float(shown(page, "threshold"))
            card = heldout.score(str(data), threshold=cut, intervals=False, **how)
            # the last of each measure is that at the share that was asked for
            own = {r["measure"]: r["value"] for r in card.at_prevalence(point["prevalence"])}
            assert own["profit_per_row"] == pytest.approx(point["profit_per_row"])
            for name in ("precision", "accuracy"):
                assert shown(page, name) == f"{100 * own[name]:.1f}%"
            hits, misses = card["true_positives"].value, card["false_negatives"].value
            assert shown(page, "tp-more").endswith(f"earns {10 * hits:,.0f}")
            assert shown(page, "fn-more").endswith(f"costs {7 * misses:,.0f}")


def test_threshold_of_one_model_marks_its_own_panel(tmp_path: Path, browser: Any) -> None:
    target = report_of(tmp_path, "score", "example:models", "--positive", "spam")
    with opened(browser, target) as page:
        panels = page.locator('g[data-chart="thresholds"]')
        names = [panels.nth(i).get_attribute("data-panel") for i in range(panels.count())]
        for model in ("logistic", "rules"):
            page.select_option('select[name="model"]', label=model)
            paths = [
                panels.nth(i).locator(".moving").get_attribute("d") for i in range(panels.count())
            ]
            assert [name for name, path in zip(names, paths, strict=True) if path] == [model]


def test_infinite_scores_and_one_class_do_not_stop_the_page(tmp_path: Path, browser: Any) -> None:
    lines = ["yes,inf", "no,-inf", "yes,1.5", "no,0.2"] * 10
    (tmp_path / "a.csv").write_text("\n".join(["truth,score", *lines]))
    (tmp_path / "b.csv").write_text("\n".join(["truth,score", *["yes,0.4", "yes,0.7"] * 10]))
    for name, more in (("a.csv", ()), ("b.csv", ("--labels", "no,yes"))):
        command = ("score", str(tmp_path / name), "--positive", "yes", *more)
        with opened(browser, report_of(tmp_path, *command)) as page:
            assert page.locator("h1").count() == 1


@pytest.mark.parametrize("label", ["no", "yes"])
def test_rates_of_one_class_are_those_of_python(tmp_path: Path, browser: Any, label: str) -> None:
    data = tmp_path / "a.csv"
    data.write_text("truth,score\n" + f"{label},0.4\n{label},0.7\n{label},0.9\n" * 10)
    command = ("score", str(data), "--positive", "yes", "--labels", "no,yes")
    card = heldout.score(str(data), positive="yes", labels=["no", "yes"], intervals=False)
    with opened(browser, report_of(tmp_path, *command)) as page:
        for name in ("precision", "accuracy"):
            assert shown(page, name) == f"{100 * card[name].value:.1f}%"
        assert float(shown(page, "worth")) == pytest.approx(1 - card["accuracy"].value, abs=1e-4)
        # how often the other class would be right, nobody knows
        page.fill('input[name="prevalence"]', "50")
        for name in ("accuracy", "worth", "best", "best-worth"):
            assert shown(page, name) == "undefined"


@pytest.mark.parametrize(
    ("field", "text"),
    [("prevalence", "-5"), ("prevalence", "150"), ("prevalence", ""), ("miss", "")],
)
def test_field_without_a_number_in_its_range_leaves_undefined_what_rests_on_it(
    tmp_path: Path, browser: Any, field: str, text: str
) -> None:
    data = tmp_path / "a.csv"
    write_binary(data)
    with opened(browser, report_of(tmp_path, "score", str(data), "--positive", "yes")) as page:
        precision = shown(page, "precision")
        page.fill(f'input[name="{field}"]', text)
        for name in ("worth", "best", "best-worth"):
            assert shown(page, name) == "undefined"
        assert shown(page, "precision") == ("undefined" if field == "prevalence" else precision)
        threshold = shown(page, "threshold")
        page.click("button[name=go]")
        assert shown(page, "threshold") == threshold


def test_slider_stays_in_sight_and_answers_at_once(tmp_path: Path, browser: Any) -> None:
    data = tmp_path / "a.csv"
    write_binary(data, rows=20_000)
    target = report_of(tmp_path, "score", str(data), "--positive", "yes")
    with opened(browser, target) as page:
        page.locator("#chart-lift").scroll_into_view_if_needed()
        assert page.locator(".bar").bounding_box()["y"] == pytest.approx(0, abs=1)
        took = page.evaluate(
            """() => {
              const slider = document.querySelector('input[name="cut"]');
              const start = performance.now();
              for (let i = 0; i < 20; i += 1) {
                slider.value = 20 * i;
                slider.dispatchEvent(new Event("input"));
                document.body.getBoundingClientRect();
              }
              return (performance.now() - start) / 20;
            }"""
        )
        assert took < 50
