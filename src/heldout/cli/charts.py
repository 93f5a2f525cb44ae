"""``--plot roc.png``: which chart goes to which file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from heldout.core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

__all__ = ["chart_of", "is_all", "parted", "targets_of"]


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

    name, path = parted(text)
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
    from heldout.report.plots.asked import OF_REGRESSION, PLOTS

    for name, path in charts:
        option = f"--plot {name}={path}"
        if is_all(name):
            names = every or (*PLOTS, *OF_REGRESSION)
            yield from ((option, path / f"{one}.png") for one in names)
        else:
            yield option, path


def _of_predictions(name: str) -> str:
    from heldout.report.plots.asked import named_chart

    return named_chart(name)[0]


def parted(text: str, flag: str = "--plot", ending: str = "png") -> tuple[str, Path]:
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
    raise InputError(f"{flag} {text!r} is not written NAME=FILE, such as roc=figure.{ending}")
