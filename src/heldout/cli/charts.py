"""``--plot roc.png``: which chart goes to which file, and the drawing when all else is out."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from heldout.cli.screen import explain
from heldout.core.dialect import worded
from heldout.core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from heldout.assess.scorecard import Scorecard

__all__ = [
    "Every",
    "chart_of",
    "draw_charts",
    "missing_lines",
    "name_and_file",
    "scorecard_charts",
    "targets_of",
]

#: the title, the name and the options of each chart that ``all`` stands for
Every = Callable[[str], Iterable[tuple[str, str, dict[str, Any]]]]


def chart_of(text: str, known: Callable[[str], str] | None = None) -> tuple[str, Path]:
    """The chart and the file of one ``--plot``: ``roc.png`` is short for ``roc=roc.png``.

    ``known`` gives the usual name of a chart or refuses it (None: the charts of predictions).
    A name that means nothing, or a file that no chart can be written to, is refused here,
    before any row is read.

    Examples
    --------
    >>> chart_of("roc.png")
    ('roc', PosixPath('roc.png'))
    >>> chart_of("roc[band=simultaneous]=figure.png")
    ('roc[band=simultaneous]', PosixPath('figure.png'))
    >>> chart_of("all=charts")
    ('all', PosixPath('charts'))
    """
    from heldout.report.plots.save import checked_path

    name, path = name_and_file(text)
    if (known or _of_predictions)(name) == "all":
        if path.exists() and not path.is_dir():
            raise InputError(f"--plot {text!r}: {path} is a file, and all charts need a folder")
        _refuse_folder(path)
    else:
        checked_path(path)
    return name, path


def _refuse_folder(path: Path) -> None:
    """An error where charts cannot be written into a folder, or it cannot be made."""
    from heldout.report.output import refuse_unwritable

    if path.exists():
        refuse_unwritable(path / "all.png")
        return
    while not path.resolve().parent.exists():
        path = path.resolve().parent
    refuse_unwritable(path)


def is_all(name: str) -> bool:
    """Whether every chart is asked for: ``all``, with or without options in brackets."""
    return name.partition("[")[0].strip().lower() == "all"


def targets_of(
    charts: Iterable[tuple[str, Path]], every: Sequence[str] | None = None
) -> Iterator[tuple[str, Path]]:
    """The option and the file of each chart; all charts have a file each in their folder.

    Examples
    --------
    >>> list(targets_of([("roc", Path("roc.png"))]))
    [('--plot roc=roc.png', PosixPath('roc.png'))]
    """
    for name, path in charts:
        option = f"--plot {name}={path}"
        if is_all(name):
            from heldout.report.plots.asked import OF_REGRESSION, PLOTS

            names = every or (*PLOTS, *OF_REGRESSION)
            yield from ((option, path / f"{title}.png") for title in names)
        else:
            yield option, path


def _of_predictions(name: str) -> str:
    from heldout.report.plots.asked import named_chart

    return named_chart(name)[0]


def name_and_file(text: str, flag: str = "--plot", ending: str = "png") -> tuple[str, Path]:
    """The text before and after the first ``=`` that stands outside of brackets."""
    depth = 0
    for place, letter in enumerate(text):
        depth += (letter == "[") - (letter == "]")
        if letter == "=" and depth <= 0:
            name, path = text[:place].strip(), text[place + 1 :].strip()
            if not name or not path:
                break
            return name, Path(path)
    else:
        whole = Path(text)
        if not whole.suffix or "]" in whole.suffix:
            every = ", or all=FOLDER" if flag == "--plot" else ""
            raise InputError(f"{flag} {text!r} names no file: write {text}.{ending}{every}")
        return whole.name.removesuffix(whole.suffix), whole
    raise InputError(f"{flag} {text!r} must be written NAME=FILE, such as roc=figure.{ending}")


def draw_charts(plot: Callable[..., Any], charts: Iterable[tuple[str, Path]], every: Every) -> int:
    """Each chart drawn and written by itself; the exit code.

    One that fails says so in a line and costs none of the others.
    """
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

    def every(asked: str) -> Iterable[tuple[str, str, dict[str, Any]]]:
        from heldout.report.plots.asked import named_chart
        from heldout.report.plots.plot import every_chart

        return every_chart(card, named_chart(asked)[1])

    return every


def missing_lines(
    card: Scorecard, charts: Sequence[tuple[str, Path]], fix: Callable[[str], str] | None = None
) -> Iterator[str]:
    """Which models are not in the charts, which charts are not among all, and why.

    ``fix`` says how a model would get probabilities, if it can.
    """
    if not charts:
        return
    from heldout.curves.sources import NO_FOLDS
    from heldout.report.plots.asked import PLOTS, named_chart
    from heldout.report.plots.plot import lacking_models

    absent: dict[tuple[str, str], dict[str, None]] = {}
    for asked, _ in charts if card.task != "regression" else ():
        known, options = named_chart(asked)
        model = options.get("model")
        own = card.only(model) if model in card.models else card
        lacks = {
            chart: lacking_models(own, chart) for chart in (PLOTS if known == "all" else (known,))
        }
        drawn = [chart for chart, models in lacks.items() if len(models) < len(own.models)]
        for name in drawn:
            for pair in lacks[name].items():
                absent.setdefault(pair, {})[name] = None
        for name, models in lacks.items() if drawn else ():
            # where there are no folds, nobody expects a chart of them
            if name not in drawn and (lack := next(iter(models.values()))) != worded(NO_FOLDS):
                yield f"{name}.png is left out: a {name} chart {lack}"
    for (name, why), names in absent.items():
        mended = fix(name) if fix is not None and why.startswith("needs probabilities") else ""
        where = f"the {', '.join(names)} chart{'s' * (len(names) > 1)}"
        yield f"{name} is not drawn in {where}: it {why}{mended and f'; {mended}'}"
