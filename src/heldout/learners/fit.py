"""One fit: its own chance, the warnings it gives, and what the model answers on the test rows."""

from __future__ import annotations

import copy
import random
import re
import threading
import warnings
from contextlib import contextmanager
from dataclasses import replace
from hashlib import sha256
from time import perf_counter
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
from numpy.random import mtrand

from heldout.core.threads import WhileUsed
from heldout.datasets.dataset import rows_of
from heldout.learners.one_thread import one_thread_if_small
from heldout.learners.outcome import Outcome
from heldout.learners.respond import BadOutput, respond

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from heldout.core.arrays import Array
    from heldout.datasets.dataset import Dataset
    from heldout.learners.model import Model
    from heldout.procedures.splits import Split


def derived_seed(seed: int, *names: Any) -> int:
    """A whole number below 2**31 that a seed and some names decide, on every platform.

    Examples
    --------
    >>> derived_seed(0, 1, 2) == derived_seed(0, 1, 2) != derived_seed(0, 2, 1)
    True
    """
    text = "\x1f".join(map(str, (seed, *names)))
    return int.from_bytes(sha256(text.encode()).digest()[:4], "little") >> 1


def seed_estimator(estimator: Any, seed: int, *names: Any) -> None:
    """Set every ``random_state`` that is None, at any depth, to a number of its own.

    Splitters inside (a shuffled ``cv`` of a grid search) are copied and set likewise, since
    no clone of the estimator copies them.
    """
    if not hasattr(estimator, "get_params"):
        if getattr(estimator, "random_state", 0) is None:
            estimator.random_state = derived_seed(seed, *names, "random_state")
        return
    settings: dict[str, Any] = {}
    for name, value in estimator.get_params(deep=True).items():
        if name == "random_state" or name.endswith("__random_state"):
            if value is None:
                settings[name] = derived_seed(seed, *names, name)
        elif _is_open_splitter(value):
            settings[name] = copy.copy(value)
            settings[name].random_state = derived_seed(seed, *names, name)
    if settings:
        estimator.set_params(**settings)


def _is_open_splitter(value: Any) -> bool:
    return (
        hasattr(value, "get_n_splits")
        and not hasattr(value, "get_params")
        and getattr(value, "random_state", 0) is None
        and bool(getattr(value, "shuffle", True))
    )


@contextmanager
def _callers_chance() -> Iterator[None]:
    python, generator = random.getstate(), mtrand.get_bit_generator()
    # the old functions are what models draw from: no Generator stands for them
    numpy = np.random.get_state(legacy=False)  # noqa: NPY002
    if not isinstance(generator, np.random.MT19937):
        # no other can be set by a number alone
        mtrand.set_bit_generator(np.random.MT19937(0))
    try:
        yield
    finally:
        random.setstate(python)
        if mtrand.get_bit_generator() is not generator:
            mtrand.set_bit_generator(generator)
        np.random.set_state(numpy)  # noqa: NPY002


#: gives the caller's state of Python's and NumPy's common generators back in the end. Reading and
#: writing NumPy's takes a third of a millisecond, longer than a small fit: within this, as often as
#: it is entered again, that is done once
KEPT_CHANCE = WhileUsed(_callers_chance)


@contextmanager
def seeded_chance(seed: int, *names: Any) -> Iterator[None]:
    """Models that draw from the common generators draw what the seed and the names decide.

    Not where fits run in several threads of a process: they draw from the same generators.

    Examples
    --------
    >>> with seeded_chance(0, 1, 2):
    ...     first = random.random(), np.random.rand()
    >>> with seeded_chance(0, 1, 2):
    ...     first == (random.random(), np.random.rand())
    True
    """
    with KEPT_CHANCE:
        chance = derived_seed(seed, *names, "common generators")
        random.seed(chance)
        np.random.seed(chance)  # noqa: TID251, NPY002  the one that models draw from
        yield


#: characters of a message that are kept
LONGEST_WARNING = 200

#: what may differ in the same warning of two fits: numbers
NUMBER = re.compile(r"[-+]?\d[\d.,_]*(?:e[-+]?\d+)?", re.IGNORECASE)


#: the warnings that a thread hears, where it listens
HEARD = threading.local()


@contextmanager
def _listening() -> Iterator[None]:
    """Have warnings of threads that listen kept in place of Python's own display."""
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        shown = warnings.showwarning

        def hear(message: Any, category: Any, *where: Any, **more: Any) -> None:
            heard = getattr(HEARD, "texts", None)
            if heard is None:
                shown(message, category, *where, **more)
                return
            text = " ".join(str(message).split())
            if len(text) > LONGEST_WARNING:
                text = text[: LONGEST_WARNING - 1] + "…"
            heard.setdefault(f"{category.__name__}: {text}")

        warnings.showwarning = hear
        yield


LISTENING = WhileUsed(_listening)


@contextmanager
def heard_warnings() -> Iterator[dict[str, None]]:
    """The distinct warnings of what is done in this thread meanwhile, as they come."""
    before = getattr(HEARD, "texts", None)
    with LISTENING:
        heard: dict[str, None] = {}
        HEARD.texts = heard
        try:
            yield heard
        finally:
            HEARD.texts = before


