"""Comparisons as plain data, for JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from heldout.comparison.chance import OF_WORDS, QUESTIONS, REFITTED

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from heldout.assess.results import Result
    from heldout.comparison.comparison import Comparison
    from heldout.comparison.difference import Difference
    from heldout.comparison.over_sets.sets_comparison import ResultsComparison
    from heldout.core.significance import Test


def results_record(comparison: ResultsComparison) -> dict[str, Any]:
    """A comparison over many data sets as plain data."""
    key = "standing" if comparison.control else "letters"
    return {
        "design": {"kind": "many data sets", "sets": list(comparison.results.sets)},
        "models": [
            {"model": m, "mean_rank": comparison.ranks[m], key: comparison.standing[m]}
            for m in comparison.models
        ],
        "tests": [record_of_test(test) for test in comparison.omnibus],
        "critical_difference": comparison.critical,
        "differences": list(comparison.table),
        "posterior": posterior_records(comparison.differences),
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
            **{name: getattr(design, name) for name in names},
            "values_are": comparison.of or "of all rows",
        },
        "models": [
            {
                "model": model,
                **{m: comparison.values[m][model] for m in comparison.measures},
                key: {m: standings[m][model] for m in comparison.measures},
            }
            for model in standings[comparison.measures[0]]
        ],
        "differences": list(comparison.table),
        "posterior": posterior_records((*comparison.differences, *comparison.slices)),
        "tests_of_all": [
            {"measure": measure, **record_of_test(test)}
            for measure, test in comparison.omnibus.items()
        ],
        "chance": list(map(chance_record, chance)),
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


def record_of_test(test: Test) -> dict[str, Any]:
    """A test of all models at once."""
    return {"test": test.method, "statistic": test.statistic, "p_value": test.p_value}


def posterior_records(differences: Iterable[Difference]) -> list[dict[str, Any]]:
    """The probabilities of each pair that has a posterior; better is what the measure says."""
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
    return records
