"""The state of a run: the outcomes so far, what is left, and who is told of a new one."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from heldout.core.wording import plural
from heldout.learners.warned import warning_lines
from heldout.runner.deadly import Deadly
from heldout.runner.exact import exact_blocks
from heldout.runner.join import covered, join
from heldout.runner.others import awaited
from heldout.runner.outcomes import Outcomes
from heldout.runner.rows import shown_time
from heldout.runner.task import DIED
from heldout.runner.timeouts import has_more_time

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from heldout.learners.exact.path import ExactPath
    from heldout.learners.outcome import Outcome, Part
    from heldout.runner.batches import Claim
    from heldout.runner.claims import Claims
    from heldout.runner.progress import Progress
    from heldout.runner.record import Record
    from heldout.runner.task import Work
    from heldout.runner.under_way import UnderWay

__all__ = ["State"]


class State:
    """The outcomes so far, and who is told of a new one."""

    def __init__(self, work: Work, record: Record | None, progress: Progress) -> None:
        self.work = work
        self.record = record
        self.progress = progress
        self.notes: list[str] = []
        self.claims: Claims | None = None
        self.under_way: UnderWay | None = None
        #: splits that ended a process the last time and are due again, model and position
        self.died: list[tuple[int, int]] = []
        self.deadly = None if record is None else Deadly(record.path.parent, work.models)
        #: whether splits that failed before are done again
        self.retries = False
        #: splits done now, known before, and of the latter those that others did meanwhile
        self.fitted = self.reused = self.shared = 0
        #: splits of which one part is known and another is not, so that both are done
        self.halves: dict[tuple[int, Part], set[int]] = {}
        self.found: dict[tuple[int, Part], list[Outcome]] = {
            (index, part): [] for index in range(len(work.models)) for part in work.parts
        }

    def recall(self, *, retry_failed: bool, timeout: float | None = None) -> None:
        """Take what the store knows, without the failures that are to be tried again."""
        self.retries = retry_failed
        if self.record is not None:
            for key in self.found:
                known = self.record.known(*key)
                whole = [join(known, key[1])] if known else []
                self._learn(key[0], whole)
                due = partial(_is_due, retry_failed=retry_failed, timeout=timeout)
                self.found[key] = [self._without(key[0], one, due) for one in whole]
                if len(self.work.parts) > 1:
                    known_splits = [covered(one).tolist() for one in self.found[key]]
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

    def _learn(self, index: int, known: Sequence[Outcome]) -> None:
        """Remember a model that ended a process, as far as the store knows."""
        said = [text for outcome in known for _, text in outcome.failures]
        if self.deadly is not None and any(text.startswith(DIED) for text in said):
            self.deadly.add(index)

    def _without(self, index: int, known: Outcome, is_due: Callable[[str], bool]) -> Outcome:
        """An outcome without the failures to be tried again; remembered is what ended a process."""
        due = [(position, text) for position, text in known.failures if is_due(text)]
        if not due:
            return known
        self.retries = True
        self.died += [(index, position) for position, text in due if text.startswith(DIED)]
        kept = [failure for failure in known.failures if failure not in due]
        return replace(known, failures=tuple(kept))

    def _on_stored_failures(self) -> list[str]:
        """Notes of splits that failed in an earlier run, and are not tried again."""
        return [
            f"{self.work.models[index].name}: {plural(len(outcome.failures), 'failure')} from the "
            "store; --retry-failed (retry_failed=True) tries again"
            for (index, part), pieces in self.found.items()
            for outcome in pieces
            if outcome.failures and part == "test"
        ]

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
            halves = self.halves.get((index, outcome.part))
            if halves and halves.issuperset(covered(outcome).tolist()):
                # what is in the store already is not to be there twice
                continue
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
        self.under_way = self.claims.under_way(self.died, self.record.settle, self.deadly)
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
            for held in (self.under_way, self.claims):
                if held is not None:
                    held.close()
            self.progress.finish()

    def outcomes(self) -> Outcomes:
        """All of it, by model."""
        joined: dict[Part, dict[str, Outcome]] = {"test": {}, "train": {}}
        for (index, part), pieces in self.found.items():
            joined[part][self.work.models[index].name] = pieces[0]
        number = self.record.number if self.record is not None else None
        self.notes.extend([*self._on_redone(), *(self.record.on_loss() if self.record else ())])
        for name, outcome in joined["test"].items():
            self.notes.extend(warning_lines(name, outcome, len(self.work.splits)))
        return Outcomes(
            joined["test"],
            joined["train"],
            tuple(self.notes),
            number,
            self.fitted,
            self.reused,
            self._recalled(total=len(self.work.models) * len(self.work.splits)),
            self.record is not None and self.record.is_alone,
        )

    def _on_redone(self) -> list[str]:
        """Notes of splits during which an earlier process ended."""
        redone = () if self.under_way is None else self.under_way.redone
        return [
            f"{self.work.models[index].name}: an earlier process ended while it fitted split "
            f"{position + 1}, which was now fitted in a process of its own"
            for index, position in redone
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

    def _missing(self, index: int, *parts: Part) -> NDArray[np.int64]:
        """Positions of the splits of which a part is not known."""
        lacks = np.zeros(len(self.work.splits), dtype=bool)
        for part in parts or self.work.parts:
            has = np.zeros(len(self.work.splits), dtype=bool)
            for outcome in self.found[index, part]:
                has[covered(outcome)] = True
            lacks |= ~has
        return np.flatnonzero(lacks)


def _is_due(message: str, *, retry_failed: bool, timeout: float | None) -> bool:
    """Whether a split that failed with some message is tried again."""
    return retry_failed or has_more_time(message, timeout)


def _longest(seconds: Sequence[NDArray[np.float64] | None]) -> float | None:
    """The longest of all fits that were timed; None where none was."""
    timed = [float(np.nanmax(s)) for s in seconds if s is not None and not np.isnan(s).all()]
    return max(timed, default=None)
