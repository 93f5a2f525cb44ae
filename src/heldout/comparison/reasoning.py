"""Why a comparison was made as it was, in sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING

from heldout.core.wording import plural

if TYPE_CHECKING:
    from collections.abc import Sequence

    from heldout.comparison.design import ComparisonDesign
    from heldout.comparison.difference import Difference
    from heldout.comparison.options import CompareOptions

__all__ = ["OF_DESIGN", "reasons_for"]

OF_DESIGN = {
    "one test set": (
        "Every model was judged once, on the same rows. So rows are paired: what both models "
        "find hard or easy cancels, and the rows on which they differ decide."
    ),
    "different test sets": (
        "The models were judged on DIFFERENT rows. Nothing can be paired: the difference "
        "carries the noise of both samples, and a difference between the samples would look "
        "like one between the models."
    ),
    "leave-one-out": (
        "Leave-one-out judges every row once, by models that share all training rows but one. "
        "Rows are paired as on one test set; how fitting on other data varies is not seen."
    ),
    "k-fold": (
        "One run of cross-validation: training parts overlap, so the folds' differences are not "
        "independent. Their variance is corrected after Nadeau and Bengio (test rows per "
        "training row is added to 1 / folds)."
    ),
    "repeated k-fold": (
        "Repeated cross-validation: more repeats never make the data more. The variance of the "
        "mean is corrected after Nadeau and Bengio, so that it does not vanish with repeats."
    ),
    "5x2-fold": (
        "Five repeats of two folds: training parts of a repeat do not overlap. Alpaydin's F "
        "uses all ten differences; Dietterich's t only one of them in its numerator."
    ),
    "repeated holdout": (
        "Repeated holdouts share rows: their differences are not independent, and the variance "
        "of the mean is corrected after Nadeau and Bengio."
    ),
    "many data sets": (
        "A value for each model on each data set: data sets are the sample, and ranks are "
        "compared, for differences have no common scale."
    ),
}

OF_CUT = (
    "Rows of a group lie in several splits: what is peculiar to a group moves all splits alike, "
    "which the spread of the splits does not show. So the variance by groups, each with all "
    "its rows wherever they were tested, is added to that over splits, which is corrected after "
    "Nadeau and Bengio for training parts that overlap. The noise of single rows counts twice in "
    "that, to be on the safe side with models that know groups by heart."
)


def reasons_for(
    design: ComparisonDesign,
    differences: Sequence[Difference],
    options: CompareOptions,
    of: str = "",
) -> tuple[str, ...]:
    """The design, what follows from it, and each measure's test; ``of``: what values are of."""
    is_cut = design.has_splits and design.cuts_groups
    made = [f"Design: {design.words}.", OF_CUT if is_cut else OF_DESIGN[design.kind]]
    if of:
        made.append(f"Values are those of heldout score and heldout evaluate ({of}).")
    if design.remark:
        made.append(f"{design.remark[:1].upper()}{design.remark[1:]}.")
    if design.groups and design.has_splits and not is_cut:
        made.append(
            f"Rows come in {plural(design.groups, 'group')} that depend on each other: splits keep "
            "them whole, so that how splits differ shows how groups do."
        )
    elif design.groups and not is_cut:
        made.append(
            f"Rows come in {plural(design.groups, 'group')} that depend on each other: groups, not "
            "rows, are counted, resampled and exchanged."
        )
    for measure in dict.fromkeys(d.measure for d in differences):
        first = next(d for d in differences if d.measure == measure)
        chosen = "as asked" if options.test else "by design and measure"
        limits = f"interval: {first.interval.method}"
        if first.interval.is_absent:
            limits = f"no interval: {first.interval.note}"
        made.append(f"{measure}: {first.evidence.method}, {chosen}; {limits}.")
        if first.note:
            made.append(f"{measure}: {first.note}.")
        if first.posterior is not None and options.rope is not None:
            made.append(f"{measure}: probabilities by the {first.posterior.method}.")
    if options.control:
        made.append(
            f"Each model is compared with the control {options.control} only, so that fewer pairs "
            "are corrected for; the others are not compared with each other."
        )
    count = len(differences)
    if count > 1 and options.correction == "holm":
        made.append(
            f"{count} differences are judged at once: p-values are corrected after Holm, so that "
            "the chance of any false alarm stays at the level. Intervals are not corrected."
        )
    return tuple(made)
