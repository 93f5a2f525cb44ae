"""The short text of a procedure: read, written, and refused with the nearest name."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import heldout
from heldout.core.errors import InputError
from heldout.procedures.parse import parse_procedure
from heldout.procedures.split_file import FromFile

#: as help and documentation write them
EXAMPLES = (
    "10-fold", "10x10-fold", "5x2-fold", "holdout 70:30", "holdout 50:20:30", "100x holdout 70:30",
    "loo", "leave-2-out", "bootstrap 200", ".632 200", ".632+ 200", "groups", "time 5",
    "time 5 gap 7", "column fold", "file splits.csv",
)  # fmt: skip

READ = {
    "5-fold": heldout.KFold(5),
    "50x10-fold": heldout.KFold(10, repeats=50),
    "5x2-fold": heldout.KFold(2, 5),
    "5x2": heldout.KFold(2, 5),
    "10x10": heldout.KFold(10, 10),
    "10 Fold": heldout.KFold(10),
    "10-fold CV": heldout.KFold(10),
    "10-fold cross-validation": heldout.KFold(10),
    "10 times 10-fold": heldout.KFold(10, 10),
    "3 × 4 folds": heldout.KFold(4, 3),
    "cv 5": heldout.KFold(5),
    "stratified 10-fold": heldout.KFold(10, stratify=True),
    "10-fold unstratified grouped": heldout.KFold(10, stratify=False, grouped=True),
    "10-fold not stratified": heldout.KFold(10, stratify=False),
    "5-fold stratified by bins 10": heldout.KFold(5, bins=10),
    "5-fold stratified by 10 bins": heldout.KFold(5, bins=10),
    "5-fold bins 10": heldout.KFold(5, bins=10),
    "5-fold stratified loosely seed 7": heldout.KFold(5, stratify="loosely", random_state=7),
    "5-fold ungrouped": heldout.KFold(5, grouped=False),
    "holdout": heldout.Holdout((70, 30)),
    "holdout 70:30": heldout.Holdout(),
    "70:30": heldout.Holdout(),
    "holdout 2:1": heldout.Holdout((2, 1)),
    "holdout 2:3": heldout.Holdout((2, 3)),
    "holdout 70/30": heldout.Holdout(),
    "holdout 30/70": heldout.Holdout((30, 70)),
    "holdout 0.2/0.8": heldout.Holdout((0.2, 0.8)),
    "holdout 50/50": heldout.Holdout((50, 50)),
    "hold-out 50:20:30": heldout.Holdout((50, 20, 30)),
    "100x holdout 66.7:33.3": heldout.Holdout((66.7, 33.3), repeats=100),
    "holdout 1e-07:1": heldout.Holdout((1e-07, 1)),
    "loo": heldout.LeaveOneOut(),
    "Leave-One-Out": heldout.LeaveOneOut(),
    "leave one out": heldout.LeaveOneOut(),
    "LOO ungrouped": heldout.LeaveOneOut(grouped=False),
    "loo grouped": heldout.LeaveOneGroupOut(),
    "leave-2-out": heldout.LeavePOut(2),
    "leave-two-out": heldout.LeavePOut(2),
    "leave-3-out grouped": heldout.LeavePOut(3, grouped=True),
    "bootstrap": heldout.Bootstrap(200),
    "oob 50": heldout.Bootstrap(50),
    ".632 200": heldout.Bootstrap(200, ".632"),
    "0.632+ 20": heldout.Bootstrap(20, ".632+"),
    ".632+ bootstrap 20": heldout.Bootstrap(20, ".632+"),
    "bootstrap .632+ 20": heldout.Bootstrap(20, ".632+"),
    "groups": heldout.LeaveOneGroupOut(),
    "leave-one-group-out": heldout.LeaveOneGroupOut(),
    "logo": heldout.LeaveOneGroupOut(),
    "time 5 gap 7": heldout.TimeOrdered(5, gap=7),
    "time": heldout.TimeOrdered(5),
    "time 3 test 4 sliding 10": heldout.TimeOrdered(3, sliding=10, test=4),
    "column Fold of Ours": heldout.PredefinedFolds("Fold of Ours"),
    "file My Splits.csv": FromFile("My Splits.csv"),
}


@pytest.mark.parametrize("text", READ)
def test_text_is_read(text: str) -> None:
    assert parse_procedure(text) == READ[text]


@pytest.mark.parametrize("text", [*READ, *EXAMPLES])
def test_text_that_is_written_is_read_as_the_same(text: str) -> None:
    procedure = parse_procedure(text)
    assert parse_procedure(str(procedure)) == procedure
    assert (
        parse_procedure(str(procedure).upper()) == procedure or "column" in text or "file" in text
    )
    assert str(parse_procedure(str(procedure))) == str(procedure)


@pytest.mark.parametrize("text", EXAMPLES)
def test_example_is_written_as_it_is_read(text: str) -> None:
    assert str(parse_procedure(text)) == text


modifiers = st.fixed_dictionaries(
    {
        "stratify": st.sampled_from([None, True, False, "loosely"]),
        "grouped": st.sampled_from([None, True, False]),
        "random_state": st.none() | st.integers(0, 10**9),
    }
)
several = st.integers(1, 500)
parts = st.one_of(st.integers(1, 99), st.integers(1, 999).map(lambda tenths: tenths / 10))
procedures = st.one_of(
    st.builds(lambda k, r, m: heldout.KFold(k, r, **m), st.integers(2, 99), several, modifiers),
    st.builds(lambda k, b: heldout.KFold(k, bins=b), st.integers(2, 99), st.integers(2, 99)),
    st.builds(
        lambda ratio, r, m: heldout.Holdout(ratio, r, **m),
        st.lists(parts, min_size=2, max_size=3).filter(lambda ratio: not 50 <= sum(ratio) <= 200)
        | st.integers(1, 99).map(lambda train: [train, 100 - train]),
        several,
        modifiers,
    ),
    st.builds(
        lambda b, kind, m: heldout.Bootstrap(b, kind, **m),
        several,
        st.sampled_from(["oob", ".632", ".632+"]),
        modifiers,
    ),
    st.builds(
        lambda n, w, g, t: heldout.TimeOrdered(n, sliding=w, gap=g, test=t),
        several,
        st.none() | several,
        st.integers(0, 50),
        st.none() | several,
    ),
    st.builds(heldout.LeavePOut, several),
)


@given(procedures)
def test_every_procedure_round_trips(procedure: heldout.KFold) -> None:
    assert parse_procedure(str(procedure)) == procedure
    assert eval(
        repr(procedure), vars(heldout) | {n: getattr(heldout, n) for n in heldout.__all__}
    ) == (procedure)


@given(
    st.lists(st.floats(0, allow_infinity=False, exclude_min=True), min_size=2, max_size=3).filter(
        lambda ratio: not 50 <= sum(ratio) <= 200
    )
)
def test_every_ratio_round_trips(ratio: list[float]) -> None:
    procedure = heldout.Holdout(ratio)
    assert parse_procedure(str(procedure)) == procedure
    assert [float(part) for part in procedure.ratio] == ratio


def test_ratio_is_written_without_exponents() -> None:
    assert str(heldout.Holdout((1e-7, 1))) == "holdout 0.0000001:1"
    assert str(heldout.Holdout((1e22, 2.5))) == "holdout 10000000000000000000000:2.5"
    for wrong in ("1e-400:1", "1e999:1", (float("inf"), 1), (0.0, 1)):
        with pytest.raises(InputError, match="a ratio is written"):
            heldout.Holdout(wrong)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("10-fild", r"did you mean 10-fold\?"),
        ("10-fald", r"^no procedure is called '10-fald'; did you mean 10-fold\?$"),
        ("botstrap 20", r"did you mean bootstrap 20\?"),
        ("gruops", r"did you mean groups\?"),
        ("tme 5", r"did you mean time 5\?"),
        ("10x holdot 70:30 stratifid", r"did you mean 10x holdout 70:30 stratified\?"),
        ("Colum My Fold", r"did you mean column My Fold\?"),
        ("leave_on_out", r"did you mean leave-one-out\?"),
        ("5-fold seed -1", "the value after seed is a whole number from 0, not -1"),
        ("time 1 gap -1", "the value after gap is a whole number from 0, not -1"),
        ("time 5 sliding 2.5", "the value after sliding is a whole number from 1, not 2.5"),
        ("time 5 gap", "gap needs a number behind it, such as gap 7"),
        ("-5-fold", "-5 is negative"),
        ("5-fold grouped ungrouped", "says both grouped and ungrouped; leave out one of them"),
        ("5-fold stratified seed 1 unstratified", "says both stratified and unstratified"),
        ("5-fold seed 1 seed 1", "says seed 1 twice"),
        ("k-fold", "the number of folds is missing; write 10-fold"),
        ("fold", "the number of folds is missing; write 10-fold"),
        ("holdout 2/3", r"is 2/3 a share or a ratio\? To train on that .* write holdout 2:1; for"),
        ("10x holdout 1/4", "write holdout 1:3; for the ratio, holdout 1:4"),
        ("", "procedures are written 10-fold"),
        ("holdout 70", "a ratio is written 70:30"),
        ("holdout 70:-30", "a ratio is written"),
        ("holdout 0:30", "a ratio is written"),
        ("1-fold", "the number of folds is a whole number from 2"),
        ("0x5-fold", "the number of repeats"),
        ("5x loo", "only k-fold and holdout can be repeated"),
        ("loo stratified", "cannot be stratified"),
        ("time 5 stratified", "cannot be stratified"),
        ("groups seed 3", "cannot be given a seed"),
        ("leave-0-out", "whole number from 1"),
        ("time 5 gap 1 gap 2", "says gap twice"),
        ("5-fold unstratified bins 3", "bins stratify"),
        ("bootstrap 0", "the number of bootstrap samples"),
        ("file", "no procedure"),
    ],
)
def test_text_that_means_nothing_is_refused(text: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        parse_procedure(text)


def test_procedure_is_a_value() -> None:
    procedure: Any = heldout.KFold(10, repeats=50)
    assert {procedure: 1}[heldout.KFold(10, 50)] == 1
    assert copy.deepcopy(procedure) == pickle.loads(pickle.dumps(procedure)) == procedure
    assert heldout.KFold(10) != heldout.KFold(10, random_state=0)
    assert repr(procedure) == "KFold(folds=10, repeats=50)"
    with pytest.raises(AttributeError):
        procedure.folds = 3


def test_other_things_are_taken_for_procedures() -> None:
    assert parse_procedure(5) == heldout.KFold(5)
    assert parse_procedure(heldout.LeaveOneOut()) == heldout.LeaveOneOut()
    with pytest.raises(InputError, match="is not a procedure"):
        parse_procedure(3.5)
