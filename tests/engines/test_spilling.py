"""Keys that do not fit into memory: sorted in temporary files of which nothing is left."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from itertools import pairwise
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pytest

from heldout.engines import sorted_keys
from heldout.engines.sorted_keys import SortedKeys
from heldout.tally.file_column import FileColumn, NumberFile

#: numbers of keys, of which most fit into no single range of a sort
ROWS = 20_000


def keys_of(kind: str) -> np.ndarray[Any, Any]:
    rng = np.random.default_rng(3)
    keys = rng.integers(0, 2**63, ROWS).astype(np.uint64)
    if kind == "all equal":
        keys[:] = 7
    elif kind == "most equal":
        keys[rng.random(ROWS) < 0.9] = 7
    elif kind == "rising":
        keys.sort()
    elif kind == "falling":
        keys[::-1].sort()
    return keys


@pytest.fixture(autouse=True)
def small_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """Few keys are cut into many ranges."""
    monkeypatch.setattr(sorted_keys, "STEP", 64)
    monkeypatch.setattr(sorted_keys, "CHUNK", 700)


@pytest.mark.parametrize("parts", [1, 3, 500, 70_000])
@pytest.mark.parametrize("kind", ["random", "all equal", "most equal", "rising", "falling"])
def test_keys_in_files_are_sorted_as_in_memory(kind: str, parts: int) -> None:
    keys = keys_of(kind)
    part = np.minimum(np.random.default_rng(5).geometric(0.2, ROWS) - 1, 40) * (parts // 40 + 1)
    part = np.minimum(part, parts - 1)
    results = []
    for room in (ROWS, 3_001):
        each = SortedKeys(ROWS, parts, room)
        for block in np.array_split(np.arange(ROWS), 17):
            each.add(keys[block], part[block])
        results.append(each.result())
    (starts, plain), (starts_of_file, column) = results
    assert isinstance(plain, np.ndarray)
    assert isinstance(column, FileColumn)
    np.testing.assert_array_equal(starts_of_file, starts)
    np.testing.assert_array_equal(np.asarray(column), plain)
    np.testing.assert_array_equal(
        starts, np.concatenate([[0], np.cumsum(np.bincount(part, minlength=parts))])
    )
    for k in np.unique(part).tolist():
        own = column.part(int(starts[k]), int(starts[k + 1]))
        np.testing.assert_array_equal(own[:], np.sort(keys[part == k]))


def test_a_column_in_a_file_reads_as_an_array() -> None:
    rng = np.random.default_rng(1)
    numbers = np.sort(rng.integers(0, 10**6, 300_000))
    file = NumberFile(np.int64, need=8 * len(numbers))
    for a, b in pairwise([0, 1, 77_777, len(numbers)]):
        file.append(numbers[a:b])
    column, own = file.column(5, 290_000), numbers[5:290_000]
    for places in (
        slice(3, 70_000),
        slice(7, 7),
        slice(None, None, 1000),
        -1,
        rng.integers(0, len(own), 1000),
        rng.integers(0, len(own), 200_000),
        np.array([], int),
        own % 7 == 0,
    ):
        np.testing.assert_array_equal(column[places], own[places])
    wanted = rng.integers(-5, 10**6 + 5, 300)
    for side in ("left", "right"):
        np.testing.assert_array_equal(
            column.searchsorted(wanted, side), np.searchsorted(own, wanted, side)
        )


def test_temporary_files_have_no_name_that_a_killed_process_could_leave(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    file = NumberFile(np.int64, need=8)
    file.append(np.arange(1))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(sys.platform == "win32", reason="a limit of file sizes is one of Unix")
def test_a_folder_that_is_full_while_texts_are_spooled_is_an_error(tmp_path: Path) -> None:
    import resource

    rows, output = tmp_path / "rows.csv", tmp_path / "card.json"
    content = "SELECT (i * 7 % 11 < 4)::INT AS y, random() AS p FROM range(60000) t(i)"
    duckdb.sql(f"COPY ({content}) TO '{rows}'")
    command = f"score {rows} --truth y --score p --positive 1 --engine scan --output {output}"
    done = subprocess.run(
        [sys.executable, "-m", "heldout", *command.split()],
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000)),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2, done.stderr
    assert len(done.stderr.strip().splitlines()) <= 2
    assert not output.exists()


@pytest.mark.skipif(sys.platform == "win32", reason="a limit of file sizes is one of Unix")
def test_a_full_temporary_folder_is_named_with_what_is_needed(tmp_path: Path) -> None:
    import resource

    rows, folder = tmp_path / "rows.parquet", tmp_path / "temporary"
    folder.mkdir()
    duckdb.sql(
        f"COPY (SELECT (i * 7 % 11 < 4)::INT AS y, (i * 31 % 9973) / 9973.0 AS p "
        f"FROM range(30000) t(i)) TO '{rows}'"
    )
    command = f"score {rows} --truth y --score p --positive 1 --engine scan --memory 64KiB".split()
    output = tmp_path / "card.json"
    done = subprocess.run(
        [sys.executable, "-m", "heldout", *command, "--output", str(output)],
        env={**os.environ, "TMPDIR": str(folder)},
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000)),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2, done.stderr
    assert str(folder) in done.stderr
    assert "need 0 MiB" not in done.stderr
    assert "File too large" in done.stderr
    assert "--memory" in done.stderr
    assert len(done.stderr.strip().splitlines()) <= 2
    assert list(folder.iterdir()) == []
    assert not output.exists()
