"""Messages name arguments as the caller writes them: flags, or keywords of Python."""

from __future__ import annotations

import inspect

import pytest

import heldout
from heldout.core.dialect import ARGUMENTS, KEYWORDS, argument, speaking, worded


def test_border_says_which_vocabulary_is_spoken() -> None:
    with speaking("flags"):
        assert worded("{id}, {unpaired=True}, {measure}") == "--id, --unpaired, --measure"
        with speaking("keywords"):
            assert worded("{id}, {unpaired=True}, {measure}") == "id=, unpaired=True, measures="
        assert argument("jobs", 2) == "--jobs 2"
    assert argument("positive", "a b") == "pos_label='a b'"


def test_names_of_python_are_parameters_of_its_functions() -> None:
    functions = (heldout.score, heldout.evaluate, heldout.select, heldout.compare)
    known = {name for f in functions for name in inspect.signature(f).parameters}
    known |= set(inspect.signature(heldout.from_arrays).parameters)
    assert {*ARGUMENTS.values(), *KEYWORDS.values()} - known == set()


def test_error_names_flags_on_the_command_line_and_keywords_in_python(
    capsys: pytest.CaptureFixture[str],
) -> None:
    from heldout.cli.main import main

    assert main(["power", "--auc", "0.8", "--rows", "100"]) == 2
    assert "--auc needs --prevalence" in capsys.readouterr().err
    with pytest.raises(heldout.InputError, match="auc= needs prevalence="):
        heldout.power(auc=0.8, rows=100)
