"""Nested cross-validation: inner folds choose, outer folds say how good such choices are."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.core.errors import InputError
from heldout.core.shown import Brief
from heldout.procedures.apply import splits_of
from heldout.procedures.parse import parse_procedure
from heldout.procedures.predefined import PredefinedFolds
from heldout.procedures.splits import fold_names
from heldout.selection.bootstrap_value import bootstrap_estimate_of
from heldout.selection.choice import choose
from heldout.selection.judge import NAME, estimate_of, judged
from heldout.selection.race import race
from heldout.selection.scoring import scored
from heldout.selection.search import search
from heldout.selection.subset import subset

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from heldout.assess.options import IntervalOptions
    from heldout.datasets.dataset import Dataset
    from heldout.evaluation.evaluation import Evaluation
    from heldout.evaluation.running import Running
    from heldout.procedures.procedure import Procedure
    from heldout.procedures.splits import Splits
    from heldout.selection.estimate import Estimate
    from heldout.selection.scoring import Criterion
    from heldout.selection.search import Search
    from heldout.selection.settings import Setting

__all__ = [
    "Nested",
    "OuterFold",
    "inner_count",
    "nested_folds",
    "nested_search",
    "parse_nested",
    "refuse_unused_folds",
]

BOTH = re.compile(r"\s*(\d+)\s*[x×]\s*(\d+)(?:[- ]?folds?)?\s*", re.IGNORECASE)


@dataclass(frozen=True, slots=True, eq=False)
class OuterFold:
    """What the inner folds of one outer fold found, and what came of it."""

    repeat: int
    #: its number, or its name where folds have names of their own (those of a column)
    fold: Any
    search: Search
    #: the place of the chosen setting
    place: int

    @property
    def setting(self) -> Setting:
        """The chosen setting."""
        return self.search.settings[self.place]

    @property
    def inner_value(self) -> float:
        """Its value in the inner folds: optimistic."""
        return float(self.search.values[self.place])


@dataclass(frozen=True, eq=False, repr=False)
class Nested(Brief):
    """Choices of all outer folds and their judgement."""

    folds: tuple[OuterFold, ...]
    splits: Splits
    inner: str
    evaluation: Evaluation
    criterion: Criterion
    #: the value of the chosen setting in each outer fold
    values: NDArray[np.float64]
    #: their mean, or the value of all folds together where the criterion pools them
    value: float

    @property
    def mean(self) -> float:
        """The mean over outer folds, as ``cross_val_score`` of a grid search has it."""
        return float(np.mean(self.values))

    @cached_property
    def pooled(self) -> float:
        """The value of all outer test rows together (of each repeat, and their mean)."""
        criterion = replace(self.criterion, aggregate="pooled")
        dataset = self.evaluation.dataset
        return scored(criterion, NAME, self.outcome, dataset, self.splits).value

    @property
    def estimate(self) -> Estimate:
        """The value to expect of a model that is chosen this way."""
        return estimate_of(self.evaluation, self.criterion, "nested")

    @property
    def chosen(self) -> dict[str, int]:
        """How often each setting was chosen, the most frequent first."""
        return dict(Counter(one.setting.name for one in self.folds).most_common())

    @property
    def outcome(self) -> Any:
        """The predictions of all outer test rows."""
        return self.evaluation.outcomes[NAME]


def parse_nested(given: Any, inner: Any) -> tuple[Procedure, Procedure] | None:
    """The outer and the inner procedure.

    ``5x5-fold`` is outer 5-fold and inner 5-fold; ``10-fold / 5-fold`` names each; an outer
    procedure alone takes the procedure of the search for the inner one.

    Examples
    --------
    >>> [str(one) for one in parse_nested("5x3-fold", None)]
    ['5-fold', '3-fold']
    >>> [str(one) for one in parse_nested("100x holdout 70:30 / 10-fold", None)]
    ['100x holdout 70:30', '10-fold']
    """
    if given is None or given is False:
        return None
    if isinstance(given, (tuple, list)) and len(given) == 2:
        outer, within = given
    elif isinstance(given, int) and not isinstance(given, bool):
        outer, within = f"{given}-fold", inner or "5-fold"
    elif isinstance(given, str) and (match := BOTH.fullmatch(given)):
        outer, within = f"{match[1]}-fold", f"{match[2]}-fold"
    elif isinstance(given, str) and " / " in given:
        outer, _, within = given.partition(" / ")
    else:
        outer, within = given, inner or "5-fold"
    made = parse_procedure(outer), parse_procedure(within)
    if inner is not None and within is not inner and str(made[1]) != str(parse_procedure(inner)):
        raise InputError(
            f"nested {given!r} has the inner procedure {made[1]}, and the procedure is "
            f"{parse_procedure(inner)}: give one of them"
        )
    return made


def nested_folds(procedures: tuple[Procedure, Procedure] | None, procedure: Any) -> Any:
    """The procedure that names a column of folds: one of the two, or that of the search."""
    both = () if procedures is None else procedures
    return next((one for one in both if isinstance(one, PredefinedFolds)), procedure)


def refuse_unused_folds(
    procedures: tuple[Procedure, Procedure] | None, dataset: Dataset, *, flag: str = "folds="
) -> None:
    """An error where folds are given that neither the outer nor the inner procedure takes."""
    if procedures is None or dataset.fold is None:
        return
    if not any(isinstance(one, PredefinedFolds) for one in procedures):
        outer, inner = procedures
        raise InputError(
            f"{flag} gives the fold of each row, and nested {outer} / {inner} makes its own: leave "
            f'out one of the two, or nest within the given folds: "column {dataset.fold.name} / '
            f'{inner}"'
        )


def inner_count(
    procedures: tuple[Procedure, Procedure] | None, dataset: Dataset, within: int, *, seed: int
) -> int:
    """How many inner splits there are, where an outer training part has so many of them."""
    return 0 if procedures is None else within * len(splits_of(procedures[0], dataset, seed=seed))


def nested_search(
    dataset: Dataset,
    settings: Sequence[Setting],
    procedures: tuple[Procedure, Procedure],
    criterion: Criterion,
    *,
    running: Running,
    seed: int,
    intervals: IntervalOptions,
    rule: str = "best",
    simpler: Any = None,
    is_raced: bool = False,
) -> Nested:
    """A search within each outer training part, and its choice judged on the outer test part.

    The choice is made as on all rows: by the same rule, and by a race where that was one.
    """
    outer, inner = procedures
    if bootstrap_estimate_of(str(outer)):
        raise InputError(
            f"{outer}: choices are judged on rows that were left out, without their training "
            "error; take 10-fold or bootstrap 50 as the outer procedure"
        )
    find = race if is_raced else search
    splits = splits_of(outer, dataset, seed=seed)
    names = fold_names(splits)
    folds = []
    for split in splits:
        if split.validation is not None:
            raise InputError(f"{outer}: an outer procedure has no validation part; write 70:30")
        fold = names[split.fold - 1] if names else split.fold
        named = f"outer fold {fold}" + (f" of repeat {split.repeat}" * (split.repeat > 1))
        part = subset(dataset, np.unique(split.train))
        within = _inner_splits(inner, part, named, seed)
        try:
            found = find(part, settings, within, criterion, running=running, seed=seed)
            place = choose(found, rule, simpler=simpler).place
        except InputError as error:
            raise InputError(f"inner folds of {named}: {error}") from None
        folds.append(OuterFold(split.repeat, fold, found, place))
    chosen = [one.setting for one in folds]
    evaluation = judged(dataset, chosen, splits, running=running, seed=seed, intervals=intervals)
    judgement = scored(criterion, NAME, evaluation.outcomes[NAME], dataset, splits)
    return Nested(
        tuple(folds), splits, str(inner), evaluation, criterion, judgement.values, judgement.value
    )


def _inner_splits(inner: Procedure, part: Dataset, fold: str, seed: int) -> Splits:
    """The inner splits, or an error that says in which outer fold they are impossible."""
    try:
        return splits_of(inner, part, seed=seed)
    except InputError as error:
        raise InputError(f"inner folds within the training part of {fold}: {error}") from None
