"""A sample of the golden commands and results; ``python -m tools.golden compare`` checks all."""

from __future__ import annotations

from difflib import unified_diff

import pandas as pd

from tools.golden import results, transcripts


def test_results_are_the_golden_ones() -> None:
    table = results.result_table(5)
    expected = pd.read_parquet(results.EXPECTED)
    expected = expected[expected["design"].isin(table["design"])]
    assert len(table) > 2000
    # other versions of NumPy and BLAS may round the last digits in another way
    assert results.compare_results(expected, table, tolerance=1e-9) == []


def test_commands_print_the_golden_text() -> None:
    # those of evaluate stand on the folds that the ones before them stored
    topics = [topic for topic in transcripts.topics() if topic != "evaluate"]
    seen = transcripts.run_topics(topics, 13)
    assert sum(map(len, seen.values())) > 15
    changes = [
        "\n".join(unified_diff(expected.splitlines(), actual.splitlines(), command, lineterm=""))
        for command, expected, actual in transcripts.differences(seen)
    ]
    assert not changes, "\n\n".join(changes)
