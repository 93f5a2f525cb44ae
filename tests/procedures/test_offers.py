"""What a refusal offers instead can be given as it is written, and is not refused."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from heldout.core.errors import InputError
from heldout.procedures.parse import parse_procedure
from tests.procedures.test_refusals import REFUSED

#: what is said around an offer and is no part of it
AROUND = re.compile(r" \(.*?\)|at most | or fewer| to train on .*|fewer or shorter parts|\n.*")

KINDS = (
    "{k}-fold", "2x{k}-fold", "holdout 1:{k}", "holdout 1:1:{k}", "loo", "leave-{k}-out", "groups",
    "bootstrap {k}", ".632+ {k}", "time {k}", "time {k} gap 1", "time {k} sliding 2",
)  # fmt: skip
WORDS = ("", "stratified", "unstratified", "stratified loosely", "bins {b}", "bins {b} loosely")


def offered(refusal: str) -> list[str]:
    """The procedures that a refusal says to use."""
    _, is_there, offers = refusal.partition("; use ")
    named = re.split(r", or |, | or ", AROUND.sub("", offers)) if is_there else []
    return [offer for offer in named if offer]


def assert_offers_hold(text: str, rows: dict[str, Any]) -> int:
    """Give what a refusal of a procedure offers; tells how many there were."""
    try:
        procedure = parse_procedure(text)
    except InputError:
        # some words do not go together
        return 0
    try:
        procedure.splits(**rows)
    except InputError as error:
        offers = offered(str(error))
    else:
        return 0
    for offer in offers:
        assert len(parse_procedure(offer).splits(**rows)) >= 1, offer
    return len(offers)


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_offered_is_read_and_not_refused(case: str) -> None:
    text, rows, said = REFUSED[case]
    count = assert_offers_hold(text, rows)
    assert count or "; use " not in said


def test_offers_that_would_be_refused_are_left_out() -> None:
    with pytest.raises(InputError) as caught:
        parse_procedure("bootstrap 3").splits(3, truth=[1, 2, 3])
    assert offered(str(caught.value)) == ["bootstrap 3 unstratified"]
    with pytest.raises(InputError) as caught:
        parse_procedure("9-fold ungrouped").splits(4, groups=[1, 1, 2, 2])
    assert offered(str(caught.value)) == ["4-fold ungrouped", "loo ungrouped"]
    with pytest.raises(InputError) as caught:
        parse_procedure("loo").splits(4, groups=[1, 1, 1, 1])
    assert offered(str(caught.value)) == ["loo ungrouped"]


def test_offer_of_a_grouped_procedure_in_time_says_ungrouped_alone() -> None:
    with pytest.raises(InputError, match="; use time 3 ungrouped to train on the past"):
        parse_procedure("time 3 grouped").splits(8, groups=[1, 2] * 4)


def problem(generator: np.random.Generator) -> tuple[str, dict[str, Any]]:
    """A procedure, and a few rows that it may not fit."""
    n = int(generator.integers(2, 15))
    words = [generator.choice(of) for of in (KINDS, WORDS, ("", "grouped", "ungrouped"))]
    rows: dict[str, Any] = {"n": n}
    if generator.random() < 0.7:
        truth = generator.integers(0, generator.integers(1, 5), n)
        is_classification = bool(generator.random() < 0.6)
        rows |= {"truth": truth * (1 if is_classification else 1.0)}
        rows |= {"is_classification": is_classification}
    if generator.random() < 0.5:
        rows["groups"] = generator.integers(0, generator.choice([1, 2, 3, 10]), n)
    numbers = {"k": generator.integers(1, 16), "b": generator.integers(2, 10)}
    return " ".join(words).format(**numbers), rows


def test_no_refusal_offers_what_is_refused() -> None:
    generator = np.random.default_rng(0)
    assert sum(assert_offers_hold(*problem(generator)) for _ in range(3000)) > 300
