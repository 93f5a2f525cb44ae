"""Where tasks are done: in this process, in workers of this machine, or on a cluster."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, Any, Literal, get_args
from warnings import catch_warnings, simplefilter

from heldout.core.errors import InputError
from heldout.core.nearest import did_you_mean
from heldout.learners.fit import kept_chance
from heldout.runner.batches import Batches
from heldout.runner.forked import NOWHERE, copies_are_made, in_a_copy
from heldout.runner.parcel import Parcel, as_bytes, can_be_sent, opened, sent
from heldout.runner.task import DIED, Batch, Done, perform
from heldout.runner.watched import at_rest, at_work

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator, Mapping, Sequence

    from heldout.runner.batches import Claim
    from heldout.runner.deadly import Deadly
    from heldout.runner.task import Begun, Work
    from heldout.runner.under_way import UnderWay

__all__ = ["BackendName", "CLUSTERS", "carried_out", "refuse_backend"]

BackendName = Literal["loky", "threading", "sequential", "dask", "ray", "spark"]

CLUSTERS = ("dask", "ray", "spark")

#: batches a worker gets in each round where results come back only together
ROUND = 3


def carried_out(
    work: Work,
    todo: Mapping[int, Sequence[int]],
    *,
    jobs: int = 1,
    backend: str = "loky",
    scheduler: str | None = None,
    timeout: float | None = None,
    claim: Claim | None = None,
    under_way: UnderWay | None = None,
) -> Generator[Done]:
    """Do the tasks (positions of splits by model) and give each as soon as it is done.

    ``claim`` says of each batch, just before it is begun, which of its splits are to be done.
    ``under_way`` is told of each fit in this process, and knows those that ended one before.
    """
    refuse_backend(backend, scheduler)
    if backend in CLUSTERS:
        return _on_cluster(work, todo, backend, scheduler, jobs, timeout=timeout, claim=claim)
    count = 1 if backend == "sequential" else _jobs(jobs, sum(map(len, todo.values())))
    return _on_this_machine(work, todo, backend, count, timeout, claim=claim, under_way=under_way)


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


def _on_this_machine(
    work: Work,
    todo: Mapping[int, Sequence[int]],
    backend: str,
    count: int,
    timeout: float | None,
    *,
    claim: Claim | None,
    under_way: UnderWay | None,
) -> Generator[Done]:
    """Tasks in ``count`` workers; first, apart, those during which an earlier process ended."""
    if under_way is not None:
        left = under_way.left(todo)
        for done in _apart(work, left, timeout, claim):
            yield done
            said = [text for _, text in done.outcomes[0].failures]
            under_way.settled(done.model, done.position, is_redone=NOWHERE not in said)
            if _has_died(done):
                under_way.deadly.add(done.model)
        todo = {i: [p for p in many if p not in left.get(i, ())] for i, many in todo.items()}
        if timeout is None:
            # what ended a process twice is let neither into this one nor among the workers
            suspects = {i: todo.pop(i) for i in _suspects(work, todo, under_way.deadly)}
            yield from _apart(work, suspects, timeout, claim, count)
    batches = Batches(todo, count, claim)
    if timeout is not None:
        yield from _in_children(work, batches, count, timeout)
    elif count == 1:
        yield from _here(work, batches, _telling(work, under_way))
    elif backend == "threading":
        yield from _in_threads(work, batches, count, _telling(work, under_way))
    else:
        yield from _in_loky(work, batches, count, under_way)


def _has_died(done: Done) -> bool:
    """Whether a task ended its process."""
    return any(text.startswith(DIED) for _, text in done.outcomes[0].failures)


def _suspects(work: Work, todo: Mapping[int, Sequence[int]], deadly: Deadly) -> list[int]:
    """Models that ended a process before, and those of their kind that can be fitted apart."""
    found = [index for index, positions in todo.items() if positions and index in deadly]
    return [
        index
        for index in found
        if index in deadly.themselves or copies_are_made() or can_be_sent(work.models[index])
    ]


def _apart(
    work: Work,
    left: Mapping[int, Sequence[int]],
    timeout: float | None,
    claim: Claim | None,
    count: int = 1,
) -> Generator[Done]:
    """Tasks that ended a process before, each where it can end none but its own."""
    if not left:
        return
    models = work.models
    # what must be stopped after some time has to be sent, and its error says which cannot be
    here = {i for i in left if timeout is None and not can_be_sent(models[i])}
    sendable = {index: positions for index, positions in left.items() if index not in here}
    if sendable:
        # the others stay behind, even those that cannot be sent
        few = [m if i in sendable else replace(m, estimator=None) for i, m in enumerate(models)]
        theirs = replace(work, models=tuple(few))
        yield from _in_children(theirs, Batches(sendable, count, claim), count, timeout)
    for batch in Batches({index: left[index] for index in here}, 1, claim):
        for position in batch.positions:
            yield in_a_copy(work, batch.model, position)


def _jobs(jobs: int, tasks: int) -> int:
    """How many workers: as joblib counts them, but no more than there are tasks."""
    if jobs == 0:
        raise InputError("jobs: 0 workers do nothing; give 1 or more, or -1 for one a processor")
    if jobs < 0:
        import joblib

        jobs = joblib.effective_n_jobs(jobs)
    return max(min(jobs, tasks), 1)


def _telling(work: Work, under_way: UnderWay | None) -> Begun:
    """Tells of each fit in this process those who want to know should it end that process."""

    def begun(model: int, position: int) -> None:
        one, is_stored = work.models[model], under_way is not None
        at_work(one.name, position, is_kept=is_stored and bool(one.fingerprint))
        if under_way is not None:
            under_way.begun(model, position)

    return begun


def _here(work: Work, batches: Batches, begun: Begun) -> Generator[Done]:
    with kept_chance():
        for batch in batches:
            for position in batch.positions:
                (done,) = perform(work, Batch(batch.model, (position,)), begun)
                at_rest()
                batches.back(done)
                yield done


def _in_threads(work: Work, batches: Batches, jobs: int, begun: Begun) -> Generator[Done]:
    from joblib import Parallel, delayed

    parallel = Parallel(jobs, backend="threading", return_as="generator_unordered", batch_size=1)
    tasks = (delayed(perform)(work, batch, begun) for batch in batches)
    try:
        yield from _each(parallel(tasks), batches)
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


def _in_loky(
    work: Work, batches: Batches, jobs: int, under_way: UnderWay | None
) -> Generator[Done]:
    """Tasks in processes of this machine.

    When a process dies (a crash in compiled code, or the system took its memory back), joblib
    gives up all tasks under way: these are then done singly, each in a process of its own, so
    that only the one that kills its process is failed; other models go on as before.
    """
    from joblib import Parallel, delayed
    from joblib.externals.loky.process_executor import BrokenProcessPool

    from heldout.runner.isolated import in_children

    with sent(work) as parcel:
        while batches.left:
            parallel = Parallel(jobs, backend="loky", return_as="generator_unordered", batch_size=1)
            tasks = (delayed(unpacked)(parcel, batch) for batch in batches)
            try:
                yield from _each(parallel(tasks), batches)
            except BrokenProcessPool:
                singly, died = batches.lost(), set()
                how: Any = {"timeout": None, "parts": work.parts}
                for done in in_children(parcel, iter(singly), jobs=1, **how):
                    yield done
                    died |= {done.model} if _has_died(done) else set()
                if under_way is not None:
                    for model in died:
                        under_way.deadly.add(model)
                # each of its other splits might end all workers again
                yield from in_children(parcel, batches.without(died), jobs=jobs, **how)


def _in_children(work: Work, batches: Batches, jobs: int, timeout: float | None) -> Generator[Done]:
    from heldout.runner.isolated import in_children

    with sent(work) as parcel:
        yield from in_children(parcel, batches, jobs=jobs, timeout=timeout, parts=work.parts)


def unpacked(parcel: Parcel, batch: Batch) -> list[Done]:
    """A batch done by a worker that was sent a parcel."""
    return perform(opened(parcel), batch)


def _on_cluster(
    work: Work,
    todo: Mapping[int, Sequence[int]],
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

    from heldout.runner.clusters import configured, explained
    from heldout.runner.isolated import in_own_child

    with configured(backend, scheduler), explained(backend):
        workers = effective_n_jobs(jobs if jobs > 1 else -1)
        batches = Batches(todo, workers, claim)
        parcel = as_bytes(work)
        tasks = (delayed(in_own_child)(parcel, batch, timeout, work.parts) for batch in batches)
        if backend == "dask":
            parallel: Any = Parallel(workers, return_as="generator_unordered", batch_size=1)
            yield from _each(parallel(tasks), batches)
        else:
            # a backend that is kept open starts its workers once, and not in every round
            with Parallel(workers, batch_size=1) as parallel:
                while round_ := list(islice(tasks, ROUND * workers)):
                    yield from _each(iter(parallel(round_)), batches)
