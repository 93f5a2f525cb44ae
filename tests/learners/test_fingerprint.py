"""Fingerprints of models: equal for equal ones in any process, different for any change."""

from __future__ import annotations

import functools
import re
import subprocess
import sys
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import BaggingClassifier, RandomForestClassifier
from sklearn.model_selection import GridSearchCV, KFold
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler
from sklearn.svm import SVC

import heldout
from heldout.learners.fingerprint import fingerprint_of
from heldout.learners.fit import derived_seed, seed_estimator

MAKERS: list[Callable[[], Any]] = [
    lambda: SVC(C=2.0),
    lambda: make_pipeline(StandardScaler(), SVC(kernel="linear")),
    lambda: GaussianNB(priors=np.array([0.2, 0.8])),
    lambda: KNeighborsClassifier(metric=lambda a, b: float(np.abs(a - b).sum())),
    lambda: make_pipeline(FunctionTransformer(np.log1p), SVC()),
    lambda: make_pipeline(FunctionTransformer(functools.partial(np.clip, a_min=0, a_max=1)), SVC()),
    lambda: GridSearchCV(SVC(), {"C": [1, 10]}, cv=KFold(3)),
    lambda: BaggingClassifier(SVC(), random_state=np.random.RandomState(3)),
]


@pytest.mark.parametrize("make", MAKERS)
def test_equal_estimators_have_one_fingerprint(make: Callable[[], Any]) -> None:
    assert fingerprint_of(make()) == fingerprint_of(make())


def test_different_estimators_have_different_fingerprints() -> None:
    made = [make() for make in MAKERS]
    made += [
        SVC(C=2),
        SVC(C=3.0),
        SVC(),
        make_pipeline(StandardScaler(with_mean=False), SVC(kernel="linear")),
        GaussianNB(priors=np.array([0.3, 0.7])),
        KNeighborsClassifier(metric=lambda a, b: float(np.abs(a - b).max())),
        make_pipeline(FunctionTransformer(np.log), SVC()),
        make_pipeline(FunctionTransformer(functools.partial(np.clip, a_min=0, a_max=2)), SVC()),
        GridSearchCV(SVC(), {"C": [1, 100]}, cv=KFold(3)),
        GridSearchCV(SVC(), {"C": [1, 10]}, cv=KFold(4)),
    ]
    assert len({fingerprint_of(one) for one in made}) == len(made)


def test_closure_and_default_values_count() -> None:
    def scaled(factor: float, power: int) -> Any:
        def change(x: Any, power: int = power) -> Any:
            return factor * x**power

        return FunctionTransformer(change)

    assert fingerprint_of(scaled(2, 1)) == fingerprint_of(scaled(2, 1))
    assert fingerprint_of(scaled(2, 1)) != fingerprint_of(scaled(3, 1))
    assert fingerprint_of(scaled(2, 1)) != fingerprint_of(scaled(2, 2))


CODE = """
import numpy as np
import heldout
from heldout.learners.fingerprint import fingerprint_of

def change(x):
    return x + len({"a", "b", "c"}) if x.ndim in {1, 2} else x

class Estimator:
    def get_params(self, deep=True):
        return {"change": change, "prior": np.array([0.2, 0.8]), "names": {"p", "q", "r"},
                "nested": [Other(), change, int, np.log], "weight": {0: 1.0, 1: 2.0}}

class Other:
    def __init__(self):
        self.values = frozenset(["x", "y", "z"])
        self.itself = self

found = fingerprint_of(Estimator())
"""


def test_fingerprint_is_the_same_in_every_process() -> None:
    here: dict[str, Any] = {"__name__": "elsewhere"}
    exec(CODE, here)
    code = f"there = {{'__name__': 'elsewhere'}}; exec({CODE!r}, there); print(there['found'])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    # texts are hashed differently in every process, and objects lie elsewhere
    assert done.stdout.strip() == here["found"]


def test_changed_source_of_an_own_class_is_noticed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    source = "from sklearn.svm import SVC\nclass Mine(SVC):\n    {}\n"
    prints = []
    for body in ("pass", "gamma_factor = 2"):
        (tmp_path / "mine_of_test.py").write_text(source.format(body))
        monkeypatch.delitem(sys.modules, "mine_of_test", raising=False)
        import mine_of_test  # type: ignore[import-not-found]  # written above

        prints.append(fingerprint_of(mine_of_test.Mine()))
    assert prints[0] != prints[1]


def test_changed_attribute_of_an_own_class_is_noticed() -> None:
    class Base(SVC):  # type: ignore[misc]  # of no known type
        flag = False

    class Mine(Base):
        pass

    before = fingerprint_of(Mine())
    assert before == fingerprint_of(Mine())
    Base.flag = True
    assert fingerprint_of(Mine()) != before
    Base.flag = False
    assert fingerprint_of(Mine()) == before


def test_tally_that_a_method_keeps_in_its_class_is_no_change() -> None:
    class Mine(SVC):  # type: ignore[misc]  # of no known type
        fits = 0

        def fit(self, X: Any, y: Any) -> Any:
            Mine.fits += 1
            return super().fit(X, y)

    before = fingerprint_of(Mine())
    Mine().fit([[0.0], [1.0]], [0, 1])
    assert Mine.fits == 1
    assert fingerprint_of(Mine()) == before


