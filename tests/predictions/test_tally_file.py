"""Tally files: adding them is scoring the union, and what does not add is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pytest

import heldout
from heldout.assess.scorecard import score_predictions
from heldout.core.errors import InputError
from heldout.predictions.tally_file import write_tally

ROWS = 600


def table(rows: slice = slice(None), *, digits: int = 2) -> dict[str, Any]:
    rng = np.random.default_rng(3)
    score = np.round(rng.random(ROWS), digits)
    columns = {
        "y": np.where(rng.random(ROWS) < score, "ill", "well").astype(object),
        "p": score,
        "site": rng.choice(["north", "south"], ROWS).astype(object),
        "fold": np.arange(ROWS) % 5,
    }
    return {name: values[rows] for name, values in columns.items()}


ROLES = {"truth": "y", "score": "p", "positive": "ill"}


def tally(path: Path, source: Any, *, bins: int | None = None, **roles: Any) -> str:
    models = heldout.read_predictions(source, **{**ROLES, **roles})
    write_tally(models, path, bins=bins)
    return str(path)


def values_of(card: Any) -> dict[Any, Any]:
    return {
        (r.measure, r.class_, r.slice, r.fold, str(r.of)): r for r in card.results(everything=True)
    }


def assert_same(first: Any, second: Any) -> None:
    one, other = values_of(first), values_of(second)
    assert one.keys() == other.keys()
    for key, result in one.items():
        assert result.n == other[key].n
        for name in ("value", "low", "high"):
            a, b = getattr(result, name), getattr(other[key], name)
            assert a == b or a == pytest.approx(b, rel=1e-12, abs=1e-12, nan_ok=True), (key, name)


def test_the_sum_of_files_is_the_union(tmp_path: Path) -> None:
    parts = [slice(0, 100), slice(100, 450), slice(450, ROWS)]
    files = [tally(tmp_path / f"{i}.tally", table(part), by="site") for i, part in enumerate(parts)]
    whole = heldout.score(table(), **ROLES, by="site")
    assert_same(whole, score(files, by="site"))
    assert_same(whole, score(files[::-1], by="site"))


def score(files: list[str], **roles: Any) -> Any:
    return score_predictions(heldout.read_predictions(*files, **roles))


def test_counts_are_exactly_those_of_the_rows(tmp_path: Path) -> None:
    file = tally(tmp_path / "a.tally", table())
    (rows,), (counted,) = heldout.read_predictions(table(), **ROLES), heldout.read_predictions(file)
    assert rows.scores is not None
    assert counted.scores is not None
    pairs = [
        sorted(zip(truth.tolist(), scores.tolist(), strict=True))
        for truth, scores in ((rows.truth, rows.scores), (counted.truth, counted.scores))
    ]
    assert pairs[0] == pairs[1]
    assert counted.classes == rows.classes
    assert counted.positive == rows.positive


@pytest.mark.parametrize("labels", [[0, 1], [True, False], [-1, 1], ["a", "b"], ["0", "1"]])
def test_labels_keep_their_kind(tmp_path: Path, labels: list[Any]) -> None:
    truth = np.array(labels * 3, object if isinstance(labels[0], str) else None)
    file = tally(tmp_path / "a.tally", {"y": truth, "p": np.arange(6) / 6}, positive=labels[1])
    (read,) = heldout.read_predictions(file)
    assert set(read.classes) == set(labels)
    assert read.positive is not None
    assert read.classes[read.positive] == labels[1]


def test_labels_of_several_classes(tmp_path: Path) -> None:
    rows = {"y": list("abcabc"), "q": list("abccba")}
    models = heldout.read_predictions(rows, truth="y", predicted="q")
    write_tally(models, tmp_path / "a.tally")
    file = str(tmp_path / "a.tally")
    assert (
        score([file])["accuracy"].value
        == heldout.score(rows, truth="y", predicted="q")["accuracy"].value
    )


def test_several_models_stay_apart(tmp_path: Path) -> None:
    rows = {"y": [0, 1] * 4, "p": np.arange(8) / 8, "m": list("ababbaba")}
    file = tally(tmp_path / "a.tally", rows, positive=1, model="m")
    models = heldout.read_predictions(file)
    assert [p.model for p in models] == ["a", "b"]
    with pytest.raises(InputError, match="tallies hold counts, not rows"):
        heldout.compare(*models)


def test_columns_of_slices_that_are_not_asked_for_are_not_guessed(tmp_path: Path) -> None:
    rows = {**table(), "predicted": table()["site"]}
    models = heldout.read_predictions(rows, **ROLES, by="predicted", threshold=0.5)
    write_tally(models, tmp_path / "a.tally")
    (read,) = heldout.read_predictions(str(tmp_path / "a.tally"))
    assert read.threshold == 0.5


def test_the_file_is_a_documented_table(tmp_path: Path) -> None:
    file = tally(tmp_path / "a.tally", table(), by="site", bins=16)
    rows = duckdb.execute(f"SELECT sum(n), count(*) FROM read_parquet('{file}')").fetchall()[0]
    assert rows[0] == ROWS
    assert rows[1] < ROWS
    ((text,),) = duckdb.execute(
        f"SELECT decode(value) FROM parquet_kv_metadata('{file}') WHERE decode(key)='heldout_tally'"
    ).fetchall()
    header = json.loads(text)
    assert header["version"] == 1
    assert header["roles"] == {
        "fold": "fold",
        "by": ["site"],
        "truth": "y",
        "score": "score",
        "count": "n",
    }
    assert (header["labels"], header["positive"], header["bins"]) == (["ill", "well"], "ill", 16)


@pytest.mark.parametrize(
    ("other", "message"),
    [
        ({"positive": "well"}, "their positive differ"),
        ({"labels": ["well", "ill"]}, "their labels differ"),
        ({"bins": 8}, "their bins differ"),
        ({"by": "site"}, "their roles differ"),
    ],
)
def test_files_that_do_not_add(tmp_path: Path, other: dict[str, Any], message: str) -> None:
    files = [tally(tmp_path / "a.tally", table()), tally(tmp_path / "b.tally", table(), **other)]
    with pytest.raises(InputError, match=message):
        heldout.read_predictions(*files)


def test_another_version_is_refused(tmp_path: Path) -> None:
    file, newer = tally(tmp_path / "a.tally", table()), tmp_path / "newer.tally"
    duckdb.execute(
        f"COPY (SELECT * FROM read_parquet('{file}')) TO '{newer}' "
        "(FORMAT parquet, KV_METADATA {heldout_tally: '{\"version\": 2}'})"
    )
    with pytest.raises(InputError, match=r"newer.tally is a tally of version 2, and version 1"):
        heldout.read_predictions(str(newer))


@pytest.mark.parametrize(
    "entry", ["3", "[]", "{", '{"version": 1}', '{"version": 1, "roles": {}}', "[" * 5000, "\\xFF"]
)
def test_a_tally_whose_own_words_are_damaged_is_refused(tmp_path: Path, entry: str) -> None:
    file, bad = tally(tmp_path / "a.tally", table()), tmp_path / "bad.tally"
    duckdb.execute(
        f"COPY (SELECT * FROM read_parquet('{file}')) TO '{bad}' "
        f"(FORMAT parquet, KV_METADATA {{heldout_tally: '{entry}'::BLOB}})"
    )
    with pytest.raises(InputError, match=r"bad.tally is damaged"):
        heldout.read_predictions(str(bad))


def test_files_that_are_no_tallies(tmp_path: Path) -> None:
    file = Path(tally(tmp_path / "a.tally", table()))
    cut, plain = tmp_path / "cut.tally", tmp_path / "plain.tally"
    cut.write_bytes(file.read_bytes()[:-40])
    duckdb.execute(f"COPY (SELECT 1 AS n) TO '{plain}' (FORMAT parquet)")
    for bad, message in (
        (cut, "is not a tally, or was cut off"),
        (plain, "is a Parquet file and no tally"),
        (tmp_path / "none.tally", "no such file"),
        ({"y": [1]}, "is not a tally file"),
    ):
        with pytest.raises(InputError, match=message):
            heldout.read_predictions(str(file), bad if isinstance(bad, dict) else str(bad))


@pytest.mark.parametrize(
    ("roles", "message"),
    [
        ({"score": "q"}, "a.tally has score; leave it out"),
        ({"positive": "well"}, "a.tally has ill"),
        ({"by": "site"}, "is not counted by it"),
        ({"weight": "w"}, "leave it out"),
        ({"threshold": 0.3}, "the nearest multiple is 0.3125"),
    ],
)
def test_what_a_tally_knows_cannot_be_said_otherwise(
    tmp_path: Path, roles: dict[str, Any], message: str
) -> None:
    file = tally(tmp_path / "a.tally", table(), bins=16)
    with pytest.raises(InputError, match=message):
        heldout.read_predictions(file, **roles)


def test_what_a_tally_knows_may_be_said_again(tmp_path: Path) -> None:
    file = tally(tmp_path / "a.tally", table(), bins=16)
    (read,) = heldout.read_predictions(file, positive="ill", labels=["ill", "well"], threshold=0.25)
    assert (read.bins, read.threshold) == (16, 0.25)


def test_rows_that_counts_cannot_stand_for(tmp_path: Path) -> None:
    path = tmp_path / "a.tally"
    for rows, roles, message in (
        ({"y": [0.5, 1.5], "q": [1.0, 2.0]}, {"truth": "y", "predicted": "q"}, "regression"),
        ({**table(), "w": np.arange(ROWS) + 1}, {**ROLES, "weight": "w"}, "weights"),
    ):
        with pytest.raises(InputError, match=message):
            write_tally(heldout.read_predictions(rows, **roles), path)
    models = heldout.read_predictions(table(), **ROLES)
    with pytest.raises(InputError, match="a power of two"):
        write_tally(models, path, bins=1000)
    infinite = {"y": ["ill", "well"], "p": [np.inf, 0.0]}
    with pytest.raises(InputError, match="infinite"):
        write_tally(heldout.read_predictions(infinite, **ROLES), path, bins=8)
    assert not path.exists()


def test_few_rows_are_not_shown(tmp_path: Path) -> None:
    path = tmp_path / "a.tally"
    rows = {"y": [0, 1] * 32, "p": np.arange(64) / 64}
    models = heldout.read_predictions(rows, **{**ROLES, "positive": 1})
    with pytest.raises(InputError, match=r"min_count=4: 64 rows stand .* with bins=8 there is"):
        write_tally(models, path, min_count=4)
    assert not path.exists()
    write_tally(models, path, min_count=4, bins=8)
    assert duckdb.execute(f"SELECT min(n) FROM read_parquet('{path}')").fetchall() == [(4,)]
    with pytest.raises(InputError, match="leave out columns that counts are kept by"):
        write_tally(models, path, min_count=40)


def test_the_note_of_bins_gives_limits(tmp_path: Path) -> None:
    exact = heldout.score(table(), **ROLES)["auc", "pooled"].value
    card = score([tally(tmp_path / "a.tally", table(), bins=64)])
    (note,) = [note for note in card.notes if note.startswith("scores are rounded down")]
    low, high = (float(text) for text in note.split("auc ")[1].split(" (")[0].split(" to "))
    assert low <= exact <= high
    assert high - low < 0.02
