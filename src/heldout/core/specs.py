"""Texts that mean several values: ``knn[n_neighbors=3]``, lists between commas, ``a=b,c=d``.

Models, measures and charts are asked for by a name with options in brackets, on the command line
and in Python; columns and classes by plain lists.
"""

from __future__ import annotations

import ast
import csv
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from heldout.core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable

MATES = {"]": "[", ")": "(", "}": "{"}
#: what may stand before a value, which may be between quotes
BEFORE_VALUE = ("", *"=,[({")
#: the option whose value may hold commas and words
CLASS = "class"
WORDS: dict[str, Any] = {"true": True, "false": False, "none": None, "null": None}


@dataclass(frozen=True, slots=True)
class Spec:
    """A name, and what stands in the brackets behind it."""

    text: str
    name: str
    #: options and their values as texts, in order; the value of a word without ``=`` is None
    options: tuple[tuple[str, str | None], ...] = ()
    has_brackets: bool = False

    def values(self) -> dict[str, str]:
        """The value of each option; an error where one has none, or is given twice."""
        values: dict[str, str] = {}
        for option, value in self.options:
            if not value:
                raise InputError(
                    f"{self.text!r}: {option!r} has no value; write {self.name}[option=value]"
                )
            if option in values:
                raise InputError(f"{self.text!r}: {option} is given twice")
            values[option] = value
        return values


def parse_spec(text: str, switches: tuple[str, ...] = ()) -> Spec:
    """The name and the options of a text.

    Commas within brackets or quotes part no options, nor do those before what is no name, or in
    the name of a class; ``switches`` are the words that may stand without a value behind one.

    Examples
    --------
    >>> parse_spec("knn[n_neighbors=3, weights='a, b']").options
    (('n_neighbors', '3'), ('weights', "'a, b'"))
    >>> parse_spec("brier[class=red, small, half]", ("half",)).options
    (('class', 'red, small'), ('half', None))
    >>> parse_spec("profit[matrix=10,-1;-5,0]").options
    (('matrix', '10,-1;-5,0'),)
    """
    name, bracket, rest = text.strip().partition("[")
    name = name.strip()
    if "]" in name:
        raise InputError(f"{text!r}: a ] closes nothing (position {text.index(']') + 1})")
    if bracket and not rest.endswith("]"):
        raise InputError(f"{text!r}: a bracket is not closed; write {name or 'NAME'}[option=value]")
    options: list[tuple[str, str | None]] = []
    for part in _parts(rest[:-1]):
        option, equals, value = part.partition("=")
        option = option.strip()
        if equals:
            options.append((option, value.strip()))
        elif options and _continues(options[-1], option, switches):
            before, start = options[-1]
            options[-1] = (before, f"{start},{part.rstrip()}")
        elif option:
            options.append((option, None))
    return Spec(text, name, tuple(options), bool(bracket))


def _continues(before: tuple[str, str | None], word: str, switches: tuple[str, ...]) -> bool:
    """Whether a word without ``=`` belongs to the value before it: no name, or that of a class."""
    if before[1] is None:
        return False
    return not word.isidentifier() or (before[0] == CLASS and word not in switches)


def split_list(text: str) -> list[str]:
    """What stands between the commas that are outside of brackets and quotes.

    Examples
    --------
    >>> split_list("knn[n_neighbors=3, weights=distance], lda")
    ['knn[n_neighbors=3, weights=distance]', 'lda']
    """
    return [part.strip() for part in _parts(text) if part.strip()]


def _parts(text: str) -> list[str]:
    """The parts between commas as they stand.

    A quote opens only before a value, and round brackets count only in pairs: names of classes
    may hold single ones.
    """
    opened: list[tuple[str, int]] = []
    closed: set[int] = set()
    commas: list[tuple[int, list[int]]] = []
    at, before = 0, ""
    while at < len(text):
        sign = text[at]
        if sign in "'\"" and before in BEFORE_VALUE and text.find(sign, at + 1) > 0:
            at = text.find(sign, at + 1)
        elif sign in MATES.values():
            opened.append((sign, at))
        elif sign in MATES:
            pairs = [index for index, (mate, _) in enumerate(opened) if mate == MATES[sign]]
            if pairs:
                closed.add(opened[pairs[-1]][1])
                del opened[pairs[-1] :]
            elif sign == "]":
                raise InputError(f"{text!r}: a ] closes nothing (position {at + 1})")
        elif sign == ",":
            commas.append((at, [index for _, index in opened]))
        before = before if sign.isspace() else sign
        at += 1
    if any(sign == "[" for sign, _ in opened):
        raise InputError(f"{text!r}: a bracket is not closed; write NAME[option=value]")
    cuts = [at for at, around in commas if closed.isdisjoint(around)]
    return [text[a + 1 : b] for a, b in zip([-1, *cuts], [*cuts, len(text)], strict=True)]


def literal(text: str) -> Any:
    """A value with the type its text spells; a bare word is text.

    Examples
    --------
    >>> literal("3"), literal("none"), literal("(a, 2)"), literal("'3'"), literal("distance")
    (3, None, ('a', 2), '3', 'distance')
    """
    if text.lower() in WORDS:
        return WORDS[text.lower()]
    if text[:1] in ("[", "(", "{") and text[-1:] in MATES:
        items = [literal(part) for part in split_list(text[1:-1])]
        return tuple(items) if text[0] == "(" else items
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text


def unquoted(text: str) -> str:
    """A text without the quotes around it.

    Examples
    --------
    >>> unquoted("'a, b'"), unquoted("it's")
    ('a, b', "it's")
    """
    is_quoted = len(text) > 1 and text[0] == text[-1] and text[0] in "'\""
    return text[1:-1] if is_quoted else text


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
