"""Comparisons as plain data, for JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from heldout.comparison.chance import OF_WORDS, QUESTIONS, REFITTED
from heldout.report.json_text import plain

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from heldout.assess.results import Result
    from heldout.comparison.comparison import Comparison
    from heldout.comparison.results_comparison import ResultsComparison


def results_record(comparison: ResultsComparison) -> dict[str, Any]:
    """A comparison over many data sets as plain data."""
    key = "standing" if comparison.control else "letters"
    return {
        "design": {"kind": "many data sets", "sets": list(comparison.results.sets)},
        "models": _records(
            {"model": m, "mean_rank": comparison.ranks[m], key: comparison.standing[m]}
            for m in comparison.models
        ),
        "tests": _records(
            {"test": e.method, "statistic": e.statistic, "p_value": e.p_value}
            for e in comparison.omnibus
        ),
        "critical_difference": plain(comparison.critical),
        "differences": _records(comparison.table),
        "posterior": _posteriors(comparison.differences),
        **_words(comparison),
    }


def comparison_record(comparison: Comparison, chance: Sequence[Result]) -> dict[str, Any]:
    """A comparison of predictions as plain data."""
    design = comparison.design
    standings = {m: comparison.standing(m) for m in comparison.measures}
    key = "standing" if comparison.control else "letters"
    names = ("kind", "words", "rows", "repeats", "folds", "groups", "cuts_groups", "test_share")
    return {
        "design": {
            **{name: plain(getattr(design, name)) for name in names},
            "values_are": comparison.of or "of all rows",
        },
        "models": [
            {
                "model": model,
                **{m: plain(comparison.values[m][model]) for m in comparison.measures},
                key: {m: standings[m][model] for m in comparison.measures},
            }
            for model in standings[comparison.measures[0]]
        ],
        "differences": _records(comparison.table),
        "posterior": _posteriors((*comparison.differences, *comparison.slices)),
        "tests_of_all": _records(
            {"measure": m, "test": e.method, "statistic": e.statistic, "p_value": e.p_value}
            for m, e in comparison.omnibus.items()
        ),
        "chance": _records(map(chance_record, chance)),
        **_words(comparison),
    }


def chance_record(result: Result) -> dict[str, Any]:
    """A model against chance as plain data, with the question that its p-value answers."""
    test = result.test
    assert test is not None
    return {
        "model": result.model,
        "measure": result.measure,
        "test": test.method,
        "value": result.value,
        "by_chance": test.null,
        "p_value": test.p_value,
        "question": QUESTIONS[test.name],
        "note": test.note,
        # what it is of can be doubted only where models were fitted
        "of": OF_WORDS[result.of] if test.name == REFITTED else "",
    }


def _words(comparison: Comparison | ResultsComparison) -> dict[str, Any]:
    return {
        "verdict": comparison.verdict.splitlines(),
        "explanation": list(comparison.reasoning),
        "notes": list(comparison.notes),
    }


def _posteriors(differences: Iterable[Any]) -> list[dict[str, Any]]:
    records = []
    for d in differences:
        if d.posterior is None:
            continue
        q = d.posterior
        shares = q.first_better, q.second_better
        if d.direction == "down" and not q.test:
            # but over data sets the posterior is of values: greater is worse here
            shares = shares[1], shares[0]
        records.append(
            {
                "slice": d.slice,
                "measure": d.measure,
                "first": d.first,
                "second": d.second,
                "first_better": shares[0],
                "equivalent": q.equivalent,
                "second_better": shares[1],
                "rope": q.rope,
                "method": q.method,
            }
        )
    return _records(records)


def _records(rows: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    return [{name: plain(value) for name, value in row.items()} for row in rows]
