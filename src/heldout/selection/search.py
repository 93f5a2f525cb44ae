"""A search: all settings run along the same splits, and their values in every split."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from heldout.core.errors import InputError
from heldout.core.shown import Brief
from heldout.evaluation.unprepared import unprepared
from heldout.runner.run import run
from heldout.selection.bootstrap_value import (
    bootstrap_estimate_of,
    refuse_estimate,
    with_estimates,
)
from heldout.selection.cut_groups import cuts_groups
from heldout.selection.failed import reasons_of
from heldout.selection.one_class import defined_along
from heldout.selection.scoring import UNDEFINED, scored, scored_together
from heldout.selection.shared_paths import shared_paths

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from heldout.datasets.dataset import Dataset
    from heldout.evaluation.running import Running
    from heldout.procedures.splits import Splits
    from heldout.selection.race import Dropped
    from heldout.selection.scoring import Criterion, Scored
    from heldout.selection.settings import Setting

__all__ = ["Search", "refuse_nothing", "search"]


@dataclass(frozen=True, eq=False, repr=False)
class Search(Brief):
    """The values of settings on some splits of some data."""

    dataset: Dataset
    settings: tuple[Setting, ...]
    splits: Splits
    criterion: Criterion
    scores: tuple[Scored, ...]
    notes: tuple[str, ...] = ()
    #: fits (or exact predictions) of this call, and splits that the store knew
    fitted: int = 0
    reused: int = 0
    #: settings that a race gave up, by their place
    dropped: dict[int, Dropped] = field(default_factory=dict)
    #: the value of each setting on the rows that it was trained on, where asked for: optimistic
    training: NDArray[np.float64] | None = None

    @cached_property
    def cuts_groups(self) -> bool:
        """Whether rows of a group are on both sides of a split."""
        return cuts_groups(self.dataset, self.splits)

    @property
    def table(self) -> NDArray[np.float64]:
        """The value of each setting (a line) in each split (a column)."""
        return np.array([one.values for one in self.scores])

    @property
    def values(self) -> NDArray[np.float64]:
        """The value of each setting by which it is chosen."""
        return np.array([one.value for one in self.scores])

    @property
    def of(self) -> str:
        """What values are: ``folds`` (the mean over splits), ``pooled``, ``.632`` or ``.632+``."""
        return bootstrap_estimate_of(self.splits.procedure) or self.criterion.aggregate

    @property
    def best(self) -> int:
        """The place of the best setting."""
        return self.criterion.best(self.values)

    def averaged(self, place: int, of: str) -> float:
        """The value of a setting: the mean over splits (``folds``), or of all rows (``pooled``)."""
        score, name = self.scores[place], self.settings[place].name
        if of == self.criterion.aggregate or score.tallies is None:
            return score.value
        other = replace(self.criterion, aggregate=of)
        return scored(other, name, score.outcome, self.dataset, self.splits, beside=score).value

    @property
    def test_share(self) -> float:
        """Rows tested over rows trained on, in the mean of the splits."""
        known = (one.tallies for one in self.scores if one.tallies is not None)
        shares = (tallies.design.test_share for tallies in known)
        return next((share for share in shares if share is not None), float("nan"))


def search(
    dataset: Dataset,
    settings: Sequence[Setting],
    splits: Splits,
    criterion: Criterion,
    *,
    running: Running,
    seed: int = 0,
    has_training: bool = False,
) -> Search:
    """Run every setting in every split, and judge it there.

    With ``has_training`` each split's model is also judged on the rows that it was trained on,
    for which every setting is fitted in every split.
    """
    refuse_estimate(splits.procedure, criterion)
    criterion = defined_along(criterion, dataset, splits)
    exact = running.exact and not has_training
    paths = shared_paths(settings, dataset, splits) if exact else {}
    models = [one.model for one in settings]
    how = running.options(seed)
    outcomes = run(
        dataset, models, splits, exact=exact, paths=paths, train_error=has_training, **how
    )
    named = ((one.name, outcomes[one.name]) for one in settings)
    scores: Sequence[Scored] = scored_together(criterion, named, dataset, splits)
    if bootstrap_estimate_of(splits.procedure):
        scores = with_estimates(
            scores,
            settings,
            dataset,
            splits,
            criterion,
            running=replace(running, purpose="inner"),
            seed=seed,
        )
    training = None
    if has_training:
        over = replace(criterion, aggregate="folds")  # each model on the rows that trained it
        of = (scored(over, one.name, outcomes.train[one.name], dataset, splits) for one in settings)
        training = np.array([one.value for one in of])
    made = Search(
        dataset,
        tuple(settings),
        splits,
        criterion,
        tuple(scores),
        outcomes.notes,
        outcomes.fitted,
        outcomes.reused,
        training=training,
    )
    refuse_nothing(made)
    return made


def refuse_nothing(made: Search) -> None:
    """An error where no setting has a value, or none has a finite one."""
    criterion, best = made.criterion, made.best
    if best >= 0:
        if criterion.goodness(made.values[best]) == -np.inf:
            raise InputError(_endless(made))
        return
    reason = reasons_of(made)
    if reason.lstrip().startswith(UNDEFINED):
        reason += "; take larger folds, or all folds together: --aggregate pooled"
    pairs = zip(made.settings, made.scores, strict=True)
    hints = (unprepared(one.model, score.outcome, made.dataset) for one, score in pairs)
    if hint := next(filter(None, hints), ""):
        # what estimators say of it at length is said there
        lines = reason.split("\n")
        reason = "\n".join([*(one.partition(". ")[0] for one in lines), hint])
    space = "" if reason.startswith("\n") else " "
    raise InputError(f"no setting has a value of {criterion.name}:{space}{reason}")


def _endless(made: Search) -> str:
    """That settings which are all infinitely bad leave no choice, and what can decide."""
    name, chosen = made.criterion.name, made.criterion.request.measure
    fix = "choose by a measure that is finite"
    if any(one.name == "clip" for one in chosen.parameters):
        fix = f'choose by "{chosen.name}[clip=1e-15]", or by brier or accuracy'
    return (
        f"no setting has a finite {name}: in some rows what happened was given the probability "
        f"0; {fix}"
    )
