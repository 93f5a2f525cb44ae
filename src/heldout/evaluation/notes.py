"""What a reader should know of an evaluation: guesses, decisions, failures, the paths taken."""

from __future__ import annotations

from typing import TYPE_CHECKING

from heldout.evaluation.unprepared import unprepared
from heldout.learners.outcome import why_mixed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from heldout.evaluation.evaluation import Evaluation
    from heldout.learners.outcome import Outcome

__all__ = ["failure_note", "notes_of", "path_notes"]

#: how the path of a split is called that was fitted like any other
REFIT = "refit"
WITHOUT_REFITTING = "without refitting, exactly: "
#: some splits were refitted all the same
PARTLY = "in part "


def failure_note(model: str, outcome: Outcome) -> tuple[str, ...]:
    """That a model failed in some splits, with the first message; nothing if it did not."""
    if not outcome.failures:
        return ()
    failed, done = len(outcome.failures), len(outcome.splits)
    _, message = outcome.failures[0]
    return (f"{model} failed in {failed:,} of {failed + done:,} splits: {message}",)


def notes_of(evaluation: Evaluation) -> tuple[str, ...]:
    """The notes, each said once."""
    return tuple(dict.fromkeys(_notes(evaluation)))


def _notes(evaluation: Evaluation) -> Iterator[str]:
    yield from evaluation.dataset.notes_for(evaluation.models)
    yield from evaluation.splits.notes
    yield from evaluation.said
    models = {model.name: model for model in evaluation.models}
    for name, outcome in evaluation.outcomes.items():
        yield from failure_note(name, outcome)
        if mixed := why_mixed(name, outcome):
            yield mixed
        if hint := unprepared(models[name], outcome, evaluation.dataset):
            yield hint
    yield from path_notes(evaluation)
    if evaluation.predictions:
        yield from evaluation.scorecard.notes


def path_notes(evaluation: Evaluation) -> Iterator[str]:
    """Which models were judged by an exact path, wholly or in some splits."""
    outcomes = {name: o for name, o in evaluation.outcomes.items() if len(o.splits)}
    taken = {name: dict.fromkeys(o.path.split(", ")) for name, o in outcomes.items()}
    wholly = [f"{name} ({', '.join(paths)})" for name, paths in taken.items() if REFIT not in paths]
    partly = [
        f"{name} ({', '.join(path for path in paths if path != REFIT)})"
        for name, paths in taken.items()
        if REFIT in paths and len(paths) > 1
    ]
    if wholly:
        yield f"{WITHOUT_REFITTING}{', '.join(wholly)}"
    if partly:
        yield f"{PARTLY}{WITHOUT_REFITTING}{', '.join(partly)}"
