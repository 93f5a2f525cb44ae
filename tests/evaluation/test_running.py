"""How fits are run is checked before anything is done, also where nothing has to be fitted."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import pytest

import heldout
from heldout.core.errors import InputError
from heldout.core.options import options_of
from heldout.evaluation.running import EvaluateKeywords, EvaluateOptions, Running
from heldout.predictions.options import DataOptions
from heldout.selection.options import SelectKeywords, SelectOptions

X = np.arange(24.0).reshape(12, 2) ** 2 % 7
Y = np.arange(12) % 2

#: an option of the run, and what is said of it
REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"n_jobs": 0}, "n_jobs: 0 workers do nothing; give 1 or more, or -1"),
    ({"n_jobs": -0}, "n_jobs: 0 workers do nothing"),
    ({"n_jobs": np.int64(0)}, "n_jobs: 0 workers do nothing"),
    ({"n_jobs": "2"}, "n_jobs is a whole number of workers, not '2'"),
    ({"n_jobs": 2.0}, r"n_jobs is a whole number of workers, not 2\.0"),
    ({"n_jobs": True}, "n_jobs is a whole number of workers, not True"),
    ({"n_jobs": None}, "n_jobs is a whole number of workers, not None"),
    ({"timeout": 0}, "timeout: 0 is not a number of seconds above 0"),
    ({"timeout": "5"}, "timeout: '5' is not a number of seconds above 0"),
    ({"timeout": float("nan")}, "timeout: nan is not a number of seconds above 0"),
    ({"timeout": True}, "timeout: True is not a number of seconds above 0"),
    ({"timeout": np.True_}, r"timeout: np\.True_ is not a number of seconds above 0"),
    ({"timeout": float("inf")}, "timeout: inf seconds is no limit; leave it out"),
    ({"backend": "lokky"}, "backend: 'lokky' is none of .* did you mean loky"),
    ({"scheduler": "tcp://x"}, "scheduler: only for backends dask, ray, spark"),
]


@pytest.mark.parametrize(("option", "said"), REFUSED)
def test_bad_option_of_the_run_is_refused_though_the_exact_path_needs_no_worker(
    option: dict[str, Any], said: str
) -> None:
    with pytest.raises(InputError, match=said):
        heldout.evaluate("lda", X, Y, procedure="3-fold", **option)
    with pytest.raises(InputError, match=said):
        heldout.select("knn", {"n_neighbors": [1, 3]}, X, Y, procedure="3-fold", **option)


@pytest.mark.parametrize("jobs", [1, -1, np.int64(2)])
def test_numbers_of_workers_are_taken(jobs: int) -> None:
    assert Running(jobs=jobs).jobs == jobs


def test_splits_that_were_refitted_all_the_same_are_told_of() -> None:
    far = X.copy()
    far[0, 0] = 2.0**63  # downdated sums would have no digits left
    assert wholly_and_partly(X) == (["lda"], [])
    assert wholly_and_partly(far) == ([], ["lda"])


def wholly_and_partly(given: Any) -> tuple[list[str], list[str]]:
    """What is said to have been done without refitting, and what in part."""
    notes = heldout.evaluate("lda", given, Y, procedure="4-fold").notes
    chosen = heldout.select("lda", "shrinkage=none", given, Y, procedure="4-fold").notes
    heads = (
        "exact cross-validation without refitting: ",
        "partly exact cross-validation without refitting: ",
    )
    wholly, partly = ([n.removeprefix(h) for n in notes if n.startswith(h)] for h in heads)
    assert [any(n.startswith(h) for n in chosen) for h in heads] == [bool(wholly), bool(partly)]
    return wholly, partly


@pytest.mark.parametrize(
    ("function", "keywords", "own"),
    [
        (heldout.evaluate, EvaluateKeywords, EvaluateOptions),
        (heldout.select, SelectKeywords, SelectOptions),
    ],
)
def test_signatures_show_the_keywords_that_editors_complete(
    function: Any, keywords: Any, own: Any
) -> None:
    groups = (DataOptions, Running, own)
    declared = {o.keyword: o.default for group in groups for o in options_of(group)}
    shown = inspect.signature(function).parameters
    assert keywords.__annotations__.keys() == shown.keys() & declared.keys()
    assert all(shown[name].default == declared[name] for name in keywords.__annotations__)
    with pytest.raises(TypeError, match=r"\(\) got an unexpected keyword argument 'njobs'"):
        function("knn", X=X, y=Y, njobs=2)
