"""``--plot roc.png``: which chart goes to which file, and the drawing when all else is out."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from heldout.cli.screen import explain
from heldout.core.errors import InputError
from heldout.core.specs import name_of, positions_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from heldout.assess.scorecard import Scorecard
    from heldout.report.plots.book import Book


#: options of charts that the command has as well, and how it calls them
STATED = {"orientation": "orientation", "cells": "confusion"}


def book_of(module: str) -> Book:
    """The charts of a kind of result, loaded when they are needed."""
    book: Book = import_module(f"heldout.report.plots.{module}").BOOK
    return book


def chart_of(text: str, module: str = "plot") -> tuple[str, Path]:
    """The chart and the file of one ``--plot``: ``roc.png`` is short for ``roc=roc.png``.

    A name that means nothing to the book of a module, or a file that no chart can be written
    to, is refused here, before any row is read.

    Examples
    --------
    >>> chart_of("roc.png")
    ('roc', PosixPath('roc.png'))
    >>> chart_of("roc[band=simultaneous]=figure.png")
    ('roc[band=simultaneous]', PosixPath('figure.png'))
    >>> chart_of("all=charts")
    ('all', PosixPath('charts'))
    """
    from heldout.report.plots.book import ALL
    from heldout.report.plots.save import check_path

    name, path = name_and_file(text)
    if book_of(module).asked(name)[0] == ALL:
        if path.exists() and not path.is_dir():
            raise InputError(f"--plot {text!r}: {path} is a file, and all charts need a folder")
        _refuse_folder(path)
    else:
        check_path(path)
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
    return name_of(name).lower() == "all"


def targets_of(
    charts: Iterable[tuple[str, Path]], module: str = "plot"
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
            yield from ((option, path / f"{title}.png") for title in book_of(module).names)
        else:
            yield option, path


def name_and_file(text: str, flag: str = "--plot", ending: str = "png") -> tuple[str, Path]:
    """The text before and after the first ``=`` that stands outside of brackets."""
    signs = positions_of("=", text)
    if not signs:
        whole = Path(text)
        if not whole.suffix or "]" in whole.suffix:
            every = ", or all=FOLDER" if flag == "--plot" else ""
            raise InputError(f"{flag} {text!r} names no file: write {text}.{ending}{every}")
        return whole.name.removesuffix(whole.suffix), whole
    name, path = text[: signs[0]].strip(), text[signs[0] + 1 :].strip()
    if not name or not path:
        raise InputError(
            f"{flag} {text!r} must be written NAME=FILE, such as {name or 'roc'}=figure.{ending}"
        )
    return name, Path(path)


def _stated(book: Book, name: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """What the options of a command say of a chart whose brackets do not."""
    known, inside = book.named(name)
    takes = book.options.get(known, {})
    stated = {option: given.get(of) for option, of in STATED.items() if option not in inside}
    return {option: value for option, value in stated.items() if value in takes.get(option, ())}


def draw_charts(
    book: Book, result: Any, charts: Iterable[tuple[str, Path]], given: Mapping[str, Any]
) -> int:
    """Each chart drawn and written by itself, as the options ``given`` have it; the exit code.

    One that fails says so in a line and costs none of the others.
    """
    from heldout.report.output import make_folder
    from heldout.report.plots.save import save

    codes = [0]

    def attempt(target: Path, work: Callable[..., Any], *arguments: Any) -> Any:
        try:
            return work(*arguments)
        except Exception as error:  # the results are out, and so will the other charts be
            codes.append(explain(error, f"{target} is not drawn"))

    def draw(target: Path, name: str, options: dict[str, Any]) -> None:
        figure = book.plot(result, name, **(_stated(book, name, given) | options))
        with make_folder(target.parent):
            save(figure, target)

    for asked, path in charts:
        if not is_all(asked):
            attempt(path, draw, path, asked, {})
            continue
        of_all = book.asked(asked)[1]
        for title, name, own in attempt(path, lambda how: [*book.every(result, how)], of_all) or ():
            target = path / f"{title}.png"
            attempt(target, draw, target, name, own)
    return max(codes)


def missing_lines(card: Scorecard, charts: Sequence[tuple[str, Path]]) -> Iterator[str]:
    """Which models are not in the charts, which charts are not among all, and why."""
    if not charts:
        return
    from heldout.report.plots.plot import PLOTS, Lacking, lacking_models, parse_chart

    absent: dict[tuple[str, Lacking], dict[str, None]] = {}
    for asked, _ in charts if card.task != "regression" else ():
        known, options = parse_chart(asked)
        model = options.get("model")
        own = card.only(model) if model in card.models else card
        lacks = {
            chart: lacking_models(own, chart) for chart in (PLOTS if known == "all" else (known,))
        }
        drawn = [chart for chart, models in lacks.items() if len(models) < len(own.models)]
        for name in drawn:
            for pair in lacks[name].items():
                absent.setdefault(pair, {})[name] = None
        has_folds = any(p.design.fold or p.design.repeat for p in own.predictions)
        for name, models in lacks.items() if drawn else ():
            lack = next(iter(models.values()), None)
            # where there are no folds, nobody expects a chart of them
            if name not in drawn and lack and (has_folds or lack.what != "folds"):
                yield f"{name}.png is left out: a {name} chart {lack.words}"
    for (name, lack), names in absent.items():
        where = f"the {', '.join(names)} chart{'s' * (len(names) > 1)}"
        yield f"{name} is not drawn in {where}: it {lack.words}"
