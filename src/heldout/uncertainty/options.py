"""What a user may choose about intervals: level, method, replicates, seed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from heldout.core.dialect import argument
from heldout.core.errors import InputError
from heldout.core.nearest import did_you_mean
from heldout.core.options import declare, option

NO_INTERVALS = declare("--no-intervals", "Show values without intervals.")
OTHER_NAMES = {"exact": "clopper_pearson", "bootstrap": "percentile", "plain": "delong_plain"}


@dataclass(frozen=True, slots=True)
class IntervalOptions:
    """What a user may choose about intervals.

    ``method`` empty: chosen by the measure and the design. A method for proportions or for
    the area applies to those and leaves the others as they are; a bootstrap applies to all.
    ``replicates`` None: 2000 of counts, 400 of scores and rows; of scores 100 where each class
    has 10,000 rows and their draws look normal.
    """

    level: float = option("--level L", "Confidence level of intervals [0.95].", default=0.95)
    #: which methods there are is the command's to say
    method: str = option("--interval METHOD", default="", keyword="interval")
    replicates: int | None = option("--replicates N", "Number of bootstrap replicates.", type=int)
    seed: int = option(
        "--seed N", "Random seed of the bootstrap [1].", default=1, keyword="random_state"
    )
    stratified: bool = option("--stratified", "Resample within each true class.")

    @property
    def share(self) -> str:
        """The method for shares of rows: the one asked for, where it is for those."""
        return self.method if self.method in methods().SHARE_METHODS else "wilson"

    @property
    def bootstrap(self) -> str:
        """The kind of bootstrap."""
        return "bayesian" if self.uses_t else self.method

    @property
    def uses_t(self) -> bool:
        """Whether what has a formula takes it: no bootstrap was asked for."""
        return not self.method or self.method not in methods().BOOTSTRAPS

    @property
    def of_counts(self) -> int:
        """Replicates of counts, which cost next to nothing."""
        return 2000 if self.replicates is None else self.replicates

    @property
    def of_rows(self) -> int:
        """Replicates of scores and rows; of long rankings fewer, see ``ScoreBootstrap``."""
        return 400 if self.replicates is None else self.replicates


def interval_options(
    *,
    level: float = 0.95,
    method: str = "",
    replicates: int | None = None,
    seed: int = 1,
    stratified: bool = False,
) -> IntervalOptions:
    """Checked options; an error that names the choices."""
    from heldout.core.random import checked_seed

    if level > 1:
        raise InputError(f"{argument('level', f'{level:g}')} is above 1: write 95% as 0.95")
    if not 0 < level < 1:
        stated = argument("level", f"{level:g}")
        raise InputError(f"{stated} is not between 0 and 1 (0.95 is usual)")
    if replicates is not None:
        from heldout.core.random import checked_draws

        checked_draws(replicates, "replicates", least=20)
    checked_seed(seed)
    name = method.strip().lower().replace("-", "_").replace(" ", "_")
    name = OTHER_NAMES.get(name, name)
    known = _names() if name else ()
    if name and name not in known:
        # as help writes them; underscores are taken too
        names = [known_name.replace("_", "-") for known_name in known]
        hint = did_you_mean(name.replace("_", "-"), names) or ""
        raise InputError(f"no interval is called {method!r}{hint} (there are {', '.join(names)})")
    return IntervalOptions(level, name, replicates, seed, stratified)


def methods() -> Any:
    """The table of methods; loaded when one is asked for, as commands that do not are quicker."""
    from heldout.uncertainty import methods

    return methods


def _names() -> tuple[str, ...]:
    table = methods()
    return (*table.SHARE_METHODS, *table.AREA_METHODS, *table.BOOTSTRAPS)
