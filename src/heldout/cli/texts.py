"""Texts of options that mean several values, or a number or a name."""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING

from heldout.core.errors import InputError
from heldout.core.specs import split_list

if TYPE_CHECKING:
    from collections.abc import Iterable


def words(text: str | None) -> tuple[str, ...] | None:
    """Values between commas; quotes keep a comma inside a value.

    Examples
    --------
    >>> words('a, b,"c,d"')
    ('a', 'b', 'c,d')
    """
    if text is None:
        return None
    return tuple(next(csv.reader([text], skipinitialspace=True), []))


def all_words(texts: Iterable[str]) -> tuple[str, ...]:
    """The values of an option that may be given more than once.

    Examples
    --------
    >>> all_words(["a,b", "c"])
    ('a', 'b', 'c')
    """
    return tuple(word for text in texts for word in words(text) or ())


def specs(texts: Iterable[str]) -> tuple[str, ...]:
    """Measures of an option that may be given more than once, or with commas between them.

    Examples
    --------
    >>> specs(["auc, f_score[beta=2]", 'recall[class="a, b"]', "precision[class=a, b], mcc"])
    ('auc', 'f_score[beta=2]', 'recall[class="a, b"]', 'precision[class=a, b]', 'mcc')
    """
    # what names no measure is left as it is, and refused as such
    return tuple(request for text in texts for request in split_list(text) or [text])


def pairs(text: str | None, flag: str) -> dict[str, str] | None:
    """Values by name, written ``name=value,name=value``.

    Examples
    --------
    >>> pairs("spam=p_spam, ham=p_ham", "--scores")
    {'spam': 'p_spam', 'ham': 'p_ham'}
    """
    values: dict[str, str] = {}
    for word in words(text) or ():
        name, equals, value = (part.strip() for part in word.partition("="))
        if not equals or not name or not value:
            raise InputError(f"{flag}: {word!r} must be written class=column")
        if name in values:
            raise InputError(f"{flag}: class {name!r} is given twice")
        values[name] = value
    return None if text is None else values


def number_or_text(text: str | None) -> float | str | None:
    """A number where the text is one, else the text (a column's name).

    Examples
    --------
    >>> number_or_text("2.5"), number_or_text("train_mean")
    (2.5, 'train_mean')
    """
    try:
        return None if text is None else float(text)
    except ValueError:
        return text
