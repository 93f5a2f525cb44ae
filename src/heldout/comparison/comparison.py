"""A comparison of models: every pair, by every measure asked for, with its verdict."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import isfinite, isnan
from typing import TYPE_CHECKING, Any

from heldout.assess.headline import result_of
from heldout.comparison.difference import margin_verdict
from heldout.comparison.methods import METHODS
from heldout.comparison.standing import Compared, as_pair
from heldout.comparison.words import FORCED, in_words
from heldout.core.errors import InputError
from heldout.core.nearest import did_you_mean
from heldout.core.shown import first_lines
from heldout.engines.memory import Tallies
from heldout.evaluation.tables import Frame
from heldout.uncertainty.options import IntervalOptions

if TYPE_CHECKING:
    from collections.abc import Sequence

    from heldout.assess.results import Result
    from heldout.comparison.design import ComparisonDesign
    from heldout.comparison.difference import Difference
    from heldout.comparison.options import CompareOptions
    from heldout.core.significance import Test
    from heldout.measures.spec import Request
    from heldout.predictions.table import Predictions


def without_least(value: float) -> float:
    """A value without float noise, which breaks no tie.

    Examples
    --------
    >>> without_least(0.1 + 0.2) == without_least(0.3)
    True
    """
    return float(f"{value:.12g}")


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(Compared):
    """The result of ``heldout.compare``: differences of models with intervals and tests.

    Attributes
    ----------
    models, measures
        What was compared, in the order given.
    values
        The value of each measure (by name) for each model.
    differences
        A ``Difference`` for each pair of models and each measure.
    omnibus
        Tests of all models together, by measure, where there are more than two.
    reasoning
        Why these tests and no others.
    """

    models: tuple[str, ...]
    measures: tuple[str, ...]
    values: dict[str, dict[str, float]]
    differences: tuple[Difference, ...]
    design: ComparisonDesign
    options: CompareOptions
    omnibus: dict[str, Test]
    reasoning: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    #: the predictions that were compared, row by row the same where they are paired
    predictions: tuple[Predictions, ...] = ()
    requests: tuple[Request, ...] = ()
    #: the differences in slices of the rows, where slices were asked for
    slices: tuple[Difference, ...] = ()
    #: the slices in which models could not be compared, undefined, with a note that says why
    uncompared: tuple[Result, ...] = ()
    #: what the values are of: ``mean of 10 folds``; empty: all rows at once
    of: str = ""

    def __getitem__(self, names: str | tuple[str, str, str]) -> Difference:
        """The difference by a measure; with several models ``comparison["auc", "a", "b"]``.

        Named the other way round, the difference is mirrored.
        """
        measure, *pair = (names,) if isinstance(names, str) else names
        if measure in self.measures and not pair and len(self.models) > 2:
            raise InputError(
                f"there are {len(self.models)} models: "
                f"comparison[{measure!r}, {self.models[0]!r}, {self.models[1]!r}]"
            )
        return self.select(measure, pair or self.models)[0]

    def select(self, measure: str = "", pair: Sequence[str] = ()) -> list[Difference]:
        """The differences by a measure and of a pair, those of all rows before those in slices.

        Empty: every measure, every pair. A pair that is named the other way round is mirrored.
        """
        if measure and measure not in self.measures:
            raise InputError(f"{measure!r} was not compared{did_you_mean(measure, self.measures)}")
        every = [d for d in (*self.differences, *self.slices) if measure in ("", d.measure)]
        if not pair:
            return every
        known = [d for d in (as_pair(d, pair) for d in every) if d is not None]
        if known:
            return known
        raise InputError(f"no such pair of models: {' and '.join(map(repr, pair))}{self._only}")

    @cached_property
    def estimates(self) -> dict[str, dict[str, Result]]:
        """The values of each model by each measure with the intervals that they have alone."""
        own, intervals = [Tallies(p) for p in self.predictions], IntervalOptions(self.options.level)
        return {
            request.name: {t.predictions.model: result_of(request, t, intervals) for t in own}
            for request in self.requests
        }

    @property
    def table(self) -> Frame:
        """A row for each pair and measure, then those of the slices."""
        margin = self.options.margin
        rows = [
            {
                "slice": d.slice,
                "measure": d.measure,
                "first": d.first,
                "second": d.second,
                "first_value": d.first_value,
                "second_value": d.second_value,
                "difference": d.value,
                "low": d.low,
                "high": d.high,
                "level": d.level,
                "interval": d.method,
                "test": d.test.method,
                "statistic": d.test.statistic,
                "p_value": d.test.p_value,
                "corrected": d.p_value,
                "better": d.better if d.is_significant else "",
                "n": d.n,
                "unit": d.unit,
                "note": d.remarks,
                **({} if margin is None else {"within_margin": margin_verdict(d, margin).word()}),
            }
            for d in (*self.differences, *self.slices)
        ]
        return Frame.of(rows)

    def order(self, measure: str) -> list[str]:
        """The models, best first."""
        given = self._by(measure)
        down = bool(given) and given[0].direction == "down"
        values = self.values[measure]

        def place(model: str) -> tuple[bool, float, str]:
            # ties by name, so that the order of the files decides nothing
            value = values[model]
            known = 0.0 if isnan(value) else value if down else -value
            return isnan(value), without_least(known), model

        return sorted(self.models, key=place)

    def equal_best(self, measure: str) -> list[str]:
        """The models that share the best value: one, or several that are equal."""
        order, values = self.order(measure), self.values[measure]
        best = without_least(values[order[0]])
        return [m for m in order if without_least(values[m]) == best]

    def letters(self, measure: str) -> dict[str, str]:
        """Letters by model, best first: models that share one were not told apart.

        Beside a control there are none, for the other models were not compared: ``standing``.
        """
        if self.control:
            raise InputError(f"letters need every pair{self._only}: take standing({measure!r})")
        # what is infinite, undefined or untested cannot be told apart from anything, nor be alike
        order, values, given = self.order(measure), self.values[measure], self._by(measure)
        is_tested = any(d.test.is_given for d in given)
        known = [model for model in order if is_tested and isfinite(values[model])]
        by_model = self._marks(given, known)
        return {model: by_model.get(model, "") for model in order}

    def leading(self, measure: str) -> list[str]:
        """The best model and those that share a letter with it; none where all of them do."""
        if self.control:
            return []
        marks = self.letters(measure)
        best = set(next(iter(marks.values())))
        leading = [model for model, letters in marks.items() if best & set(letters)]
        return leading if len(leading) < len(marks) else []

    def _by(self, measure: str) -> list[Difference]:
        return [d for d in self.differences if d.measure == measure]

    def standing(self, measure: str) -> dict[str, str]:
        """How each model stands, best first: its letters, or how it is beside the control.

        Beside a control: ``control``, ``better``, ``worse``, ``apart`` (where neither direction
        is better), or nothing, where it is not told apart from the control.
        """
        if not self.control:
            return self.letters(measure)
        return self._marks(self._by(measure), self.order(measure))

    @property
    def verdict(self) -> str:
        """The comparison in plain words, a line per pair and measure."""
        lines = [self.in_words(d) for d in self.differences]
        clear = [d for d in self.slices if d.is_significant]
        lines += [f"{d.slice}: {self.in_words(d)}" for d in clear]
        if self.slices and not clear:
            whom = "a model and the control" if self.control else "any two models"
            lines.append(f"no clear difference between {whom} in any of the slices")
        if self.is_forced:
            lines.insert(0, FORCED)
        return "\n".join([*lines, *self.disagreement, *self.subjects])

    @property
    def subjects(self) -> list[str]:
        """What the verdict is about: these models, or how models are fitted."""
        of: dict[str, list[str]] = {}
        for d in self.differences:
            if not d.test.is_given or d.is_identical:
                continue
            subject = METHODS[d.test.name].subject(self.design)
            of.setdefault(subject, []).append(d.measure)
        if len(of) == 1:
            return [f"This applies to {subject}" for subject in of]
        return [
            f"{' and '.join(dict.fromkeys(names))}: this applies to {subject}"
            for subject, names in of.items()
        ]

    def in_words(self, difference: Difference) -> str:
        """One sentence on a pair by a measure."""
        return in_words(self._named(difference), margin=self.options.margin)

    @property
    def disagreement(self) -> list[str]:
        """Where one measure shows one of two models as better, and another measure the other."""
        shown: dict[frozenset[str], dict[str, list[str]]] = {}
        for d in self.differences:
            if d.better and d.is_significant:
                by = shown.setdefault(frozenset((d.first, d.second)), {})
                by.setdefault(d.better, []).append(d.measure)
        models = [
            ", ".join(f"{model} is better by {' and '.join(names)}" for model, names in by.items())
            for by in shown.values()
            if len(by) > 1
        ]
        return [f"the measures disagree: {'; '.join(models)}"] if models else []

    def plot(self, name: str = "forest", *, path: Any = None, **options: Any) -> Any:
        """A chart of the comparison as a matplotlib figure: forest, posterior, roc or all.

        ``title`` and ``figsize`` are as in ``Scorecard.plot``; each fills a figure of its own.
        """
        return self._plot(name, path=path, **options)

    def __repr__(self) -> str:
        return first_lines(f"{self.design.words}\n{self.verdict}")
