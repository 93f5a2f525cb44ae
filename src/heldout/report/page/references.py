"""The methods behind the numbers of a page: in words to quote, and where they were published."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from heldout import __version__
from heldout.comparison.methods import METHODS as TESTS
from heldout.core.wording import values_by_key
from heldout.measures.spec import parse_request
from heldout.report.latex import escape
from heldout.report.names import title_of
from heldout.uncertainty.methods import METHODS as INTERVALS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from heldout.assess.results import Result

#: ways to make an interval that are told one by one
MOST_WAYS = 12


@dataclass(frozen=True, slots=True)
class Methods:
    """What the numbers of a page were made by: measures, results with intervals, differences."""

    measures: Sequence[str]
    results: Sequence[Result] = ()
    differences: Sequence[Any] = ()

    def references(self) -> Iterator[str]:
        """Where the measures, the intervals and the tests were published; some may be empty."""
        for name in self.measures:
            yield parse_request(name).measure.reference
        by_name = {method.name: method.reference for method in INTERVALS}
        for by in dict.fromkeys(r.by for r in self.results if r.measure in self.measures):
            yield by_name.get(by, "")
        for method, _ in self._tests():
            yield method.reference

    def text(self, about: Sequence[str]) -> str:
        """What a paper says of how the numbers were made, after what it says ``about`` them."""
        done = (
            "Performance was assessed" if self.measures or self.differences else "Data were checked"
        )
        sentences = [f"{done} with heldout {__version__}", *about]
        ways = values_by_key(
            ((r.level, r.method), title_of(r.measure))
            for r in self.results
            if r.level is not None and r.low is not None and not (r.class_ or r.slice)
            if r.measure in self.measures
        )
        for level in dict.fromkeys(level for level, _ in ways):
            own = [f"{', '.join(ms)}: {how}" for (of, how), ms in ways.items() if of == level]
            text = "; ".join(own[:MOST_WAYS])
            sentences.append(f"{100 * level:g}% intervals by measure: {text}")
            if len(own) > MOST_WAYS:
                sentences.append(f"{len(own) - MOST_WAYS} more are among the numbers below")
        # values over data sets may be of anything that their table names
        tests = values_by_key(
            (method.title, title_of(name) if name in self.measures else name)
            for method, name in self._tests()
        )
        if tests:
            own = [f"{', '.join(names)}: {title}" for title, names in tests.items()]
            sentences.append(f"Differences were tested by: {'; '.join(own)}")
        return " ".join(f"{text.strip().rstrip('.')}." for text in sentences)

    def _tests(self) -> Iterator[tuple[Any, str]]:
        """The tests, each with the measure whose differences it judged."""
        for difference in self.differences:
            if (method := TESTS.get(difference.test.name)) is not None:
                yield method, difference.measure


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
        f"@misc{{heldout-{number}, note = {{{escape(text)}}}}}"
        for number, text in enumerate(known, start=1)
    ]
    return "\n".join([own, *lines]) + "\n"
