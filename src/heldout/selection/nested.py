"""Nested cross-validation: inner folds choose, outer folds say how good such choices are."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, replace
from math import isinf, nan
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.assess.results import Of, Result
from heldout.core.errors import InputError
from heldout.core.notes import Kind, Note
from heldout.core.shown import Brief
from heldout.evaluation.evaluation import Evaluation
from heldout.predictions.plan import plan_of
from heldout.procedures.apply import splits_of
from heldout.procedures.parse import parse_procedure
from heldout.procedures.predefined import PredefinedFolds
from heldout.procedures.splits import fold_names
from heldout.runner.join import join
from heldout.selection.race import race
from heldout.selection.scoring import scored
from heldout.selection.search import alone, at_position, search

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from heldout.datasets.dataset import Dataset
    from heldout.procedures.procedure import Procedure
    from heldout.procedures.splits import Splits
    from heldout.selection.criterion import Criterion
    from heldout.selection.scoring import Scored
    from heldout.selection.search import Search, Setup
    from heldout.selection.settings import Setting

NAME = "chosen setting"


def judge(setup: Setup, chosen: Sequence[Setting], splits: Splits) -> Evaluation:
    """The evaluation of a choice that differs from split to split."""
    outcomes = []
    for position, setting in enumerate(chosen):
        by_name = replace(setup.inner, settings=(setting,)).outcomes(alone(splits, position))
        outcomes.append(at_position(by_name[setting.name], position))
    model, limits = replace(chosen[0].model, name=NAME), setup.asked.limits
    return Evaluation(setup.dataset, (model,), splits, {NAME: join(outcomes)}, intervals=limits)


#: what the values of outer folds are, in words
AVERAGES = {Of.MEAN_OF_FOLDS: "mean of the folds", Of.POOLED: "all test rows pooled"}


def estimate_of(evaluation: Evaluation, criterion: Criterion) -> Result:
    """The value of an evaluation with its interval: of the folds' mean, or of all rows pooled.

    Where only one of the two has an interval that is valid for the design, it is taken.
    """
    results = [
        r
        for r in evaluation.results([criterion.text])
        if r.class_ == (criterion.request.label or "") and not r.repeat and r.of in AVERAGES
    ]
    if not results:
        lack = (Note("the measure has no value there"),)
        return Result(criterion.name, nan, len(evaluation.dataset), lack, NAME)
    wanted = Of.MEAN_OF_FOLDS if criterion.aggregate == "folds" else Of.POOLED
    first, *others = sorted(results, key=lambda r: (r.low is None, r.of is not wanted))
    what = "test part" if len(evaluation.splits) == 1 else AVERAGES[first.of]
    # both answer questions of their own: rows of all folds together, and a fold by itself
    for other in others:
        if other.is_defined and f"{other.value:.4g}" != f"{first.value:.4g}":
            what += f" ({AVERAGES[other.of]}: {other.value:.4g})"
    notes = first.notes
    if isinf(first.value):
        notes = (Note("the loss of a row is infinite", Kind.NO_INTERVAL),)
    return replace(first, notes=(Note(what), *notes))


BOTH = re.compile(r"\s*(\d+)\s*[x×]\s*(\d+)(?:[- ]?folds?)?\s*", re.IGNORECASE)


@dataclass(frozen=True, slots=True, eq=False)
class OuterFold:
    """What the inner folds of one outer fold found, and what came of it."""

    repeat: int
    #: its number, or its name where folds have names of their own (those of a column)
    fold: Any
    search: Search

    @property
    def setting(self) -> Setting:
        """The chosen setting."""
        return self.search.setting

    @property
    def inner_value(self) -> float:
        """Its value in the inner folds: optimistic."""
        return self.search.value


@dataclass(frozen=True, eq=False, repr=False)
class Nested(Brief):
    """Choices of all outer folds and their judgement."""

    folds: tuple[OuterFold, ...]
    splits: Splits
    inner: str
    evaluation: Evaluation
    criterion: Criterion
    #: the values of the chosen settings in the outer folds
    score: Scored

    @property
    def values(self) -> NDArray[np.float64]:
        """The value of the chosen setting in each outer fold."""
        return self.score.values

    @property
    def value(self) -> float:
        """Their mean, or that of all folds together where the criterion pools them."""
        return self.score.value

    @property
    def mean(self) -> float:
        """The mean over outer folds, as ``cross_val_score`` of a grid search has it."""
        return self.score.averaged("folds")

    @property
    def pooled(self) -> float:
        """The value of all outer test rows together (of each repeat, and their mean)."""
        return self.score.averaged("pooled")

    @property
    def estimate(self) -> Result:
        """The value to expect of a model that is chosen this way."""
        return estimate_of(self.evaluation, self.criterion)

    @property
    def chosen(self) -> dict[str, int]:
        """How often each setting was chosen, the most frequent first."""
        return dict(Counter(fold.setting.name for fold in self.folds).most_common())


def parse_nested(given: Any, inner: Any) -> tuple[Procedure, Procedure] | None:
    """The outer and the inner procedure.

    ``5x5-fold`` is outer 5-fold and inner 5-fold; ``10-fold / 5-fold`` names each; an outer
    procedure alone takes the procedure of the search for the inner one.

    Examples
    --------
    >>> [str(part) for part in parse_nested("5x3-fold", None)]
    ['5-fold', '3-fold']
    >>> [str(part) for part in parse_nested("100x holdout 70:30 / 10-fold", None)]
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
    procedures = parse_procedure(outer), parse_procedure(within)
    if (
        inner is not None
        and within is not inner
        and str(procedures[1]) != str(parse_procedure(inner))
    ):
        raise InputError(
            f"nested {given!r} has the inner procedure {procedures[1]}, and the procedure is "
            f"{parse_procedure(inner)}: give one of them"
        )
    return procedures


