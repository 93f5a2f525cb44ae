"""``heldout.compare_results``: models' values on many data sets in, a comparison out."""

from __future__ import annotations

from dataclasses import replace
from itertools import count
from math import inf, nan, sqrt
from typing import TYPE_CHECKING, Any

from heldout.comparison.admissible import admit
from heldout.comparison.bayesian_signed_rank import bayesian_sign, bayesian_signed_rank
from heldout.comparison.design import ComparisonDesign
from heldout.comparison.evidence import Evidence, checked_alternative, tail
from heldout.comparison.options import CompareOptions
from heldout.comparison.post_hoc import (
    CONTROL_CORRECTIONS,
    CORRECTIONS,
    control_differences,
    critical_difference,
    rank_differences,
    rank_error,
)
from heldout.comparison.python_words import python_errors
from heldout.comparison.ranks import (
    FEW_SETS,
    RANK_TESTS,
    Ranked,
    average_ranks,
    least_p,
    ranked,
    without_noise,
)
from heldout.comparison.results_comparison import ResultsComparison, SetsDifference
from heldout.comparison.results_table import ResultsTable, read_results, refuse_wide_rope
from heldout.comparison.signed_ranks import (
    informative_sets,
    pseudomedian,
    sign_test,
    walsh_interval,
    wilcoxon,
)
from heldout.comparison.standing import control_first, pairs_of
from heldout.comparison.words import OF_DESIGN
from heldout.core.errors import InputError
from heldout.core.options import from_keywords

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

__all__ = [
    "BERGMANN_MOST",
    "compare_results",
    "compare_results_table",
    "least_pair_p",
    "note_on_draws",
    "notes_on_ranks",
    "refuse_few",
    "refuse_wrong_number",
]

#: Bergmann and Hommel's procedure looks at every partition of the models: too many beyond
BERGMANN_MOST = 10
#: draws of the Bayesian test of each pair of several models
PAIR_DRAWS = 20_000


def compare_results(
    table: Any,
    *,
    datasets: str = "",
    models: str | Sequence[str] | None = None,
    value: str | None = None,
    higher_is_better: bool = True,
    level: float = 0.95,
    alternative: str = "two-sided",
    test: str = "",
    force: bool = False,
    correction: str = "",
    control: str = "",
    rope: float | None = None,
    random_state: int = 1,
) -> ResultsComparison:
    """Whether models differ over many data sets.

    Parameters
    ----------
    table
        A file or table: long (``datasets``, ``models`` and ``value`` name columns) or wide
        (a column a model, ``datasets`` names the sets); or a ``ResultsTable``.
    test
        Two models: ``wilcoxon`` (default) or ``sign``. Several: ``friedman`` (default),
        ``quade`` or ``aligned-ranks``, and then pairs by the same ranks.
    correction
        Of the pairs of several models: ``bergmann_hommel`` (up to ten models), ``shaffer``
        (beyond), ``nemenyi``, ``holm``, ``bonferroni``, ``none``; beside a control: ``holm``
        (default), ``hochberg``, ``bonferroni``, ``none``.
    control
        The model with which each other one is compared, and no other pair. Empty: every pair.
    rope
        A difference that does not matter, for the Bayesian signed-rank test of two models
        (with ``sign`` the Bayesian sign test); of several, of each pair, not corrected.

    Examples
    --------
    >>> sets = [f"set {i}" for i in range(8)]
    >>> table = {"set": sets, "a": [5, 6, 7, 8, 9, 8, 7, 6], "b": [4, 5, 5, 5, 5, 3, 1, 0]}
    >>> found = compare_results(table, datasets="set")
    >>> found["a", "b"].wins, found["a", "b"].corrected < 0.05
    (8, True)
    """
    given = locals()
    made = table
    if not isinstance(table, ResultsTable):
        if not datasets:
            raise InputError("datasets= names the column of the data sets")
        with python_errors():
            made = read_results(table, datasets=datasets, models=models, value=value)
    options = from_keywords(CompareOptions, {**given, "correction": "holm"})
    with python_errors():
        return compare_results_table(
            made, options, correction=correction, higher_is_better=higher_is_better
        )


