"""Laws of engines: what is scanned, tallied or counted is what rows in memory give."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb
import numpy as np
import pytest

from heldout.assess.scorecard import Scorecard, score_predictions
from heldout.core.errors import InputError
from heldout.engines import score_kernel
from heldout.engines.counted import counts_of, lack_of_parts
from heldout.engines.reading import bytes_of, read_rows, write_scanned_tally
from heldout.predictions.options import Roles
from heldout.predictions.tally_file import write_tally
from heldout.tally import packed_scores
from heldout.tally.confusion import Confusion
from heldout.tally.packed_scores import PackedScores
from heldout.tally.scores import ScoreCounts

if TYPE_CHECKING:
    from collections.abc import Callable

    from heldout.predictions.table import Predictions

ROLES = Roles(truth="y", score="p", positive="1", by=("k",))
ROWS = 12_000


def table(kind: str) -> dict[str, Any]:
    """Rows of a kind of scores, with slices of unequal size."""
    rng = np.random.default_rng(7)
    p = rng.beta(1, 2, ROWS)
    if kind == "ties":
        p = np.round(p, 3)
    elif kind == "some ties":
        p = np.where(rng.random(ROWS) < 0.5, np.round(p, 4), p)
    y = (rng.random(ROWS) < p).astype(np.int8)
    if kind == "signed":
        p = p * 6 - 3
    k = np.array(["at", "ch", "de"])[np.minimum(rng.geometric(0.6, ROWS) - 1, 2)]
    return {"y": y, "p": p, "k": k}


def write(columns: dict[str, Any], path: Path) -> Path:
    with duckdb.connect() as database:
        database.register(
            "rows", {n: v.astype(object) if v.dtype.kind == "U" else v for n, v in columns.items()}
        )
        form = "(FORMAT csv, HEADER)" if path.suffix == ".csv" else ""
        database.execute(f"COPY rows TO '{path}' {form}")
    return path


def in_memory(files: list[Path], roles: Roles = ROLES) -> Predictions:
    (p,) = read_rows(files, roles, pool=True, dialect="flags", engine="memory")
    return p


def by_scan(files: list[Path], roles: Roles = ROLES) -> Predictions:
    (p,) = read_rows(files, roles, pool=True, dialect="flags", engine="scan")
    return p


def by_spill(files: list[Path], roles: Roles = ROLES) -> Predictions:
    """Keys lie in temporary files, those of slices as well."""
    (p,) = read_rows(files, roles, pool=True, dialect="flags", engine="scan", memory="50k")
    counts: Any = counts_of(p)
    is_kept = isinstance(counts, PackedScores) and isinstance(counts.keys, np.ndarray)
    assert not is_kept, "keys are in memory"
    return p


def by_scan_of_csv(files: list[Path]) -> Predictions:
    texts = []
    for file in files:
        texts.append(file.with_suffix(".csv"))
        duckdb.sql(f"COPY (SELECT * FROM '{file}') TO '{texts[-1]}' (HEADER)")
    return by_scan(texts)


def by_tallies(files: list[Path]) -> Predictions:
    tallies = [file.with_suffix(".tally") for file in files]
    for file, path in zip(files, tallies, strict=True):
        write_tally([in_memory([file])], path)
    (p,) = read_rows(tallies, Roles(by=("k",)), pool=False, dialect="flags")
    return p


def by_counts(files: list[Path]) -> Predictions:
    path = files[0].with_name("counts.parquet")
    names = [str(file) for file in files]
    duckdb.sql(
        f"COPY (SELECT *, count(*) AS n FROM read_parquet({names}) GROUP BY ALL) TO '{path}'"
    )
    roles = replace(ROLES, count="n")
    (p,) = read_rows([path], roles, pool=False, dialect="flags")
    return p


ENGINES = [by_scan, by_spill, by_scan_of_csv, by_tallies, by_counts]
KINDS = ["distinct", "some ties", "ties", "signed"]


@pytest.fixture(autouse=True)
def packed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Few rows stay packed as many do."""
    monkeypatch.setattr(score_kernel, "FEW_KEYS", 100)
    monkeypatch.setattr(packed_scores, "FEW_ON_FILE", 100)


@pytest.fixture
def files(request: pytest.FixtureRequest, tmp_path: Path) -> list[Path]:
    """The rows in three files, of which one has few."""
    columns = table(getattr(request, "param", "some ties"))
    cuts = [0, 8_000, 8_011, ROWS]
    return [
        write({n: v[a:b] for n, v in columns.items()}, tmp_path / f"part-{i}.parquet")
        for i, (a, b) in enumerate(pairwise(cuts))
    ]


