"""Where tasks are done: in this process, in workers of this machine, or on a cluster."""

from __future__ import annotations

from contextlib import contextmanager, suppress
from dataclasses import replace
from itertools import islice
from numbers import Real
from threading import TIMEOUT_MAX
from typing import TYPE_CHECKING, Any, Literal, get_args
from warnings import catch_warnings, simplefilter

from heldout.core.dialect import worded
from heldout.core.errors import InputError
from heldout.core.nearest import did_you_mean
from heldout.learners.fit import KEPT_CHANCE
from heldout.runner.task import Batch, Batches, Done, Reason, gave_nothing, perform
from heldout.runner.watched import at_rest, at_work
from heldout.runner.work_parcel import as_bytes, can_be_sent, send_work

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator, Mapping, Sequence

    from heldout.runner.claims import Claims
    from heldout.runner.task import Claim, Watch, Work

    #: positions of splits by model
    Tasks = Mapping[int, Sequence[int]]

BackendName = Literal["loky", "threading", "sequential", "dask", "ray", "spark"]

CLUSTERS = ("dask", "ray", "spark")

#: batches a worker gets in each round where results come back only together
ROUND = 3

#: of a fit that ended a process before, where there is no other than this one to fit it in
NOWHERE = (
    "an earlier process ended during this fit, and the model can be sent to no other process; "
    "{retry_failed=True} fits it in this one again"
)


def carry_out(
    work: Work,
    todo: Tasks,
    *,
    jobs: int = 1,
    backend: str = "loky",
    scheduler: str | None = None,
    timeout: float | None = None,
    claims: Claims | None = None,
    left_behind: set[tuple[int, int]] | None = None,
    is_wary: bool = False,
) -> Generator[Done]:
    """Do the tasks and give each as soon as it is done.

    ``claims`` say of each batch, just before it is begun, which of its splits are to be done.
    During the fits ``left_behind`` an earlier process ended; who is wary has every fit done where
    it can end no process but its own.
    """
    refuse_backend(backend, scheduler)
    if backend in CLUSTERS:
        claim = None if claims is None else claims.ours
        return _on_cluster(work, todo, backend, scheduler, jobs, timeout=timeout, claim=claim)
    count = 1 if backend == "sequential" else _jobs(jobs, sum(map(len, todo.values())))
    crew = _Crew(work, count, timeout, claims)
    return crew.carry_out(todo, backend, left_behind or set(), is_wary=is_wary)


def refuse_backend(backend: str, scheduler: str | None = None) -> None:
    """An error for a backend that is none of joblib's, or a scheduler that it does not take."""
    names = get_args(BackendName)
    if backend not in names:
        hint = did_you_mean(str(backend), names)
        raise InputError(f"backend: {backend!r} is none of {', '.join(names)}{hint}")
    if scheduler is not None and backend not in CLUSTERS:
        raise InputError(f"scheduler: only for backends {', '.join(CLUSTERS)}, not {backend!r}")
    if scheduler is not None and not str(scheduler).strip():
        raise InputError("scheduler: the address is empty; leave it out, or give one")


def refuse_timeout(timeout: Any) -> None:
    """An error for what is no time that can be waited; None is no limit."""
    if timeout is None:
        return
    # True would be a second
    is_number = isinstance(timeout, Real) and not isinstance(timeout, bool)
    if not is_number or not timeout > 0:
        raise InputError(f"timeout: {timeout!r} is not a number of seconds above 0")
    if timeout > TIMEOUT_MAX:
        raise InputError(f"timeout: {timeout!r} seconds is no limit; leave it out")


def _jobs(jobs: int, tasks: int) -> int:
    """How many workers: as joblib counts them, but no more than there are tasks."""
    if jobs == 0:
        raise InputError("jobs: 0 workers do nothing; give 1 or more, or -1 for one per processor")
    if jobs < 0:
        import joblib

        jobs = joblib.effective_n_jobs(jobs)
    return max(min(jobs, tasks), 1)


