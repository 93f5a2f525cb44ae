"""The engine in memory: tallies of NumPy arrays, each made once and when first asked for."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.core.errors import InputError
from heldout.core.memo import once
from heldout.core.threads import BLOCK, blocks, each_block, in_threads, spans
from heldout.engines.counted import cells_of, class_rows_of, confusion_of, counts_of, lack_of_parts
from heldout.predictions.split_design import SplitDesign
from heldout.tally.class_scores import ClassScores
from heldout.tally.confusion import Binary, Confusion
from heldout.tally.errors import ErrorRows, Errors
from heldout.tally.moments import CoMoments, Moments
from heldout.tally.rows import ProbabilityRows, ValueRows
from heldout.tally.scores import ScoreCounts, TopLabel

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from heldout.engines.parts import Partition
    from heldout.engines.protocol import By, Loss, TallyKind
    from heldout.predictions.table import Predictions


def key_of(loss: Loss) -> Any:
    """What tells losses apart: the function and its parameters.

    Examples
    --------
    >>> key_of((len, {"level": 0.9, "clip": 0.0}))[1]
    (('clip', 0.0), ('level', 0.9))
    """
    return loss[0], tuple(sorted(loss[1].items()))


def moments_of_losses(
    rows: Any,
    losses: Sequence[Loss],
    pairs: Sequence[tuple[int, int]] = (),
    *,
    columns: int = 1,
    counted: bool = False,
) -> tuple[list[Moments], list[CoMoments]]:
    """The moments of losses, and how pairs of them (by their places) vary together.

    Block by block, so that temporaries stay in the processor's cache and what the losses
    share (the probability of the true class) is made once a block.

    Parameters
    ----------
    rows
        What the losses are made of: has a length and ``take(slice)``.
    columns
        How many scores a row has; with many, fewer rows are taken at a time.
    counted
        A row's weight says how many equal rows it stands for.
    """
    size = max(BLOCK // max(columns // 4, 1), 256)
    kept = {place for pair in pairs for place in pair}

    def over(span: slice) -> tuple[list[Moments], list[CoMoments]]:
        totals, together = [Moments()] * len(losses), [CoMoments()] * len(pairs)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            for block in blocks(span.stop - span.start, size):
                part = rows.take(slice(span.start + block.start, span.start + block.stop))
                found: dict[int, Any] = {}
                for i, (loss, given) in enumerate(losses):
                    values = loss(part, **given)
                    made = Moments.of(values, part.weight, is_count=counted)
                    totals[i] += made
                    if i in kept:
                        found[i] = (values, made.finite_mean)
                times = part.weight if counted else None
                for j, (one, other) in enumerate(pairs):
                    (first, mean), (second, other_mean) = found[one], found[other]
                    together[j] += CoMoments.of(first, second, (mean, other_mean), times)
        return totals, together

    done = in_threads(over, spans(len(rows)))
    return (
        [sum(parts, start=Moments()) for parts in zip(*(t for t, _ in done), strict=True)],
        [sum(parts, start=CoMoments()) for parts in zip(*(t for _, t in done), strict=True)],
    )


class Tallies:
    """The tallies of one model's predictions (or of a fold or slice of them).

    The law of ``tally``, wherever the rows are: the tally of two sets of rows is the sum of their
    tallies, whatever the order of rows and the batches they come in; counts are those of rows in
    memory exactly, moments to a relative 1e-12.

    Parts by slice, class and group are populations of their own: where no prior is given they
    are judged against their own class shares (or mean). Folds and repeats are samples of one
    population and share the prior of all rows.
    """

    def __init__(self, predictions: Predictions, confusion: Confusion | None = None) -> None:
        """``confusion`` is given where counts, not rows, came in."""
        self.predictions = predictions
        self._confusion = confusion
        self._moments: dict[Any, Moments] = {}
        self._co_moments: dict[Any, CoMoments] = {}
        self._wanted: dict[Any, Loss] = {}
        self._wanted_pairs: dict[Any, None] = {}

    def __reduce__(self) -> tuple[Any, ...]:
        # what was made of the rows is made again, and need not be something that can be written
        return Tallies, (self.predictions, self._confusion)

    def parts(self, *by: By) -> Partition:
        """The rows by part, grouped by any of repeat, fold, class, group and columns of slices."""
        from heldout.engines.counted_parts import CountedPartition
        from heldout.engines.parts import Partition

        if lack := lack_of_parts(self.predictions, by):
            raise InputError(str(lack))
        is_counted = counts_of(self.predictions) is not None
        make = CountedPartition if is_counted else Partition
        return once(self, ("parts", by), lambda whole: make(whole, by))

    def tally(self, kind: TallyKind, by: tuple[By, ...] = ()) -> Mapping[tuple[str, ...], Any]:
        """The tally of each part that has rows; without ``by`` of all rows, under ``()``."""
        if by:
            return self.parts(*by).tally(kind)
        return {(): self.moments(*kind) if isinstance(kind, tuple) else self.of_kind(kind)}

    def of_kind(self, kind: type) -> Any:
        """The tally of a kind, of all rows."""
        return KINDS[kind](self)

    @cached_property
    def design(self) -> SplitDesign:
        """How the rows came to be judged."""
        return SplitDesign(self.predictions)

    @cached_property
    def unweighted(self) -> Tallies:
        """The same rows, each counted as one."""
        return Tallies(replace(self.predictions, weight=None))

    @cached_property
    def squared(self) -> Tallies:
        """The same rows with the squares of their weights."""
        return Tallies(replace(self.predictions, weight=self.row_weights**2))

    @property
    def rows(self) -> int:
        """How many rows were judged."""
        return len(self.predictions) if self._confusion is None else self._confusion.rows

    @property
    def is_counted(self) -> bool:
        """Whether counts came in, not rows: a row stands for as many as its weight says."""
        return self._confusion is not None

    @property
    def has_labels(self) -> bool:
        """Whether a class or value is predicted for each row."""
        return self.predictions.predicted is not None

    @property
    def has_scores(self) -> bool:
        """Whether there are scores."""
        return self.predictions.scores is not None

    @property
    def _predicted(self) -> Any:
        if self.predictions.predicted is None:
            raise ValueError("no labels or values are predicted")
        return self.predictions.predicted

    @property
    def _scores(self) -> Any:
        if self.predictions.scores is None:
            raise ValueError("there are no scores")
        return self.predictions.scores

    @cached_property
    def confusion(self) -> Confusion:
        """Counts of truth against predicted class."""
        if self._confusion is not None:
            return self._confusion
        p = self.predictions
        counts = confusion_of(p)
        if counts is not None:
            return counts
        return Confusion.of(
            p.truth, self._predicted, p.weight, classes=len(p.classes), positive=p.positive
        )

    @cached_property
    def scores(self) -> ScoreCounts:
        """Positives and negatives at each score (two classes)."""
        p = self.predictions
        counts = counts_of(p)
        if counts is not None:
            return counts
        return ScoreCounts.of(p.truth == p.positive, self._scores, p.weight)

    @cached_property
    def class_scores(self) -> ClassScores:
        """A column of scores a class with the true class of each row, for two classes too."""
        p, score = self.predictions, self._scores
        if p.task == "binary" and p.score_problem:
            # no probabilities: the other class ranks the other way round
            score = np.stack([-score, score] if p.positive == 1 else [score, -score], axis=1)
        elif p.task == "binary":
            score = self.probability_rows.matrix
        return ClassScores.of(p.truth, score, p.weight)

    @cached_property
    def class_weights(self) -> NDArray[Any]:
        """Rows (or their weight) of each true class."""
        return class_rows_of(self.predictions)

    @property
    def row_weights(self) -> NDArray[np.float64]:
        """The weight of each row, 1 where there are none."""
        weight = self.predictions.weight
        return np.ones(len(self.predictions)) if weight is None else np.asarray(weight, float)

    @cached_property
    def judged_rows(self) -> tuple[NDArray[np.int64], NDArray[np.float64]] | None:
        """The number of the row that each prediction is of, and the rows' weights; None: no ids."""
        names = self.predictions.identifier
        if names is None:
            return None
        _, first, numbers = np.unique(names, return_index=True, return_inverse=True)
        return numbers, self.row_weights[first]

    @cached_property
    def has_even_weights(self) -> bool:
        """Whether all rows weigh the same."""
        weight = self.predictions.weight
        return weight is None or bool(np.ptp(weight) <= 1e-12 * weight.max(initial=0.0))

    @cached_property
    def groups(self) -> int:
        """How many groups have rows; a row that stands alone is a group of its own."""
        group = self.predictions.design.group
        return len(self.predictions) if group is None else len(np.unique(group.codes))

    @cached_property
    def largest_value(self) -> float:
        """The largest true or predicted number, without its sign."""
        both = (self.predictions.truth, self._predicted)
        return max(float(np.abs(values).max()) for values in both)

    @cached_property
    def is_right(self) -> NDArray[np.bool_]:
        """Whether the predicted class of each row is the true one."""
        return np.asarray(self.predictions.truth == self._predicted)

    @cached_property
    def top_label(self) -> TopLabel:
        """The probability of the likeliest class, and whether it came true."""
        p = self.predictions
        chosen = np.argmax(self._scores, axis=1)
        confidence = self._scores[np.arange(len(p)), chosen]
        counts = ScoreCounts.of(chosen == p.truth, confidence, p.weight)
        return TopLabel(counts.score, counts.positives, counts.negatives, counts.rows)

    @cached_property
    def errors(self) -> Errors:
        """Joint moments of true and predicted values."""
        p = self.predictions
        parts = each_block(
            lambda b: Errors.of(
                p.truth[b], self._predicted[b], None if p.weight is None else p.weight[b]
            ),
            len(p),
        )
        return sum(parts, start=Errors())

    @cached_property
    def error_rows(self) -> ErrorRows:
        """True and predicted values, row by row."""
        p = self.predictions
        return ErrorRows.of(p.truth, self._predicted, p.weight)

    @cached_property
    def probability_rows(self) -> ProbabilityRows:
        """What a loss of probabilities sees; without a known prior, that of these rows."""
        p = self.predictions
        if p.prior is None:
            shares = self.class_weights.astype(float)[None, :]
            prior, codes, counts = shares / max(shares.sum(), 1e-300), None, False
        else:
            prior, codes = p.prior.table, p.prior.codes
            counts = p.prior.kind == "training counts"
        return ProbabilityRows(
            p.truth,
            p.scores,
            p.predicted,
            len(p.classes),
            p.positive,
            p.weight,
            prior,
            codes,
            counts,
            p.against,
        )

    @cached_property
    def value_rows(self) -> ValueRows:
        """What a loss of values sees; without a known training mean, the mean of these rows."""
        p = self.predictions
        mean = p.train_mean
        if mean is None and len(p):
            mean = np.full(len(p), np.average(p.truth, weights=p.weight))
        return ValueRows(p.truth, self._predicted, p.weight, p.naive, mean)

    def moments(self, loss: Callable[..., Any], parameters: dict[str, Any]) -> Moments:
        """The moments of a loss."""
        key = key_of((loss, parameters))
        if key not in self._moments:
            self.prepare([(loss, parameters)])
            self._pass()
        return self._moments[key]

    def co_moments(self, first: Loss, second: Loss) -> CoMoments:
        """How two losses vary together; the rows' weights do not count."""
        pair = (key_of(first), key_of(second))
        if pair not in self._co_moments:
            self.prepare((), together=[(first, second)])
            self._pass()
        return self._co_moments[pair]

    def prepare(self, losses: Sequence[Loss], together: Sequence[Sequence[Loss]] = ()) -> None:
        """Say which moments will be wanted: the first one asked for makes them all in one pass.

        ``together`` are losses of which it matters how each pair of them varies together.
        """
        groups = [[(key_of(loss), loss) for loss in group] for group in together]
        for loss in losses:
            self._wanted.setdefault(key_of(loss), loss)
        for group in groups:
            self._wanted.update(group)
            self._wanted_pairs.update(
                (pair, None) for pair in combinations([key for key, _ in group], 2)
            )

    @property
    def _loss_rows(self) -> Any:
        """The rows as losses see them."""
        is_regression = self.predictions.task == "regression"
        return self.value_rows if is_regression else self.probability_rows

    def losses(self, loss: Callable[..., Any], given: dict[str, Any]) -> NDArray[np.float64]:
        """The loss of each row, which may be infinite or undefined."""
        rows = self._loss_rows
        values = np.empty(len(rows))

        def fill(block: slice) -> None:
            with np.errstate(all="ignore"):
                values[block] = loss(rows.take(block), **given)

        each_block(fill, len(rows))
        return values

    def moments_of(
        self, losses: Sequence[Loss], pairs: Sequence[tuple[int, int]] = ()
    ) -> tuple[list[Moments], list[CoMoments]]:
        """The moments of losses, and how pairs of them vary together, in a pass over the rows."""
        scores = self.predictions.scores
        cells = None
        if counts_of(self.predictions) is not None:
            cells = cells_of(self._loss_rows, self.predictions)
        return moments_of_losses(
            self._loss_rows if cells is None else cells,
            losses,
            pairs,
            columns=1 if scores is None or scores.ndim == 1 else scores.shape[1],
            counted=self.is_counted or cells is not None,
        )

    def _pass(self) -> None:
        """Make what is wanted and not yet there."""
        pairs = [pair for pair in self._wanted_pairs if pair not in self._co_moments]
        again = {key for pair in pairs for key in pair}
        todo = {
            key: loss
            for key, loss in self._wanted.items()
            if key not in self._moments or key in again
        }
        place = {key: i for i, key in enumerate(todo)}
        moments, products = self.moments_of(
            list(todo.values()), [(place[one], place[other]) for one, other in pairs]
        )
        self._moments.update(zip(todo, moments, strict=True))
        self._co_moments.update(zip(pairs, products, strict=True))


#: what gives the tally of each kind
KINDS: dict[type, Callable[[Tallies], Any]] = {
    Binary: lambda tallies: tallies.confusion.binary,
    Confusion: lambda tallies: tallies.confusion,
    ScoreCounts: lambda tallies: tallies.scores,
    TopLabel: lambda tallies: tallies.top_label,
    ClassScores: lambda tallies: tallies.class_scores,
    Errors: lambda tallies: tallies.errors,
    ErrorRows: lambda tallies: tallies.error_rows,
}
