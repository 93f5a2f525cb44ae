"""The predictions of a run in a store as a table: a row a prediction."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.core.errors import InputError
from karat.runner.history import outcome_of, past_run

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from karat.learners.outcome import Outcome
    from karat.runner.history import PastModel, PastRun
    from karat.runner.store import Store

__all__ = ["FORMATS", "export_run", "table_of_run"]

#: how DuckDB writes each kind of file
FORMATS = {
    ".parquet": "FORMAT parquet",
    ".csv": "FORMAT csv, HEADER",
    ".tsv": "FORMAT csv, HEADER, DELIMITER '\t'",
    ".jsonl": "FORMAT json",
}


def export_run(store: Store, number: int, path: Path) -> tuple[int, list[str]]:
    """Write the predictions to a file by its ending; gives the rows, and what to know."""
    import duckdb

    if path.suffix not in FORMATS:
        raise InputError(f"cannot write {path}: predictions are written as {', '.join(FORMATS)}")
    notes: list[str] = []
    table = table_of_run(store, number, notes)
    target = path.resolve()
    try:
        # a file beside the target is written first and then takes its place
        with TemporaryDirectory(dir=target.parent, prefix=".karat-") as folder:
            made = Path(folder) / f"table{path.suffix}"
            with duckdb.connect() as database:
                database.register("predictions", table)
                quoted = str(made).replace("'", "''")
                query = f"COPY (SELECT * FROM predictions) TO '{quoted}' ({FORMATS[path.suffix]})"
                database.execute(query)
            made.replace(target)
    except (OSError, duckdb.IOException) as error:
        raise InputError(f"cannot write {path}: {error}") from error
    return len(table["row"]), notes


def table_of_run(store: Store, number: int, notes: list[str]) -> dict[str, NDArray[Any]]:
    """Columns model, procedure, repeat, fold, row, truth, predicted, then the scores.

    Predictions of training rows have ``part`` train, in a column that is there only then.
    """
    run = past_run(store, number)
    if not run.done:
        raise InputError(f"{store.folder}: run {number} has no predictions yet")
    parts = [_columns(run, model, outcome_of(store, model, notes)) for model in run.models]
    parts = [part for part in parts if len(part["row"])]
    names = list(dict.fromkeys(name for part in parts for name in part))
    if all((part["part"] == "test").all() for part in parts):
        names.remove("part")
    return {name: np.concatenate([_filled(part, name) for part in parts]) for name in names}


def _filled(part: dict[str, NDArray[Any]], name: str) -> NDArray[Any]:
    """A column of a model; missing where the model has none."""
    return part[name] if name in part else np.full(len(part["row"]), np.nan)


def _columns(run: PastRun, model: PastModel, outcome: Outcome) -> dict[str, NDArray[Any]]:
    rows, place = outcome.rows, run.places[outcome.splits[outcome.split_of]]
    facts = run.facts
    ids = None if facts["id"] is None else _objects(facts["id"])
    labels = _objects(facts["classes"])

    def shown(values: NDArray[Any]) -> NDArray[Any]:
        return labels[values] if facts["classes"] else values

    columns = {
        "model": np.full(len(rows), model.name, dtype=object),
        "part": np.full(len(rows), model.part, dtype=object),
        "procedure": np.full(len(rows), run.procedure, dtype=object),
        "repeat": place[:, 0],
        "fold": place[:, 1],
        "row": rows + 1 if ids is None else ids[rows],
        "truth": shown(run.truth[rows]),
        "predicted": shown(outcome.predicted),
    }
    return columns | _scores(outcome, facts["classes"])


def _scores(outcome: Outcome, classes: list[Any]) -> dict[str, NDArray[Any]]:
    if outcome.scores is None:
        return {}
    if outcome.scores.shape[1] == 1:
        return {"score": outcome.scores[:, 0].copy()}
    prefix = "p_" if outcome.score_kind == "probability" else "score_"
    return {
        f"{prefix}{label}": np.ascontiguousarray(outcome.scores[:, index])
        for index, label in enumerate(classes)
    }


def _objects(values: list[Any]) -> NDArray[Any]:
    """An array of the values as they are; all texts where kinds differ, as columns must."""
    kinds = {type(value) for value in values}
    if kinds == {int}:
        return np.array(values, dtype=np.int64)
    return np.array([v if isinstance(v, str) else str(v) for v in values], dtype=object)
