"""The known names nearest to a misspelt one, and the errors for names that mean nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from heldout.core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable

#: a name that is this much less alike than the nearest is no help
FAR = 0.2
#: half of the letters are soon alike by chance (site, seed), unless one name is in the other
PART = 0.5
FEW_LETTERS = 2
#: known names that a message lists
MOST = 20


def nearest(name: str, known: Iterable[str], *, most: int = 3, alike: float = 0.65) -> list[str]:
    """The known names that look most like ``name``, best first, if they are at least so alike.

    Examples
    --------
    >>> nearest("recal", ["precision", "recall", "accuracy"])
    ['recall']
    >>> nearest("prob", ["probability", "error"]), nearest("site", ["seed"])
    (['probability'], [])
    """
    from difflib import SequenceMatcher, get_close_matches

    by_lower: dict[str, str] = {}
    for candidate in known:
        by_lower.setdefault(candidate.lower(), candidate)
    asked = name.lower()
    close = get_close_matches(asked, by_lower, n=len(by_lower) or 1, cutoff=min(alike, PART))
    ratio = {other: SequenceMatcher(None, other, asked).ratio() for other in close}
    names = [n for n in close if ratio[n] >= alike or _is_part(n, asked)][:most]
    if not names:
        return []
    best = max(ratio[n] for n in names)
    return [by_lower[n] for n in names if ratio[n] > best - FAR]


def _is_part(name: str, other: str) -> bool:
    """Whether a name is a part of the other, and not of a letter or two only."""
    short, long = sorted((name, other), key=len)
    return len(short) > FEW_LETTERS and short in long


def normal(name: str) -> str:
    """A name as it is looked up: case, spaces and hyphens do not matter."""
    return name.strip().lower().replace("-", "_").replace(" ", "_")


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """A clause for an error message: the nearest names, or nothing.

    Examples
    --------
    >>> did_you_mean("recal", ["recall", "accuracy"])
    '; did you mean recall?'
    >>> did_you_mean("zzz", ["recall"])
    ''
    """
    names = nearest(name, known)
    return f"; did you mean {' or '.join(names)}?" if names else ""


def no_such(kind: str, name: str, known: Iterable[str]) -> InputError:
    """The error for a name that means nothing: the nearest names, or all that there are.

    Examples
    --------
    >>> no_such("chart", "rok", ["roc", "pr"]), no_such("chart", "x", ["roc", "pr"])
    (InputError("no chart is called 'rok'; did you mean roc?"), \
InputError("no chart is called 'x'; there are roc, pr"))
    """
    return InputError(f"no {kind} is called {name!r}{hint_of(name, known)}")


def hint_of(name: str, known: Iterable[str]) -> str:
    """A clause for an error message: the nearest names, or all that there are."""
    names = [*known]
    there = "there is" if len(names) == 1 else "there are"
    return did_you_mean(name, names) or f"; {there} {_listed(names)}"


def no_option(owner: str, name: str, known: Iterable[str], kind: str = "option") -> InputError:
    """The error for an option that something does not have.

    Examples
    --------
    >>> no_option("knn", "depth", ["p", "weights"], "parameter")
    InputError("knn has no parameter 'depth' (it has p, weights)")
    """
    names = [*known]
    hint = did_you_mean(name, names) or f" (it has {_listed(names)})"
    return InputError(f"{owner} has no {kind} {name!r}{hint}")


def _listed(names: list[str]) -> str:
    more = [f"... ({len(names):,} in all)"] if len(names) > MOST else []
    return ", ".join([*names[:MOST], *more]) or "none"


def chosen(parameter: str, given: str, *known: str) -> str:
    """The known word that is meant, or an error that lists them.

    Examples
    --------
    >>> chosen("cut", "Equal-Count", "quantile", "equal count")
    'equal count'
    """
    words = {normal(word): word for word in known}
    try:
        return words[normal(str(given))]
    except KeyError:
        hint = did_you_mean(str(given), known)
        raise InputError(f"{parameter} is one of {', '.join(known)}, not {given!r}{hint}") from None
