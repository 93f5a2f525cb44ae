"""Models as text: a name, and parameters in brackets with the types their texts spell."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING, Any

from heldout.core.errors import InputError
from heldout.core.nearest import did_you_mean

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

__all__ = ["check_parameters", "parse_model", "shown", "spelled", "split_models"]

OPENING, CLOSING = "[({", "])}"
KEY = re.compile(r"\s*([A-Za-z_]\w*)\s*=\s*(.*?)\s*", re.DOTALL)
WORDS: dict[str, Any] = {"true": True, "false": False, "none": None, "null": None}


def split_models(text: str) -> list[str]:
    """The models of a list, apart by commas outside of brackets.

    Examples
    --------
    >>> split_models("knn[n_neighbors=3, weights=distance], lda")
    ['knn[n_neighbors=3, weights=distance]', 'lda']
    """
    parts, depth, start, quote = [], 0, 0, ""
    for index, sign in enumerate(text):
        if quote:
            quote = "" if sign == quote else quote
        elif sign in "'\"":
            quote = sign
        elif sign in OPENING:
            depth += 1
        elif sign in CLOSING:
            depth -= 1
            if depth < 0:
                raise InputError(f"{text!r}: a {sign} closes nothing (position {index + 1})")
        elif sign == "," and not depth:
            parts.append(text[start:index])
            start = index + 1
    if depth:
        raise InputError(f"{text!r}: a bracket is not closed; write knn[n_neighbors=3]")
    return [part.strip() for part in (*parts, text[start:]) if part.strip()]


def parse_model(text: str) -> tuple[str, dict[str, Any]]:
    """The name and the parameters of a model.

    Examples
    --------
    >>> parse_model("knn[n_neighbors=3, weights=distance, p=1.5]")
    ('knn', {'n_neighbors': 3, 'weights': 'distance', 'p': 1.5})
    """
    head, bracket, rest = text.strip().partition("[")
    head = ":".join(part.strip() for part in head.split(":"))
    if not head:
        raise InputError(f"{text!r} names no model; write knn or knn[n_neighbors=3]")
    if not bracket:
        return head, {}
    if not rest.endswith("]"):
        raise InputError(f"{text!r}: a bracket is not closed; write {head}[name=value]")
    parameters: dict[str, Any] = {}
    for part in split_models(rest[:-1]):
        match = KEY.fullmatch(part)
        if match is None:
            raise InputError(f"{text!r}: {part!r} is not a parameter; write {head}[name=value]")
        if match[1] in parameters:
            raise InputError(f"{text!r} gives {match[1]} twice")
        parameters[match[1]] = _value(match[2], text)
    return head, parameters


def _value(text: str, whole: str) -> Any:
    """A value with the type its text spells; a bare word is text."""
    if not text:
        raise InputError(f"{whole!r}: a parameter has no value; write name=value")
    if text.lower() in WORDS:
        return WORDS[text.lower()]
    if text[0] in OPENING and text[-1] in CLOSING:
        items = [_value(part, whole) for part in split_models(text[1:-1])]
        return tuple(items) if text[0] == "(" else items
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text


def shown(name: str, parameters: Mapping[str, Any]) -> str:
    """A model as text again.

    Examples
    --------
    >>> shown("knn", {"n_neighbors": 3, "weights": "distance"})
    'knn[n_neighbors=3, weights=distance]'
    """
    if not parameters:
        return name
    return f"{name}[{', '.join(f'{key}={spelled(value)}' for key, value in parameters.items())}]"


def spelled(value: Any) -> str:
    """A value as it is written in a model's text."""
    if isinstance(value, str):
        return value if re.fullmatch(r"[A-Za-z_][\w.-]*", value) else repr(value)
    if isinstance(value, bool) or value is None:
        return str(value).lower()
    return repr(value)


def check_parameters(model: str, parameters: Iterable[str], known: Iterable[str]) -> None:
    """Refuse a parameter the model does not have, with the nearest it has."""
    known = sorted(known)
    for name in parameters:
        if name not in known:
            plain = [name for name in known if "__" not in name]
            has = f" (it has {', '.join(plain)})" if plain else " (it has none)"
            raise InputError(f"{model} has no parameter {name!r}{did_you_mean(name, known) or has}")
