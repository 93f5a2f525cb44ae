"""``--plot roc.png``: which chart goes to which file."""

from __future__ import annotations

from pathlib import Path

from karat.core.errors import InputError

__all__ = ["chart_of"]


def chart_of(text: str) -> tuple[str, Path]:
    """The chart and the file of one ``--plot``: ``roc.png`` is short for ``roc=roc.png``.

    Examples
    --------
    >>> chart_of("roc.png")
    ('roc', PosixPath('roc.png'))
    >>> chart_of("all=charts")
    ('all', PosixPath('charts'))
    """
    name, equals, path = text.rpartition("=")
    if equals:
        if not name.strip() or not path.strip() or path.rstrip().endswith("]"):
            raise InputError(f"--plot {text!r} is not written NAME=FILE, such as roc=figure.png")
        return name.strip(), Path(path.strip())
    whole = Path(text)
    if not whole.suffix:
        raise InputError(f"--plot {text!r} names no file: write {text}.png, or all=FOLDER")
    return whole.stem, whole
