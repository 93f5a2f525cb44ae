"""Formulas as plain text: readable, unambiguous, and nothing of LaTeX left."""

from __future__ import annotations

import pytest

from heldout.measures.registry import Measure, measures
from heldout.report.formula import formula_text


@pytest.mark.parametrize(
    ("latex", "text"),
    [
        (r"\frac{1}{n}", "1/n"),
        (r"\frac{TP}{TP + FN}", "TP / (TP + FN)"),
        (r"\frac{TP \cdot TN}{FP \cdot FN}", "(TP · TN) / (FP · FN)"),
        (r"\frac{a}{\sqrt{b + c}}", "a / √(b + c)"),
        (r"\frac{a}{\sqrt{b} + \sqrt{c}}", "a / (√(b) + √(c))"),
        (r"\frac{(a - b)^2}{c}", "(a - b)² / c"),
        (r"\frac{2}{K(K-1)} x", "2 / (K(K-1)) x"),
        (r"\log \frac{a + b}{c}", "log ((a + b) / c)"),
        (r"\sum_i \frac{a_i}{b_i + 1}", "Σ_i (a_i / (b_i + 1))"),
        (r"x^{n+1} + y^{-1} + z^3", "x^(n+1) + y^-1 + z³"),
        (r"n_{k\cdot} n_{\cdot k}", "n_k· n_·k"),
        (r"\hat{y} - \bar{y}", "ŷ - ȳ"),
        (r"\beta^2\,TP", "β² TP"),
        (r"a, \quad b", "a,  b"),
        (r"\begin{cases} a & x > 0 \\ b & \text{else} \end{cases}", "{ a if x > 0; b else }"),
        (r"\binom{n}{k}", "C(n, k)"),
        (r"\left( a \right)", "( a )"),
        (r"\mystery", "mystery"),
    ],
)
def test_formula_reads_as_one_line(latex: str, text: str) -> None:
    assert formula_text(latex) == text


@pytest.mark.parametrize("latex", [r"\frac", r"\frac{a", "a_", "{", "}", r"\sqrt", "^"])
def test_formula_cut_short_is_no_error(latex: str) -> None:
    assert "\\" not in formula_text(latex)


@pytest.mark.parametrize("measure", measures(), ids=lambda m: m.name)
def test_every_declared_formula_becomes_plain(measure: Measure) -> None:
    text = formula_text(measure.formula)
    assert text
    assert "\\" not in text
    assert "\n" not in text
    for opening, closing in ("()", "[]", "{}"):
        assert text.count(opening) == text.count(closing)
