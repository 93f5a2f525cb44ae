"""What a scorecard says of decisions: thresholds, prevalences, profits, ranks and slices."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from heldout.core.errors import InputError

if TYPE_CHECKING:
    from heldout.assess.scorecard import Scorecard

__all__ = ["Decisions"]


class Decisions:
    """The methods of a scorecard that give tables of records, ready for a data frame.

    Where rows come in groups, whole groups are drawn for the limits. A row that was judged in
    several repeats counts once: its identifier (or group) says which rows are the same, and
    without one there are no limits of thresholds and prevalences, and ``note`` says why.
    What a decision earns has the interval of the measure (``profit_per_row``), which the
    splits tell without identifiers.
    """

    @property
    def _card(self) -> Scorecard:
        return cast("Scorecard", self)

    @property
    def _decided(self) -> Scorecard:
        """The scorecard, where it is known which class is decided for."""
        card = self._card
        if reason := card.predictions[0].lack_of_positive:
            raise InputError(f"a decision {reason}")
        return card

    def thresholds(self, *rules: str) -> list[dict[str, Any]]:
        """The threshold that each rule chooses, with its interval, what it earns, the optimism.

        A rule is a measure to make best (``f_score[beta=2]``, ``youden``, ``profit``), a rate
        to keep (``recall >= 0.9``), or both (``precision where recall >= 0.9``).
        """
        from heldout.assess.resampled_decisions import chosen_thresholds

        return chosen_thresholds(self._decided, rules)

    def at_prevalence(self, *shares: float) -> list[dict[str, Any]]:
        """Precision, NPV, accuracy and profit where positives are so frequent."""
        from heldout.assess.resampled_decisions import at_prevalences

        return at_prevalences(self._decided, shares)

    def operating_point(self, *prevalences: float | None) -> list[dict[str, Any]]:
        """The point of the ROC hull that earns most by this scorecard's profit or cost.

        One for each prevalence; None, or none given: the share of positives of these rows.
        """
        from heldout.assess.decide import operating_points

        return operating_points(self._decided, prevalences)

    def mixture(
        self, *, fpr: float | None = None, sensitivity: float | None = None
    ) -> list[dict[str, Any]]:
        """The coin toss between two thresholds that reaches a rate exactly, of each model.

        A row is called positive if its score reaches ``threshold``, with ``probability``, and
        else if it reaches ``else_threshold``. Of several models the last record is the best
        over all of them.
        """
        from heldout.assess.decide import mixtures

        return mixtures(self._decided, fpr=fpr, sensitivity=sensitivity)

    def expected_profit(self) -> list[dict[str, Any]]:
        """What deciding by expected profit earns beside deciding for the likeliest class."""
        from heldout.assess.resampled_decisions import expected_profits

        return expected_profits(self._decided)

    def ranking(self, measure: str) -> list[dict[str, Any]]:
        """The models from best to worst by a measure, which may be profit."""
        from heldout.assess.decide import ranked

        return ranked(self._card, measure)

    def slices(self, *measures: str) -> list[dict[str, Any]]:
        """Measures by slice, worst first, with the slices that differ from the rest."""
        from heldout.assess.decide import sliced

        return sliced(self._card, measures or None)
