"""The methods behind the numbers of a page: in words to quote, and where they were published."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from heldout import __version__
from heldout.comparison.methods import METHODS as TESTS
from heldout.measures.spec import parse_request
from heldout.report.latex import escaped
from heldout.report.names import title_of
from heldout.report.page.glossary import estimates_of
from heldout.uncertainty.methods import METHODS as INTERVALS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from heldout.report.page.page import Page

#: ways to make an interval that are told one by one
MOST_WAYS = 12


def references_of(measures: Sequence[str], result: Any) -> Iterator[str]:
    """The references of measures, and of the intervals and tests of a result that has them."""
    for name in measures:
        yield parse_request(name).measure.reference
    by_name = {method.name: method.reference for method in INTERVALS}
    if hasattr(result, "tallies"):
        known = (by_name.get(r.by, "") for r in result.results(measures, per_class=False))
        yield from known
    for difference in getattr(result, "differences", ()):
        if (method := TESTS.get(difference.test.name)) is not None:
            yield method.reference


def methods_text(page: Page, result: Any) -> str:
    """What a paper says of how the numbers were made."""
    sentences = [f"Performance was assessed with heldout {__version__}", *page.texts]
    ways: dict[tuple[float, str], dict[str, None]] = {}
    for cell in estimates_of(page.tables):
        if cell.level is not None and cell.has_limits and cell.method and cell.measure:
            ways.setdefault((cell.level, cell.method), {})[title_of(cell.measure)] = None
    for level in dict.fromkeys(level for level, _ in ways):
        of_level = {method: names for (own, method), names in ways.items() if own == level}
        own = [f"{', '.join(names)}: {method}" for method, names in of_level.items()]
        sentences.append(f"{100 * level:g}% intervals by measure: {'; '.join(own[:MOST_WAYS])}")
        if len(own) > MOST_WAYS:
            sentences.append(f"{len(own) - MOST_WAYS} more are among the numbers below")
    tests: dict[str, dict[str, None]] = {}
    for difference in getattr(result, "differences", ()):
        if (method := TESTS.get(difference.test.name)) is not None:
            tests.setdefault(method.title, {})[title_of(difference.measure)] = None
    if tests:
        own = [f"{', '.join(names)}: {title}" for title, names in tests.items()]
        sentences.append(f"Differences were tested by: {'; '.join(own)}")
    return " ".join(f"{text.strip().rstrip('.')}." for text in sentences)


def bibtex(references: Iterable[str]) -> str:
    """An entry a reference, and one for heldout itself.

    heldout knows references as short texts, so each is the note of its entry.

    Examples
    --------
    >>> print(bibtex(["Wilson (1927), J. Am. Stat. Assoc. 22:209"]).splitlines()[-1])
    @misc{heldout-1, note = {Wilson (1927), J. Am. Stat. Assoc. 22:209}}
    """
    own = f"@misc{{heldout, title = {{heldout}}, note = {{Version {__version__}}}}}"
    known = filter(None, dict.fromkeys(references))
    lines = [
        f"@misc{{heldout-{number}, note = {{{escaped(text)}}}}}"
        for number, text in enumerate(known, start=1)
    ]
    return "\n".join([own, *lines]) + "\n"
