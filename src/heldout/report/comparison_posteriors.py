"""How probable it is that either model of a pair is better, as a table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from heldout.report.document import Column, Grid
from heldout.report.names import bare_title

if TYPE_CHECKING:
    from collections.abc import Sequence

    from heldout.comparison.difference import Difference
    from heldout.report.comparison_names import PairNames
    from heldout.report.document import Block

__all__ = ["posteriors_grid"]


def posteriors_grid(differences: Sequence[Difference], names: PairNames) -> list[Block]:
    """A row a pair and measure that has a posterior, in the order given; none: no table."""
    mine = [d for d in differences if d.posterior is not None]
    if not mine:
        return []
    rows, sections = [], {}
    for number, d in enumerate(mine):
        q = d.posterior
        assert q is not None
        if not number or mine[number - 1].measure != d.measure:
            sections[number] = bare_title(d.measure)
        shares = q.first_better, q.equivalent, q.second_better
        if d.direction == "down":
            shares = q.second_better, q.equivalent, q.first_better
        rows.append((names.pair(d), *(f"{share:.4f}" for share in shares)))
    first = mine[0].posterior
    assert first is not None
    columns = (
        Column("pair", excess="cut"),
        Column("first better", "decimal"),
        Column("equivalent", "decimal"),
        Column("second better", "decimal"),
    )
    title = f"Probabilities, differences up to {first.rope:g} being equivalent"
    methods: dict[str, list[str]] = {}
    for d in mine:
        assert d.posterior is not None
        said = "; ".join(filter(None, (d.posterior.method, d.posterior.note)))
        methods.setdefault(said, []).append(d.measure)
    notes = [f"{', '.join(dict.fromkeys(of))}: {method}" for method, of in methods.items()]
    return [Grid(title, columns, tuple(rows), sections, notes=tuple(notes))]