class _Crew:
    """So many workers of this machine."""

    def __init__(
        self, work: Work, count: int, timeout: float | None, claims: Claims | None
    ) -> None:
        self.work = work
        self.count = count
        self.timeout = timeout
        self.claims = claims
        self.claim: Claim | None = None if claims is None else claims.ours

    def carry_out(
        self, todo: Tasks, backend: str, left_behind: set[tuple[int, int]], *, is_wary: bool
    ) -> Generator[Done]:
        """All tasks; who is wary has each fitted where it can end no process but its own."""
        if is_wary and self.timeout is None:
            # what must be stopped after some time has to be sent, and its error says which cannot
            held = {i for i in todo if not can_be_sent(self.work.models[i])}
            yield from self._held(todo, held, left_behind)
            todo = {i: positions for i, positions in todo.items() if i not in held}
        if not todo:
            return
        batches = Batches(todo, self.count, self.claim)
        if is_wary or self.timeout is not None or (self.count > 1 and backend != "threading"):
            yield from self._in_children(batches, sent={*todo} if is_wary else None)
        elif self.count == 1:
            yield from self._here(batches)
        else:
            yield from self._in_threads(batches)

    def _held(
        self, todo: Tasks, held: set[int], left_behind: set[tuple[int, int]]
    ) -> Generator[Done]:
        """Models that can be sent to no other process: in a copy of this one, or here after all.

        Where no process is copied, those splits stay behind during which an earlier one ended.
        """
        from heldout.runner.child import copies_are_made, in_children

        if copies_are_made():
            batches = Batches({i: todo[i] for i in held}, 1, self.claim)
            yield from in_children(self.work, batches, jobs=1, timeout=None)
            return
        ended = {i: [at for at in todo[i] if (i, at) in left_behind] for i in held}
        for batch in Batches(ended, 1, self.claim):
            for position in batch.positions:
                reason = Reason(worded(NOWHERE), "untried")
                yield gave_nothing(self.work.parts, batch.model, position, reason)
        others = {i: [at for at in todo[i] if (i, at) not in left_behind] for i in held}
        yield from self._here(Batches(others, 1, self.claim))

    def _in_children(self, batches: Batches, sent: set[int] | None) -> Generator[Done]:
        """Tasks in child processes; only these models are sent to them, or all."""
        from heldout.runner.child import in_children

        work = self.work
        if sent is not None:
            few = [
                m if i in sent else replace(m, estimator=None) for i, m in enumerate(work.models)
            ]
            work = replace(work, models=tuple(few))
        with send_work(work) as parcel:
            yield from in_children(parcel, batches, jobs=self.count, timeout=self.timeout)

    def _watch(self) -> Watch:
        """Tells of each fit in this process those who want to know should it end that process."""
        models, claims = self.work.models, self.claims

        @contextmanager
        def watch(model: int, position: int) -> Iterator[None]:
            is_kept = claims is not None and bool(models[model].fingerprint)
            at_work(models[model].name, position, is_kept=is_kept)
            if claims is None:
                yield
            else:
                with claims.under_way(model, position):
                    yield

        return watch

    def _here(self, batches: Batches) -> Generator[Done]:
        watch = self._watch()
        with KEPT_CHANCE:
            for batch in batches:
                for position in batch.positions:
                    (done,) = perform(self.work, Batch(batch.model, (position,)), watch)
                    at_rest()
                    batches.back(done)
                    yield done

    def _in_threads(self, batches: Batches) -> Generator[Done]:
        from joblib import Parallel, delayed

        how: Any = {"return_as": "generator_unordered", "batch_size": 1}
        watch = self._watch()
        tasks = (delayed(perform)(self.work, batch, watch) for batch in batches)
        try:
            yield from _each(Parallel(self.count, backend="threading", **how)(tasks), batches)
        finally:
            at_rest()


def _each(results: Iterator[list[Done]], batches: Batches) -> Generator[Done]:
    """Single tasks from the batches that come back."""
    try:
        for dones in results:
            for done in dones:
                batches.back(done)
                yield done
    finally:
        if hasattr(results, "close"):
            # whoever interrupts a run knows that tasks were under way; threads that still fit may
            # set the filters of warnings meanwhile, and a warning may be an error there
            with suppress(UserWarning), catch_warnings():
                simplefilter("ignore", UserWarning)
                results.close()


def _on_cluster(
    work: Work,
    todo: Tasks,
    backend: str,
    scheduler: str | None,
    jobs: int,
    *,
    timeout: float | None,
    claim: Claim | None,
) -> Generator[Done]:
    """Tasks on machines that need not share a disk with this one.

    Ray and Spark give results back only when all tasks of a call are done: there the work
    goes out in rounds of a few batches a worker.
    """
    from joblib import Parallel, delayed, effective_n_jobs

    from heldout.runner.child import in_own_child
    from heldout.runner.clusters import connect_cluster, explain_errors

    with connect_cluster(backend, scheduler), explain_errors(backend):
        workers = effective_n_jobs(jobs if jobs > 1 else -1)
        batches = Batches(todo, workers, claim)
        parcel = as_bytes(work)
        tasks = (delayed(in_own_child)(parcel, batch, timeout) for batch in batches)
        if backend == "dask":
            parallel: Any = Parallel(workers, return_as="generator_unordered", batch_size=1)
            yield from _each(parallel(tasks), batches)
        else:
            # a backend that is kept open starts its workers once, and not in every round
            with Parallel(workers, batch_size=1) as parallel:
                while round_ := list(islice(tasks, ROUND * workers)):
                    yield from _each(iter(parallel(round_)), batches)
