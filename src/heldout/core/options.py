"""Options declared once: a field of a frozen dataclass knows its flag and its keyword."""

from __future__ import annotations

from dataclasses import MISSING, dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

__all__ = [
    "Option",
    "again",
    "from_flags",
    "from_keywords",
    "option",
    "options_of",
    "parameter",
    "values_of",
]

Group = TypeVar("Group")
KEY = "heldout.option"


@dataclass(frozen=True, slots=True)
class Option:
    """What is known of an option beside its value."""

    #: its field, by which its value is known
    name: str
    #: its spelling on the command line (empty: it has none), and that of a flag which says False
    flag: str
    off: str
    #: its name in Python
    keyword: str
    default: Any
    #: what the command line takes it for where nobody gives it
    unset: Any
    #: kind of value, help and such, as the command line is to know them
    settings: Mapping[str, Any]
    off_help: str = ""

    def value_in(self, given: Mapping[str, Any]) -> Any:
        """The value among those of a command line that has this option."""
        if self.off and given.get(parameter(self.off)):
            return False
        return given[self.name] if self.flag else True


def parameter(flag: str) -> str:
    """The name by which the value of a flag is known.

    Examples
    --------
    >>> parameter("--no-store")
    'no_store'
    """
    return flag.removeprefix("--").replace("-", "_")


def option(
    flag: str = "",
    *,
    default: Any = None,
    unset: Any = MISSING,
    off: str = "",
    off_help: str = "",
    keyword: str = "",
    **settings: Any,
) -> Any:
    """A field of a dataclass that is an option.

    Examples
    --------
    >>> @dataclass(frozen=True)
    ... class Work:
    ...     jobs: int = option("--jobs", default=1, keyword="n_jobs", type=int)
    ...     exact: bool = option(off="--no-exact", default=True)
    >>> from_flags(Work, {"jobs": 2, "no_exact": True}), from_keywords(Work, {"n_jobs": 3})
    (Work(jobs=2, exact=False), Work(jobs=3, exact=True))
    """
    unset = default if unset is MISSING else unset
    declared = Option("", flag, off, keyword, default, unset, settings, off_help)
    return field(default=default, metadata={KEY: declared})


def options_of(group: Any) -> Iterator[Option]:
    """The options of a group, in the order of their declaration."""
    for declared in fields(group):
        if (one := declared.metadata.get(KEY)) is not None:
            yield replace(one, name=declared.name, keyword=one.keyword or declared.name)


def again(group: Any, name: str, keyword: str = "", **changes: Any) -> Any:
    """The option of another group once more, with other settings (a help) where they differ."""
    one = next(one for one in options_of(group) if one.name == name)
    kept = replace(one, keyword=keyword or one.keyword, settings={**one.settings, **changes})
    return field(default=one.default, metadata={KEY: kept})


def values_of(group: Any) -> dict[str, Any]:
    """The values of a group by the names of its fields."""
    return {one.name: getattr(group, one.name) for one in options_of(group)}


def from_flags(group: type[Group], given: Mapping[str, Any], **beside: Any) -> Group:
    """A group as a command line states it; ``beside`` is what the command itself decides.

    An option that the command does not have keeps its default.
    """
    stated = {
        one.name: one.value_in(given)
        for one in options_of(group)
        if one.name in given or parameter(one.off) in given
    }
    return group(**{**stated, **beside})


def from_keywords(group: type[Group], given: Mapping[str, Any], **beside: Any) -> Group:
    """A group as a call in Python states it, by the keywords of its options."""
    stated = {one.name: given[one.keyword] for one in options_of(group) if one.keyword in given}
    return group(**{**stated, **beside})
