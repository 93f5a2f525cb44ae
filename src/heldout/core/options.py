"""Options declared once: a field of a frozen dataclass knows its flag and its keyword."""

from __future__ import annotations

import inspect
from dataclasses import MISSING, dataclass, field, fields, replace
from functools import wraps
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from heldout.core.nearest import did_you_mean

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping

Group = TypeVar("Group")
Given = ParamSpec("Given")
Answer = TypeVar("Answer")
KEY = "heldout.option"


@dataclass(frozen=True, slots=True)
class Option:
    """What is known of an option beside its value."""

    #: its spelling on the command line; empty: it has none but ``off``
    flag: str
    #: what it takes, as help shows it; empty: nothing, it is a switch (or one of ``choices``)
    metavar: str
    help: str
    #: its field, by which its value is known, and its name in Python
    name: str
    keyword: str
    default: Any
    #: what the command line takes it for where nobody gives it
    unset: Any
    type: Any = None
    choices: tuple[str, ...] = ()
    #: whether it may be given more than once
    many: bool = False
    callback: Callable[..., Any] | None = None
    #: the flag that says False
    off: Option | None = None

    def but(self, **changes: Any) -> Option:
        """The same option where a command means something else by it.

        Examples
        --------
        >>> SEED = declare("--seed N", "Of the splits.", default=0)
        >>> SEED.but(help="Of the bootstrap.").help
        'Of the bootstrap.'
        """
        if "default" in changes:
            changes.setdefault("unset", changes["default"])
        return replace(self, **changes)

    @property
    def is_switch(self) -> bool:
        """Whether it takes no value."""
        return not self.metavar and not self.choices

    def value_in(self, given: Mapping[str, Any]) -> Any:
        """The value among those of a command line that has this option."""
        if self.off is not None and given.get(self.off.name):
            return False
        return given[self.name] if self.flag else True


def declare(
    spec: str,
    help: str = "",
    *,
    name: str = "",
    default: Any = MISSING,
    unset: Any = MISSING,
    keyword: str = "",
    off: Option | None = None,
    **known: Any,
) -> Option:
    """An option as help shows it: ``--jobs N``, what it is for, and what else there is to know.

    Its type is that of a number that is its default, unless another is said.
    """
    flag, _, metavar = spec.partition(" ")
    is_switch = not metavar and not known.get("choices")
    if default is MISSING:
        default = () if known.get("many") else False if is_switch else None
    if type(default) in (int, float):
        known.setdefault("type", type(default))
    name = name or flag.removeprefix("--").replace("-", "_")
    unset = default if unset is MISSING else unset
    return Option(flag, metavar, help, name, keyword, default, unset, off=off, **known)


def option(spec: str = "", help: str = "", **known: Any) -> Any:
    """A field of a dataclass that is an option.

    Examples
    --------
    >>> @dataclass(frozen=True)
    ... class Work:
    ...     jobs: int = option("--jobs N", "Workers.", default=1, keyword="n_jobs")
    ...     exact: bool = option(default=True, off=declare("--no-exact", "Refit."))
    >>> from_flags(Work, {"jobs": 2, "no_exact": True}), from_keywords(Work, {"n_jobs": 3})
    (Work(jobs=2, exact=False), Work(jobs=3, exact=True))
    """
    declared = declare(spec, help, **known)
    return field(default=declared.default, metadata={KEY: declared})


def options_of(group: Any) -> Iterator[Option]:
    """The options of a group, in the order of their declaration."""
    for declared in fields(group):
        if (entry := declared.metadata.get(KEY)) is not None:
            yield replace(entry, name=declared.name, keyword=entry.keyword or declared.name)


def again(group: Any, name: str, **changes: Any) -> Any:
    """The option of another group once more, with what differs (most often its help)."""
    declared = next(entry for entry in options_of(group) if entry.name == name).but(**changes)
    return field(default=declared.default, metadata={KEY: declared})


def values_of(group: Any) -> dict[str, Any]:
    """The values of a group by the names of its fields."""
    return {entry.name: getattr(group, entry.name) for entry in options_of(group)}


def from_flags(group: type[Group], given: Mapping[str, Any], **beside: Any) -> Group:
    """A group as a command line states it; ``beside`` is what the command itself decides.

    An option that the command does not have keeps its default.
    """
    stated = {
        entry.name: entry.value_in(given)
        for entry in options_of(group)
        if entry.name in given or (entry.off is not None and entry.off.name in given)
    }
    return group(**{**stated, **beside})


def from_keywords(group: type[Group], given: Mapping[str, Any], **beside: Any) -> Group:
    """A group as a call in Python states it, by the keywords of its options."""
    stated = {
        entry.name: given[entry.keyword] for entry in options_of(group) if entry.keyword in given
    }
    return group(**{**stated, **beside})


#: what scikit-learn, and the command line, call some arguments
OTHERWISE = {
    "estimator": "models",
    "metric": "measure",
    "n_iter": "random",
    "n_splits": "procedure",
    "param_distributions": "grid",
    "param_grid": "grid",
    "return_train_score": "training_error",
    "scoring": "measure",
    "seed": "random_state",
}


def _hint(given: Iterable[str], known: Collection[str]) -> str:
    """What the first argument that there is not may stand for; empty where nothing is like it."""
    unknown = next((name for name in given if name not in known), "")
    meant = OTHERWISE.get(unknown)
    return f"; did you mean {meant}?" if meant in known else did_you_mean(unknown, known)


def taking(
    *groups: Any, without: Collection[str] = ()
) -> Callable[[Callable[Given, Answer]], Callable[Given, Answer]]:
    """Have a function that takes the options of groups as ``**options`` say so in its signature.

    Its type for them is a TypedDict, which editors and type checkers read; help and calls see
    the keywords and the defaults that the groups declare. ``without`` are those it has not.

    Examples
    --------
    >>> @dataclass(frozen=True)
    ... class Work:
    ...     jobs: int = option("--jobs N", "Workers.", default=1, keyword="n_jobs")
    >>> @taking(Work)
    ... def fit(model, **options):
    ...     return from_keywords(Work, options)
    >>> inspect.signature(fit), fit("knn", n_jobs=2)
    (<Signature (model, *, n_jobs: 'int' = 1)>, Work(jobs=2))
    """

    def shown(function: Callable[Given, Answer]) -> Callable[Given, Answer]:
        own = inspect.signature(function)
        *named, rest = own.parameters.values()
        options = [
            rest.replace(
                name=entry.keyword,
                kind=inspect.Parameter.KEYWORD_ONLY,
                default=entry.default,
                annotation=group.__annotations__[entry.name],
            )
            for group in groups
            for entry in options_of(group)
            if entry.keyword not in without
        ]
        signature = own.replace(parameters=[*named, *options])

        @wraps(function)
        def called(*args: Given.args, **kwargs: Given.kwargs) -> Answer:
            try:
                signature.bind(*args, **kwargs)
            except TypeError as error:
                hint = _hint(kwargs, signature.parameters)
                raise TypeError(f"{function.__name__}() {error}{hint}") from None
            return function(*args, **kwargs)

        called.__signature__ = signature  # type: ignore[attr-defined]  # inspect reads it
        return called

    return shown
