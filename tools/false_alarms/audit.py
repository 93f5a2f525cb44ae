"""Measure false alarms of the audit and how often it finds planted faults, for docs/audit.md.

``python -m tools.false_alarms.audit`` takes some minutes on one core and writes the tables into
the page; ``--simulations 10`` is quicker and prints them instead.
"""

from __future__ import annotations

import argparse
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from heldout.auditing.audit import audited
from tools.false_alarms.audit_clean import CLEAN
from tools.false_alarms.audit_faults import FAULTS
from tools.false_alarms.audit_tables import copies_section

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from heldout.auditing.material import Material

TARGET = Path(__file__).resolve().parent.parent.parent / "docs" / "audit.md"
SIMULATIONS = 100
START = "<!-- rates: written by python -m tools.false_alarms.audit -->"
END = "<!-- end of rates -->"
#: what is true of these data, and no false alarm
TRUE: dict[str, set[str]] = {"diabetes": {"K06"}}
#: that a random test part has few rows of a class is true as well
SMALL = {"K09"}


def tables(simulations: int) -> str:
    """The tables in Markdown."""
    copies = copies_section(max(simulations // 3, 1))
    return "\n".join([*_clean(simulations), "", *_faults(simulations), "", *copies])


def _clean(simulations: int) -> Iterator[str]:
    yield f"False alarms over {simulations} random splits each, as a percentage of the splits:\n"
    yield "| clean data | errors and warnings | notes |"
    yield "|---|---|---|"
    for name, make in CLEAN.items():
        grave, mild = Counter[str](), Counter[str]()
        for seed in range(simulations):
            codes = _codes(make(np.random.default_rng(seed)))
            known = TRUE.get(name, set()) | SMALL
            grave.update(
                c for c, severity in codes.items() if severity != "note" and c not in known
            )
            mild.update(c for c, severity in codes.items() if severity == "note")
        yield f"| {name} | {_shares(grave, simulations)} | {_shares(mild, simulations)} |"


def _faults(simulations: int) -> Iterator[str]:
    yield f"Planted faults found, as a percentage of {simulations} simulations:\n"
    yield "| check | planted fault | found | as a note only |"
    yield "|---|---|---:|---:|"
    for code, fault, make in FAULTS:
        found = Counter(
            _codes(make(np.random.default_rng(1000 + seed))).get(code)
            for seed in range(simulations)
        )
        notes = found["note"]
        all_ = simulations - found[None]
        yield (
            f"| `{code}` | {fault} | {100 * all_ / simulations:.3g} | "
            f"{100 * notes / simulations:.3g} |"
        )


def _codes(material: Material) -> dict[str, str]:
    """The checks that found something, and how grave at worst."""
    made: dict[str, str] = {}
    for finding in audited(material).findings:
        made.setdefault(finding.code, finding.severity)
    return made


def _shares(counts: Counter[str], simulations: int) -> str:
    shares = [f"{code} {100 * count / simulations:.3g}" for code, count in sorted(counts.items())]
    return ", ".join(shares) or "none"


def main(arguments: Sequence[str] | None = None) -> None:
    """Write the tables into the page, or print them where fewer simulations are asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--simulations", type=int, default=SIMULATIONS)
    parser.add_argument("--write", action="store_true", help="write even smaller tables")
    given = parser.parse_args(arguments)
    text = tables(given.simulations)
    if not given.write and given.simulations < SIMULATIONS:
        print(text)
        return
    page = TARGET.read_text(encoding="utf-8")
    before, after = page.split(START)[0], page.split(END)[1]
    TARGET.write_text(f"{before}{START}\n\n{text}\n\n{END}{after}", encoding="utf-8")


if __name__ == "__main__":
    main()
