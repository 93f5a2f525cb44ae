"""The state of a run: the outcomes so far, what is left, and who is told of a new one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from heldout.core.dialect import argument
from heldout.core.notes import Line, Topic
from heldout.core.shown import Brief
from heldout.core.wording import plural
from heldout.learners.fit import fold_warnings
from heldout.runner.claims import await_others
from heldout.runner.join import covered, join
from heldout.runner.run_rows import shown_time
from heldout.runner.task import Reason, error_line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

    from heldout.core.arrays import Floats, Integers
    from heldout.learners.exact.path import ExactPath
    from heldout.learners.model import Model
    from heldout.learners.outcome import Outcome, Part
    from heldout.runner.claims import Claims
    from heldout.runner.record import Record
    from heldout.runner.task import Done, Work


class Progress(Protocol):
    """Something that is told how far a run is."""

    def start(self, total: int, done: int = 0) -> None:
        """A run begins: how many splits of all models there are, and how many are known."""

    def advance(self, model: str, split: int, seconds: float, count: int = 1) -> None:
        """A split is done (or ``count`` of them from ``split`` on), in so many seconds."""

    def finish(self) -> None:
        """The run is over, or was broken off."""


class Silent:
    """Progress that nobody watches."""

    def start(self, total: int, done: int = 0) -> None:
        """Nothing is shown."""

    def advance(self, model: str, split: int, seconds: float, count: int = 1) -> None:
        """Nothing is shown."""

    def finish(self) -> None:
        """Nothing is shown."""


@dataclass(frozen=True, eq=False, repr=False)
class Outcomes(Brief, Mapping[str, "Outcome"]):
    """The outcome of each model over all splits, by the model's name."""

    test: dict[str, Outcome]
    #: predictions of the training rows themselves, where they were asked for: optimistic
    train: dict[str, Outcome] = field(default_factory=dict)
    #: what happened on the way
    notes: tuple[str, ...] = ()
    #: the run's number in the store
    number: int | None = None
    #: splits that were fitted (or predicted exactly) by this call, and those from the store
    fitted: int = 0
    reused: int = 0
    #: what came from the store, and of when; empty where nothing did
    recalled: str = ""

    def __getitem__(self, name: str) -> Outcome:
        return self.test[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.test)

    def __len__(self) -> int:
        return len(self.test)


#: folders of stores along whose runs a fit has ended a process, as far as this one knows; a search
#: has many settings of one estimator, and a nested one many runs of them all, so that what ends its
#: process in one of them would end it in each
_DEADLY: set[Path] = set()


