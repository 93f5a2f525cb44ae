"""Whether what ``heldout evaluate`` is asked for depends on which of two classes is positive."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from heldout.cli.requirements import Requirement

__all__ = ["asks_for_positive"]


def asks_for_positive(
    given: Mapping[str, Any],
    requirements: Sequence[Requirement],
    charts: Iterable[tuple[str, Path]],
) -> bool:
    """Whether something depends on it: a measure shown or required, or a chart.

    Where no measure is named, some of those that are shown do. Pipelines are the same for
    either class.
    """
    from heldout.measures.spec import parse_request
    from heldout.report.plots.asked import OF_REGRESSION, named_chart

    if given["show_pipeline"] and not given["dry_run"]:
        return False
    if any(named_chart(name)[0] not in OF_REGRESSION for name, _ in charts):
        return True
    asked = [*given["measures"], *(one.measure for one in requirements)]
    return not given["measures"] or any(parse_request(one).depends_on_positive for one in asked)
