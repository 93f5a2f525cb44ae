"""Names with options in brackets are read alike, whatever they name, and refused at the place."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from heldout.cli.charts import name_and_file
from heldout.cli.requirements import parse_requirement
from heldout.core.errors import InputError
from heldout.learners.parameters import parse_model
from heldout.measures.spec import parse_request
from heldout.report.plots.plot import parse_chart
from heldout.selection.grid import parse_grids

if TYPE_CHECKING:
    from collections.abc import Callable

READERS = {"brier": parse_request, "knn": parse_model, "roc": parse_chart}


@pytest.mark.parametrize(("name", "read"), READERS.items(), ids=READERS)
@pytest.mark.parametrize(
    ("rest", "message"),
    [
        ("[a=1", "the [ at position {open} is not closed; write {name}[option=value]"),
        ("]", "the ] at position {open} closes nothing"),
        ("[a=1]]", "the ] at position {last} closes nothing"),
        ("[a=1]b", "nothing may follow the closing bracket"),
        ("[]", "has nothing between its brackets; leave them out"),
        ("[level=]", "'level' has no value; write {name}[option=value]"),
        ("[a=1, a=2]", "a is given twice"),
    ],
)
def test_brackets_are_refused_in_the_same_words(
    name: str, read: Callable[[str], Any], rest: str, message: str
) -> None:
    text = name + rest
    words = message.format(name=name, open=len(name) + 1, last=len(text))
    with pytest.raises(InputError) as caught:
        read(text)
    assert str(caught.value).startswith(repr(text))
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("read", "text", "message"),
    [
        (parse_request, "f_score[beat=2]", "f_score has no parameter 'beat'; did you mean beta?"),
        (parse_request, "auc[x=2]", "auc has no parameter 'x' (it has none)"),
        (parse_chart, "rok", "no chart is called 'rok'; did you mean roc?"),
        (name_and_file, "roc[band=x=a.png", "the [ at position 4 is not closed"),
        (parse_requirement, "recall[class=a >= 1", "not closed"),
    ],
)
def test_names_and_options_that_do_not_exist(
    read: Callable[[str], Any], text: str, message: str
) -> None:
    with pytest.raises(InputError) as caught:
        read(text)
    assert message in str(caught.value)


def test_signs_within_quotes_and_brackets_part_nothing() -> None:
    name, path = name_and_file("roc[class='a=b']=roc.png")
    assert (name, path.name) == ("roc[class='a=b']", "roc.png")
    (grid,) = parse_grids(["C='a;b'; k=1..2"], ["svm"])["svm"]
    assert grid.values == {"C": ("a;b",), "k": (1, 2)}
