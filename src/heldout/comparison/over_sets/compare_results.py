"""``heldout.compare_results``: models' values on many data sets in, a comparison out."""

from __future__ import annotations

from dataclasses import replace
from itertools import count
from math import inf, nan
from typing import TYPE_CHECKING, Any, NamedTuple

from heldout.comparison.design import ComparisonDesign
from heldout.comparison.methods import Sample, admit
from heldout.comparison.options import CompareOptions
from heldout.comparison.over_sets.bayesian import bayesian_sign, bayesian_signed_rank
from heldout.comparison.over_sets.post_hoc import (
    checked_correction,
    critical_difference,
    least_pair_p,
    rank_differences,
)
from heldout.comparison.over_sets.ranks import (
    FEW_SETS,
    average_ranks,
    least_p,
    without_noise,
)
from heldout.comparison.over_sets.results import ResultsTable, read_results, refuse_wide_rope
from heldout.comparison.over_sets.sets_comparison import ResultsComparison
from heldout.comparison.over_sets.sets_difference import SetsDifference
from heldout.comparison.over_sets.signed_ranks import pseudomedian, walsh_interval
from heldout.comparison.standing import pairs_of, place_of
from heldout.comparison.words import OF_DESIGN
from heldout.core.dialect import speaking, worded
from heldout.core.errors import InputError
from heldout.core.options import from_keywords
from heldout.core.significance import Test

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from heldout.comparison.methods import Method
    from heldout.comparison.posterior import Posterior

#: draws of the Bayesian test of each pair of several models
PAIR_DRAWS = 20_000
#: chi squared is said to be good for more models than that (Demšar 2006)
FEW_MODELS = 5


