"""K14 to K16: models that are judged on other rows, or chosen on those that judge them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from heldout.auditing.check import Seen, Unseen, check, some
from heldout.core.dialect import argument

if TYPE_CHECKING:
    from collections.abc import Iterator

    from heldout.auditing.material import Material
    from heldout.core.arrays import Array, Booleans
    from heldout.predictions.table import Predictions


def _needs_models(material: Material) -> str:
    return "" if len(material.predictions) > 1 else "needs predictions of several models"


@check(
    "K14",
    "models evaluated on different rows",
    "error",
    why="The model with the easier rows looks better.",
    fix="Evaluate all models on the same rows, with the same procedure and seed.",
    needs=_needs_models,
)
def different_rows(material: Material) -> Iterator[Seen]:
    """Models whose rows are not those of the first."""
    first, *others = material.predictions
    for p in others:
        both = f"{first.model} and {p.model}"
        if first.identifier is not None and p.identifier is not None:
            yield from _by_name(first, p, both)
        elif len(p) != len(first):
            yield Seen(f"{len(first):,} and {len(p):,} rows", both)
        elif p.classes == first.classes and not np.array_equal(p.truth, first.truth):
            different = np.flatnonzero(p.truth != first.truth)
            # without names of rows, another order is as likely as other rows
            same = np.array_equal(np.sort(p.truth), np.sort(first.truth))
            hint = (
                f"; the same labels in another order, perhaps: give {argument('id')}"
                if same
                else ""
            )
            yield Seen(
                f"the truth differs in {len(different):,} of {len(p):,} rows, first in row "
                f"{different[0] + 1:,}{hint}",
                both,
                different,
            )


def _by_name(first: Predictions, p: Predictions, both: str) -> Iterator[Seen]:
    ours, theirs = first.identifier, p.identifier
    assert ours is not None
    assert theirs is not None
    if ours.shape == theirs.shape and bool(np.asarray(ours == theirs).all()):
        return
    known, asked = (set(map(str, names.tolist())) for names in (ours, theirs))
    if known != asked:
        only = sorted(known - asked) or sorted(asked - known)
        yield Seen(
            f"{len(known - asked):,} ids only in {first.model}, {len(asked - known):,} only in "
            f"{p.model} ({some(only)})",
            both,
        )


#: from so many models on, the best of equals looks better by more than its standard error
MANY_MODELS = 5
#: cuts that come close to the best from which on its being hit is hardly chance
MANY_RIVALS = 100


def _needs_choice(material: Material) -> str:
    known = material.chosen_threshold or (material.ranked_by and len(material.predictions) > 1)
    if known:
        return ""
    if material.is_run:
        return "labels are those of the models themselves: nothing was chosen on these rows"
    if any(_is_cut(p) for p in material.predictions):
        return ""
    if not material.predictions:
        return (
            "needs predictions and a record of what was chosen on them "
            "(heldout score --best, --rank)"
        )
    return (
        "needs labels and scores of two classes, or a record of what was chosen on these rows "
        "(heldout score --best, --rank)"
    )


def _is_cut(p: Predictions) -> bool:
    # tables that heldout's runner wrote name the procedure, and their labels are the model's own
    known = p.predicted is not None and p.scores is not None and not p.design.procedure
    return known and p.task == "binary" and p.of_interest is not None


@check(
    "K15",
    "chosen on the test rows",
    "warning",
    why="The best of many on these rows is partly the luckiest: its value is optimistic.",
    fix="Choose on other rows (a validation set, nested cross-validation), or report the optimism.",
    needs=_needs_choice,
)
def chosen_here(material: Material) -> Iterator[Seen | Unseen]:
    """A threshold or model known to be chosen here, or labels cut at the very best place."""
    if material.chosen_threshold:
        yield Seen(f"the threshold was chosen on these rows ({material.chosen_threshold})")
    count = len(material.predictions)
    if material.ranked_by and count > 1:
        yield Seen(
            f"{count} models are ranked by {material.ranked_by} on these rows",
            severity="warning" if count >= MANY_MODELS else "note",
        )
    for p in material.predictions:
        if not _is_cut(p) or material.is_run:
            continue
        if material.most_values is not None and len(p) > material.most_values:
            yield Unseen(f"skipped for size ({len(p):,} rows)", is_for_size=True)
            continue
        yield from _cut(p)


def _cut(p: Predictions) -> Iterator[Seen]:
    assert p.scores is not None
    assert p.predicted is not None
    known = np.isfinite(p.scores)
    cut = tuned_cut(p.truth[known] == p.positive, p.scores[known], p.predicted[known] == p.positive)
    if cut is not None:
        yield Seen(
            f"labels are positive from a score of {cut.threshold:.6g}, "
            f"which is exactly the best cut for {cut.measure} on these {len(p):,} rows, "
            f"though {cut.rivals:,} "
            "cuts are within one standard error: it seems to have been chosen on these rows",
            p.model,
            severity="warning" if cut.rivals >= MANY_RIVALS else "note",
        )


#: thresholds that nobody has to choose: of probabilities, and of margins
USUAL = (0.5, 0.0)
#: cuts that come close to the best; with fewer, a threshold that was chosen elsewhere is often the
#: best here too (with so many in one of 25 cases, docs/audit.md)
RIVALS = 30
#: how close, in standard errors of a share near the best
CLOSE = 1.0


@dataclass(frozen=True, slots=True)
class TunedCut:
    """The measure that is at its best there, the lowest score called positive, and the rivals."""

    measure: str
    threshold: float
    rivals: int


def tuned_cut(positive: Booleans, scores: Array, called: Booleans) -> TunedCut | None:
    """The cut that the labels follow, if it is the best of many for one of the usual measures.

    None where labels do not follow a threshold, where it may be a usual one, where all or no
    rows are called positive, or where too few cuts compete for a hit to say anything.
    """
    rows, named = len(scores), int(called.sum())
    if not 0 < named < rows or not 0 < positive.sum() < rows:
        return None
    low, high = float(scores[~called].max()), float(scores[called].min())
    if not low < high or any(low < usual <= high for usual in USUAL):
        return None
    order = np.argsort(-scores, kind="stable")
    ordered = scores[order]
    ends = np.flatnonzero(np.append(ordered[1:] != ordered[:-1], True)) + 1
    tp = np.cumsum(positive[order])[ends - 1].astype(float)
    fp = ends - tp
    positives = float(positive.sum())
    negatives = rows - positives
    at = int(np.searchsorted(ends, named))
    tuned: TunedCut | None = None
    for name, values in (
        ("accuracy", (tp + negatives - fp) / rows),
        ("balanced accuracy (Youden)", (tp / positives + 1 - fp / negatives) / 2),
        ("F score", 2 * tp / (2 * tp + fp + positives - tp)),
    ):
        best = float(values.max())
        if values[at] < best - 1e-12:
            continue
        error = CLOSE * np.sqrt(max(best * (1 - best), 0.0) / rows)
        rivals = int((values >= best - error).sum())
        if rivals >= RIVALS and (tuned is None or rivals > tuned.rivals):
            tuned = TunedCut(name, high, rivals)
    return tuned


#: the best of ten equals lies 1.5 standard errors above them on average, that of twenty 1.9
MANY_LOOKS, VERY_MANY_LOOKS = 10, 20


def _needs_looks(material: Material) -> str:
    if material.looks is not None:
        return ""
    return "needs a run store that remembers which models were evaluated on these rows"


@check(
    "K16",
    "a test set used many times",
    "warning",
    why=(
        "The best result improves with every model that is tried on the same rows, although no "
        "model is better."
    ),
    fix="Keep a part of the data that is used once, at the end.",
    needs=_needs_looks,
)
def many_looks(material: Material) -> Iterator[Seen]:
    """How many models the run store says were evaluated on these test rows or these data."""
    looks = material.looks or 0
    known_by = "according to the run store" + " (a search counts as one)" * (
        material.data is not None
    )
    if looks >= MANY_LOOKS:
        is_one = material.splits is None or len(material.splits) == 1
        these = "this test set" if is_one else "these splits"
        yield Seen(
            f"{looks:,} models were evaluated on {these}, {known_by}",
            severity="note" if looks < VERY_MANY_LOOKS else None,
        )
    elif looks + material.looks_elsewhere >= MANY_LOOKS:
        # other test rows of the same data: what was learnt there helps here, but less
        also = f", {looks:,} of them on these test rows" if looks else ", on other test rows"
        yield Seen(
            f"{looks + material.looks_elsewhere:,} models were evaluated on these data{also}, "
            f"{known_by}",
            severity="note",
        )
