"""A race: after each split, settings that are hopelessly behind are given up, and said so."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from heldout.comparison.split_tests import corrected_t
from heldout.core.dialect import argument
from heldout.core.errors import InputError
from heldout.core.significance import holm
from heldout.runner.join import join
from heldout.selection.choice import cuts_groups, no_test_along
from heldout.selection.search import Search, alone, at_position, run_settings, searched
from heldout.selection.search_notes import refuse_nothing

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from heldout.learners.outcome import Outcome
    from heldout.procedures.splits import Splits
    from heldout.selection.search import Setup

#: splits before the first test: the spread of fewer says too little
LEAST = 3
#: at which a setting is told from the best so far
LEVEL = 0.95


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


def race(setup: Setup, splits: Splits) -> Search:
    """The search split by split, without settings that a paired test finds hopeless.

    After each split from the third on, each setting is compared with the best so far by a
    one-sided corrected resampled t test over the splits that both have; of all tests after a
    split the p-values are corrected by Holm. Splits that cut groups are not raced: what is
    peculiar to a group moves all of them alike, which their spread does not show.
    """
    _refuse_race(setup, splits)
    state = _Race(setup.along(splits), splits)
    for position in range(len(splits)):
        state.split(position)
        if LEAST <= position + 1 < len(splits):
            state.drop(position + 1)
    result = state.search()
    refuse_nothing(result)
    return result


def _refuse_race(setup: Setup, splits: Splits) -> None:
    """An error where values of splits do not tell which setting is behind."""
    criterion, race = setup.criterion, argument("race", True)
    if criterion.direction == "target":
        raise InputError(
            f"{race}: {criterion.name} has a target value and cannot be raced: leave it out"
        )
    if not criterion.is_of_splits(splits):
        raise InputError(
            f"{race} compares values of splits, and those of {criterion.name} on few rows tell "
            f"little: leave {race} out, or choose by another measure"
        )
    if reason := no_test_along(splits.procedure):
        raise InputError(
            f"{race} tests split by split, and along {splits.procedure} {reason}: leave {race} out"
        )
    if cuts_groups(setup.dataset, splits):
        raise InputError(
            f"{race} tests split by split, and {splits.procedure} cuts groups, so that all splits "
            f"err alike: use splits that keep groups whole (grouped), or leave {race} out"
        )


class _Race:
    def __init__(self, setup: Setup, splits: Splits) -> None:
        self.setup, self.splits = setup, splits
        self.alive = list(range(len(setup.settings)))
        #: the search of each split, and the outcomes of each setting so far
        self.searches: list[Search] = []
        self.tested: list[list[Outcome]] = [[] for _ in setup.settings]
        self.trained: list[list[Outcome]] = [[] for _ in setup.settings]
        self.values = np.full((len(setup.settings), len(splits)), np.nan)
        self.dropped: dict[int, Dropped] = {}

    def split(self, position: int) -> None:
        """Run what is left in one split."""
        entered = tuple(self.setup.settings[index] for index in self.alive)
        result = run_settings(replace(self.setup, settings=entered), alone(self.splits, position))
        self.searches.append(result)
        self.values[self.alive, position] = result.table[:, 0]
        for pieces, scores in ((self.tested, result.scores), (self.trained, result.trained)):
            for index, score in zip(self.alive, scores, strict=False):
                pieces[index].append(at_position(score.outcome, position))

    def drop(self, done: int) -> None:
        """Give up what is hopeless after so many splits."""
        goodness = self.setup.criterion.goodness(self.values[:, :done])
        means = goodness.mean(axis=1)
        known = [index for index in self.alive if np.isfinite(means[index])]
        if len(known) < 2:
            return
        best = max(known, key=lambda index: means[index])
        others = [index for index in known if index != best]
        parts = (self.splits[position] for position in range(done))
        share = float(np.mean([len(split.test) / len(split.train) for split in parts]))
        folds = int(self.splits.places()[:, 1].max())
        gaps = [goodness[best] - goodness[index] for index in others]
        p_values = holm([_behind(gap, share, folds) for gap in gaps])
        for index, p_value in zip(others, p_values.tolist(), strict=True):
            if p_value < 1 - LEVEL:
                gap = float(means[best] - means[index])
                names = self.setup.settings[index].name, self.setup.settings[best].name
                self.dropped[index] = Dropped(names[0], done, names[1], gap, p_value)
        self.alive = [index for index in self.alive if index not in self.dropped]

    def search(self) -> Search:
        """The values of all settings, in the splits in which each was run."""
        names = [setting.name for setting in self.setup.settings]
        tested, trained = (
            {name: join(own) for name, own in zip(names, pieces, strict=True) if own}
            for pieces in (self.tested, self.trained)
        )
        return replace(
            searched(self.setup, self.splits, tested, trained),
            notes=tuple(dict.fromkeys(note for part in self.searches for note in part.notes)),
            warnings=tuple(dict.fromkeys(text for part in self.searches for text in part.warnings)),
            fitted=sum(part.fitted for part in self.searches),
            reused=sum(part.reused for part in self.searches),
            dropped=self.dropped,
        )


def _behind(differences: NDArray[np.float64], share: float, folds: int) -> float:
    """The p-value of being behind; 1 where all differences are the same, which proves little."""
    if float(np.ptp(differences)) <= 1e-12 * float(np.abs(differences).max(initial=1e-300)):
        return 1.0
    return corrected_t(differences, share, folds=folds, alternative="greater")[1].p_value
