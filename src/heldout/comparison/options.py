"""How a comparison is asked for: level, direction, test, draws; the numbers of a planned one."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite
from typing import TYPE_CHECKING, Any

from heldout.core.dialect import argument, worded
from heldout.core.errors import InputError
from heldout.core.options import again, option, values_of
from heldout.core.significance import TURNED
from heldout.uncertainty.options import IntervalOptions

if TYPE_CHECKING:
    from heldout.core.significance import Alternative
    from heldout.measures.spec import Request

#: replicates and permutations where nobody says how many: of counts, and of rows
COUNT_DRAWS = (2000, 10_000)
ROW_DRAWS = (1000, 1000)


@dataclass(frozen=True, slots=True)
class CompareOptions:
    """The options of a comparison, checked when made.

    ``test`` is empty where the design and the measure choose it. Where ``replicates`` and
    ``permutations`` are None, counts are drawn more often than rows, which cost more.
    ``rope`` and ``margin`` are sizes of differences that do not matter, in units of the
    measure. ``alpha`` decides what is significant and what a margin shows, whatever the ``level``
    of the intervals that are printed.
    """

    test: str = option(
        "--test NAME", "Test to use; see below [chosen by design and measure].", default=""
    )
    force: bool = option("--force", "Run a test that is not valid here, and mark the result.")
    alternative: Alternative = option(
        "--alternative",
        "Alternative hypothesis: first model against second [two-sided].",
        default="two-sided",
        choices=("two-sided", "greater", "less"),
    )
    margin: float | None = option(
        "--margin D", "Test equivalence and non-inferiority within D.", type=float
    )
    rope: float | None = option(
        "--rope D", "Bayesian comparison: differences up to D are equivalent.", type=float
    )
    level: float = again(IntervalOptions, "level")
    alpha: float = option(
        "--alpha A", "Significance level of tests and margins [0.05].", default=0.05, type=float
    )
    simultaneous: bool = option(
        "--simultaneous", "Intervals that hold for all differences at once (Bonferroni)."
    )
    correction: str = option(
        "--correction NAME",
        "Correction for multiple comparisons: holm or none; for many data sets also "
        "bergmann_hommel, shaffer, nemenyi, bonferroni; with --control also hochberg, bonferroni.",
        default="holm",
        unset=None,
    )
    interval: str = option(
        "--interval",
        "Interval for paired proportions [tango].",
        default="tango",
        choices=("tango", "newcombe"),
    )
    replicates: int | None = again(
        IntervalOptions,
        "replicates",
        help="Number of bootstrap and posterior draws [1000; counts 2000].",
    )
    permutations: int | None = option(
        "--permutations N", "Number of permutations [10000; of rows 1000].", type=int
    )
    seed: int = again(IntervalOptions, "seed", help="Random seed of draws and permutations [1].")
    #: the measure whose differences are corrected on their own; empty: all are judged alike
    primary: str = option(
        "--primary MEASURE",
        "Primary measure: it comes first, and its p-values are corrected on their own.",
        default="",
        unset=None,
    )
    #: the model with which each other one is compared; empty: every pair is
    control: str = option(
        "--control MODEL", "Compare every other model with this one only.", default="", unset=None
    )

    def __post_init__(self) -> None:
        from heldout.core.random import checked_draws, checked_seed
        from heldout.uncertainty.interval import checked_level

        checked_level(self.level)
        if not 0 < self.alpha < 0.5:
            raise InputError(f"alpha lies between 0 and 0.5 (0.05), not {self.alpha!r}")
        if self.alternative not in TURNED:
            raise InputError(
                "an alternative is two-sided, greater or less (first against second), not "
                f"{self.alternative!r}"
            )
        checked_seed(self.seed)
        if self.interval not in {"newcombe", "tango"}:
            raise InputError(
                f"the interval of a paired proportion is tango or newcombe, not {self.interval!r}"
            )
        if self.correction not in {"holm", "none"}:
            raise InputError(f"the correction is holm or none, not {self.correction!r}")
        for name in ("replicates", "permutations"):
            count = getattr(self, name)
            if count is not None:
                checked_draws(count, name, least=100)
        for name in ("rope", "margin"):
            value = getattr(self, name)
            if value is not None and not value > 0:
                raise InputError(f"{name} is a size above 0, not {value!r}")

    @property
    def limits_level(self) -> float:
        """The level of a two-sided interval whose limits are those of this comparison."""
        from heldout.comparison.limits_and_test import two_sided_level

        return two_sided_level(self.level, self.alternative)

    @property
    def count_draws(self) -> tuple[int, int]:
        """How often counts are resampled, and how often their labels are exchanged."""
        return self.replicates or COUNT_DRAWS[0], self.permutations or COUNT_DRAWS[1]

    @property
    def row_draws(self) -> tuple[int, int]:
        """How often rows are resampled, and how often they are exchanged."""
        return self.replicates or ROW_DRAWS[0], self.permutations or ROW_DRAWS[1]


def refuse_wide(request: Request, classes: int, **sizes: float | None) -> None:
    """An error where no difference of a measure could be as large as one that is asked about."""
    from heldout.measures.spec import range_of

    low, high = range_of(request, classes)
    width = high - low
    if not isfinite(width):
        return
    for name, size in sizes.items():
        if size is not None and size >= width:
            raise InputError(
                f"{argument(name, size)} is no less than the range of {request.name} ({low:g} "
                f"to {high:g}): write {size / 100:g} for {size:g} points"
            )


#: by the number that says the kind of a design: what it is of, and the numbers that go with it
PLANS = {
    "discordance": ("accuracy (paired)", ("rows",)),
    "auc": ("auc (paired)", ("rows", "prevalence", "correlation")),
    "spread": ("mean loss (paired)", ("rows",)),
    "folds": ("mean over folds", ("spread", "repeats")),
}


@dataclass(frozen=True, slots=True)
class PlannedDesign:
    """The numbers of a design that is only planned, None where they are not given."""

    rows: int | None = option("--rows N", "Number of test rows.", type=int)
    discordance: float | None = option(
        "--discordance P",
        "Accuracy: share of rows on which exactly one model is right.",
        type=float,
    )
    auc: float | None = option("--auc A", "AUC of the worse model.", type=float)
    prevalence: float | None = option("--prevalence P", "AUC: share of positives.", type=float)
    correlation: float | None = option(
        "--correlation R", "AUC: correlation of the errors of the two AUCs [0.5].", type=float
    )
    spread: float | None = option(
        "--spread S",
        "Standard deviation of the difference per row (with --folds, per fold).",
        type=float,
    )
    folds: int | None = option("--folds K", "Number of folds of the cross-validation.", type=int)
    repeats: int | None = option(
        "--repeats R", "Number of repeats of the cross-validation [1].", type=int
    )

    @property
    def given(self) -> dict[str, Any]:
        """The numbers that are given, by name."""
        return {name: value for name, value in values_of(self).items() if value is not None}

    @property
    def kind(self) -> str:
        """The number that says what is planned; an error where numbers do not go together."""
        given = self.given
        kinds = [name for name in ("discordance", "auc", "spread") if name in given]
        if len(kinds) != 1:
            raise InputError(
                worded(
                    "give files, or one of {discordance} (accuracy), {auc} (with {prevalence}) and "
                    "{spread} (mean losses; folds with {folds})"
                )
            )
        if "repeats" in given and "folds" not in given:
            raise InputError(worded("{repeats} goes with {folds}"))
        if "folds" in given and kinds != ["spread"]:
            raise InputError(worded("{folds} goes with {spread}, that of the folds"))
        kind = "folds" if "folds" in given else kinds[0]
        for name in given:
            if name != kind and name not in PLANS[kind][1]:
                raise InputError(f"{argument(name)} does not go with {argument(kind)}")
        return kind