class FoldWarning(NamedTuple):
    """A warning of a model in some of its folds."""

    model: str
    text: str
    folds: int
    splits: int

    def __str__(self) -> str:
        return f"{self.model}: {self.folds:,} of {self.splits:,} folds warned: {self.text}"


def fold_warnings(model: str, outcome: Outcome, splits: int) -> tuple[FoldWarning, ...]:
    """The warnings of a model; those that differ only in numbers are one.

    Examples
    --------
    >>> from heldout.runner.join import failed
    >>> from dataclasses import replace
    >>> outcome = replace(failed(3, ""), warnings=((0, "Warning: k is 5"), (1, "Warning: k is 6")))
    >>> str(fold_warnings("selk", outcome, 5)[0])
    'selk: 2 of 5 folds warned: Warning: k is 5'
    """
    splits_of: dict[str, tuple[str, set[int]]] = {}
    for position, text in outcome.warnings:
        splits_of.setdefault(NUMBER.sub("#", text), (text, set()))[1].add(position)
    return tuple(
        FoldWarning(model, text, len(places), splits) for text, places in splits_of.values()
    )


def inputs(model: Model, dataset: Dataset) -> tuple[Any, Array]:
    """X and y of all rows, as the model takes them."""
    if model.takes == "matrix":
        return dataset.matrix, dataset.truth
    return dataset.frame, dataset.labels


def fresh(model: Model, seed: int, repeat: int, fold: int) -> Any:
    """An unfitted copy of the model's estimator whose chance the seed and the split decide."""
    if hasattr(model.estimator, "get_params"):
        from sklearn.base import clone

        estimator = clone(model.estimator)
    else:
        estimator = copy.deepcopy(model.estimator)
    seed_estimator(estimator, seed, repeat, fold)
    return estimator


def fit_and_predict(
    model: Model,
    dataset: Dataset,
    split: Split,
    *,
    seed: int = 0,
    part: Sequence[Literal["test", "train"]] = ("test",),
    position: int = 0,
) -> list[Outcome]:
    """The outcome of one split for each part of the rows that is asked for.

    Parameters
    ----------
    part
        ``test``; also ``train`` for the training rows themselves (each once), an optimistic
        estimate.
    position
        Where the split stands among all splits of the procedure.

    Notes
    -----
    What the estimator raises is raised; so is ``BadOutput`` for NaN among its output. The
    weights of the data set are for measures and take no part in the fit. Warnings are
    not shown but kept, in the outcome of the first part. Python's and NumPy's common
    generators are set before the fit, and are afterwards what they were before.
    """
    with heard_warnings() as heard, seeded_chance(seed, split.repeat, split.fold):
        outcomes = _outcomes(model, dataset, split, seed=seed, part=part, position=position)
    if heard:
        outcomes[0] = replace(outcomes[0], warnings=tuple((position, text) for text in heard))
    return outcomes


def _outcomes(
    model: Model,
    dataset: Dataset,
    split: Split,
    *,
    seed: int,
    part: Sequence[Literal["test", "train"]],
    position: int,
) -> list[Outcome]:
    X, y = inputs(model, dataset)
    estimator, fit_seconds = _fitted(model, dataset, split, X, y, seed)
    facts: dict[str, Any] = {
        "splits": np.array([position]),
        "train_rows": np.array([len(split.train)]),
        "fit_seconds": np.array([fit_seconds]),
    }
    labels: Sequence[Any] = (
        range(len(dataset.classes)) if model.takes == "matrix" else dataset.classes
    )
    truth, seen = dataset.truth[split.train], None
    if dataset.task == "regression":
        facts["train_mean"] = np.array([truth.mean()])
    else:
        counts = np.bincount(truth, minlength=len(dataset.classes))
        facts["train_counts"] = counts[np.newaxis]
        seen = np.unique(np.asarray(labels)[np.flatnonzero(counts)]).tolist()
    outcomes = []
    for which in part:
        rows = split.test if which == "test" else np.unique(split.train)
        part_of_x = rows_of(X, rows)
        with one_thread_if_small(X):
            start = perf_counter()
            try:
                response = respond(estimator, part_of_x, labels, dataset.task, seen=seen)
            except BadOutput as error:
                raise error.of_row(dataset.row_name(int(rows[error.first or 0]))) from None
            seconds = np.array([perf_counter() - start])
        predicted, scores, kind = response
        outcomes.append(
            Outcome(
                split_of=np.zeros(len(rows), np.int32),
                rows=rows,
                predicted=predicted,
                scores=scores,
                score_kind=kind,
                predict_seconds=seconds,
                part=which,
                **facts,
            )
        )
    return outcomes


def _fitted(
    model: Model, dataset: Dataset, split: Split, X: Any, y: Array, seed: int
) -> tuple[Any, float]:
    """The estimator fitted to the training part, and the seconds that took."""
    estimator = fresh(model, seed, split.repeat, split.fold)
    if dataset.task != "regression":
        from heldout.learners.label_numbers import with_label_numbers

        estimator = with_label_numbers(estimator)
    part_of_x, part_of_y = rows_of(X, split.train), y[split.train]
    with one_thread_if_small(X):
        start = perf_counter()
        # scikit-learn's fit returns the estimator; others may return nothing
        estimator.fit(part_of_x, part_of_y)
        return estimator, perf_counter() - start