def values(card: Scorecard) -> dict[str, tuple[float, ...]]:
    """Every value and its limits, of all rows and of slices."""
    found: dict[str, tuple[float | None, ...]] = {
        f"{i} {r.measure}": (r.value, r.low, r.high)
        for i, r in enumerate(card.results(None, everything=True))
    }
    for i, record in enumerate(card.slices("auc", "accuracy", "brier")):
        numbers = [v for v in record.values() if isinstance(v, float)]
        assert numbers
        found[f"slice {i}"] = tuple(numbers)
    return {
        name: tuple(float("nan") if v is None else v for v in numbers)
        for name, numbers in found.items()
    }


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("files", KINDS, indirect=True)
def test_every_engine_gives_the_values_intervals_and_slices_of_rows_in_memory(
    engine: Callable[[list[Path]], Predictions], files: list[Path]
) -> None:
    rows, other = in_memory(files), engine(files)
    assert counts_of(other) is not None, "rows were read, not counts"
    assert len(other) == ROWS
    expected, got = (values(score_predictions((p,))) for p in (rows, other))
    assert got.keys() == expected.keys()
    for name, numbers in expected.items():
        np.testing.assert_allclose(got[name], numbers, rtol=1e-12, atol=1e-14, err_msg=name)


@pytest.mark.parametrize("engine", ENGINES)
def test_counts_are_equal_exactly_whatever_the_order_of_files(
    engine: Callable[[list[Path]], Predictions], files: list[Path]
) -> None:
    rows = in_memory(files)
    whole = ScoreCounts.of(rows.truth == rows.positive, rows.scores)
    for order in (files, files[::-1]):
        counts = counts_of(engine(order))
        assert counts is not None
        assert counts.rows == whole.rows
        for name in ("score", "positives", "negatives", "tp", "fp"):
            np.testing.assert_array_equal(np.asarray(getattr(counts, name)), getattr(whole, name))


def test_slices_add_up_to_all_rows(files: list[Path]) -> None:
    p = by_scan(files)
    card = score_predictions((p,))
    parts = card.tallies[0].parts("slice:k")
    assert int(parts.rows.sum()) == ROWS
    whole = sum((t.scores for t in parts), start=ScoreCounts())
    for name in ("score", "positives", "negatives"):
        own = np.asarray(getattr(card.tallies[0].scores, name))
        np.testing.assert_array_equal(getattr(whole, name), own)


@pytest.mark.parametrize("engine", [by_scan, by_spill])
@pytest.mark.parametrize("positive", ["0", "1"])
def test_many_small_slices_are_those_of_rows_in_memory(
    engine: Callable[..., Predictions], positive: str, tmp_path: Path
) -> None:
    columns = table("some ties")
    columns["k"] = np.random.default_rng(2).integers(0, 400, ROWS).astype(np.int16)
    columns["p"] = columns["p"] if positive == "1" else 1 - columns["p"]
    files = [write(columns, tmp_path / "rows.parquet")]
    roles = replace(ROLES, positive=positive)
    cards = [score_predictions((read(files, roles),)) for read in (in_memory, engine)]
    for expected, got in zip(
        *(card.slices("auc", "brier", "recall") for card in cards), strict=True
    ):
        for name, number in expected.items():
            if isinstance(number, float):
                # limits of few rows follow from a quantile of their spread, which loses digits
                rtol = 1e-12 if name == "value" else 1e-10
                np.testing.assert_allclose(got[name], number, rtol=rtol, atol=1e-13, err_msg=name)
            else:
                assert got[name] == number
    parts = [card.tallies[0].parts("slice:k") for card in cards]
    np.testing.assert_array_equal(*(part.class_rows for part in parts))
    for part in parts:
        assert part.confusion is not None
    np.testing.assert_array_equal(*(part.tally(Confusion).stacked.matrix() for part in parts))


def test_rows_are_decoded_as_they_were(files: list[Path]) -> None:
    rows, p = in_memory(files), by_scan(files)
    assert isinstance(counts_of(p), PackedScores)
    order = np.lexsort((rows.truth, -np.asarray(rows.scores)))
    for name in ("truth", "scores", "predicted"):
        decoded, plain = getattr(p, name), getattr(rows, name)[order]
        np.testing.assert_array_equal(decoded[17:4711], plain[17:4711])
        np.testing.assert_array_equal(decoded[[5, -1, 5]], plain[[5, -1, 5]])
        np.testing.assert_array_equal(np.asarray(decoded), plain)


def test_curves_and_decisions_come_from_scanned_files(files: list[Path]) -> None:
    cards = [score_predictions((p,)) for p in (in_memory(files), by_scan(files))]
    curves = [card.curve("roc") for card in cards]
    np.testing.assert_array_equal(curves[0].x, curves[1].x)
    np.testing.assert_array_equal(curves[0].y, curves[1].y)
    assert cards[0].thresholds("youden") == cards[1].thresholds("youden")


def test_a_tally_by_scan_is_that_of_rows_in_memory(files: list[Path], tmp_path: Path) -> None:
    both = tmp_path / "memory.tally", tmp_path / "scan.tally"
    write_tally([in_memory(files)], both[0])
    how: dict[str, Any] = {"memory": None, "bins": None, "min_count": 1}
    written = write_scanned_tally(files, ROLES, both[1], engine="scan", **how)
    assert written is not None
    rows = [
        duckdb.execute(f"SELECT k, y, score, n FROM read_parquet('{path}') ORDER BY ALL").fetchall()
        for path in both
    ]
    assert rows[0] == rows[1]
    (p,) = read_rows(both, Roles(), pool=False, dialect="flags")
    assert len(p) == 2 * ROWS


