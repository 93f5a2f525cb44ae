"""A race: after each split, settings that are hopelessly behind are given up, and said so."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.comparison.split_tests import corrected_t
from heldout.core.errors import InputError
from heldout.core.holm import holm
from heldout.procedures.splits import ListedSplits
from heldout.runner.join import join
from heldout.runner.run import run
from heldout.selection.choice import no_test_along
from heldout.selection.cut_groups import cuts_groups
from heldout.selection.one_class import defined_along
from heldout.selection.scoring import scored, scored_together
from heldout.selection.search import Search, refuse_nothing
from heldout.selection.shared_paths import shared_paths

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from heldout.datasets.dataset import Dataset
    from heldout.evaluation.running import Running
    from heldout.procedures.splits import Splits
    from heldout.selection.scoring import Criterion
    from heldout.selection.settings import Setting

__all__ = ["Dropped", "race"]

#: splits before the first test: the spread of fewer says too little
LEAST = 3


@dataclass(frozen=True, slots=True)
class Dropped:
    """A setting that was given up."""

    name: str
    #: splits it was run in
    after: int
    #: the setting it was behind, by how much in the mean, and the corrected p-value
    behind: str
    difference: float
    p_value: float

    def __str__(self) -> str:
        return (
            f"{self.name} dropped after {self.after} splits: behind {self.behind} by "
            f"{self.difference:.4g}, p = {self.p_value:.2g} (corrected t test, Holm)"
        )


def race(
    dataset: Dataset,
    settings: Sequence[Setting],
    splits: Splits,
    criterion: Criterion,
    *,
    running: Running,
    seed: int = 0,
    level: float = 0.95,
    has_training: bool = False,
) -> Search:
    """The search split by split, without settings that a paired test finds hopeless.

    After each split from the third on, each setting is compared with the best so far by a
    one-sided corrected resampled t test over the splits that both have; of all tests after a
    split the p-values are corrected by Holm. Splits that cut groups are not raced: what is
    peculiar to a group moves all of them alike, which their spread does not show.
    """
    if criterion.direction == "target":
        raise InputError(f"--race: {criterion.name} has a target, and is not raced: leave it out")
    if not criterion.is_of_splits(splits):
        raise InputError(
            f"--race compares values of splits, and those of {criterion.name} on few rows tell "
            "little: leave --race out, or choose by another measure"
        )
    if reason := no_test_along(splits.procedure):
        raise InputError(
            f"--race tests split by split, and along {splits.procedure} {reason}: leave --race out"
        )
    if cuts_groups(dataset, splits):
        raise InputError(
            f"--race tests split by split, and {splits.procedure} cuts groups, so that all splits "
            "err alike: take splits that keep groups whole (grouped), or leave --race out"
        )
    criterion = defined_along(criterion, dataset, splits)
    state = _Race(dataset, tuple(settings), splits, criterion)
    if has_training:
        state.training = np.full_like(state.values, np.nan)
    for position in range(len(splits)):
        state.split(position, running, seed)
        if LEAST <= position + 1 < len(splits):
            state.drop(position + 1, 1 - level)
    made = state.search()
    refuse_nothing(made)
    return made


class _Race:
    def __init__(
        self, dataset: Dataset, settings: tuple[Setting, ...], splits: Splits, criterion: Criterion
    ) -> None:
        self.dataset, self.settings = dataset, settings
        self.splits, self.criterion = splits, criterion
        self.alive = list(range(len(settings)))
        self.pieces: list[list[Any]] = [[] for _ in settings]
        self.values = np.full((len(settings), len(splits)), np.nan)
        #: values on the rows trained on, where asked for
        self.training: NDArray[np.float64] | None = None
        self.shares: list[float] = []
        self.dropped: dict[int, Dropped] = {}
        self.notes: dict[str, None] = {}
        self.fitted = self.reused = 0

    def split(self, position: int, running: Running, seed: int) -> None:
        """Run what is left in one split."""
        split = self.splits[position]
        self.shares.append(len(split.test) / len(split.train))
        one = ListedSplits(self.splits.procedure, self.splits.rows, self.splits.seed, (), (split,))
        entered = [self.settings[place] for place in self.alive]
        exact = running.exact and self.training is None
        made = run(
            self.dataset,
            [setting.model for setting in entered],
            one,
            exact=exact,
            paths=shared_paths(entered, self.dataset, one) if exact else {},
            train_error=self.training is not None,
            **running.options(seed),
        )
        self.notes.update(dict.fromkeys(made.notes))
        self.fitted, self.reused = self.fitted + made.fitted, self.reused + made.reused
        for place, setting in zip(self.alive, entered, strict=True):
            outcome = made[setting.name]
            found = scored(self.criterion, setting.name, outcome, self.dataset, one)
            self.values[place, position] = found.values[0]
            if self.training is not None:
                seen = made.train[setting.name]
                own = scored(self.criterion, setting.name, seen, self.dataset, one)
                self.training[place, position] = own.values[0]
            self.pieces[place].append(
                replace(
                    outcome,
                    splits=np.full(len(outcome.splits), position),
                    failures=tuple((position, text) for _, text in outcome.failures),
                )
            )

    def drop(self, done: int, alpha: float) -> None:
        """Give up what is hopeless after so many splits."""
        goodness = self.criterion.goodness(self.values[:, :done])
        means = goodness.mean(axis=1)
        known = [place for place in self.alive if np.isfinite(means[place])]
        if len(known) < 2:
            return
        best = max(known, key=lambda place: means[place])
        others = [place for place in known if place != best]
        share = float(np.mean(self.shares))
        p_values = holm([_behind(goodness[best] - goodness[place], share) for place in others])
        for place, p_value in zip(others, p_values.tolist(), strict=True):
            if p_value < alpha:
                gap = float(means[best] - means[place])
                names = self.settings[place].name, self.settings[best].name
                self.dropped[place] = Dropped(names[0], done, names[1], gap, p_value)
        self.alive = [place for place in self.alive if place not in self.dropped]

    def search(self) -> Search:
        """All that was found."""
        joined = (join(pieces) for pieces in self.pieces)
        named = zip((setting.name for setting in self.settings), joined, strict=True)
        scores = scored_together(self.criterion, named, self.dataset, self.splits)
        return Search(
            self.dataset,
            self.settings,
            self.splits,
            self.criterion,
            scores,
            tuple(self.notes),
            self.fitted,
            self.reused,
            self.dropped,
            None if self.training is None else self.training.mean(axis=1),
        )


def _behind(differences: NDArray[np.float64], share: float) -> float:
    """The p-value of being behind; 1 where all differences are the same, which proves little."""
    if float(np.ptp(differences)) <= 1e-12 * float(np.abs(differences).max(initial=1e-300)):
        return 1.0
    return corrected_t(differences, share, alternative="greater").p_value