def compare_results(
    table: Any,
    *,
    datasets: str = "",
    models: str | Sequence[str] | None = None,
    value: str | None = None,
    higher_is_better: bool = True,
    level: float = 0.95,
    alpha: float = 0.05,
    alternative: str = "two-sided",
    test: str = "",
    force: bool = False,
    correction: str = "",
    control: str = "",
    rope: float | None = None,
    random_state: int = 1,
) -> ResultsComparison:
    """Test whether models differ over many data sets.

    Parameters
    ----------
    table
        A file or table: long (``datasets``, ``models`` and ``value`` name columns) or wide
        (a column per model, ``datasets`` names the sets); or a ``ResultsTable``.
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
    results = table
    if not isinstance(table, ResultsTable):
        if not datasets:
            raise InputError("datasets= names the column of the data sets")
        with speaking("keywords"):
            results = read_results(table, datasets=datasets, models=models, value=value)
    options = from_keywords(CompareOptions, {**given, "correction": "holm"})
    with speaking("keywords"):
        return compare_results_table(
            results, options, correction=correction, higher_is_better=higher_is_better
        )


def compare_results_table(
    results: ResultsTable,
    options: CompareOptions,
    *,
    correction: str = "",
    higher_is_better: bool = True,
) -> ResultsComparison:
    """The comparison of a table of results that is complete."""
    control = place_of(results.models, options.control)
    if control is not None:
        results = results.with_first(control)
    sets, models = results.values.shape
    design = ComparisonDesign("many data sets", sets)
    name = options.test or ("wilcoxon" if models == 2 else "friedman")
    method, note, is_forced = admit(name, design, force=options.force)
    _refuse_test(method, sets, models, options)
    refuse_wide_rope(results, options.rope)
    chosen = checked_correction(correction, models, options.control)
    signed = results.values if higher_is_better else -results.values
    if models == 2:
        judged = _two_models(results.values, average_ranks(signed), method, note, options)
    else:
        judged = _several_models(signed, method, chosen, options)
    pairs = pairs_of(models, None if control is None else 0)
    differences = tuple(
        replace(
            _difference(results, signed, pair, test, options),
            direction="up" if higher_is_better else "down",
            ranks=float(judged.ranks[pair[0]] - judged.ranks[pair[1]]),
            correction=judged.correction,
            posterior=_posterior(signed, pair, name, options),
            is_forced=is_forced,
        )
        for pair, test in zip(pairs, judged.tests, strict=True)
    )
    draws = _note_on_draws(differences[0], options) if name == "wilcoxon" else ""
    return ResultsComparison(
        results,
        dict(zip(results.models, judged.ranks.tolist(), strict=True)),
        judged.of_all,
        differences,
        judged.critical,
        options,
        higher_is_better,
        (f"Design: {design.words}.", OF_DESIGN["many data sets"], judged.reason),
        tuple(filter(None, (note, *judged.notes, draws, *results.notes))),
    )


class _Judged(NamedTuple):
    """Mean ranks, the tests of all pairs and of all models together, and why these."""

    ranks: NDArray[Any]
    tests: list[Test]
    reason: str
    of_all: tuple[Test, ...] = ()
    correction: str = ""
    #: the difference of mean ranks from which models are told apart
    critical: float = nan
    notes: tuple[str, ...] = ()


def _two_models(
    values: NDArray[Any], ranks: NDArray[Any], method: Method, note: str, options: CompareOptions
) -> _Judged:
    test = method.function(*values.T, alternative=options.alternative).noted(note)
    test = replace(test, name=method.name, corrected=test.p_value)
    return _Judged(ranks, [test], f"Two models: {test.method}.")


def _several_models(
    signed: NDArray[Any], method: Method, correction: str, options: CompareOptions
) -> _Judged:
    if options.alternative != "two-sided":
        raise InputError(
            worded("tests of several models have no direction: leave out {alternative}")
        )
    sets, models = signed.shape
    ranking = method.function(signed, seed=options.seed)
    control = 0 if options.control else None
    how: dict[str, Any] = {"correction": correction, "error": ranking.error, "control": control}
    tests = [
        Test(ranking.method, pair.z, pair.p_value, name=method.name, corrected=pair.corrected)
        for pair in rank_differences(ranking.mean, sets, **how)
    ]
    level, beside = 1 - options.alpha, bool(options.control)
    critical = critical_difference(
        models, sets, level=level, against_control=beside, error=ranking.error
    )
    notes: tuple[str, ...] = ()
    if method.name == "friedman":
        notes = _notes_on_ranks(models, sets, correction, options, ranking.exact)
    reason = _reason(method, models, correction, options.control)
    return _Judged(ranking.mean, tests, reason, ranking.tests, correction, critical, notes)


def _difference(
    results: ResultsTable,
    signed: NDArray[Any],
    places: tuple[int, int],
    test: Test,
    options: CompareOptions,
) -> SetsDifference:
    """How often each of two models wins, and by how much they differ."""
    first, second = places
    gains = without_noise(without_noise(signed)[:, first] - without_noise(signed)[:, second])
    gaps = without_noise(results.values[:, first] - results.values[:, second])
    return SetsDifference(
        measure=results.measure,
        value=pseudomedian(gaps),
        n=len(gaps),
        first=results.models[first],
        second=results.models[second],
        test=test,
        unit="data sets",
        alpha=options.alpha,
        wins=int((gains > 0).sum()),
        draws=int((gains == 0).sum()),
        losses=int((gains < 0).sum()),
    ).bounded(walsh_interval(gaps, level=options.level, alternative=test.alternative))


def _posterior(
    signed: NDArray[Any], places: tuple[int, int], test: str, options: CompareOptions
) -> Posterior | None:
    """That of two models; of a pair of several only where it is asked for."""
    gains = without_noise(signed[:, places[0]] - signed[:, places[1]])
    if signed.shape[1] == 2:
        bayesian = bayesian_sign if test == "sign" else bayesian_signed_rank
        return bayesian(gains, options.rope or 0.0, seed=options.seed)
    if options.rope is None:
        return None
    return bayesian_signed_rank(gains, options.rope, draws=PAIR_DRAWS, seed=options.seed)


def _reason(method: Method, models: int, correction: str, control: str) -> str:
    words = correction.replace("_", " and ").title().replace(" And ", " and ")
    pairs = models - 1 if control else models * (models - 1) // 2
    whom = f"each model against the control {control}" if control else "every pair"
    return (
        f"{models} models: {method.title}, then {whom} by mean ranks, corrected for "
        f"{pairs} pairs ({words})."
    )


def _refuse_test(method: Method, sets: int, models: int, options: CompareOptions) -> None:
    """An error where a test is for another number of models, or could never reach the level."""
    test, is_of_all = method.name, method.sample is Sample.ALL_ON_SETS
    if models > 2 and not is_of_all:
        raise InputError(
            f"{test} is for two models, and there are {models}: friedman, then pairs, keeps false "
            "alarms at the level"
        )
    if models == 2 and is_of_all:
        raise InputError(f"{test} is for three models or more: use wilcoxon or sign for two")
    share = options.alpha

    def least(number: int) -> float:
        if test in ("wilcoxon", "sign"):
            return _least_of_signs(number, options)
        if is_of_all:
            return least_p(models, number)
        return 0.0 if number > 1 else inf

    if least(sets) <= share:
        return
    needed = _needed(least, share, sets)
    clearest = "all ranked the models alike" if is_of_all else "one model won them all"
    p = f", p would be {least(sets):.2g}, above {share:.2g}" if least(sets) < inf else ""
    raise InputError(
        f"{sets} data sets are too few for {test}: even if {clearest}{p}; take {needed} data sets "
        "or more"
    )


def _needed(least: Callable[[int], float], share: float, sets: int = 1) -> int:
    """From how many data sets on the smallest p-value that there can be is small enough."""
    return next(number for number in count(sets) if least(number) <= share)


def _least_of_signs(sets: int, options: CompareOptions) -> float:
    """The smallest p-value of a test of signs: one model wins on every data set."""
    return (2 if options.alternative == "two-sided" else 1) / 2.0**sets


def _note_on_draws(difference: SetsDifference, options: CompareOptions) -> str:
    """What Wilcoxon's test cannot show where models draw on too many data sets; else empty."""
    sets, differing, share = difference.n, difference.differing, options.alpha
    needed = _needed(lambda number: _least_of_signs(number, options), share)
    if not differing or differing >= needed:
        return ""
    return (
        f"the models differ on {differing} of {sets} data sets: Wilcoxon's test needs {needed} "
        f"that differ, for even if one model won all {differing}, p would be "
        f"{_least_of_signs(differing, options):.2g}, above {share:.2g}"
    )


def _notes_on_ranks(
    models: int, sets: int, correction: str, options: CompareOptions, exact: Test | None
) -> tuple[str, ...]:
    """What to know of Friedman's test of so many models on so many data sets."""
    notes = []
    if exact is None and (sets <= FEW_SETS or models <= FEW_MODELS):
        notes.append(
            "Friedman's chi squared is an approximation, rough for few data sets (up to 10) or "
            "models (up to 5); Iman and Davenport's F is the one to read"
        )
    pairs, share = models - 1 if options.control else None, options.alpha

    def least(number: int) -> float:
        return least_pair_p(models, number, correction, pairs=pairs)

    if least(sets) > share:
        needed = _needed(least, share, sets)
        which = f"no two of {models} models could differ significantly"
        if options.control:
            which = "no model could differ significantly from the control"
        notes.append(f"{which} by {sets} data sets, whatever they show: that takes {needed}")
    return tuple(notes)
