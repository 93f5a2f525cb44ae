"""Results as strict JSON: undefined is null with a note, infinite is a word."""

from __future__ import annotations

import json
from math import isinf, isnan
from typing import TYPE_CHECKING, Any

from heldout import __version__
from heldout.core.shown import visible

if TYPE_CHECKING:
    from collections.abc import Mapping

#: strict: what is not finite is an error
ENCODER = json.JSONEncoder(allow_nan=False, ensure_ascii=False)


def json_text(content: Mapping[str, Any]) -> str:
    """An object as JSON text, the version of heldout first, one line for each of the results."""
    fields = [f"{_dumps('heldout')}: {_dumps(__version__)}"]
    for name, value in content.items():
        if isinstance(value, list) and value:
            lines = ",\n".join(f"    {_dumps(item)}" for item in value)
            fields.append(f"{_dumps(name)}: [\n{lines}\n  ]")
        else:
            fields.append(f"{_dumps(name)}: {_dumps(value)}")
    return "{\n  " + ",\n  ".join(fields) + "\n}\n"


def plain(value: Any) -> Any:
    """A value JSON can say, with all that it holds: undefined as None, infinite as the word.

    Examples
    --------
    >>> plain({"low": float("nan"), "limits": (1.0, float("-inf"))})
    {'low': None, 'limits': [1.0, '-Infinity']}
    """
    if type(value) in (int, str):  # of large matrices nothing else is asked
        return value
    if isinstance(value, dict):
        return {name: plain(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [plain(part) for part in value]
    if hasattr(value, "item"):
        value = value.item()
    if isinstance(value, float):
        if isnan(value):
            return None
        if isinf(value):
            return "Infinity" if value > 0 else "-Infinity"
    return value


def _dumps(value: Any) -> str:
    """JSON in which invisible characters are escaped, which its readers undo."""
    try:
        text = ENCODER.encode(value)
    except (TypeError, ValueError):  # numbers of NumPy, or that JSON does not have
        text = ENCODER.encode(plain(value))
    if visible(text) == text:
        return text
    return "".join(c if visible(c) == c else json.dumps(c)[1:-1] for c in text)
