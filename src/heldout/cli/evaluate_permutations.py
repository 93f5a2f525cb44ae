"""``heldout evaluate --permutations``: each model against itself on labels that were dealt out."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from heldout.core.errors import InputError
from heldout.core.shown import p_in_words

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from heldout.assess.results import Result
    from heldout.comparison.chance import ChanceResult
    from heldout.evaluation.evaluation import Evaluation

__all__ = ["noted", "permuted", "refuse_permutations"]

#: the measure where none is named
DEFAULT = {"binary": "accuracy", "multiclass": "accuracy", "regression": "mse"}
LEAST = 19


def refuse_permutations(given: Mapping[str, Any]) -> None:
    """An error for so few permutations that they can show nothing."""
    count = given["permutations"]
    if count is not None and count < LEAST:
        raise InputError(f"--permutations {count} can never give p <= 0.05: take at least {LEAST}")


def permuted(given: Mapping[str, Any], evaluation: Evaluation) -> tuple[ChanceResult, ...]:
    """What permuted labels give; the same procedure, models and seed."""
    from heldout.assess.headline import chosen_results
    from heldout.cli.evaluate_input import splits_from
    from heldout.cli.printing import printed_to_stderr
    from heldout.comparison.chance import refitted_permutations
    from heldout.measures.spec import parse_request

    names = given["measures"] or (DEFAULT[evaluation.dataset.task],)
    shown = chosen_results(evaluation.results(names, per_class=False))
    known = {model for (model, _), chosen in shown.items() if not chosen.result.is_not_given}
    lacks = {key for key, chosen in shown.items() if chosen.result.is_not_given}
    models = [model for model in evaluation.models if model.name in known]
    if not models:
        raise InputError(f"--permutations: no model has a value of {', '.join(names)}")
    with printed_to_stderr(), _watched(given) as progress:
        made = refitted_permutations(
            evaluation.dataset,
            models,
            lambda dataset: splits_from(given, dataset),
            [parse_request(name) for name in names],
            means={name for (_, name), chosen in shown.items() if chosen.of == "mean of folds"},
            permutations=given["permutations"],
            seed=given["seed"],
            jobs=given["jobs"],
            backend=given["backend"],
            exact=not given["no_exact"],
            progress=progress,
        )
    # of a measure that a model cannot have, its row says why
    return tuple(one for one in made if (one.model, one.measure) not in lacks)


@contextmanager
def _watched(given: Mapping[str, Any]) -> Iterator[Callable[[int], None]]:
    """A bar of the permutations done; whoever breaks off is told how many that were."""
    from heldout.cli.progress import shown_progress
    from heldout.cli.screen import note

    total, done = given["permutations"], 0
    bar = None if given["quiet"] else shown_progress()

    def tell(number: int) -> None:
        nonlocal done
        done = number
        if bar is not None:
            bar.advance("permutations", number, 0.0)

    try:
        if bar is not None:
            bar.start(total, title="permutations")
        yield tell
    except KeyboardInterrupt:
        if bar is not None:
            bar.finish()
        note(f"interrupted: {done:,} of {total:,} permutations were done; they are not kept")
        raise
    finally:
        if bar is not None:
            bar.finish()


def noted(results: Sequence[Result], chance: Sequence[ChanceResult]) -> tuple[Result, ...]:
    """The results, those that were tested against chance with their p-value in the note."""
    found = {
        (c.model, c.measure, "mean" if c.of == "mean of folds" else ""): (
            f"p {p_in_words(c.p_value)}, {c.test}"
        )
        for c in chance
    }
    made = []
    for result in results:
        said = found.get((result.model, result.measure, result.fold), "")
        if said and not result.repeat and not result.class_:
            result = result.noted(said)
        made.append(result)
    return tuple(made)
