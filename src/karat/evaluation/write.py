"""Predictions as a table that ``karat score`` and other tools read: CSV, JSON Lines, Parquet."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.core.errors import InputError
from karat.evaluation.frame import Frame

if TYPE_CHECKING:
    from collections.abc import Sequence

    from karat.predictions.table import Predictions

__all__ = ["OutOfFold", "columns_of", "refuse_ending"]


class OutOfFold(tuple["Predictions", ...]):
    """The predictions of all models, one after the other, which can be written as one table.

    The columns are ``model, procedure, repeat, fold, row, truth, predicted``, then
    ``p_CLASS`` (``score`` or ``score_CLASS`` where they are no probabilities) and what is
    known of the design: ``train_n_CLASS``, ``train_mean``, ``sample_weight``, ``group``.
    ``karat score`` guesses all but ``--positive``, ``--group group``, and in regression
    ``--train-mean train_mean``.
    """

    __slots__ = ()

    @property
    def frame(self) -> Frame:
        """The table by columns."""
        # one kind of column for all, where only some have probabilities
        is_mixed = len({bool(p.score_problem) for p in self if p.scores is not None}) > 1
        parts = [columns_of(p, as_scores=is_mixed) for p in self]
        names = list(dict.fromkeys(name for part in parts for name in part))
        return Frame({name: _stacked(name, parts) for name in names})

    def write(self, path: str | Path) -> None:
        """The table in a file; its ending (.csv, .jsonl, .parquet) says how."""
        target = Path(path)
        refuse_ending(target)
        frame = self.frame
        try:
            # a file beside the target is written first and then takes its place
            with TemporaryDirectory(dir=target.resolve().parent, prefix=".karat-") as folder:
                made = Path(folder) / f"table{target.suffix}"
                WRITERS[target.suffix](frame, made)
                made.replace(target.resolve())
        except OSError as error:
            raise InputError(f"cannot write {target}: {error.strerror or error}") from error

    def to_pandas(self) -> Any:
        """The table as a pandas DataFrame."""
        return self.frame.to_pandas()

    def to_polars(self) -> Any:
        """The table as a polars DataFrame."""
        return self.frame.to_polars()


def refuse_ending(path: Path) -> None:
    """An error where a file's ending names no format of predictions."""
    if path.suffix not in WRITERS:
        raise InputError(f"cannot write {path}: predictions are written as {', '.join(WRITERS)}")


def columns_of(p: Predictions, *, as_scores: bool = False) -> dict[str, Any]:
    """The columns of one model's table; ``as_scores``: not even probabilities are called p."""
    count = len(p)
    made: dict[str, Any] = {"model": np.full(count, p.model, dtype=object)}
    if p.design.procedure:
        made["procedure"] = np.full(count, p.design.procedure, dtype=object)
    for name in ("repeat", "fold"):
        column = getattr(p.design, name)
        if column is not None:
            made[name] = np.asarray(column.levels)[column.codes]
    made["row"] = np.arange(1, count + 1) if p.identifier is None else p.identifier
    labels = np.empty(len(p.classes), dtype=object)
    labels[:] = p.classes
    made["truth"] = labels[p.truth] if p.classes else p.truth
    if p.predicted is not None:
        made["predicted"] = labels[p.predicted] if p.classes else p.predicted
    made |= _score_columns(p, as_scores=as_scores)
    if p.prior is not None and p.prior.kind == "training counts":
        codes = np.zeros(count, np.intp) if p.prior.codes is None else p.prior.codes
        for index, label in enumerate(p.classes):
            made[f"train_n_{label}"] = p.prior.table[:, index].astype(np.int64)[codes]
    if p.train_mean is not None:
        made["train_mean"] = p.train_mean
    if p.weight is not None:
        made["sample_weight"] = p.weight
    if p.design.group is not None:
        levels = np.empty(len(p.design.group.levels), dtype=object)
        levels[:] = p.design.group.levels
        made["group"] = levels[p.design.group.codes]
    return made


def _score_columns(p: Predictions, *, as_scores: bool) -> dict[str, Any]:
    if p.scores is None:
        return {}
    as_scores = as_scores or bool(p.score_problem)
    prefix = "score_" if as_scores else "p_"
    if p.task != "binary":
        return {f"{prefix}{label}": p.scores[:, i] for i, label in enumerate(p.classes)}
    positive = 1 if p.positive is None else p.positive
    if as_scores:
        return {"score": p.scores}
    both = {positive: p.scores, 1 - positive: 1 - p.scores}
    return {f"p_{label}": both[i] for i, label in enumerate(p.classes)}


def _stacked(name: str, parts: Sequence[dict[str, Any]]) -> Any:
    """A column of all models; models without it have missing values."""
    if all(name in part for part in parts):
        return np.concatenate([np.asarray(part[name]) for part in parts])
    filled = []
    for part in parts:
        if name in part:
            filled.append(np.asarray(part[name]).astype(object))
        else:
            filled.append(np.full(len(part["model"]), None, dtype=object))
    return np.concatenate(filled)


def _csv(frame: Frame, path: Path) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(list(frame.data))
        columns = [_texts(values) for values in frame.columns().values()]
        writer.writerows(zip(*columns, strict=True))


def _texts(values: list[Any]) -> list[str]:
    """Cells as text: floats in full, missing ones empty."""
    return ["" if v is None else repr(v) if isinstance(v, float) else str(v) for v in values]


def _json_lines(frame: Frame, path: Path) -> None:
    with path.open("w", encoding="utf-8") as file:
        for row in frame:
            file.write(json.dumps(row, default=str, ensure_ascii=False) + "\n")


def _parquet(frame: Frame, path: Path) -> None:
    """DuckDB writes it, from lines of JSON: columns of any kind keep their kind."""
    import duckdb

    between = path.with_suffix(".jsonl")
    _json_lines(frame, between)
    options = "format='newline_delimited', sample_size=-1"
    with duckdb.connect() as connection:
        connection.execute(
            f"COPY (SELECT * FROM read_json('{_quoted(between)}', {options})) "
            f"TO '{_quoted(path)}' (FORMAT parquet)"
        )


def _quoted(path: Path) -> str:
    return str(path).replace("'", "''")


WRITERS = {".csv": _csv, ".jsonl": _json_lines, ".parquet": _parquet}