def compare_results_table(
    results: ResultsTable,
    options: CompareOptions,
    *,
    correction: str = "",
    higher_is_better: bool = True,
) -> ResultsComparison:
    """The comparison of a table of results that is complete."""
    results = control_first(results, options.control)
    sets, count = results.values.shape
    design = ComparisonDesign("many data sets", sets)
    test = options.test or ("wilcoxon" if count == 2 else "friedman")
    note = admit(test, design, force=options.force)
    refuse_wrong_number(test, count)
    refuse_few(test, sets, count, options)
    refuse_wide_rope(results, options.rope)
    chosen = _chosen(correction, count, options.control)
    signed = results.values if higher_is_better else -results.values
    reasons = [f"Design: {design.words}.", OF_DESIGN["many data sets"]]
    notes = [note] if note else []
    omnibus: tuple[Evidence, ...] = ()
    critical = nan
    if count == 2:
        ranks = average_ranks(signed)
        differences: tuple[SetsDifference, ...] = (
            _two(results, ranks, signed, test, options, note=note),
        )
        reasons.append(f"Two models: {differences[0].evidence.method}.")
        if test == "wilcoxon":
            said = note_on_draws(sets, informative_sets(*results.values.T), options)
            notes += [said] if said else []
    else:
        if options.alternative != "two-sided":
            raise InputError("tests of several models have no direction: leave out --alternative")
        found = ranked(signed, test, seed=options.seed)
        ranks, omnibus = found.mean, found.tests
        if test == "friedman":
            notes += notes_on_ranks(
                count, sets, chosen, options.level, found.exact, control=options.control
            )
        differences = _pairs(results, found, signed, chosen, options)
        critical = critical_difference(
            count,
            sets,
            level=options.level,
            against_control=bool(options.control),
            error=found.error,
        )
        reasons.append(_reason(test, count, chosen, options.control))
    return ResultsComparison(
        results,
        {model: float(rank) for model, rank in zip(results.models, ranks, strict=True)},
        omnibus,
        tuple(replace(d, higher_is_better=higher_is_better) for d in differences),
        critical,
        options,
        higher_is_better,
        tuple(reasons),
        (*notes, *results.notes),
    )


def _chosen(correction: str, count: int, control: str) -> str:
    """The correction of so many models' pairs, checked."""
    names = CONTROL_CORRECTIONS if control else CORRECTIONS
    if correction and correction not in names:
        beside = " beside a control" if control else ""
        raise InputError(
            f"no correction{beside} is called {correction!r}; there are {', '.join(names)}"
        )
    if control:
        return correction or "holm"
    chosen = correction or ("bergmann_hommel" if count <= BERGMANN_MOST else "shaffer")
    if chosen == "bergmann_hommel" and count > BERGMANN_MOST:
        raise InputError(
            f"bergmann_hommel is for up to {BERGMANN_MOST} models, not {count}: take shaffer"
        )
    return chosen


def _reason(test: str, count: int, chosen: str, control: str) -> str:
    words = chosen.replace("_", " and ").title().replace(" And ", " and ")
    if control:
        return (
            f"{count} models: {RANK_TESTS[test]}, then each model against the control {control} by "
            f"mean ranks, corrected for {count - 1} pairs ({words})."
        )
    return (
        f"{count} models: {RANK_TESTS[test]}, then every pair by mean ranks, corrected for "
        f"{count * (count - 1) // 2} pairs ({words})."
    )


def _two(
    results: ResultsTable,
    ranks: NDArray[Any],
    signed: NDArray[Any],
    test: str,
    options: CompareOptions,
    *,
    note: str,
) -> SetsDifference:
    first, second = results.values.T
    if test == "sign":
        evidence = sign_test(first, second, alternative=options.alternative)
    elif test == "wilcoxon":
        evidence = wilcoxon(first, second, alternative=options.alternative)
    else:
        evidence = _over_sets(without_noise(first - second), options.alternative, note)
    made = _difference(results, signed, (0, 1), ranks, evidence, options)
    bayesian = bayesian_sign if test == "sign" else bayesian_signed_rank
    gains = without_noise(signed[:, 0] - signed[:, 1])
    return replace(made, posterior=bayesian(gains, options.rope or 0.0, seed=options.seed))


def _pairs(
    results: ResultsTable,
    found: Ranked,
    signed: NDArray[Any],
    correction: str,
    options: CompareOptions,
) -> tuple[SetsDifference, ...]:
    how: dict[str, Any] = {"correction": correction, "error": found.error}
    if options.control:
        tested = control_differences(found.mean, len(signed), 0, **how)
    else:
        tested = rank_differences(found.mean, len(signed), **how)
    made = []
    for pair, places in zip(tested, pairs_of(results.models, options.control), strict=True):
        evidence = Evidence(found.method, pair.z, pair.p_value)
        difference = _difference(results, signed, places, found.mean, evidence, options)
        posterior = None
        if options.rope is not None:
            gains = without_noise(signed[:, places[0]] - signed[:, places[1]])
            posterior = bayesian_signed_rank(
                gains, options.rope, draws=PAIR_DRAWS, seed=options.seed
            )
        made.append(
            replace(
                difference,
                corrected=pair.corrected,
                correction=correction,
                posterior=posterior,
            )
        )
    return tuple(made)


