"""Measure how often intervals cover the truth, and write docs/coverage.md.

``python -m tools.coverage`` takes about an hour on one core; ``--share 0.1`` takes a tenth of
the simulations, which the page says. With ``--only defaults`` (the start of
a title, as often as wanted) just those sections are made anew, the others stay as they stand on
the page. With ``--keep FOLDER`` finished sections are kept there, so that a run that was
interrupted goes on where it stopped: empty the folder whenever the code has changed. ``--floor``
simulates the judging set alone and fails where a default covers below 90% without a caution: a
release needs it to pass.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from tools.coverage.bands import band_section
from tools.coverage.defaults import FLOOR, below_floor, defaults_section
from tools.coverage.folds import fold_section
from tools.coverage.maxima import maximum_section
from tools.coverage.methods import method_section
from tools.coverage.processes import JUDGING
from tools.coverage.shares import share_section
from tools.coverage.thresholds import threshold_section

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

#: samples of each process that a release is judged on
FLOOR_SAMPLES = 300
TARGET = Path(__file__).resolve().parent.parent.parent / "docs" / "coverage.md"
INTRODUCTION = """\
# Coverage of the intervals

How often an interval of nominal level 95% holds the true value, and how wide it is on average.
Written by `python -m tools.coverage` (seed 1); each section says of how many samples it is. All
intervals are those that `heldout.score` gives a user. Shares are computed exactly, the rest is
simulated. Processes come in two sets: methods and constants were chosen on the *tuning set*;
nothing was chosen on the *judging set*, which is frozen.

A cell reads *coverage in per cent* / *mean width*. Coverage below 90 is in bold. Where some of
the samples had no interval, the share that had one follows in brackets.

The default intervals:

| measure | interval |
|---|---|
| shares (accuracy, recall, precision, ...), averages that are the accuracy (micro) | Wilson |
| area under the ROC curve | DeLong, logit scale, Student's t; exact where the classes are apart |
| other measures of the confusion table | Dirichlet posterior of the cells (Perks prior) |
| other areas and averages over a ranking | Bayesian bootstrap of the scores with a pseudo-row |
| maxima over a ranking, H-measure | bootstrap, bias off twice, stretched |
| Kolmogorov-Smirnov distance | the same, no narrower than Newcombe's at the best threshold |
| these, with 10,000 rows of each class | fewer such draws; normal limits if they look normal |
| calibration errors of bins (ECE, reliability) | inverted test of the gaps |
| maximum calibration error | shares and mean scores of all bins together; wide |
| calibration slope and intercept, calibration in the large | Wald by the sandwich error |
| means of losses, bias | Student's t, up to 20,000 rows without skewness (Hall 1992) |
| areas under the ROC curves of several classes | Student's t of placements, logit scale |
| R2, correlations, ratios to the standard deviation | Student's t of influences of rows |
| medians, skills of several means | percentile bootstrap of rows |
| rows in groups: shares and means | Wilson on effective rows, Student's t of groups |
| rows in groups: profit and cost | Bayesian bootstrap of the cells of as many effective rows |
| rows in groups: other measures | percentile bootstrap of whole groups, stretched |
| rows with weights | the same, on as many effective rows |
| one run of folds: means over rows, measures of the confusion table | the same on pooled rows |
| one run of folds: area under the ROC curve | DeLong's variances within folds, Student's t |
| one run of folds: other rankings, calibration errors | none: different models' scores |
| repeats: means over rows, areas under the ROC curve | corrected t; means no narrower than rows |
| repeats: other measures | the mean of the limits that single repeats have |
| repeats whose splits cut groups | no narrower than one run |
"""


SECTIONS: dict[str, Callable[[float], str]] = {
    "Defaults on one test set": defaults_section,
    "Shares": lambda _: share_section(),
    "Methods beside each other": method_section,
    "Maxima over a ranking": maximum_section,
    "After cross-validation": fold_section,
    "Bands of curves": band_section,
    "Chosen thresholds": threshold_section,
}


def page(share: float = 1.0, keep: Path | None = None, only: Sequence[str] = ()) -> str:
    """The whole page; ``share`` of the simulations, sections kept in a folder or as they stand."""
    standing = sections_of(TARGET.read_text(encoding="utf-8")) if only else {}
    asked = titles(only)
    parts = [INTRODUCTION]
    for title, section in SECTIONS.items():
        start = time.perf_counter()
        kept = None if keep is None else keep / f"{len(parts):02}.md"
        if title not in asked and title in standing:
            parts.append(standing[title])
            continue
        if kept is not None and kept.exists():
            parts.append(kept.read_text(encoding="utf-8"))
            continue
        parts.append(section(share))
        if kept is not None:
            kept.write_text(parts[-1], encoding="utf-8")
        print(f"{title}: {time.perf_counter() - start:.0f} s", flush=True)
    return "\n".join(parts)


def titles(only: Sequence[str]) -> list[str]:
    """The titles that start with these words; all where there are none."""
    found = [[t for t in SECTIONS if t.lower().startswith(word.lower())] for word in only]
    for word, own in zip(only, found, strict=True):
        if not own:
            raise SystemExit(f"no section starts with {word!r}: there are {', '.join(SECTIONS)}")
    return [title for own in found for title in own] if only else list(SECTIONS)


def sections_of(text: str) -> dict[str, str]:
    """The sections of a page by title, as they were written."""
    parts = text.split("\n## ")[1:]
    return {part.split("\n", 1)[0]: f"## {part}" for part in parts}


def floor(share: float) -> int:
    """Print the defaults of the judging set that cover too rarely; 1 where there are any."""
    low = below_floor(JUDGING, max(20, int(share * FLOOR_SAMPLES)))
    for cell in low:
        print(f"{cell.process}: {cell.measure} {cell.text}")
    print(f"{len(low)} defaults cover below {100 * FLOOR:g}% without a caution")
    return min(len(low), 1)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--share", type=float, default=1.0, help="share of the simulations")
    parser.add_argument("--keep", type=Path, help="folder in which finished sections are kept")
    parser.add_argument("--only", action="append", default=[], help="the start of a title")
    parser.add_argument("--floor", action="store_true", help="check the judging set and stop")
    given = parser.parse_args(arguments)
    if given.floor:
        return floor(given.share)
    if given.keep is not None:
        given.keep.mkdir(parents=True, exist_ok=True)
    text = page(given.share, given.keep, given.only)
    TARGET.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
