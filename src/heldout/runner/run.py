"""A run: models fitted and judged along splits, in parallel, and taken up where it stopped."""

from __future__ import annotations

from collections import Counter
from contextlib import closing
from typing import TYPE_CHECKING, Any

from heldout.core.errors import InputError
from heldout.runner.state import Outcomes, Progress, Silent, State
from heldout.runner.task import Work

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from heldout.datasets.dataset import Dataset
    from heldout.learners.exact.path import ExactPath
    from heldout.learners.model import Model
    from heldout.learners.outcome import Part
    from heldout.procedures.splits import Splits
    from heldout.runner.backends import BackendName
    from heldout.runner.run_rows import Purpose
    from heldout.runner.store import Store


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
    purpose: Purpose = "evaluate",
) -> Outcomes:
    """Fit and judge every model in every split.

    What the store knows of the same data, splits, model, seed and versions is taken from it;
    the rest is done and, split by split, committed to it. A split in which a model fails is
    recorded as failed with its message, and is tried again only with ``retry_failed``, or where
    it failed for lack of time and has more of it now.
    ``jobs`` workers are used (-1: one a processor) by the ``backend`` of joblib: ``loky``,
    ``threading``, ``dask``, ``ray`` or ``spark``; results do not depend on either.
    ``timeout`` is in seconds per fit. With ``exact``, models whose predictions of all splits
    follow from one fit are not refitted; ``paths`` are such ways by the models' names, where
    several models share one. The store says of each model for what ``purpose`` it was fitted.
    """
    from heldout.runner.backends import CLUSTERS, carry_out, refuse_timeout

    refuse_timeout(timeout)
    _refuse_names(models)
    parts: tuple[Part, ...] = ("test", "train") if train_error else ("test",)
    work = Work(dataset, tuple(models), splits, seed, parts, purpose)
    state = State(work, store.begin(work) if store is not None else None, progress or Silent())
    state.notes.extend(store.notes if store is not None else ())
    try:
        state.recall(retry_failed=retry_failed, timeout=timeout)
        if exact and not train_error:  # training rows are predicted by models of each split
            state.predict_exactly(paths or {})
        todo = state.todo()
        if todo:
            state.begin_claims()
            options: Any = {"backend": backend, "scheduler": scheduler, "timeout": timeout}
            options |= {"jobs": jobs, "claims": state.claims}
            while todo:
                options |= {"left_behind": state.left_behind(todo), "is_wary": state.is_wary}
                with closing(carry_out(work, todo, **options)) as results:
                    for done in results:
                        state.take_done(done)
                todo = state.from_others()
        elif backend in CLUSTERS:
            state.notes.append(f"backend {backend}: not used, since no model had to be fitted")
        state.join()
    finally:
        state.close()
    return state.outcomes()


def _refuse_names(models: Sequence[Model]) -> None:
    """An error where two models have one name."""
    counts = Counter(model.name for model in models)
    if twice := sorted(name for name, count in counts.items() if count > 1):
        raise InputError(f"models: two have the name {twice[0]!r}; rename one of them")