@pytest.mark.parametrize("files", ["distinct", "ties"], indirect=True)
@pytest.mark.parametrize("bins", [2, 64, 4096])
def test_limits_of_bins_hold_the_exact_values(files: list[Path], bins: int) -> None:
    from heldout.tally.binned import limits_of

    exact = score_predictions((in_memory(files),))
    (p,) = read_rows(files, ROLES, pool=True, dialect="flags", bins=bins)
    counts = counts_of(p)
    assert counts is not None
    assert len(counts.score) <= bins + 1
    limits = limits_of(counts, 1 / bins)
    for name, (low, high) in limits.items():
        assert low <= exact[name].value <= high
    assert exact["accuracy"].value == score_predictions((p,))["accuracy"].value


@pytest.mark.parametrize(
    ("scores", "what"),
    [
        (np.full(100, 0.25), "all equal"),
        (1 - np.arange(100) * 1e-17, "all near 1"),
        (np.arange(1, 101) * 5e-324, "denormals"),
        (-np.arange(100.0), "negative"),
    ],
)
def test_hostile_scores_are_counted_exactly_and_in_bins(
    scores: np.ndarray[Any, Any], what: str, tmp_path: Path
) -> None:
    y = (np.arange(100) * 7 % 3 == 0).astype(np.int8)
    file = write({"y": y, "p": scores, "k": np.array(["a"] * 100)}, tmp_path / "hostile.parquet")
    exact = score_predictions((in_memory([file]),))["auc"].value
    assert score_predictions((by_scan([file]),))["auc"].value == exact
    (p,) = read_rows([file], ROLES, pool=True, dialect="flags", bins=1024)
    from heldout.tally.binned import limits_of

    counts = counts_of(p)
    assert counts is not None
    low, high = limits_of(counts, 1 / 1024)["auc"]
    assert low <= exact <= high


def test_infinite_scores_are_in_no_bin(tmp_path: Path) -> None:
    columns = {"y": np.array([0, 1]), "p": np.array([0.0, np.inf]), "k": np.array(["a", "b"])}
    file = write(columns, tmp_path / "infinite.parquet")
    with pytest.raises(InputError, match="infinite, and in no bin"):
        read_rows([file], replace(ROLES, by=()), pool=True, dialect="flags", bins=8)


def test_a_file_that_was_cut_off_is_named(files: list[Path]) -> None:
    files[1].write_bytes(files[1].read_bytes()[:-40])
    with pytest.raises(InputError, match=r"part-1\.parquet ends too soon"):
        by_scan(files)


def test_a_column_of_another_type_in_one_file_is_refused(files: list[Path]) -> None:
    duckdb.sql(f"COPY (SELECT y, p::VARCHAR AS p, k FROM '{files[0]}') TO '{files[1]}'")
    with pytest.raises(InputError, match="column 'p' is of several types"):
        by_scan(files)


def test_a_column_that_one_file_lacks_is_refused(files: list[Path]) -> None:
    duckdb.sql(f"COPY (SELECT y, p FROM '{files[0]}') TO '{files[1]}'")
    with pytest.raises(InputError, match="column 'k' is not in every file"):
        by_scan(files)


def test_missing_values_are_counted(files: list[Path]) -> None:
    gaps = f"SELECT y, CASE WHEN p <= 0.9 THEN p END AS p, k FROM '{files[0]}'"
    duckdb.sql(f"COPY ({gaps}) TO '{files[2]}'")
    with pytest.raises(InputError, match="column 'p' has no value in"):
        by_scan(files)


def test_large_files_are_scanned_unasked_and_a_note_says_so(files: list[Path]) -> None:
    (p,) = read_rows(files, replace(ROLES, by=()), pool=True, dialect="flags", memory="200KiB")
    assert counts_of(p) is not None
    assert any(note.startswith("engine: scan") for note in p.notes)


def test_what_counts_do_not_keep_is_kept_as_columns_and_said(files: list[Path]) -> None:
    roles = replace(ROLES, group="k", by=())
    (p,) = read_rows(files, roles, pool=True, dialect="flags", memory="200KiB")
    assert counts_of(p) is None
    assert p.notes[-1].endswith("their columns are kept: score counts keep no group)")


def test_parts_that_counts_are_not_kept_by_are_a_lack_and_an_error(files: list[Path]) -> None:
    p = by_scan(files)
    assert lack_of_parts(p, ("slice:k", "class")) is None
    lack = lack_of_parts(p, ("slice:k", "slice:other"))
    assert "by one column at a time, not by k, other together" in str(lack)
    tallies = score_predictions((p,)).tallies[0]
    with pytest.raises(InputError, match="engine='memory' reads all rows"):
        tallies.tally(ScoreCounts, ("slice:k", "slice:other"))
    assert lack_of_parts(in_memory(files), ("slice:k", "slice:k")) is None


@pytest.mark.parametrize("text", ["", "2 apples", "-1GiB"])
def test_sizes_that_are_none_are_refused(text: str) -> None:
    with pytest.raises(InputError, match="give a size"):
        bytes_of(text)
