"""``--plot roc.png``: which chart goes to which file."""

from __future__ import annotations

from pathlib import Path

from karat.core.errors import InputError

__all__ = ["chart_of", "parted"]


def chart_of(text: str) -> tuple[str, Path]:
    """The chart and the file of one ``--plot``: ``roc.png`` is short for ``roc=roc.png``.

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
    from karat.report.plots.asked import named_chart
    from karat.report.plots.save import checked_path

    name, path = parted(text)
    if named_chart(name)[0] == "all":
        if path.exists() and not path.is_dir():
            raise InputError(f"--plot {text!r}: {path} is a file, and all charts need a folder")
    else:
        checked_path(path)
    return name, path


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
