"""A search: all settings run along the same splits, and their values in every split."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from math import isnan, nan
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.core.notes import Kind, Topic, without
from heldout.core.shown import Brief
from heldout.engines.memory import Tallies
from heldout.evaluation.estimates import estimates_of, why_undefined
from heldout.evaluation.predictions import predictions_of, whole_split
from heldout.learners.fit import fold_warnings
from heldout.predictions.plan import plan_of
from heldout.runner.run import run
from heldout.selection.choice import choose, cuts_groups
from heldout.selection.criterion import defined_along
from heldout.selection.options import SelectOptions
from heldout.selection.scoring import scored, scored_together
from heldout.selection.search_notes import refuse_nothing
from heldout.selection.shared_paths import shared_paths

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from heldout.datasets.dataset import Dataset
    from heldout.evaluation.running import Running
    from heldout.learners.fit import FoldWarning
    from heldout.learners.model import Model
    from heldout.learners.outcome import Outcome
    from heldout.predictions.split_design import SplitDesign
    from heldout.procedures.splits import Splits
    from heldout.runner.state import Outcomes
    from heldout.selection.choice import Choice
    from heldout.selection.criterion import Criterion
    from heldout.selection.race import Dropped
    from heldout.selection.scoring import Scored
    from heldout.selection.settings import Setting


@dataclass(frozen=True, eq=False)
class Setup:
    """What is searched, and how: on all splits alike, those within outer folds too."""

    dataset: Dataset
    settings: tuple[Setting, ...]
    criterion: Criterion
    running: Running
    asked: SelectOptions = field(default_factory=SelectOptions)

    @property
    def inner(self) -> Setup:
        """The setup of a search within outer folds, and of fits beside a search."""
        asked = replace(self.asked, training_error=False)
        return replace(self, asked=asked, running=replace(self.running, purpose="inner"))

    @property
    def models(self) -> list[Model]:
        """The models of the settings."""
        return [setting.model for setting in self.settings]

    def along(self, splits: Splits) -> Setup:
        """The setup with a criterion that is defined along the splits."""
        return replace(self, criterion=defined_along(self.criterion, self.dataset, splits))

    def outcomes(self, splits: Splits) -> Outcomes:
        """The predictions of the settings in some splits."""
        has_training = self.asked.training_error
        exact = self.running.exact and not has_training
        return run(
            self.dataset,
            self.models,
            splits,
            exact=exact,
            paths=shared_paths(self.settings, self.dataset, splits) if exact else {},
            train_error=has_training,
            **self.running.options(self.asked.seed),
        )


def _with_estimates(setup: Setup, scores: Sequence[Scored], splits: Splits) -> Sequence[Scored]:
    """Scores whose value is the estimate, for which each setting is fitted on all rows as well."""
    if not plan_of(splits.procedure).is_632:
        return scores
    whole = whole_split(len(setup.dataset), seed=setup.asked.seed)
    # no exact path may be taken: they leave the tested rows out
    running = replace(setup.inner.running, exact=False)
    inside = replace(setup.inner, running=running).outcomes(whole)
    estimated = []
    for setting, score in zip(setup.settings, scores, strict=True):
        outcome = inside[setting.name]
        if isnan(score.value):
            estimated.append(score)
        elif outcome.failures:
            how: Any = {"reason": outcome.failures[0][1], "where": " on all rows"}
            estimated.append(replace(score, value=nan, lack=Kind.FAILED, **how))
        else:
            training = Tallies(predictions_of(setting.name, outcome, setup.dataset, whole))
            estimated.append(_estimated(setup.criterion, score, training))
    return estimated


def _estimated(criterion: Criterion, score: Scored, training: Tallies) -> Scored:
    estimates = estimates_of(criterion.request, score.known, training)
    value = estimates.plus if criterion.aggregate == ".632+" else estimates.plain
    if not isnan(value):
        return replace(score, value=value)
    why = why_undefined(estimates, instead=": take .632")
    reason = f"{criterion.aggregate} is undefined: {why}"
    return replace(score, value=nan, lack=Kind.NO_ESTIMATE, reason=reason)


@dataclass(frozen=True, eq=False, repr=False)
class Search(Brief):
    """The values of settings on some splits of some data."""

    setup: Setup
    splits: Splits
    scores: tuple[Scored, ...]
    notes: tuple[str, ...] = ()
    #: what models warned of while they were fitted
    warnings: tuple[FoldWarning, ...] = ()
    #: fits (or exact predictions) of this call, and splits that the store knew
    fitted: int = 0
    reused: int = 0
    #: settings that a race gave up, by their place
    dropped: dict[int, Dropped] = field(default_factory=dict)
    #: the settings on the rows that they were trained on, where asked for: optimistic
    trained: tuple[Scored, ...] = ()

    @property
    def dataset(self) -> Dataset:
        """The data."""
        return self.setup.dataset

    @property
    def settings(self) -> tuple[Setting, ...]:
        """What is chosen from."""
        return self.setup.settings

    @property
    def criterion(self) -> Criterion:
        """The measure that decides."""
        return self.setup.criterion

    @cached_property
    def choice(self) -> Choice:
        """The setting that the rule chooses, and why."""
        return choose(self)

    @property
    def setting(self) -> Setting:
        """The chosen setting."""
        return self.settings[self.choice.index]

    @property
    def value(self) -> float:
        """The value by which it was chosen: optimistic."""
        return float(self.values[self.choice.index])

    @property
    def training(self) -> NDArray[np.float64] | None:
        """The value of each setting on the rows that it was trained on, where asked for."""
        return np.array([score.value for score in self.trained]) if self.trained else None

    @cached_property
    def cuts_groups(self) -> bool:
        """Whether rows of a group are on both sides of a split."""
        return cuts_groups(self.dataset, self.splits)

    @property
    def table(self) -> NDArray[np.float64]:
        """The value of each setting (a line) in each split (a column)."""
        return np.array([score.values for score in self.scores])

    @property
    def values(self) -> NDArray[np.float64]:
        """The value of each setting by which it is chosen."""
        return np.array([score.value for score in self.scores])

    @property
    def of(self) -> str:
        """What values are: the aggregate of the criterion."""
        return self.criterion.aggregate

    @property
    def best(self) -> int:
        """The place of the best setting."""
        return self.criterion.best(self.values)

    def averaged(self, index: int, of: str) -> float:
        """The value of a setting: the mean over splits (``folds``), or of all rows (``pooled``)."""
        score = self.scores[index]
        return score.value if of == self.criterion.aggregate else score.averaged(of)

    @property
    def designs(self) -> list[SplitDesign]:
        """How the rows of each setting that has predictions came to be judged."""
        return [score.tallies.design for score in self.scores if score.tallies is not None]

    @property
    def test_share(self) -> float:
        """Rows tested over rows trained on, in the mean of the splits."""
        shares = (design.test_share for design in self.designs)
        return next((share for share in shares if share is not None), nan)

    @property
    def folds(self) -> int:
        """How many folds a repeat has; 1 for holdouts."""
        return next((design.folds for design in self.designs), 1)


def search(setup: Setup, splits: Splits) -> Search:
    """Run every setting in every split, and judge it there.

    With ``training_error`` each split's model is also judged on the rows that it was trained on,
    for which every setting is fitted in every split.
    """
    setup = setup.along(splits)
    result = run_settings(setup, splits)
    result = replace(result, scores=tuple(_with_estimates(setup, result.scores, splits)))
    refuse_nothing(result)
    return result


def run_settings(setup: Setup, splits: Splits) -> Search:
    """The values of the settings in some splits, as they come."""
    outcomes = setup.outcomes(splits)
    names = [setting.name for setting in setup.settings]
    result = searched(
        setup,
        splits,
        {name: outcomes[name] for name in names},
        {name: outcomes.train[name] for name in names if setup.asked.training_error},
    )
    return replace(
        result,
        notes=without(outcomes.notes, Topic.FIT_WARNING),
        warnings=tuple(
            warning
            for name in names
            for warning in fold_warnings(name, outcomes[name], len(splits))
        ),
        fitted=outcomes.fitted,
        reused=outcomes.reused,
    )


def searched(
    setup: Setup, splits: Splits, tested: Mapping[str, Outcome], trained: Mapping[str, Outcome]
) -> Search:
    """A search of predictions that are made: of tested rows, and of those that trained."""
    data = setup.dataset
    over = replace(setup.criterion, aggregate="folds")  # each model on the rows that trained it
    return Search(
        setup,
        splits,
        scored_together(setup.criterion, tested.items(), data, splits),
        trained=tuple(scored(over, name, o, data, splits) for name, o in trained.items()),
    )


def alone(splits: Splits, position: int) -> Splits:
    """One of the splits by itself, without a validation part."""
    return splits.of_parts([replace(splits[position], validation=None)])


def at_position(outcome: Outcome, position: int) -> Outcome:
    """The outcome of a split that was run by itself, as one of several."""
    return replace(
        outcome,
        splits=np.full(len(outcome.splits), position),
        failures=tuple((position, text) for _, text in outcome.failures),
    )
