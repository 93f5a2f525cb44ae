"""Charts of several models as files to be written, and what is missing in them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from karat.core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    from karat.assess.scorecard import Scorecard

__all__ = ["ChartFiles", "charts_drawn"]

#: the charts that a model is not in, by the model and the reason
Absent = dict[tuple[str, str], dict[str, None]]


@dataclass(frozen=True, slots=True)
class ChartFiles:
    """The content of files that are yet to be written, and what is missing in them."""

    files: dict[Path, bytes] = field(default_factory=dict)
    #: models that are not in a chart, and why
    notes: list[str] = field(default_factory=list)
    #: charts that could not be drawn at all, and why
    problems: list[str] = field(default_factory=list)


def charts_drawn(
    card: Scorecard, charts: Iterable[tuple[str, Path]], fix: Callable[[str], str] | None = None
) -> ChartFiles:
    """The charts, each of the models that have what it needs; nothing is written.

    ``fix`` says how a model would get probabilities, if it can.
    """
    from karat.report.plots.asked import named_chart
    from karat.report.plots.plot import left_out
    from karat.report.plots.save import picture

    made = ChartFiles()
    absent: Absent = {}
    for chart, path in charts:
        known, options = named_chart(chart)
        is_one, unable = known != "all", ""
        for name, target in _targets(card, known, path):
            lacking, is_possible = _lacking(card, name, options.get("model"))
            if not is_possible:
                unable = unable or f"a {name} chart {next(iter(lacking.values()))}"
                continue
            try:
                # one chart with what stands in its brackets, all charts as they come
                figure = card.plot(chart if is_one else name)
            except InputError as error:
                made.problems.append(f"{target} is not drawn: {error}")
                continue
            made.files[target] = picture(figure, target.suffix.lower().removeprefix("."))
            for pair in lacking.items():
                absent.setdefault(pair, {})[name] = None
        # of all charts those are drawn that can be; none at all is told
        if unable and (is_one or path not in {target.parent for target in made.files}):
            made.problems.append(f"{path} is not drawn: {unable}")
        elif unable:
            lacks = left_out(card).items()
            made.notes.extend(f"{one}.png is left out: a {one} chart {lack}" for one, lack in lacks)
    made.notes.extend(_not_drawn(absent, fix))
    return made


def _targets(card: Scorecard, name: str, path: Path) -> Iterator[tuple[str, Path]]:
    """A chart and its file; of all charts each and its file."""
    from karat.report.plots.asked import OF_REGRESSION, PLOTS

    if name != "all":
        yield name, path
    else:
        every = OF_REGRESSION if card.task == "regression" else PLOTS
        yield from ((one, path / f"{one}.png") for one in every)


def _lacking(card: Scorecard, name: str, model: object) -> tuple[dict[str, str], bool]:
    """The models that a chart cannot have, and why, and whether it can be drawn of any."""
    from karat.report.plots.plot import lacking_models

    if card.task == "regression":
        return {}, True
    asked = card.only(str(model)) if model in card.models else card
    found = lacking_models(asked, name)
    return found, len(found) < len(asked.models)


def _not_drawn(absent: Absent, fix: Callable[[str], str] | None) -> Iterator[str]:
    """A line a model and reason, with the charts that it is not in."""
    for (model, why), charts in absent.items():
        mended = fix(model) if fix is not None and why.startswith("needs probabilities") else ""
        where = f"the {', '.join(charts)} chart{'s' * (len(charts) > 1)}"
        yield f"{model} is not drawn in {where}: it {why}{mended and f'; {mended}'}"
