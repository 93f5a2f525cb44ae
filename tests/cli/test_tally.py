"""``heldout tally`` and ``heldout sql``: counts in the place of rows, scored as the rows are."""

from __future__ import annotations

from pathlib import Path

import duckdb
import numpy as np
import pytest

from heldout.predictions.counting_query import DIALECTS, counting_query
from tests.cli.running import call

CAPTURE = pytest.CaptureFixture[str]
ROLES = ("--truth", "y", "--score", "p", "--positive", "1")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    rng = np.random.default_rng(5)
    score = np.round(rng.random(400), 2)
    truth = (rng.random(400) < score).astype(int)
    lines = [f"{y},{p},{'ab'[i % 2]}" for i, (y, p) in enumerate(zip(truth, score, strict=True))]
    for name, part in (("all", lines), ("one", lines[:150]), ("two", lines[150:])):
        (tmp_path / f"{name}.csv").write_text("\n".join(["y,p,site", *part]) + "\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.usefixtures("folder")
def test_tallies_are_scored_as_their_rows(capsys: CAPTURE) -> None:
    for name in ("one", "two"):
        done = call(
            capsys, "tally", f"{name}.csv", *ROLES, "--by", "site", "--output", f"{name}.tally"
        )
        assert done.code == 0, done.err
        assert f"{name}.tally: {150 if name == 'one' else 250} rows counted" in done.out
    rows = call(capsys, "score", "all.csv", *ROLES, "--by", "site", "--all")
    tallies = call(capsys, "score", "one.tally", "two.tally", "--by", "site", "--all")
    assert tallies.code == 0, tallies.err
    # the first line names the files
    assert tallies.out.splitlines()[1:] == rows.out.splitlines()[1:]


@pytest.mark.usefixtures("folder")
def test_files_are_counted_together(capsys: CAPTURE) -> None:
    done = call(capsys, "tally", "one.csv", "two.csv", *ROLES, "--output", "both.tally")
    assert done.out == "both.tally: 400 rows counted\n"


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("tally", "one.csv", *ROLES), "--output NAME.tally"),
        (("tally", "one.csv", *ROLES, "--output", "x.csv"), "--output NAME.tally"),
        (("tally", "one.csv", *ROLES, "--output", "x.tally", "--bins", "10"), "a power of two"),
        (("tally", "one.csv", *ROLES, "--output", "no/x.tally"), "no/x.tally"),
        (("score", "one.csv", "x.tally"), "one.csv is not a tally file"),
        (("compare", "a.tally", "b.tally"), "a.tally"),
        (("sql", "--truth", "y", "--score", "p"), "--table"),
        (("sql", "--table", "t", "--score", "p"), "--truth"),
        (("sql", "--table", "t", "--truth", "y"), "--score or --predicted"),
        (("sql", "--table", "t", "--truth", "y", "--score", "y"), "as something else"),
    ],
)
def test_bad_usage(capsys: CAPTURE, arguments: tuple[str, ...], message: str) -> None:
    done = call(capsys, *arguments)
    assert done.code == 2
    assert message in done.err


@pytest.mark.usefixtures("folder")
def test_a_comparison_needs_rows(capsys: CAPTURE) -> None:
    for name in ("one", "two"):
        call(capsys, "tally", f"{name}.csv", *ROLES, "--output", f"{name}.tally")
    done = call(capsys, "compare", "one.tally", "two.tally")
    assert done.code == 2
    assert "tallies hold counts, not rows" in done.err


@pytest.mark.parametrize("bins", [(), ("--bins", "64")])
def test_the_answer_of_the_query_is_scored_as_the_rows(
    folder: Path, capsys: CAPTURE, bins: tuple[str, ...]
) -> None:
    origin = f"read_csv('{folder / 'all.csv'}')"
    columns = ("--truth", "y", "--score", "p", "--by", "site")
    query = call(capsys, "sql", "--table", origin, *columns, *bins)
    assert query.code == 0, query.err
    duckdb.execute(f"COPY ({query.out}) TO '{folder / 'counts.csv'}'")
    counted = call(capsys, "score", "counts.csv", *ROLES, "--by", "site", "--count", "n", "--all")
    source: tuple[str, ...] = ("all.csv", *ROLES, "--by", "site")
    if bins:
        call(capsys, "tally", *source, *bins, "--output", "all.tally")
        source = ("all.tally", "--by", "site")
    rows = call(capsys, "score", *source, "--all")
    assert counted.code == 0, counted.err
    assert counted.out.splitlines()[1:] == rows.out.splitlines()[1:]


@pytest.mark.parametrize("dialect", DIALECTS)
def test_every_dialect_quotes_its_names(dialect: str) -> None:
    query = counting_query("t", ["a b"], score='p"]`', bins=4, dialect=dialect)
    assert query.count("a b") == 2
    assert query.count("FLOOR(CAST(") == 2
    quoted = {'"': '"p""]`"', "`": '`p"]```', "[": '[p"]]`]'}
    assert any(name in query for name in quoted.values())
