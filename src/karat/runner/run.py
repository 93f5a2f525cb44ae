"""A run: models fitted and judged along splits, in parallel, and taken up where it stopped."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.core.errors import InputError
from karat.learners.warned import warning_lines
from karat.runner.exact import exact_blocks
from karat.runner.join import join
from karat.runner.others import awaited
from karat.runner.progress import Silent
from karat.runner.task import Work

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from karat.datasets.dataset import Dataset
    from karat.learners.exact.path import ExactPath
    from karat.learners.model import Model
    from karat.learners.outcome import Outcome, Part
    from karat.procedures.splits import Splits
    from karat.runner.backends import BackendName
    from karat.runner.batches import Claim
    from karat.runner.claims import Claims
    from karat.runner.progress import Progress
    from karat.runner.record import Record
    from karat.runner.store import Store

__all__ = ["Outcomes", "run"]


@dataclass(frozen=True, eq=False)
class Outcomes(Mapping[str, "Outcome"]):
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


def run(
    dataset: Dataset,
    models: Sequence[Model],
    splits: Splits,
    *,
    store: Store | None = None,
    jobs: int = 1,
    backend: BackendName = "loky",
    scheduler: str | None = None,
    timeout: float | None = None,
    exact: bool = True,
    train_error: bool = False,
    seed: int = 0,
    retry_failed: bool = False,
    progress: Progress | None = None,
    paths: Mapping[str, ExactPath] | None = None,
) -> Outcomes:
    """Fit and judge every model in every split.

    What the store knows of the same data, splits, model, seed and versions is taken from it;
    the rest is done and, split by split, committed to it. A split in which a model fails is
    recorded as failed with its message, and is tried again only with ``retry_failed``.
    ``jobs`` workers are used (-1: one a processor) by the ``backend`` of joblib: ``loky``,
    ``threading``, ``dask``, ``ray`` or ``spark``; results do not depend on either.
    ``timeout`` is in seconds a fit. With ``exact``, models whose predictions of all splits
    follow from one fit are not refitted; ``paths`` are such ways by the models' names, where
    several models share one.
    """
    from karat.runner.backends import carried_out

    _check(models, timeout)
    parts: tuple[Part, ...] = ("test", "train") if train_error else ("test",)
    work = Work(dataset, tuple(models), splits, seed, parts)
    state = _State(work, store.begin(work) if store is not None else None, progress or Silent())
    try:
        state.recall(retry_failed=retry_failed)
        if exact:
            state.predict_exactly(paths or {})
        todo = state.todo()
        if todo:
            claim = state.begin_claims(failures=not retry_failed)
            options: Any = {"backend": backend, "scheduler": scheduler, "timeout": timeout}
            while todo:
                with closing(carried_out(work, todo, jobs=jobs, claim=claim, **options)) as results:
                    for done in results:
                        state.take(done.model, done.outcomes, done.position, done.seconds)
                todo = state.from_others()
        state.join()
    finally:
        state.close()
    return state.outcomes()


def _check(models: Sequence[Model], timeout: float | None) -> None:
    if timeout is not None and not timeout > 0:
        raise InputError(f"timeout: {timeout} is not a number of seconds above 0")
    names = [model.name for model in models]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise InputError(f"models: two are called {twice[0]!r}; give one of them another name")


class _State:
    """The outcomes so far, and who is told of a new one."""

    def __init__(self, work: Work, record: Record | None, progress: Progress) -> None:
        self.work = work
        self.record = record
        self.progress = progress
        self.notes: list[str] = []
        self.claims: Claims | None = None
        #: splits done now, known before, and of the latter those that others did meanwhile
        self.fitted = self.reused = self.shared = 0
        self.found: dict[tuple[int, Part], list[Outcome]] = {
            (index, part): [] for index in range(len(work.models)) for part in work.parts
        }

    def recall(self, *, retry_failed: bool) -> None:
        """Take what the store knows."""
        if self.record is not None:
            for key in self.found:
                known = self.record.known(*key, failures=not retry_failed)
                self.found[key] = [join(known, key[1])] if known else []
            self.notes.extend(self.record.notes)
        missing = [self._missing(index) for index in range(len(self.work.models))]
        total = len(self.work.models) * len(self.work.splits)
        self.reused = total - sum(len(positions) for positions in missing)
        self.progress.start(total, self.reused)

    def predict_exactly(self, paths: Mapping[str, ExactPath]) -> None:
        """Predict all splits from one fit where a model allows it."""
        for index, model in enumerate(self.work.models):
            missing = self._missing(index, "test")
            if len(missing):
                path = paths.get(model.name)
                for outcome in exact_blocks(model, self.work, missing, self.notes, path):
                    first, count = int(outcome.splits[0]), len(outcome.splits)
                    self.take(index, (outcome,), first, 0.0, count)

    def todo(self) -> dict[int, list[int]]:
        """What is left to be fitted: positions of splits by model."""
        left = {i: self._missing(i).tolist() for i in range(len(self.work.models))}
        return {index: positions for index, positions in left.items() if positions}

    def take(
        self,
        index: int,
        outcomes: Iterable[Outcome],
        position: int,
        seconds: float,
        count: int = 1,
    ) -> None:
        """Keep what a task or an exact block gave."""
        for outcome in outcomes:
            self.found[index, outcome.part].append(outcome)
            if self.record is not None:
                self.record.add(index, outcome)
        self.fitted += count
        self.progress.advance(self.work.models[index].name, position, seconds, count)

    def begin_claims(self, *, failures: bool) -> Claim | None:
        """Have splits claimed before they are fitted, where others may work on the same run."""
        if self.record is None:
            return None
        self.claims = self.record.claims(failures=failures)
        return self.claims.ours

    def from_others(self) -> dict[int, list[int]]:
        """Take what other processes did of this run; gives what nobody does any more."""
        if self.record is None or self.claims is None:
            return {}
        longest = _longest([o.fit_seconds for many in self.found.values() for o in many])
        return awaited(self.record, self.claims, self._take_over, self.notes, longest=longest)

    def _take_over(self, index: int, outcomes: Sequence[Outcome], positions: Sequence[int]) -> None:
        for outcome in outcomes:
            self.found[index, outcome.part].append(outcome)
        if positions:
            count = len(positions)
            self.reused, self.shared = self.reused + count, self.shared + count
            self.progress.advance(self.work.models[index].name, positions[0], 0.0, count)

    def join(self) -> None:
        """Put all pieces in the order of the splits, and seal what is finished and large."""
        for (index, part), pieces in self.found.items():
            whole = join(pieces, part)
            self.found[index, part] = [whole]
            if self.record is not None and len(pieces) > 0:
                self.record.seal(index, part, whole)

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
        for (index, part), pieces in self.found.items():
            joined[part][self.work.models[index].name] = pieces[0]
        number = self.record.number if self.record is not None else None
        count = len(self.work.splits)
        for name, outcome in joined["test"].items():
            self.notes.extend(warning_lines(name, outcome, count))
        return Outcomes(
            joined["test"],
            joined["train"],
            tuple(self.notes),
            number,
            self.fitted,
            self.reused,
            self._recalled(total=len(self.work.models) * len(self.work.splits)),
        )

    def _recalled(self, total: int) -> str:
        """What of all this the store knew before."""
        if self.record is None or not self.reused:
            return ""
        when = self.record.computed().replace("T", " ").removesuffix("+00:00")
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

    def _missing(self, index: int, *parts: Part) -> NDArray[np.int64]:
        """Positions of the splits of which a part is not known."""
        lacks = np.zeros(len(self.work.splits), dtype=bool)
        for part in parts or self.work.parts:
            has = np.zeros(len(self.work.splits), dtype=bool)
            for outcome in self.found[index, part]:
                has[outcome.splits] = True
                has[[position for position, _ in outcome.failures]] = True
            lacks |= ~has
        return np.flatnonzero(lacks)


def _longest(seconds: Sequence[NDArray[np.float64] | None]) -> float | None:
    """The longest of all fits that were timed; None where none was."""
    timed = [float(np.nanmax(s)) for s in seconds if s is not None and not np.isnan(s).all()]
    return max(timed, default=None)
