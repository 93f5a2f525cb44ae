"""Charts that are drawn when all else is out: nothing is lost to a chart."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from heldout.cli.screen import explain

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    from heldout.assess.scorecard import Scorecard

    #: the title, the name and the options of each chart that ``all`` stands for
    Every = Callable[[str], Iterable[tuple[str, str, dict[str, Any]]]]

__all__ = ["draw_charts", "missing_lines", "scorecard_charts"]


def draw_charts(plot: Callable[..., Any], charts: Iterable[tuple[str, Path]], every: Every) -> int:
    """Each chart drawn and written by itself; the exit code.

    One that fails says so in a line and costs none of the others.
    """
    from heldout.cli.charts import is_all
    from heldout.report.output import made_folder
    from heldout.report.plots.save import save

    codes = [0]

    def attempt(target: Path, work: Callable[..., Any], *arguments: Any) -> Any:
        try:
            return work(*arguments)
        except Exception as error:  # the results are out, and so will the other charts be
            codes.append(explain(error, f"{target} is not drawn"))

    def draw(target: Path, name: str, options: dict[str, Any]) -> None:
        figure = plot(name, **options)
        with made_folder(target.parent):
            save(figure, target)

    for asked, path in charts:
        if not is_all(asked):
            attempt(path, draw, path, asked, {})
            continue
        for title, name, options in attempt(path, lambda text: list(every(text)), asked) or ():
            target = path / f"{title}.png"
            attempt(target, draw, target, name, options)
    return max(codes)


def scorecard_charts(card: Scorecard) -> Every:
    """What ``all`` stands for among the charts of a scorecard."""
    from heldout.report.plots.asked import named_chart
    from heldout.report.plots.plot import every_chart

    return lambda asked: every_chart(card, named_chart(asked)[1])


def missing_lines(
    card: Scorecard, charts: Iterable[tuple[str, Path]], fix: Callable[[str], str] | None = None
) -> Iterator[str]:
    """Which models are not in the charts, which charts are not among all, and why.

    ``fix`` says how a model would get probabilities, if it can.
    """
    from heldout.curves.sources import NO_FOLDS
    from heldout.report.plots.asked import PLOTS, named_chart
    from heldout.report.plots.plot import lacking_models

    absent: dict[tuple[str, str], dict[str, None]] = {}
    for asked, _ in charts if card.task != "regression" else ():
        known, options = named_chart(asked)
        model = options.get("model")
        own = card.only(model) if model in card.models else card
        lacks = {one: lacking_models(own, one) for one in (PLOTS if known == "all" else (known,))}
        drawn = [one for one, models in lacks.items() if len(models) < len(own.models)]
        for name in drawn:
            for pair in lacks[name].items():
                absent.setdefault(pair, {})[name] = None
        for name, models in lacks.items() if drawn else ():
            # where there are no folds, nobody expects a chart of them
            if name not in drawn and (lack := next(iter(models.values()))) != NO_FOLDS:
                yield f"{name}.png is left out: a {name} chart {lack}"
    for (name, why), names in absent.items():
        mended = fix(name) if fix is not None and why.startswith("needs probabilities") else ""
        where = f"the {', '.join(names)} chart{'s' * (len(names) > 1)}"
        yield f"{name} is not drawn in {where}: it {why}{mended and f'; {mended}'}"