class State:
    """The outcomes so far, and who is told of a new one."""

    def __init__(self, work: Work, record: Record | None, progress: Progress) -> None:
        self.work = work
        self.record = record
        self.progress = progress
        self.notes: list[str] = []
        self.claims: Claims | None = None
        #: splits (model and position) during which the process of an earlier run ended, and those
        #: of them that were tried again
        self._left_behind: set[tuple[int, int]] = set()
        self._redone: list[tuple[int, int]] = []
        #: whether splits that failed before are done again
        self.retries = False
        #: splits done now, known before, and of the latter those that others did meanwhile
        self.fitted = self.reused = self.shared = 0
        #: splits of which one part is known and another is not, so that both are done
        self.halves: dict[tuple[int, Part], set[int]] = {}
        self.pieces: dict[tuple[int, Part], list[Outcome]] = {
            (index, part): [] for index in range(len(work.models)) for part in work.parts
        }

    def recall(self, *, retry_failed: bool, timeout: float | None = None) -> None:
        """Take what the store knows, without the failures that are to be tried again."""
        self.retries = retry_failed
        if self.record is not None:
            for key in self.pieces:
                known = self.record.known(*key)
                whole = [join(known, key[1])] if known else []
                self._learn(whole)
                due = partial(_is_due, retry_failed=retry_failed, timeout=timeout)
                self.pieces[key] = [self._without(outcome, due) for outcome in whole]
                if len(self.work.parts) > 1:
                    known_splits = [covered(outcome).tolist() for outcome in self.pieces[key]]
                    self.halves[key] = {at for some in known_splits for at in some}
            self.notes.extend(self.record.notes)
            self.notes.extend(self._on_stored_failures())
        missing = [self._missing(index) for index in range(len(self.work.models))]
        total = len(self.work.models) * len(self.work.splits)
        self.reused = total - sum(len(positions) for positions in missing)
        if self.record is not None:
            kept = [i for i, model in enumerate(self.work.models) if model.fingerprint]
            left = sum(len(missing[index]) for index in kept)
            self.record.refuse_work(left, len(kept) * len(self.work.splits))
        self.progress.start(total, self.reused)

    def _learn(self, outcomes: Iterable[Outcome]) -> None:
        """Remember that a fit ended a process."""
        causes = [getattr(text, "cause", "") for o in outcomes for _, text in o.failures]
        if self.record is not None and "died" in causes:
            _DEADLY.add(self.record.path.parent.resolve())

    @property
    def is_wary(self) -> bool:
        """Whether any fit may end its process, since one has, or seems to have."""
        is_known = self.record is not None and self.record.path.parent.resolve() in _DEADLY
        return is_known or bool(self._left_behind)

    def _without(self, known: Outcome, is_due: Callable[[str], bool]) -> Outcome:
        """An outcome without the failures to be tried again."""
        kept = tuple((position, text) for position, text in known.failures if not is_due(text))
        self.retries = self.retries or len(kept) < len(known.failures)
        return replace(known, failures=kept)

    def _on_stored_failures(self) -> list[str]:
        """Notes of splits that failed in an earlier run, and are not tried again."""
        return [
            f"{self.work.models[index].name}: {plural(len(outcome.failures), 'failure')} from the "
            f"store; {argument('retry_failed', True)} tries again"
            for (index, part), pieces in self.pieces.items()
            for outcome in pieces
            if outcome.failures and part == "test"
        ]

    def predict_exactly(self, paths: Mapping[str, ExactPath]) -> None:
        """Predict all splits from one fit where a model allows it."""
        for index, model in enumerate(self.work.models):
            missing = self._missing(index, "test")
            if len(missing):
                path = paths.get(model.name)
                for outcome in _exact_blocks(model, self.work, missing, self.notes, path):
                    first, count = int(outcome.splits[0]), len(outcome.splits)
                    self.take(index, (outcome,), first, 0.0, count)

    def todo(self) -> dict[int, list[int]]:
        """What is left to be fitted: positions of splits by model."""
        left = {i: self._missing(i).tolist() for i in range(len(self.work.models))}
        return {index: positions for index, positions in left.items() if positions}

    def take(
        self, index: int, outcomes: Iterable[Outcome], position: int, seconds: float, count: int = 1
    ) -> None:
        """Keep what a task or an exact block gave."""
        for outcome in outcomes:
            halves = self.halves.get((index, outcome.part))
            if halves and halves.issuperset(covered(outcome).tolist()):
                # what is in the store already is not to be there twice
                continue
            self.pieces[index, outcome.part].append(outcome)
            if self.record is not None:
                self.record.add(index, outcome)
        self.fitted += count
        self.progress.advance(self.work.models[index].name, position, seconds, count)

    def take_done(self, done: Done) -> None:
        """Keep what came of a task."""
        self.take(done.model, done.outcomes, done.position, done.seconds)
        self._learn(done.outcomes)
        task = done.model, done.position
        if task in self._left_behind and self.claims is not None:
            self.claims.settle(*task)
            if done.cause != "untried":
                self._redone.append(task)

    def begin_claims(self) -> None:
        """Have splits claimed before they are fitted, where others may work on the same run."""
        if self.record is not None:
            self.claims = self.record.claims(failures=not self.retries)

    def left_behind(self, todo: Mapping[int, Sequence[int]]) -> set[tuple[int, int]]:
        """Those of some splits (model and position) during which an earlier process ended."""
        if self.claims is not None:
            self._left_behind |= self.claims.left_behind(todo)
        return self._left_behind

    def from_others(self) -> dict[int, list[int]]:
        """Take what other processes did of this run; gives what nobody does any more."""
        if self.record is None or self.claims is None:
            return {}
        longest = _longest([o.fit_seconds for many in self.pieces.values() for o in many])
        return await_others(self.record, self.claims, self._take_over, self.notes, longest=longest)

    def _take_over(self, index: int, outcomes: Sequence[Outcome], positions: Sequence[int]) -> None:
        for outcome in outcomes:
            self.pieces[index, outcome.part].append(outcome)
        if positions:
            count = len(positions)
            self.reused, self.shared = self.reused + count, self.shared + count
            self.progress.advance(self.work.models[index].name, positions[0], 0.0, count)

    def join(self) -> None:
        """Put all pieces in the order of the splits."""
        for (index, part), pieces in self.pieces.items():
            self.pieces[index, part] = [join(pieces, part)]

    def close(self) -> None:
        """Commit what is pending, whatever ended the run."""
        try:
            if self.record is not None:
                self.record.close()
        finally:
            # what is held is let go only after its commit
            if self.claims is not None:
                self.claims.close()
            self.progress.finish()

    def outcomes(self) -> Outcomes:
        """All of it, by model."""
        joined: dict[Part, dict[str, Outcome]] = {"test": {}, "train": {}}
        for (index, part), pieces in self.pieces.items():
            joined[part][self.work.models[index].name] = pieces[0]
        number = self.record.number if self.record is not None else None
        self.notes.extend([*self._on_redone(), *(self.record.on_loss() if self.record else ())])
        for name, outcome in joined["test"].items():
            for warning in fold_warnings(name, outcome, len(self.work.splits)):
                self.notes.append(Line(str(warning), Topic.FIT_WARNING))
        return Outcomes(
            joined["test"],
            joined["train"],
            tuple(self.notes),
            number,
            self.fitted,
            self.reused,
            self._recalled(total=len(self.work.models) * len(self.work.splits)),
        )

    def _on_redone(self) -> list[str]:
        """Notes of splits during which an earlier process ended."""
        return [
            f"{self.work.models[index].name}: an earlier process ended while it fitted split "
            f"{position + 1}, which was now fitted in a process of its own"
            for index, position in self._redone
        ]

    def _recalled(self, total: int) -> str:
        """What of all this the store knew before."""
        if self.record is None or not self.reused:
            return ""
        when = shown_time(self.record.computed())
        if self.shared:
            return (
                f"{self.shared:,} of {total:,} folds were done by another process at the same "
                f"time (run {self.record.number})"
            )
        if self.reused == total:
            whence = f"from the store (run {self.record.number}, computed {when} UTC)"
            return f"{total:,} of {total:,} folds {whence}"
        whence = f"run {self.record.number}, begun {when} UTC"
        return f"resumed: {self.reused:,} of {total:,} folds were done ({whence})"

    def _missing(self, index: int, *parts: Part) -> Integers:
        """Positions of the splits of which a part is not known."""
        lacks = np.zeros(len(self.work.splits), dtype=bool)
        for part in parts or self.work.parts:
            has = np.zeros(len(self.work.splits), dtype=bool)
            for outcome in self.pieces[index, part]:
                has[covered(outcome)] = True
            lacks |= ~has
        return np.flatnonzero(lacks)


