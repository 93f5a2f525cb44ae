"""Why settings have no value: a line a distinct reason, with how many and where."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from heldout.assess.remarks import NOT_GIVEN
from heldout.selection.warned import NUMBER

if TYPE_CHECKING:
    from heldout.selection.search import Search

__all__ = ["failure_lines", "lack_lines", "reasons_of"]

#: reasons that are told one by one
MOST = 5


@dataclass(slots=True)
class _Reason:
    """A message, and in how many splits each setting gave it or one with other numbers."""

    text: str
    splits: dict[str, int] = field(default_factory=dict)
    texts: set[str] = field(default_factory=set)


def failure_lines(search: Search) -> list[str]:
    """What failed in a search: how many settings, in how many splits, and why."""
    found: dict[str, _Reason] = {}
    for setting, score in zip(search.settings, search.scores, strict=True):
        for _, message in score.outcome.failures:
            reason = found.setdefault(NUMBER.sub("#", message), _Reason(message))
            reason.splits[setting.name] = reason.splits.get(setting.name, 0) + 1
            if len(reason.splits) > 1:
                reason.texts.add(message)
    total, splits = len(search.settings), len(search.splits)
    listed = list(found.values())
    # a single reason too many is told rather than counted
    shown = listed if len(listed) <= MOST + 1 else listed[:MOST]
    lines = [_line(one, total, splits) for one in shown]
    if len(shown) < len(listed):
        lines.append(f"{len(listed) - len(shown):,} further reasons of failures; see the table")
    return lines


def _line(reason: _Reason, total: int, splits: int) -> str:
    names, counts = list(reason.splits), set(reason.splits.values())
    if counts == {splits}:
        where = "every split" if splits > 1 else "the split"
    elif len(counts) == 1:
        where = f"{min(counts):,} of {splits:,} splits"
    else:
        where = f"{min(counts):,} to {max(counts):,} of {splits:,} splits"
    who = ", ".join(names) if len(names) < 4 else f"{names[0]} and {len(names) - 1:,} others"
    if reason.texts - {reason.text}:
        others = "one other" if len(names) == 2 else f"{len(names) - 1:,} others"
        who = f"so {names[0]}; {others} alike, with other numbers"
    return f"{len(names):,} of {total:,} settings failed in {where}: {reason.text} ({who})"


def reasons_of(search: Search) -> str:
    """Why no setting has a value: the one reason, or a line each."""
    notes = list(dict.fromkeys(one.note for one in search.scores if one.note))
    lacks = _lacks(search)
    if len(lacks) == len(search.scores):
        return _some(lacks)
    if len(notes) < 2:
        return notes[0] if notes else "no value is defined"
    others = (one for one in search.scores if one.note and not one.outcome.failures)
    undefined = (one.note for one in others if not one.note.startswith(NOT_GIVEN))
    lines = [*failure_lines(search), *lack_lines(search), *list(dict.fromkeys(undefined))[:MOST]]
    return "\n  ".join(["", *lines])


def lack_lines(search: Search) -> list[str]:
    """That settings do not give what the measure needs, in a line; nothing where all do."""
    lacks = _lacks(search)
    if not lacks:
        return []
    name, total = search.criterion.name, len(search.settings)
    return [f"{len(lacks):,} of {total:,} settings have no {name}: {_some(lacks)}"]


def _lacks(search: Search) -> list[str]:
    notes = (one.note for one in search.scores)
    return [note.removeprefix(NOT_GIVEN) for note in notes if note.startswith(NOT_GIVEN)]


def _some(lacks: list[str]) -> str:
    more = len(lacks) - 1
    return f"{lacks[0]}{f', and {more:,} more alike' * bool(more)}"
