"""The header of an ARFF file: relation, attributes, their types and declared values."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from heldout.core.errors import InputError
from heldout.core.nearest import did_you_mean
from heldout.predictions.part import repeated

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Attribute", "WORD", "read_header", "unquoted", "without_comment"]

AttributeKind = Literal["numeric", "nominal", "string", "date"]

#: a quoted text (with its escapes) or a bare word
WORD = re.compile(r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|[^\s,{}'"%][^\s,{}]*""")
ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|.)", re.DOTALL)
ESCAPES = {"n": "\n", "r": "\r", "t": "\t"}
#: a % that starts a comment, where what stands before it has no open quote
COMMENT = re.compile(r"""^((?:[^'"%]|'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|(?<=\S)%)*?\s)%.*$""")
KINDS: dict[str, AttributeKind] = {
    "numeric": "numeric",
    "real": "numeric",
    "integer": "numeric",
    "string": "string",
    "date": "date",
}


@dataclass(frozen=True, slots=True)
class Attribute:
    """A column as the header declares it."""

    name: str
    kind: AttributeKind
    #: nominal: the values in their declared order
    levels: tuple[str, ...] = ()
    #: date: the pattern, as Java writes it
    pattern: str = ""


def unquoted(word: str) -> str:
    r"""A word without its quotes, escapes resolved.

    Examples
    --------
    >>> unquoted(r"'it\'s'"), unquoted("plain")
    ("it's", 'plain')
    """
    if word[:1] not in ("'", '"'):
        return word
    return ESCAPE.sub(_escaped, word[1:-1]) if "\\" in word else word[1:-1]


def _escaped(found: re.Match[str]) -> str:
    code = found[1]
    return chr(int(code[1:], 16)) if len(code) == 5 else ESCAPES.get(code, code)


def without_comment(line: str) -> str:
    """A line up to a comment (a % after a space, outside of quotes)."""
    if line.startswith("%"):
        return ""
    found = COMMENT.match(line) if "%" in line else None
    return (found[1] if found else line).strip()


def read_header(lines: Iterator[tuple[int, str]], source: str) -> tuple[str, list[Attribute]]:
    """The relation's name and the attributes; the lines are read up to ``@data``."""
    relation, attributes = "", []
    for number, raw in lines:
        line = without_comment(raw.strip())
        if not line:
            continue
        where = f"{source} line {number}"
        if not line.startswith("@"):
            raise InputError(f"{where}: {line[:40]!r} stands before @data; is @data missing?")
        keyword, rest = _by_space(line[1:])
        match keyword.lower():
            case "relation":
                relation = unquoted(rest.strip())
            case "attribute":
                attributes.append(_attribute(rest.strip(), where))
            case "data":
                _refuse_doubles(attributes, source)
                return relation, attributes
            case other:
                near = did_you_mean(other, ("relation", "attribute", "data"))
                raise InputError(f"{where}: unknown keyword @{keyword}{near}")
    raise InputError(f"{source} has no @data line, so it is no ARFF file (or was cut off)")


def _by_space(text: str) -> tuple[str, str]:
    """The first word, and the rest behind spaces or tabs."""
    first, *rest = text.split(None, 1) or [""]
    return first, rest[0] if rest else ""


def _refuse_doubles(attributes: list[Attribute], source: str) -> None:
    names = [attribute.name for attribute in attributes]
    if not names:
        raise InputError(f"{source} declares no @attribute")
    if twice := repeated(names):
        raise InputError(f"{source} has two attributes named {twice[0]!r}; rename one of them")


def _attribute(text: str, where: str) -> Attribute:
    found = WORD.match(text)
    if found is None:
        raise InputError(f"{where}: @attribute needs a name and a type")
    name, kind = unquoted(found[0]), text[found.end() :].strip()
    if kind.startswith("{"):
        return Attribute(name, "nominal", _levels(kind, name, where))
    word = WORD.match(kind)
    known = None if word is None else KINDS.get(word[0].lower())
    if known is None or word is None:
        told = repr(kind[:30]) if kind else "no type"
        near = did_you_mean(kind, KINDS)
        raise InputError(
            f"{where}: attribute {name!r} has {told}; heldout reads numeric, real, integer, "
            f"string, date and {{value, ...}}{near}"
        )
    rest = WORD.match(kind[word.end() :].strip())
    pattern = unquoted(rest[0]) if known == "date" and rest else ""
    return Attribute(name, known, pattern=pattern)


def _levels(text: str, name: str, where: str) -> tuple[str, ...]:
    """The values between braces; a weight of the attribute may follow them."""
    place, levels = 1, []
    while True:
        while place < len(text) and text[place] in " \t,":
            place += 1
        if place >= len(text):
            raise InputError(f"{where}: the values of attribute {name!r} lack a closing brace")
        if text[place] == "}":
            break
        found = WORD.match(text, place)
        if found is None:
            raise InputError(f"{where}: the values of attribute {name!r} have a wrong quote")
        levels.append(unquoted(found[0]))
        place = found.end()
    if twice := repeated(levels):
        raise InputError(f"{where}: attribute {name!r} declares the value {twice[0]!r} twice")
    if not levels:
        raise InputError(f"{where}: attribute {name!r} declares no values")
    return tuple(levels)
