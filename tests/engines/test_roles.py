"""Laws of engines: every role means the same wherever rows are, and nothing else is different."""

from __future__ import annotations

import warnings
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb
import pyarrow.parquet as pq
import pytest

import heldout
from heldout.core.errors import InputError
from heldout.engines.reading import read_rows, write_scanned_tally
from heldout.predictions.options import Roles
from heldout.predictions.tally_file import write_tally
from tests.engines.roles import ROLES, ROWS, assert_same_values, table
from tests.engines.test_transports import TRANSPORTS

if TYPE_CHECKING:
    from collections.abc import Callable

    from heldout.predictions.table import Predictions


def parquet(own: Any, tmp_path: Path) -> Any:
    pq.write_table(own, tmp_path / "rows.parquet", row_group_size=100)
    return tmp_path / "rows.parquet"


def text(own: Any, tmp_path: Path) -> Any:
    duckdb.sql(f"COPY (FROM own) TO '{tmp_path}/rows.csv'")
    return tmp_path / "rows.csv"


def lines(own: Any, tmp_path: Path) -> Any:
    duckdb.sql(f"COPY (FROM own) TO '{tmp_path}/rows.jsonl' (FORMAT json)")
    return tmp_path / "rows.jsonl"


OTHERS = [own for own in TRANSPORTS if own.__name__ not in ("reader", "folder")]
PLACES = [parquet, text, lines, *OTHERS]


def read(source: Any, roles: Any, **how: Any) -> tuple[Predictions, ...]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return read_rows([source], roles, pool=False, dialect="flags", **how)


@pytest.mark.parametrize("kind", ROLES)
def test_every_role_is_that_of_rows_in_memory(kind: str, tmp_path: Path) -> None:
    rows = table()
    expected = read(rows, ROLES[kind])
    for place in (parquet, text):
        own = read(place(rows, tmp_path), ROLES[kind], engine="scan")
        assert own[0].notes[-1].startswith(f"engine: scan ({ROWS} rows are read in batches")
        assert_same_values(own, expected)


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("kind", ["folds", "several classes", "weighted values of groups"])
def test_every_place_gives_the_roles_of_rows_in_memory(
    place: Callable[[Any, Path], Any], kind: str, tmp_path: Path
) -> None:
    rows = table()
    own = read(place(rows, tmp_path), ROLES[kind], engine="scan")
    assert_same_values(own, read(rows, ROLES[kind]))


@pytest.mark.parametrize("kind", ["grouped labels", "several classes", "values"])
def test_columns_lie_in_files_where_memory_is_short(kind: str, tmp_path: Path) -> None:
    rows = table()
    own = read(parquet(rows, tmp_path), ROLES[kind], engine="scan", memory="1KiB")
    assert_same_values(own, read(rows, ROLES[kind]))


@pytest.mark.parametrize("place", [parquet, text])
@pytest.mark.parametrize("names", [{}, {"id": "i"}])
def test_models_are_compared_by_id_or_by_the_order_of_rows(
    names: dict[str, str], place: Callable[[Any, Path], Any], tmp_path: Path
) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    rows, others = table(3), table(4)
    roles: Any = {"truth": "y", "score": "p", "positive": "yes", **names}
    expected = heldout.compare({"rows": rows}, {"rows2": others}, **roles)
    files = [place(rows, tmp_path / "a"), place(others, tmp_path / "b")]
    own = heldout.compare({"rows": files[0]}, {"rows2": files[1]}, engine="scan", **roles)
    for mine, other in zip(own.differences, expected.differences, strict=True):
        numbers = [
            (d.value, d.interval.low, d.interval.high, d.test.p_value) for d in (mine, other)
        ]
        assert numbers[0] == pytest.approx(numbers[1], rel=1e-12, abs=1e-13)


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (["1,0.5"] * 600 + ["1,high"], r"column 'p': no number \('high'\) in 1 row"),
        (["1,0.5,7"], r"line 2 has 3 fields, but the header has 2"),
        (["1,"], r"column 'p' has no value in 1 row|column 'p': no value in 1 row"),
    ],
)
def test_faults_of_one_text_file_among_others_are_named(
    lines: list[str], message: str, tmp_path: Path
) -> None:
    good = [f"{i % 2},{i / 700}" for i in range(700)]
    for name, rows in (("a", good), ("b", lines)):
        (tmp_path / f"{name}.csv").write_text("\n".join(["y,p", *rows, ""]))
    roles = Roles(truth="y", score="p", positive="1")
    files = [tmp_path / "a.csv", tmp_path / "b.csv"]
    with pytest.raises(InputError, match=message):
        read_rows(files, roles, pool=True, dialect="flags", called=["", ""], engine="scan")


def test_labels_are_tallied_from_files_that_are_scanned(tmp_path: Path) -> None:
    file, roles = parquet(table(), tmp_path), ROLES["labels"]
    write_tally(read(file, roles, engine="memory"), tmp_path / "memory.tally")
    how: dict[str, Any] = {"memory": None, "bins": None, "min_count": 1}
    assert write_scanned_tally([file], roles, tmp_path / "scan.tally", engine="scan", **how)
    first, second = (
        duckdb.execute(f"FROM read_parquet('{tmp_path}/{name}.tally') ORDER BY ALL").fetchall()
        for name in ("memory", "scan")
    )
    assert first == second


def test_bins_are_for_scores_of_two_classes(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="bins=64: score counts keep no weight"):
        read(parquet(table(), tmp_path), ROLES["weighted scores"], bins=64)


@pytest.mark.parametrize(
    ("column", "kind"),
    [
        (["true", "FALSE"] * 400, bool),
        (["1"] * 600 + ["007"], str),
        (["1"] * 600 + ["2.5"], float),
        (["0.5"] * 600 + ["1_0"], str),
        (["0.5"] * 600 + ["+05"], str),
        (["0.5"] * 600 + ["-05"], str),
        (["12345678901234567890", "1"], str),
        (["1"] * 600 + ["NA"], None),
    ],
)
def test_texts_of_a_scanned_file_are_typed_by_all_rows_as_in_memory(
    column: list[str], kind: type | None, tmp_path: Path
) -> None:
    path = tmp_path / "rows.csv"
    truth = ["a" if i % 3 else "b" for i in range(len(column))]
    content = "".join(f"{y},{y},{x}\n" for y, x in zip(truth, column, strict=True))
    path.write_text("y,q,k\n" + content)
    roles = replace(ROLES["labels"], truth="y", predicted="q", positive="a", by=("k",))
    own, known = read(path, roles, engine="scan"), read(path, roles, engine="memory")
    assert own[0].slices[0].levels == known[0].slices[0].levels
    assert own[0].slices[0].codes.tolist() == known[0].slices[0].codes.tolist()
    assert kind is None or isinstance(own[0].slices[0].levels[0], kind | int)