def _difference(
    results: ResultsTable,
    signed: NDArray[Any],
    places: tuple[int, int],
    ranks: NDArray[Any],
    evidence: Evidence,
    options: CompareOptions,
) -> SetsDifference:
    one, two = places
    gains = without_noise(without_noise(signed)[:, one] - without_noise(signed)[:, two])
    gaps = without_noise(results.values[:, one] - results.values[:, two])
    return SetsDifference(
        results.models[one],
        results.models[two],
        int((gains > 0).sum()),
        int((gains == 0).sum()),
        int((gains < 0).sum()),
        pseudomedian(gaps),
        walsh_interval(gaps, level=options.level, alternative=evidence.alternative),
        float(ranks[one] - ranks[two]),
        evidence,
        evidence.p_value,
    )


def _over_sets(gaps: NDArray[Any], alternative: str, note: str) -> Evidence:
    """The paired t test over data sets, which only force can ask for."""
    from scipy.stats import t

    side = checked_alternative(alternative)
    method = "paired t test over data sets (not valid)"
    error = float(gaps.std(ddof=1)) / sqrt(len(gaps))
    mean, degrees = float(gaps.mean()), len(gaps) - 1
    if error == 0:
        p_value = 1.0 if mean == 0 else 0.0
        return Evidence(method, mean and mean * inf, p_value, side, (degrees,), note)
    p_value = tail(mean / error, side, lambda x: t.sf(x, degrees))
    return Evidence(method, mean / error, p_value, side, (degrees,), note)


#: chi squared is said to be good for more models than that (Demšar 2006)
FEW_MODELS = 5


def refuse_wrong_number(test: str, models: int) -> None:
    """An error where a test is for another number of models."""
    if models > 2 and test not in RANK_TESTS:
        raise InputError(
            f"{test} is for two models, and there are {models}: friedman, then pairs, keeps false "
            "alarms at the level"
        )
    if models == 2 and test in RANK_TESTS:
        raise InputError(f"{test} is for three models or more: take wilcoxon or sign for two")


def refuse_few(test: str, sets: int, models: int, options: CompareOptions) -> None:
    """An error where even the clearest results could not reach the level."""
    share = 1 - options.level

    def least(number: int) -> float:
        if test in ("wilcoxon", "sign"):
            return (2 if options.alternative == "two-sided" else 1) / 2.0**number
        if test in RANK_TESTS:
            return least_p(models, number)
        return 0.0 if number > 1 else inf

    if least(sets) <= share:
        return
    needed = next(number for number in count(sets) if least(number) <= share)
    clearest = "all ranked the models alike" if test in RANK_TESTS else "one model won them all"
    p = f", p would be {least(sets):.2g}, above {share:.2g}" if least(sets) < inf else ""
    raise InputError(
        f"{sets} data sets are too few for {test}: even if {clearest}{p}; take {needed} data sets "
        "or more"
    )


def note_on_draws(sets: int, differing: int, options: CompareOptions) -> str:
    """What Wilcoxon's test cannot show where models draw on too many data sets; else empty."""
    sides = 2 if options.alternative == "two-sided" else 1
    share = 1 - options.level
    needed = next(number for number in count(1) if sides / 2.0**number <= share)
    if not differing or differing >= needed:
        return ""
    return (
        f"the models differ on {differing} of {sets} data sets: Wilcoxon's test needs {needed} "
        f"that differ, for even if one model won all {differing}, p would be "
        f"{sides / 2.0**differing:.2g}, above {share:.2g}"
    )


def notes_on_ranks(
    models: int,
    sets: int,
    correction: str,
    level: float,
    exact: Evidence | None,
    *,
    control: str = "",
) -> list[str]:
    """What to know of Friedman's test of so many models on so many data sets."""
    made = []
    if exact is None and (sets <= FEW_SETS or models <= FEW_MODELS):
        made.append(
            "Friedman's chi squared is an approximation, rough for few data sets (up to 10) or "
            "models (up to 5); Iman and Davenport's F is the one to read"
        )
    pairs = models - 1 if control else None

    def least(number: int) -> float:
        return least_pair_p(models, number, correction, pairs=pairs)

    if least(sets) > 1 - level:
        needed = next(number for number in count(sets) if least(number) <= 1 - level)
        which = "no model could be told apart from the control" if control else ""
        which = which or f"no two of {models} models could be told apart"
        made.append(f"{which} by {sets} data sets, whatever they show: that takes {needed}")
    return made


def least_pair_p(models: int, sets: int, correction: str, *, pairs: int | None = None) -> float:
    """The smallest corrected p-value of a pair: one model always first, the other always last.

    ``pairs``: how many are tested; None: every one.

    Examples
    --------
    >>> least_pair_p(3, 3, "holm")
    0.0429
    """
    from scipy.stats import studentized_range

    from heldout.core.special import ndtr

    z = (models - 1) / rank_error(models, sets)
    if correction == "nemenyi":
        return float(studentized_range.sf(z * sqrt(2), models, inf))
    # every stepwise procedure holds its smallest p-value against the number of pairs
    tested = models * (models - 1) / 2 if pairs is None else pairs
    return float(min(1.0, (1 if correction == "none" else tested) * 2 * ndtr(-z)))