def nested_folds(procedures: tuple[Procedure, Procedure] | None, procedure: Any) -> Any:
    """The procedure that names a column of folds: one of the two, or that of the search."""
    both = () if procedures is None else procedures
    return next((part for part in both if isinstance(part, PredefinedFolds)), procedure)


def refuse_unused_folds(
    procedures: tuple[Procedure, Procedure] | None, dataset: Dataset, *, flag: str = "folds="
) -> None:
    """An error where folds are given that neither the outer nor the inner procedure takes."""
    if procedures is None or dataset.fold is None:
        return
    if not any(isinstance(part, PredefinedFolds) for part in procedures):
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


def nested_search(setup: Setup, procedures: tuple[Procedure, Procedure]) -> Nested:
    """A search within each outer training part, and its choice judged on the outer test part.

    The choice is made as on all rows: by the same rule, and by a race where that was one.
    """
    outer, inner = procedures
    if plan_of(str(outer)).is_632:
        raise InputError(
            f"{outer}: choices are judged on rows that were left out, without their training "
            "error; use 10-fold or bootstrap 50 as the outer procedure"
        )
    find = race if setup.asked.race else search
    splits = splits_of(outer, setup.dataset, seed=setup.asked.seed)
    names = fold_names(splits)
    folds = []
    for split in splits:
        if split.validation is not None:
            raise InputError(f"{outer}: an outer procedure has no validation part; write 70:30")
        fold = names[split.fold - 1] if names else split.fold
        named = f"outer fold {fold}" + (f" of repeat {split.repeat}" * (split.repeat > 1))
        part = setup.dataset.take(np.unique(split.train))
        within = _inner_splits(inner, part, named, setup.asked.seed)
        try:
            chosen = OuterFold(split.repeat, fold, find(replace(setup.inner, dataset=part), within))
            chosen.setting  # noqa: B018  a rule that cannot choose says so here
        except InputError as error:
            raise InputError(f"inner folds of {named}: {error}") from None
        folds.append(chosen)
    evaluation = judge(setup, [fold.setting for fold in folds], splits)
    outcome = evaluation.outcomes[NAME]
    score = scored(setup.criterion, NAME, outcome, setup.dataset, splits)
    return Nested(tuple(folds), splits, str(inner), evaluation, setup.criterion, score)


def _inner_splits(inner: Procedure, part: Dataset, fold: str, seed: int) -> Splits:
    """The inner splits, or an error that says in which outer fold they are impossible."""
    try:
        return splits_of(inner, part, seed=seed)
    except InputError as error:
        raise InputError(f"inner folds within the training part of {fold}: {error}") from None