def test_changed_setting_or_helper_of_a_notebook_is_noticed() -> None:
    here: dict[str, Any] = {"__name__": "__main__"}
    code = """
from sklearn.svm import SVC
FACTOR, fits = 2, 0
def change(X):
    return X * FACTOR
class Mine(SVC):
    def fit(self, X, y):
        global fits
        fits += 1
        return super().fit(change(X) * FACTOR, y)
"""
    exec(code, here)
    before = fingerprint_of(here["Mine"]())
    here["fits"] = 7
    assert fingerprint_of(here["Mine"]()) == before
    here["FACTOR"] = 3
    assert fingerprint_of(here["Mine"]()) != before
    here["FACTOR"] = 2
    exec("def change(X):\n    return X + FACTOR", here)
    assert fingerprint_of(here["Mine"]()) != before


def test_changed_code_of_a_class_without_a_file_is_noticed() -> None:
    def made(factor: int) -> Any:
        here: dict[str, Any] = {"__name__": "__main__"}
        exec(
            "from sklearn.svm import SVC\n"
            "class Mine(SVC):\n"
            "    def fit(self, X, y):\n"
            f"        return super().fit({factor} * X, y)\n",
            here,
        )
        return here["Mine"]()

    assert fingerprint_of(made(2)) == fingerprint_of(made(2)) != fingerprint_of(made(3))


def _class_beside_an_import() -> Any:
    import json
    import threading

    words = re.compile("[a-z]+")
    lock = threading.Lock()

    class Mine(DummyClassifier):  # type: ignore[misc]  # of no known type
        opened = open

        def fit(self, X: Any, y: Any) -> Any:
            with lock:
                json.dumps(words.findall("a b"))
            if X is None:
                return later
            return super().fit(X, y)

    if lock.locked():
        later = 1
    return Mine(strategy="prior")


def test_class_of_a_function_that_imports_modules_can_be_evaluated(tmp_path: Path) -> None:
    made = [
        heldout.evaluate(
            _class_beside_an_import(), [[0.0]] * 8, [0, 1] * 4, procedure="2-fold", store=tmp_path
        )
        for _ in range(2)
    ]
    assert [one["accuracy"].value for one in made] == [0.5, 0.5]


class Holder(BaseEstimator):  # type: ignore[misc]  # of no known type
    def __init__(self, held: Any = None) -> None:
        self.held = held


@pytest.mark.parametrize(
    ("make", "other"),
    [
        (lambda: re.compile("a"), re.compile("b")),
        (lambda: deque([1, 2]), deque([1, 3])),
        (lambda: pd.DataFrame({"a": [1, 2]}), pd.DataFrame({"a": [1, 3]})),
        (lambda: np.ma.array([1, 2], mask=[0, 1]), np.ma.array([1, 2], mask=[0, 0])),
        (lambda: sys, re),
    ],
)
def test_object_of_any_kind_is_described_by_what_it_holds(
    make: Callable[[], Any], other: Any
) -> None:
    assert fingerprint_of(Holder(make())) == fingerprint_of(Holder(make()))
    assert fingerprint_of(Holder(make())) != fingerprint_of(Holder(other))


def test_object_that_cannot_be_described_equals_no_other() -> None:
    def numbers() -> Any:
        yield 1

    assert fingerprint_of(Holder(numbers())) != fingerprint_of(Holder(numbers()))


def test_changed_table_of_a_notebook_is_noticed() -> None:
    here: dict[str, Any] = {"__name__": "__main__"}
    exec(
        "from sklearn.svm import SVC\n"
        "import re\n"
        "SETTINGS = {'factor': 2}\n"
        "class Mine(SVC):\n"
        "    words = re.compile('a')\n"
        "    def fit(self, X, y):\n"
        "        return super().fit(SETTINGS['factor'] * X, y)\n",
        here,
    )
    before = fingerprint_of(here["Mine"]())
    assert fingerprint_of(here["Mine"]()) == before
    here["SETTINGS"]["factor"] = 3
    changed = fingerprint_of(here["Mine"]())
    assert changed != before
    here["Mine"].words = re.compile("b")
    assert fingerprint_of(here["Mine"]()) != changed


def test_open_random_states_are_set_at_any_depth_and_given_ones_kept() -> None:
    def seeded(seed: int, fold: int) -> Any:
        inner = make_pipeline(StandardScaler(), RandomForestClassifier())
        estimator = GridSearchCV(
            BaggingClassifier(inner, random_state=7), {}, cv=KFold(3, shuffle=True)
        )
        seed_estimator(estimator, seed, 1, fold)
        return estimator

    one, again, other = seeded(0, 1), seeded(0, 1), seeded(0, 2)
    forest = "estimator__estimator__randomforestclassifier__random_state"
    assert isinstance(one.get_params()[forest], int)
    assert one.get_params()[forest] == again.get_params()[forest] != other.get_params()[forest]
    assert one.estimator.random_state == 7
    assert one.cv.random_state == again.cv.random_state != other.cv.random_state


def test_splitter_that_was_given_is_not_changed() -> None:
    splitter = KFold(3, shuffle=True)
    seed_estimator(GridSearchCV(SVC(), {}, cv=splitter), 0, 1, 1)
    assert splitter.random_state is None


def test_derived_seed_is_what_it_always_was() -> None:
    assert derived_seed(0, 1, 1, "random_state") == 1385018130
    assert 0 <= derived_seed(5, 2, 3) < 2**31
