"""``python -m tools.golden make`` keeps what there is; ``compare`` prints what differs from it."""

from __future__ import annotations

import argparse
import difflib
import sys

import pandas as pd

from tools.golden import results, transcripts


def main() -> int:
    """Make or compare the golden outputs; 1 where something differs."""
    parser = argparse.ArgumentParser(prog="python -m tools.golden", description=__doc__)
    parser.add_argument("action", choices=["make", "compare"])
    parser.add_argument("--only", choices=["commands", "results"], help="one half of the net")
    parser.add_argument("--topic", action="append", help="commands of one file only")
    parser.add_argument("--every", type=int, default=1, help="every N-th command and design only")
    parser.add_argument("--numbers", action="store_true", help="results: ignore methods and notes")
    asked = parser.parse_args()
    failed = 0
    if asked.only != "results":
        failed += _commands(asked)
    if asked.only != "commands" and not asked.topic:
        failed += _results(asked)
    return min(failed, 1)


def _commands(asked: argparse.Namespace) -> int:
    seen = transcripts.run_topics(asked.topic or transcripts.topics(), asked.every)
    if asked.action == "make":
        transcripts.write_transcripts(seen)
        return 0
    different = transcripts.differences(seen)
    for command, expected, actual in different:
        lines = difflib.unified_diff(
            expected.split("\n"), actual.split("\n"), "expected", "now", "", "", 1, ""
        )
        print(f"$ {command}", *list(lines)[2:], "", sep="\n")
    print(f"{len(different)} of {sum(map(len, seen.values()))} commands differ")
    return len(different)


def _results(asked: argparse.Namespace) -> int:
    table = results.result_table(asked.every)
    if asked.action == "make":
        results.EXPECTED.parent.mkdir(exist_ok=True)
        table.to_parquet(results.EXPECTED, index=False, compression="zstd")
        return 0
    expected = pd.read_parquet(results.EXPECTED)
    expected = expected[expected["design"].isin(table["design"])]
    lines = results.compare_results(expected, table, words=not asked.numbers)
    print(*lines[:200], f"{len(lines)} differences in {len(table)} results", sep="\n")
    return len(lines)


if __name__ == "__main__":
    sys.exit(main())