def _is_due(why: str, *, retry_failed: bool, timeout: float | None) -> bool:
    """Whether a split that failed is tried again: on request, or where it has more time now."""
    if retry_failed or not isinstance(why, Reason) or why.cause != "timeout":
        return retry_failed
    # as it was written, so that the same limit is not a longer one
    return timeout is None or why.seconds is None or float(f"{timeout:g}") > why.seconds


def _longest(seconds: Sequence[Floats | None]) -> float | None:
    """The longest of all fits that were timed; None where none was."""
    timed = [float(np.nanmax(s)) for s in seconds if s is not None and not np.isnan(s).all()]
    return max(timed, default=None)


def _exact_blocks(
    model: Model, work: Work, missing: Integers, notes: list[str], shared: ExactPath | None = None
) -> Iterator[Outcome]:
    """Outcomes of the missing splits by the model's exact path; none where there is no path.

    ``shared`` is a path that was made before, of a model that shares its work with others.
    """
    from heldout.learners.exact.paths import exact_path

    path: Any = shared if shared is not None else exact_path(model, work.dataset, work.splits)
    if isinstance(path, str):
        return
    try:
        for span in _spans(missing):
            yield from path.run(span)
    except (ArithmeticError, ValueError, np.linalg.LinAlgError) as error:
        notes.append(
            f"{model.name}: refitted; the exact path {path.name} gave up: {error_line(error)}"
        )


def _spans(positions: Integers) -> Iterator[slice]:
    """Runs of neighbours.

    Examples
    --------
    >>> list(_spans(np.array([0, 1, 2, 5, 6])))
    [slice(0, 3, None), slice(5, 7, None)]
    """
    cuts = np.flatnonzero(np.diff(positions) > 1) + 1
    for run in np.split(positions, cuts):
        yield slice(int(run[0]), int(run[-1]) + 1)
