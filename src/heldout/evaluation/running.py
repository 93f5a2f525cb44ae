"""How an evaluation is asked for: how rows are split, models fitted, and what is computed."""

from __future__ import annotations

from dataclasses import dataclass, fields
from numbers import Integral
from typing import TYPE_CHECKING, Any, TypedDict

from heldout.core.errors import InputError
from heldout.core.options import again, declare, option
from heldout.uncertainty.options import NO_INTERVALS, IntervalOptions, interval_options

if TYPE_CHECKING:
    from collections.abc import Sequence

    from heldout.runner.run_rows import Purpose
    from heldout.runner.state import Progress

#: names of the interval over folds that is not offered
NAIVE = ("naive", "standard error", "standard-error", "folds")
BACKENDS = ("loky", "threading", "sequential", "dask", "ray", "spark")


@dataclass(frozen=True, slots=True)
class Splitting:
    """How rows are split."""

    procedure: str | None = option(
        "--procedure TEXT", "How rows are split into training and test data [10-fold]."
    )
    splits: str | None = option(
        "--splits FILE", "Read the splits from a file written by heldout split."
    )
    seed: int = option(
        "--seed N", "Random seed for splits and models [0].", default=0, keyword="random_state"
    )


@dataclass(frozen=True, slots=True)
class EvaluateOptions:
    """What is computed of the splits of an evaluation, checked when made."""

    seed: int = again(Splitting, "seed")
    training_error: bool = option(
        "--training-error", "Also score the training rows (optimistic, and labelled so)."
    )
    level: float = again(IntervalOptions, "level")
    method: str = again(
        IntervalOptions,
        "method",
        help="Interval method as in heldout score, or nested (many more fits) [chosen by measure "
        "and procedure].",
    )
    replicates: int | None = again(IntervalOptions, "replicates")
    intervals: bool = option(default=True, off=NO_INTERVALS)

    def __post_init__(self) -> None:
        self._checked_limits()

    @property
    def is_nested(self) -> bool:
        """Whether nested cross-validation gives the intervals."""
        return self.method.strip().lower() == "nested"

    @property
    def limits(self) -> IntervalOptions | None:
        """The options of the intervals; None where there are none."""
        return self._checked_limits() if self.intervals else None

    def _checked_limits(self) -> IntervalOptions:
        if self.method.strip().lower() in NAIVE:
            from heldout.uncertainty.cross_validation import refuse_naive

            raise refuse_naive()
        method = "" if self.is_nested else self.method
        return interval_options(level=self.level, method=method, replicates=self.replicates)


@dataclass(frozen=True, slots=True)
class Running:
    """How models are fitted; nothing here changes a result."""

    jobs: int = option(
        "--jobs N", "Number of workers; -1 uses all cores [1].", default=1, keyword="n_jobs"
    )
    backend: str = option("--backend", "joblib backend [loky].", default="loky", choices=BACKENDS)
    scheduler: str | None = option(
        "--scheduler ADDRESS", "Address of the Dask, Ray or Spark cluster."
    )
    timeout: float | None = option(
        "--timeout SECONDS",
        "Seconds allowed per fit; a fit that exceeds them counts as failed.",
        type=float,
    )
    #: a folder, True (or None) for the usual one, False for none
    store: Any = option(
        "--store FOLDER",
        "Folder for finished folds [.heldout].",
        default=False,
        unset=None,
        off=declare("--no-store", "Store nothing; an interrupted run starts from scratch."),
    )
    retry_failed: bool = option("--retry-failed", "Fit folds again that failed in an earlier run.")
    exact: bool = option(
        default=True,
        off=declare("--no-exact", "Refit every fold even where an exact shortcut exists."),
    )
    progress: Progress | None = None
    #: what the store says of the models
    purpose: Purpose = "evaluate"

    def __post_init__(self) -> None:
        from heldout.runner.backends import refuse_backend, refuse_timeout

        # said before anything is done, also where no worker will be needed
        if isinstance(self.jobs, bool) or not isinstance(self.jobs, Integral):
            raise InputError(f"n_jobs is a whole number of workers, not {self.jobs!r}")
        if self.jobs == 0:
            raise InputError(
                "n_jobs: 0 workers do nothing; give 1 or more, or -1 for one per processor"
            )
        refuse_timeout(self.timeout)
        refuse_backend(self.backend, self.scheduler)

    def __reduce__(self) -> tuple[Any, ...]:
        # whoever watches this run watches no copy of it
        return Running, tuple(
            None if f.name == "progress" else getattr(self, f.name) for f in fields(self)
        )

    def options(self, seed: int) -> dict[str, Any]:
        """What the runner is called with; whether paths are exact is said call by call."""
        from heldout.runner.store import chosen_store

        return {
            "store": chosen_store(self.store),
            "jobs": self.jobs,
            "backend": self.backend,
            "scheduler": self.scheduler,
            "timeout": self.timeout,
            "retry_failed": self.retry_failed,
            "progress": self.progress,
            "seed": seed,
            "purpose": self.purpose,
        }


class RunKeywords(TypedDict, total=False):
    """The keywords of ``DataOptions`` and ``Running`` as type checkers and editors read them.

    Their defaults are those of the two groups (``core.options.taking``).
    """

    target: str | None
    pos_label: Any
    labels: Sequence[Any] | None
    groups: Any
    time: Any
    folds: Any
    sample_weight: Any
    ignore: Sequence[str] | str
    task: str | None
    drop_missing_target: bool
    drop_missing_time: bool
    n_jobs: int
    backend: str
    scheduler: str | None
    timeout: float | None
    store: Any
    retry_failed: bool
    exact: bool


class EvaluateKeywords(RunKeywords, total=False):
    """Those, the slices that ``heldout.evaluate`` judges apart, and ``EvaluateOptions``."""

    by: Sequence[str]
    random_state: int
    training_error: bool
    level: float
    interval: str
    replicates: int | None
    intervals: bool
