"""Slices are resampled unasked where that is little work, and else say that they are not."""

from __future__ import annotations

from typing import Any

import numpy as np

import heldout
from heldout.assess.rows import is_little_work
from tests.cli.running import call

RESAMPLED = ("average_precision", "expected_calibration_error")
LEFT_OUT = "many slices or rows to resample: computed if asked for by name"


def card_of(rows: int, slices: int, **more: Any) -> Any:
    rng = np.random.default_rng(1)
    truth = rng.random(rows) < 0.4
    score = 1 / (1 + np.exp(-rng.normal(2.0 * truth - 1, 1.0)))
    site = np.arange(rows) % slices
    return heldout.score(truth, y_score=score, pos_label=True, slices={"site": site}, **more)


def test_few_slices_have_all_intervals_unasked_and_as_if_asked_for() -> None:
    card = card_of(240, 3)
    found = {(r.slice, r.measure): r for r in card.results() if r.slice}
    assert len(found) > 40
    assert all(r.low is not None for r in found.values())
    for r in card.results(RESAMPLED):
        if r.slice:
            assert (r.low, r.high, r.method) == (
                found[r.slice, r.measure].low,
                found[r.slice, r.measure].high,
                found[r.slice, r.measure].method,
            )


def test_many_slices_have_what_costs_little_and_say_why_not_the_rest() -> None:
    found = [r for r in card_of(3000, 100).results() if r.slice and r.is_defined]
    for r in found:
        if r.measure in RESAMPLED:
            assert r.low is None
            assert r.note.startswith(f"no interval: {LEFT_OUT}")
        if r.measure in ("accuracy", "log_loss", "f_score"):
            assert r.low is not None


def test_bound_is_on_rows_slices_models_measures_and_draws() -> None:
    def is_little(card: Any, models: int = 1) -> bool:
        requests = card._requests(None, everything=False)
        return is_little_work(card.tallies[0], requests, card.intervals, models=models)

    assert is_little(card_of(100_000, 25))
    assert not is_little(card_of(1_000_000, 25))
    assert not is_little(card_of(1000, 100))
    assert not is_little(card_of(1000, 30), models=3)
    assert not is_little(card_of(1000, 30, replicates=2000))
    asked = card_of(1000, 100)
    assert is_little_work(asked.tallies[0], asked.requests(RESAMPLED), asked.intervals)


def test_table_of_many_slices_says_in_a_line_what_it_left_out(tmp_path: Any, capsys: Any) -> None:
    lines = [f"{i % 2},{(i * 7 % 20 + 4 * (i % 2)) / 30:.3f},s{i // 2 % 60}" for i in range(600)]
    path = tmp_path / "p.csv"
    path.write_text("y,p,site\n" + "\n".join(lines) + "\n")
    roles = ("--truth", "y", "--score", "p", "--by", "site", "--quiet", "--no-audit")
    # a page shows ten slices, which are few enough for the usual number of draws
    usual = call(capsys, "score", str(path), *roles)
    assert usual.code == 0
    assert LEFT_OUT not in " ".join(usual.out.split())
    many = call(capsys, "score", str(path), *roles, "--replicates", "4000")
    said = " ".join(many.out.split())
    assert many.code == 0
    assert "Average precision, Expected calibration error (site=s" in said
    assert said.count(LEFT_OUT) == 1
