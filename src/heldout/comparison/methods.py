"""Every test by name: for which designs and measures it holds, what it judges, who published it.

The first test of the table that holds for a design and a measure is the default. A test that is
asked for by name is held against the same record, and the record says why it is refused.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from enum import Enum
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from heldout.assess.results import Estimand
from heldout.comparison import row_draws, row_tests, split_tests
from heldout.comparison.long_rankings import is_of_rankings
from heldout.comparison.over_sets import ranks, signed_ranks
from heldout.comparison.split_influence import group_difference
from heldout.core.dialect import argument
from heldout.core.errors import InputError
from heldout.core.nearest import no_such

if TYPE_CHECKING:
    from collections.abc import Callable

    from heldout.comparison.design import ComparisonDesign
    from heldout.comparison.pairs import Pair
    from heldout.comparison.power.noise import Noise
    from heldout.comparison.share_tests import Kind


class Sample(Enum):
    """What a test takes as its sample."""

    ROWS = "the same rows"
    OTHER_ROWS = "different rows"
    SPLITS = "splits"
    CUT_GROUPS = "splits that cut groups"
    FIVE_BY_TWO = "five repeats of two folds"
    TWO_ON_SETS = "two models on many data sets"
    ALL_ON_SETS = "three models or more on many data sets"

    @property
    def is_of_splits(self) -> bool:
        """Whether each unit is a model fitted anew."""
        return self in (Sample.SPLITS, Sample.FIVE_BY_TWO, Sample.CUT_GROUPS)

    @property
    def is_of_sets(self) -> bool:
        """Whether each unit is a data set."""
        return self in (Sample.TWO_ON_SETS, Sample.ALL_ON_SETS)


@dataclass(frozen=True, slots=True)
class Method:
    """A test of the difference of two models, or of all models at once.

    Parameters
    ----------
    name
        As ``--test`` takes it.
    title
        The test, as a table of tests has it.
    reference
        Who published it.
    judges
        What a small p-value says.
    function
        The test itself: of a pair of models, or over data sets of their values.
    sample
        What it takes as its sample, which no force can replace.
    designs
        The kinds of designs for which it holds.
    lack
        Why it cannot judge a measure of a pair; empty where it can.
    doubt
        Why its result for a measure would not be valid, though it can be computed.
    invalid
        Why it does not hold for any other design, where that is not the usual reason.
    noise
        What it could have shown, where that does not follow from a standard error.
    """

    name: str
    title: str
    reference: str
    judges: str
    function: Callable[..., Any]
    _: KW_ONLY
    sample: Sample
    designs: tuple[str, ...]
    lack: Callable[[Pair], str] = lambda _: ""
    doubt: Callable[[Pair], str] = lambda _: ""
    invalid: str = ""
    noise: Callable[[Pair], Noise] | None = None

    def holds_for(self, design: ComparisonDesign) -> bool:
        """Whether it holds for a design, whatever the measure."""
        is_for_cut = self.sample is Sample.CUT_GROUPS
        if self.sample.is_of_splits and is_for_cut != design.cuts_groups:
            return False
        return design.kind in self.designs

    def holds(self, pair: Pair) -> bool:
        """Whether it holds for a measure of two models."""
        return self.holds_for(pair.design) and not self.lack(pair) and not self.doubt(pair)

    def missing(self, design: ComparisonDesign) -> str:
        """What it would need that the design does not have; empty where it could be run."""
        kind, sample = design.kind, self.sample
        is_of_sets = kind == "many data sets"
        if is_of_sets and not sample.is_of_sets:
            return "a table of results has neither rows nor splits"
        if sample.is_of_sets and not is_of_sets:
            return f"it is for a table of results on many data sets ({argument('datasets')})"
        if kind == "different test sets" and sample is not Sample.OTHER_ROWS:
            return "the models were evaluated on different rows, so rows cannot be paired"
        if sample.is_of_splits and not design.has_splits:
            count = "each split is a single row" if kind == "leave-one-out" else ONE_SPLIT
            return f"{count}, so there are no splits to compare"
        if sample is Sample.CUT_GROUPS and not design.cuts_groups:
            if design.groups:
                return "no split cuts a group"
            return f"there are no groups ({argument('group')})"
        if sample is Sample.FIVE_BY_TWO and kind != "5x2-fold":
            return "it is for five repeats of two folds"
        return ""

    def subject(self, design: ComparisonDesign) -> str:
        """What its verdict is about: these models, or how models are fitted."""
        if self.sample.is_of_sets:
            return "the models' values on data sets like these"
        of = self.estimand(design)
        if of is Estimand.METHOD:
            rows = design.training_rows
            size = f" on about {rows:,} rows" if rows else ""
            return f"models trained this way{size}, averaged over such training sets"
        whom = "the models fitted in these folds" if of is Estimand.FOLD_MODELS else "these models"
        return f"{whom}, on new rows like these"

    def estimand(self, design: ComparisonDesign) -> Estimand:
        """Which quantity the difference estimates."""
        if self.sample.is_of_splits:
            return Estimand.METHOD
        is_of_folds = design.kind == "leave-one-out" or (design.has_splits and design.folds > 1)
        return Estimand.FOLD_MODELS if is_of_folds else Estimand.MODEL

    def why_invalid(self, pair: Pair | None, design: ComparisonDesign) -> str:
        """Why it does not hold for a design, or for a measure in it; empty where it does."""
        if self.holds_for(design):
            return "" if pair is None else self.doubt(pair)
        if design.cuts_groups and self.sample.is_of_splits and self.sample is not Sample.CUT_GROUPS:
            return CUT
        if self.invalid:
            return self.invalid
        return LEFT_OUT if design.kind == "leave-one-out" else AFTER_FOLDS


ONE_SPLIT = "there is only one split"
LEFT_OUT = "each row's score is that of another model, so scores do not rank rows"
AFTER_FOLDS = (
    "each fold's model was fitted on other rows, so a test of pooled rows ignores how fitting "
    "varies"
)
CUT = "splits cut groups, so that all splits err alike, which their spread does not show"
#: what a test of rows means after one cross-validation
POOLED = (
    "rows of all folds pooled (Bayle et al. 2020): it is about the models "
    "fitted in these folds, for learners that a single row changes little, and "
    "ignores how fitting on other data varies"
)
#: what is recommended after one cross-validation beside its default
OR_POOLED = {"k-fold": " (or mcnemar-midp and loss-t, which pool the rows)"}
BY_MODELS = "wilcoxon for two models, friedman for more"


class Admission(NamedTuple):
    """A test that may be run: what is to be known of it, and whether only force admits it."""

    method: Method
    note: str = ""
    is_forced: bool = False


def chosen_method(pair: Pair) -> Method:
    """The test of a measure of two models where nobody asks for one."""
    is_untested = pair.is_of_gaps and not pair.design.has_splits
    return UNTESTED if is_untested else default_method(pair)


def default_method(pair: Pair) -> Method:
    """The first test of the table that holds for a measure of two models."""
    return next(method for method in METHODS.values() if method.holds(pair))


def admit(
    name: str, design: ComparisonDesign, *, force: bool = False, pair: Pair | None = None
) -> Admission:
    """How a design admits the test asked for; an error where it does not.

    With ``force`` an inadmissible test runs, and the note says that it is not valid. ``pair``:
    the models and the measure that are to be judged, where rows or splits are.
    """
    if name not in METHODS:
        raise no_such("test", name, METHODS)
    method = METHODS[name]
    missing, reason = method.missing(design), method.why_invalid(pair, design)
    if missing:
        raise InputError(
            f"{name} is not admissible after {design.words}, and cannot be run even by force: "
            f"{missing}. Take {_better(pair, design)}"
        )
    if not reason:
        pools = design.kind == "k-fold" and method.sample is Sample.ROWS
        return Admission(method, POOLED if pools else "")
    if force:
        note = f"NOT VALID for this design ({design.words}), run by force: {reason}"
        return Admission(method, note, is_forced=True)
    raise InputError(
        f"{name} is not admissible after {design.words}: {reason}. "
        f"Take {_better(pair, design)}, or {argument('force', True)}"
    )


def _better(pair: Pair | None, design: ComparisonDesign) -> str:
    """The test to take instead."""
    if design.has_splits:
        usual = next(method for method in METHODS.values() if method.holds_for(design))
        return usual.name + ("" if design.cuts_groups else OR_POOLED.get(design.kind, ""))
    return BY_MODELS if pair is None else default_method(pair).name


def refuse_measure(method: Method, pair: Pair) -> None:
    """An error where a test cannot judge the measure, which says what can."""
    if lack := method.lack(pair):
        better = default_method(pair).name
        raise InputError(f"{lack}: use {better}, or leave {argument('test')} out")


def _is_left_out(pair: Pair) -> str:
    """Scores of models that each left out another row are in no common order."""
    return LEFT_OUT if pair.design.kind == "leave-one-out" and is_of_rankings(pair.request) else ""


ROWS_ONCE = ("one test set", "leave-one-out")
ROWS_POOLED = (*ROWS_ONCE, "k-fold")
SPLITS = ("k-fold", "repeated k-fold", "repeated holdout", "5x2-fold")
MANY_SETS = ("many data sets",)
MCNEMAR = "McNemar (1947)"
FAGERLAND = "McNemar (1947); Fagerland, Lydersen and Laake (2013)"
VALUES_DIFFER = "the models' values on rows like these differ"
HALVES_DIFFER = "models fitted in this way on half of so many rows differ on average"
LEARNERS_DIFFER = "models fitted in this way on so many rows differ on average"
RANKS_DIFFER = "the models do not all rank alike over data sets like these"


_of_rows = partial(Method, sample=Sample.ROWS)
_of_splits = partial(Method, sample=Sample.SPLITS, designs=SPLITS)
_of_five_by_two = partial(Method, sample=Sample.FIVE_BY_TWO, designs=("5x2-fold",))
_of_two_on_sets = partial(Method, sample=Sample.TWO_ON_SETS, designs=MANY_SETS)
_of_all_on_sets = partial(Method, sample=Sample.ALL_ON_SETS, designs=MANY_SETS)


def _mcnemar(name: str, kind: Kind, title: str, reference: str) -> Method:
    return _of_rows(
        name,
        title,
        reference,
        "the models succeed on different shares of the same rows",
        partial(row_tests.share_difference, kind=kind),
        designs=ROWS_POOLED,
        lack=partial(row_tests.lack_of_shares, test=name),
        noise=partial(row_tests.share_noise, kind=kind),
    )


_TABLE = (
    Method(
        "independent",
        "z test of proportions, DeLong, Welch's t, delta method, or bootstrap, of either's rows",
        "Newcombe (1998); DeLong, DeLong and Clarke-Pearson (1988); Welch (1947)",
        "the models' values differ, each on rows like its own",
        row_tests.unpaired_difference,
        sample=Sample.OTHER_ROWS,
        designs=("different test sets",),
        invalid="the models were judged on the same rows, and what they share would not cancel",
    ),
    Method(
        "group-t",
        "corrected t with the error of groups",
        "ours, after Nadeau and Bengio (2003) and Bell and McCaffrey (2002)",
        LEARNERS_DIFFER,
        group_difference,
        sample=Sample.CUT_GROUPS,
        designs=SPLITS,
    ),
    _of_five_by_two(
        "5x2-f",
        "combined 5x2 cv F test",
        "Alpaydin (1999)",
        HALVES_DIFFER,
        partial(split_tests.five_by_two_difference, test=split_tests.alpaydin_f),
    ),
    _of_splits(
        "corrected-t",
        "corrected resampled t test",
        "Nadeau and Bengio (2003); Bouckaert and Frank (2004)",
        LEARNERS_DIFFER,
        split_tests.corrected_difference,
    ),
    _of_five_by_two(
        "5x2-t",
        "5x2 cv t test",
        "Dietterich (1998)",
        HALVES_DIFFER,
        partial(split_tests.five_by_two_difference, test=split_tests.dietterich_t),
    ),
    _of_splits(
        "plain-t",
        "plain paired t test over folds",
        "none: refused",
        LEARNERS_DIFFER,
        split_tests.plain_difference,
        designs=(),
        invalid="training parts of the folds overlap, so the folds' differences are not "
        "independent and the plain paired t test finds differences that are not there far too "
        "often",
    ),
    _of_rows(
        "delong",
        "paired DeLong test, of groups after Obuchowski",
        "DeLong, DeLong and Clarke-Pearson (1988); Obuchowski (1997)",
        "the areas under the ROC curve differ on rows like these",
        row_tests.area_difference,
        designs=("one test set",),
        lack=row_tests.lack_of_areas,
    ),
    _mcnemar("mcnemar-midp", "mid-p", "mid-p McNemar test", FAGERLAND),
    _mcnemar("mcnemar", "exact", "exact McNemar test", MCNEMAR),
    _mcnemar("mcnemar-normal", "normal", "McNemar test, normal approximation", MCNEMAR),
    _mcnemar("mcnemar-corrected", "corrected", "McNemar test, continuity corrected", MCNEMAR),
    _of_rows(
        "loss-t",
        "paired t test of row losses, or of groups",
        "Student (1908); of groups Bell and McCaffrey (2002)",
        "the models' mean losses on rows like these differ",
        row_tests.mean_loss_difference,
        designs=ROWS_POOLED,
        lack=row_tests.lack_of_losses,
    ),
    _of_rows(
        "delta",
        "delta method: how far each row or group moves either value",
        "Efron (1982); of labels Agresti and Min (2005); Bell and McCaffrey (2002)",
        VALUES_DIFFER,
        row_tests.delta_difference,
        designs=ROWS_ONCE,
        lack=row_tests.lack_of_delta,
        doubt=_is_left_out,
    ),
    _of_rows(
        "bootstrap",
        "standard error of a paired bootstrap",
        "Efron and Tibshirani (1993)",
        VALUES_DIFFER,
        row_draws.drawn_difference,
        designs=ROWS_ONCE,
        # a bootstrap adds the noise that raises calibration errors once more
        lack=row_tests.lack_of_limits,
        doubt=_is_left_out,
    ),
    _of_rows(
        "permutation",
        "paired permutation test",
        "Phipson and Smyth (2010)",
        "the models' predictions cannot be exchanged, which is more than unequal values",
        row_tests.permuted_difference,
        designs=ROWS_ONCE,
    ),
    _of_two_on_sets(
        "wilcoxon",
        "Wilcoxon signed-rank test",
        "Wilcoxon (1945); Demšar (2006)",
        "the middle difference over data sets like these is not 0",
        signed_ranks.wilcoxon,
    ),
    _of_two_on_sets(
        "sign",
        "sign test",
        "Demšar (2006)",
        "one model wins more data sets like these than the other",
        signed_ranks.sign_test,
    ),
    _of_all_on_sets(
        "friedman",
        "Friedman's test of ranks with Iman and Davenport's F",
        "Friedman (1937); Iman and Davenport (1980); Demšar (2006)",
        RANKS_DIFFER,
        ranks.by_friedman,
    ),
    _of_all_on_sets(
        "quade",
        "Quade's test, of ranks weighted by how far apart the models of a data set are",
        "Quade (1979)",
        RANKS_DIFFER,
        ranks.by_quade,
    ),
    _of_all_on_sets(
        "aligned-ranks",
        "Friedman's test of aligned ranks, of all values less their data set's mean",
        "Hodges and Lehmann (1962); García, Fernández, Luengo and Herrera (2010)",
        RANKS_DIFFER,
        ranks.by_aligned_ranks,
    ),
    _of_two_on_sets(
        "t-over-sets",
        "paired t test over data sets",
        "none: refused",
        "the mean difference over data sets like these is not 0",
        signed_ranks.t_over_sets,
        designs=(),
        invalid="differences on different data sets have no common scale or spread, and a single "
        "data set can decide a t test over them",
    ),
)
#: stands for a test of a difference that is not tested unless a test is asked for
UNTESTED = _of_rows("", "no test", "", "", row_tests.no_gap_difference, designs=())
#: every test by name, in the order in which the first that holds is taken
METHODS = {method.name: method for method in _TABLE}
