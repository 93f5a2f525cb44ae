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
    from collections.abc import Collection, Iterable

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

    def values(self, switches: Collection[str] = ()) -> dict[str, str]:
        """The value of each option; an error where one has none, or is given twice.

        An option of ``switches`` needs none: alone it is true.
        """
        values: dict[str, str] = {}
        for option, value in self.options:
            if value is None and option in switches:
                value = "true"
            if not value:
                raise InputError(
                    f"{self.text!r}: {option!r} has no value; write {self.name}[option=value]"
                )
            if option in values:
                raise InputError(f"{self.text!r}: {option} is given twice")
            values[option] = value
        return values


def parse_spec(text: str, switches: Collection[str] = ()) -> Spec:
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
    positions_of(",", text)  # brackets without a mate are refused by their place in the whole
    name, brackets = name_of(text), brackets_of(text)
    if brackets and not brackets.endswith("]"):
        raise InputError(f"{text!r}: nothing may follow the closing bracket")
    options: list[tuple[str, str | None]] = []
    for part in _parts(brackets[1:-1], ","):
        option, equals, value = part.partition("=")
        option = option.strip()
        if equals:
            options.append((option, value.strip()))
        elif options and _continues(options[-1], option, switches):
            before, start = options[-1]
            options[-1] = (before, f"{start},{part.rstrip()}")
        elif option:
            options.append((option, None))
    if brackets and not options:
        raise InputError(f"{text!r} has nothing between its brackets; leave them out")
    return Spec(text, name, tuple(options))


def name_of(text: str) -> str:
    """The name at the start of a text, without what stands in brackets behind it.

    Examples
    --------
    >>> name_of("knn[n_neighbors=3]"), brackets_of("knn[n_neighbors=3]"), brackets_of("knn")
    ('knn', '[n_neighbors=3]', '')
    """
    return text.partition("[")[0].strip()


def brackets_of(text: str) -> str:
    """The brackets behind the name of a text, with what stands in them."""
    return "".join(text.strip().partition("[")[1:])


def _continues(before: tuple[str, str | None], word: str, switches: Collection[str]) -> bool:
    """Whether a word without ``=`` belongs to the value before it: no name, or that of a class."""
    if before[1] is None:
        return False
    return not word.isidentifier() or (before[0] == CLASS and word not in switches)


def split_list(text: str, sign: str = ",") -> list[str]:
    """What stands between the commas that are outside of brackets and quotes.

    Examples
    --------
    >>> split_list("knn[n_neighbors=3, weights=distance], lda")
    ['knn[n_neighbors=3, weights=distance]', 'lda']
    """
    return [part.strip() for part in _parts(text, sign) if part.strip()]


def _parts(text: str, sign: str) -> list[str]:
    """The parts between such signs as they stand."""
    cuts = positions_of(sign, text)
    return [text[a + 1 : b] for a, b in zip([-1, *cuts], [*cuts, len(text)], strict=True)]


def positions_of(sign: str, text: str) -> list[int]:
    """Where a sign stands outside of brackets and quotes.

    A quote opens only before a value, and round brackets count only in pairs: names of classes
    may hold single ones. A square bracket without a mate is an error.

    Examples
    --------
    >>> positions_of("=", "roc[band=pointwise]=roc.csv")
    [19]
    """
    opened: list[tuple[str, int]] = []
    closed: set[int] = set()
    signs: list[tuple[int, list[int]]] = []
    at, before = 0, ""
    while at < len(text):
        letter = text[at]
        if letter in "'\"" and before in BEFORE_VALUE and text.find(letter, at + 1) > 0:
            at = text.find(letter, at + 1)
        elif letter in MATES.values():
            opened.append((letter, at))
        elif letter in MATES:
            pairs = [index for index, (mate, _) in enumerate(opened) if mate == MATES[letter]]
            if pairs:
                closed.add(opened[pairs[-1]][1])
                del opened[pairs[-1] :]
            elif letter == "]":
                raise InputError(f"{text!r}: the ] at position {at + 1} closes nothing")
        elif letter == sign:
            signs.append((at, [index for _, index in opened]))
        before = before if letter.isspace() else letter
        at += 1
    for letter, at in opened:
        if letter == "[":
            name = name_of(text) or "NAME"
            raise InputError(
                f"{text!r}: the [ at position {at + 1} is not closed; write {name}[option=value]"
            )
    return [at for at, around in signs if closed.isdisjoint(around)]


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
