"""How models are fitted: workers, backend, store; nothing of it changes a result."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral
from typing import TYPE_CHECKING, Any

from heldout.core.errors import InputError
from heldout.runner.backends import refuse_backend, refuse_timeout

if TYPE_CHECKING:
    from heldout.runner.rows import Purpose
    from heldout.runner.run import Progress

__all__ = ["Running"]


@dataclass(frozen=True, slots=True)
class Running:
    """How models are fitted; nothing here changes a result."""

    jobs: int = 1
    backend: str = "loky"
    scheduler: str | None = None
    timeout: float | None = None
    #: a folder, True for the usual one, False for none
    store: Any = False
    exact: bool = True
    retry_failed: bool = False
    progress: Progress | None = None
    #: what the store says of the models
    purpose: Purpose = "evaluate"

    def __post_init__(self) -> None:
        # said before anything is done, also where no worker will be needed
        if isinstance(self.jobs, bool) or not isinstance(self.jobs, Integral):
            raise InputError(f"n_jobs is a whole number of workers, not {self.jobs!r}")
        if self.jobs == 0:
            raise InputError(
                "n_jobs: 0 workers do nothing; give 1 or more, or -1 for one a processor"
            )
        refuse_timeout(self.timeout)
        refuse_backend(self.backend, self.scheduler)

    def __reduce__(self) -> tuple[Any, ...]:
        # whoever watches this run watches no copy of it
        kept = self.jobs, self.backend, self.scheduler, self.timeout, self.store, self.exact
        return Running, (*kept, self.retry_failed, None, self.purpose)

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
